//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package workload

import (
	"os"
	"syscall"
)

// peakOf is the most memory that a finished process held, in bytes; 0 where that is not
// known.
func peakOf(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return residentBytes(int64(usage.Maxrss))
}
