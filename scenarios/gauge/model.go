package gauge

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"starling/actors/algorithm/batch"
	"starling/messages"
	"starling/scenarios/metric"
)

// Evaluation is a metric that is a function of a model, and of the step of the point with OfStep in place of
// Of. They return an error if the data cannot be evaluated; the error stops the run when the rows are asked
// for.
type Evaluation struct {
	metric.Metric
	Of     func(x []float64) (float64, error)
	OfStep func(step int, x []float64) (float64, error)
}

// at evaluates a model at a step.
func (e *Evaluation) at(step int, x []float64) (float64, error) {
	if e.OfStep != nil {
		return e.OfStep(step, x)
	}
	return e.Of(x)
}

// Model evaluates the model that the server, participant 0, plays: the result of a round. A
// point in a step in which the server was down, or after the end of a run, has the model of
// the last round before. Before any round it has Start. A model is evaluated once for every
// point at which it is the newest, and not at others.
type Model struct {
	Start []float64 // the initial model
	Of    []Evaluation

	span  *Span
	takes []bool    // by evaluation: it is wanted
	last  []float64 // the model of the last round so far, len d
	point int       // the first at or after that round
	exact bool      // it was in the step of the point
	begun bool      // there was a round
	at    []looked  // by point
	now   looked    // at the point of the rows
	// settled is the number of first points that need no further evaluation: there was a round
	// after them, or in their step.
	settled atomic.Int64
}

// looked is the evaluation of a model at a point.
type looked struct {
	set    bool
	values []float64 // by evaluation; NaN if it is not wanted
	failed error
}

// Begin implements Gauge.
func (m *Model) Begin(s *Span) (columns []Column) {
	m.span, m.last, m.at = s, append([]float64(nil), m.Start...), make([]looked, len(s.Points))
	for i := range m.at {
		m.at[i].values = Undefined(len(m.Of))
	}
	m.now.values = Undefined(len(m.Of))
	for i, e := range m.Of {
		m.takes = append(m.takes, s.Wanted.Any(e.Name))
		columns = append(columns, Column{Metric: e.Metric, Value: func(int) float64 { return m.now.values[i] }})
	}
	return columns
}

// again implements everyStep.
func (m *Model) again() everyStep { return &Model{Start: m.Start, Of: m.Of} }

// Played implements Decisions.
func (m *Model) Played(node messages.NodeID, at At, x []float64) {
	if node != 0 {
		return
	}
	m.settle(at.Step)
	copy(m.last, x)
	m.point, m.exact, m.begun = at.Point, at.Exact, true
	m.settled.Store(int64(at.Point))
	if at.Exact {
		m.look(at.Point)
		m.settled.Store(int64(at.Point) + 1)
	}
}

// settle evaluates the last model for the point after it, if a step is beyond that.
func (m *Model) settle(step int) {
	if m.begun && !m.exact && m.span.Points[m.point] < step {
		m.look(m.point)
	}
}

// look evaluates the last model so far for a point.
func (m *Model) look(point int) {
	at := &m.at[point]
	at.set = true
	for i := range m.Of {
		if m.takes[i] && at.failed == nil {
			at.values[i], at.failed = m.Of[i].at(m.span.Points[point], m.last)
		}
	}
}

// End implements Ender.
func (m *Model) End() {
	if m.begun {
		m.settle(math.MaxInt)
	} else {
		m.look(0) // at the initial model, which nothing has moved
	}
}

// Carry implements Carrier.
func (m *Model) Carry(point int) {
	if point == 0 {
		m.now = looked{values: Undefined(len(m.Of))}
	}
	if m.at[point].set {
		m.now = m.at[point]
	}
	if m.now.failed != nil {
		panic(batch.Failure{Err: fmt.Errorf("the server's model: %w", m.now.failed)})
	}
}

// Final implements Early. Before the first round no point is final: a run without any has the
// start.
func (m *Model) Final(points int) int { return min(points, int(m.settled.Load())) }

// State implements Gauge.
func (m *Model) State(c *messages.Codec) {
	c.Floats("last", m.last)
	c.Int("point", &m.point)
	c.Check(m.point >= 0 && m.point < len(m.at), "a model of point %d of %d", m.point, len(m.at))
	c.Bool("exact", &m.exact)
	c.Bool("begun", &m.begun)
	messages.Each(c, "at", m.at, func(at *looked) {
		c.Bool("set", &at.set)
		c.Floats("values", at.values)
		failed := ""
		if at.failed != nil {
			failed = at.failed.Error()
		}
		if c.Text("failed", &failed); c.Reading() && failed != "" {
			at.failed = errors.New(failed)
		}
	})
}

// Latest is the newest value of a quantity that one machine records, most often the server.
// Before the first record it is NaN, or 0.
type Latest struct {
	metric.Metric
	Quantity string
	FromZero bool // it is 0 before the first record

	at  []float64 // by point: NaN if nothing is new
	now float64
}

// Begin implements Gauge.
func (l *Latest) Begin(s *Span) []Column {
	l.at = Undefined(len(s.Points))
	l.begin()
	return []Column{{Metric: l.Metric, Value: func(int) float64 { return l.now }}}
}

// again implements everyStep.
func (l *Latest) again() everyStep {
	if len(l.Windows()) == 0 {
		return nil
	}
	return &Latest{Metric: l.Metric, Quantity: l.Quantity, FromZero: l.FromZero}
}

// begin sets the value before the first record.
func (l *Latest) begin() {
	if l.now = math.NaN(); l.FromZero {
		l.now = 0
	}
}

// Listens implements Listening.
func (l *Latest) Listens(quantity string) bool { return quantity == l.Quantity }

// Recorded implements Quantities.
func (l *Latest) Recorded(_ messages.NodeID, at At, quantity string, value float64) {
	if quantity == l.Quantity {
		l.at[at.Point] = value
	}
}

// Carry implements Carrier.
func (l *Latest) Carry(point int) {
	if point == 0 {
		l.begin()
	}
	if v := l.at[point]; !math.IsNaN(v) {
		l.now = v
	}
}

// Final implements Early.
func (*Latest) Final(points int) int { return points }

// State implements Gauge.
func (l *Latest) State(c *messages.Codec) { c.Floats(l.Name, l.at) }
