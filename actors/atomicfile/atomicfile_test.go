package atomicfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func TestWriteReplacesTheWholeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for _, content := range []string{"first and longer", "second"} {
		size, sum, err := Write(path, text(content))
		if err != nil {
			t.Fatal(err)
		}
		want := sha256.Sum256([]byte(content))
		if size != int64(len(content)) || sum != hex.EncodeToString(want[:]) {
			t.Errorf("size %d, SHA-256 %s", size, sum)
		}
		if got := read(t, path); got != content {
			t.Errorf("content %q, want %q", got, content)
		}
	}
}

// TestFailureKeepsTheOldFile: the filler fails, the writer is aborted, the disk
// is full.
func TestFailureKeepsTheOldFile(t *testing.T) {
	failure := errors.New("no more numbers")
	tests := map[string]func(t *testing.T, path string) error{
		"filler": func(t *testing.T, path string) error {
			_, _, err := Write(path, func(w io.Writer) error {
				io.WriteString(w, "half")
				return failure
			})
			if !errors.Is(err, failure) {
				return nil
			}
			return err
		},
		"abort": func(t *testing.T, path string) error {
			f, err := Create(path)
			if err != nil {
				return nil
			}
			f.Abort()
			return f.Commit()
		},
		"full disk": func(t *testing.T, path string) error {
			if runtime.GOOS != "linux" {
				t.Skip("needs /dev/full")
			}
			if os.Symlink("/dev/full", path+Suffix) != nil {
				return nil
			}
			_, _, err := Write(path, text("new"))
			if !errors.Is(err, syscall.ENOSPC) {
				return nil
			}
			return err
		},
	}
	for name, write := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "x")
			if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := write(t, path); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%v, want the error with %s", err, path)
			}
			if got := read(t, path); got != "old" {
				t.Errorf("content %q, want the old one", got)
			}
			if entries, _ := os.ReadDir(dir); len(entries) != 1 {
				t.Errorf("left behind: %v", entries)
			}
		})
	}
}

func TestRemoveStale(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a" + Suffix, "b", "c" + Suffix} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveStale(dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "b" {
		t.Errorf("left: %v (%v)", entries, err)
	}
	if err := RemoveStale(filepath.Join(dir, "none")); err == nil {
		t.Error("no error for a missing folder")
	}
}
