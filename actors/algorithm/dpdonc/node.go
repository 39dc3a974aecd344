package dpdonc

import (
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/algorithm/mirror"
	"starling/mechanisms/kernel"
	"starling/mechanisms/noise"
	"starling/mechanisms/portable"
	"starling/messages"
)

// node is one node's machine. It has one hop a step: the turn of step t folds
// the q of t-1 into x_t (lines 5 and 6 of Algorithm 1 for t-1), plays x_t, takes
// the gradient and sends q_t (line 4).
type node struct {
	shared      *shared
	x           []float64 // x_t, len d
	g           []float64 // gradient of f_t at x_t, len d
	inbox.Inbox           // the q that it keeps, and w_t of ConsensusPushSum
	all         *allNodes // the array that it belongs to
	index       int
}

// allNodes has the state of all nodes by node, so that the states of consecutive nodes lie
// side by side. Each node changes its own.
type allNodes struct {
	nodes []node
	x, g  []float64 // N x d
	t     []int32   // the last step taken, 0 before the first
}

// shared is read by all nodes of a run and changed by none.
type shared struct {
	Options
	solver  mirror.Solver
	entropy bool
	rule    inbox.Rule
	refit   func(noise.Moves) noise.Additive
}

// dual reports whether dual points are averaged.
func (s *shared) dual() bool { return s.rule.Map != nil }

// New returns the machines of all nodes, by node; they share nothing that changes.
// options.Start is copied. It returns the errors of Validate.
func New(options Options) ([]algorithm.Machine, error) {
	if err := options.Validate(); err != nil {
		return nil, err
	}
	solver, err := mirror.NewSolver(options.Divergence, options.Set)
	if err != nil {
		return nil, err
	}
	s := &shared{Options: options, solver: solver, entropy: options.Divergence.Kind() == mirror.KindEntropy}
	s.Start = slices.Clone(options.Start)
	s.rule, s.refit = *s.Options.Rule(), s.Calibration.Fit
	d := options.Set.Dim()
	all := &allNodes{
		nodes: make([]node, options.Nodes), t: make([]int32, options.Nodes),
		x: make([]float64, d*options.Nodes), g: make([]float64, d*options.Nodes),
	}
	machines := make([]algorithm.Machine, options.Nodes)
	for i := range all.nodes {
		lo, hi := d*i, d*(i+1)
		n := &all.nodes[i]
		*n = node{shared: s, x: all.x[lo:hi:hi], g: all.g[lo:hi:hi], Inbox: inbox.NewInbox(&s.rule), all: all, index: i}
		copy(n.x, options.Start)
		machines[i] = n
	}
	return machines, nil
}

// Step implements algorithm.Machine.
func (n *node) Step(t *algorithm.Turn) error {
	begins := n.all.t[n.index] == 0
	if !begins {
		if err := n.update(t); err != nil {
			return err
		}
	}
	n.all.t[n.index] = int32(t.Step)
	n.Weigh(t)
	if err := t.PlayAndDifferentiate(n.g, n.x, algorithm.Bound{Theta: n.shared.Theta, On: n.shared.Bound}); err != nil {
		return err
	}
	return n.release(t, begins)
}

// Sums implements algorithm.Summer.
func (*node) Sums() {}

// update computes z_{t-1} and from it x_t: (6) and (7) of the paper. A node that was down
// since takes its last gradient now, by the step size of now, on which the noise of its next
// release rests.
func (n *node) update(t *algorithm.Turn) error {
	s, d := n.shared, len(n.x)
	width := len(s.rule.Start)
	work := t.Scratch(width + s.solver.WorkSize())
	z, work := work[:width], work[width:]
	if err := n.average(z, t); err != nil {
		return err
	}
	// All masses are 1 except under push-sum.
	alpha := s.Step.At(t.Step-1, s.Nodes) / n.Mass()
	if err := s.solver.Solve(n.x, z[:d], n.g, alpha, work); err != nil {
		return err
	}
	if s.Moves {
		t.Record(mirror.QuantityMove, kernel.Distance(n.x, z[:d])*s.Divergence.StrongConvexity()/(alpha*s.Theta))
	}
	return nil
}

// average writes z_t to z, as long as a release: (6) of the paper, over the messages that
// arrived.
func (n *node) average(z []float64, t *algorithm.Turn) error {
	s := n.shared
	if err := t.Receive(&n.Inbox, z); err != nil {
		return err
	}
	z = z[:len(n.x)]
	if s.dual() {
		for k := range z {
			z[k] = portable.Exp(z[k])
		}
	} else {
		s.floor(z)
	}
	return nil
}

// floor keeps entries that the entropy averages away from 0.
func (s *shared) floor(z []float64) {
	if s.entropy {
		for k := range z {
			z[k] = max(z[k], s.Floor)
		}
	}
}

// release perturbs x_t and broadcasts it: line 4 of Algorithm 1. With push-sum it perturbs w_t
// x_t, and w_t goes with it as the last entry. x_1 is public, with noise and without. If its
// budget does not pay for q_t, the node sends nothing and stops; as the losses of all nodes
// that are up are the same, all of these stop in the same step.
func (n *node) release(t *algorithm.Turn, begins bool) error {
	return t.Release(n.shared.releaseAt(n.index, t.Step, begins), n.Vector(t, n.x), &n.Inbox)
}

// releaseAt is the release of a node in a step.
func (s *shared) releaseAt(node, step int, begins bool) algorithm.Release {
	r := algorithm.Release{Purpose: s.NoisePurpose, Refit: s.refit}
	if s.Vary != nil {
		r.Refit = s.calibration(node, step).Fit
	}
	if begins {
		r.Noise, r.Public = s.ReleaseStartOf(node, step), PublicStart
	} else {
		r.Noise, r.Moves = s.ReleaseOf(node, step)
	}
	return r
}

// PublicStart is the reason why the first release of a node shows nothing.
const PublicStart algorithm.Reason = "x_1 is public, and the same for all nodes"

// State implements algorithm.Machine.
func (n *node) State(c *messages.Codec) {
	c.Int32("t", &n.all.t[n.index])
	c.Floats("x", n.x)
	c.Floats("gradient", n.g)
	n.Keep(c)
}
