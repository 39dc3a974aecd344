package accountant

import (
	"fmt"
	"math"
)

// maxSteps bounds the search for the steps that a budget allows.
const maxSteps = min(1<<40, math.MaxInt/4)

// Epsilon returns an epsilon for which all the steps are (epsilon, delta)
// differentially private, adding as well as removing a record, and the Rényi
// order that gave it, NaN where none did: no step, nothing sampled, or PLD.
func (s SampledGaussian) Epsilon(delta float64, by Method) (epsilon, order float64, err error) {
	convert, err := s.converter(delta, by)
	if err != nil {
		return 0, 0, err
	}
	return convert(s.Steps)
}

// StepsWithin returns the largest number of steps with an epsilon at delta within budget, with
// that epsilon and its order; s.Steps does not matter. It bisects: the next step is over the
// budget. It refuses a budget that is no finite number >= 0, and one that is never reached.
func (s SampledGaussian) StepsWithin(budget, delta float64, by Method) (steps int, epsilon, order float64, err error) {
	if err := checkEpsilon(budget); err != nil {
		return 0, 0, 0, fmt.Errorf("budget: %w", err)
	}
	s.Steps = 1
	if s.idle() {
		return 0, 0, 0, fmt.Errorf("a sampling rate of 0 never spends a budget")
	}
	convert, err := s.converter(delta, by)
	if err != nil {
		return 0, 0, 0, err
	}
	within := func(steps int) bool {
		var e float64
		if err == nil {
			e, _, err = convert(steps)
		}
		return err == nil && e <= budget
	}
	// The epsilon grows with the steps: double until it is over the budget, then bisect.
	low, high := 0, 1
	for within(high) {
		if low, high = high, 2*high; high > maxSteps {
			return 0, 0, 0, fmt.Errorf("epsilon stays within the budget %v for more than %d steps", budget, low)
		}
	}
	for err == nil && high-low > 1 {
		if middle := low + (high-low)/2; within(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	if err != nil {
		return 0, 0, 0, err
	}
	epsilon, order, err = convert(low)
	return low, epsilon, order, err
}

// converter returns the epsilon, with its order, of a number of steps. The
// Rényi divergence of one step is computed once.
func (s SampledGaussian) converter(delta float64, by Method) (func(steps int) (epsilon, order float64, err error), error) {
	if err := checkDelta(delta); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	convert := s.bySteps
	switch by {
	case RDP:
		convert = s.byOrders(IntegerOrders, Curve.Epsilon)
	case RDPCKS:
		convert = s.byOrders(ManyOrders, Curve.EpsilonCKS)
	case PLD:
	default:
		return nil, by.validate()
	}
	return func(steps int) (float64, float64, error) {
		if steps == 0 || s.Rate == 0 {
			return 0, math.NaN(), nil
		}
		return convert(steps, delta)
	}, nil
}

// bySteps converts by privacy loss distribution, exactly where all is sampled.
func (s SampledGaussian) bySteps(steps int, delta float64) (epsilon, order float64, err error) {
	s.Steps = steps
	if s.Rate == 1 && s.Noise > 0 {
		epsilon, err = GaussianEpsilon(s.Noise/math.Sqrt(float64(steps)), delta)
		return epsilon, math.NaN(), err
	}
	bounds, err := PLDEpsilon([]SampledGaussian{s}, delta)
	return bounds.High, math.NaN(), err
}

func (s SampledGaussian) byOrders(orders []float64, convert func(Curve, float64) (float64, float64, error)) func(int, float64) (float64, float64, error) {
	s.Steps = 1
	one, all := NewCurve(orders), NewCurve(orders)
	invalid := one.AddSampled(s)
	return func(steps int, delta float64) (float64, float64, error) {
		if invalid != nil {
			return 0, 0, invalid
		}
		for i, rdp := range one.RDP {
			all.RDP[i] = float64(steps) * rdp
		}
		return convert(all, delta)
	}
}
