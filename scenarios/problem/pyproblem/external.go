package pyproblem

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"starling/scenarios/problem/model/safetensors"
)

// Options are the options of a program.
type Options struct {
	// Path is the path of the user's file, for messages, and for imports from its folder.
	// Source is its text, UTF-8.
	Path   string
	Source []byte
	// Adapter is the text of a Python module with a function adapt that wraps every object
	// that is made: the methods of the wrapper are called in place of the object's. nil means
	// none. An exception of the user's code has the attribute "where" if the adapter knows
	// more of it.
	Adapter []byte
	// Timeout is the longest time of a call, and of loading the file; 0 means DefaultTimeout.
	Timeout time.Duration
	// Threads is the number of threads of a child's linear algebra; 0 means 1.
	Threads int
	// Pipes: all numbers go through pipes, as on systems without shared memory.
	Pipes bool
	// Twice: every call is made twice, and fails if the bits of the answers differ.
	Twice bool
	// Showing: nothing is started, and every call fails with ErrShowing.
	Showing bool
	// Context is the context of all calls. Once it is done, a call in progress has to end
	// within Grace, or its child is ended; every call after that fails. Both errors are
	// context.Canceled. nil means no context.
	Context context.Context
	// Log gets the standard error and standard output of children, by lines with a prefix,
	// from several goroutines; nil is the standard error of this process.
	Log io.Writer
}

// ErrShowing is the error of a call where results are only shown.
var ErrShowing = errors.New("looking at results runs no code that they name")

// DefaultTimeout is the longest time of a call where Options have none.
const DefaultTimeout = 5 * time.Minute

// Grace is the time for a call in progress to end after its context is done.
const Grace = 2 * time.Second

// idleTime is the life of a child without an object.
const idleTime = 10 * time.Second

// Program is a file of the user's. It is safe for concurrent use. Nothing is started before
// the first call of an object.
type Program struct {
	options Options
	mu      sync.Mutex
	// idle are children that have loaded the file and serve no object.
	idle   []*process
	timer  *time.Timer // ends them
	next   int         // number of objects made
	closed bool
}

// New returns a program.
func New(o Options) *Program {
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Context == nil {
		o.Context = context.Background()
	}
	return &Program{options: o}
}

// Close ends the children that serve no object. The others end with their objects.
func (p *Program) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.endIdle()
}

// endIdle ends the idle children. The lock is held.
func (p *Program) endIdle() {
	for _, child := range p.idle {
		child.end()
	}
	p.idle = nil
}

// start starts a child, without the user's file.
func (p *Program) start() (*process, error) { return startProcess(&p.options) }

// take returns a child that has loaded the file.
func (p *Program) take() (*process, error) {
	p.mu.Lock()
	if last := len(p.idle) - 1; last >= 0 {
		defer p.mu.Unlock()
		child := p.idle[last]
		p.idle = p.idle[:last]
		return child, nil
	}
	p.mu.Unlock()
	if p.options.Showing {
		return nil, ErrShowing
	}
	if !utf8.Valid(p.options.Source) {
		return nil, fmt.Errorf("%s is not UTF-8", p.options.Path)
	}
	child, err := p.start()
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(p.options.Path)
	if err == nil {
		_, err = p.request(child, "loading "+p.options.Path, &safetensors.File{Metadata: map[string]string{
			"do": "load", "path": path, "source": string(p.options.Source), "adapter": string(p.options.Adapter),
		}})
	}
	if err != nil {
		child.kill()
		return nil, err
	}
	return child, nil
}

// give takes a child back.
func (p *Program) give(child *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		child.end()
		return
	}
	p.idle = append(p.idle, child)
	if p.timer != nil {
		p.timer.Stop()
	}
	p.timer = time.AfterFunc(idleTime, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.endIdle()
	})
}

// Error is the error of a call.
type Error struct {
	// What is the name of the call.
	What string
	// Cause is one sentence, and the last lines of the child's standard error if it has ended.
	Cause error
	// Traceback is the traceback of an exception of the user's code, else empty.
	Traceback string
	lost      bool // the child is gone
}

// Error implements error.
func (e *Error) Error() string {
	if e.Traceback != "" {
		return fmt.Sprintf("%s: %v\n%s", e.What, e.Cause, e.Traceback)
	}
	return fmt.Sprintf("%s: %v", e.What, e.Cause)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// request sends a request to a child and returns the reply. The error is an *Error.
func (p *Program) request(child *process, what string, request *safetensors.File) (*safetensors.File, error) {
	return p.requestInto(child, what, request, nil)
}

// requestInto is request with memory for the numbers of the reply, which into returns.
func (p *Program) requestInto(child *process, what string, request *safetensors.File, into func(name string, count int) []float64) (*safetensors.File, error) {
	if p.options.Context.Err() != nil {
		return nil, &Error{What: what, Cause: fmt.Errorf("nobody waits for it any more: %w", context.Canceled)}
	}
	reply, err := child.ask(p.options.Timeout, request, into)
	if err != nil {
		var unsent *requestError
		return nil, &Error{What: what, Cause: err, lost: !errors.As(err, &unsent)}
	}
	if said := reply.Metadata; said["raised"] != "" {
		return nil, &Error{What: what, Cause: errors.New(said["raised"]), Traceback: said["traceback"]}
	} else if said["refused"] != "" {
		return nil, &Error{What: what, Cause: errors.New(said["refused"])}
	}
	return reply, nil
}

// Object is an object of a class of the user's file, in a child process. It is made by the
// first call. It is safe for concurrent use; calls come one after the other.
type Object struct{ held *held }

// held has the state of an object. It is apart from the object, so that an object without
// references gives its child back.
type held struct {
	program   *Program
	id, class string
	arguments map[string]any
	mu        sync.Mutex
	child     *process // nil before the first call and after the release
	shape     Description
	err       error // the error of a lost child
	released  bool
}

// Description lists the methods and attributes of an object of the class, without its adapter,
// with names that do not begin with an underscore.
type Description struct {
	// Methods are the names of methods.
	Methods []string
	// Attributes are numbers, texts, truth values, short lists of them, and dictionaries of
	// such values by texts.
	Attributes map[string]any
	// Versions are the versions of the child's Python and numpy.
	Versions Versions
}

// Object returns an object of a class, to be made with keyword arguments. Release gives its
// child back.
func (p *Program) Object(class string, arguments map[string]any) *Object {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	h := &held{program: p, id: strconv.Itoa(p.next), class: class, arguments: arguments}
	o := &Object{h}
	runtime.AddCleanup(o, func(h *held) { h.release() }, h)
	return o
}

// Release gives the object's child to other objects. There are no calls after it.
func (o *Object) Release() { o.held.release() }

// Lost reports whether the object's child is gone, or could not be started.
func (o *Object) Lost() bool {
	o.held.mu.Lock()
	defer o.held.mu.Unlock()
	return o.held.err != nil
}

func (h *held) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.released = true
	child := h.child
	if h.child = nil; child == nil || h.err != nil {
		return
	}
	_, err := h.program.request(child, "releasing "+h.class, &safetensors.File{Metadata: map[string]string{"do": "drop", "object": h.id}})
	if err != nil {
		child.kill()
		return
	}
	h.program.give(child)
}

// Describe makes the object, if it is not there yet, and returns its description.
func (o *Object) Describe() (Description, error) {
	o.held.mu.Lock()
	defer o.held.mu.Unlock()
	err := o.held.make()
	return o.held.shape, err
}

// make makes the object, if it is not there yet. The lock is held.
func (h *held) make() error {
	switch {
	case h.released:
		return fmt.Errorf("an object of %s is used after its release", h.class)
	case h.err != nil || h.child != nil:
		return h.err
	}
	arguments := []byte("{}")
	if len(h.arguments) > 0 {
		var err error
		if arguments, err = json.Marshal(h.arguments); err != nil {
			return err
		}
	}
	child, err := h.program.take()
	if err != nil {
		h.err = err
		return err
	}
	what := fmt.Sprintf("making a %s of %s", h.class, h.program.options.Path)
	reply, err := h.program.request(child, what, &safetensors.File{Metadata: map[string]string{
		"do": "make", "object": h.id, "class": h.class, "arguments": string(arguments),
	}})
	if err == nil {
		said := reply.Metadata
		err = errors.Join(json.Unmarshal([]byte(said["methods"]), &h.shape.Methods), json.Unmarshal([]byte(said["attributes"]), &h.shape.Attributes))
	}
	if err != nil {
		child.kill()
		h.err = err
		return err
	}
	h.child, h.shape.Versions = child, child.versions
	return nil
}

// Call is a call of a method.
type Call struct {
	// Method is its name.
	Method string
	// What names the call, for errors: "the gradient of nodes 1 to 3 at step 7".
	What string
	// Arrays are its arguments by name. An array without a shape is passed as a number. They
	// are read during the call only.
	Arrays []Array
	// Integers are the names of arguments that hold whole numbers. The method gets them as
	// int64.
	Integers []string
	// Shape, unless it is nil, is the shape of the one array that the method returns; -1 means
	// any length.
	Shape []int
	// Over names an argument. The method then gets a row for each pair of a row of the
	// other arguments and an entry of that one, where the entry varies faster. Its results, of
	// the shape Shape, are summed over the entries, from 0 and in their order.
	Over string
	// Into, unless it is nil, is the memory for the numbers of the one array that Shape is
	// for. Its length is the length of the array; for an array of another length the call
	// fails.
	Into []float64
	// At and By name arguments with an entry for each row of the answer. At has the row, from
	// 0, of the arguments of several dimensions that the method gets for it; it is no argument
	// of the method itself. The method is called once for each value of By, which it gets as a
	// number, with the rows of that value in their order.
	At, By string
}

// into returns the memory for the numbers of an array of the reply.
func (c *Call) into(_ string, count int) []float64 {
	if c.Into == nil || count != len(c.Into) {
		return nil
	}
	return c.Into
}

// Call makes a call and returns the results of the method: the entries of a dictionary,
// nothing for None, or an array with the name "result". They are the caller's. An error names
// the call that failed. After the child is lost, every call returns the same error.
func (o *Object) Call(c *Call) ([]Array, error) {
	h := o.held
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.make(); err != nil {
		return nil, err
	}
	arrays, err := h.call(c)
	if err == nil && h.program.options.Twice {
		second := *c
		second.Into = nil
		var again []Array
		if again, err = h.call(&second); err == nil {
			err = differ(c.What, arrays, again)
		}
	}
	return arrays, err
}

// call makes a call once.
func (h *held) call(c *Call) ([]Array, error) {
	texts := map[string]string{"do": "call", "object": h.id, "method": c.Method}
	if c.Shape != nil {
		shape, err := json.Marshal(c.Shape)
		if err != nil {
			return nil, err
		}
		texts["shape"] = string(shape)
	}
	if c.Over != "" {
		texts["over"] = c.Over
	}
	if c.By != "" {
		texts["at"], texts["by"] = c.At, c.By
	}
	reply, err := h.program.requestInto(h.child, c.What, &safetensors.File{Metadata: texts, Tensors: c.Arrays, Integers: c.Integers}, c.into)
	if err != nil {
		var failed *Error
		if errors.As(err, &failed) && failed.lost {
			h.err = err
		}
		return nil, err
	}
	if c.Into != nil && len(reply.Tensors) != 1 || c.Into != nil && len(reply.Tensors[0].Values) != len(c.Into) {
		return nil, &Error{What: c.What, Cause: errors.New("the answer has another length than its shape")}
	}
	return reply.Tensors, nil
}

// differ refuses two answers to one call that are not equal to the last bit. Two NaN are
// equal.
func differ(what string, first, second []Array) error {
	failed := func(format string, args ...any) error {
		return &Error{What: what, Cause: fmt.Errorf("two equal calls gave different results: "+format+"; it depends on more than its arguments, such as randomness or earlier calls", args...)}
	}
	if len(first) != len(second) {
		return failed("%d and %d arrays", len(first), len(second))
	}
	for i, a := range first {
		b := second[i]
		if a.Name != b.Name || fmt.Sprint(a.Shape) != fmt.Sprint(b.Shape) {
			return failed("%s of shape %v and %s of shape %v", a.Name, a.Shape, b.Name, b.Shape)
		}
		for k, x := range a.Values {
			if y := b.Values[k]; math.Float64bits(x) != math.Float64bits(y) {
				return failed("entry %d of %s is %v and %v", k, a.Name, x, y)
			}
		}
	}
	return nil
}
