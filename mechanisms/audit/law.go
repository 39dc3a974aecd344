package audit

import (
	"fmt"
	"math"

	"starling/mechanisms/noise"
	"starling/mechanisms/portable"
)

// Law is the law that a number of a run is stated to have.
type Law string

const (
	// GaussianLaw is the standard normal law.
	GaussianLaw = Law(noise.GaussianLaw)
	// LaplaceLaw has scale 1, so variance 2.
	LaplaceLaw = Law(noise.LaplaceLaw)
	// CoinLaw is a number that is 1 with a known probability, else 0: whether a
	// sample holds a record.
	CoinLaw Law = "coin"
)

// winsor is where standardised noise is cut off, in standard deviations. A cut-off
// number is bounded, so that Bernstein's inequality holds for sums of few of them.
const winsor = 3.0

// deviation is the standard deviation of noise of a law.
func (l Law) deviation() float64 {
	switch l {
	case LaplaceLaw:
		return math.Sqrt2
	case GaussianLaw, CoinLaw:
		return 1
	}
	panic(fmt.Sprintf("audit: moments of the unknown law %q", string(l)))
}

// cutMoments are the second and the fourth moment of noise of variance 1 that is
// cut off at winsor: E min(|w|, c)^k is the integral of k y^(k-1) P(|w| > y) up to c.
func (l Law) cutMoments() (second, fourth float64) {
	// By parts, with the laws' own distribution functions.
	const c = winsor
	if l.deviation() != 1 { // Laplace
		b := 1 / math.Sqrt2
		y, rest := c/b, portable.Exp(-c/b)
		second = 2 * b * b * (1 - float64(rest*(1+y)))
		fourth = 24 * b * b * b * b * (1 - float64(rest*(1+y+float64(y*y/2)+float64(y*y*y/6))))
		return second, fourth
	}
	inside, outside := portable.Erf(c/math.Sqrt2), portable.Erfc(c/math.Sqrt2)
	density := math.Sqrt(2/math.Pi) * portable.Exp(-c*c/2)
	second = inside - float64(c*density) + float64(c*c*outside)
	fourth = float64(3*inside) - float64(density*c*(3+c*c)) + float64(c*c*c*c*outside)
	return second, fourth
}

// beyond is the smallest t for which Bernstein's inequality bounds by miss the
// chance that the sum of n independent numbers of mean 0, variance at most v and
// absolute value at most most exceeds n t in absolute value: 2 exp(-n t^2/(2 (v +
// most t/3))) = miss (Boucheron, Lugosi, Massart 2013, theorem 2.10, equation 2.10).
func beyond(n int, v, most, miss float64) float64 {
	l := portable.Log(2 / miss)
	linear := most * l / 3
	return (linear + math.Sqrt(float64(linear*linear)+float64(2*float64(n)*v*l))) / float64(n)
}
