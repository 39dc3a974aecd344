package gauge

import (
	"math"

	"starling/messages"
)

var lossMean = Measure{
	Metric: Of(LossMean),
	Needs:  []Answers{{Met: true}},
	New: func(m *Measure, r *Run) Gauge {
		losses := r.lost()
		return DerivedOf(losses, m.column(losses.mean))
	},
}

// losses are the losses of all decisions so far on the data that they met; metrics are derived
// from them.
type losses struct {
	who     Deciders
	of      func(node messages.NodeID, step int, x []float64) float64
	same    bool      // all steps meet the same data
	running []float64 // by decider
	loss    ByNode
	count   Counter
	// decisions are the numbers of decisions by decider; nil unless losses of single deciders
	// are recorded. made are the same up to now.
	decisions *ByNode
	made      []float64
	first     int
	points    []int
	decided   func(point int) float64 // so far
	later     *Later                  // nil if each decision is asked about at once
}

// Begin implements Gauge.
func (l *losses) Begin(s *Span) []Column {
	l.loss, l.count = NewByNode(len(s.Points), l.who.n()), make(Counter, len(s.Points))
	if l.decisions != nil {
		*l.decisions, l.made = NewByNode(len(s.Points), l.who.n()), make([]float64, l.who.n())
	}
	l.first, l.points = s.First, s.Points
	l.decided = l.count.SoFar()
	return nil
}

// Played implements Decisions.
func (l *losses) Played(node messages.NodeID, at At, x []float64) {
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
func (l *losses) Digest(dst []float64, node messages.NodeID, at At, x []float64) []float64 {
	if _, ok := l.who.at(node); ok {
		dst = append(dst, l.of(node, at.Step, x))
	}
	return dst
}

// Take implements Digesting.
func (l *losses) Take(node messages.NodeID, at At, numbers []float64) {
	if _, ok := l.who.at(node); ok && len(numbers) == 1 {
		l.take(node, at, numbers[0])
	}
}

// take adds the loss of a decider.
func (l *losses) take(node messages.NodeID, at At, loss float64) {
	i, _ := l.who.at(node)
	l.running[i] += loss
	l.loss.Put(at.Point, i, l.running[i])
	l.count[at.Point].Add(1)
	if l.decisions != nil {
		l.made[i]++
		l.decisions.Put(at.Point, i, l.made[i])
	}
}

// Carry implements Carrier.
func (l *losses) Carry(point int) {
	if l.loss.Carry(point); l.decisions != nil {
		l.decisions.Carry(point)
	}
}

// Final implements Early.
func (l *losses) Final(points int) int { return l.later.final(points) }

func (l *losses) mean(point int) float64 { return l.loss.Sum() / l.decided(point) }

// regret is undefined if a decider did not decide in a step, and steps differ.
func (l *losses) regret(point int, best func() float64) float64 {
	if !l.same && !l.whole(point) {
		return math.NaN()
	}
	return l.mean(point) - best()
}

// whole reports whether all deciders have decided in every step up to a point.
func (l *losses) whole(point int) bool {
	return l.decided(point) == float64(l.who.in()*(l.points[point]-l.first+1))
}

// intervals returns a function for the mean loss up to a point, less the mean loss of the best
// decision of each interval between points. Points come in their order: least is the sum so
// far of the losses of these decisions at a node, the mean over nodes. The searches for best
// decisions all begin before the first is asked for, so that runs on the same data share the
// work. If all is set, the search over all steps, which takes longest, begins first.
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

// interval returns the first and last steps between a point and the one before it.
func (l *losses) interval(point int) (first, last int) {
	first = l.first
	if point > 0 {
		first = l.points[point-1] + 1
	}
	return first, l.points[point]
}

// dynamic returns a function for the mean loss up to a point, less the mean loss at the points
// of regret, one for each step. Points come in their order. The searches for best points of
// steps begin as in intervals.
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
	if l.decisions != nil {
		c.Part("decisions", l.decisions)
		c.Floats("made", l.made)
	}
}
