package gauge

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm/mirror"
)

// RegretResample is the figure of merit of Expected at one point, as a function of the weights of
// the runs: a bootstrap over the seeds computes it for the runs that it has drawn.
type RegretResample struct {
	set      mirror.Set
	measured int
	// runs are the sums of each run at the point, by measured node: inner, then gradient.
	runs [][]float64
	mean []float64 // scratch, as long as the sums of a run
	x    []float64 // scratch, the point that is the best for the worst node
}

// RegretResample returns the figure of merit at a recorded step. each visits the parts of the runs in the
// order of their seeds. The parts are not kept. The reducer needs no runs of its own.
func (e *ExpectedRegret) Resample(step int, each func(visit func(RegretPart)) error) (*RegretResample, error) {
	point := slices.Index(e.points, step)
	if point < 0 {
		return nil, fmt.Errorf("step %d is not recorded", step)
	}
	d := e.set.Dim()
	r := &RegretResample{set: e.set, measured: e.measured, mean: make([]float64, e.measured*(d+1)), x: make([]float64, d)}
	first := e.at(point, 0)
	err := each(func(p RegretPart) { r.runs = append(r.runs, slices.Clone(p.linear[first:first+len(r.mean)])) })
	return r, err
}

// Runs is the number of runs.
func (r *RegretResample) Runs() int { return len(r.runs) }

// Weighted returns max_i max_x of the weighted mean of R^i(x) over the runs; weights sum to 1. It
// overwrites values with R^i(x) of each run at the maximisers i and x. Their weighted mean is the
// result, and by Danskin's theorem their deviations from it are its derivatives by the weights
// where the maximisers are unique: they give a standard error of it.
func (r *RegretResample) Weighted(weights, values []float64) float64 {
	clear(r.mean)
	for s, w := range weights {
		if w == 0 {
			continue
		}
		for i, v := range r.runs[s] {
			r.mean[i] += float64(w * v)
		}
	}
	width := len(r.x) + 1
	largest, at := math.Inf(-1), 0
	for k := range r.measured {
		sums := r.mean[k*width : (k+1)*width]
		if v := sums[0] + r.set.Support(sums[1:]); v > largest {
			largest, at = v, k*width
		}
	}
	r.set.Maximizer(r.x, r.mean[at+1:at+width])
	for s := range values {
		values[s] = r.runs[s][at]
		for i, x := range r.x {
			values[s] -= float64(r.runs[s][at+1+i] * x)
		}
	}
	return largest
}
