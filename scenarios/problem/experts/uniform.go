package experts

import (
	"errors"
	"fmt"

	"starling/actors/option"
	"starling/mechanisms/rng"
)

// KindUniformZero names the adversary of UniformZeroOptions.
const KindUniformZero = "uniform-zero"

// UniformZeroOptions describe losses that are uniform on [0, 1], independent
// over clients, steps and experts, except for one expert with losses of 0 (Section 6 of the
// paper, Fig. 2).
type UniformZeroOptions struct {
	// Expert is the expert without losses, from 1; 0, the default, draws it for each seed.
	Expert int `yaml:"expert" unit:"expert number" range:"1 to the number of experts" doc:"the expert that is best, from 1; absent, drawn for each seed"`
}

// NewUniformZero returns the adversary for a number of clients and experts.
func NewUniformZero(o UniformZeroOptions, clients, experts int) (*Adversary, error) {
	if err := errors.Join(requireParties(KindUniformZero, clients, experts), requireExpert("expert", o.Expert, experts)); err != nil {
		return nil, err
	}
	return vectors(KindUniformZero, clients, experts, 1, func(seed uint64, horizon int) fill {
		key, zero := rng.NewKey(seed, purposeLoss), hidden(o.Expert, seed, experts)-1
		return func(dst []float64, client, step int) {
			var stream rng.Stream
			stream.Open(key, client, step, 0).FillUniform(dst)
			dst[zero] = 0
		}
	}), nil
}

// KindLinear names the adversary of LinearOptions.
const KindLinear = "linear"

// Law is the law of a loss around its mean.
type Law string

const (
	// Bernoulli losses are 0 or 1.
	Bernoulli Law = "bernoulli"
	// Uniform losses are uniform between 0 and twice the mean.
	Uniform Law = "uniform"
)

// LinearOptions describe losses l(x) = <l, x> that are independent over
// clients, steps and experts, with mean 1/2, except for one expert of mean 1/2 - Gap. It is a
// stochastic adversary; the gap is its difficulty.
type LinearOptions struct {
	Gap float64 `yaml:"gap,required" unit:"loss" range:"0 to 1/2" doc:"difference of the mean loss of the best expert from 1/2, the mean loss of the others"` // in [0, 1/2]; there is no default
	// Law is the law of the losses; bernoulli is the default.
	Law Law `yaml:"law" oneof:"bernoulli uniform" doc:"law of a loss: bernoulli is 0 or 1, uniform between 0 and twice the mean; absent, bernoulli"`
	// Expert is the best one, from 1; 0, the default, draws it for each seed.
	Expert int `yaml:"expert" unit:"expert number" range:"1 to the number of experts" doc:"the expert that is best, from 1; absent, drawn for each seed"`
}

// NewLinear returns the adversary for a number of clients and experts.
func NewLinear(o LinearOptions, clients, experts int) (*Adversary, error) {
	errs := []error{requireParties(KindLinear, clients, experts), requireExpert("expert", o.Expert, experts)}
	if !(o.Gap >= 0 && o.Gap <= 0.5) {
		errs = append(errs, option.Errorf("gap", "is %v, want a number in [0, 0.5]", o.Gap))
	}
	if o.Law == "" {
		o.Law = Bernoulli
	}
	if o.Law != Bernoulli && o.Law != Uniform {
		errs = append(errs, option.Errorf("law", "is %q, want %s or %s", o.Law, Bernoulli, Uniform))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return vectors(KindLinear, clients, experts, 1, func(seed uint64, horizon int) fill {
		key, best := rng.NewKey(seed, purposeLoss), hidden(o.Expert, seed, experts)-1
		return func(dst []float64, client, step int) {
			var stream rng.Stream
			stream.Open(key, client, step, 0).FillUniform(dst)
			for n, u := range dst {
				mean := 0.5
				if n == best {
					mean -= o.Gap
				}
				dst[n] = o.Law.draw(u, mean)
			}
		}
	}), nil
}

// draw turns a uniform number into a loss of the given mean, at most 1/2.
func (l Law) draw(u, mean float64) float64 {
	if l == Uniform {
		return 2 * mean * u
	}
	if u < mean {
		return 1
	}
	return 0
}

// kindTable names the adversary of NewTable.
const kindTable = "table"

// NewTable returns the adversary with the rows of a table as losses, for every seed: first of
// client 1 at steps 1 .. T, then of client 2, and so on. rows must be of one length, d, with
// entries in [0, 1], and the same number for each client; they are kept, not copied, and must
// not change. Drawing more steps than there are rows for is refused.
func NewTable(rows [][]float64, clients int) (*Adversary, error) {
	if clients < 1 || len(rows) == 0 || len(rows)%clients != 0 {
		return nil, fmt.Errorf("%s: %d rows do not divide among %d clients", kindTable, len(rows), clients)
	}
	steps, experts := len(rows)/clients, len(rows[0])
	if err := requireParties(kindTable, clients, experts); err != nil {
		return nil, err
	}
	for r, row := range rows {
		client, step := r/steps+1, r%steps+1
		if len(row) != experts {
			return nil, fmt.Errorf("%s: client %d, step %d: %d losses, the first row has %d", kindTable, client, step, len(row), experts)
		}
		for n, v := range row {
			if !(v >= 0 && v <= 1) {
				return nil, fmt.Errorf("%s: client %d, step %d: the loss of expert %d is %v, outside [0, 1]", kindTable, client, step, n+1, v)
			}
		}
	}
	a := vectors(kindTable, clients, experts, 1, func(uint64, int) fill {
		return func(dst []float64, client, step int) { copy(dst, rows[(client-1)*steps+step-1]) }
	})
	a.steps = steps
	return a, nil
}
