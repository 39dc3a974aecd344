//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package results

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Lock is an exclusive claim on a folder: the existence of a file. On these
// systems a process that dies leaves it behind, and a person has to remove it.
type Lock struct{ file *os.File }

// Acquire claims the lock file at path, or returns an error that wraps
// ErrHeld and names the process that holds it.
func Acquire(path string) (*Lock, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if errors.Is(err, os.ErrExist) {
		pid, _ := os.ReadFile(path)
		return nil, fmt.Errorf("%w (process %s; if it is dead, remove %s)", ErrHeld, strings.TrimSpace(string(pid)), path)
	}
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(file, "%d\n", os.Getpid())
	return &Lock{file}, err
}

// Release drops the claim. An open file cannot be removed on every system, so
// it is closed first.
func (l *Lock) Release() error {
	return errors.Join(l.file.Close(), os.Remove(l.file.Name()))
}

// Held reports whether there is a lock file at path.
func Held(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
