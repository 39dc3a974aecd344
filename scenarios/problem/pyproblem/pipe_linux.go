package pyproblem

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is the number of bytes that a pipe holds: a larger pipe moves a frame with fewer
// switches between the processes.
const pipeSize = 1 << 20

// widen enlarges a pipe. It is a matter of speed, so a refusal of the system is ignored.
func widen(pipe *os.File) {
	if raw, err := pipe.SyscallConn(); err == nil { // Fd would take the file out of the poller
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
	}
}
