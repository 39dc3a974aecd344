package gauge

import (
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/messages"
)

// Window asks for metrics of single steps at every step, and for their mean, least and most over
// the steps of each record.
type Window struct {
	// Period is the number of steps after which the graphs of the run repeat; 0 if none is known.
	Period int
}

// first returns the first step of the window of a point. The window ends at the point, has the
// steps since the point before it, and is as many whole periods as are needed for that, as far
// as the run has begun.
func (w *Window) first(s *Span, point int) int {
	before := s.First - 1
	if point > 0 {
		before = s.Points[point-1]
	}
	length := s.Points[point] - before
	if w.Period > 0 {
		length = (length + w.Period - 1) / w.Period * w.Period
	}
	return max(s.First, s.Points[point]-length+1)
}

// windowStatistics are the statistics over a window, of its values that are numbers, at least one, in
// the order of metric.Metric.Windows.
var windowStatistics = []func(values []float64) float64{
	func(values []float64) (mean float64) {
		for _, v := range values {
			mean += v
		}
		return mean / float64(len(values))
	},
	slices.Min[[]float64],
	slices.Max[[]float64],
}

// everyStep is a gauge of states or rates that can be asked at every step.
type everyStep interface {
	Early
	// again returns the gauge anew, before it begins; nil where its metrics have no windows.
	again() everyStep
}

// overWindows returns the gauge of the windows of a gauge's metrics, with its columns; nil where the
// run asks for none, and where the gauge has none.
func (s *Span) overWindows(g Gauge) (w *steps, columns []Column) {
	of, ok := g.(everyStep)
	if !ok || s.Window == nil {
		return nil, nil
	}
	anew := of.again()
	if anew == nil {
		return nil, nil
	}
	w = &steps{of: anew}
	if columns = s.wanted(w.Begin(s)); len(columns) == 0 {
		return nil, nil
	}
	return w, columns
}

// steps is a gauge that is asked at every step of a run: its columns are the statistics over windows
// of that gauge's metrics.
type steps struct {
	of   everyStep
	span *Span
	// columns are the gauge's, values their values by step, and taken the number of first steps
	// with values.
	columns []Column
	values  [][]float64
	taken   int
}

// Begin implements Gauge.
func (w *steps) Begin(s *Span) (columns []Column) {
	w.span = s
	every := *s
	every.Points, every.Owners = make([]int, s.Steps()), nil
	for k := range every.Points {
		every.Points[k] = s.First + k
	}
	for _, c := range w.of.Begin(&every) {
		list := c.Windows()
		if len(list) == 0 || c.Value == nil {
			continue
		}
		i := len(w.columns)
		w.columns, w.values = append(w.columns, c), append(w.values, Undefined(len(every.Points)))
		for k, m := range list {
			of := windowStatistics[k]
			columns = append(columns, Column{Metric: m, Value: func(point int) float64 {
				values := w.window(w.values[i], point)
				if len(values) == 0 {
					return math.NaN()
				}
				return of(values)
			}})
		}
	}
	return columns
}

// Carry implements Carrier: it takes the values of the steps up to a point.
func (w *steps) Carry(point int) {
	if point == 0 {
		w.taken = 0
	}
	carrier, carries := w.of.(Carrier)
	for end := w.span.Points[point] - w.span.First + 1; w.taken < end; w.taken++ {
		if carries {
			carrier.Carry(w.taken)
		}
		for i := range w.columns {
			w.values[i][w.taken] = w.columns[i].Value(w.taken)
		}
	}
}

// window returns the values over the window of a point that are numbers.
func (w *steps) window(values []float64, point int) (list []float64) {
	for step := w.span.Window.first(w.span, point); step <= w.span.Points[point]; step++ {
		if v := values[step-w.span.First]; !math.IsNaN(v) {
			list = append(list, v)
		}
	}
	return list
}

// at is the place of an event for a gauge that has a point at every step.
func (w *steps) at(at At) At {
	return At{Step: at.Step, Point: at.Step - w.span.First, Exact: true, Over: at.Over}
}

// Heeds implements Selective.
func (w *steps) Heeds(at At) bool {
	d, ok := w.of.(Decisions)
	return ok && heeds(d, w.at(at))
}

// Played implements Decisions.
func (w *steps) Played(node messages.NodeID, at At, x []float64) {
	if d, ok := w.of.(Decisions); ok {
		d.Played(node, w.at(at), x)
	}
}

// Listens implements Listening.
func (w *steps) Listens(quantity string) bool {
	l, ok := w.of.(Listening)
	return ok && l.Listens(quantity)
}

// Recorded implements Quantities.
func (w *steps) Recorded(node messages.NodeID, at At, quantity string, value float64) {
	if q, ok := w.of.(Quantities); ok {
		q.Recorded(node, w.at(at), quantity, value)
	}
}

// Fates implements Network.
func (w *steps) Fates(at At, f algorithm.Fates) {
	if n, ok := w.of.(Network); ok {
		n.Fates(w.at(at), f)
	}
}

// End implements Ender.
func (w *steps) End() {
	if e, ok := w.of.(Ender); ok {
		e.End()
	}
}

// Final implements Early: points are final with their steps.
func (w *steps) Final(points int) int {
	if points == 0 {
		return min(0, w.of.Final(0))
	}
	count := w.span.Points[points-1] - w.span.First + 1
	for final := w.of.Final(count); points > 0 && w.span.Points[points-1]-w.span.First+1 > final; {
		if final < 0 {
			return final
		}
		points--
	}
	return points
}

// State implements Gauge.
func (w *steps) State(c *messages.Codec) { c.Part("of", w.of) }
