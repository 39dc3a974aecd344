// Package lockstep is the sequential runtime: a plain loop over turns and nodes. It is
// the reference that the actor runtime must match bit for bit, and the quickest to debug
// in. It runs on the caller's goroutine and starts none.
//
//	for each turn of the clock
//	    save the state, if the run pauses here
//	    queue the messages of the turn before, if bandwidth is limited         route
//	    for each node, in order
//	        restart it, if it lost its state                                   Stepper.Restart
//	        skip it, if it has stopped, is down, or does not act in this hop
//	        collect the messages to it, or fold them                           receive, fold
//	        step its machine                                                   Lanes.Step
//	    answer nodes that wait for each other's questions                      Lanes.Answer
//
// Both runtimes share the rules of delivery (package network) and of a step
// (algorithm.Stepper). This package adds order and memory only, and so a new rule needs to be
// written once.
//
// Watch shows the turns of chosen nodes to a caller, with their inboxes and outboxes.
package lockstep

import (
	"context"
	"errors"

	"starling/actors/algorithm"
	"starling/actors/network"
	"starling/actors/topology"
	"starling/messages"
)

// lifetime is how many turns a sent vector must stay unchanged: its own, the
// next, in which it is read, and those by which a message can be late.
func lifetime(run *algorithm.Run) int { return 2 + run.Reach() }

// Run steps every machine of run through every turn, in the order of the nodes, and returns
// when the horizon is reached, a machine fails (an *algorithm.Failure), a step has no graph
// (see topology.Failing) or ctx is done.
func Run(ctx context.Context, run *algorithm.Run) error { return Watch(ctx, run, nil) }

// Watch is Run, and shows every turn of the nodes that w follows to w, unless w is nil.
func Watch(ctx context.Context, run *algorithm.Run, w *Watcher) error {
	if len(run.Machines) == 0 || run.Steps <= 0 {
		return nil
	}
	if err := run.Validate(); err != nil {
		return err
	}
	// Errors of ctx and of saving end the loop between turns; the machines are then in
	// the state of the last whole turn.
	l, err := newLoop(run)
	if err != nil {
		return err
	}
	l.watcher = w
	defer l.lanes.Close()
	clock := run.Clock()
	for ; !clock.Done(); clock.Next() {
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
	l.route(clock.Turn)
	return nil
}

// loop is the state between turns.
type loop struct {
	run *algorithm.Run
	// reach is by how many turns a message can be late.
	reach int
	// stepper gives machines their turns and keeps their vectors.
	stepper *algorithm.Stepper
	// outboxes holds messages, by turn modulo the lifetime, then by node. A row is used again
	// when none of its messages can still arrive.
	outboxes [][]messages.Outbox
	// stopped holds by node whether its machine has ended its part.
	stopped []bool
	// inbox is working memory of every node in turn.
	inbox []messages.Envelope
	// blocks has the sums of folders.
	blocks map[messages.NodeID]*messages.Blocks
	// graph is the graph of the epoch last seen: graphs are built anew only when the epoch
	// changes.
	graph *topology.Graph
	epoch int
	// lastGraph is the graph of the last turn: the messages of that turn go along its edges.
	lastGraph *topology.Graph
	// graphs has the graphs of earlier turns, by turn modulo the lifetime.
	graphs []*topology.Graph
	// queues holds the messages in line before each node; nil without limited bandwidth.
	queues []algorithm.Queue
	// watcher is nil unless Watch was called with one.
	watcher *Watcher
	// lanes step nodes, some of which may wait for each other. now is the turn in progress,
	// and failure the error of the first node, by number, that has failed in it.
	lanes   *algorithm.Lanes
	now     *algorithm.Clock
	failure error
}

// newLoop returns the loop before its first turn. It returns the error of a graph.
func newLoop(run *algorithm.Run) (*loop, error) {
	n, turns := len(run.Machines), lifetime(run)
	l := &loop{
		run:      run,
		reach:    run.Reach(),
		stepper:  algorithm.NewStepper(run, messages.Range(0, n), turns),
		outboxes: make([][]messages.Outbox, turns),
		graphs:   make([]*topology.Graph, turns),
		stopped:  make([]bool, n),
		epoch:    -1,
		blocks:   map[messages.NodeID]*messages.Blocks{},
		queues:   run.Queues(),
	}
	for i := range l.outboxes {
		l.outboxes[i] = make([]messages.Outbox, n)
	}
	l.lanes = algorithm.NewLanes(run, l.stepper, l.ended)
	if s := run.Resume; s != nil {
		return l, l.resume(s)
	}
	return l, nil
}

// resume puts back the messages of earlier turns.
func (l *loop) resume(s *algorithm.State) (err error) {
	clock := l.run.Clock()
	copy(l.stopped, s.Stopped)
	for k := len(s.Earlier) - 1; k >= 0; k-- {
		sent := clock.Turn - 2 - k
		copy(l.sent(sent), s.Earlier[k].Outboxes)
		if l.graphs[sent%len(l.graphs)], err = l.graphAt(l.stepper.Attendance().Offset(sent)); err != nil {
			return err
		}
	}
	copy(l.sent(clock.Turn-1), s.Sent)
	l.lastGraph, err = l.graphAt(s.Offset - 1)
	l.graphs[(clock.Turn-1)%len(l.graphs)] = l.lastGraph
	return err
}

// state is the state of the run before the clock's turn.
func (l *loop) state(clock *algorithm.Clock) *algorithm.State {
	s := &algorithm.State{Offset: clock.Offset, Stopped: l.stopped, Sent: l.sent(clock.Turn - 1), Queues: l.queues}
	for sent := clock.Turn - 2; sent >= max(0, clock.Turn-1-l.reach); sent-- {
		s.Earlier = append(s.Earlier, algorithm.Sending{Graph: l.graphs[sent%len(l.graphs)], Outboxes: l.sent(sent)})
	}
	return s
}

// sent holds the outboxes of a turn.
func (l *loop) sent(turn int) []messages.Outbox { return l.outboxes[turn%len(l.outboxes)] }

// route puts the messages of the turn before into the queues, if there are any.
func (l *loop) route(turn int) {
	if l.queues == nil || turn == 0 {
		return
	}
	l.stepper.Route(turn-1, l.queues, func(dst []messages.Envelope, node messages.NodeID) []messages.Envelope {
		return network.Inbox(dst, l.lastGraph, node, turn-1, l.sent(turn-1))
	})
}

// turn gives every node its turn, in the order of the nodes. The first failure by node is
// returned at once: the engine reports the same failure, although other nodes have gone on
// there.
func (l *loop) turn(clock *algorithm.Clock) error {
	l.route(clock.Turn)
	graph, err := l.graphAt(clock.Offset)
	if err != nil {
		return err
	}
	current := l.sent(clock.Turn)
	l.now = clock
	l.stepper.Begin(clock)
	l.stepper.Follows(l.lastGraph)
	first, end := clock.Acting()
	for i, machine := range l.run.Machines {
		node := messages.NodeID(i)
		current[i].Reset()
		if l.stopped[i] {
			continue
		}
		if failure := l.stepper.Restart(machine, node); failure != nil {
			return failure
		}
		if node < first || node >= end || !l.up(node, clock.Turn) {
			continue
		}
		if l.step(machine, graph.View(node), &current[i]); l.failure != nil {
			break
		}
	}
	if l.lanes.Answer(); l.failure != nil {
		return l.failure
	}
	l.stepper.Flush()
	l.lastGraph = graph
	l.graphs[clock.Turn%len(l.graphs)] = graph
	return nil
}

// up reports whether a node takes part in a turn.
func (l *loop) up(node messages.NodeID, turn int) bool {
	return l.run.Network == nil || l.run.Network.Up(node, turn)
}

// step gives a node its turn, or begins it where nodes wait for each other.
func (l *loop) step(machine algorithm.Machine, view topology.View, outbox *messages.Outbox) {
	if folder, ok := machine.(algorithm.Folder); ok {
		blocks := func() *messages.Blocks { return l.fold(folder, view.Self(), l.now.Turn-1) }
		l.lanes.Step(machine, view, nil, blocks, outbox)
		return
	}
	l.inbox = l.receive(l.inbox[:0], view.Self(), l.now.Turn)
	l.lanes.Step(machine, view, l.inbox, nil, outbox)
}

// ended takes up the outcome of a node's turn. Nodes that wait for each other end their turns
// in any order, and the failure is the failure of the first by number: those before it have
// all had their turns.
func (l *loop) ended(node messages.NodeID, stopped bool, failure *algorithm.Failure) {
	if failure != nil {
		var first *algorithm.Failure
		if !errors.As(l.failure, &first) || failure.Before(first) {
			l.failure = failure
		}
		return
	}
	l.stopped[node] = stopped
	if w := l.watcher; w != nil && w.follows(node, l.now.Step) && l.failure == nil {
		l.failure = w.Visit(l.watched(l.now, node, l.run.Machines[node], &l.sent(l.now.Turn)[node]))
	}
}

// receive appends the inbox of a node to dst.
func (l *loop) receive(dst []messages.Envelope, node messages.NodeID, turn int) []messages.Envelope {
	if turn == 0 {
		return dst
	}
	if l.run.Network == nil {
		return network.Inbox(dst, l.lastGraph, node, turn-1, l.sent(turn-1))
	}
	if l.queues != nil {
		dst = l.queues[node].Receive(dst, turn)
		network.Order(dst)
		return dst
	}
	after := l.stepper.Attendance().Since(node)
	for sent := max(0, turn-1-l.reach); sent < turn; sent++ {
		dst = network.Due(dst, l.run.Network, l.graphs[sent%len(l.graphs)], node, sent, l.sent(sent), after, turn)
	}
	network.Order(dst)
	return dst
}

// fold returns the folded messages that a folder receives, sent in the turn `sent` or before;
// nil in the first turn.
func (l *loop) fold(folder algorithm.Folder, node messages.NodeID, sent int) *messages.Blocks {
	if sent < 0 {
		return nil
	}
	blocks := l.blocks[node]
	if blocks == nil {
		blocks = messages.NewBlocks(len(l.run.Machines), folder.FoldLength())
		l.blocks[node] = blocks
	}
	if l.run.Network != nil {
		l.inbox = l.receive(l.inbox[:0], node, sent+1)
		network.Fill(blocks, l.inbox, folder.Fold)
		return blocks
	}
	for b := range blocks.Len() {
		l.inbox = network.FillBlock(blocks, b, folder.Fold, 0, messages.NodeID(len(l.run.Machines)), l.lastGraph, node, sent, l.sent(sent), l.inbox)
	}
	return blocks
}

// graphAt returns the graph of a step, building it only when the epoch changes. It returns the
// error of the sequence.
func (l *loop) graphAt(offset int) (*topology.Graph, error) {
	if epoch := l.run.Graphs.Epoch(offset); epoch != l.epoch {
		graph, err := topology.GraphAt(l.run.Graphs, offset)
		if err != nil {
			return nil, err
		}
		l.epoch, l.graph = epoch, graph
	}
	return l.graph, nil
}
