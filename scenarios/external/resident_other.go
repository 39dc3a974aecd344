//go:build !linux

package external

import (
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// lookTime is how often children are looked at: a process is started for each.
const lookTime = time.Second

// resident is how many bytes of a process are in memory; 0 where it has ended, or where no
// program ps tells.
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
