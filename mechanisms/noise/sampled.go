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
	costs := func(by accountant.Method) Costs {
		return func(noise float64) (float64, error) {
			s.Noise = noise
			found, _, err := s.Epsilon(delta, by)
			return found, err
		}
	}
	rough := costs(accountant.RDP)
	if by == accountant.RDP {
		rough = nil
	}
	noise, err := leastNoise(epsilon, 0, costs(by), rough)
	s.Noise = noise
	return s, err
}

// Costs returns the epsilon of a run at a noise multiplier. More noise never costs more.
type Costs func(multiplier float64) (epsilon float64, err error)

// LeastMultiplier returns the least noise multiplier at which a run costs at most epsilon: the
// cost is within a relative 1e-5 of it, or the multiplier within a relative 1e-6 of noise that
// costs more. rough, unless nil, is a cheap estimate of costs, which saves calls of costs. The
// error is an UnreachableError where no multiplier from 0.05 to 1e6 has that epsilon.
func LeastMultiplier(epsilon float64, costs, rough Costs) (multiplier float64, err error) {
	if multiplier, err = leastNoise(epsilon, 1e-5, costs, rough); err != nil || multiplier > fewestNoise {
		return multiplier, err
	}
	most, err := costs(fewestNoise)
	if err != nil {
		return 0, err
	}
	return 0, UnreachableError{epsilon, most}
}

// UnreachableError is the error of an epsilon that no noise has. Reached is the nearest one that
// some noise has.
type UnreachableError struct{ Epsilon, Reached float64 }

// Error implements error.
func (e UnreachableError) Error() string {
	if e.Reached > e.Epsilon {
		return fmt.Sprintf("no noise has an epsilon of %.6g; the least is %.6g", e.Epsilon, e.Reached)
	}
	return fmt.Sprintf("an epsilon of %.6g needs a noise multiplier below %v; the largest is %.6g", e.Epsilon, fewestNoise, e.Reached)
}

// leastNoise is LeastMultiplier, where little noise may cost less than epsilon. gap is the
// relative distance of the cost to epsilon that ends the search.
func leastNoise(epsilon, gap float64, costs, rough Costs) (float64, error) {
	if !(epsilon > 0) || math.IsInf(epsilon, 1) {
		return 0, fmt.Errorf("no noise has an epsilon of %v; want a finite number > 0", epsilon)
	}
	l := lookout{
		tooLittle: tried{0, math.Inf(1)}, enough: tried{math.Inf(1), math.Inf(-1)},
		allowed: epsilon, gap: gap, costs: costs,
	}
	if rough != nil {
		if guess, err := leastNoise(epsilon, gap, rough, nil); err == nil {
			l.near(guess)
		}
	}
	if l.found() {
		return l.enough.noise, nil
	}
	low, high := 0.5, 1.0
	for {
		ok, err := l.isEnough(high)
		if err != nil {
			return 0, err
		}
		if ok {
			break
		}
		if low, high = high, 2*high; high > mostNoise {
			least, err := costs(mostNoise)
			if err != nil {
				return 0, err
			}
			return 0, UnreachableError{epsilon, least}
		}
	}
	for low > fewestNoise { // where little noise is enough
		ok, err := l.isEnough(low)
		if err != nil || !ok {
			break
		}
		low, high = low/2, low
	}
	return l.halve(low, high)
}

// halve returns the least noise, between noise that is too little and noise that is enough.
func (l *lookout) halve(low, high float64) (float64, error) {
	if l.enough.noise > l.tooLittle.noise*(1+3*narrowest) {
		if err := l.narrow(l.tooLittle, l.enough); err != nil {
			return 0, err
		}
	}
	if l.found() {
		return l.enough.noise, nil
	}
	for high > low*(1+1e-6) {
		middle := (low + high) / 2
		ok, err := l.isEnough(middle)
		if err != nil {
			return 0, err
		}
		if ok {
			high = middle
		} else {
			low = middle
		}
	}
	return high, nil
}

// tried is noise, and the logarithm of the ratio of its epsilon to the allowed one.
type tried struct{ noise, excess float64 }

// lookout knows the most noise that was too little and the least that was enough. Noise
// outside of the two is decided: more noise never costs more.
type lookout struct {
	tooLittle, enough tried
	allowed           float64
	// gap is the excess below 0 that ends the search; 0 means none.
	gap   float64
	costs Costs
}

// found reports whether the cost of the least noise that was enough is close to the allowed one.
func (l *lookout) found() bool { return l.enough.excess >= -l.gap && l.gap > 0 }

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

// near narrows about a guess. An error of costs leaves the search as it is.
func (l *lookout) near(guess float64) {
	const slope = -1.5 // of the logarithms, about: epsilon falls from as sigma^-1 to as sigma^-2
	a, err := l.try(guess)
	if err != nil {
		return
	}
	b, err := l.try(guess * portable.Exp(a.excess/-slope))
	if err != nil {
		return
	}
	_ = l.narrow(a, b)
}

// narrowest is the relative width to which narrow goes, well below the one at which the halving
// ends.
const narrowest = 2e-7

// narrow brings the two near to each other by the secant rule from noise a and b, for the excess
// is nearly straight in the logarithm of the noise. That spares the halving two thirds of its
// steps, each of which composes distributions of losses, and changes the outcome of none.
func (l *lookout) narrow(a, b tried) error {
	for range 8 {
		logA, logB := portable.Log(a.noise), portable.Log(b.noise)
		fromA, fromB := a.excess+l.gap/2, b.excess+l.gap/2
		guess := portable.Exp((float64(logA*fromB) - float64(logB*fromA)) / (fromB - fromA))
		if !(guess > l.tooLittle.noise && guess < l.enough.noise) {
			return nil
		}
		at, err := l.try(guess)
		if err != nil {
			return err
		}
		if l.found() {
			return nil
		}
		if a, b = b, at; math.Abs(b.noise-a.noise) > narrowest*b.noise {
			continue
		}
		for _, noise := range []float64{b.noise * (1 - narrowest), b.noise * (1 + narrowest)} {
			if _, err := l.isEnough(noise); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// The bounds of the noise that is looked for, over the move by a record.
const fewestNoise, mostNoise = 0.05, 1e6
