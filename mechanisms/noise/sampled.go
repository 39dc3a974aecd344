package noise

import (
	"fmt"
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/portable"
)

// CalibrateSampled is the steps of a sampled Gaussian mechanism with the least noise, to a
// relative 1e-6, for which all of them are (epsilon, delta) differentially private, adding
// as well as removing a record; s.Noise does not matter.
func CalibrateSampled(s accountant.SampledGaussian, epsilon, delta float64, by accountant.Method) (accountant.SampledGaussian, error) {
	if !(epsilon > 0) || math.IsInf(epsilon, 1) {
		return s, fmt.Errorf("no noise has an epsilon of %v; want a finite number > 0", epsilon)
	}
	l := lookout{
		tooLittle: tried{0, math.Inf(1)}, enough: tried{math.Inf(1), math.Inf(-1)},
		allowed: epsilon,
		costs: func(noise float64) (float64, error) {
			s.Noise = noise
			found, _, err := s.Epsilon(delta, by)
			return found, err
		},
	}
	low, high := 0.5, 1.0
	for {
		ok, err := l.isEnough(high)
		if err != nil {
			return s, err
		}
		if ok {
			break
		}
		if low, high = high, 2*high; high > mostNoise {
			return s, fmt.Errorf("no noise below %v times what a record moves has an epsilon of %v at delta %v", mostNoise, epsilon, delta)
		}
	}
	for low > leastNoise { // where little noise is enough
		ok, err := l.isEnough(low)
		if err != nil || !ok {
			break
		}
		low, high = low/2, low
	}
	if err := l.narrow(); err != nil {
		return s, err
	}
	for high > low*(1+1e-6) {
		middle := (low + high) / 2
		ok, err := l.isEnough(middle)
		if err != nil {
			return s, err
		}
		if ok {
			high = middle
		} else {
			low = middle
		}
	}
	s.Noise = high
	return s, nil
}

// tried is noise, and the logarithm of the ratio of its epsilon to the allowed one.
type tried struct{ noise, excess float64 }

// lookout knows the most noise that was too little and the least that was enough. Noise
// outside of the two is decided: more noise never costs more.
type lookout struct {
	tooLittle, enough tried
	allowed           float64
	costs             func(noise float64) (epsilon float64, err error)
}

func (l *lookout) isEnough(noise float64) (bool, error) {
	if noise > l.tooLittle.noise && noise < l.enough.noise {
		if _, err := l.try(noise); err != nil {
			return false, err
		}
	}
	return noise >= l.enough.noise, nil
}

// try tests noise between the two.
func (l *lookout) try(noise float64) (tried, error) {
	epsilon, err := l.costs(noise)
	at := tried{noise, portable.Log(epsilon / l.allowed)}
	switch {
	case err != nil:
	case epsilon <= l.allowed:
		l.enough = at
	default:
		l.tooLittle = at
	}
	return at, err
}

// narrow brings the two near to each other by the secant rule, for the excess is nearly
// straight in the logarithm of the noise. That spares the halving two thirds of its steps,
// each of which composes distributions of losses, and changes the outcome of none.
func (l *lookout) narrow() error {
	const width = 2e-7 // relative, well below the width at which the halving ends
	a, b := l.tooLittle, l.enough
	for range 8 {
		logA, logB := portable.Log(a.noise), portable.Log(b.noise)
		guess := portable.Exp((float64(logA*b.excess) - float64(logB*a.excess)) / (b.excess - a.excess))
		if !(guess > l.tooLittle.noise && guess < l.enough.noise) {
			return nil
		}
		at, err := l.try(guess)
		if err != nil {
			return err
		}
		if a, b = b, at; math.Abs(b.noise-a.noise) > width*b.noise {
			continue
		}
		for _, noise := range []float64{b.noise * (1 - width), b.noise * (1 + width)} {
			if _, err := l.isEnough(noise); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// The bounds of the noise that CalibrateSampled looks for, over the move by a record.
const leastNoise, mostNoise = 0.05, 1e6
