package external

import (
	"fmt"
	"os"
	"time"
)

// lookTime is how often children are looked at.
const lookTime = 50 * time.Millisecond

// resident is how many bytes of a process are in memory; 0 where it has ended.
func resident(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	var all, pages int64
	if err == nil {
		_, err = fmt.Sscan(string(text), &all, &pages)
	}
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
