package algorithm

import (
	"errors"
	"fmt"

	"starling/actors/algorithm/batch"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Turn is one move of one machine: all that it may see and do. It is valid only during the
// call of Step that receives it.
type Turn struct {
	// Step is the paper's time index; Hop numbers the exchanges within a
	// step from 0.
	Step, Hop int
	// View is the node's window on the graph of this turn.
	View topology.View
	// Inbox is complete for this turn and ordered by (From, Sent, Seq). It is
	// overwritten after the turn; the payloads must not be changed.
	Inbox []messages.Envelope
	// Blocks replaces Inbox, which is then empty, for a Folder; it is nil in
	// the first turn.
	Blocks *messages.Blocks

	before  *topology.Graph // of the turn before, nil in the first
	heard   *slab           // the messages of all senders in it, where they take the place of Inbox
	stepper *Stepper
	outbox  *messages.Outbox
	node    messages.NodeID
	played  bool
	last    *int32 // the stepper's offset of the last step that the node has played in
	taken   bool   // the turn's reusable vector is in use
	stopped bool
}

// Errors that mark a machine's breach of the protocol of a turn.
var (
	errPlayedTwice     = errors.New("played twice in one step")
	errOracleEarly     = errors.New("asked the oracle before playing the step's decision")
	errBroadcastTwice  = errors.New("broadcast twice in one turn")
	errNoOracle        = errors.New("this participant has no oracle")
	errPayloadMissing  = errors.New("sent a nil payload")
	errNotOutNeighbour = errors.New("no out-neighbour in this turn")
	errNotActing       = errors.New("has no turn in the next hop, and would not read it")
)

// Expected returns the senders to this node by the graph of the turn before, ascending, and
// their weights: the inbox would hold a message of each if all sent and no message were lost
// or late. Both are empty in the first turn, shared and read only.
func (t *Turn) Expected() (from []messages.NodeID, weights []float64) {
	if t.before == nil {
		return nil, nil
	}
	return t.before.In(t.node)
}

// Late reports whether a message was sent before the turn before this one.
func (t *Turn) Late(e *messages.Envelope) bool { return int(e.Sent) < t.stepper.index-1 }

// Play commits the decision x of this step, len d, which is copied. It must come before the
// oracle is asked and can come once a step. It returns an error for a decision that is not
// finite, has another length, or lies outside the set of Run.Decisions.
func (t *Turn) Play(x []float64) error {
	if t.played {
		return errPlayedTwice
	}
	if err := t.stepper.run.Decisions.Check(x); err != nil {
		return err
	}
	t.play(x)
	return nil
}

// PlayAgain is Play for a node that repeats its decision of the step before, if it played in
// that. x is the same decision: it was checked then and is not checked again.
func (t *Turn) PlayAgain(x []float64) error {
	s := t.stepper
	if before := s.offset - 1; t.played || before == 0 || *t.last != before {
		return t.Play(x)
	}
	t.play(x)
	return nil
}

func (t *Turn) play(x []float64) {
	t.played = true
	t.stepper.meter.Played(t.node, t.Step, x)
}

// Loss is the node's own loss of this step at x, once it has played.
func (t *Turn) Loss(x []float64) (float64, error) {
	if err := t.oracleReady(); err != nil {
		return 0, err
	}
	if many := t.stepper.many; many != nil {
		var loss [1]float64
		err := t.Consult(many.Losses, &batch.Point{X: x, Answer: loss[:]})
		return loss[0], err
	}
	return t.stepper.costs.Loss(t.node, t.Step, x), nil
}

// Gradient writes the gradient of the node's own loss of this step at x to
// dst, both len d, once it has played.
func (t *Turn) Gradient(dst, x []float64) error {
	if err := t.oracleReady(); err != nil {
		return err
	}
	if many := t.stepper.many; many != nil {
		return t.Consult(many.Gradients, &batch.Point{X: x, Answer: dst})
	}
	t.stepper.costs.Gradient(dst, t.node, t.Step, x)
	return nil
}

// Consult puts a question to a desk, and returns once it is answered: together with others if
// Run.Together is true.
func (t *Turn) Consult(at batch.Desk, question any) error {
	if through := t.stepper.run.Through; through != nil {
		at = through(at)
	}
	if wait := t.stepper.wait; wait != nil {
		return wait(at, question)
	}
	return batch.Now(at, t.Step, t.node, question)
}

// PlayAndDifferentiate plays x, writes the gradient of the node's own loss of this step at x
// to g, both len d, and holds the gradient to the bound. It returns the errors of Play and
// Gradient, an error for a gradient that no clipping brings to the bound, and one for a
// gradient beyond it where nothing is clipped.
func (t *Turn) PlayAndDifferentiate(g, x []float64, bound Bound) error {
	if err := t.Play(x); err != nil {
		return err
	}
	if err := t.Gradient(g, x); err != nil {
		return err
	}
	_, err := bound.Enforce(g)
	return err
}

func (t *Turn) oracleReady() error {
	if t.stepper.costs == nil {
		return errNoOracle
	}
	if !t.played {
		return errOracleEarly
	}
	return nil
}

// Rand returns the generator of (seed, purpose, node, step, hop, n) for the n-th call with
// this purpose in this turn, of the participant that the node stands for. Two releases of a turn never have the same noise: the noise would
// cancel in their difference. The generator is valid until the next call of Rand.
func (t *Turn) Rand(purpose rng.Purpose) *rng.Rand {
	s := t.stepper
	return s.stream.Open(s.streamKey(purpose.Again(s.tally.Draws(purpose))), t.drawer(), t.Step, t.Hop)
}

// drawer is the participant that the node draws random numbers for.
func (t *Turn) drawer() int {
	if stands := t.stepper.run.Stands; stands != nil {
		return int(stands(t.node, t.Step))
	}
	return int(t.node)
}

// Vector returns a vector of length d to fill and send in this turn, owned by
// the runtime, which reuses its memory once no receiver can read it any more.
// Its entries are arbitrary. The first call of a turn allocates nothing in
// steady state; further ones allocate.
func (t *Turn) Vector(d int) *messages.Vector {
	if t.taken {
		return &messages.Vector{Values: make([]float64, d)}
	}
	t.taken = true
	return t.stepper.vectors.Take(t.node, d)
}

// Lend returns a vector of given entries to send in this turn, such as data that are in memory
// anyway: they are not copied, and must never be changed. The caller has found them to be
// finite, and sending does not check again. Lend allocates as Vector does, and counts as a
// call of Vector.
func (t *Turn) Lend(values []float64) *messages.Vector {
	if t.taken {
		return &messages.Vector{Finite: true, Values: values}
	}
	t.taken = true
	v := t.stepper.lent.Take(t.node, 0)
	v.Finite, v.Values = true, values
	return v
}

// Scratch returns n numbers of working memory, valid until the end of the turn
// or the next call. Its entries are arbitrary.
func (t *Turn) Scratch(n int) []float64 {
	if cap(t.stepper.scratch) < n {
		t.stepper.scratch = make([]float64, n)
	}
	return t.stepper.scratch[:n]
}

// Broadcast sends p with a mark to every out-neighbour of this turn, to the node
// itself where it has a self-loop. It can be called once a turn.
func (t *Turn) Broadcast(p messages.Payload, mark Mark) error {
	t.stepper.mark = mark
	if t.outbox.Broadcast != nil {
		return errBroadcastTwice
	}
	if err := t.check(p, &t.stepper.mark); err != nil {
		return err
	}
	return t.broadcast(p, &t.stepper.mark)
}

// broadcast is Broadcast of a payload with a checked mark of the stepper's.
func (t *Turn) broadcast(p messages.Payload, mark *Mark) error {
	if t.outbox.Broadcast != nil {
		return errBroadcastTwice
	}
	if err := t.encode(p, t.stepper.run.Wire != nil); err != nil {
		return err
	}
	if err := t.checkReceivers(); err != nil {
		return err
	}
	if t.stepper.run.Adversaries.silent(t.node) {
		t.keep(p, mark)
		return nil
	}
	p.Expose(mark.exposure)
	t.outbox.SetBroadcast(p)
	if t.stepper.exposure != nil {
		t.exposeAll(mark)
	}
	t.count(t.View.Others(), p.WireSize()) // a self-loop crosses no wire
	return nil
}

// checkReceivers refuses a broadcast to a node that would not read it.
func (t *Turn) checkReceivers() error {
	if s := t.stepper; s.next.First <= 0 && int(s.next.End) >= len(s.run.Machines) {
		return nil
	}
	out := t.View.Out()
	if len(out) == 0 {
		return nil
	}
	for _, to := range []messages.NodeID{out[0], out[len(out)-1]} { // ascending
		if !t.stepper.next.Has(to) {
			return fmt.Errorf("broadcast to node %d, which %w", t.stepper.run.Label(to), errNotActing)
		}
	}
	return nil
}

// Send sends p with a mark to one out-neighbour of this turn.
func (t *Turn) Send(to messages.NodeID, p messages.Payload, mark Mark) error {
	if !t.View.CanSend(to) {
		return fmt.Errorf("sent to node %d, which is %w", t.stepper.run.Label(to), errNotOutNeighbour)
	}
	if !t.stepper.next.Has(to) {
		return fmt.Errorf("sent to node %d, which %w", t.stepper.run.Label(to), errNotActing)
	}
	t.stepper.mark = mark
	if err := t.check(p, &t.stepper.mark); err != nil {
		return err
	}
	if err := t.encode(p, t.stepper.run.Wire.Has(t.node, to)); err != nil {
		return err
	}
	if to != t.node && t.stepper.run.Adversaries.silent(t.node) {
		return nil
	}
	p.Expose(mark.exposure)
	t.outbox.Append(to, p)
	if t.stepper.exposure != nil {
		t.expose(to, &t.stepper.mark)
	}
	if to != t.node {
		t.count(1, p.WireSize())
	}
	return nil
}

// count counts a payload to other nodes.
func (t *Turn) count(receivers, size int) {
	t.stepper.count(receivers, size)
	if t.stepper.senders && receivers > 0 {
		t.Record(QuantityMessages, float64(receivers))
	}
}

// expose reports a payload that leaves the node to the meter.
func (t *Turn) expose(to messages.NodeID, mark *Mark) {
	if to != t.node {
		t.stepper.exposure.Exposed(t.node, to, t.Step, mark)
	}
}

// exposeAll is expose for a broadcast. It reports the first and the last receiver, unless the
// meter wants each: a server, where there is one, is the first of all nodes, and the other
// receivers are alike.
func (t *Turn) exposeAll(mark *Mark) {
	out := t.View.Out() // ascending
	if t.stepper.each && mark.exposure != messages.Public {
		for _, to := range out {
			t.expose(to, mark)
		}
		return
	}
	for len(out) > 0 && out[0] == t.node {
		out = out[1:]
	}
	for len(out) > 0 && out[len(out)-1] == t.node {
		out = out[:len(out)-1]
	}
	if len(out) > 0 {
		t.expose(out[0], mark)
	}
	if len(out) > 1 {
		t.expose(out[len(out)-1], mark)
	}
}

// Spend charges a loss to the node before the release it pays for. An error
// means that the release must not be made.
func (t *Turn) Spend(loss accountant.Loss) error {
	if err := loss.Validate(); err != nil {
		return err
	}
	return t.pay(loss)
}

// pay is Spend of a valid loss.
func (t *Turn) pay(loss accountant.Loss) error {
	if err := t.stepper.meter.Spent(t.node, t.Step, loss); err != nil {
		return err
	}
	t.stepper.tally.Pays(loss)
	return nil
}

// Record hands the meter a quantity that only the machine knows, under a name
// that the algorithm's package exports.
func (t *Turn) Record(quantity string, value float64) {
	t.stepper.meter.Recorded(t.node, t.Step, quantity, value)
}

// Stop ends the machine's part in the run: it is not stepped again and sends
// nothing after this turn. The reason is reported.
func (t *Turn) Stop(reason string) {
	t.stopped = true
	t.stepper.meter.Stopped(t.node, t.Step, reason)
}

// Stopped reports whether the machine's part has ended in this turn.
func (t *Turn) Stopped() bool { return t.stopped }
