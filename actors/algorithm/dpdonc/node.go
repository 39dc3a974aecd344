package dpdonc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/mirror"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// node is one node's machine. It has one hop a step: the turn of step t folds
// the q of t-1 into x_t (lines 5 and 6 of Algorithm 1 for t-1), plays x_t, takes
// the gradient and sends q_t (line 4).
type node struct {
	shared *shared
	x      []float64 // x_t, len d
	g      []float64 // gradient of f_t at x_t, len d
	t      int32     // the last step taken, 0 before the first
}

// shared is what all nodes of a run read and none changes.
type shared struct {
	Options
	solver  mirror.Solver
	entropy bool
}

// New returns the machines of all nodes, by node; they share nothing that
// changes. options.Start is copied. The errors are those of Validate.
func New(options Options) ([]algorithm.Machine, error) {
	if err := options.Validate(); err != nil {
		return nil, err
	}
	solver, err := mirror.NewSolver(options.Divergence, options.Set)
	if err != nil {
		return nil, err
	}
	s := &shared{Options: options, solver: solver, entropy: options.Divergence.Kind() == mirror.KindEntropy}
	d := options.Set.Dim()
	nodes := make([]node, options.Nodes)
	state := make([]float64, 2*d*options.Nodes)
	machines := make([]algorithm.Machine, options.Nodes)
	for i := range nodes {
		at := state[2*d*i : 2*d*(i+1) : 2*d*(i+1)]
		nodes[i] = node{shared: s, x: at[:d:d], g: at[d:]}
		copy(nodes[i].x, options.Start)
		machines[i] = &nodes[i]
	}
	return machines, nil
}

// Step implements algorithm.Machine.
func (n *node) Step(t *algorithm.Turn) error {
	if n.t > 0 {
		if err := n.update(t); err != nil {
			return err
		}
	}
	n.t++
	if err := t.Play(n.x); err != nil {
		return err
	}
	if err := t.Gradient(n.g, n.x); err != nil {
		return err
	}
	if err := n.bound(); err != nil {
		return err
	}
	return n.release(t)
}

// update computes z_{t-1} and from it x_t: (6) and (7) of the paper.
func (n *node) update(t *algorithm.Turn) error {
	s, d := n.shared, len(n.x)
	work := t.Scratch(d + s.solver.WorkSize())
	z := work[:d]
	if s.entropy && s.Positivity == DualAverage {
		foldLogarithms(z, t.Inbox, s.Floor)
	} else {
		fold(z, t.Inbox)
		if s.entropy {
			clip(z, s.Floor)
		}
	}
	return s.solver.Solve(n.x, z, n.g, s.Step.At(int(n.t), s.Nodes), work[d:])
}

// fold computes z = sum_j a_ij q_j in the order of the senders.
func fold(z []float64, inbox []messages.Envelope) {
	clear(z)
	for i := range inbox {
		q, w := inbox[i].Payload.(*messages.Vector).Values, inbox[i].Weight
		for k := range z {
			z[k] += float64(w * q[k])
		}
	}
}

// foldLogarithms computes z = exp(sum_j a_ij log max(q_j, floor)).
func foldLogarithms(z []float64, inbox []messages.Envelope, floor float64) {
	clear(z)
	for i := range inbox {
		q, w := inbox[i].Payload.(*messages.Vector).Values, inbox[i].Weight
		for k := range z {
			z[k] += float64(w * math.Log(max(q[k], floor)))
		}
	}
	for k := range z {
		z[k] = math.Exp(z[k])
	}
}

func clip(z []float64, floor float64) {
	for k := range z {
		z[k] = max(z[k], floor)
	}
}

// boundSlack allows for the rounding of a gradient whose length is theta.
const boundSlack = 1e-9

// bound enforces the gradient bound that Lemma 1 assumes.
func (n *node) bound() error {
	var square float64
	for _, v := range n.g {
		square += float64(v * v)
	}
	length, theta := math.Sqrt(square), n.shared.Theta
	switch {
	case length <= theta*(1+boundSlack):
		return nil
	case math.IsNaN(length) || math.IsInf(length, 1):
		return fmt.Errorf("the gradient has length %v, which no clipping brings to the bound theta = %v", length, theta)
	case n.shared.Bound == BoundClip:
		for k := range n.g {
			n.g[k] *= theta / length
		}
		return nil
	}
	return fmt.Errorf("the gradient has length %v, over the bound theta = %v that its privacy rests on", length, theta)
}

// release pays for q_t, perturbs x_t and broadcasts it: line 4 of Algorithm 1.
// x_1, which is public, goes as protected even where it carries no noise. A node
// whose budget does not pay for q_t sends nothing and stops; as the losses of
// all nodes are the same, all of them stop in the same step.
func (n *node) release(t *algorithm.Turn) error {
	s := n.shared
	mechanism, sensitivity := s.Release(int(n.t))
	q := t.Vector(len(n.x))
	copy(q.Values, n.x)
	err := mechanism.Release(q.Values, t.Rand(s.NoisePurpose), sensitivity, t.Spend)
	if errors.Is(err, accountant.ErrBudget) {
		t.Stop(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	q.Protected = mechanism.Loss(sensitivity).Private()
	return t.Broadcast(q)
}

// Describe implements algorithm.Describer.
func (n *node) Describe() []algorithm.Quantity {
	return []algorithm.Quantity{{Name: "x", Values: n.x}, {Name: "gradient", Values: n.g}}
}

// AppendState implements algorithm.Machine.
func (n *node) AppendState(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(n.t))
	for _, part := range [][]float64{n.x, n.g} {
		for _, v := range part {
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
		}
	}
	return dst
}

// RestoreState implements algorithm.Machine.
func (n *node) RestoreState(src []byte) error {
	if want := 4 + 8*2*len(n.x); len(src) != want {
		return fmt.Errorf("state of %d bytes; a node of dimension %d has %d", len(src), len(n.x), want)
	}
	n.t = int32(binary.LittleEndian.Uint32(src))
	src = src[4:]
	for _, part := range [][]float64{n.x, n.g} {
		for k := range part {
			part[k] = math.Float64frombits(binary.LittleEndian.Uint64(src[8*k:]))
		}
		src = src[8*len(part):]
	}
	return nil
}
