package experts

import (
	"errors"
	"math"

	"starling/actors/option"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
)

// The adversaries of the paper's lower bounds.
const (
	KindLowerBound2 = "lower-bound-theorem-2"
	KindLowerBound3 = "lower-bound-theorem-3"
)

// NewLowerBound2 returns the adversary of Theorem 2: at each step all clients
// get the same losses, so that there is nothing to learn from each other. They
// are fair coins, independent over steps and experts, which force a regret of
// order sqrt(T log d) (Cesa-Bianchi, Lugosi 2006, theorem 3.7). OneSelectOptions describe the
// sequence that forces log d/eps for one client.
func NewLowerBound2(clients, experts int) (*Adversary, error) {
	if err := requireParties(KindLowerBound2, clients, experts); err != nil {
		return nil, err
	}
	return vectors(KindLowerBound2, clients, experts, 1, func(seed uint64, horizon int) fill {
		key := rng.NewKey(seed, purposeLoss)
		return func(dst []float64, _, step int) {
			var stream rng.Stream
			stream.Open(key, 0, step, 0).FillUniform(dst)
			for n, u := range dst {
				dst[n] = Bernoulli.draw(u, 0.5)
			}
		}
	}), nil
}

// LowerBound3Options describe the adversary of Theorem 3.
type LowerBound3Options struct {
	// Epsilon is the eps that the sequence is hard for, finite and > 0. It has to be the run's
	// epsilon for the bound to show; there is no default.
	Epsilon float64 `yaml:"epsilon,required" unit:"nats" range:"above 0" doc:"epsilon for which the sequence is hard; the epsilon of the run shows the bound"`
	// Expert is the expert without losses, from 1; 0, the default, draws it for each seed, as
	// the proof does.
	Expert int `yaml:"expert" unit:"expert number" range:"1 to the number of experts" doc:"the expert that is best, from 1; absent, drawn for each seed"`
}

// Hard returns k = log d/(2 m eps), rounded up: the number of steps at the end of the run that
// have losses at all.
func (o LowerBound3Options) Hard(clients, experts int) int {
	return int(min(math.Ceil(portable.Log(float64(experts))/(2*float64(clients)*o.Epsilon)), math.MaxInt32))
}

// NewLowerBound3 returns the adversary of Theorem 3: all losses are 0 until the
// last k steps, in which all experts except a hidden one lose 1.
func NewLowerBound3(o LowerBound3Options, clients, experts int) (*Adversary, error) {
	errs := []error{requireParties(KindLowerBound3, clients, experts), requireExpert("expert", o.Expert, experts)}
	if !(o.Epsilon > 0) || !isFinite(o.Epsilon) {
		errs = append(errs, option.Errorf("epsilon", "is %v, want a finite number above 0", o.Epsilon))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return lossesAtTheEnd(KindLowerBound3, clients, experts, o.Hard(clients, experts), o.Expert), nil
}
