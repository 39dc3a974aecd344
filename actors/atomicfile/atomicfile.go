// Package atomicfile writes files that are whole or absent.
//
//	Create    opens path.partial beside the final name
//	Write     buffers, hashes and counts
//	Commit    flush, fsync, check that the file is still ours, rename, fsync the folder
//	Abort     removes the partial file
//
// A reader sees the old file or the new one, and never a part. It is no transaction over
// several files: package results writes COMPLETE last for that.
package atomicfile

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Suffix ends the name of every temporary file. A file with it belongs to a writer at work, or
// was left by one that died.
const Suffix = ".partial"

// ErrReplaced is returned by Commit if another process has replaced or cut the file since
// Create. The final name is untouched.
var ErrReplaced = errors.New("another process changed the file while it was written")

// bufferSize is the size in bytes of the write buffer.
const bufferSize = 1 << 16

// File is a file being written. Every File ends with one Commit or Abort. The
// first error sticks: later writes and Commit return it.
type File struct {
	// path is the final name, which errors name.
	path   string
	file   *os.File
	buffer *bufio.Writer
	// hash and size are of the bytes written so far.
	hash hash.Hash
	size int64
	// err is the first error, and ended is true once Commit or Abort was called.
	err   error
	ended bool
	// direct means that the bytes go to path itself, which is no regular file.
	direct bool
}

// Create starts the file that Commit will put at path. The folder must exist.
func Create(path string) (*File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("write %s: it is a folder", path)
	}
	file, err := os.OpenFile(path+Suffix, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("write %s: folder %s: %w", path, filepath.Dir(path), cause(err))
	case err != nil:
		return nil, writeError(path, err)
	}
	return started(path, file)
}

// newFile is a File that writes to an open one.
func newFile(path string, file *os.File) *File {
	return &File{path: path, file: file, buffer: bufio.NewWriterSize(file, bufferSize), hash: sha256.New()}
}

// writeError is the error of writing a file. It does not name the temporary one, of which users know
// nothing.
func writeError(path string, err error) error { return fmt.Errorf("write %s: %w", path, cause(err)) }

// cause returns the error of the system without the names of files.
func cause(err error) error {
	var one *fs.PathError
	var two *os.LinkError
	switch {
	case errors.As(err, &one):
		return one.Err
	case errors.As(err, &two):
		return two.Err
	}
	return err
}

// Write appends p. Errors name the final path.
func (f *File) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.buffer.Write(p)
	f.hash.Write(p[:n])
	f.size += int64(n)
	if err != nil {
		f.err = writeError(f.path, err)
	}
	return n, f.err
}

// Size is the number of bytes written so far.
func (f *File) Size() int64 { return f.size }

// SHA256 is the hash in hex of the bytes written so far.
func (f *File) SHA256() string { return hex.EncodeToString(f.hash.Sum(nil)) }

// Commit flushes the file to the disk and gives it its final name, replacing the file there.
// On an error the final name is untouched and the temporary file is gone, unless it is
// another's: see ErrReplaced.
func (f *File) Commit() error {
	if f.ended {
		return fmt.Errorf("write %s: already committed or aborted", f.path)
	}
	if f.err == nil {
		f.err = f.flush()
	}
	if f.err != nil {
		f.Abort()
		return f.err
	}
	if f.end(); f.direct {
		return nil
	}
	return SyncFolder(filepath.Dir(f.path))
}

// flush keeps the promise of Commit, in the only safe order: the bytes are on the disk before
// the name is.
func (f *File) flush() error {
	err := f.buffer.Flush()
	if f.direct {
		if err = errors.Join(err, f.file.Close()); err != nil {
			return writeError(f.path, err)
		}
		return nil
	}
	if err == nil {
		err = f.file.Sync()
	}
	if err == nil {
		err = f.identify()
	}
	if err == nil {
		err = f.file.Close()
	}
	if err == nil {
		err = os.Rename(f.file.Name(), f.path)
	}
	if err != nil {
		return writeError(f.path, err)
	}
	return nil
}

// identify refuses to give the final name to another file than the one that was
// written. Another process may have put one under the temporary name, or cut this
// one.
func (f *File) identify() error {
	written, err := f.file.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(f.file.Name())
	if err != nil {
		return err
	}
	if !os.SameFile(written, there) {
		return fmt.Errorf("%w: another file is under the name %s", ErrReplaced, f.file.Name())
	}
	if written.Size() != f.size {
		return fmt.Errorf("%w: %s has %d bytes, and %d were written", ErrReplaced, f.file.Name(), written.Size(), f.size)
	}
	return nil
}

// Abort drops the file; the final name is untouched. After Commit it does
// nothing, so that it can be deferred.
func (f *File) Abort() {
	if f.ended {
		return
	}
	f.end()
	f.file.Close()
	if !errors.Is(f.err, ErrReplaced) && !f.direct { // the file there is not ours
		os.Remove(f.file.Name())
	}
}

// Write writes a whole file at path with the output of fill, or nothing, and returns its size
// in bytes and its SHA-256 in hex. If path is there and is no regular file, such as
// /dev/stdout or a pipe, Write writes to it.
func Write(path string, fill func(io.Writer) error) (size int64, sum string, err error) {
	f, err := open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Abort()
	if err := fill(f); err != nil {
		return 0, "", fmt.Errorf("write %s: %w", path, err)
	}
	if err := f.Commit(); err != nil {
		return 0, "", err
	}
	return f.Size(), f.SHA256(), nil
}

// open is Create, or, where path cannot be replaced by a file, opens path itself for writing.
func open(path string) (*File, error) {
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() || info.IsDir() { // a folder is refused
		return Create(path)
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, writeError(path, err)
	}
	f := newFile(path, file)
	f.direct = true
	return f, nil
}

// Publish is Write without a flush to the disk: readers see the old file or the new one, and
// after a power cut the file may be empty or old. It is for files that are written often and
// can be lost.
func Publish(path string, fill func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := fill(f); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	err = errors.Join(f.buffer.Flush(), f.file.Close())
	if err == nil {
		err = os.Rename(f.file.Name(), f.path)
	}
	if err != nil {
		return writeError(path, err)
	}
	f.end()
	return nil
}

// SyncFolder flushes a folder's entries to the disk, so that a rename survives
// a power cut. Windows and some network file systems have no such call; there
// it does nothing.
func SyncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(folder)
	if err != nil {
		return fmt.Errorf("sync folder %s: %w", folder, err)
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return fmt.Errorf("sync folder %s: %w", folder, err)
	}
	return nil
}

// RemoveStale deletes the temporary files in a folder. Call it only while no
// writer is at work there.
func RemoveStale(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != Suffix || entry.IsDir() {
			continue
		}
		if err := os.Remove(filepath.Join(folder, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}
