package decisions

import (
	"math"
	"sync/atomic"

	"starling/messages"
	"starling/scenarios/gauge"
)

// losses are those of all decisions so far at what was met, of which metrics are derived.
type losses struct {
	who     Deciders
	of      func(node messages.NodeID, step int, x []float64) float64
	same    bool      // all steps meet the same
	running []float64 // by decider
	loss    gauge.ByNode
	count   gauge.Counter
	first   int
	points  []int
	decided func(point int) float64 // so far
	later   *Later                  // nil where each is asked about at once
}

// Begin implements Gauge.
func (l *losses) Begin(s *gauge.Span) []gauge.Column {
	l.loss, l.count = gauge.NewByNode(len(s.Points), l.who.n()), make(gauge.Counter, len(s.Points))
	l.first, l.points = s.First, s.Points
	l.decided = l.count.SoFar()
	return nil
}

// Played implements Decisions.
func (l *losses) Played(node messages.NodeID, at gauge.At, x []float64) {
	if _, ok := l.who.at(node); !ok {
		return
	}
	if l.later != nil {
		l.later.Add(node, at, x)
		return
	}
	l.take(node, at, l.of(node, at.Step, x))
}

// End implements Ender.
func (l *losses) End() { l.later.Flush() }

// Digest implements Digesting: the loss.
func (l *losses) Digest(dst []float64, node messages.NodeID, at gauge.At, x []float64) []float64 {
	if _, ok := l.who.at(node); ok {
		dst = append(dst, l.of(node, at.Step, x))
	}
	return dst
}

// Take implements Digesting.
func (l *losses) Take(node messages.NodeID, at gauge.At, numbers []float64) {
	if _, ok := l.who.at(node); ok && len(numbers) == 1 {
		l.take(node, at, numbers[0])
	}
}

// take adds the loss of a decider.
func (l *losses) take(node messages.NodeID, at gauge.At, loss float64) {
	i, _ := l.who.at(node)
	l.running[i] += loss
	l.loss.Put(at.Point, i, l.running[i])
	l.count[at.Point].Add(1)
}

// Carry implements Carrier.
func (l *losses) Carry(point int) { l.loss.Carry(point) }

// Final implements Early.
func (l *losses) Final(points int) int { return l.later.final(points) }

func (l *losses) mean(point int) float64 { return l.loss.Sum() / l.decided(point) }

// regret is undefined where somebody did not decide in a step, and steps differ.
func (l *losses) regret(point int, best func() float64) float64 {
	if !l.same && !l.whole(point) {
		return math.NaN()
	}
	return l.mean(point) - best()
}

// whole tells that everybody has decided in every step up to a point.
func (l *losses) whole(point int) bool {
	return l.decided(point) == float64(l.who.in()*(l.points[point]-l.first+1))
}

// intervals is the mean of what was lost up to a point beyond the best decision of each
// interval between points. Points come in their order: least is the sum so far of what
// these decisions lose at a node, the mean over nodes. All begin before the first is asked
// for, so that runs on the same data share the work: first that of all steps, which takes
// longest, where it is compared with too.
func (l *losses) intervals(p *Probe, all bool) func(point int) float64 {
	next, least := 0, 0.0
	return func(point int) float64 {
		if !l.whole(point) {
			return math.NaN()
		}
		if next == 0 && p.Begin != nil {
			if all {
				p.Begin(l.first, l.points[len(l.points)-1])
			}
			for i := range l.points {
				p.Begin(l.interval(i))
			}
		}
		for ; next <= point; next++ {
			from, last := l.interval(next)
			least += float64(float64(last-from+1) * p.BestIn(from, last))
		}
		return l.mean(point) - least/float64(l.points[point]-l.first+1)
	}
}

// interval are the first and last steps between a point and the one before it.
func (l *losses) interval(point int) (first, last int) {
	first = l.first
	if point > 0 {
		first = l.points[point-1] + 1
	}
	return first, l.points[point]
}

// dynamic is the mean of what was lost up to a point beyond what is lost there, a point for
// each step. Points come in their order. Best points of steps begin as those of intervals do.
func (l *losses) dynamic(p *Probe) func(point int) float64 {
	steps, sum, there := 0, 0.0, p.there()
	return func(point int) float64 {
		if !l.whole(point) {
			return math.NaN()
		}
		if steps == 0 && p.Begin != nil && p.Target == nil {
			for step := l.first; step <= l.points[len(l.points)-1]; step++ {
				p.Begin(step, step)
			}
		}
		for ; l.first+steps <= l.points[point]; steps++ {
			sum += there(l.first + steps)
		}
		return l.mean(point) - sum/float64(steps)
	}
}

// State implements Gauge.
func (l *losses) State(c *messages.Codec) {
	l.later.Flush()
	c.Floats("running", l.running)
	c.Part("loss", &l.loss)
	l.count.Go(c, "count")
}

// travel is how far decisions have travelled.
type travel struct {
	who     Deciders
	last    [][]float64 // by decider: len d; nil before the first
	running []float64   // by decider
	way     gauge.ByNode
}

// Begin implements Gauge.
func (t *travel) Begin(s *gauge.Span) []gauge.Column {
	t.way = gauge.NewByNode(len(s.Points), t.who.n())
	return []gauge.Column{{Metric: gauge.Of(gauge.Travelled), Value: func(int) float64 { return t.way.Sum() / float64(t.who.in()) }}}
}

// Played implements Decisions.
func (t *travel) Played(node messages.NodeID, at gauge.At, x []float64) {
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

// path is how far a target has gone.
type path struct{ target func(step int) []float64 }

// Begin implements Gauge.
func (p *path) Begin(s *gauge.Span) []gauge.Column {
	next, length := s.First+1, 0.0
	return []gauge.Column{{Metric: gauge.Of(gauge.PathLength), Value: func(point int) float64 {
		for ; next <= s.Points[point]; next++ {
			length += math.Sqrt(squareDistance(p.target(next), p.target(next-1)))
		}
		return length
	}}}
}

// State implements Gauge: there is none.
func (*path) State(*messages.Codec) {}

// seen counts data: decisions, or what a machine records.
type seen struct {
	who      Deciders
	quantity string
	size     float64
	count    gauge.Counter
	recorded []atomic.Uint64 // by point: the bits of a number >= 0
	most     float64         // at the point of the rows
}

// Begin implements Gauge.
func (d *seen) Begin(s *gauge.Span) []gauge.Column {
	d.count, d.recorded = make(gauge.Counter, len(s.Points)), make([]atomic.Uint64, len(s.Points))
	value := d.count.SoFar()
	if d.quantity != "" {
		value = func(int) float64 { return d.most * d.size }
	}
	return []gauge.Column{{Metric: gauge.Of(gauge.DataSeen), Value: value}}
}

// Played implements Decisions.
func (d *seen) Played(node messages.NodeID, at gauge.At, _ []float64) {
	if _, ok := d.who.at(node); ok {
		d.count[at.Point].Add(1)
	}
}

// Digest implements Digesting: that there was a decision is all.
func (d *seen) Digest(dst []float64, _ messages.NodeID, _ gauge.At, _ []float64) []float64 {
	return dst
}

// Take implements Digesting.
func (d *seen) Take(node messages.NodeID, at gauge.At, _ []float64) { d.Played(node, at, nil) }

// Recorded implements Quantities.
func (d *seen) Recorded(_ messages.NodeID, at gauge.At, quantity string, value float64) {
	if quantity == d.quantity && quantity != "" {
		d.recorded[at.Point].Store(math.Float64bits(value))
	}
}

// Carry implements Carrier.
func (d *seen) Carry(point int) {
	if point == 0 {
		d.most = 0
	}
	d.most = max(d.most, math.Float64frombits(d.recorded[point].Load()))
}

// Final implements Early.
func (*seen) Final(points int) int { return points }

// State implements Gauge.
func (d *seen) State(c *messages.Codec) {
	d.count.Go(c, "count")
	for i := range d.recorded {
		c.Bits("recorded", &d.recorded[i])
	}
}

// fresh is the mean loss of the decisions of a step over the fresh data of all deciders.
type fresh struct {
	who     Deciders
	of      func(node messages.NodeID, step int, x []float64) float64
	weights []float64 // by decider, by its number of fresh data; nil is that all have the same
	at      []float64 // by point, then by decider: NaN where it did not decide, or has no data
	// later is nil where each is asked about at once.
	later *Later
}

// Begin implements Gauge.
func (f *fresh) Begin(s *gauge.Span) []gauge.Column {
	f.at = gauge.Undefined(len(s.Points) * f.who.n())
	return []gauge.Column{{Metric: gauge.Of(gauge.LossFresh), Value: func(point int) float64 {
		return gauge.WeightedMeanOf(f.at[point*f.who.n():(point+1)*f.who.n()], f.weights)
	}}}
}

// Heeds implements Selective.
func (f *fresh) Heeds(at gauge.At) bool { return at.Exact }

// Played implements Decisions.
func (f *fresh) Played(node messages.NodeID, at gauge.At, x []float64) {
	if _, ok := f.who.at(node); !ok || !at.Exact {
		return
	}
	if f.later != nil {
		f.later.Add(node, at, x)
		return
	}
	f.take(node, at, f.of(node, at.Step, x))
}

// take keeps the loss of a decider.
func (f *fresh) take(node messages.NodeID, at gauge.At, loss float64) {
	i, _ := f.who.at(node)
	f.at[at.Point*f.who.n()+i] = loss
}

// End implements Ender.
func (f *fresh) End() { f.later.Flush() }

// Final implements Early.
func (f *fresh) Final(points int) int { return f.later.final(points) }

// State implements Gauge.
func (f *fresh) State(c *messages.Codec) {
	f.later.Flush()
	c.Floats("fresh", f.at)
}
