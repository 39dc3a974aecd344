package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"starling/actors/atomicfile"
)

// TestPut replaces a file by a text: a link stays one, permissions stay, and what is no file is
// written to.
func TestPut(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(atomicfile.Put(file, []byte("one")), os.Chmod(file, 0o600), os.Symlink("file", link), atomicfile.Put(link, []byte("two")), atomicfile.Put(os.DevNull, []byte("x"))); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(file)
	info, _ := os.Lstat(file)
	linked, _ := os.Lstat(link)
	if string(text) != "two" || info.Mode() != 0o600 || linked.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("%q, modes %v and %v", text, info.Mode(), linked.Mode())
	}
	if null, err := os.Stat(os.DevNull); err != nil || null.Mode().IsRegular() {
		t.Errorf("%s is %v, %v", os.DevNull, null.Mode(), err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("there are %v", entries)
	}
}

// TestNew writes a file that is not there, or empty, and leaves nothing where that fails.
func TestNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	failure := errors.New("the disk is full")
	if err := atomicfile.New(path, 0o600, func(w io.Writer) error { io.WriteString(w, "half"); return failure }); !errors.Is(err, failure) {
		t.Errorf("%v", err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) > 0 {
		t.Errorf("%v is left", entries)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	fill := func(w io.Writer) error { _, err := io.WriteString(w, "whole"); return err }
	if err := atomicfile.New(path, 0o600, fill); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(path); string(text) != "whole" {
		t.Errorf("%q", text)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := atomicfile.New(path, 0o600, fill); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
}
