package gauge

import (
	"starling/messages"
)

// Folded is the gauge of a number that every decision of a participant has, such as its loss:
// at each point, Fold makes one value of the means so far of the participants that have
// decided.
type Folded struct {
	Measure *Measure
	Who     Deciders
	// Of returns the number of a decision. It is called concurrently for different nodes.
	Of func(node messages.NodeID, step int, x []float64) float64
	// Fold gets the means in the order of the nodes, at least one. It may change them.
	Fold func(means []float64) float64

	running     []float64 // sum and count, by decider
	sums, count ByNode
}

// Begin implements Gauge.
func (f *Folded) Begin(s *Span) []Column {
	n := f.Who.n()
	f.running, f.sums, f.count = make([]float64, 2*n), NewByNode(len(s.Points), n), NewByNode(len(s.Points), n)
	return []Column{{Metric: f.Measure.Metric, Value: func(int) float64 {
		var means []float64
		for i, count := range f.count.Now() {
			if count > 0 {
				means = append(means, f.sums.Now()[i]/count)
			}
		}
		if len(means) == 0 {
			return Undefined(1)[0]
		}
		return f.Fold(means)
	}}}
}

// Played implements Decisions.
func (f *Folded) Played(node messages.NodeID, at At, x []float64) {
	i, ok := f.Who.at(node)
	if !ok {
		return
	}
	f.running[2*i] += f.Of(node, at.Step, x)
	f.running[2*i+1]++
	f.sums.Put(at.Point, i, f.running[2*i])
	f.count.Put(at.Point, i, f.running[2*i+1])
}

// Carry implements Carrier.
func (f *Folded) Carry(point int) {
	f.sums.Carry(point)
	f.count.Carry(point)
}

// Final implements Early.
func (*Folded) Final(points int) int { return points }

// State implements Gauge.
func (f *Folded) State(c *messages.Codec) {
	c.Floats("running", f.running)
	c.Part("sums", &f.sums)
	c.Part("count", &f.count)
}
