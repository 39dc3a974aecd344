package gauge

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/messages"
)

// CheckPoints returns an error unless steps can be the points of a run from a first to a last
// step: they ascend, and end at the last.
func CheckPoints(first, last int, points []int) error {
	if n := len(points); n == 0 || points[n-1] != last {
		return fmt.Errorf("measure: the points %v do not end at the last step, %d", points, last)
	}
	before := first - 1
	for i, step := range points {
		if step <= before {
			return fmt.Errorf("measure: point %d of the list is step %d, want more than %d", i+1, step, before)
		}
		before = step
	}
	return nil
}

// Meter measures one run by a list of gauges. Its methods are algorithm.Meter's, except
// payments, which the ledger takes.
type Meter struct {
	stopList
	span   Span
	points []int32 // by step from the first: the first point at or after it
	gauges []Gauge // the gauges that are wanted, in the order of their states
	groups [][]row // by group: its rows stand together
	// The gauges by the interface that they implement.
	decisions  []Decisions
	quantities []Quantities
	sendings   []Sendings
	networks   []Network
	all        []Decisions // decisions, and the gauges that are handed over
	here       handing
	last       []playing // by participant; nil unless they play on
	divided    bool      // see Divide; guarded by telling.mu
	telling    telling
}

// row is a gauge with its wanted columns.
type row struct {
	gauge   Gauge
	columns []Column
}

// New returns the meter of a run with points that CheckPoints has passed. At a point the rows
// stand in the order of the gauges; the rows of a group come after all rows of the group
// before.
func New(span Span, groups ...[]Gauge) *Meter {
	m := &Meter{span: span, points: make([]int32, span.Steps())}
	for offset, point := 0, 0; offset < len(m.points); offset++ {
		if span.Points[point] < span.First+offset {
			point++
		}
		m.points[offset] = int32(point)
	}
	for _, gauges := range groups {
		m.Add(gauges...)
	}
	return m
}

// Add adds a group of gauges. The run must not have begun.
func (m *Meter) Add(gauges ...Gauge) {
	var rows []row
	attach := func(g Gauge, wanted []Column) {
		rows = append(rows, row{g, wanted})
		m.attach(g)
	}
	for _, g := range gauges {
		columns := g.Begin(&m.span)
		if wanted := m.span.wanted(columns); len(columns) == 0 || len(wanted) > 0 {
			attach(g, wanted)
		}
		if w, wanted := m.span.overWindows(g); w != nil {
			attach(w, wanted)
		}
	}
	m.groups = append(m.groups, rows)
}

// wanted returns the columns that are wanted.
func (s *Span) wanted(columns []Column) (list []Column) {
	for _, c := range columns {
		if c.Name == "" || s.Wanted.Any(c.Name) {
			list = append(list, c)
		}
	}
	return list
}

// attach adds a gauge to the lists of the calls that it needs.
func (m *Meter) attach(g Gauge) {
	m.gauges = append(m.gauges, g)
	if d, ok := g.(Decisions); ok {
		m.decisions, m.all = append(m.decisions, d), append(m.all, d)
	}
	if q, ok := g.(Quantities); ok {
		m.quantities = append(m.quantities, q)
	}
	if s, ok := g.(Sendings); ok {
		m.sendings = append(m.sendings, s)
	}
	if n, ok := g.(Network); ok {
		m.networks = append(m.networks, n)
	}
}

// Find returns the gauge of a type in a meter. ok is false if there is none.
func Find[G Gauge](m *Meter) (g G, ok bool) {
	for _, one := range m.gauges {
		if g, ok = one.(G); ok {
			return g, true
		}
	}
	return g, false
}

// at returns the place of a step.
func (m *Meter) at(step int) At {
	point := int(m.points[step-m.span.First])
	return At{Step: step, Point: point, Exact: m.span.Points[point] == step}
}

// Played implements algorithm.Meter.
func (m *Meter) Played(node messages.NodeID, step int, x []float64) {
	if m.last != nil {
		d := &m.last[node]
		d.step, d.x = step, append(d.x[:0], x...)
	}
	at := m.at(step)
	for _, g := range m.decisions {
		g.Played(node, at, x)
	}
}

// PlayedAll implements algorithm.CohortMeter. If no gauge heeds the decisions of a step, it
// returns at once.
func (m *Meter) PlayedAll(first messages.NodeID, step int, x []float64, d int) {
	at := m.at(step)
	if m.last == nil && !slices.ContainsFunc(m.decisions, func(g Decisions) bool { return heeds(g, at) }) {
		return
	}
	for ; len(x) > 0; x = x[d:] {
		m.Played(first, step, x[:d])
		first++
	}
}

// Recorded implements algorithm.Meter.
func (m *Meter) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	at := m.at(step)
	for _, g := range m.quantities {
		g.Recorded(node, at, quantity, value)
	}
}

// Sent implements algorithm.Meter.
func (m *Meter) Sent(step int, messages, bytes int64) {
	at := m.at(step)
	for _, g := range m.sendings {
		g.Sent(at, messages, bytes)
	}
}

// Fates implements algorithm.NetworkMeter.
func (m *Meter) Fates(step int, f algorithm.Fates) {
	at := m.at(step)
	for _, g := range m.networks {
		g.Fates(at, f)
	}
}

// Finish hands the wanted metrics to r. The run must be over, or not go on.
func (m *Meter) Finish(r Sheet) {
	m.telling.mu.Lock()
	defer m.telling.mu.Unlock()
	m.telling.over = true
	m.playOn()
	for _, g := range m.gauges {
		if e, ok := g.(Ender); ok {
			e.End()
		}
	}
	for _, rows := range m.groups {
		for point := range m.span.Points {
			for i := range rows {
				rows[i].record(&m.span, point, r)
			}
		}
	}
}

// record hands over the rows of a gauge at a point.
func (w *row) record(s *Span, point int, r Sheet) {
	if c, ok := w.gauge.(Carrier); ok {
		c.Carry(point)
	}
	for i := range w.columns {
		w.columns[i].Record(s.Points, point, r)
	}
}

// Record hands over the rows of the column at one of the points of a run.
func (c *Column) Record(points []int, point int, r Sheet) {
	switch {
	case c.Last && point < len(points)-1:
	case c.Rows != nil:
		c.Rows(point, r)
	case c.Value != nil:
		r.Add(points[point], c.Name, c.Value(point))
	}
}

// State goes through all that the meter has taken in. It must not be called while other
// methods of the meter are; a reader is a new meter of the same run.
func (m *Meter) State(c *messages.Codec) {
	for _, g := range m.gauges {
		c.Part("", g)
	}
	messages.Each(c, "last", m.last, func(d *playing) {
		c.Int("step", &d.step)
		c.List("x", &d.x, math.MaxInt32)
	})
	m.stopList.State(c)
}

// playing is the last decision of a participant.
type playing struct {
	step int
	x    []float64 // len d; nil before the first
}

// PlaysOn makes participants that have ended their part, because their budget is spent, play
// on: they still have to decide in every step. Such a participant repeats its last decision
// and learns nothing more: that is the cost of its end. So regret, losses and distances cover
// all nodes over all steps, and a run that stopped early is compared with one that did not
// over the same steps. The run must not have begun.
func (m *Meter) PlaysOn(participants int) { m.last = make([]playing, participants) }

// playOn plays the rest of the run step by step, so that gauges need not keep the decisions of
// many.
func (m *Meter) playOn() {
	stops := m.Stops()
	if m.last == nil || len(stops) == 0 {
		return
	}
	for step := stops[0].Step; step < m.span.First+len(m.points); step++ {
		at := m.at(step)
		at.Over = true
		for _, s := range stops {
			if d := &m.last[s.Node]; d.x != nil && step > d.step {
				for _, g := range m.all {
					g.Played(s.Node, at, d.x)
				}
			}
		}
	}
}
