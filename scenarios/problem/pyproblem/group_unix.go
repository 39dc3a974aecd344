//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package pyproblem

import (
	"os"
	"os/exec"
	"syscall"
)

// separate gives a command a process group of its own: an interrupt from the keyboard reaches
// the parent only, which ends its children in order.
func separate(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a process and all of its group. The leader may have ended just before.
func killGroup(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }
