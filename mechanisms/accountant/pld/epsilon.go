package pld

import (
	"errors"
	"fmt"
	"math"

	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// The limits of the numerical accounting.
const (
	leastWidth    = 1e-10   // of a grid; below it the rounding of a cell's probabilities shows
	wantedBracket = 1.005   // upper over lower bound at which refining ends
	goodBracket   = 1.01    // the same for grids that are costly
	costly        = 1 << 17 // points of a grid
	negligible    = 1e-9    // gap of the bounds that is never worth refining
	refinements   = 6
)

// Bounds is an interval that holds a privacy parameter.
type Bounds struct{ Low, High float64 }

// SampledEpsilon returns bounds on the least epsilon at delta of the composition of all the
// steps, for adding as well as removing a record (the larger of both). The error wraps
// ErrUnresolved, where the losses are too small or too many.
func SampledEpsilon(steps []SampledGaussian, delta float64) (Bounds, error) {
	if len(steps) == 0 {
		return Bounds{}, nil
	}
	// The pairs of adding and of removing a record are composed apart: the larger epsilon
	// of the two is the mechanism's. The second direction need not be refined once it is
	// surely the smaller.
	var both Bounds
	for _, way := range []direction{remove, add} {
		b, err := epsilonOf(steps, way, portable.Log(delta), both.Low)
		if err != nil {
			return Bounds{}, err
		}
		both.Low, both.High = max(both.Low, b.Low), max(both.High, b.High)
	}
	return both, nil
}

// SampledReplaceEpsilon returns bounds on the least epsilon at delta of the composition of all
// the steps, for replacing a record by another. The error is as for SampledEpsilon.
func SampledReplaceEpsilon(steps []SampledGaussian, delta float64) (Bounds, error) {
	if len(steps) == 0 {
		return Bounds{}, nil
	}
	return epsilonOf(steps, replace, portable.Log(delta), 0)
}

// epsilonOf is SampledEpsilon in one direction. It refines no further once the upper bound is
// at most enough.
func epsilonOf(steps []SampledGaussian, way direction, logDelta, enough float64) (Bounds, error) {
	var count int
	for _, s := range steps {
		count += s.Steps
	}
	// The chance that any step falls beyond the grid is 1e-6 of delta.
	logMissed := logDelta - portable.Log(1e6*float64(count))
	sources := make([]source, len(steps))
	for i, s := range steps {
		sources[i] = source{s, way, math.Inf(-1)}
	}
	// The steps: find the exponential tilt that centres the sum's law on the losses that
	// decide about delta; choose a width of the grid from it; bound epsilon from both
	// sides; halve the width or so until the bounds are close.
	tilt, chernoff := roughTilt(sources, logMissed, logDelta)
	// A cell's mass is spread by at most about width^2/6 of variance, which costs
	// count (tilt + 1) width^2/12 of epsilon.
	width := math.Sqrt(0.012 * chernoff / (float64(count) * (tilt + 1)))
	best := Bounds{0, math.Inf(1)}
	for range refinements {
		if !(width >= leastWidth) || math.IsInf(width, 1) {
			break
		}
		ignore(sources, logMissed, tilt)
		b, err := bracket(sources, width, logMissed, tilt, logDelta, enough)
		if errors.Is(err, ErrUnresolved) && !math.IsInf(best.High, 1) {
			break
		}
		if err != nil {
			return Bounds{}, err
		}
		best = Bounds{max(best.Low, b.Low), min(best.High, b.High)}
		if best.High <= max(enough, wantedBracket*best.Low) || best.High-best.Low <= negligible {
			return best, nil
		}
		if points := span(sources, width, logMissed); points > costly && best.High <= goodBracket*best.Low {
			return best, nil
		}
		width *= narrowing(best)
		if best.Low == 0 { // perhaps epsilon is 0, out of sight of the tilt
			tilt = min(tilt, 16/best.High)
		}
	}
	if math.IsInf(best.High, 1) {
		return Bounds{}, fmt.Errorf("%w: a grid of width %.3g is too fine", ErrUnresolved, width)
	}
	return best, nil
}

// narrowing returns the factor by which to narrow a grid with these bounds: their distance
// falls with the square of the width, and is to be a little less than wanted.
func narrowing(b Bounds) float64 {
	if math.IsInf(b.High, 1) || b.Low == 0 {
		return 0.5
	}
	gap := b.High/b.Low - 1
	return max(0.25, min(0.75, 0.9*math.Sqrt((wantedBracket-1)/gap)))
}

// span returns the number of points of the longest grid of a width.
func span(sources []source, width, logMissed float64) (points int) {
	for _, s := range sources {
		_, count := s.grid(width, logMissed)
		points = max(points, count)
	}
	return points
}

// bracket bounds epsilon from both sides on grids of one width, from below only
// where the upper bound is over enough.
func bracket(sources []source, width, logMissed, tilt, logDelta, enough float64) (b Bounds, err error) {
	pessimistic, optimistic := make([]Distribution, len(sources)), make([]Distribution, len(sources))
	if points := span(sources, width, logMissed); points > maxWindow {
		return Bounds{}, fmt.Errorf("%w: a grid takes %d points", ErrUnresolved, points)
	}
	for i, s := range sources {
		pessimistic[i] = s.pessimistic(width, logMissed)
	}
	var upper *Sum
	if b.High, upper, err = Epsilon(pessimistic, tilt, logDelta, 1); err != nil || b.High <= enough {
		return b, err
	}
	// The losses that decide about delta at High have this share of the tilted mass, and a
	// millionth of it may go.
	share := portable.Log(1e-6) - max(0, upper.LogMoment-logDelta-float64(tilt*b.High))
	for i, s := range sources {
		optimistic[i] = s.optimistic(width, logMissed, tilt, portable.Log(float64(s.Steps))-share)
	}
	b.Low, _, err = Epsilon(optimistic, tilt, logDelta, -1)
	return b, err
}

// roughTilt returns the tilt that is best in Chernoff's bound, epsilon <=
// (ln E exp(tilt loss) - ln delta)/tilt, and that epsilon, from a coarse
// quadrature: any tilt gives right bounds, a good one gives sharp ones.
func roughTilt(sources []source, logMissed, logDelta float64) (tilt, epsilon float64) {
	nodes, steps := make([]Law, len(sources)), make([]int, len(sources))
	for i, s := range sources {
		nodes[i], steps[i] = s.rough(logMissed), s.Steps
	}
	return BestTilt(nodes, steps, logDelta)
}

// insignificant is -ln of the tilted mass that may be moved up.
const insignificant = 45

// ignore sets the least loss of each source that matters under the tilt.
func ignore(sources []source, logMissed, tilt float64) {
	for i := range sources {
		s := &sources[i]
		s.least = min(0, (s.rough(logMissed).LogMoment(tilt)-insignificant-portable.Log(float64(s.Steps)))/tilt)
	}
}

func (s source) rough(logMissed float64) Law {
	const points = 800
	r := Law{Losses: make([]float64, points), LogMass: make([]float64, points)}
	low, high := s.outputs(logMissed)
	for i := range points {
		x := low + (high-low)*(float64(i)+0.5)/points
		r.Losses[i] = s.loss(x)
		r.LogMass[i] = portable.Log((high-low)/points/s.Noise) - x*x/(2*s.Noise*s.Noise) - numeric.LogSqrt2Pi
		if s.direction != add {
			r.LogMass[i] += s.logRatio(x)
		}
	}
	return r
}
