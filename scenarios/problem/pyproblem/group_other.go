//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package pyproblem

import (
	"os"
	"os/exec"
)

// separate does nothing where there are no process groups.
func separate(*exec.Cmd) {}

// killGroup kills a process.
func killGroup(p *os.Process) { p.Kill() }
