//go:build unix

package runs

import (
	"os"
	"syscall"
)

// linked reports whether a file has several names.
func linked(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}
