//go:build !linux

package measure

import "runtime"

// residentBytes are those of the largest resident set as the system states it.
func residentBytes(stated int64) int64 {
	if runtime.GOOS == "darwin" {
		return stated
	}
	return stated << 10
}

// resetPeak tells that nothing watches for the peak of this process alone.
func resetPeak() bool { return false }

// peak is 0: nothing tells.
func peak() int64 { return 0 }
