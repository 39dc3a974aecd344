// Package experts holds the losses of prediction from experts: adversaries that give every
// client a loss of every expert at every step, and the loss of the best fixed decision in
// hindsight.
//
// An [Adversary] is the adversary that a scenario describes, without a seed: a [Model], the loss
// of a decision at a datum, and data. Draw turns it into the [Instance] of one seed, an immutable
// function of (node, step) that a client's oracle and a meter evaluate alike. As in package
// problem, random numbers are keyed by seed and use alone, never by the arm of a sweep.
//
// Nodes are from 0 and steps from 1, as everywhere. The clients of a server have the paper's
// numbers, from 1, in machines and meters: [LossesOf] goes between. The package knows no
// algorithm and reads no file.
package experts

import (
	"fmt"
	"math"
	"sync"

	"starling/actors/option"
	"starling/mechanisms/kernel"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/problem/stream"
)

// Adversary describes the losses of all clients, without a seed. It is immutable and safe for
// concurrent use.
type Adversary struct {
	// Kind is the name used in scenarios.
	Kind string
	// Clients is m and Experts is d.
	Clients, Experts int
	// Linear is true if losses are linear in the decision, l(x) = <l, x>. Then a gradient is the
	// loss vector l at all x, with entries in [0, Alpha]. Otherwise entries of gradients are in
	// [-Alpha, Alpha].
	Linear bool
	// Alpha is the Lipschitz constant in the 1-norm on the simplex, and Beta the smoothness, 0
	// for linear losses.
	Alpha, Beta float64
	Model       Model
	// steps is the largest horizon; 0 means any.
	steps int
	draw  func(seed uint64, horizon int) fill
}

// fill writes the datum of a client, from 1, and step to dst, len d.
type fill func(dst []float64, client, step int)

// Model is the loss of a decision on the simplex at a datum, len d.
type Model interface {
	stream.Minimiser
	stream.Minimisable
	// Add adds a summary of the loss at a datum to sum, len d, for Hindsight. For linear losses
	// it is the loss vector.
	Add(sum, datum []float64)
	// Hindsight writes to best, len d, the decision of the smallest total loss over the losses
	// that were added to sum, and returns that loss. For linear losses the decision is an
	// expert, the lowest where several are best.
	Hindsight(best, sum []float64) float64
}

// Draw makes the losses of one seed for steps 1 .. horizon.
func (a *Adversary) Draw(seed uint64, horizon int) (*Instance, error) {
	switch {
	case horizon < 1:
		return nil, fmt.Errorf("draw %s: horizon is %d steps, want at least 1", a.Kind, horizon)
	case a.steps > 0 && horizon > a.steps:
		return nil, fmt.Errorf("draw %s: horizon is %d steps, the table has %d a client", a.Kind, horizon, a.steps)
	}
	in := &Instance{adversary: a, horizon: horizon, fill: a.draw(seed, horizon)}
	in.pool.New = func() any { v := make([]float64, a.Experts); return &v }
	return in, nil
}

// vectors returns an adversary of linear losses in [0, alpha]; draw returns the function that
// fills in the loss vector of a client and step.
func vectors(kind string, clients, experts int, alpha float64, draw func(seed uint64, horizon int) fill) *Adversary {
	return &Adversary{Kind: kind, Clients: clients, Experts: experts, Linear: true, Alpha: alpha, Model: NewLinearModel(experts), draw: draw}
}

// Instance is the losses of one seed: the model at data. It implements problem.Instance, of
// decisions on the simplex, and problem.Data; node i, from 0, is client i+1. It is immutable and
// safe for concurrent use. A node or step out of range, or a slice that is not of length d, is a
// broken invariant of the caller and panics.
type Instance struct {
	adversary *Adversary
	horizon   int
	fill      fill
	pool      sync.Pool // of *[]float64, len d
}

// check panics unless node, step and the lengths of slices are in range.
func (in *Instance) check(node messages.NodeID, step int, x, dst []float64) {
	a := in.adversary
	if uint(node) >= uint(a.Clients) || uint(step-1) >= uint(in.horizon) || len(x) != a.Experts || len(dst) != a.Experts {
		panic(fmt.Sprintf("experts: client %d, step %d, vectors of length %d and %d, of an instance of %d clients, %d steps, %d experts",
			node+1, step, len(x), len(dst), a.Clients, in.horizon, a.Experts))
	}
}

// Width implements problem.Data: d.
func (in *Instance) Width() int { return in.adversary.Experts }

// Datum implements problem.Data.
func (in *Instance) Datum(dst []float64, node messages.NodeID, step int) {
	in.check(node, step, dst, dst)
	in.fill(dst, int(node)+1, step)
}

// Loss implements problem.Instance.
func (in *Instance) Loss(node messages.NodeID, step int, x []float64) (loss float64) {
	in.check(node, step, x, x)
	datum := in.pool.Get().(*[]float64)
	in.fill(*datum, int(node)+1, step)
	loss = in.adversary.Model.Loss(x, *datum)
	in.pool.Put(datum)
	return loss
}

// Gradient implements problem.Instance.
func (in *Instance) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	in.check(node, step, x, dst)
	in.fill(dst, int(node)+1, step)
	in.adversary.Model.Gradient(dst, x, dst)
}

// SumGradient implements problem.Instance.
func (in *Instance) SumGradient(dst []float64, step int, x []float64) {
	gradient := in.pool.Get().(*[]float64)
	defer in.pool.Put(gradient)
	clear(dst)
	for node := range messages.NodeID(in.adversary.Clients) {
		in.Gradient(*gradient, node, step, x)
		kernel.Add(dst, *gradient)
	}
}

// The purposes of random numbers, one a use.
var (
	purposeLoss   = rng.PurposeOf("experts.loss")   // losses of a client, step and expert
	purposeHidden = rng.PurposeOf("experts.hidden") // the expert that is best
	purposeLaw    = rng.PurposeOf("experts.law")    // parameters of the losses' law
)

// hidden returns the expert, from 1, that an adversary favours: told, or one drawn uniformly
// for the seed if told is 0.
func hidden(told int, seed uint64, experts int) int {
	if told > 0 {
		return told
	}
	var stream rng.Stream
	return 1 + stream.Open(rng.NewKey(seed, purposeHidden), 0, 0, 0).IntN(experts)
}

// requireParties checks the arguments that a scenario passes to a constructor besides the
// options.
func requireParties(kind string, clients, experts int) error {
	if clients < 1 || clients > math.MaxInt32-1 {
		return fmt.Errorf("%s: %d clients, want 1 to %d", kind, clients, math.MaxInt32-1)
	}
	if experts < 1 || experts > math.MaxInt32 {
		return fmt.Errorf("%s: %d experts, want 1 to %d", kind, experts, math.MaxInt32)
	}
	return nil
}

// requireExpert accepts an expert from 1 to d, or 0.
func requireExpert(path string, expert, experts int) error {
	if expert >= 0 && expert <= experts {
		return nil
	}
	return option.Errorf(path, "is %d, want 1 to %d, or 0 to draw it for each seed", expert, experts)
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
