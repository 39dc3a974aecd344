package numeric

import "sort"

// Spline is the natural cubic spline through points: two derivatives are continuous,
// and the second is 0 at both ends (de Boor, A Practical Guide to Splines, chapter IV).
type Spline struct {
	at, value, second []float64 // second are the derivatives at the points
}

// NewSpline is the spline through values at ascending places, at least two. It keeps
// both slices.
func NewSpline(at, value []float64) Spline {
	n := len(at)
	s := Spline{at, value, make([]float64, n)}
	// The equations of the derivatives between the ends are tridiagonal and diagonally
	// dominant: Gauss's elimination without pivots.
	diagonal := make([]float64, n)
	slope := func(i int) float64 { return (value[i+1] - value[i]) / (at[i+1] - at[i]) }
	for i := 1; i < n-1; i++ {
		before, after := at[i]-at[i-1], at[i+1]-at[i]
		diagonal[i] = float64(2 * (before + after))
		s.second[i] = float64(6 * (slope(i) - slope(i-1)))
		if i > 1 {
			share := before / diagonal[i-1]
			diagonal[i] -= float64(share * before)
			s.second[i] -= float64(share * s.second[i-1])
		}
	}
	for i := n - 2; i > 0; i-- {
		s.second[i] = (s.second[i] - float64((at[i+1]-at[i])*s.second[i+1])) / diagonal[i]
	}
	return s
}

// Predict is the spline at x; beyond the ends it is constant.
func (s Spline) Predict(x float64) float64 {
	last := len(s.at) - 1
	switch {
	case x <= s.at[0]:
		return s.value[0]
	case x >= s.at[last]:
		return s.value[last]
	}
	i := sort.SearchFloat64s(s.at, x) - 1 // at[i] < x <= at[i+1]
	width := s.at[i+1] - s.at[i]
	right := (x - s.at[i]) / width
	left := 1 - right
	bend := float64((float64(float64(left*left)*left)-left)*s.second[i]) + float64((float64(float64(right*right)*right)-right)*s.second[i+1])
	return float64(left*s.value[i]) + float64(right*s.value[i+1]) + float64(bend*float64(width*width))/6
}
