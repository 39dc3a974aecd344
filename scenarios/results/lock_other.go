//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package results

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// lock is an exclusive claim on a folder: the existence of a file. On these
// systems a process that dies leaves it behind, and a person has to remove it.
type lock struct{ file *os.File }

// acquire claims the lock file at path, or returns an error that wraps
// ErrLocked and names the process that holds it.
func acquire(path string) (*lock, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if errors.Is(err, os.ErrExist) {
		pid, _ := os.ReadFile(path)
		return nil, fmt.Errorf("%w (process %s; if it is dead, remove %s)", ErrLocked, strings.TrimSpace(string(pid)), path)
	}
	if err != nil {
		return nil, err
	}
	claim := &lock{file}
	if _, err = fmt.Fprintf(file, "%d\n", os.Getpid()); err != nil {
		return nil, errors.Join(err, claim.Release())
	}
	return claim, nil
}

// Release drops the claim. An open file cannot be removed on every system, so
// it is closed first.
func (l *lock) Release() error {
	return errors.Join(l.file.Close(), os.Remove(l.file.Name()))
}

// held reports whether there is a lock file at path.
func held(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
