package observatory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"starling/scenarios/results"
	"starling/scenarios/results/live"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// mostChildren is the number of runs that go on at a time: each takes all cores.
const mostChildren = 4

// State is the state of a child.
type State string

// The states.
const (
	Begins  State = "begins"  // it reads the scenario, and its folder
	Runs    State = "runs"    // it is at work
	Stops   State = "stops"   // it was interrupted, and saves its state
	Ended   State = "ended"   // it is gone
	Unknown State = "unknown" // this bench has not started it
)

// Child is a run that the bench has started.
type Child struct {
	// ID is the ID of the run.
	ID    string `json:"id"`
	State State  `json:"state"`
	// Error is the message that the process printed when it failed.
	Error string `json:"error,omitempty"`
}

// child is a process that makes a run.
type child struct {
	dir  string // of the run
	cmd  *exec.Cmd
	said tail          // by the process
	done chan struct{} // closed when the process has ended

	mu      sync.Mutex
	stopped bool  // it was interrupted
	err     error // of the process, once done is closed
}

// Started is the outcome of a request to run a text.
type Started struct {
	// Issues are faults of the text. If there are any, nothing was started.
	Issues []Issue `json:"issues"`
	// ID is the ID of the run. Complete is true if its results existed already.
	ID       string `json:"id"`
	Complete bool   `json:"complete"`
}

// start runs a text and returns when the process is at work, or has ended.
func (b *Bench) start(ctx context.Context, text string) (*Started, error) {
	return b.startIn(ctx, text, b.out, "")
}

// again continues the run in a folder. text is its scenario as it was run. The folder has to
// be the one that holds the run under its name and hash.
func (b *Bench) again(ctx context.Context, dir, text string) (*Started, error) {
	return b.startIn(ctx, text, filepath.Dir(filepath.Dir(dir)), dir)
}

// startIn runs a text into a folder of results. want is the folder of the run to continue, and
// empty for a new run.
func (b *Bench) startIn(ctx context.Context, text, out, want string) (*Started, error) {
	s, issues, err := b.load(ctx, text, running)
	if err != nil || len(issues) > 0 {
		return &Started{Issues: issues}, err
	}
	options := b.run()
	options.Out = out
	dir := runner.Dir(s, options)
	if want != "" && dir != want {
		return nil, fmt.Errorf("%w: it began with another build of starling, or with other data; its text can be run as a new scenario", errOther)
	}
	started := &Started{Issues: []Issue{}}
	if started.ID, err = b.idOf(dir); err != nil {
		return nil, err
	}
	if err := b.settled(ctx, dir); err != nil {
		return nil, err
	}
	if started.Complete, err = results.IsComplete(dir); err != nil || started.Complete {
		return started, err
	}
	c, err := b.launch(s, dir, text, want != "")
	if err != nil {
		return nil, err
	}
	return started, c.begun(ctx)
}

// settled waits for a child in a folder that was ordered to end. It refuses the folder if
// another process is at work on it.
func (b *Bench) settled(ctx context.Context, dir string) error {
	b.mu.Lock()
	c := b.children[dir]
	b.mu.Unlock()
	if c != nil && c.state() == Stops {
		select {
		case <-c.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if results.Claimed(dir) {
		return errBusy
	}
	return nil
}

// launch starts the process of a run.
func (b *Bench) launch(s *study.Scenario, dir, text string, resume bool) (*child, error) {
	args := append(b.options.Program[1:len(b.options.Program):len(b.options.Program)],
		"run", "-", "--out", filepath.Dir(filepath.Dir(dir)), "--quiet", "--progress", "none", "--errors", "json")
	if b.options.Loader.Data != "" {
		args = append(args, "--data", b.options.Loader.Data)
	}
	if resume {
		args = append(args, "--resume")
	}
	c := &child{dir: dir, done: make(chan struct{}), cmd: exec.Command(b.options.Program[0], args...)}
	c.cmd.Env = append(os.Environ(), b.options.Environment...)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = strings.NewReader(text), io.Discard, &c.said
	b.mu.Lock()
	defer b.mu.Unlock()
	alive := 0
	for _, other := range b.children {
		if other.state() != Ended {
			alive++
		}
	}
	switch other := b.children[dir]; {
	case b.closed:
		return nil, errClosed
	case other != nil && other.state() != Ended:
		return nil, errBusy
	case alive >= mostChildren:
		return nil, errMany
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w", s.Name, err)
	}
	b.children[dir] = c
	b.alive.Go(c.wait)
	return c, nil
}

// wait waits for the end of the process and records it.
func (c *child) wait() {
	err := c.cmd.Wait()
	c.mu.Lock()
	c.err = err
	c.mu.Unlock()
	close(c.done)
}

// look is the time between two looks at the folder of a run that begins.
const look = 20 * time.Millisecond

// begun waits until the process is at work, or has ended. If the process failed before its
// work, begun returns its error.
func (c *child) begun(ctx context.Context) error {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for !c.working() {
		select {
		case <-c.done:
			if text := c.failure(); text != "" && !c.working() {
				return errors.New(text)
			}
			return nil // the folder shows how the run ended
		case <-ctx.Done(): // the request has ended; the run goes on
			return ctx.Err()
		case <-ticker.C:
		}
	}
	return nil
}

// working reports whether the process has begun its jobs, or has completed the run: the
// progress file in the folder names this process, not an earlier one, or the results are
// complete.
func (c *child) working() bool {
	progress, _ := live.Read(c.dir)
	complete, _ := results.IsComplete(c.dir)
	return progress != nil && progress.Process == c.cmd.Process.Pid || complete
}

func (c *child) state() State {
	c.mu.Lock()
	stopped := c.stopped
	c.mu.Unlock()
	select {
	case <-c.done:
		return Ended
	default:
	}
	switch {
	case stopped:
		return Stops
	case !c.working():
		return Begins
	}
	return Runs
}

// failure returns the reason for which the process of an ended child failed. It is empty if
// the process did not fail, or was ordered to end.
func (c *child) failure() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil || c.stopped {
		return ""
	}
	return c.said.text(c.err)
}

// stop interrupts the process. Systems that cannot interrupt a process end it; the run later
// continues from its last saved state.
func (c *child) stop() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	err := c.cmd.Process.Signal(os.Interrupt)
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		err = c.cmd.Process.Kill()
	}
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// child returns the bench's knowledge of the run with an ID.
func (b *Bench) child(id string) Child {
	b.mu.Lock()
	c := b.children[filepath.Join(b.out, filepath.FromSlash(id))]
	b.mu.Unlock()
	if c == nil {
		return Child{ID: id, State: Unknown}
	}
	made := Child{ID: id, State: c.state()}
	if made.State == Ended {
		made.Error = c.failure()
	}
	return made
}

// stop interrupts a run that the bench has started. It saves its state and ends soon after.
func (b *Bench) stop(id string) (Child, error) {
	b.mu.Lock()
	c := b.children[filepath.Join(b.out, filepath.FromSlash(id))]
	b.mu.Unlock()
	if c == nil || c.state() == Ended {
		return Child{}, fmt.Errorf("%s: %w", id, errNotOurs)
	}
	if err := c.stop(); err != nil {
		return Child{}, err
	}
	return b.child(id), nil
}

// patience is the time that children have to save their state when the bench closes.
const patience = 30 * time.Second

// Close interrupts all children and waits for them. Children that have not ended after half a
// minute are killed. No child is started any more. If there are any to wait for, told gets the
// IDs of their runs before the wait.
func (b *Bench) Close(told func(ids []string)) {
	b.mu.Lock()
	b.closed = true
	var going []*child
	var ids []string
	for _, c := range b.children {
		if c.state() != Ended {
			going = append(going, c)
			if id, err := b.idOf(c.dir); err == nil {
				ids = append(ids, id)
			}
		}
	}
	b.mu.Unlock()
	if len(going) == 0 {
		return
	}
	told(ids)
	for _, c := range going {
		c.stop() // a process that has ended by itself needs no kill
	}
	late := time.AfterFunc(patience, func() {
		for _, c := range going {
			c.cmd.Process.Kill()
		}
	})
	defer late.Stop()
	b.alive.Wait()
}

// tail keeps the end of the output of a process.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// mostKept is the number of bytes that are kept.
const mostKept = 1 << 14

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	t.kept = t.kept[max(0, len(t.kept)-mostKept):]
	return len(p), nil
}

// text returns the message of a process that failed: the messages of its last line, which is
// JSON, or all output that was kept.
func (t *tail) text(err error) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(t.kept), []byte{'\n'})
	var faults []struct {
		Message string `json:"message"`
	}
	var messages []string
	if json.Unmarshal(lines[len(lines)-1], &faults) == nil {
		for _, f := range faults {
			messages = append(messages, f.Message)
		}
	} else {
		messages = append(messages, string(t.kept))
	}
	if text := strings.TrimSpace(strings.Join(messages, "\n")); text != "" {
		return text
	}
	return "the process of the run ended: " + err.Error()
}
