package algorithm

import (
	"errors"
	"iter"

	"starling/actors/algorithm/batch"
	"starling/actors/topology"
	"starling/messages"
)

// mostWaiting is how many participants of a stepper can wait at once: then they are answered
// before others are stepped. It bounds the memory of coroutines, and the size of a batch.
const mostWaiting = 4096

// errAbandoned is the error of a participant that waits when the run ends.
var errAbandoned = errors.New("the run ended before the answer")

// Ended is called with the results of Stepper.Step when a node's turn has ended.
type Ended func(node messages.NodeID, stopped bool, failure *Failure)

// Lanes gives turns to the machines of a stepper's nodes, and has nodes wait at a desk, so that
// the questions of many in one turn are answered together; see package batch. Machines need not
// know: they call Turn.Consult, or an oracle that takes many questions, which returns with the
// answer. A runtime calls Step in place of the stepper's, and Answer when it has stepped all
// nodes. It is not safe for concurrent use.
//
// Each node is stepped in a coroutine of its own, a lane, on the runtime's goroutine: nothing
// runs at the same time, and no lock is needed. A node that asks nothing is done when Step
// returns. Waiting nodes are answered in their order, desk by desk, and go on in that order,
// until none waits. The moves of a node depend on its own turn only, so the bits are the same as
// with steps one after the other.
type Lanes struct {
	stepper  *Stepper
	ended    Ended
	together bool
	free     []*lane
	waiting  []*lane // in the order of their nodes
	all      []*lane
	// nodes and questions are the current desk's.
	nodes     []messages.NodeID
	questions []any
}

// NewLanes returns the lanes of a stepper of the run. Close ends their coroutines. Where nodes
// do not wait for each other there are none, and Step is the stepper's.
func NewLanes(run *Run, stepper *Stepper, ended Ended) *Lanes {
	return &Lanes{stepper: stepper, ended: ended, together: run.Together()}
}

// lane is a coroutine that steps one participant after the other.
type lane struct {
	stepper Stepper // the stepper's fork
	next    func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
	closed  bool
	// The turn to give.
	machine Machine
	view    topology.View
	inbox   []messages.Envelope
	blocks  func() *messages.Blocks
	outbox  *messages.Outbox
	// The outcome.
	stopped bool
	failure *Failure
	// The desk and question that it waits for, and the error of the answer; at is nil where it
	// does not wait.
	at       batch.Desk
	question any
	err      error
}

// Step is Stepper.Step, or Stepper.StepFolder where blocks is not nil, of the turn begun. It
// calls Ended at the end of the turn, now or in a later call. The inbox is copied. Nodes come
// in ascending order.
func (l *Lanes) Step(m Machine, view topology.View, inbox []messages.Envelope, blocks func() *messages.Blocks, outbox *messages.Outbox) {
	if !l.together {
		stopped, failure := step(l.stepper, m, view, inbox, blocks, outbox)
		l.ended(view.Self(), stopped, failure)
		return
	}
	if len(l.waiting) == mostWaiting {
		l.Answer()
	}
	var w *lane
	if last := len(l.free) - 1; last >= 0 {
		w, l.free = l.free[last], l.free[:last]
	} else {
		w = &lane{}
		w.next, w.stop = iter.Pull(w.run)
		l.all = append(l.all, w)
	}
	w.machine, w.view, w.blocks, w.outbox = m, view, blocks, outbox
	w.inbox = append(w.inbox[:0], inbox...)
	w.stepper.Fork(l.stepper, w.wait)
	if w.next(); w.at != nil {
		l.waiting = append(l.waiting, w)
		return
	}
	l.end(w)
}

// step is the stepper's.
func step(s *Stepper, m Machine, view topology.View, inbox []messages.Envelope, blocks func() *messages.Blocks, outbox *messages.Outbox) (stopped bool, failure *Failure) {
	if blocks != nil {
		return s.StepFolder(m.(Folder), view, blocks, outbox)
	}
	return s.Step(m, view, inbox, outbox)
}

// end calls Ended for a turn.
func (l *Lanes) end(w *lane) {
	l.stepper.Join(&w.stepper)
	l.free = append(l.free, w)
	l.ended(w.view.Self(), w.stopped, w.failure)
}

// Answer answers the waiting participants, until none waits.
func (l *Lanes) Answer() {
	for len(l.waiting) > 0 {
		for at := range l.waiting {
			l.ask(l.waiting[at:])
		}
		still := l.waiting[:0]
		for _, w := range l.waiting {
			w.at = nil
			if w.next(); w.at != nil {
				still = append(still, w)
				continue
			}
			l.end(w)
		}
		l.waiting = still
	}
}

// ask puts the questions of all that wait at the same desk as the first of the waiting, unless
// they have been put.
func (l *Lanes) ask(waiting []*lane) {
	at := waiting[0].at
	if waiting[0].question == nil {
		return
	}
	l.nodes, l.questions = l.nodes[:0], l.questions[:0]
	for _, w := range waiting {
		if w.at == at {
			l.nodes, l.questions = append(l.nodes, w.view.Self()), append(l.questions, w.question)
			w.question = nil
		}
	}
	err := answer(at, l.stepper.Now(), l.nodes, l.questions)
	for _, w := range waiting {
		if w.at == at {
			w.err = err
		}
	}
}

// answer turns a panic of a desk into an error for the participants that have asked.
func answer(at batch.Desk, step int, nodes []messages.NodeID, questions []any) (err error) {
	defer func() {
		if p := Recovered(recover()); p != nil {
			err = p
		}
	}()
	return at.Answer(step, nodes, questions)
}

// Close ends the coroutines. The lanes must not be used after it.
func (l *Lanes) Close() {
	for _, w := range l.all {
		w.closed = true
		w.stop()
	}
	l.all, l.free, l.waiting = nil, nil, nil
}

// run gives turns, one whenever it is resumed.
func (w *lane) run(yield func(struct{}) bool) {
	w.yield = yield
	for !w.closed {
		w.stopped, w.failure = step(&w.stepper, w.machine, w.view, w.inbox, w.blocks, w.outbox)
		if w.closed || !yield(struct{}{}) {
			return
		}
	}
}

// wait implements Turn.Consult in a lane.
func (w *lane) wait(at batch.Desk, question any) error {
	w.at, w.question = at, question
	if w.closed || !w.yield(struct{}{}) {
		w.closed = true
		return errAbandoned
	}
	return w.err
}
