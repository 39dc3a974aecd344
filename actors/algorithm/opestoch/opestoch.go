package opestoch

import (
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/batch"
	"starling/actors/option"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Variant says which participant adds how much noise.
type Variant string

const (
	// Local has every client perturb its messages, for pure privacy: Algorithms 1 and 2,
	// Theorem 1.
	Local Variant = "local"
	// Approximate is Local with the noise of Theorem 6, for (eps, delta).
	Approximate Variant = "approximate"
	// Central has the clients send exact numbers and the server perturb their
	// averages: Algorithms 4 and 5, Theorem 7.
	Central Variant = "central"
)

// Batch is the rule for the number of losses that each root of a tree draws.
type Batch string

const (
	// Theorem1 is b = 2^(p-1)/(p-1)^2, Theorem 1.
	Theorem1 Batch = "theorem-1"
	// Corollary1 is one tree of depth 1 with as large a root as the phase before has losses
	// for, about 2/3 of them: Corollary 1, for small beta. (Its b = 2^(p-1) is twice as many as
	// there are.)
	Corollary1 Batch = "corollary-1"
)

// Options are the parameters of a run, the same for all participants. Where no default is
// named there is none: Validate names missing options.
type Options struct {
	Clients int // m
	Experts int // d
	Horizon int // T, any number of steps
	Variant Variant
	Epsilon float64 // eps; +Inf runs without noise
	Delta   float64 // delta in (0, 1) for Approximate, 0 for the others
	// Release calibrates the noise of a release by itself, on the whole vector that a client
	// sends at a leaf, to the amount by which one loss moves it; Epsilon then sets the number
	// of trees alone. It is for Local. With the zero value, the default, noise is the paper's,
	// which is calibrated to one entry for the run.
	Release noise.Calibration
	// Alpha bounds the entries of every gradient: the Lipschitz constant in the
	// 1-norm. Beta >= 0 is the smoothness in the 1-norm; it sets the number of
	// trees only.
	Alpha, Beta float64
	// Signed lets entries of gradients be in [-Alpha, Alpha]. By default they
	// are losses of experts, in [0, Alpha], which one changed loss moves half as
	// far. Entries outside fail the run.
	Signed bool
	Batch  Batch
	// Trees is T1 of every phase, as far as the phase has losses for it; 0, the
	// default, takes it from the theorem.
	Trees int
	// Start is z, len d, a point of the simplex; nil, the default, is uniform.
	Start []float64
	// Losses are the losses that the clients have seen, as functions: node i is client i, and
	// only steps that are over are asked for. It is nil, the default, for linear losses. Their
	// gradient is the loss vector wherever it is taken, and clients keep sums of the vectors
	// that their oracle showed them. Losses that are batch.Earlier are asked for all clients
	// together.
	Losses algorithm.Costs
	// NoisePurpose keys the noise, SamplePurpose the draws of batches: a stream
	// per participant, step and hop each.
	NoisePurpose, SamplePurpose rng.Purpose
}

// startTolerance is how far from 1 rounding may leave the sum of a start.
const startTolerance = 1e-9

// maxHorizon keeps the numbers of steps and losses in 32 bits.
const maxHorizon = 1 << 30

// Validate returns all errors in the options, joined: each an [option.Error]
// named as scenarios do.
func (o *Options) Validate() error {
	var found option.Faults
	check := found.Check
	check(o.Clients > 0, "clients", "%d clients; at least 1 is needed", o.Clients)
	check(o.Experts > 0, "experts", "%d experts; at least 1 is needed", o.Experts)
	check(o.Horizon > 0 && o.Horizon <= maxHorizon, "horizon", "horizon of %d steps; want 1 to %d", o.Horizon, maxHorizon)
	check(o.Variant == Local || o.Variant == Approximate || o.Variant == Central, "variant", "unknown variant %q; known: local, approximate, central", o.Variant)
	check(o.Epsilon > 0, "epsilon", "epsilon = %v; it must be > 0, or none", o.Epsilon)
	if o.Variant == Approximate {
		check(o.Delta > 0 && o.Delta < 1, "delta", "delta = %v; the approximate variant needs one in (0, 1)", o.Delta)
	} else {
		check(o.Delta == 0, "delta", "delta = %v; the %s variant is pure and has none", o.Delta, o.Variant)
	}
	if o.Release.Law != nil {
		check(o.Variant == Local, "variant", "variant %s; noise on the vectors that clients send is for the variant %s", o.Variant, Local)
		check(o.Release.Level > 0, "epsilon", "a release calibrated to a level of %v; it must be > 0", o.Release.Level)
	}
	check(positive(o.Alpha), "alpha", "alpha = %v is not a finite number > 0", o.Alpha)
	check(o.Beta == 0 || positive(o.Beta), "beta", "beta = %v is not a finite number >= 0", o.Beta)
	check(o.Batch == Theorem1 || o.Batch == Corollary1, "batch", "unknown batch %q; known: theorem-1, corollary-1", o.Batch)
	check(o.Trees >= 0, "trees", "%d trees; want at least 1, or 0 for the number in the theorem", o.Trees)
	check(o.Batch != Corollary1 || o.Trees <= 1, "trees", "%d trees; batch corollary-1 has 1", o.Trees)
	found.Add(o.validateStart())
	return found.Err()
}

func (o *Options) validateStart() error {
	if o.Start == nil {
		return nil
	}
	if len(o.Start) != o.Experts {
		return option.Errorf("start", "start has %d entries; there are %d experts", len(o.Start), o.Experts)
	}
	var sum float64
	for n, v := range o.Start {
		if !(v >= 0) {
			return option.Errorf("start", "start entry %d is %v, want a number >= 0", n+1, v)
		}
		sum += v
	}
	if !(math.Abs(sum-1) <= startTolerance) {
		return option.Errorf("start", "start sums to %v, want 1: a point of the simplex", sum)
	}
	return nil
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// shared is read by all machines of a run and changed by none.
type shared struct {
	Options
	schedule *Schedule
	charges  [][]float64 // by phase from 1, by leaf: the loss that its release spends
	trees    int         // the largest T1 of a phase
	// past is the desk of Losses; nil where these are not asked about many steps at once.
	past batch.Desk
}

// New returns the machines of the server, participant 0, and of the clients 1 .. m, and the
// schedule that the run must have. options.Start is copied. It returns the errors of Validate.
func New(options Options) ([]algorithm.Machine, *Schedule, error) {
	schedule, err := NewSchedule(&options)
	if err != nil {
		return nil, nil, err
	}
	return schedule.Machines(options), schedule, nil
}

// Machines returns the machines of New for the options of the schedule, with its noise.
// options.Start is copied.
func (s *Schedule) Machines(options Options) []algorithm.Machine {
	all := &shared{Options: options, schedule: s, charges: charges(&options, s), past: batch.OfEarlier(options.Losses)}
	for _, p := range s.Phases {
		all.trees = max(all.trees, p.Trees)
	}
	all.Start = make([]float64, options.Experts)
	if copy(all.Start, options.Start) == 0 {
		for n := range all.Start {
			all.Start[n] = 1 / float64(options.Experts)
		}
	}
	machines := make([]algorithm.Machine, options.Clients+1)
	machines[0] = &Server{shared: all, StarSum: make([]float64, options.Experts)}
	for i := range options.Clients {
		machines[i+1] = newClient(all, messages.NodeID(i+1))
	}
	return machines
}

// spread is the largest distance of two values of an entry of a gradient.
func (o *Options) spread() float64 {
	if o.Signed {
		return 2 * o.Alpha
	}
	return o.Alpha
}

// rounding is the relative amount by which a computed gradient may exceed its bound. Loss
// vectors, which are not computed here, have no such leeway.
const rounding = 1e-9

// checkEntries refuses a gradient with an entry out of range.
func (o *Options) checkEntries(g []float64, client messages.NodeID, step int) error {
	low, high, what := 0.0, o.Alpha, "loss"
	if o.Signed {
		low = -o.Alpha
	}
	slack := 0.0
	if o.Losses != nil {
		slack, what = o.Alpha*rounding, "gradient entry"
	}
	for n, v := range g {
		if !(v >= low-slack && v <= high+slack) {
			return fmt.Errorf("client %d, step %d: the %s of expert %d is %v, outside [%v, %v]", client, step, what, n+1, v, low, high)
		}
	}
	return nil
}
