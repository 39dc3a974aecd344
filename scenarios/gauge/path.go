package gauge

import (
	"math"

	"starling/messages"
	"starling/scenarios/metric"
)

// PathLength is the name of the metric.
const PathLength = "path.length"

var pathLength = Measure{
	Metric: metric.Metric{
		Name: PathLength, Summary: "length of the path of the target so far: the sum of its moves from step to step in 2-norm, as in bounds on dynamic regret (Zinkevich 2003). 0 where the target rests. Recorded where measure.metrics names it, of problems with a target",
		Label: "path length of the target", Level: metric.OfRun, Asked: true,
	},
	Needs: []Answers{{Target: true}},
	New:   func(m *Measure, r *Run) Gauge { return &path{m, r.Target} },
}

// path is the length of a target's path.
type path struct {
	*Measure
	target func(step int) []float64
}

// Begin implements Gauge.
func (p *path) Begin(s *Span) []Column {
	next, length := s.First+1, 0.0
	return []Column{p.column(func(point int) float64 {
		for ; next <= s.Points[point]; next++ {
			length += math.Sqrt(squareDistance(p.target(next), p.target(next-1)))
		}
		return length
	})}
}

// State implements Gauge: there is none.
func (*path) State(*messages.Codec) {}
