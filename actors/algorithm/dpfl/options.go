package dpfl

import (
	"math"
	"slices"

	"starling/actors/option"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
)

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// Validate reports everything that keeps the options from describing a run, each
// an *option.Error named as scenarios do.
func (o *Options) Validate() error {
	var r option.Faults
	r.Check(o.Rounds >= 1, "rounds", "%d rounds; want at least 1", o.Rounds)
	if o.Adaptive == nil {
		r.Check(o.Tau >= 1, "tau", "%d local steps in a round; want at least 1", o.Tau)
	} else {
		r.Check(o.Tau == 0, "tau", "%d local steps in a round, and adaptive ones; want one of the two", o.Tau)
		r.Check(o.Stragglers == nil, "stragglers", "the server chooses the local steps of a round by estimates of clients that all take as many; stragglers need a fixed tau")
	}
	r.Check(positive(o.LearningRate), "learning_rate", "learning rate eta = %v; want a finite number > 0", o.LearningRate)
	r.Check(o.Proximal >= 0 && !math.IsInf(o.Proximal, 1), "mu", "mu = %v; want a finite number >= 0", o.Proximal)
	r.Check(o.Late.Known(), "late", "unknown rule for late messages %q; known: drop, use", o.Late)
	r.Check(o.Neighbours == "" || slices.Contains(accountant.Relations(), o.Neighbours), "neighbours", "unknown neighbours %q; known: %v", string(o.Neighbours), accountant.Relations())
	o.validateNoise(&r)
	o.validateClients(&r)
	r.Check(len(o.Start) > 0, "start", "a start of no parameters; want at least 1")
	for k, v := range o.Start {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			r.Check(false, "start", "entry %d of the start is %v; want a finite number", k+1, v)
			break
		}
	}
	if o.Set != nil {
		o.validateSet(&r)
	}
	if o.Budget != nil {
		o.Budget.validate(&r, o)
	}
	if o.Adaptive != nil {
		o.Adaptive.validate(&r, o.Clients)
	}
	return r.Err()
}

// outside is how far outside the set a start may be, by rounding.
const outside = 1e-9

func (o *Options) validateSet(r *option.Faults) {
	if d := o.Set.Dim(); d != len(o.Start) {
		r.Check(false, "start", "a start of %d parameters; the set has dimension %d", len(o.Start), d)
		return
	}
	v := o.Set.Violation(o.Start)
	r.Check(v <= outside, "start", "the start is outside the set, by %.3g", v)
}

func (o *Options) validateNoise(r *option.Faults) {
	n := o.Noise
	switch {
	case !n.Private():
		r.Check(o.Clip > 0, "clip", "clipping norm C = %v; want a number > 0, or none", o.Clip)
		return
	case n.Once():
		r.Check(positive(n.Scale()), "epsilon", "noise of standard deviation %v; want a finite number > 0", n.Scale())
		r.Check(positive(n.Sensitivity()), "clip", "sensitivity %v; want a finite number > 0", n.Sensitivity())
	case n.Sampled():
		r.Check(positive(n.Multiplier()), "sigma", "noise multiplier sigma = %v; want a finite number > 0, or none", n.Multiplier())
	default:
		r.Check(positive(n.Scale()), "epsilon", "%s noise of scale %v; want a finite number > 0", noise.Title(n.Law()), n.Scale())
	}
	r.Check(positive(o.Clip), "clip", "clipping norm C = %v; want a finite number > 0", o.Clip)
	if !n.Once() && positive(o.Clip) {
		least := n.Law().Norm().Of(o.moves())
		r.Check(n.Sensitivity() >= least*(1-1e-9), "clip", "sensitivity %v; a sample moves a sum by up to %v", n.Sensitivity(), least) // up to rounding
	}
}

// validateFactorization refuses correlated noise that is not made for the run, or for less than
// a sample moves: a plan has no need of the factorization, which takes long.
func (o *Options) validateFactorization() error {
	if !o.Noise.Once() {
		return nil
	}
	f := o.Noise.Factorization()
	if f == nil {
		return option.Errorf("kind", "correlated noise without a factorization")
	}
	var r option.Faults
	r.Check(f.N() >= o.MostSteps(), "kind", "the noise is made for %d local steps, the run has up to %d", f.N(), o.MostSteps())
	least := o.Clip * f.FullSensitivity()
	r.Check(o.Noise.Sensitivity() >= least*(1-1e-9), "clip", "sensitivity %v; a sample that is in every sum moves C G by up to %v", o.Noise.Sensitivity(), least) // up to rounding
	return r.Err()
}

// owned reports whether each sum has noise of its own, of a law, that gains nothing by samples.
func (o *Options) owned() bool {
	return o.Noise.Private() && !o.Noise.Once() && !o.Noise.Sampled()
}

// whole reports whether the noise is for sums over all data of a client.
func (o *Options) whole() bool { return o.Noise.Private() && !o.Noise.Sampled() }

func (o *Options) validateClients(r *option.Faults) {
	r.Check(len(o.Clients) > 0, "clients", "0 clients; want at least 1")
	r.Check(o.Batch >= 0, "batch", "batch B = %d; want at least 1, or 0 for all data", o.Batch)
	for i, data := range o.Clients {
		switch {
		case data == nil:
			r.Check(false, "clients", "client %d has no data", i+1)
		case data.Size() < 1:
			r.Check(false, "clients", "client %d has %d samples; want at least 1", i+1, data.Size())
		case data.Size() < o.Batch:
			r.Check(false, "batch", "batch B = %d is more than the %d samples of client %d", o.Batch, data.Size(), i+1)
		case o.whole() && o.Batch > 0 && o.Batch != data.Size():
			r.Check(false, "batch", "batch B = %d of the %d samples of client %d; this noise is for sums over all of them: leave the batch out", o.Batch, data.Size(), i+1)
		}
	}
}

func (b *Budget) validate(r *option.Faults, o *Options) {
	r.Check(o.Noise.Private(), "budget", "a privacy budget for a run without noise")
	r.Check(positive(b.Epsilon), "budget.epsilon", "budget epsilon = %v; want a finite number > 0", b.Epsilon)
	pure := o.owned() && b.Delta == 0
	r.Check(pure || b.Delta > 0 && b.Delta < 1, "budget.delta", "budget delta = %v; want a number in (0, 1)", b.Delta)
	r.Check(slices.Contains(accountant.Methods(), b.Method), "budget.accountant", "unknown accountant %q; known: %v", string(b.Method), accountant.Methods())
}

func (a *Adaptive) validate(r *option.Faults, clients []Data) {
	r.Check(a.Control == 0 || positive(a.Control), "control", "control constant c_G = %v; want a finite number > 0", a.Control)
	known := slices.Contains(statisticsKinds(), a.Statistics)
	r.Check(known, "statistics", "unknown statistics %q; known: as-printed, private, public", string(a.Statistics))
	if a.Statistics == Private {
		r.Check(positive(a.Sigma), "statistics_sigma", "noise multiplier of the statistics %v; want a finite number > 0", a.Sigma)
		r.Check(positive(a.Lipschitz), "statistics_lipschitz", "Lipschitz bound of the statistics %v; want a finite number > 0", a.Lipschitz)
		r.Check(positive(a.Clip), "statistics_clip", "clipping norm of the statistics %v; want a finite number > 0", a.Clip)
	} else if known {
		r.Check(a.Sigma == 0, "statistics_sigma", "noise on %s statistics; only private ones have it", a.Statistics)
		r.Check(a.Lipschitz == 0, "statistics_lipschitz", "a Lipschitz bound for %s statistics; only private ones have it", a.Statistics)
		r.Check(a.Clip == 0, "statistics_clip", "a clipping norm for %s statistics; only private ones have it", a.Statistics)
	}
	if a.Statistics == Public {
		r.Check(len(a.Public) == len(clients), "statistics", "public data for %d clients; there are %d", len(a.Public), len(clients))
		clients = a.Public
	} else {
		r.Check(a.Public == nil, "statistics", "public data beside %s statistics", a.Statistics)
	}
	r.Check(a.Samples >= 0, "statistics_samples", "%d samples for the statistics; want at least 1, or 0 for all", a.Samples)
	for i, data := range clients {
		switch {
		case data == nil:
			if a.Statistics == Public {
				r.Check(false, "statistics", "client %d has no public data", i+1)
			}
		case data.Size() < 1 && a.Statistics == Public:
			r.Check(false, "statistics", "client %d has %d public samples; want at least 1", i+1, data.Size())
		case data.Size() < a.Samples:
			r.Check(false, "statistics_samples", "%d samples for the statistics are more than the %d of client %d", a.Samples, data.Size(), i+1)
		}
	}
}
