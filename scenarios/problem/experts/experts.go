// Package experts holds the losses of prediction from experts: adversaries that give every
// client a loss of every expert at every step, and the loss of the best fixed decision in
// hindsight.
//
// An [Adversary] is the adversary that a scenario describes, without a seed; Draw turns it
// into the [Instance] of one seed, an immutable function of (client, step) that a client's
// oracle and a meter evaluate alike. As in package problem, random numbers are keyed by seed
// and use alone, never by the arm of a sweep.
//
// Clients and steps carry the paper's numbers, from 1, and client i is node i of a star with
// the server as node 0. The package knows no algorithm and reads no file.
package experts

import (
	"fmt"
	"math"
	"sync"

	"starling/actors/algorithm"
	"starling/actors/option"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/problem"
)

// Adversary describes the losses of all clients, without a seed. It is
// immutable and safe for concurrent use.
type Adversary interface {
	// Kind is the name used in scenarios.
	Kind() string
	// Clients is m and Experts is d.
	Clients() int
	Experts() int
	// Linear reports whether losses are linear in the decision, l(x) = <l, x>. Then Gradient
	// is the loss vector l at all x, with entries in [0, Alpha]. Otherwise entries of
	// gradients are in [-Alpha, Alpha].
	Linear() bool
	// Alpha is the Lipschitz constant in the 1-norm on the simplex, and Beta the smoothness, 0
	// for linear losses.
	Alpha() float64
	Beta() float64
	// Model returns the model that has these losses at data, each a loss of a decision on the
	// simplex.
	Model() problem.Model
	// Draw makes the losses of one seed for steps 1 .. horizon.
	Draw(seed uint64, horizon int) (Instance, error)
}

// Instance is the losses of one seed. It is immutable and safe for concurrent
// use; every value is a pure function of (seed, client, step). A client or step
// out of range, or a slice that is not of length d, is a broken invariant of the
// caller and panics.
type Instance interface {
	// Costs are the losses of decisions x on the simplex, len d: node i is client i.
	algorithm.Costs
	// Datum overwrites dst, len d, with the datum of a client and step, at which the Model has
	// the loss.
	Datum(dst []float64, client messages.NodeID, step int)
	// Accumulate adds a summary of the loss of a client and step to sum, len d, for Hindsight.
	// For linear losses it is the loss vector.
	Accumulate(sum []float64, client messages.NodeID, step int)
	// Hindsight writes to best, len d, the decision of the smallest total loss
	// over the losses accumulated in sum, and returns that loss. For linear losses the
	// decision is an expert, the lowest where several are best.
	Hindsight(best, sum []float64) float64
}

// adversary implements Adversary.
type adversary struct {
	kind             string
	clients, experts int
	linear           bool
	alpha, beta      float64
	model            problem.Model
	draw             func(seed uint64, e extent) Instance
}

func (a *adversary) Kind() string         { return a.kind }
func (a *adversary) Clients() int         { return a.clients }
func (a *adversary) Experts() int         { return a.experts }
func (a *adversary) Linear() bool         { return a.linear }
func (a *adversary) Alpha() float64       { return a.alpha }
func (a *adversary) Beta() float64        { return a.beta }
func (a *adversary) Model() problem.Model { return a.model }

// Draw implements Adversary.
func (a *adversary) Draw(seed uint64, horizon int) (Instance, error) {
	if horizon < 1 {
		return nil, fmt.Errorf("draw %s: horizon is %d steps, want at least 1", a.kind, horizon)
	}
	return a.draw(seed, extent{clients: a.clients, experts: a.experts, horizon: horizon}), nil
}

// vectors returns an adversary of linear losses in [0, alpha]; draw returns the function that
// fills in the loss vector of a client and step.
func vectors(kind string, clients, experts int, alpha float64, draw func(seed uint64, e extent) fill) *adversary {
	return &adversary{kind: kind, clients: clients, experts: experts, linear: true, alpha: alpha, model: NewLinearModel(experts),
		draw: func(seed uint64, e extent) Instance { return newLinear(e, draw(seed, e)) }}
}

// extent is the range that an instance answers for.
type extent struct{ clients, experts, horizon int }

// check panics unless client, step and the lengths of slices are in range.
func (e *extent) check(client messages.NodeID, step int, x, dst []float64) {
	if uint(client-1) >= uint(e.clients) || uint(step-1) >= uint(e.horizon) || len(x) != e.experts || len(dst) != e.experts {
		panic(fmt.Sprintf("experts: client %d, step %d, vectors of length %d and %d, of an instance of %d clients, %d steps, %d experts",
			client, step, len(x), len(dst), e.clients, e.horizon, e.experts))
	}
}

// fill writes the vector of a client and step to dst, len d.
type fill func(dst []float64, client, step int)

// linear is an instance of linear losses. Its data are the loss vectors.
type linear struct {
	extent
	model Linear
	fill  fill
	pool  sync.Pool // of *[]float64, len d
}

func newLinear(e extent, f fill) *linear {
	in := &linear{extent: e, model: NewLinearModel(e.experts), fill: f}
	in.pool.New = func() any { v := make([]float64, e.experts); return &v }
	return in
}

// Datum implements Instance: the loss vector.
func (in *linear) Datum(dst []float64, client messages.NodeID, step int) {
	in.check(client, step, dst, dst)
	in.fill(dst, int(client), step)
}

// Loss implements algorithm.Costs: <l, x>.
func (in *linear) Loss(client messages.NodeID, step int, x []float64) (loss float64) {
	in.check(client, step, x, x)
	l := in.pool.Get().(*[]float64)
	in.fill(*l, int(client), step)
	loss = in.model.Loss(x, *l)
	in.pool.Put(l)
	return loss
}

// Gradient implements algorithm.Costs: the loss vector, whatever x is.
func (in *linear) Gradient(dst []float64, client messages.NodeID, step int, x []float64) {
	in.check(client, step, x, dst)
	in.fill(dst, int(client), step)
}

// Accumulate implements Instance.
func (in *linear) Accumulate(sum []float64, client messages.NodeID, step int) {
	in.check(client, step, sum, sum)
	l := in.pool.Get().(*[]float64)
	in.fill(*l, int(client), step)
	for n, v := range *l {
		sum[n] += v
	}
	in.pool.Put(l)
}

// Hindsight implements Instance.
func (in *linear) Hindsight(best, sum []float64) float64 { return in.model.hindsight(best, sum) }

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
