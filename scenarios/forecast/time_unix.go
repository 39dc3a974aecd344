//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package forecast

import (
	"syscall"
	"time"
)

// ProcessorTime returns the time that cores have worked so far for this process, and for
// processes that it has started and waited for, all cores together. Other processes on the
// machine do not count.
func ProcessorTime() (total time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			panic(err) // both arguments are valid
		}
		total += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return total
}
