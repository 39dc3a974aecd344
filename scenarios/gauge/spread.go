package gauge

import (
	"math"
	"sync"
	"sync/atomic"

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

	points    []int
	mu        sync.Mutex
	decisions []*decisions // guarded by mu: by point, nil before and after use
	free      []*decisions // guarded by mu
	at        []distances  // by point; each written once, by the call that completes it
}

// distances are the measurements over all decisions of a step.
type distances struct{ consensus, target float64 }

// decisions collects all decisions of a step. It is reused for later points: at most as many
// are in use as there are points that some nodes have reached and others have not.
type decisions struct {
	x     []float64 // n x d; NaN where a node has not played
	mean  []float64 // d, scratch
	count atomic.Int64
}

// Begin implements Gauge.
func (s *Spread) Begin(span *Span) []Column {
	s.points = span.Points
	s.decisions, s.at = make([]*decisions, len(s.points)), make([]distances, len(s.points))
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
	s.mu.Lock()
	d := s.decisions[point]
	s.mu.Unlock()
	if d == nil {
		return s.at[point]
	}
	return s.measure(point, d)
}

// Final implements Early.
func (*Spread) Final(points int) int { return points }

// Heeds implements Selective.
func (s *Spread) Heeds(at At) bool { return at.Exact }

// Played implements Decisions. The call with the last decision of a point reduces them, in the
// order of the nodes and not of arrival.
func (s *Spread) Played(node messages.NodeID, at At, x []float64) {
	i, decides := s.Who.at(node)
	if !at.Exact || !decides {
		return
	}
	d := s.decisionsAt(at.Point)
	copy(d.x[i*s.Dim:], x)
	if d.count.Add(1) == int64(s.Who.in()) {
		s.reduce(at.Point, d)
	}
}

func (s *Spread) decisionsAt(point int) *decisions {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.decisions[point]; d != nil {
		return d
	}
	var d *decisions
	if n := len(s.free); n > 0 {
		d, s.free = s.free[n-1], s.free[:n-1]
	} else {
		d = &decisions{x: make([]float64, s.Who.n()*s.Dim), mean: make([]float64, s.Dim)}
	}
	d.count.Store(0)
	for i := range d.x {
		d.x[i] = math.NaN()
	}
	s.decisions[point] = d
	return d
}

// reduce computes the measurements over all decisions of a point and gives their memory back.
func (s *Spread) reduce(point int, d *decisions) {
	s.at[point] = s.measure(point, d)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.decisions[point] = nil
	s.free = append(s.free, d)
}

// measure returns the measurements over the decisions of a point.
func (s *Spread) measure(point int, d *decisions) distances {
	return distances{s.consensus(d), s.distance(s.points[point], d)}
}

// each calls visit for the decisions there are, in the order of the nodes.
func (s *Spread) each(d *decisions, visit func(x []float64)) (count int) {
	for i := range s.Who.n() {
		x := d.x[i*s.Dim : (i+1)*s.Dim]
		if math.IsNaN(x[0]) {
			continue // the node has ended its part, or is out
		}
		count++
		visit(x)
	}
	return count
}

// consensus returns the root mean square 2-norm distance of the decisions from their mean.
func (s *Spread) consensus(d *decisions) float64 {
	mean := d.mean
	clear(mean)
	n := float64(s.each(d, func(x []float64) {
		for k, v := range x {
			mean[k] += v
		}
	}))
	for k := range mean {
		mean[k] /= n
	}
	var sum float64
	s.each(d, func(x []float64) { sum += squareDistance(x, mean) })
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
	n := s.each(d, func(x []float64) { sum += math.Sqrt(squareDistance(x, target)) })
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
func (s *Spread) End() {
	for point, d := range s.decisions {
		if d != nil {
			s.reduce(point, d)
		}
	}
}

// State implements Gauge.
func (s *Spread) State(c *messages.Codec) {
	messages.Each(c, "point", s.at, func(at *distances) {
		c.Float("consensus", &at.consensus)
		c.Float("target", &at.target)
	})
	// The points with missing decisions: the decisions of nodes that ended their part never
	// come.
	var open []int
	for point, d := range s.decisions {
		if d != nil {
			open = append(open, point)
		}
	}
	messages.Integers(c, "open", &open, len(s.decisions))
	for _, point := range open {
		if c.Check(point >= 0 && point < len(s.decisions), "decisions of point %d of %d", point, len(s.decisions)); c.Failed() {
			return
		}
		d := s.decisionsAt(point)
		c.Enter("decisions", point)
		c.Count("count", &d.count)
		c.Check(d.count.Load() >= 0 && d.count.Load() < int64(s.Who.in()), "%d decisions of %d nodes", d.count.Load(), s.Who.in())
		c.Floats("x", d.x)
		c.Leave()
	}
}
