package gauge

import (
	"math"
	"slices"

	"starling/messages"
	"starling/scenarios/metric"
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

// windowStatistics are the statistics over a window, of its values that are numbers, at least one.
var windowStatistics = []struct {
	name, label, summary string
	of                   func(values []float64) float64
}{
	{"mean", "mean over steps", "mean", func(values []float64) (mean float64) {
		for _, v := range values {
			mean += v
		}
		return mean / float64(len(values))
	}},
	{"least", "least over steps", "least value", slices.Min[[]float64]},
	{"most", "most over steps", "largest value", slices.Max[[]float64]},
}

// WindowNames returns the names of the mean, the least and the most of a metric over windows.
func WindowNames(name string) (mean, least, most string) {
	return name + ".mean", name + ".least", name + ".most"
}

// windowed are the metrics that have windows.
var windowed = []string{Consensus, TargetError}

// WindowedNames returns the names of the metrics that have windows; a new slice.
func WindowedNames() []string { return slices.Clone(windowed) }

// WindowMetrics returns the metrics of windows, in the order of lists.
func WindowMetrics() (list metric.List) {
	for _, name := range windowed {
		list = append(list, windowsOf(Of(name))...)
	}
	return list
}

// windowsOf returns the metrics of the windows of a metric.
func windowsOf(m metric.Metric) (list metric.List) {
	for _, s := range windowStatistics {
		of := m
		of.Name, of.Label, of.Chart, of.Asked, of.Momentary = m.Name+"."+s.name, m.Label+", "+s.label, metric.Chart{}, true, false
		of.Summary = s.summary + " of " + m.Name + " over the steps since the last record, or over the whole periods of the graphs that have these; where measure.window is given"
		list = append(list, of)
	}
	return list
}

// everyStep is a gauge of metrics of single steps that can be asked at every step.
type everyStep interface {
	Early
	Decisions
	Ender
	// again returns the gauge anew, before it begins.
	again() everyStep
}

// overWindows returns the gauge of the windows of a gauge's metrics; nil where the run asks for none.
func (s *Span) overWindows(g Gauge) Gauge {
	if of, ok := g.(everyStep); ok && s.Window != nil {
		return &steps{of: of.again()}
	}
	return nil
}

// steps is a gauge that is asked at every step of a run: its columns are the statistics over windows
// of that gauge's metrics.
type steps struct {
	of   everyStep
	span *Span
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
		for k, m := range windowsOf(c.Metric) {
			of := windowStatistics[k].of
			columns = append(columns, Column{Metric: m, Value: func(point int) float64 {
				values := w.values(&c, point)
				if len(values) == 0 {
					return math.NaN()
				}
				return of(values)
			}})
		}
	}
	return columns
}

// values returns the values of a column over the window of a point that are numbers.
func (w *steps) values(c *Column, point int) (list []float64) {
	for step := w.span.Window.first(w.span, point); step <= w.span.Points[point]; step++ {
		if v := c.Value(step - w.span.First); !math.IsNaN(v) {
			list = append(list, v)
		}
	}
	return list
}

// Played implements Decisions.
func (w *steps) Played(node messages.NodeID, at At, x []float64) {
	w.of.Played(node, At{Step: at.Step, Point: at.Step - w.span.First, Exact: true, Over: at.Over}, x)
}

// End implements Ender.
func (w *steps) End() { w.of.End() }

// Final implements Early: points are final with their steps.
func (w *steps) Final(points int) int {
	if points == 0 {
		return 0
	}
	count := w.span.Points[points-1] - w.span.First + 1
	if w.of.Final(count) < count {
		return 0
	}
	return points
}

// State implements Gauge.
func (w *steps) State(c *messages.Codec) { c.Part("of", w.of) }
