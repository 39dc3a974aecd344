package pld

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// maxWindow is the most points of a transform.
const maxWindow = 1 << 22

// windowLog is -ln of the tilted mass that may lie outside a transform's window, on each
// side.
const windowLog = 32

// ErrUnresolved is returned where the losses are too small or too many for the
// numerical accounting.
var ErrUnresolved = errors.New("privacy loss distribution cannot be resolved")

// Distribution is a privacy loss distribution on the grid (First + i) Width
// + Shift.
type Distribution struct {
	// Width is the distance of neighbouring losses on the grid, in units of epsilon.
	Width float64
	// Shift is added to every loss of the grid. Only the optimistic discretisation uses
	// it: it lowers all losses by the largest excess of the grid over the true losses.
	Shift float64
	// First is the index of the first loss: entry i of LogMass belongs to (First + i)
	// Width + Shift.
	First int
	// LogMass holds the logarithms of probabilities. Probabilities of 1e-300 and less
	// matter here, and sums of logarithms do not underflow.
	LogMass []float64
	// LogInfinite is the logarithm of the probability of an infinite loss. That mass counts
	// towards delta at every epsilon.
	LogInfinite float64
	// Steps is the number of times that the distribution is composed with itself.
	Steps int
}

// At returns the i-th loss without the shift, in units of epsilon.
func (d *Distribution) At(i int) float64 { return float64(float64(d.First+i) * d.Width) }

// Split adds to entries i and i + 1 the mass of the losses between the i-th point of the grid,
// l, and the next; given are the logarithms of its probability under the law and under its
// neighbour's: p = low + high, q = low e^-l + high e^-(l + width).
func (d *Distribution) Split(i int, logP, logQ float64) {
	share := portable.Expm1(logQ-logP+d.At(i)) / portable.Expm1(-d.Width) // of high, in [0, 1] but for rounding
	share = max(0, min(1, share))
	d.LogMass[i] = numeric.LogAdd(d.LogMass[i], logP+portable.Log1p(-share))
	d.LogMass[i+1] = numeric.LogAdd(d.LogMass[i+1], logP+portable.Log(share))
}

// moments returns ln E exp(t loss) over the finite losses, and mean and
// variance of the loss under the law tilted by exp(t loss), all without the
// shift.
func (d *Distribution) moments(t float64) (logMoment, mean, variance float64) {
	top := math.Inf(-1)
	for i, p := range d.LogMass {
		top = max(top, p+float64(t*d.At(i)))
	}
	var sum, first, second float64
	for i, p := range d.LogMass {
		w, l := portable.Exp(p+float64(t*d.At(i))-top), d.At(i)
		sum += w
		first += float64(w * l)
		second += float64(w * l * l)
	}
	mean = first / sum
	return top + portable.Log(sum), mean, max(0, second/sum-float64(mean*mean))
}

// Epsilon bounds the epsilon of a sum of losses on grids of one width from a side, 1 from
// above and -1 from below, Sum.epsilon, and returns the sum's distribution, or ErrUnresolved.
// logDelta is ln delta; any tilt > 0 gives right bounds, a good one, BestTilt, gives sharp
// ones. Only where epsilon lies below the losses that the tilt favours, and may be 0, does it
// look further down, on a transform of up to five times as many points.
func Epsilon(parts []Distribution, tilt, logDelta, side float64) (epsilon float64, c *Sum, err error) {
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

// BestTilt returns the tilt that is best in Chernoff's bound, epsilon <=
// (ln E exp(tilt loss) - ln delta)/tilt, and that epsilon, for laws by a few atoms, each
// composed so many times.
func BestTilt(nodes []Law, steps []int, logDelta float64) (tilt, epsilon float64) {
	chernoff := func(logTilt float64) float64 {
		t := portable.Exp(logTilt)
		total := -logDelta
		for i, k := range steps {
			total += float64(float64(k) * nodes[i].LogMoment(t))
		}
		return total / t
	}
	// The bound has one minimum, and near it is near enough: golden sections, which
	// use one of the two values again.
	const section = 0.6180339887498949
	low, high := portable.Log(1e-6), portable.Log(1e9)
	a, b := high-float64(section*(high-low)), low+float64(section*(high-low))
	atA, atB := chernoff(a), chernoff(b)
	for high-low > 1e-3 {
		if atA < atB {
			high, b, atB = b, a, atA
			a = high - float64(section*(high-low))
			atA = chernoff(a)
		} else {
			low, a, atA = a, b, atB
			b = low + float64(section*(high-low))
			atB = chernoff(b)
		}
	}
	return portable.Exp((low + high) / 2), max(1e-12, chernoff((low+high)/2))
}

// Law is a law of losses by a few hundred atoms.
type Law struct{ Losses, LogMass []float64 }

// LogMoment returns ln E exp(t loss).
func (r Law) LogMoment(t float64) float64 {
	top := math.Inf(-1)
	for i, l := range r.Losses {
		top = max(top, r.LogMass[i]+float64(t*l))
	}
	var sum float64
	for i, l := range r.Losses {
		sum += portable.Exp(r.LogMass[i] + float64(t*l) - top)
	}
	return top + portable.Log(sum)
}

// Sum is the distribution of a sum of losses, tilted: entry i is the
// probability of the loss (first + i) width + shift times exp(tilt loss -
// LogMoment), loss without the shift.
type Sum struct {
	width, shift, tilt float64
	first              int
	tilted             []float64
	LogMoment          float64
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
func compose(parts []Distribution, tilt float64, further int) (*Sum, error) {
	c := &Sum{width: parts[0].Width, tilt: tilt, logInfinite: math.Inf(-1)}
	var center int
	var steps float64
	moments, centers := make([]float64, len(parts)), make([]int, len(parts))
	// Each part is centred on its own tilted mean, so that the sum of all needs a window
	// of some standard deviations only and not of all the losses that are possible.
	for i := range parts {
		d := &parts[i]
		logMoment, mean, _ := d.moments(tilt)
		k := float64(d.Steps)
		moments[i], centers[i] = logMoment, int(math.Round(mean/c.width))
		c.LogMoment += float64(k * logMoment)
		c.logInfinite = numeric.LogAdd(c.logInfinite, portable.Log(k)+d.LogInfinite)
		c.shift += float64(k * d.Shift)
		center += d.Steps * centers[i]
		steps += k
	}
	below, above := window(parts, tilt, center)
	below = max(below, min(center, further*(below+above)))
	size := below + above + 1
	if size > maxWindow {
		return nil, fmt.Errorf("%w: a transform takes %d points", ErrUnresolved, size)
	}
	size = 1 << bits.Len(uint(size))
	transform := numeric.NewTransform(size)
	var product []complex128
	folded := make([]float64, size)
	// Convolution is multiplication of transforms, and k-fold convolution a k-th power:
	// one transform a part, however many steps.
	for i := range parts {
		d := &parts[i]
		clear(folded)
		// Losses beyond the window wrap around. window has made their tilted mass
		// negligible, and epsilon adds it to delta as hidden.
		for j, p := range d.LogMass {
			at := ((d.First+j-centers[i])%size + size) % size
			folded[at] += portable.Exp(p + float64(tilt*d.At(j)) - moments[i])
		}
		product = multiplyPower(product, transform.Coefficients(folded), d.Steps)
	}
	sum := transform.Sequence(product)
	c.first = center - below
	c.tilted = make([]float64, size)
	for i := range c.tilted {
		c.tilted[i] = max(0, sum[((i-below)%size+size)%size]/float64(size))
	}
	c.rounding = (steps + 1) * float64(bits.Len(uint(size))) * 0x1p-52
	return c, nil
}

// multiplyPower multiplies product, nil for ones, by the k-th powers.
func multiplyPower(product, factors []complex128, k int) []complex128 {
	for i, f := range factors {
		factors[i] = numeric.PowerComplex(f, k)
		if product != nil {
			factors[i] = numeric.MultiplyComplex(factors[i], product[i])
		}
	}
	return factors
}

// window returns the numbers of points below and above the center that the tilted sum reaches
// with all but exp(-windowLog) of its mass on each side, by Chernoff's bound.
func window(parts []Distribution, tilt float64, center int) (below, above int) {
	width := parts[0].Width
	var logMoment, variance float64
	for i := range parts {
		m, _, v := parts[i].moments(tilt)
		logMoment += float64(float64(parts[i].Steps) * m)
		variance += float64(float64(parts[i].Steps) * v)
	}
	reach := func(sign float64) int {
		least := math.Inf(1)
		deviation := math.Sqrt(variance) + width
		for t := 32 / deviation; t > 0.05/deviation; t /= 2 {
			total := windowLog - logMoment
			for i := range parts {
				m, _, _ := parts[i].moments(tilt + float64(sign*t))
				total += float64(float64(parts[i].Steps) * m)
			}
			least = min(least, total/t-float64(sign*float64(center)*width))
		}
		return int(math.Ceil(max(0, min(least/width, 2*maxWindow)))) + 1
	}
	return reach(-1), reach(1)
}

// epsilon returns the least epsilon >= 0 at which delta is reached: side 1
// counts all that rounding and window may hide, -1 takes it away. It is not in
// sight where delta is not reached at the least loss: then it is a bound still.
func (c *Sum) epsilon(logDelta, side float64) (epsilon float64, inSight bool) {
	// At grid point j, by losses l_i: within = sum over i > j of p_i (1 -
	// exp(l_j - l_i)) is delta, beyond = sum over i > j of p_i exp(l_j - l_i);
	// both in units of exp(LogMoment - tilt l_j), in which p_i is the tilted entry.
	fall, gain, down := portable.Exp(-c.width), -portable.Expm1(-c.width), portable.Exp(-c.tilt*c.width)
	hidden := portable.Exp(-windowLog) + float64(0x1p-52*float64(bits.Len(uint(len(c.tilted)))))
	var within, beyond float64
	previous := math.Inf(-1)
	for j := len(c.tilted) - 1; j >= 0; j-- {
		loss := float64(float64(c.first+j) * c.width)
		if j < len(c.tilted)-1 {
			all := c.tilted[j+1] + beyond
			within = down * (within + float64(gain*all))
			beyond = down * fall * all
		}
		logAt := math.Inf(-1)
		if bounded := float64(within*(1+float64(side*c.rounding))) + float64(side*hidden); bounded > 0 {
			logAt = c.LogMoment - float64(c.tilt*loss) + portable.Log(bounded)
		}
		logAt = numeric.LogAdd(logAt, c.logInfinite)
		if logAt > logDelta {
			if j == len(c.tilted)-1 {
				return math.Inf(1), true
			}
			share := portable.Exp(numeric.LogSub(logDelta, previous) - numeric.LogSub(logAt, previous))
			return max(0, loss+c.width+portable.Log1p(-share*gain)+c.shift), true
		}
		if loss+c.shift <= 0 {
			return 0, true
		}
		previous = logAt
	}
	if side > 0 {
		return max(0, float64(float64(c.first)*c.width)+c.shift), false
	}
	return 0, false
}
