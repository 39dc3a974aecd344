package stream

import (
	"math"
	"sync"

	"starling/mechanisms/kernel"
	"starling/scenarios/problem"
)

// RoundOptimum returns the least mean loss over the n tau data of round r,
// (f^r)* = min_x f^r(x).
func RoundOptimum(m Minimiser, in problem.Data, s Shape, r int) Optimum {
	return IntervalOptimum(m, in, s, r*s.Tau+1, (r+1)*s.Tau)
}

// StaticOptimum returns the least mean loss over all R n tau data: the loss of the best fixed
// x, divided by R n tau. It holds all data while it works, like IntervalOptimum.
func StaticOptimum(m Minimiser, in problem.Data, s Shape) Optimum {
	return IntervalOptimum(m, in, s, 1, s.Steps())
}

// IntervalOptimum returns the least mean loss over the data of all learners at steps
// first .. last: the mean loss of the best x of the interval. It holds these data
// while it works, except with a Reader for data that the instance keeps.
func IntervalOptimum(m Minimiser, in problem.Data, s Shape, first, last int) Optimum {
	if reader, ok := m.(Reader); ok {
		return reader.MinimumOf(s.parts(in, first, last))
	}
	data := make([]float64, s.Learners*(last-first+1)*in.Width())
	s.fill(data, in, first, last)
	return m.Minimum(data)
}

// Memo computes a value for each key once, for the first caller. The zero value is ready for
// use. It is safe for concurrent use; callers that ask for a value that is being computed wait
// for it.
type Memo[K comparable, V any] struct {
	entries sync.Map // K to func() V
}

// Get returns the value of a key, from compute at the first call for the key.
func (m *Memo[K, V]) Get(key K, compute func() V) V {
	entry, ok := m.entries.Load(key)
	if !ok {
		entry, _ = m.entries.LoadOrStore(key, sync.OnceValue(compute))
	}
	return entry.(func() V)()
}

// Begin computes the value of a key unless another caller has begun to, and waits for no other
// caller. Callers that begin all keys that they will Get share the work.
func (m *Memo[K, V]) Begin(key K, compute func() V) {
	if _, begun := m.entries.Load(key); begun {
		return
	}
	if entry, begun := m.entries.LoadOrStore(key, sync.OnceValue(compute)); !begun {
		entry.(func() V)()
	}
}

// Comparator has the least losses that the regret of a stream compares with. Each optimum is
// computed when it is first asked for. It is safe for concurrent use, and can be shared by all
// runs on the same data. It keeps X of a round only where losses are strongly convex.
type Comparator struct {
	model    Minimiser
	instance problem.Data
	shape    Shape
	rounds   Memo[int, Optimum]
	inside   Memo[[2]int, float64] // by interval
	static   Memo[struct{}, Optimum]
	drift    func() float64
	unique   bool // losses are strongly convex
	alone    bool // keeps no intervals
}

// convex is a model with mu-strongly convex losses, mu > 0.
type convex interface{ StrongConvexity() float64 }

// NewComparator returns the comparator of a stream. It computes nothing yet.
func NewComparator(m Minimiser, in problem.Data, s Shape) *Comparator {
	c := &Comparator{model: m, instance: in, shape: s}
	c.drift = sync.OnceValue(c.sumDrift)
	if m, ok := m.(convex); ok {
		c.unique = m.StrongConvexity() > 0
	}
	return c
}

// Alone makes c the comparator of one run, which asks for each interval once, and returns c.
// It then keeps no intervals, of which there may be as many as steps.
func (c *Comparator) Alone() *Comparator {
	c.alone = true
	return c
}

// ComparatorBytes returns about the number of bytes of a comparator that has found the optimum
// of all data, and the optima of so many rounds and intervals.
func ComparatorBytes(m Minimiser, rounds, intervals int) int64 {
	const optimum = 200 // with its place in the memo
	bytes := int64(rounds+intervals)*optimum + int64(8*m.Dim())
	if c, ok := m.(convex); ok && c.StrongConvexity() > 0 {
		bytes += int64(rounds) * int64(8*m.Dim())
	}
	return bytes
}

// Drift returns C_R of strongly convex losses, the sum over rounds of ||x_r* - x*||^2, where
// x_r* is the minimiser of round r and x* the minimiser of all data. It is NaN for other
// losses, which may have no minimiser or many.
func (c *Comparator) Drift() float64 { return c.drift() }

func (c *Comparator) sumDrift() float64 {
	if !c.unique {
		return math.NaN()
	}
	var sum float64
	best := c.Static().X
	for r := range c.shape.Rounds {
		sum += kernel.SquaredDistance(c.Round(r).X, best)
	}
	return sum
}

// Round returns (f^r)*, the least mean loss over the data of round r. X is there for strongly
// convex losses only; it is shared: read only.
func (c *Comparator) Round(r int) Optimum {
	return c.rounds.Get(r, func() Optimum {
		optimum := RoundOptimum(c.model, c.instance, c.shape, r)
		if !c.unique {
			optimum.X = nil
		}
		return optimum
	})
}

// Static returns the least mean loss over all data. X is shared: read only.
func (c *Comparator) Static() Optimum { return c.static.Get(struct{}{}, c.findStatic) }

func (c *Comparator) findStatic() Optimum { return StaticOptimum(c.model, c.instance, c.shape) }

// Interval returns the least mean loss over the data of all learners at steps first .. last:
// NaN where the search for it did not come close enough.
func (c *Comparator) Interval(first, last int) float64 {
	find := c.findInterval(first, last)
	switch {
	case c.whole(first, last):
		return c.Static().Known()
	case c.alone:
		return find()
	}
	return c.inside.Get([2]int{first, last}, find)
}

// Begin computes the value of Interval, unless another caller does so already; it does not
// wait for that caller. On a comparator of one run it does nothing.
func (c *Comparator) Begin(first, last int) {
	switch {
	case c.alone:
	case c.whole(first, last):
		c.static.Begin(struct{}{}, c.findStatic)
	default:
		c.inside.Begin([2]int{first, last}, c.findInterval(first, last))
	}
}

func (c *Comparator) whole(first, last int) bool { return first == 1 && last == c.shape.Steps() }

func (c *Comparator) findInterval(first, last int) func() float64 {
	return func() float64 { return IntervalOptimum(c.model, c.instance, c.shape, first, last).Known() }
}
