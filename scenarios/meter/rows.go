package meter

import (
	"math"

	"starling/actors/algorithm/mirror"
	"starling/scenarios/gauge"
	"starling/scenarios/problem"
)

// The names of the metrics. Those of a run are recorded at its points; a
// cumulative one covers all steps up to the point.
const (
	RegretRun      = "regret.run"      // per run: the largest over measured nodes, cumulative
	RegretNode     = "regret.node"     // per measured node, cumulative
	RegretExpected = "regret.expected" // over seeds: see Expected
)

// Metrics lists the names of the metrics of runs whose meter has the options and
// those of Expected. tracks tells that there is a target to be found, and classifies
// that data have labels.
func (o *Options) Metrics(tracks, classifies bool) []string {
	list := []string{RegretExpected, RegretRun, RegretNode, gauge.Consensus, gauge.MessagesSent, gauge.BytesSent}
	if tracks {
		list = append(list, gauge.TargetError)
	}
	if classifies && o.Wanted.Any(gauge.AccuracyTest) {
		list = append(list, gauge.AccuracyTest)
	}
	if o.Effects {
		list = append(list, gauge.FateMetrics(o.Limited)...)
	}
	if o.Moves {
		list = append(list, MoveLargest, MoveExcess)
	}
	return list
}

// Finish reduces what is left and hands the metrics to r, point by point, those
// of moves last. The run must be over. A node that was down in a step, or has ended its part and does
// not play on, keeps the regret it had, and is in the metrics of decisions where it
// played; where nobody did, these are NaN.
func (m *Meter) Finish(r gauge.Sheet) {
	for point, d := range m.decisions {
		if d != nil {
			m.reduce(point, d)
		}
	}
	for k := range m.Measured {
		m.keepRegret(k, len(m.Points))
	}
	_, tracks := m.Instance.(problem.Tracker)
	for point, step := range m.Points {
		largest := math.Inf(-1)
		for k, node := range m.Measured {
			regret := m.regret(point, k)
			largest = max(largest, regret)
			r.AddNode(step, int(node), RegretNode, regret)
		}
		r.Add(step, RegretRun, largest)
		r.Add(step, gauge.Consensus, m.spread[point].consensus)
		if tracks {
			r.Add(step, gauge.TargetError, m.spread[point].target)
		}
		m.finishTests(point, r)
		messages, bytes := m.SentBy(point)
		r.Add(step, gauge.MessagesSent, messages)
		r.Add(step, gauge.BytesSent, bytes)
		m.fates.Record(point, func(metric string, value func() float64) { r.Add(step, metric, value()) })
		r.Paid(point)
	}
	m.finishMoves(r)
}

// regret is a measured node's regret at a point: the largest over x in the set.
func (m *Meter) regret(point, k int) float64 {
	at := m.linearAt(point, k)
	return at[0] + m.Problem.Set().Support(at[1:])
}

// Part is what a run leaves for statistics over seeds that are no mean of
// per-run numbers: every measured node's sums at every point.
type Part struct{ linear []float64 }

// Part returns the run's part. It comes after Finish, and the meter must not be
// used after.
func (m *Meter) Part() Part { return Part{linear: m.linear} }

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
