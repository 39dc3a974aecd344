package gauge

import (
	"math"

	"starling/messages"
	"starling/scenarios/metric"
)

// Travelled is the name of the metric.
const Travelled = "distance.travelled"

var travelled = Measure{
	Metric: metric.Metric{
		Name: Travelled, Summary: "length of the path of a node's decisions so far: the sum of their moves from step to step in 2-norm, the mean over the nodes. Recorded where measure.metrics names it",
		Label: "distance travelled", Level: metric.OfRun, Asked: true,
		Chart: metric.Chart{Name: "travelled", Title: "distance that decisions travelled"},
	},
	New: func(m *Measure, r *Run) Gauge {
		return &travel{Measure: m, who: r.Who, last: make([][]float64, r.Who.n()), running: make([]float64, r.Who.n())}
	},
}

// travel is the distance that decisions have travelled.
type travel struct {
	*Measure
	who     Deciders
	last    [][]float64 // by decider: len d; nil before the first
	running []float64   // by decider
	way     ByNode
}

// Begin implements Gauge.
func (t *travel) Begin(s *Span) []Column {
	t.way = NewByNode(len(s.Points), t.who.n())
	return []Column{t.column(func(int) float64 { return t.way.Sum() / float64(t.who.in()) })}
}

// Played implements Decisions.
func (t *travel) Played(node messages.NodeID, at At, x []float64) {
	i, ok := t.who.at(node)
	if !ok {
		return
	}
	if len(t.last[i]) > 0 {
		t.running[i] += math.Sqrt(squareDistance(x, t.last[i]))
	}
	t.last[i] = append(t.last[i][:0], x...)
	t.way.Put(at.Point, i, t.running[i])
}

// Carry implements Carrier.
func (t *travel) Carry(point int) { t.way.Carry(point) }

// Final implements Early.
func (*travel) Final(points int) int { return points }

// State implements Gauge.
func (t *travel) State(c *messages.Codec) {
	messages.Each(c, "last", t.last, func(x *[]float64) { c.List("x", x, math.MaxInt32) })
	c.Floats("running", t.running)
	c.Part("way", &t.way)
}
