package runtimetest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Dimension is the length of a mixer's state.
const Dimension = 5

// Mixer is a machine with a state that depends on every bit that a runtime hands it: on the
// order and content of the inbox, the graph, the random stream and the costs. It is no
// algorithm; two runs of it that end in the same state were given the same turns.
type Mixer struct {
	// Node is the machine's own; LastTurn is how many turns it takes before
	// it stops, 0 for no end.
	Node     messages.NodeID
	LastTurn int
	// Reads reports whether a node has a turn after this one; nil is every node.
	Reads func(to messages.NodeID, t *algorithm.Turn) bool
	// Fail is asked in every turn; an error, a panic and a breach of the
	// protocol all fail the run.
	Fail func(*algorithm.Turn) error

	x      [Dimension]float64
	digest uint64 // of everything seen
	turns  uint64
	// Received is how many messages came from others, unless they were
	// folded, and Late how many of these were late. They are no part of the
	// state.
	Received, Late int64
}

// Step implements algorithm.Machine.
func (m *Mixer) Step(t *algorithm.Turn) error {
	m.turns++
	m.see(uint64(t.Step), uint64(t.Hop), uint64(t.View.Self()))
	m.seeGraph(t)
	m.fold(t)
	r := t.Rand(noisePurpose)
	for k := range m.x {
		m.x[k] = squash(m.x[k] + r.NormFloat64())
	}
	if m.Fail != nil {
		if err := m.Fail(t); err != nil {
			return err
		}
	}
	if t.Hop == 0 {
		if err := m.decide(t); err != nil {
			return err
		}
	}
	if m.turns == uint64(m.LastTurn) {
		t.Stop("had enough")
	}
	return m.send(t)
}

var noisePurpose = rng.PurposeOf("mixer")

// squash keeps numbers in (-1, 1), so that any graph and any weights will do.
func squash(x float64) float64 { return x / (1 + math.Abs(x)) }

// see folds numbers into the digest (64-bit FNV-1a, a word at a time).
func (m *Mixer) see(words ...uint64) {
	for _, w := range words {
		m.digest = (m.digest ^ w) * 1099511628211
	}
}

// seeGraph hashes the nodes that the node hears and reaches, with the weights, and the nodes
// that it expects to hear.
func (m *Mixer) seeGraph(t *algorithm.Turn) {
	from, weights := t.View.In()
	for k, j := range from {
		m.see(uint64(j), math.Float64bits(weights[k]))
	}
	for _, i := range t.View.Out() {
		m.see(uint64(i))
	}
	from, weights = t.Expected()
	for k, j := range from {
		m.see(uint64(j), math.Float64bits(weights[k]))
	}
}

// fold mixes the inbox, or the blocks that take its place, into the state in
// order: floating-point addition makes any other order show.
func (m *Mixer) fold(t *algorithm.Turn) {
	if t.Blocks != nil {
		for b := range t.Blocks.Len() {
			sum, count := t.Blocks.Block(b)
			m.see(uint64(count))
			for k, s := range sum {
				m.see(math.Float64bits(s))
				m.x[k%Dimension] = squash(m.x[k%Dimension] + s)
			}
		}
	}
	for i := range t.Inbox {
		e := &t.Inbox[i]
		v := e.Payload.(*messages.Vector)
		if e.From != m.Node {
			m.Received++
			if t.Late(e) {
				m.Late++
			}
		}
		m.see(uint64(e.From), uint64(e.Seq), uint64(e.Sent), math.Float64bits(e.Weight), uint64(v.Kind()), uint64(len(v.Values)))
		for k, q := range v.Values {
			m.see(math.Float64bits(q))
			m.x[k%Dimension] = squash(m.x[k%Dimension] + float64(e.Weight*q))
		}
	}
}

// decide plays the state, follows the gradient and pays.
func (m *Mixer) decide(t *algorithm.Turn) error {
	if err := t.Play(m.x[:]); err != nil {
		return err
	}
	loss, err := t.Loss(m.x[:])
	if err != nil {
		return err
	}
	gradient := t.Scratch(Dimension)
	if err := t.Gradient(gradient, m.x[:]); err != nil {
		return err
	}
	for k := range m.x {
		m.x[k] = squash(m.x[k] - float64(0.1*gradient[k]))
	}
	t.Record("first entry", m.x[0])
	return t.Spend(accountant.Loss{Epsilon: loss})
}

// send goes through all ways of sending, by turn and node: a broadcast alone,
// single messages around a broadcast, several to one receiver, nothing.
func (m *Mixer) send(t *algorithm.Turn) error {
	out, all := m.receivers(t)
	broadcast := func() error {
		if !all {
			return nil // some receiver would not read it
		}
		return t.Broadcast(m.vector(t), m.mark())
	}
	switch (m.turns + uint64(m.Node)) % 4 {
	case 0:
		return broadcast()
	case 1:
		shared := m.vector(t)
		var errs error
		for i := len(out) - 1; i >= 0; i -= 2 { // descending, to be sorted
			errs = errors.Join(errs, t.Send(out[i], shared, m.mark()))
		}
		errs = errors.Join(errs, broadcast())
		if len(out) > 0 {
			errs = errors.Join(errs, t.Send(out[0], m.vector(t), m.mark()))
		}
		return errs
	case 2:
		if len(out) > 0 {
			to := out[t.Rand(noisePurpose).IntN(len(out))]
			return errors.Join(t.Send(to, m.vector(t), m.mark()), t.Send(to, m.vector(t), m.mark()))
		}
	}
	return nil
}

// receivers returns the out-neighbours that may be sent to, and whether these are all of them.
func (m *Mixer) receivers(t *algorithm.Turn) (out []messages.NodeID, all bool) {
	if out = t.View.Out(); m.Reads == nil {
		return out, true
	}
	reading := slices.DeleteFunc(slices.Clone(out), func(to messages.NodeID) bool { return !m.Reads(to, t) })
	return reading, len(reading) == len(out)
}

// mark alternates.
func (m *Mixer) mark() algorithm.Mark {
	if m.turns%2 == 0 {
		return algorithm.Public("a test shows it")
	}
	return algorithm.Raw()
}

// vector is the state as a message, of a length that changes from turn to turn.
func (m *Mixer) vector(t *algorithm.Turn) *messages.Vector {
	v := t.Vector(int(m.turns*7+uint64(m.Node)) % (2 * Dimension))
	for k := range v.Values {
		v.Values[k] = m.x[k%Dimension] + float64(k)
	}
	return v
}

// State implements algorithm.Machine.
func (m *Mixer) State(c *messages.Codec) {
	c.Floats("x", m.x[:])
	c.Uint64("digest", &m.digest)
	c.Uint64("turns", &m.turns)
}

// Gatherer is a mixer that has its messages folded by the runtime.
type Gatherer struct{ Mixer }

// FoldLength implements algorithm.Folder.
func (*Gatherer) FoldLength() int { return Dimension + 1 }

// Fold implements algorithm.Folder. The accumulator depends on the order of
// the messages and on everything that an envelope says.
func (*Gatherer) Fold(sum []float64, e *messages.Envelope) {
	v := e.Payload.(*messages.Vector)
	sum[Dimension] = squash(sum[Dimension] + float64(e.From) - float64(e.Seq) + float64(float64(e.Sent)/8) + float64(float64(len(v.Values))/32))
	for k, q := range v.Values {
		sum[k%Dimension] = squash(sum[k%Dimension] + float64(e.Weight*q))
	}
}

// bowls are costs with a minimum that moves with node and step.
type bowls struct{}

// Loss is ||x - c||^2, c the centre of node and step.
func (bowls) Loss(node messages.NodeID, step int, x []float64) float64 {
	var sum float64
	for k, v := range x {
		d := v - center(node, step, k)
		sum += float64(d * d)
	}
	return sum
}

// Gradient is 2 (x - c).
func (bowls) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	for k, v := range x {
		dst[k] = 2 * (v - center(node, step, k))
	}
}

// center is coordinate k of the minimum, in (-1, 1).
func center(node messages.NodeID, step, k int) float64 {
	return squash(float64(int(node)-step+3*k) / 4)
}

// Together has the nodes of a run wait for each other at its costs, which are computed for all
// that wait at once. Sizes, unless it is nil, is called with their number each time; it may be
// called from several goroutines.
func Together(run *algorithm.Run, sizes func(int)) *algorithm.Run {
	own := *run
	own.Costs = many{run.Costs, sizes}
	return &own
}

// many computes costs one after the other, and checks that nodes ascend.
type many struct {
	algorithm.Costs
	sizes func(int)
}

// each asks for every node.
func (m many) each(nodes []messages.NodeID, ask func(i int, node messages.NodeID)) error {
	if m.sizes != nil {
		m.sizes(len(nodes))
	}
	for i, node := range nodes {
		if i > 0 && nodes[i-1] >= node {
			return fmt.Errorf("nodes %d and %d are asked for in this order", nodes[i-1], node)
		}
		ask(i, node)
	}
	return nil
}

// Losses implements batch.Costs.
func (m many) Losses(dst []float64, nodes []messages.NodeID, step int, x []float64) error {
	return m.each(nodes, func(i int, node messages.NodeID) {
		d := len(x) / len(nodes)
		dst[i] = m.Loss(node, step, x[i*d:(i+1)*d])
	})
}

// Gradients implements batch.Costs.
func (m many) Gradients(dst []float64, nodes []messages.NodeID, step int, x []float64) error {
	return m.each(nodes, func(i int, node messages.NodeID) {
		d := len(x) / len(nodes)
		m.Gradient(dst[i*d:(i+1)*d], node, step, x[i*d:(i+1)*d])
	})
}
