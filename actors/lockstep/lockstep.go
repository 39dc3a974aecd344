// Package lockstep is the sequential runtime: a plain loop over turns and
// nodes. It is the reference that the actor runtime must match bit for bit,
// and the quickest to debug in. It runs on the caller's goroutine and starts
// none.
package lockstep

import (
	"context"

	"starling/actors/algorithm"
	"starling/actors/network"
	"starling/actors/topology"
	"starling/messages"
)

// lifetime is how many turns a sent vector must stay unchanged: its own and
// the next, in which it is read.
const lifetime = 2

// Run steps every machine of run through every turn, in the order of the
// nodes, and returns when the horizon is reached, a machine fails (an
// *algorithm.Failure) or ctx is done.
func Run(ctx context.Context, run *algorithm.Run) error { return Watch(ctx, run, nil) }

// Watch is Run, and shows every turn of one node to w, unless that is nil.
func Watch(ctx context.Context, run *algorithm.Run, w *Watcher) error {
	if len(run.Machines) == 0 || run.Steps <= 0 {
		return nil
	}
	if err := run.Validate(); err != nil {
		return err
	}
	l := newLoop(run)
	l.watcher = w
	for clock := run.Clock(); !clock.Done(); clock.Next() {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if clock.Pauses() {
			if err := run.Pauses.Save(l.state(&clock)); err != nil {
				return err
			}
		}
		if err := l.turn(&clock); err != nil {
			return err
		}
	}
	return nil
}

// loop is the state between turns.
type loop struct {
	run       *algorithm.Run
	stepper   *algorithm.Stepper
	outboxes  [2][]messages.Outbox // of this turn and the last, by parity
	stopped   []bool
	inbox     []messages.Envelope                  // reused by every node
	blocks    map[messages.NodeID]*messages.Blocks // of folders
	graph     *topology.Graph                      // of the epoch last seen
	epoch     int
	lastGraph *topology.Graph // of the last turn
	watcher   *Watcher
}

func newLoop(run *algorithm.Run) *loop {
	n := len(run.Machines)
	l := &loop{
		run:     run,
		stepper: algorithm.NewStepper(run, 0, n, lifetime),
		stopped: make([]bool, n),
		epoch:   -1,
		blocks:  map[messages.NodeID]*messages.Blocks{},
	}
	for i := range l.outboxes {
		l.outboxes[i] = make([]messages.Outbox, n)
	}
	if s := run.Resume; s != nil {
		clock := run.Clock()
		copy(l.stopped, s.Stopped)
		copy(l.outboxes[(clock.Turn+1)%2], s.Sent)
		l.lastGraph = l.graphAt(s.Offset - 1)
	}
	return l
}

// state is that of the run before the clock's turn.
func (l *loop) state(clock *algorithm.Clock) *algorithm.State {
	return &algorithm.State{Offset: clock.Offset, Stopped: l.stopped, Sent: l.outboxes[(clock.Turn+1)%2]}
}

func (l *loop) turn(clock *algorithm.Clock) error {
	graph := l.graphAt(clock.Offset)
	current, last := l.outboxes[clock.Turn%2], l.outboxes[(clock.Turn+1)%2]
	l.stepper.Begin(clock)
	first, end := clock.Acting()
	for i, machine := range l.run.Machines {
		current[i].Reset()
		if l.stopped[i] || messages.NodeID(i) < first || messages.NodeID(i) >= end {
			continue
		}
		view := graph.View(messages.NodeID(i))
		var stopped bool
		var failure *algorithm.Failure
		if folder, ok := machine.(algorithm.Folder); ok {
			stopped, failure = l.stepper.StepFolder(folder, view, func() *messages.Blocks {
				return l.fold(folder, view.Self(), clock.Turn-1, last)
			}, &current[i])
		} else {
			l.inbox = l.inbox[:0]
			if clock.Turn > 0 {
				l.inbox = network.Inbox(l.inbox, l.lastGraph, view.Self(), clock.Turn-1, last)
			}
			stopped, failure = l.stepper.Step(machine, view, l.inbox, &current[i])
		}
		if failure != nil {
			return failure
		}
		l.stopped[i] = stopped
		if w := l.watcher; w != nil && w.Node == view.Self() {
			if err := w.Visit(l.watched(clock, graph, current, last)); err != nil {
				return err
			}
		}
	}
	l.stepper.Flush()
	l.lastGraph = graph
	return nil
}

// fold returns what a folder was sent in the turn before, nil in the first.
func (l *loop) fold(folder algorithm.Folder, node messages.NodeID, sent int, outboxes []messages.Outbox) *messages.Blocks {
	if sent < 0 {
		return nil
	}
	blocks := l.blocks[node]
	if blocks == nil {
		blocks = messages.NewBlocks(len(l.run.Machines), folder.FoldLength())
		l.blocks[node] = blocks
	}
	for b := range blocks.Len() {
		l.inbox = network.FillBlock(blocks, b, folder.Fold, l.lastGraph, node, sent, outboxes, l.inbox)
	}
	return blocks
}

// graphAt returns the graph of a step, building it only when the epoch changes.
func (l *loop) graphAt(offset int) *topology.Graph {
	if epoch := l.run.Graphs.Epoch(offset); epoch != l.epoch {
		l.epoch, l.graph = epoch, l.run.Graphs.At(offset)
	}
	return l.graph
}
