package external

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is how many bytes a pipe holds: with more, fewer switches between the processes
// move a frame.
const pipeSize = 1 << 20

// widen has a pipe hold more. It is a matter of speed: where the system refuses, nothing is
// lost.
func widen(pipe *os.File) {
	if raw, err := pipe.SyscallConn(); err == nil { // Fd would take the file out of the poller
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
	}
}
