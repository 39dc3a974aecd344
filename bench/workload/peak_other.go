//go:build !linux

package workload

import "runtime"

// residentBytes is the largest resident set in bytes, from the number that the system states.
func residentBytes(stated int64) int64 {
	if runtime.GOOS == "darwin" {
		return stated
	}
	return stated << 10
}

// resetPeak reports that nothing watches for the peak of this process alone.
func resetPeak() bool { return false }

// peak is 0: the system does not report it.
func peak() int64 { return 0 }
