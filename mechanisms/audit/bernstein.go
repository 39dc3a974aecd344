package audit

import (
	"math"

	"starling/mechanisms/portable"
)

// winsor is the place at which standardised noise is cut off, in standard deviations. A
// cut-off number is bounded, so that Bernstein's inequality holds for sums of few of them.
const winsor = 3.0

// beyond is the smallest t for which Bernstein's inequality bounds by miss the
// chance that the sum of n independent numbers of mean 0, variance at most v and
// absolute value at most most exceeds n t in absolute value: 2 exp(-n t^2/(2 (v +
// most t/3))) = miss (Boucheron, Lugosi, Massart 2013, theorem 2.10, equation 2.10).
func beyond(n int, v, most, miss float64) float64 {
	l := portable.Log(2 / miss)
	linear := most * l / 3
	return (linear + math.Sqrt(float64(linear*linear)+float64(2*float64(n)*v*l))) / float64(n)
}
