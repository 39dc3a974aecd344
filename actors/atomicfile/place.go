package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Put writes a text to a file that a user has named, whole or not at all. A link stays a link.
// If path is no regular file, such as /dev/stdout or a pipe, Put writes to it. A file that is
// there keeps its permissions.
func Put(path string, text []byte) error {
	info, err := os.Stat(path)
	there := err == nil
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if there && !f.direct {
		if err := f.file.Chmod(info.Mode().Perm()); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Commit()
}

// New writes a file that must not be there, with permissions, whole or not at all. A file of 0
// bytes counts as none: it was left by a writer that died before the first.
func New(path string, mode fs.FileMode, fill func(io.Writer) error) error {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: "open", Path: path, Err: fs.ErrExist}
	}
	if err := os.Remove(path + Suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(path+Suffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	f, err := started(path, file)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := fill(f); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.Commit()
}
