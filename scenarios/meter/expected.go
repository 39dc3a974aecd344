package meter

import (
	"math"

	"starling/actors/algorithm/mirror"
	"starling/messages"
)

// Part is what a run leaves for statistics over seeds that are no mean of
// per-run numbers: every measured node's sums at every point.
type Part struct{ linear []float64 }

// State goes through the part. What reads is a part of the same length.
func (p *Part) State(c *messages.Codec) {
	c.Same("length", len(p.linear))
	c.Floats("linear", p.linear)
}

// PartLength is how many numbers the part of a run has.
func (o Options) PartLength() int { return len(o.Points) * len(o.Measured) * (o.Problem.Dim() + 1) }

// NewPart returns a part of that many numbers, for one that is read.
func NewPart(length int) Part { return Part{linear: make([]float64, length)} }

// Expected computes max_i E[R_T^i] from the parts of an arm's runs, the
// expectation inside both maxima (over x and over i), as DPDO-NC states its
// figure of merit: the runs' sums are averaged first. It keeps every part.
type Expected struct {
	set      mirror.Set
	points   []int
	measured int
	parts    []Part
}

// NewExpected returns an empty reducer for runs measured with these options.
func NewExpected(o Options) *Expected {
	return &Expected{set: o.Problem.Set(), points: o.Points, measured: len(o.Measured)}
}

// Add adds a run's part. The order of the runs must be that of their seeds.
func (e *Expected) Add(p Part) { e.parts = append(e.parts, p) }

// Estimate is a statistic over runs at a step.
type Estimate struct {
	Step     int
	Mean, SE float64
	Runs     int
}

// Estimates returns the figure of merit at every point. SE is the standard
// error of the mean of R^i(x), i and x fixed at the maximisers; NaN for a
// single run. As the maximisers are chosen on the same runs, the mean has an
// upward bias of the order of SE.
func (e *Expected) Estimates() []Estimate {
	estimates := make([]Estimate, len(e.points))
	mean := make([]float64, e.set.Dim()+1)
	for point := range e.points {
		largest, at := math.Inf(-1), 0
		for k := range e.measured {
			e.average(mean, point, k)
			if v := mean[0] + e.set.Support(mean[1:]); v > largest {
				largest, at = v, k
			}
		}
		estimates[point] = e.estimate(point, at)
	}
	return estimates
}

// NodeEstimates returns E[R_T^i] of the k-th measured node at every point, the
// expectation inside the maximum over x.
func (e *Expected) NodeEstimates(k int) []Estimate {
	estimates := make([]Estimate, len(e.points))
	for point := range e.points {
		estimates[point] = e.estimate(point, k)
	}
	return estimates
}

// estimate is E[R^k] at a point, with the standard error at the maximiser.
func (e *Expected) estimate(point, k int) Estimate {
	d := e.set.Dim()
	mean, x := make([]float64, d+1), make([]float64, d)
	e.average(mean, point, k)
	e.set.Maximizer(x, mean[1:])
	return Estimate{
		Step: e.points[point], Mean: mean[0] + e.set.Support(mean[1:]), SE: e.standardError(point, k, x), Runs: len(e.parts),
	}
}

// sums are a run's sums of a measured node at a point: Inner, then Gradient.
func (e *Expected) sums(run, point, k int) []float64 {
	width := e.set.Dim() + 1
	from := (point*e.measured + k) * width
	return e.parts[run].linear[from : from+width]
}

// average writes the mean over runs of a node's sums to dst.
func (e *Expected) average(dst []float64, point, k int) {
	clear(dst)
	for run := range e.parts {
		for i, v := range e.sums(run, point, k) {
			dst[i] += v
		}
	}
	for i := range dst {
		dst[i] /= float64(len(e.parts))
	}
}

// standardError is that of the mean over runs of R^k(x), by two passes.
func (e *Expected) standardError(point, k int, x []float64) float64 {
	n := float64(len(e.parts))
	if n < 2 {
		return math.NaN()
	}
	var mean, square float64
	for run := range e.parts {
		mean += e.linear(run, point, k, x)
	}
	mean /= n
	for run := range e.parts {
		deviation := e.linear(run, point, k, x) - mean
		square += float64(deviation * deviation)
	}
	return math.Sqrt(square / (n - 1) / n)
}

// linear is R^k(x) of one run.
func (e *Expected) linear(run, point, k int, x []float64) float64 {
	sums := e.sums(run, point, k)
	value := sums[0]
	for i, v := range x {
		value -= float64(sums[1+i] * v)
	}
	return value
}
