//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package bench

import (
	"syscall"
	"time"
)

// processorTime is how long cores have worked for this process so far, all
// together: what else runs on the machine does not count.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
