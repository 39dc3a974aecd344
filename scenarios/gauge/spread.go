package gauge

import (
	"math"

	"starling/messages"
)

var consensus = Measure{
	Metric: Of(Consensus),
	New:    func(_ *Measure, r *Run) Gauge { return &Spread{Who: r.Who, Dim: r.Dim} },
}

// Spread is the distance of the decisions of a step from each other: the root mean square
// 2-norm distance from their mean, and, if there is a target, the mean 2-norm distance from
// it. NaN if nobody decided.
type Spread struct {
	Who    Deciders
	Dim    int                      // d
	Target func(step int) []float64 // len d; nil if there is none

	points []int
	open   gathering
	at     []distances // by point; each written once, by the call that completes it
}

// distances are the measurements over all decisions of a step.
type distances struct{ consensus, target float64 }

// again implements everyStep.
func (s *Spread) again() everyStep { return &Spread{Who: s.Who, Dim: s.Dim, Target: s.Target} }

// Begin implements Gauge.
func (s *Spread) Begin(span *Span) []Column {
	s.points = span.Points
	s.open.begin(s.Who, s.Dim, len(s.points))
	s.at = make([]distances, len(s.points))
	for point := range s.at {
		s.at[point] = distances{math.NaN(), math.NaN()} // until a node has played
	}
	columns := []Column{{Metric: Of(Consensus), Value: func(point int) float64 { return s.of(point).consensus }}}
	if s.Target != nil {
		columns = append(columns, Column{Metric: Of(TargetError), Value: func(point int) float64 { return s.of(point).target }})
	}
	return columns
}

// of returns the measurements at a point. While the run goes on, a point with missing
// decisions counts those that are there.
func (s *Spread) of(point int) distances {
	if d := s.open.at(point); d != nil {
		return s.measure(point, d)
	}
	return s.at[point]
}

// Final implements Early.
func (*Spread) Final(points int) int { return points }

// Heeds implements Selective.
func (s *Spread) Heeds(at At) bool { return at.Exact }

// Played implements Decisions. The call with the last decision of a point reduces them, in the
// order of the nodes and not of arrival.
func (s *Spread) Played(node messages.NodeID, at At, x []float64) {
	if d := s.open.add(node, at, x); d != nil {
		s.reduce(at.Point, d)
	}
}

// reduce computes the measurements over all decisions of a point and gives their memory back.
func (s *Spread) reduce(point int, d *decisions) {
	s.at[point] = s.measure(point, d)
	s.open.close(point, d)
}

// measure returns the measurements over the decisions of a point.
func (s *Spread) measure(point int, d *decisions) distances {
	return distances{s.consensus(d), s.distance(s.points[point], d)}
}

// consensus returns the root mean square 2-norm distance of the decisions from their mean.
func (s *Spread) consensus(d *decisions) float64 {
	mean := d.mean
	clear(mean)
	n := float64(s.open.each(d, func(_ int, x []float64) {
		for k, v := range x {
			mean[k] += v
		}
	}))
	for k := range mean {
		mean[k] /= n
	}
	var sum float64
	s.open.each(d, func(_ int, x []float64) { sum += squareDistance(x, mean) })
	return math.Sqrt(sum / n)
}

// distance returns the mean 2-norm distance of the decisions from the target, NaN if there is
// none.
func (s *Spread) distance(step int, d *decisions) float64 {
	if s.Target == nil {
		return math.NaN()
	}
	target := s.Target(step)
	var sum float64
	n := s.open.each(d, func(_ int, x []float64) { sum += math.Sqrt(squareDistance(x, target)) })
	return sum / float64(n)
}

func squareDistance(x, y []float64) (sum float64) {
	for k, v := range x {
		e := v - y[k]
		sum += float64(e * e)
	}
	return sum
}

// End implements Ender: a point with missing decisions counts those that are there.
func (s *Spread) End() { s.open.end(s.reduce) }

// State implements Gauge.
func (s *Spread) State(c *messages.Codec) {
	messages.Each(c, "point", s.at, func(at *distances) {
		c.Float("consensus", &at.consensus)
		c.Float("target", &at.target)
	})
	s.open.State(c)
}
