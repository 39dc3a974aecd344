package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// finalists is the number of statistics that Pick looks at closely.
const finalists = 8

// Pick returns the one of several statistics of an outcome that tells two inputs apart best:
// the one with the largest bound, among those with means that differ the most in standard
// deviations. a and b hold a row of statistics an outcome, equally long. A bound on other
// outcomes, by the statistic that these have picked, keeps its confidence, and so does
// LowerBound where these are of the first halves that it chooses its event by.
func Pick(a, b [][]float64, m Measure, confidence float64) (int, error) {
	if err := checkSamples(len(a), len(b), confidence); err != nil {
		return 0, err
	}
	width := len(a[0])
	if width == 0 {
		return 0, fmt.Errorf("audit: outcomes without a statistic")
	}
	list := make([]int, width)
	apart := make([]float64, width)
	for k := range list {
		list[k] = k
		apart[k] = separation(column(a, k), column(b, k))
	}
	slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(apart[j], apart[i]) })
	best, most, limits := list[0], math.Inf(-1), limitsOf(len(a), confidence)
	// The bound is costly and the separation of means is cheap: only the finalists get
	// the bound. Event and bound are from the same outcomes here, which is a biased
	// figure but serves for comparing statistics.
	for _, k := range list[:min(finalists, width)] {
		x, y := sorted(column(a, k)), sorted(column(b, k))
		if value := choose(x, y, m, limits).bound(x, y, m, limits); value > most {
			best, most = k, value
		}
	}
	return best, nil
}

func column(rows [][]float64, k int) []float64 {
	list := make([]float64, len(rows))
	for i, row := range rows {
		list[i] = row[k]
	}
	return list
}

// separation is the distance of the means of two samples over their standard deviation; +Inf
// where neither varies and they differ.
func separation(a, b []float64) float64 {
	meanA, squareA := moments(a)
	meanB, squareB := moments(b)
	distance, deviation := math.Abs(meanA-meanB), math.Sqrt((squareA+squareB)/2)
	if distance == 0 {
		return 0
	}
	return distance / deviation
}

// moments are the mean and the variance of a sample.
func moments(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for _, v := range x {
		variance += float64((v - mean) * (v - mean))
	}
	return mean, variance / float64(len(x))
}
