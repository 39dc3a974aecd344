package gauge

import (
	"errors"
	"math"
	"sync/atomic"

	"starling/actors/algorithm/batch"
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/problem"
)

// LinearRegret is linear regret: R(x) = sum over t and j of <grad f_t^j(x_t), x_t - x>
// (DPDO-NC, (3)), of every measured node against its best x.
type LinearRegret struct {
	options RegretOptions
	dim     int
	span    *Span
	slots   []int32 // by node: its place in Measured, -1 if it is not measured
	// running is by measured node: the sums that make its regret so far.
	running []functional
	scratch []float64      // dim a measured node
	share   float64        // regretOf each point that a node plays in a step
	kept    []atomic.Int32 // by measured node: the points at which running is noted
	// linear is running at each point, by point, then by measured node.
	linear []float64
	// regretWindows are by measured node; nil without intervals. worst has their largest regrets at
	// each point, by point, then by measured node.
	windows []*regretWindows
	worst   []float64
	// later is nil if each decision is asked about at once.
	later *Later
}

// functional is the two sums that determine a node's regret against every x: R(x) = inner -
// <gradient, x>. The largest over x in the set is inner + Support(gradient), for Support(g) is
// the largest of -<g, x>; no x is searched for.
type functional struct {
	inner    float64   // sum over t and j of <grad f_t^j(x_t), x_t>
	gradient []float64 // sum over t and j of grad f_t^j(x_t), len d
}

func newLinearRegret(o RegretOptions) *LinearRegret {
	m := &LinearRegret{options: o, dim: o.Problem.Dim(), share: 1}
	if o.Feedback != nil {
		m.share = 1 / float64(o.Feedback.Points)
	}
	measured, d := len(o.Measured), m.dim
	m.slots = make([]int32, o.Nodes)
	for i := range m.slots {
		m.slots[i] = -1
	}
	m.running, m.kept = make([]functional, measured), make([]atomic.Int32, measured)
	sums := make([]float64, measured*d)
	for k, node := range o.Measured {
		m.slots[node] = int32(k)
		m.running[k].gradient = sums[k*d : (k+1)*d : (k+1)*d]
	}
	m.scratch = make([]float64, measured*d)
	if o.Interval > 0 {
		for range o.Measured {
			m.windows = append(m.windows, newRegretWindows(o.Problem.Set(), d, o.Interval))
		}
	}
	if many, ok := o.Instance.(problem.Many); ok {
		m.later = &Later{Most: measured, Width: d, Ask: func(dst []float64, _ []messages.NodeID, step int, x []float64) error {
			return errors.Join(many.SumGradients(dst, step, x), m.without(dst, step, x))
		}}
		m.later.Take = m.take
	}
	return m
}

// Begin implements Gauge. No run records the metric that is expected over seeds.
func (m *LinearRegret) Begin(s *Span) []Column {
	m.span, m.linear = s, make([]float64, len(s.Points)*len(m.options.Measured)*(m.dim+1))
	columns := []Column{
		{Metric: regretOf(RegretExpected)},
		{Metric: regretOf(RegretNode), Rows: m.nodes},
		{Metric: regretOf(RegretRun), Value: m.largest},
	}
	if m.windows != nil {
		m.worst = make([]float64, len(s.Points)*len(m.windows))
		columns = append(columns, Column{Metric: regretOf(RegretAdaptive), Value: m.worstAt})
	}
	return columns
}

// Played implements Decisions.
func (m *LinearRegret) Played(node messages.NodeID, at At, x []float64) {
	k := int(m.slots[node])
	switch {
	case k < 0:
	case m.options.Feedback != nil:
		m.options.Feedback.Played(node, at.Step, x, func(y []float64) { m.met(node, at, y) })
	default:
		m.met(node, at, x)
	}
}

// met takes in a point that a measured node plays.
func (m *LinearRegret) met(node messages.NodeID, at At, x []float64) {
	if m.later != nil {
		m.later.Add(node, at, x)
		return
	}
	k := int(m.slots[node])
	gradient := m.scratch[k*m.dim : (k+1)*m.dim]
	m.options.Instance.SumGradient(gradient, at.Step, x)
	if err := m.without(gradient, at.Step, x); err != nil {
		panic(batch.Failure{Err: err})
	}
	m.take(node, at, x, gradient)
}

// without subtracts from sums of gradients the gradients of the nodes that are out. sums and x
// have rows side by side, one a decision.
func (m *LinearRegret) without(sums []float64, step int, x []float64) error {
	out, d := m.options.Out, m.dim
	if len(out) == 0 {
		return nil
	}
	gradients, points := make([]float64, len(out)*d), make([]float64, len(out)*d)
	for ; len(x) > 0; sums, x = sums[d:], x[d:] {
		if many, ok := m.options.Instance.(batch.Costs); ok {
			for i := range out {
				copy(points[i*d:], x[:d])
			}
			if err := many.Gradients(gradients, out, step, points); err != nil {
				return err
			}
		} else {
			for i, node := range out {
				m.options.Instance.Gradient(gradients[i*d:(i+1)*d], node, step, x[:d])
			}
		}
		for i := range out {
			kernel.Axpy(sums[:d], -1, gradients[i*d:(i+1)*d])
		}
	}
	return nil
}

// take adds a point that a measured node plays in a step to its sums, with the sum of the
// gradients of all nodes there. If a node plays several points, each counts by its share.
func (m *LinearRegret) take(node messages.NodeID, at At, x, gradient []float64) {
	k := int(m.slots[node])
	m.keep(k, at.Point) // as it was at the points before
	running := &m.running[k]
	for i, g := range gradient {
		running.inner += float64(m.share * float64(g*x[i]))
		running.gradient[i] += float64(m.share * g)
	}
	if m.windows != nil {
		m.windows[k].add(at.Step-m.span.First, m.share, x, gradient)
	}
}

// Digest implements Digesting: the decisions of measured nodes.
func (m *LinearRegret) Digest(dst []float64, node messages.NodeID, _ At, x []float64) []float64 {
	if m.slots[node] >= 0 {
		dst = append(dst, x...)
	}
	return dst
}

// Take implements Digesting.
func (m *LinearRegret) Take(node messages.NodeID, at At, numbers []float64) {
	if m.slots[node] >= 0 && len(numbers) == m.dim {
		m.Played(node, at, numbers)
	}
}

// keep notes a measured node's sums at every point before the end-th at which they are not
// noted yet. A node that was down plays no step near some points, and has the same sums there.
func (m *LinearRegret) keep(k, end int) {
	for kept := int(m.kept[k].Load()); kept < end; kept++ {
		at := m.at(kept, k)
		at[0] = m.running[k].inner
		copy(at[1:], m.running[k].gradient)
		if m.windows != nil {
			m.windows[k].through(m.span.Points[kept] - m.span.First)
			m.worst[kept*len(m.windows)+k] = m.windows[k].worst
		}
		m.kept[k].Store(int32(kept) + 1)
	}
}

func (m *LinearRegret) at(point, k int) []float64 {
	width := m.dim + 1
	from := (point*len(m.options.Measured) + k) * width
	return m.linear[from : from+width]
}

// End implements Ender.
func (m *LinearRegret) End() {
	m.later.Flush()
	for k := range m.options.Measured {
		m.keep(k, len(m.span.Points))
	}
}

// nodes hands over the regret of every measured node.
func (m *LinearRegret) nodes(point int, to Sheet) {
	for k, node := range m.options.Measured {
		to.AddNode(m.span.Points[point], int(node), RegretNode, m.regret(point, k))
	}
}

// largest returns the largest regret of a measured node.
func (m *LinearRegret) largest(point int) float64 {
	largest := math.Inf(-1)
	for k := range m.options.Measured {
		largest = max(largest, m.regret(point, k))
	}
	return largest
}

// worstAt returns the largest regret of a measured node over an interval that is over at a
// point; NaN if none is.
func (m *LinearRegret) worstAt(point int) float64 {
	largest := math.NaN()
	for _, worst := range m.worst[point*len(m.windows) : (point+1)*len(m.windows)] {
		if !(worst <= largest) {
			largest = worst
		}
	}
	return largest
}

// regret returns a measured node's regret at a point: the largest over x in the set.
func (m *LinearRegret) regret(point, k int) float64 {
	at := m.at(point, k)
	return at[0] + m.options.Problem.Set().Support(at[1:])
}

// Final implements Early: the points that every measured node has noted.
func (m *LinearRegret) Final(points int) int {
	for k := range m.kept {
		points = min(points, int(m.kept[k].Load()))
	}
	return points
}

// State implements Gauge.
func (m *LinearRegret) State(c *messages.Codec) {
	m.later.Flush()
	for k := range m.running {
		if m.runningState(c, k); c.Failed() {
			return
		}
	}
}

// runningState goes through the sums of the k-th measured node.
func (m *LinearRegret) runningState(c *messages.Codec, k int) {
	c.Enter("measured", k)
	defer c.Leave()
	c.Float("inner", &m.running[k].inner)
	c.Floats("gradient", m.running[k].gradient)
	kept := m.kept[k].Load()
	messages.Integer(c, "kept", &kept)
	points := len(m.span.Points)
	c.Check(kept >= 0 && int(kept) <= points, "%d points of %d are noted", kept, points)
	if c.Reading() && !c.Failed() {
		m.kept[k].Store(kept)
	}
	for point := 0; point < int(kept) && !c.Failed(); point++ {
		c.Floats("linear", m.at(point, k))
	}
	if m.windows == nil {
		return
	}
	c.Part("windows", m.windows[k])
	for point := 0; point < int(kept) && !c.Failed(); point++ {
		c.Float("worst", &m.worst[point*len(m.windows)+k])
	}
}

// RegretPart returns the run's part. It comes after Finish, and the gauge must not be
// used after.
func (m *LinearRegret) Part() RegretPart { return RegretPart{linear: m.linear} }
