package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestErrorsNameTheFile, and not the temporary one beside it.
func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "no", "x"): ": folder " + filepath.Join(dir, "no") + ": ",
		folder:                        ": it is a folder",
	} {
		for name, write := range map[string]func() error{
			"write": func() error { _, _, err := Write(path, text("x")); return err },
			"put":   func() error { return Put(path, []byte("x")) },
		} {
			err := write()
			if err == nil || !strings.HasPrefix(err.Error(), "write "+path+want) || strings.Contains(err.Error(), Suffix) {
				t.Errorf("%s %s: %v", name, path, err)
			}
		}
	}
	if _, err := Create(filepath.Join(dir, "no", "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// TestLeave: a process that ends leaves no temporary file. It is a process of its own, since others
// tests could write nothing after it.
func TestLeave(t *testing.T) {
	if dir := os.Getenv("LEFT"); dir != "" {
		leave(t, dir)
		return
	}
	dir := t.TempDir()
	c := exec.Command(os.Args[0], "-test.run=^TestLeave$")
	c.Env = append(os.Environ(), "LEFT="+dir)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if there := read(t, filepath.Join(dir, "whole")); there != "whole" {
		t.Errorf("the file that was committed: %q", there)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// leave ends with a file committed, one aborted and one at work.
func leave(t *testing.T, dir string) {
	if _, _, err := Write(filepath.Join(dir, "whole"), text("whole")); err != nil {
		t.Fatal(err)
	}
	aborted, err := Create(filepath.Join(dir, "aborted"))
	if err != nil {
		t.Fatal(err)
	}
	aborted.Abort()
	half, err := Create(filepath.Join(dir, "half"))
	if err != nil {
		t.Fatal(err)
	}
	Leave()
	if err := half.Commit(); err == nil {
		t.Error("a file was committed after the end")
	}
	if _, _, err := Write(filepath.Join(dir, "late"), text("late")); !errors.Is(err, errOver) {
		t.Errorf("a file was begun after the end: %v", err)
	}
}
