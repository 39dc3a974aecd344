package pyproblem

import (
	"bufio"
	"context"
	_ "embed" // of host.py
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"starling/scenarios/problem/model/safetensors"
)

// host is the other side of the protocol.
//
//go:embed host.py
var host []byte

// protocol is the version that both sides speak.
const protocol = "2"

// bootstrap runs a program that it reads from standard input, after its length. So the program
// is in no file, and on no command line.
const bootstrap = "import sys; source = sys.stdin.buffer.read(int(sys.stdin.buffer.readline())); exec(compile(source, '<starling>', 'exec'))"

const (
	startTime = time.Minute     // in which a child has to greet
	lastTime  = 2 * time.Second // in which the end of a child is expected
)

// process is a child. It is used by one goroutine at a time, except for kill.
type process struct {
	command *exec.Cmd
	in, out *os.File // to the child, and from it
	words   *words   // of its standard error
	// versions are the versions of its greeting.
	versions Versions
	// ended is closed once the child has ended; how is then the error of its end.
	ended chan struct{}
	how   error
	late  atomic.Bool // it was killed since it took too long
	// context is the program's. unwanted is true if the child was killed since the context is
	// done.
	context  context.Context
	unwanted atomic.Bool
	// memory is the shared memory; nil means none.
	memory *memory
	// guard ends it once this process has ended; nil means no guard.
	guard *guard
	// over is the reason, if it was killed since too much memory was taken.
	over atomic.Pointer[string]
	// writer and reader are buffers of in and out.
	writer *bufio.Writer
	reader *bufio.Reader
}

// startProcess starts a child and waits for its greeting. The error names the remedy.
func startProcess(o *Options) (*process, error) {
	path, err := Interpreter()
	if err != nil {
		return nil, err
	}
	p := &process{command: exec.Command(path, "-c", bootstrap), ended: make(chan struct{}), context: o.Context}
	p.command.Env = environment(o.Threads, mostMemory())
	separate(p.command)
	if err := p.open(o); err != nil {
		return nil, fmt.Errorf("start %s: %w; %s", path, err, whatToDo)
	}
	if err := p.greet(path); err != nil {
		p.kill()
		return nil, err
	}
	return p, nil
}

// open starts the command with three pipes.
func (p *process) open(o *Options) (err error) {
	var ends [6]*os.File
	for i := 0; i < len(ends) && err == nil; i += 2 {
		ends[i], ends[i+1], err = os.Pipe()
	}
	p.command.Stdin, p.command.Stdout, p.command.Stderr = ends[0], ends[3], ends[5]
	if !o.Pipes {
		p.memory = newMemory()
	}
	if p.memory != nil {
		p.command.ExtraFiles = []*os.File{p.memory.file} // its descriptor 3
	}
	if err == nil {
		err = p.command.Start()
	}
	if err == nil {
		if p.guard, err = startGuard(p.command); err != nil {
			killGroup(p.command.Process)
			p.command.Wait()
		}
	}
	for _, of := range []int{0, 3, 5} { // the child's
		ends[of].Close()
	}
	if err != nil {
		for _, of := range []int{1, 2, 4} {
			ends[of].Close()
		}
		p.memory.close()
		return err
	}
	p.in, p.out = ends[1], ends[2]
	p.writer, p.reader = bufio.NewWriterSize(p.in, blockSize), bufio.NewReaderSize(p.out, blockSize)
	widen(p.in)
	widen(p.out)
	p.words = listen(ends[4], o.Log)
	p.enter()
	go func() {
		p.how = p.command.Wait()
		p.leave()
		killGroup(p.command.Process) // its guard, and processes that it has forked
		p.guard.wait()
		p.words.finish()
		close(p.ended)
	}()
	return nil
}

// greet sends the child its program and takes its greeting.
func (p *process) greet(path string) error {
	f, err := p.exchange(startTime, nil, func() error {
		fmt.Fprintf(p.writer, "%d\n%s", len(host), host)
		return p.writer.Flush()
	})
	if err != nil {
		return fmt.Errorf("%s does not answer: %w; %s", path, err, whatToDo)
	}
	said := f.Metadata
	p.versions = Versions{said["python"], said["numpy"]}
	switch {
	case said["missing"] != "":
		return fmt.Errorf("%s, Python %s, has no numpy: %s; '%s -m pip install numpy' installs it, or name another interpreter by %s", path, said["python"], said["missing"], path, Variable)
	case said["protocol"] != protocol:
		return fmt.Errorf("%s speaks version %q of the protocol, want %q", path, said["protocol"], protocol)
	}
	return nil
}

// ask sends a request and returns the reply. into returns the memory for its numbers. An error
// means that the child is gone, unless it is a *requestError.
func (p *process) ask(limit time.Duration, request *safetensors.File, into func(name string, count int) []float64) (*safetensors.File, error) {
	return p.exchange(limit, into, func() error { return writeFrame(p.writer, request, p.memory) })
}

// exchange writes a request and reads a frame.
func (p *process) exchange(limit time.Duration, into func(name string, count int) []float64, write func() error) (f *safetensors.File, err error) {
	timer := time.AfterFunc(limit, func() {
		p.late.Store(true)
		p.kill()
	})
	defer timer.Stop()
	defer watchMemory()()
	over := make(chan struct{})
	defer close(over)
	defer context.AfterFunc(p.context, func() {
		select {
		case <-over:
		case <-time.After(Grace):
			p.unwanted.Store(true)
			p.kill()
		}
	})()
	if err = write(); err == nil {
		f, err = readFrame(p.reader, into, p.memory)
	}
	var unsent *requestError
	if errors.As(err, &unsent) {
		return nil, err
	}
	if err == nil {
		return f, nil
	}
	var broken *frameError
	crashed := !errors.As(err, &broken)
	if crashed && !p.late.Load() && !p.unwanted.Load() && p.over.Load() == nil {
		select { // the child's own end explains more than the end of the pipe
		case <-p.ended:
		case <-time.After(lastTime):
		}
	}
	p.kill()
	select {
	case <-p.ended:
	case <-time.After(lastTime):
		return nil, errors.New("the process does not end")
	}
	text := p.over.Load()
	switch {
	case text != nil:
		return nil, p.words.after(errors.New(*text))
	case p.unwanted.Load():
		return nil, fmt.Errorf("nobody waited for it any more, and it was ended after %v: %w", Grace, context.Canceled)
	case p.late.Load():
		return nil, p.words.after(fmt.Errorf("it took more than %v, and was ended", limit))
	case crashed:
		return nil, p.words.after(fmt.Errorf("the process ended: %s", ending(p.how)))
	}
	return nil, p.words.after(err)
}

// ending describes the end of a process.
func ending(how error) string {
	if how == nil {
		return "exit status 0"
	}
	return how.Error()
}

// end lets the child end by itself, and kills it if it does not.
func (p *process) end() {
	p.in.Close()
	select {
	case <-p.ended:
	case <-time.After(lastTime):
	}
	p.kill()
}

// kill ends the child and the processes that it has forked. Any goroutine may call it, several
// times.
func (p *process) kill() {
	select {
	case <-p.ended: // its number may be another's by now
	default:
		killGroup(p.command.Process)
	}
	p.in.Close()
	p.out.Close()
	p.memory.close()
}

// words has the last lines of a child's standard error.
type words struct {
	from *os.File
	last []string
	done chan struct{}
}

// Limits: the most lines of a child that are kept for errors, and the longest line that is
// passed on.
const (
	mostLast = 20
	mostLine = 4096
)

// prefix begins every line of a child's standard error.
const prefix = "python: "

// listen passes lines on, each with a prefix.
func listen(from *os.File, to io.Writer) *words {
	if to == nil {
		to = os.Stderr
	}
	w := &words{from: from, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		var line []byte
		block := make([]byte, mostLine)
		pass := func() {
			fmt.Fprintf(to, "%s%s\n", prefix, line)
			if w.last = append(w.last, string(line)); len(w.last) > mostLast {
				w.last = w.last[1:]
			}
			line = line[:0]
		}
		for {
			n, err := from.Read(block)
			for _, b := range block[:n] {
				if b == '\n' || len(line) == mostLine {
					pass()
				}
				if b != '\n' {
					line = append(line, b)
				}
			}
			if err != nil {
				if len(line) > 0 {
					pass()
				}
				return
			}
		}
	}()
	return w
}

// finish waits for the last words of a child that has ended. Processes that it has forked may
// still have the pipe; these are not waited for.
func (w *words) finish() {
	select {
	case <-w.done:
	case <-time.After(lastTime / 10):
	}
	w.from.Close()
	<-w.done
}

// after adds a child's last words to an error. The child has ended.
func (w *words) after(err error) error {
	if len(w.last) == 0 {
		return err
	}
	text := "its last words:"
	for _, line := range w.last {
		text += "\n  " + line
	}
	return fmt.Errorf("%w; %s", err, text)
}
