package watch

import (
	"math"
	"sort"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/gauge"
)

// Quantities stands before the meter of a run whose machines record quantities that are
// metrics, under their names: the mean over the nodes that recorded one in the step of a
// point, NaN where none did.
type Quantities struct {
	Meter
	names  []string
	points []int // steps, ascending; the last is the last step
	nodes  int
	values []float64 // by name, then point, then node
}

// NewQuantities stands before a meter of so many nodes.
func NewQuantities(m Meter, names []string, points []int, nodes int) *Quantities {
	q := &Quantities{Meter: m, names: names, points: points, nodes: nodes, values: make([]float64, len(names)*len(points)*nodes)}
	for i := range q.values {
		q.values[i] = math.NaN()
	}
	return q
}

// Beneath implements Wrapper.
func (q *Quantities) Beneath() Meter { return q.Meter }

// at are the values of a name at a point, by node.
func (q *Quantities) at(name, point int) []float64 {
	from := (name*len(q.points) + point) * q.nodes
	return q.values[from : from+q.nodes]
}

// Recorded implements algorithm.Meter.
func (q *Quantities) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	if point := sort.SearchInts(q.points, step); q.points[point] == step {
		for name, is := range q.names {
			if is == quantity {
				q.at(name, point)[node] = value
			}
		}
	}
	q.Meter.Recorded(node, step, quantity, value)
}

// Fates implements Network.
func (q *Quantities) Fates(step int, f algorithm.Fates) {
	if m, ok := q.Meter.(Network); ok {
		m.Fates(step, f)
	}
}

// Finish implements Meter. The quantities come after the metrics of the meter behind.
func (q *Quantities) Finish(r gauge.Sheet) {
	q.Meter.Finish(r)
	for point, step := range q.points {
		for name, metric := range q.names {
			r.Add(step, metric, meanOf(q.at(name, point)))
		}
	}
}

// State implements Meter.
func (q *Quantities) State(c *messages.Codec) {
	c.Floats("values", q.values)
	c.Part("", q.Meter)
}
