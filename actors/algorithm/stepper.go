package algorithm

import (
	"errors"
	"fmt"

	"starling/actors/algorithm/batch"
	"starling/actors/algorithm/inbox"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/messages/compression"
)

// Meter stands beside the machines: it sees their actions, and they never see it. Its methods
// are called concurrently for different nodes, and for one node in the order of its steps.
type Meter interface {
	// Played gets a node's decision, len d, valid only during the call.
	Played(node messages.NodeID, step int, x []float64)
	// Spent charges a loss to a node; an error refuses the release.
	Spent(node messages.NodeID, step int, loss accountant.Loss) error
	// Recorded gets a quantity that a node's machine records in a step.
	Recorded(node messages.NodeID, step int, quantity string, value float64)
	// Stopped reports that a node ends its part.
	Stopped(node messages.NodeID, step int, reason string)
	// Sent adds messages and payload bytes that a step sent over wires, self-loops left out.
	Sent(step int, messages, bytes int64)
}

// ExposureMeter is a Meter that gets the exposures of payloads.
type ExposureMeter interface {
	Meter
	// Exposed reports that a node sends another one a payload with a mark in a step, whether
	// or not the message arrives. Of the receivers of a broadcast it gets the first and the
	// last, unless it is a ReceiverMeter. It is called as Spent is, for one node in order: the
	// charge for a release comes before the release. The mark is valid only during the call.
	Exposed(from, to messages.NodeID, step int, mark *Mark)
}

// ReceiverMeter is an ExposureMeter that can treat the receivers of a broadcast differently.
type ReceiverMeter interface {
	ExposureMeter
	// EachReceiver reports whether Exposed is to be called for each receiver, for payloads
	// that are not public. The answer does not change in a run.
	EachReceiver() bool
}

// SenderMeter is a Meter that can count the messages of each sender.
type SenderMeter interface {
	Meter
	// EachSender reports whether Recorded is to get the quantity QuantityMessages of every
	// sender. The answer does not change in a run.
	EachSender() bool
}

// QuantityMessages is the number of messages to other nodes that a node has just sent. The
// runtime records it for a meter that is a SenderMeter and wants each sender.
const QuantityMessages = "messages.of-sender"

// EachSender reports whether a meter is a SenderMeter that wants each sender.
func EachSender(m Meter) bool {
	each, ok := m.(SenderMeter)
	return ok && each.EachSender()
}

// EachReceiver reports whether a meter is a ReceiverMeter that wants each receiver.
func EachReceiver(m Meter) bool {
	each, ok := m.(ReceiverMeter)
	return ok && each.EachReceiver()
}

// Run is the description of a run for a runtime: everything but the order of calls. It is read
// only once the run has started.
type Run struct {
	Seed      uint64
	FirstStep int // the paper's index of the first step, 0 or 1
	Steps     int // the horizon
	// FirstLabel is the paper's number of participant 0.
	FirstLabel int
	Graphs     topology.Sequence
	Machines   []Machine
	Costs      Costs // nil for algorithms without an oracle
	Meter      Meter
	// Hops is H(t), the number of exchanges in the step with offset 0, 1, ..
	// from the first; nil is one in every step.
	Hops func(offset int) int
	// Acts returns the nodes that have a turn in a hop of the step with that offset: first ..
	// end-1; nil is all. It is part of the schedule, known to all nodes. A message to a node
	// that has no turn in the next hop is an error, because it would not be read.
	Acts func(offset, hop int) (first, end messages.NodeID)
	// Beside names for each node another one, which it belongs beside because it works on its
	// data. A node named by another belongs beside itself. nil is itself for all. A runtime
	// keeps such nodes in one part.
	Beside func(node messages.NodeID) messages.NodeID
	// Stands returns, for a node and a step, the participant that the node draws random numbers for
	// there: a node can stand for several in turn, where these are too many to have a machine
	// each. The result is a node's number or beyond them all; nil is the node itself.
	Stands func(node messages.NodeID, step int) messages.NodeID
	// Decisions checks the decisions of participants; nil allows any decisions, and none.
	Decisions *Space
	// Gathers means that machines consult desks, and wait there for each other; see Together.
	Gathers bool
	// Through, unless nil, stands before desks, so that several runs can ask them together.
	Through func(batch.Desk) batch.Desk
	// Released, unless nil, gets each release of a node by Turn.Release, ReleaseTo,
	// ReleaseEach or Made, with its noise and before it is encoded, and may change the
	// entries: the node goes on from these. It is for audits.
	Released func(node messages.NodeID, entries []float64)
	// Network is the effects of a network on messages and nodes; nil is none: every message
	// arrives in the next turn, and every node is up.
	Network Network
	// Wire is the encoding of vectors on wires; nil leaves them as they are.
	Wire *Encoding
	// Adversaries are participants that lie; nil is none.
	Adversaries *Adversaries
	// Resume is the state to go on from; nil is the beginning.
	Resume *State
	Pauses Pauses

	initial [][]byte // states of a resumed run's machines before it was resumed
}

// Validate refuses a run of parts that do not fit together.
func (r *Run) Validate() error {
	if n := len(r.Machines); r.Graphs.Nodes() != n {
		return fmt.Errorf("%d machines on graphs of %d nodes", n, r.Graphs.Nodes())
	}
	if err := errors.Join(r.validateBeside(), r.validateAdversaries()); err != nil {
		return err
	}
	return r.validateNetwork()
}

// validateBeside refuses a node that belongs beside a missing node, or beside one that itself
// belongs beside another.
func (r *Run) validateBeside() error {
	if r.Beside == nil {
		return nil
	}
	n := messages.NodeID(len(r.Machines))
	for node := range n {
		if at := r.Beside(node); at < 0 || at >= n || r.Beside(at) != at {
			return fmt.Errorf("node %d belongs beside node %d, which is none or belongs beside another", r.Label(node), r.Label(at))
		}
	}
	return nil
}

// Together reports whether participants of a turn wait for each other at desks; see Lanes.
func (r *Run) Together() bool {
	_, many := r.Costs.(batch.Costs)
	return many || r.Gathers
}

// Label is the paper's number of a participant, which all output carries.
func (r *Run) Label(node messages.NodeID) int { return int(node) + r.FirstLabel }

// Failure says where in a run a machine failed.
type Failure struct {
	Turn      int // from 0, for ordering
	Step, Hop int
	Node      messages.NodeID
	Label     int // the paper's number of the node
	Cause     error
	Stack     []byte // of a panic, else nil
}

// Error implements error.
func (f *Failure) Error() string {
	return fmt.Sprintf("step %d, node %d: %v", f.Step, f.Label, f.Cause)
}

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// Fault reports whether the failure is a fault of the program, a panic, and not a result of
// the run's numbers.
func (f *Failure) Fault() bool { return len(f.Stack) > 0 }

// Before orders failures by turn, then node: the order in which the
// sequential runtime meets them.
func (f *Failure) Before(other *Failure) bool {
	if f.Turn != other.Turn {
		return f.Turn < other.Turn
	}
	return f.Node < other.Node
}

// Stepper gives turns to the machines of some nodes, one after the other. It is not safe for
// concurrent use; each part of a runtime that steps machines has a stepper of its own.
type Stepper struct {
	run      *Run
	costs    Costs
	meter    Meter
	seed     uint64
	stream   rng.Stream
	keyed    rng.Purpose // of key
	key      rng.Key     // of the stream that was opened last
	scratch  []float64
	encoding compression.Work
	vectors  vectorRing
	lent     vectorRing // vectors of entries that are not the runtime's
	plain    int        // nodes that have sent plainly in the turn begun
	turn     Turn
	index    int   // of the turn begun
	offset   int32 // of its step, from 1
	next     Range // the nodes that act in the turn after
	nodes    messages.Nodes
	played   []int32 // by index: the offset of the last step a node has played in
	tally    tally   // of the turn of a node
	mark     Mark    // of the payload that is being sent
	made     made    // the last release of a node

	messages, bytes int64 // sent since the last Flush

	exposure   ExposureMeter // nil where the meter is none
	each       bool          // the meter gets each receiver
	senders    bool          // the meter counts the messages of each sender
	attendance *Attendance   // nil without a network
	watcher    NetworkMeter  // nil without a network
	fates      Fates         // of the messages sent since the last Flush
	initial    [][]byte      // by index: the states to restart in, nil if none does
	limits     Limited       // nil without limited bandwidth
	passage    passage       // of Route
	inbox      []messages.Envelope
	envelopes  []messages.Envelope // working memory of Turn.received
	hears      inbox.Received      // the messages of Turn.Receive, which works in hearing
	hearing    inbox.Work
	cohorts    *cohorts // nil where there are none
	// wait has the node wait for an answer; nil where it is answered at once.
	wait func(batch.Desk, any) error
	many *batch.Oracle // nil where costs are not asked for many nodes at once
}

// NewStepper returns the stepper of some nodes. A vector handed out by Turn.Vector is
// reused after lifetime turns.
func NewStepper(run *Run, nodes messages.Nodes, lifetime int) *Stepper {
	s := &Stepper{
		run:     run,
		costs:   run.Costs,
		many:    batch.NewOracle(run.Costs),
		meter:   run.Meter,
		seed:    run.Seed,
		vectors: vectorRing{Memory: NewMemory(nodes, lifetime)},
		lent:    vectorRing{Memory: NewMemory(nodes, lifetime)},
		played:  make([]int32, nodes.Len()),
		nodes:   nodes,
		cohorts: newCohorts(run, nodes),
		hears:   inbox.Received{Label: run.Label},
	}
	s.exposure, _ = run.Meter.(ExposureMeter)
	s.each, s.senders = EachReceiver(run.Meter), EachSender(run.Meter)
	if run.Network != nil {
		s.attendance = run.Attendance()
		s.limits = run.limited()
		s.watcher, _ = run.Meter.(NetworkMeter)
		if run.Resume == nil {
			s.initial = run.initialStates(&nodes)
		} else if run.initial != nil {
			s.initial = make([][]byte, nodes.Len())
			for i, node := range nodes.All() {
				s.initial[i] = run.initial[node]
			}
		}
	}
	return s
}

// Begin starts the clock's turn for all of the stepper's nodes.
func (s *Stepper) Begin(clock *Clock) {
	s.turn = Turn{Step: clock.Step, Hop: clock.Hop, stepper: s}
	s.index = clock.Turn
	s.offset = int32(clock.Offset) + 1
	s.next.First, s.next.End = clock.Following()
	s.vectors.Begin(clock.Turn)
	s.lent.Begin(clock.Turn)
	s.plain = 0
	if s.attendance != nil {
		s.attendance.Begin(clock.Turn)
	}
}

// Follows sets the graph of the turn before; there is none before the first. It comes after
// Begin.
func (s *Stepper) Follows(graph *topology.Graph) { s.turn.before = graph }

// Share has the nodes take their vectors from memory that holds the vectors of more nodes than
// the stepper's. It comes before the first turn.
func (s *Stepper) Share(memory *Memory) { s.vectors.Memory = memory }

// Stays declares that the messages of the turn begun are read by the stepper's nodes alone,
// and in the next turn: their memory is free after that. The stepper's memory is its own.
// Stays comes after Begin.
func (s *Stepper) Stays() {
	s.vectors.Stays()
	s.lent.Stays()
}

// Plain reports whether in the turn begun all of the stepper's nodes have broadcast one
// vector, of one length, and have sent nothing else.
func (s *Stepper) Plain() bool { return s.plain == len(s.played) }

// Hear has the machines of the turn begun, all of them summers, hear the messages of the turn
// before without an inbox. It is for a runtime that knows that all senders to them share
// memory with the stepper and sent plainly, in an ideal network. It comes after Follows.
func (s *Stepper) Hear() { s.turn.heard = s.vectors.Before }

// Attendance is the attendance of nodes around the turn begun; nil without a network.
func (s *Stepper) Attendance() *Attendance { return s.attendance }

// Restart puts the machine of a node that lost its state back into its initial state, before
// any machine is stepped in the turn begun.
func (s *Stepper) Restart(m Machine, node messages.NodeID) *Failure {
	if s.initial == nil || !s.run.Network.Restarts(node, s.index) {
		return nil
	}
	s.turn.node = node
	if err := messages.Read(s.initial[s.nodes.Below(node)], m); err != nil {
		return s.failure(fmt.Errorf("restart: %w", err))
	}
	return nil
}

// Step steps the machine of the view's node in the turn begun. The outbox must be empty and is
// sealed on return. stopped is true if the machine ended its part.
func (s *Stepper) Step(m Machine, view topology.View, inbox []messages.Envelope, outbox *messages.Outbox) (stopped bool, failure *Failure) {
	return s.step(m, view, inbox, nil, outbox)
}

// StepFolder is Step for a machine that gets blocks in place of an inbox. It
// calls blocks for them as part of the machine's turn: a panic in the machine's
// Fold is a failure of the machine.
func (s *Stepper) StepFolder(m Folder, view topology.View, blocks func() *messages.Blocks, outbox *messages.Outbox) (stopped bool, failure *Failure) {
	return s.step(m, view, nil, blocks, outbox)
}

func (s *Stepper) step(m Machine, view topology.View, inbox []messages.Envelope, blocks func() *messages.Blocks, outbox *messages.Outbox) (stopped bool, failure *Failure) {
	t := &s.turn
	t.View, t.Inbox, t.Blocks, t.outbox, t.node = view, inbox, nil, outbox, view.Self()
	t.taken, t.stopped = false, false
	s.tally.Begin()
	t.last = &s.played[s.nodes.Below(t.node)]
	t.played = *t.last == s.offset
	if err := s.guarded(m, t, blocks); err != nil {
		return false, s.failure(err)
	}
	switch {
	case t.played:
		*t.last = s.offset
	case !t.stopped && s.misses(t.node):
		return false, s.failure(errNeverPlayed)
	}
	outbox.Seal()
	if s.vectors.Plain(t.node, outbox) {
		s.plain++
	}
	if s.watcher != nil && s.limits == nil { // with limited bandwidth Route does
		s.attendance.Fates(&s.fates, view.Out(), t.node, outbox)
	}
	return t.stopped, nil
}

func (s *Stepper) failure(cause error) *Failure {
	t := &s.turn
	f := &Failure{Turn: s.index, Step: t.Step, Hop: t.Hop, Node: t.node, Label: s.run.Label(t.node), Cause: cause}
	if p, ok := cause.(*Panic); ok {
		f.Stack = p.Stack
	}
	return f
}

func (s *Stepper) guarded(m Machine, t *Turn, blocks func() *messages.Blocks) (err error) {
	defer func() {
		if p := Recovered(recover()); p != nil {
			err = p
		}
	}()
	if blocks != nil {
		t.Blocks = blocks()
	}
	if err := s.run.Adversaries.Deceive(t.node, t.Inbox, s.run.Label); err != nil {
		return err
	}
	return m.Step(t)
}

func (s *Stepper) count(receivers, size int) {
	s.messages += int64(receivers)
	s.bytes += int64(receivers) * int64(size)
}

// Now is the paper's index of the step of the turn begun.
func (s *Stepper) Now() int { return s.turn.Step }

// Fork makes s a copy of another for a turn of one of its nodes. The node waits for answers by
// wait while others have their turns. Working memory stays its own.
func (s *Stepper) Fork(of *Stepper, wait func(batch.Desk, any) error) {
	scratch, tally, envelopes, work := s.scratch, s.tally, s.envelopes, s.hearing
	*s = *of
	s.scratch, s.tally, s.envelopes, s.hearing = scratch, tally, envelopes, work
	s.turn.stepper, s.wait = s, wait
	s.messages, s.bytes, s.plain, s.fates = 0, 0, 0, Fates{}
}

// Join takes up the counts and vectors of a fork, once its turn has ended.
func (s *Stepper) Join(fork *Stepper) {
	s.messages, s.bytes, s.plain, s.made = s.messages+fork.messages, s.bytes+fork.bytes, s.plain+fork.plain, fork.made
	s.fates.Add(fork.fates)
	s.vectors.Join(&fork.vectors)
	s.lent.Join(&fork.lent)
}

// Flush hands the counts of the messages of the turn begun to the meter, once the nodes have
// all been stepped.
func (s *Stepper) Flush() {
	if s.messages != 0 {
		s.meter.Sent(s.turn.Step, s.messages, s.bytes)
	}
	s.messages, s.bytes = 0, 0
	if s.fates != (Fates{}) {
		s.watcher.Fates(s.turn.Step, s.fates)
		s.fates = Fates{}
	}
}
