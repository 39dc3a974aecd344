package claim

import (
	"cmp"
	"fmt"
	"math"

	"starling/mechanisms/portable"
	"starling/scenarios/document"
	"starling/scenarios/results/tabular"
)

// Scaling claims that the quantity of the arms grows as a power of a size of the arms, such as
// the number of nodes or the horizon: q = c s^a with an exponent a that is below a number,
// above one, or between two. The exponent is the least-squares slope of ln q against ln s, one
// for each seed. It describes the sizes of the run; an order of growth is a statement on sizes
// without end.
type Scaling struct {
	Common   `yaml:",inline"`
	Quantity `yaml:",inline"`
	Sizes    []float64 `yaml:"sizes,required" doc:"a size of each arm, in their order, more than 0"`
	Below    *float64  `yaml:"below" doc:"the exponent is smaller"`
	Above    *float64  `yaml:"above" doc:"the exponent is larger"`
	At       Step      `yaml:"at" doc:"the step: first, last or a number; last is the last step of each arm"`
}

func (s *Scaling) validate() error {
	if err := s.Common.validate(2); err != nil {
		return err
	}
	if len(s.Sizes) != len(s.Arms) {
		return document.At("sizes", "%d sizes of %d arms", len(s.Sizes), len(s.Arms))
	}
	same := true
	for i, size := range s.Sizes {
		if !(size > 0) || math.IsInf(size, 1) {
			return document.At(fmt.Sprintf("sizes[%d]", i), "%v; want a finite number > 0", size)
		}
		same = same && size == s.Sizes[0]
	}
	if same {
		return document.At("sizes", "all are %v, and nothing grows with them", s.Sizes[0])
	}
	if err := checkBounds(s.Below, s.Above); err != nil {
		return err
	}
	return cmp.Or(s.Quantity.checkAt(s.At), s.Quantity.validate())
}

// parts returns one part: the mean of the exponents over the seeds, in the claimed range.
func (s *Scaling) parts(d *Data) (parts []Part, _ string, err error) {
	r := &reader{data: d, quantity: s.Quantity}
	slopes, reason, err := s.slopes(r)
	if err != nil {
		return nil, "", err
	}
	claimed, allowed := boundsSpan(s.Below, s.Above)
	part := Part{Label: "exponent", Claimed: claimed, span: allowed, estimate: mean(slopes, d.exponents(s.Quantity), sizeOf(slopes)), Reason: reason}
	return []Part{part}, r.statistics("exponent in the size of arms fitted under each seed", ""), nil
}

// slopes returns the exponents by seed, or the reason why the run has none. No arm is left out
// to make a fit possible.
func (s *Scaling) slopes(r *reader) (slopes []float64, reason string, err error) {
	var logSizes []float64
	var logs [][]float64 // by seed, then by arm
	for i, arm := range s.Arms {
		at, err := r.at(arm, s.At)
		switch {
		case err != nil:
			return nil, "", err
		case at.reason != "":
			return nil, at.reason, nil
		case at.values == nil:
			return nil, "", fmt.Errorf("%s has no value for a seed, so no exponent can be fitted", r.quantity)
		case logs == nil:
			logs = make([][]float64, len(at.values))
		case len(logs) != len(at.values):
			return nil, fmt.Sprintf("%s has %d seeds, and %s %d", s.Arms[0], len(logs), arm, len(at.values)), nil
		}
		logSizes = append(logSizes, portable.Log(s.Sizes[i]))
		for k, x := range at.values {
			if !(x > 0) || math.IsInf(x, 1) {
				return nil, fmt.Sprintf("%s is %s in %s under a seed and has no logarithm", r.quantity, tabular.FormatValue(x), arm), nil
			}
			logs[k] = append(logs[k], portable.Log(x))
		}
	}
	for _, values := range logs {
		slopes = append(slopes, slope(logSizes, values))
	}
	return slopes, "", nil
}
