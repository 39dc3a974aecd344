//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package results

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
)

// lock is an exclusive claim on a folder. The system drops it when the process
// ends, however it ends.
type lock struct{ file *os.File }

// acquire claims the lock file at path, or returns an error that wraps
// ErrLocked and names the process that holds it.
func acquire(path string) (*lock, error) {
	for {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			return nil, err
		}
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		// A process that only asks, see held, holds the file for a moment.
		for try := 0; try < 5 && errors.Is(err, syscall.EWOULDBLOCK); try++ {
			time.Sleep(10 * time.Millisecond)
			err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		}
		if err != nil {
			defer file.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, fmt.Errorf("%w (process %s)", ErrLocked, holder(file))
			}
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if current(file, path) {
			claim := &lock{file}
			if err := writePid(file); err != nil {
				return nil, errors.Join(err, claim.Release())
			}
			return claim, nil
		}
		// The holder removed the file between our open and our claim: we hold a file that no
		// other process will look at.
		file.Close()
	}
}

// held reports whether a process holds the lock file at path.
func held(path string) bool {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // opening a pipe would block
	if err != nil {
		return false
	}
	defer file.Close()
	return errors.Is(syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// current reports whether path still leads to the open file.
func current(file *os.File, path string) bool {
	held, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(held, named)
}

func writePid(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := fmt.Fprintf(file, "%d\n", os.Getpid())
	return err
}

// holder reads from the lock file the process that wrote it; the process may not have written
// it yet.
func holder(file *os.File) string {
	text, err := io.ReadAll(io.LimitReader(file, 32))
	pid := strings.TrimSpace(string(text))
	if err != nil || pid == "" {
		return "unknown"
	}
	return pid
}

// Release removes the file while the claim still holds, then drops the claim.
func (l *lock) Release() error {
	return errors.Join(os.Remove(l.file.Name()), l.file.Close())
}
