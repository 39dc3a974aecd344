//go:build !linux

package pyproblem

import (
	"errors"
	"os"
)

var errNoMemory = errors.New("this system shares no memory")

// openMemory returns an error, since there is no memory to share: all goes through the pipes.
func openMemory() (*os.File, error) { return nil, errNoMemory }

func mapMemory(*os.File, int) ([]byte, error) { return nil, errNoMemory }

func unmapMemory([]byte) {}
