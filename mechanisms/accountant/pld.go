package accountant

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
)

// The limits of the numerical accounting.
const (
	maxWindow     = 1 << 22 // points of a transform
	leastWidth    = 1e-10   // of a grid; below it the rounding of a cell's probabilities shows
	wantedBracket = 1.005   // upper over lower bound at which refining ends
	goodBracket   = 1.01    // the same for grids that are costly
	costly        = 1 << 17 // points of a grid
	negligible    = 1e-9    // gap of the bounds that is never worth refining
	refinements   = 6
	windowLog     = 32 // -ln of the tilted mass that may lie outside a transform's window, on each side
)

// Bounds is an interval that holds a privacy parameter.
type Bounds struct{ Low, High float64 }

// ErrUnresolved is returned where the losses are too small or too many for the
// numerical accounting.
var ErrUnresolved = errors.New("privacy loss distribution cannot be resolved")

// PLDEpsilon returns bounds on the least epsilon at delta of the composition of
// all the given sampled Gaussian steps, for adding as well as removing a record
// (the larger of both), by privacy loss distributions (Koskela, Jälkö, Honkela
// 2020; Doroshenko et al. 2022) composed by fast Fourier transform.
//
// High is an upper bound: losses are discretised pessimistically, and what the
// finite range, the transform's window (1e-14 of the tilted mass on each side)
// and its rounding (a few units in the last place for each step) can hide is
// added to delta. Low is a lower bound by an optimistic discretisation. The grid is
// refined until both are within 0.5 %, or 1e-9; where that takes too many
// points the last bounds are returned, still bounds.
func PLDEpsilon(steps []SampledGaussian, delta float64) (Bounds, error) {
	if err := checkDelta(delta); err != nil {
		return Bounds{}, err
	}
	var kept []SampledGaussian
	for _, s := range steps {
		if err := s.Validate(); err != nil {
			return Bounds{}, err
		}
		if !s.private() {
			return Bounds{math.Inf(1), math.Inf(1)}, nil
		}
		if !s.idle() {
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 {
		return Bounds{}, nil
	}
	// The pairs of adding and of removing a record are composed apart: the larger epsilon
	// of the two is the mechanism's. The second direction need not be refined once it is
	// surely the smaller.
	var both Bounds
	for _, way := range []direction{remove, add} {
		b, err := pldEpsilon(kept, way, math.Log(delta), both.Low)
		if err != nil {
			return Bounds{}, err
		}
		both.Low, both.High = max(both.Low, b.Low), max(both.High, b.High)
	}
	return both, nil
}

// pldEpsilon is PLDEpsilon in one direction. It refines no further once the
// upper bound is at most enough.
func pldEpsilon(steps []SampledGaussian, way direction, logDelta, enough float64) (Bounds, error) {
	var count int
	for _, s := range steps {
		count += s.Steps
	}
	// The chance that any step falls beyond the grid is 1e-6 of delta.
	logMissed := logDelta - math.Log(1e6*float64(count))
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

// narrowing returns by how much to narrow a grid with these bounds: their distance
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
	pessimistic, optimistic := make([]lossDistribution, len(sources)), make([]lossDistribution, len(sources))
	if points := span(sources, width, logMissed); points > maxWindow {
		return Bounds{}, fmt.Errorf("%w: a grid takes %d points", ErrUnresolved, points)
	}
	for i, s := range sources {
		pessimistic[i] = s.pessimistic(width, logMissed)
	}
	var upper *composed
	if b.High, upper, err = sumEpsilon(pessimistic, tilt, logDelta, 1); err != nil || b.High <= enough {
		return b, err
	}
	// What decides about delta at High is this share of the tilted mass, and a
	// millionth of it may go.
	share := math.Log(1e-6) - max(0, upper.logMoment-logDelta-tilt*b.High)
	for i, s := range sources {
		optimistic[i] = s.optimistic(width, logMissed, tilt, math.Log(float64(s.Steps))-share)
	}
	b.Low, _, err = sumEpsilon(optimistic, tilt, logDelta, -1)
	return b, err
}

// sumEpsilon bounds the epsilon of a sum of losses from a side, composed.epsilon, and
// returns the sum's distribution. Only where epsilon lies below what the tilt looks
// at, and may be 0, does it look further down, on a transform of up to five times as
// many points.
func sumEpsilon(parts []lossDistribution, tilt, logDelta, side float64) (epsilon float64, c *composed, err error) {
	for _, further := range []int{0, 4} {
		if c, err = compose(parts, tilt, further); err != nil {
			return 0, nil, err
		}
		var inSight bool
		if epsilon, inSight = c.epsilon(logDelta, side); inSight {
			break
		}
	}
	return epsilon, c, nil
}

// roughTilt returns the tilt that is best in Chernoff's bound, epsilon <=
// (ln E exp(tilt loss) - ln delta)/tilt, and that epsilon, from a coarse
// quadrature: any tilt gives right bounds, a good one gives sharp ones.
func roughTilt(sources []source, logMissed, logDelta float64) (tilt, epsilon float64) {
	nodes, steps := make([]rough, len(sources)), make([]int, len(sources))
	for i, s := range sources {
		nodes[i], steps[i] = s.rough(logMissed), s.Steps
	}
	return bestTilt(nodes, steps, logDelta)
}

// bestTilt is roughTilt of laws by a few atoms, each composed so many times.
func bestTilt(nodes []rough, steps []int, logDelta float64) (tilt, epsilon float64) {
	chernoff := func(logTilt float64) float64 {
		t := math.Exp(logTilt)
		total := -logDelta
		for i, k := range steps {
			total += float64(k) * nodes[i].logMoment(t)
		}
		return total / t
	}
	// The bound has one minimum, and near it is near enough: golden sections, which
	// use one of the two values again.
	const section = 0.6180339887498949
	low, high := math.Log(1e-6), math.Log(1e9)
	a, b := high-section*(high-low), low+section*(high-low)
	atA, atB := chernoff(a), chernoff(b)
	for high-low > 1e-3 {
		if atA < atB {
			high, b, atB = b, a, atA
			a = high - section*(high-low)
			atA = chernoff(a)
		} else {
			low, a, atA = a, b, atB
			b = low + section*(high-low)
			atB = chernoff(b)
		}
	}
	return math.Exp((low + high) / 2), max(1e-12, chernoff((low+high)/2))
}

// insignificant is -ln of the tilted mass that may be moved up.
const insignificant = 45

// ignore sets the least loss of each source that matters under the tilt.
func ignore(sources []source, logMissed, tilt float64) {
	for i := range sources {
		s := &sources[i]
		s.least = min(0, (s.rough(logMissed).logMoment(tilt)-insignificant-math.Log(float64(s.Steps)))/tilt)
	}
}

// rough is a law of losses by a few hundred atoms.
type rough struct{ losses, logMass []float64 }

func (s source) rough(logMissed float64) rough {
	const points = 800
	r := rough{make([]float64, points), make([]float64, points)}
	low, high := s.outputs(logMissed)
	for i := range points {
		x := low + (high-low)*(float64(i)+0.5)/points
		r.losses[i] = s.loss(x)
		r.logMass[i] = math.Log((high-low)/points/s.Noise) - x*x/(2*s.Noise*s.Noise) - logSqrt2Pi
		if s.direction == remove {
			r.logMass[i] += r.losses[i]
		}
	}
	return r
}

// logMoment returns ln E exp(t loss).
func (r rough) logMoment(t float64) float64 {
	top := math.Inf(-1)
	for i, l := range r.losses {
		top = max(top, r.logMass[i]+t*l)
	}
	var sum float64
	for i, l := range r.losses {
		sum += math.Exp(r.logMass[i] + t*l - top)
	}
	return top + math.Log(sum)
}

// composed is the distribution of a sum of losses, tilted: entry i is the
// probability of the loss (first + i) width + shift times exp(tilt loss -
// logMoment), loss without the shift.
type composed struct {
	width, shift, tilt float64
	first              int
	tilted             []float64
	logMoment          float64
	logInfinite        float64
	rounding           float64 // relative, of the entries
}

// compose convolves the distributions, each with itself steps times. The tilt
// moves the losses that decide about delta to the middle of the sum's law, so
// that the transform's rounding, which is relative to the whole, is relative to
// them too, however small delta is.
//
// It reaches as far down as the tilted law does and, if not yet to 0, further times
// the width of that.
func compose(parts []lossDistribution, tilt float64, further int) (*composed, error) {
	c := &composed{width: parts[0].width, tilt: tilt, logInfinite: math.Inf(-1)}
	var center int
	var steps float64
	moments, centers := make([]float64, len(parts)), make([]int, len(parts))
	// Each part is centred on its own tilted mean, so that the sum of all needs a window
	// of some standard deviations only and not of all the losses that are possible.
	for i := range parts {
		d := &parts[i]
		logMoment, mean, _ := d.moments(tilt)
		k := float64(d.steps)
		moments[i], centers[i] = logMoment, int(math.Round(mean/c.width))
		c.logMoment += k * logMoment
		c.logInfinite = logAdd(c.logInfinite, math.Log(k)+d.logInfinite)
		c.shift += k * d.shift
		center += d.steps * centers[i]
		steps += k
	}
	below, above := window(parts, tilt, center)
	below = max(below, min(center, further*(below+above)))
	size := below + above + 1
	if size > maxWindow {
		return nil, fmt.Errorf("%w: a transform takes %d points", ErrUnresolved, size)
	}
	size = 1 << bits.Len(uint(size))
	transform := fourier.NewFFT(size)
	var product []complex128
	folded := make([]float64, size)
	// Convolution is multiplication of transforms, and k-fold convolution a k-th power:
	// one transform a part, however many steps.
	for i := range parts {
		d := &parts[i]
		clear(folded)
		// Losses beyond the window wrap around. window has made their tilted mass
		// negligible, and epsilon adds it to delta as hidden.
		for j, p := range d.logMass {
			at := ((d.first+j-centers[i])%size + size) % size
			folded[at] += math.Exp(p + tilt*d.at(j) - moments[i])
		}
		product = multiplyPower(product, transform.Coefficients(nil, folded), float64(d.steps))
	}
	sum := transform.Sequence(nil, product)
	c.first = center - below
	c.tilted = make([]float64, size)
	for i := range c.tilted {
		c.tilted[i] = max(0, sum[((i-below)%size+size)%size]/float64(size))
	}
	c.rounding = (steps + 1) * float64(bits.Len(uint(size))) * 0x1p-52
	return c, nil
}

// multiplyPower multiplies product, nil for ones, by the k-th powers.
func multiplyPower(product, factors []complex128, k float64) []complex128 {
	for i, f := range factors {
		radius, angle := cmplx.Polar(f)
		factors[i] = cmplx.Rect(math.Exp(k*math.Log(radius)), k*angle)
		if product != nil {
			factors[i] *= product[i]
		}
	}
	return factors
}

// window returns how many points below and above the center the tilted sum
// reaches with all but exp(-windowLog) of its mass on each side, by Chernoff's
// bound.
func window(parts []lossDistribution, tilt float64, center int) (below, above int) {
	width := parts[0].width
	var logMoment, variance float64
	for i := range parts {
		m, _, v := parts[i].moments(tilt)
		logMoment += float64(parts[i].steps) * m
		variance += float64(parts[i].steps) * v
	}
	reach := func(sign float64) int {
		least := math.Inf(1)
		deviation := math.Sqrt(variance) + width
		for t := 32 / deviation; t > 0.05/deviation; t /= 2 {
			total := windowLog - logMoment
			for i := range parts {
				m, _, _ := parts[i].moments(tilt + sign*t)
				total += float64(parts[i].steps) * m
			}
			least = min(least, total/t-sign*float64(center)*width)
		}
		return int(math.Ceil(max(0, min(least/width, 2*maxWindow)))) + 1
	}
	return reach(-1), reach(1)
}

// epsilon returns the least epsilon >= 0 at which delta is reached: side 1
// counts all that rounding and window may hide, -1 takes it away. It is not in
// sight where delta is not reached at the least loss: then it is a bound still.
func (c *composed) epsilon(logDelta, side float64) (epsilon float64, inSight bool) {
	// At grid point j, by losses l_i: within = sum over i > j of p_i (1 -
	// exp(l_j - l_i)) is delta, beyond = sum over i > j of p_i exp(l_j - l_i);
	// both in units of exp(logMoment - tilt l_j), in which p_i is the tilted entry.
	fall, gain, down := math.Exp(-c.width), -math.Expm1(-c.width), math.Exp(-c.tilt*c.width)
	hidden := math.Exp(-windowLog) + 0x1p-52*float64(bits.Len(uint(len(c.tilted))))
	var within, beyond float64
	previous := math.Inf(-1)
	for j := len(c.tilted) - 1; j >= 0; j-- {
		loss := float64(c.first+j) * c.width
		if j < len(c.tilted)-1 {
			all := c.tilted[j+1] + beyond
			within = down * (within + gain*all)
			beyond = down * fall * all
		}
		logAt := math.Inf(-1)
		if bounded := within*(1+side*c.rounding) + side*hidden; bounded > 0 {
			logAt = c.logMoment - c.tilt*loss + math.Log(bounded)
		}
		logAt = logAdd(logAt, c.logInfinite)
		if logAt > logDelta {
			if j == len(c.tilted)-1 {
				return math.Inf(1), true
			}
			share := math.Exp(logSub(logDelta, previous) - logSub(logAt, previous))
			return max(0, loss+c.width+math.Log1p(-share*gain)+c.shift), true
		}
		if loss+c.shift <= 0 {
			return 0, true
		}
		previous = logAt
	}
	if side > 0 {
		return max(0, float64(c.first)*c.width+c.shift), false
	}
	return 0, false
}
