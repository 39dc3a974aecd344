package dpdonc

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/mirror"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
)

// node is one node's machine. It has one hop a step: the turn of step t folds
// the q of t-1 into x_t (lines 5 and 6 of Algorithm 1 for t-1), plays x_t, takes
// the gradient and sends q_t (line 4).
type node struct {
	shared *shared
	x      []float64 // x_t, len d
	g      []float64 // gradient of f_t at x_t, len d
	mass   float64   // w_t of ConsensusPushSum, else 1
	t      int32     // the last step taken, 0 before the first
	q      []float64 // the last release; kept for MissingRenormalise and ConsensusPushSum only
	held   []held    // ascending by neighbour; kept for MissingHold only
}

// shared is what all nodes of a run read and none changes.
type shared struct {
	Options
	solver  mirror.Solver
	entropy bool
	dual    bool // averages dual points
	pushSum bool
	first   []float64 // the release of x_1 without noise: x_1 and, of push-sum, its mass
}

// width is the number of entries of a release.
func (s *shared) width() int { return len(s.first) }

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
	s.dual = s.entropy && s.Positivity == DualAverage
	s.Start, s.first = slices.Clone(options.Start), slices.Clone(options.Start)
	if s.pushSum = s.Consensus == ConsensusPushSum; s.pushSum {
		s.first = append(s.first, 1)
	}
	d := options.Set.Dim()
	nodes := make([]node, options.Nodes)
	state := make([]float64, 2*d*options.Nodes)
	machines := make([]algorithm.Machine, options.Nodes)
	for i := range nodes {
		at := state[2*d*i : 2*d*(i+1) : 2*d*(i+1)]
		nodes[i] = node{shared: s, x: at[:d:d], g: at[d:], mass: 1}
		copy(nodes[i].x, options.Start)
		if s.Missing == MissingRenormalise || s.pushSum {
			nodes[i].q = slices.Clone(s.first)
		}
		machines[i] = &nodes[i]
	}
	return machines, nil
}

// Step implements algorithm.Machine.
func (n *node) Step(t *algorithm.Turn) error {
	begins := n.t == 0
	if !begins {
		if err := n.update(t); err != nil {
			return err
		}
	}
	n.t = int32(t.Step)
	if n.shared.pushSum {
		t.Record(Mass, n.mass)
	}
	if err := t.Play(n.x); err != nil {
		return err
	}
	if err := t.Gradient(n.g, n.x); err != nil {
		return err
	}
	if err := n.bound(); err != nil {
		return err
	}
	return n.release(t, begins)
}

// update computes z_{t-1} and from it x_t: (6) and (7) of the paper. A node that
// was down since takes its last gradient now, by the step size of now, on which
// the noise of what it releases next rests.
func (n *node) update(t *algorithm.Turn) error {
	s, d := n.shared, len(n.x)
	work := t.Scratch(s.width() + s.solver.WorkSize())
	z, work := work[:s.width()], work[s.width():]
	if err := n.average(z, t); err != nil {
		return err
	}
	// All masses are 1 but those of push-sum.
	alpha := s.Step.At(t.Step-1, s.Nodes) / n.mass
	if err := s.solver.Solve(n.x, z[:d], n.g, alpha, work); err != nil {
		return err
	}
	if s.Moves {
		t.Record(Move, distance(n.x, z[:d])*s.Divergence.StrongConvexity()/(alpha*s.Theta))
	}
	return nil
}

// Move is the quantity that nodes record with Options.Moves: the distance
// ||x_{t+1} - z_t|| that the mirror step of step t covers, as a multiple of
// alpha_t theta/omega. Inequality (11) of the paper says that it is at most 1,
// which is true of z_t in Omega; noise can put z_t outside.
const Move = "move"

// distance is the 2-norm distance of two points of the same length.
func distance(x, y []float64) float64 {
	var square float64
	for k, v := range x {
		e := v - y[k]
		square += float64(e * e)
	}
	return math.Sqrt(square)
}

// bound enforces the gradient bound that Lemma 1 assumes.
func (n *node) bound() error {
	theta := n.shared.Theta
	length, ok := algorithm.WithinBound(n.g, theta)
	switch {
	case ok:
		return nil
	case math.IsNaN(length) || math.IsInf(length, 1):
		return fmt.Errorf("the gradient has length %v, which no clipping brings to the bound theta = %v", length, theta)
	case n.shared.Bound == BoundClip:
		for k := range n.g {
			n.g[k] *= theta / length
		}
		return nil
	}
	return fmt.Errorf("the gradient has length %.9g, over the bound theta = %.9g that its privacy rests on", length, theta)
}

// release pays for q_t, perturbs x_t and broadcasts it: line 4 of Algorithm 1. With
// push-sum what is perturbed is w_t x_t, and w_t goes with it as the last entry.
// x_1 is public, with noise and without. A node
// whose budget does not pay for q_t sends nothing and stops; as the losses of
// all nodes that are up are the same, all of these stop in the same step.
func (n *node) release(t *algorithm.Turn, begins bool) error {
	s := n.shared
	mechanism, moves := s.Release(t.Step)
	if begins {
		mechanism, moves = s.releaseStart(t.Step), noise.Moves{}
	}
	q, d := t.Vector(s.width()), len(n.x)
	for k, x := range n.x {
		q.Values[k] = n.mass * x
	}
	if s.pushSum {
		q.Values[d] = n.mass // public, and so without noise
	}
	receipt, err := mechanism.Release(q.Values[:d], t.Rand(s.NoisePurpose), moves, t.Spend)
	if errors.Is(err, accountant.ErrBudget) {
		t.Stop(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	copy(n.q, q.Values)
	if begins {
		return t.Broadcast(q, algorithm.Public(PublicStart))
	}
	return t.Broadcast(q, algorithm.Released(receipt))
}

// PublicStart is why the first release of a node shows nothing.
const PublicStart algorithm.Reason = "x_1 is public, and the same for all nodes"

// Remember has a machine believe that its last release was that of another machine of
// the same options, which it takes the place of in later steps where nothing arrives
// (MissingRenormalise). For audits, which step a machine without noise through what
// one with noise has received.
func Remember(machine, released algorithm.Machine) {
	copy(machine.(*node).q, released.(*node).q)
}

// State implements algorithm.Machine.
func (n *node) State(c *messages.Codec) {
	c.Int32("t", &n.t)
	c.Floats("x", n.x)
	c.Floats("gradient", n.g)
	if n.q != nil {
		c.Floats("q", n.q)
	}
	if n.shared.pushSum {
		c.Float(Mass, &n.mass)
	}
	if n.shared.Missing == MissingHold {
		n.heldState(c)
	}
}
