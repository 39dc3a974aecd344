//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package workload

import "os"

// peakOf is 0: the system does not report it.
func peakOf(*os.ProcessState) int64 { return 0 }
