package workers

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Local is a worker process that a pool starts. The process prints ListeningAt and its address
// in the first line, and ends when its input ends.
type Local struct {
	// Program is the path of the program, and Args are its arguments, of which the first is
	// its name. Env is the environment.
	Program   string
	Args, Env []string
}

// ListeningAt stands before the address in the first line that a worker prints.
const ListeningAt = "listening at "

// starting is the time that a process has until it listens.
const starting = 60 * time.Second

// process is a worker process of the pool's own.
type process struct {
	cmd     *exec.Cmd
	input   io.WriteCloser
	address chan string   // gets the address, once
	exited  chan struct{} // closed when the process has ended
	known   string        // the address; used by one goroutine

	mu   sync.Mutex
	said bytes.Buffer // guarded by mu: the end of its standard error
	err  error        // guarded by mu: the error with which it ended
}

// mostSaid is the number of bytes of a process's output that are kept, for the error when it
// ends.
const mostSaid = 4096

// Write implements io.Writer for the standard error of the process.
func (o *process) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.said.Write(b)
	if extra := o.said.Len() - mostSaid; extra > 0 {
		o.said.Next(extra)
	}
	return len(b), nil
}

// startProcess starts a process and reads the address at which it listens.
func startProcess(local Local) (*process, error) {
	o := &process{cmd: &exec.Cmd{Path: local.Program, Args: local.Args, Env: local.Env}, address: make(chan string, 1), exited: make(chan struct{})}
	o.cmd.Stderr = o
	output, err := o.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if o.input, err = o.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := o.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(o.exited)
		lines := bufio.NewScanner(output)
		if lines.Scan() {
			if address, ok := strings.CutPrefix(lines.Text(), ListeningAt); ok {
				o.address <- address
			}
		}
		io.Copy(io.Discard, output)
		err := o.cmd.Wait()
		o.mu.Lock()
		o.err = err
		o.mu.Unlock()
	}()
	return o, nil
}

// wait returns the address at which the process listens, once it does.
func (o *process) wait(ctx context.Context) (string, error) {
	if o.known != "" {
		return o.known, nil
	}
	select {
	case o.known = <-o.address:
		return o.known, nil
	case <-o.exited:
		return "", o.why()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-time.After(starting):
		return "", fmt.Errorf("it does not hear after %v", starting)
	}
}

// ended reports whether the process has ended.
func (o *process) ended() bool {
	select {
	case <-o.exited:
		return true
	default:
		return false
	}
}

// why returns the error with which the process ended, and the end of its output.
func (o *process) why() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	err := errors.New("the process has ended")
	if o.err != nil {
		err = fmt.Errorf("the process has ended: %w", o.err)
	}
	if text := strings.TrimSpace(o.said.String()); text != "" {
		err = fmt.Errorf("%w\n%s", err, text)
	}
	return err
}

// ending is the time that a process has to end before it is killed.
const ending = 5 * time.Second

// end ends the process.
func (o *process) end() {
	o.input.Close()
	select {
	case <-o.exited:
	case <-time.After(ending):
		o.cmd.Process.Kill()
		<-o.exited
	}
}
