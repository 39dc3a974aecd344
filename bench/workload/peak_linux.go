package workload

import (
	"bytes"
	"os"
	"strconv"
)

// residentBytes is the largest resident set in bytes, from the number that the system states.
func residentBytes(stated int64) int64 { return stated << 10 }

// resetPeak begins to watch for the peak of this process anew, and reports whether it can.
func resetPeak() bool { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil }

// peak is the most memory that this process has held since resetPeak, in bytes; 0 where
// that is not known.
func peak() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(after)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseInt(string(fields[0]), 10, 64)
	return kilobytes << 10
}
