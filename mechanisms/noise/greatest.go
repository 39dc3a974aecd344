package noise

import (
	"fmt"
	"math"

	"starling/mechanisms/portable"
)

// Exactly is the largest distance of an epsilon that Greatest finds below the wanted one: in nats,
// or relative to an epsilon below 1.
const Exactly = 1e-6

// Greatest returns the largest value in (0, most] at which a run costs at most epsilon, where a
// larger value never costs less: the sampling rate of a party, or the bound on its vectors. Its
// cost is below epsilon by at most Exactly, or it is within a relative 1e-12 of a value that costs
// more. most may be +Inf. The error is a TooLittleError if most itself costs less.
//
// The search brackets epsilon by factors of 8, then takes secants in the logarithms of value and
// cost, in which the cost of small values is nearly straight. Every third step halves the bracket,
// so that a cost that is not straight takes at most three times as many steps as halving.
func Greatest(epsilon, most float64, costs Costs) (value float64, err error) {
	if !(epsilon > 0) || math.IsInf(epsilon, 1) {
		return 0, fmt.Errorf("no value has an epsilon of %v; want a finite number > 0", epsilon)
	}
	s := search{wanted: epsilon, gap: Exactly * min(1, epsilon), costs: costs}
	if err := s.bracket(most); err != nil || s.done() {
		return s.low.noise, err
	}
	for step := 0; !s.done() && s.high.noise > s.low.noise*(1+1e-12); step++ {
		low, high := portable.Log(s.low.noise), portable.Log(s.high.noise)
		middle := (low + high) / 2
		if step%3 < 2 && s.low.excess > -infinite && s.high.excess < infinite {
			// The aim is the middle of the gap.
			aim := portable.Log(1 - s.gap/(2*epsilon))
			share := (aim - s.low.excess) / (s.high.excess - s.low.excess)
			middle = low + float64(min(max(share, 1e-6), 1-1e-6)*(high-low))
		}
		next := portable.Exp(middle)
		if !(next > s.low.noise && next < s.high.noise) {
			break
		}
		if err := s.try(next); err != nil {
			return 0, err
		}
	}
	return s.low.noise, nil
}

// TooLittleError is the error of an epsilon that the largest value does not reach.
type TooLittleError struct{ Epsilon, Most, Reached float64 }

// Error implements error.
func (e TooLittleError) Error() string {
	return fmt.Sprintf("%.6g, the largest, costs %.6g, less than %.6g", e.Most, e.Reached, e.Epsilon)
}

// infinite is the logarithm of a ratio that secants leave out.
const infinite = 700

// search has a value that costs at most epsilon, and one that costs more.
type search struct {
	low, high   tried
	wanted, gap float64
	costs       Costs
	reached     float64 // the cost of low
}

// done reports whether the cost of low is close to epsilon.
func (s *search) done() bool { return s.wanted-s.reached <= s.gap }

// try tests a value between the two.
func (s *search) try(value float64) error {
	cost, err := s.costs(value)
	if err != nil {
		return err
	}
	at := tried{value, portable.Log(cost / s.wanted)}
	if cost <= s.wanted {
		s.low, s.reached = at, cost
		return nil
	}
	s.high = at
	return nil
}

// leastValue and mostValue bound the values that are tried.
const leastValue, mostValue = 1e-12, 1e12

// bracket finds a value that costs at most epsilon, and one that costs more.
func (s *search) bracket(most float64) error {
	if !math.IsInf(most, 1) {
		if err := s.try(most); err != nil || s.done() {
			return err
		}
		if s.high == (tried{}) {
			return TooLittleError{s.wanted, most, s.reached}
		}
	}
	for value := min(1, most/8); s.low == (tried{}); value /= 8 {
		if value < leastValue {
			return fmt.Errorf("an epsilon of %.6g needs a value below %v", s.wanted, leastValue)
		}
		if err := s.try(value); err != nil {
			return err
		}
	}
	for value := 8 * s.low.noise; s.high == (tried{}); value *= 8 {
		if value > mostValue {
			return TooLittleError{s.wanted, s.low.noise, s.reached}
		}
		if err := s.try(value); err != nil {
			return err
		}
	}
	return nil
}
