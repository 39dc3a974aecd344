//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package measure

import (
	"os"
	"syscall"
	"time"
)

// ProcessorTime is how long cores have worked so far for this process and for processes
// that it has started and waited for, all together: what else runs on the machine does not
// count.
func ProcessorTime() time.Duration {
	total := time.Duration(0)
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			panic(err) // of the two words above
		}
		total += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return total
}

// peakOf is the most memory that a finished process held, in bytes; 0 where that is not
// known.
func peakOf(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return residentBytes(int64(usage.Maxrss))
}
