package gauge

import (
	"math"
)

// Undefined returns n NaNs.
func Undefined(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = math.NaN()
	}
	return list
}

// MeanOf returns the mean of the numbers that are not NaN; NaN if there are none.
func MeanOf(list []float64) float64 { return WeightedMeanOf(list, nil) }

// WeightedMeanOf is MeanOf with the weight of each number, at least 0, len list; nil is 1 for
// each, with the same bits.
func WeightedMeanOf(list, weights []float64) float64 {
	var sum, all float64
	for i, v := range list {
		switch {
		case math.IsNaN(v):
		case weights == nil:
			sum, all = sum+v, all+1
		default:
			sum, all = sum+float64(weights[i]*v), all+weights[i]
		}
	}
	return sum / all
}
