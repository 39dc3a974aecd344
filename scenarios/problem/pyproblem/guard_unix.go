//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package pyproblem

import (
	"os"
	"os/exec"
	"syscall"
)

// guard is a process beside a child, in its group, that kills the group once its input has
// ended. So the whole group ends with this process, however this process ends. A thread of the
// child could not do that while a call keeps the lock of the interpreter, and it could not
// kill processes that the child has forked.
type guard struct {
	command *exec.Cmd
	// life is the other end of the guard's input. Only this process has it.
	life *os.File
}

// shell is the program that guards, as it starts a hundred times faster than an interpreter of
// Python. Images of containers without it have the interpreter alone.
const shell = "/bin/sh"

// guardOf returns the command of a guard beside a child.
func guardOf(child *exec.Cmd) *exec.Cmd {
	if _, err := os.Stat(shell); err != nil {
		return exec.Command(child.Path, "-I", "-S", "-c", "import os\nwhile os.read(0, 1): pass\nos.kill(0, 9)")
	}
	return exec.Command(shell, "-c", "while read -r line; do :; done; kill -9 0")
}

// startGuard starts the guard of a child that was started in a group of its own, and that was
// not waited for yet.
func startGuard(child *exec.Cmd) (*guard, error) {
	input, life, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer input.Close()
	g := &guard{guardOf(child), life}
	g.command.Stdin = input
	g.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: child.Process.Pid}
	if err := g.command.Start(); err != nil {
		life.Close()
		return nil, err
	}
	return g, nil
}

// wait waits for the end of a guard after its group was killed.
func (g *guard) wait() {
	g.life.Close()
	g.command.Wait()
}
