package gauge

import (
	"math"

	"starling/actors/algorithm/mirror"
	"starling/messages"
)

// RegretPart is a run's contribution to statistics over seeds that are no mean of per-run numbers:
// every measured node's sums at every point.
type RegretPart struct{ linear []float64 }

// State goes through the part. A reader is a part of the same length.
func (p *RegretPart) State(c *messages.Codec) {
	c.Same("length", len(p.linear))
	c.Floats("linear", p.linear)
}

// PartLength returns the count of numbers in the part of a run.
func (o RegretOptions) PartLength() int {
	return len(o.Points) * len(o.Measured) * (o.Problem.Dim() + 1)
}

// NewRegretPart returns a part of that many numbers, to be read into.
func NewRegretPart(length int) RegretPart { return RegretPart{linear: make([]float64, length)} }

// ExpectedRegret computes max_i E[R_T^i] from the parts of an arm's runs, the expectation inside
// both maxima (over x and over i), as DPDO-NC states its figure of merit: the runs' sums are
// averaged first. A standard error takes two more passes over the parts, which are kept. If
// ReadAgain was called and the parts exceed its limit of bytes, they are read again instead:
// once if the values for the passes are within the limit.
type ExpectedRegret struct {
	set      mirror.Set
	points   []int
	measured int
	runs     int
	sums     []float64    // regretOf the parts of all runs, in their order
	parts    []RegretPart // nil if they are read again
	limit    int
	again    func(visit func(RegretPart)) error
}

// NewExpectedRegret returns an empty reducer for runs measured with these options.
func NewExpectedRegret(o RegretOptions) *ExpectedRegret {
	return &ExpectedRegret{set: o.Problem.Set(), points: o.Points, measured: len(o.Measured), sums: make([]float64, o.PartLength())}
}

// ReadAgain makes the reducer keep no parts if they take more than limit bytes, and call again
// for them: it visits the parts of all runs that were added, in the same order.
func (e *ExpectedRegret) ReadAgain(limit int, again func(visit func(RegretPart)) error) {
	e.limit, e.again = limit, again
}

// Add adds a run's part. The order of the runs must be the order of their seeds.
func (e *ExpectedRegret) Add(p RegretPart) {
	for i, v := range p.linear {
		e.sums[i] += v
	}
	e.runs++
	if e.again != nil && 8*len(e.sums)*e.runs > e.limit {
		e.parts = nil
		return
	}
	e.parts = append(e.parts, p)
}

// each visits the parts of all runs in the order of their seeds.
func (e *ExpectedRegret) each(visit func(RegretPart)) error {
	if len(e.parts) == e.runs {
		for _, p := range e.parts {
			visit(p)
		}
		return nil
	}
	return e.again(visit)
}

// RegretEstimate is a statistic over runs at a step.
type RegretEstimate struct {
	Step     int
	Mean, SE float64
	Runs     int
}

// target is a measured node at a point, with its estimate: the mean over runs of R(x) at the
// maximiser x of the mean.
type target struct {
	point, k int
	x        []float64
	estimate RegretEstimate
	mean     float64 // regretOf R(x), computed run by run
	squares  float64 // sum of the squared deviations from it
}

// Estimates returns the figure of merit at every point, and E[R_T^i] of the first measured
// nodes, as many as nodes says, the expectation inside the maximum over x. SE is the standard
// error of the mean of R^i(x), i and x fixed at the maximisers; NaN for a single run. As the
// maximisers are chosen on the same runs, the mean has an upward bias of the order of SE. An
// error is one of reading parts again.
func (e *ExpectedRegret) Estimates(nodes int) (all []RegretEstimate, byNode [][]RegretEstimate, err error) {
	var targets []*target
	mean := make([]float64, e.set.Dim()+1)
	for point := range e.points {
		largest, at := math.Inf(-1), 0
		for k := range e.measured {
			e.average(mean, point, k)
			if v := mean[0] + e.set.Support(mean[1:]); v > largest {
				largest, at = v, k
			}
		}
		targets = append(targets, e.target(point, at))
	}
	for k := range nodes {
		for point := range e.points {
			targets = append(targets, e.target(point, k))
		}
	}
	if err := e.standardErrors(targets); err != nil {
		return nil, nil, err
	}
	for i, t := range targets {
		if t.point == 0 && i > 0 {
			byNode = append(byNode, nil)
		}
		if i < len(e.points) {
			all = append(all, t.estimate)
		} else {
			byNode[len(byNode)-1] = append(byNode[len(byNode)-1], t.estimate)
		}
	}
	return all, byNode, nil
}

// target returns E[R^k] at a point, without its standard error.
func (e *ExpectedRegret) target(point, k int) *target {
	d := e.set.Dim()
	mean, x := make([]float64, d+1), make([]float64, d)
	e.average(mean, point, k)
	e.set.Maximizer(x, mean[1:])
	return &target{point: point, k: k, x: x, estimate: RegretEstimate{
		Step: e.points[point], Mean: mean[0] + e.set.Support(mean[1:]), SE: math.NaN(), Runs: e.runs,
	}}
}

// at returns the index in a part at which the sums of a measured node at a point begin: inner,
// then gradient.
func (e *ExpectedRegret) at(point, k int) int { return (point*e.measured + k) * (e.set.Dim() + 1) }

// average writes the mean over runs of a node's sums to dst.
func (e *ExpectedRegret) average(dst []float64, point, k int) {
	copy(dst, e.sums[e.at(point, k):])
	for i := range dst {
		dst[i] /= float64(e.runs)
	}
}

// standardErrors sets the standard errors of the means over runs of R^k(x), by two passes.
func (e *ExpectedRegret) standardErrors(targets []*target) error {
	n := float64(e.runs)
	if n < 2 {
		return nil
	}
	// The values of the first pass are kept for the second if they take little memory.
	var kept []float64
	keep := 8*len(targets)*e.runs <= e.limit
	err := e.each(func(p RegretPart) {
		for _, t := range targets {
			value := e.linear(p, t)
			t.mean += value
			if keep {
				kept = append(kept, value)
			}
		}
	})
	if err != nil {
		return err
	}
	for _, t := range targets {
		t.mean /= n
	}
	add := func(t *target, value float64) {
		deviation := value - t.mean
		t.squares += float64(deviation * deviation)
	}
	for i, value := range kept {
		add(targets[i%len(targets)], value)
	}
	if !keep {
		err = e.each(func(p RegretPart) {
			for _, t := range targets {
				add(t, e.linear(p, t))
			}
		})
	}
	for _, t := range targets {
		t.estimate.SE = math.Sqrt(t.squares / (n - 1) / n)
	}
	return err
}

// linear returns R^k(x) of one run.
func (e *ExpectedRegret) linear(p RegretPart, t *target) float64 {
	sums := p.linear[e.at(t.point, t.k):]
	value := sums[0]
	for i, v := range t.x {
		value -= float64(sums[1+i] * v)
	}
	return value
}
