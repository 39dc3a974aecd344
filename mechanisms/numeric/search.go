package numeric

import "math"

// Bisect narrows [low, high] to the largest x at which holds is still true, and
// returns neighbours of it: low, where it is true, and high, where it is false,
// equal to about the last bit. holds must be true at low and false at high.
func Bisect(low, high float64, holds func(float64) bool) (float64, float64) {
	for {
		middle := low + float64((high-low)/2)
		if low > 0 && high > 4*low { // halve the exponent, so that tiny answers do not take for ever
			middle = math.Sqrt(low) * math.Sqrt(high)
		}
		if middle <= low || middle >= high || high-low <= 4e-16*high {
			return low, high
		}
		if holds(middle) {
			low = middle
		} else {
			high = middle
		}
	}
}
