package dpfl

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/accountant"
)

// OptionError is a value that cannot be used. Field is its name in a scenario.
type OptionError struct{ field, message string }

// Error implements error.
func (e *OptionError) Error() string { return e.message }

// Field is the name of the option.
func (e *OptionError) Field() string { return e.field }

// refusals collects what keeps options from describing a run.
type refusals []error

func (r *refusals) check(ok bool, field, format string, args ...any) {
	if !ok {
		*r = append(*r, &OptionError{field, fmt.Sprintf(format, args...)})
	}
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// Validate reports everything that keeps the options from describing a run, each
// an *OptionError.
func (o *Options) Validate() error {
	var r refusals
	r.check(o.Rounds >= 1, "rounds", "%d rounds; want at least 1", o.Rounds)
	if o.Adaptive == nil {
		r.check(o.Tau >= 1, "tau", "%d local steps in a round; want at least 1", o.Tau)
	} else {
		r.check(o.Tau == 0, "tau", "%d local steps in a round, and adaptive ones; want one of the two", o.Tau)
	}
	r.check(positive(o.LearningRate), "learning_rate", "learning rate eta = %v; want a finite number > 0", o.LearningRate)
	r.check(o.Late.Known(), "late", "unknown rule for late messages %q; known: drop, use", o.Late)
	r.check(o.Neighbours == "" || slices.Contains(accountant.Relations(), o.Neighbours), "neighbours", "unknown neighbours %q; known: %v", string(o.Neighbours), accountant.Relations())
	o.validateNoise(&r)
	o.validateClients(&r)
	r.check(len(o.Start) > 0, "start", "a start of no parameters; want at least 1")
	for k, v := range o.Start {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			r.check(false, "start", "entry %d of the start is %v; want a finite number", k+1, v)
			break
		}
	}
	if o.Budget != nil {
		o.Budget.validate(&r, o.Noiseless)
	}
	if o.Adaptive != nil {
		o.Adaptive.validate(&r, o.Clients)
	}
	return errors.Join(r...)
}

func (o *Options) validateNoise(r *refusals) {
	if o.Noiseless {
		r.check(o.Sigma == 0, "sigma", "noise multiplier sigma = %v in a run without noise; want none", o.Sigma)
		r.check(o.Clip > 0, "clip", "clipping norm C = %v; want a number > 0, or none", o.Clip)
		return
	}
	r.check(positive(o.Sigma), "sigma", "noise multiplier sigma = %v; want a finite number > 0, or none", o.Sigma)
	r.check(positive(o.Clip), "clip", "clipping norm C = %v; want a finite number > 0", o.Clip)
}

func (o *Options) validateClients(r *refusals) {
	r.check(len(o.Clients) > 0, "clients", "0 clients; want at least 1")
	r.check(o.Batch >= 1, "batch", "batch B = %d; want at least 1", o.Batch)
	for i, data := range o.Clients {
		switch {
		case data == nil:
			r.check(false, "clients", "client %d has no data", i+1)
		case data.Size() < 1:
			r.check(false, "clients", "client %d has %d samples; want at least 1", i+1, data.Size())
		case data.Size() < o.Batch:
			r.check(false, "batch", "batch B = %d is more than the %d samples of client %d", o.Batch, data.Size(), i+1)
		}
	}
}

func (b *Budget) validate(r *refusals, noiseless bool) {
	r.check(!noiseless, "budget", "a privacy budget for a run without noise")
	r.check(positive(b.Epsilon), "budget.epsilon", "budget epsilon = %v; want a finite number > 0", b.Epsilon)
	r.check(b.Delta > 0 && b.Delta < 1, "budget.delta", "budget delta = %v; want a number in (0, 1)", b.Delta)
	r.check(slices.Contains(accountant.Methods(), b.Method), "budget.accountant", "unknown accountant %q; known: %v", string(b.Method), accountant.Methods())
}

func (a *Adaptive) validate(r *refusals, clients []Data) {
	r.check(a.Control == 0 || positive(a.Control), "control", "control constant c_G = %v; want a finite number > 0", a.Control)
	known := slices.Contains(StatisticsKinds(), a.Statistics)
	r.check(known, "statistics", "unknown statistics %q; known: as-printed, private, public", string(a.Statistics))
	if a.Statistics == Private {
		r.check(positive(a.Sigma), "statistics_sigma", "noise multiplier of the statistics %v; want a finite number > 0", a.Sigma)
		r.check(positive(a.Lipschitz), "statistics_lipschitz", "Lipschitz bound of the statistics %v; want a finite number > 0", a.Lipschitz)
		r.check(positive(a.Clip), "statistics_clip", "clipping norm of the statistics %v; want a finite number > 0", a.Clip)
	} else if known {
		r.check(a.Sigma == 0, "statistics_sigma", "noise on %s statistics; only private ones have it", a.Statistics)
		r.check(a.Lipschitz == 0, "statistics_lipschitz", "a Lipschitz bound for %s statistics; only private ones have it", a.Statistics)
		r.check(a.Clip == 0, "statistics_clip", "a clipping norm for %s statistics; only private ones have it", a.Statistics)
	}
	if a.Statistics == Public {
		r.check(len(a.Public) == len(clients), "statistics", "public data for %d clients; there are %d", len(a.Public), len(clients))
		clients = a.Public
	} else {
		r.check(a.Public == nil, "statistics", "public data beside %s statistics", a.Statistics)
	}
	r.check(a.Samples >= 0, "statistics_samples", "%d samples for the statistics; want at least 1, or 0 for all", a.Samples)
	for i, data := range clients {
		switch {
		case data == nil:
			if a.Statistics == Public {
				r.check(false, "statistics", "client %d has no public data", i+1)
			}
		case data.Size() < 1 && a.Statistics == Public:
			r.check(false, "statistics", "client %d has %d public samples; want at least 1", i+1, data.Size())
		case data.Size() < a.Samples:
			r.check(false, "statistics_samples", "%d samples for the statistics are more than the %d of client %d", a.Samples, data.Size(), i+1)
		}
	}
}
