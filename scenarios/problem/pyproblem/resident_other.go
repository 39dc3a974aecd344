//go:build !linux

package pyproblem

import (
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// lookTime is the time between two checks of children: each check starts a process.
const lookTime = time.Second

// resident returns the number of bytes of a process in memory; 0 where it has ended, or where
// the program ps is missing.
func resident(pid int) int64 {
	text, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0
	}
	kibibytes, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0
	}
	return kibibytes << 10
}
