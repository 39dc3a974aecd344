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
		Name: PathLength, Summary: "2-norm distance that the target has gone, the sum over steps so far: the path length that bounds of dynamic regret are in terms of (Zinkevich 2003); of problems that have a target; where measure.metrics names it",
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
