package gauge

import (
	"starling/messages"
	"starling/scenarios/metric"
)

// TimeElapsed is the metric of the time of a run with steps that take time.
var TimeElapsed = metric.Metric{
	Name: "time.elapsed", Summary: "seconds since the start of the run, at the end of the step: by the scenario's clock, or of the ticks of Poisson clocks of nodes", Label: "time in seconds", Unit: "seconds",
	Better: metric.LowerIsBetter, Level: metric.OfRun, Cost: true,
}

// Ticks is the time of steps that are ticks of clocks, the metric TimeElapsed. Gap returns the seconds from the
// step before, or the start, to a step, counted from 0.
type Ticks struct{ Gap func(step int) float64 }

// Begin implements Gauge.
func (t *Ticks) Begin(s *Span) []Column {
	return []Column{{Metric: TimeElapsed, Value: upTo(s, t.Gap)}}
}

// Final implements Early.
func (*Ticks) Final(points int) int { return points }

// State implements Gauge: gaps are a function of their step.
func (*Ticks) State(*messages.Codec) {}
