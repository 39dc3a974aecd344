package numeric

import (
	"math"

	"starling/mechanisms/portable"
)

// SkewedStudent is the law of Student's ratio of values that are as skewed as values of the
// exponential law: of (m - x) √n/s, where x and s are the mean and the standard deviation of n
// independent values of the exponential law of mean m. No law with a log-concave density is
// more skewed. The ratio has a far longer tail than the ratio of normal values, for values
// that happen to be small are also near to each other.
//
// The zero value is ready for use. It keeps tables that grow with the largest n that it was
// asked for, and is not safe for concurrent use.
//
// Since x and s/x are independent (Basu 1955), the ratio exceeds c with probability E[P(x <
// m/(1 + c r))], where r = s/(x √n), and x has a gamma law. The values are x n times shares of
// a whole that are uniform on the simplex, and r² is (n W - 1)/(n - 1) with the sum W of the
// squares of the shares, Greenwood's statistic: its law is computed from the law for n-1
// shares, given one of them.
type SkewedStudent struct {
	// shares has for n = 2, 3, ... the logarithms of the distribution function of r at the
	// points of the grid.
	shares [][]float64
	// survivals has for n the logarithms of the survival function at the points of tails.
	survivals map[int][]float64
}

// grid is equal steps of a variable, the logarithm of another.
type grid struct {
	from, step float64
	count      int
}

func (g grid) at(i int) float64 { return g.from + float64(float64(i)*g.step) }

var (
	// sharesGrid is the grid of the logarithm of r, up to 0; below it the law is a power.
	sharesGrid = grid{from: -8, step: 8.0 / 600, count: 601}
	// tailsGrid is the grid of the logarithm of the ratio; beyond it the law is a power.
	tailsGrid = grid{from: -3, step: 0.1, count: 191}
)

const (
	// mostExact is the largest n with tables of its own.
	mostExact = 200
	// leastSurvival is the least value of Survival where there is no table.
	leastSurvival = 1e-15
)

// Survival is the probability that the ratio of n >= 2 values exceeds c > 0. For more than 200
// values it is the probability of which c is the Quantile, and at least 1e-15.
func (s *SkewedStudent) Survival(n int, c float64) float64 {
	switch {
	case n < 2 || math.IsNaN(c):
		return math.NaN()
	case math.IsInf(c, 1):
		return 0
	case n <= mostExact:
		return portable.Exp(tailsGrid.interpolate(s.tails(n), portable.Log(c), float64(n-1), -float64(n-1)))
	}
	low, high := portable.Log(leastSurvival), 0.0 // of logarithms
	for range 60 {
		middle := (low + high) / 2
		if s.beyond(n, portable.Exp(middle)) > c {
			low = middle
		} else {
			high = middle
		}
	}
	return portable.Exp(high)
}

// Quantile is the c that the ratio of n >= 2 values exceeds with probability 1 - p, for p of
// at least 0.6. Beyond 200 values its distance from Student's quantile is the distance at 200
// values, less as the root of n, which is the order in which the skewness of a mean falls: the
// distance falls faster.
func (s *SkewedStudent) Quantile(n int, p float64) float64 { return s.beyond(n, 1-p) }

// beyond is the c that the ratio exceeds with a probability.
func (s *SkewedStudent) beyond(n int, probability float64) float64 {
	switch {
	case n < 2 || !(probability >= 0 && probability <= 0.4):
		return math.NaN()
	case probability == 0:
		return math.Inf(1)
	case n > mostExact:
		most, normal := s.beyond(mostExact, probability), -StudentQuantile(mostExact-1, probability)
		return -StudentQuantile(float64(n-1), probability) + float64((most-normal)*math.Sqrt(mostExact/float64(n)))
	}
	wanted, tails := portable.Log(probability), s.tails(n)
	low, high := tailsGrid.from, 750.0
	for range 60 {
		middle := (low + high) / 2
		if tailsGrid.interpolate(tails, middle, 0, -float64(n-1)) > wanted {
			low = middle
		} else {
			high = middle
		}
	}
	return portable.Exp(high)
}

// tails is the table of survival of n values: the integral of F(r) over the law of m/x - 1 = c r,
// with F the distribution function of r. In the logarithm of r it is smooth, so that the
// trapezoidal rule is precise.
func (s *SkewedStudent) tails(n int) []float64 {
	if list, ok := s.survivals[n]; ok {
		return list
	}
	law := s.share(n)
	logConstant := float64(float64(n)*portable.Log(float64(n))) - portable.Lgamma(float64(n))
	list := make([]float64, tailsGrid.count)
	const step = 0.05
	for i := range list {
		logC := tailsGrid.at(i)
		var sum float64
		for x := min(-8, -logC) - 12; x < 16; x += step {
			logF := 0.0
			if x < 0 {
				logF = sharesGrid.interpolate(law, x, float64(n-1), 0)
			}
			y := 1 / (1 + portable.Exp(logC+x)) // x of the mean m = 1
			if y > 0 && y < 1 {
				sum += portable.Exp(logF + logConstant + float64(float64(n)*(portable.Log(y)-y)) + portable.Log1p(-y))
			}
		}
		list[i] = portable.Log(float64(sum * step))
	}
	if s.survivals == nil {
		s.survivals = map[int][]float64{}
	}
	s.survivals[n] = list
	return list
}

// share is the law of r for n shares. Given the first share u, the others are a whole of 1-u
// of n-1 shares; the integral over u is taken by midpoints of an angle, which suits its ends,
// where the others have to be equal.
func (s *SkewedStudent) share(n int) []float64 {
	if len(s.shares) == 0 {
		two := make([]float64, sharesGrid.count) // r = |1-2u|, u uniform
		for i := range two {
			two[i] = sharesGrid.at(i)
		}
		s.shares = append(s.shares, two)
	}
	for k := len(s.shares) + 2; k <= n; k++ {
		s.shares = append(s.shares, nextShare(s.shares[k-3], float64(k)))
	}
	return s.shares[n-2]
}

// nextShare is share for n, given share for n-1.
func nextShare(before []float64, n float64) []float64 {
	const angles = 64
	list := make([]float64, sharesGrid.count)
	for i := range list {
		r := portable.Exp(sharesGrid.at(i))
		reach := float64((n-1)*r) / n // the largest distance of u from 1/n
		low, high := max(0, 1/n-reach), min(1, 1/n+reach)
		// Small probabilities are summed relative to where the others have most room.
		largest := sharesGrid.interpolate(before, min(0, portable.Log(r)+float64(portable.Log((n-1)*(n-1)/(n*(n-2)))/2)), n-2, 0)
		var sum float64
		for k := range angles {
			sin, cos := portable.Sincos(float64((float64(k) + 0.5) * (math.Pi / angles)))
			u := float64((low+high)/2) - float64((high-low)/2*cos)
			distance := u - 1/n
			// The square of r for the others.
			square := (float64((n-1)*(n-1)*r*r)/n - float64(n*distance*distance)) / float64((n-2)*(1-u)*(1-u))
			if square <= 0 || u >= 1 {
				continue
			}
			logF := 0.0
			if square < 1 {
				logF = sharesGrid.interpolate(before, portable.Log(square)/2, n-2, 0)
			}
			sum += float64(sin * portable.Exp(logF-largest+float64((n-2)*portable.Log1p(-u))))
		}
		list[i] = min(0, largest+portable.Log(float64(sum*(n-1)*(high-low)/2*(math.Pi/angles))))
	}
	return list
}

// interpolate is the value at x by the cubic through four points, and beyond the grid by a line
// of a slope.
func (g grid) interpolate(values []float64, x, slopeBefore, slopeAfter float64) float64 {
	last := g.count - 1
	switch {
	case x <= g.from:
		return values[0] + float64(slopeBefore*(x-g.from))
	case x >= g.at(last):
		return values[last] + float64(slopeAfter*(x-g.at(last)))
	}
	i := min(max(int((x-g.from)/g.step), 1), last-2)
	t := (x - g.at(i)) / g.step
	return float64(-t*(t-1)*(t-2)/6*values[i-1]) + float64((t+1)*(t-1)*(t-2)/2*values[i]) -
		float64((t+1)*t*(t-2)/2*values[i+1]) + float64((t+1)*t*(t-1)/6*values[i+2])
}
