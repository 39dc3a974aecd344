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

// Resample returns the figure of merit at a recorded step. each visits the parts of the runs in the
// order of their seeds. The parts are not kept. The reducer needs no runs of its own.
func (e *ExpectedRegret) Resample(step int, each func(visit func(RegretPart)) error) (*RegretResample, error) {
	list, err := e.ResampleAll([]int{step}, each)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// ResampleAll is Resample for several steps, in one pass over the parts. A nil each is over the runs of the reducer.
func (e *ExpectedRegret) ResampleAll(steps []int, each func(visit func(RegretPart)) error) (list []*RegretResample, err error) {
	d := e.set.Dim()
	var first []int
	for _, step := range steps {
		point := slices.Index(e.points, step)
		if point < 0 {
			return nil, fmt.Errorf("step %d is not recorded", step)
		}
		first = append(first, e.at(point, 0))
		list = append(list, &RegretResample{set: e.set, measured: e.measured, mean: make([]float64, e.measured*(d+1)), x: make([]float64, d)})
	}
	if each == nil {
		each = e.each
	}
	err = each(func(p RegretPart) {
		for k, r := range list {
			r.runs = append(r.runs, slices.Clone(p.linear[first[k]:first[k]+len(r.mean)]))
		}
	})
	return list, err
}

// Points are the recorded steps, ascending.
func (e *ExpectedRegret) Points() []int { return e.points }

// Numbers is the number of sums of a run at a point.
func (e *ExpectedRegret) Numbers() int { return e.measured * (e.set.Dim() + 1) }

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
