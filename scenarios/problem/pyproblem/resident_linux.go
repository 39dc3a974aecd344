package pyproblem

import (
	"fmt"
	"os"
	"time"
)

// lookTime is the time between two checks of children.
const lookTime = 50 * time.Millisecond

// resident returns the number of bytes of a process in memory; 0 where it has ended.
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
