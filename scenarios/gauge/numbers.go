package gauge

import (
	"math"
)

// Undefined are n numbers that are none.
func Undefined(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = math.NaN()
	}
	return list
}

// MeanOf is the mean of the numbers that there are; NaN where there are none.
func MeanOf(list []float64) float64 {
	var sum, count float64
	for _, v := range list {
		if !math.IsNaN(v) {
			sum, count = sum+v, count+1
		}
	}
	return sum / count
}
