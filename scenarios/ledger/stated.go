package ledger

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/gauge"
)

// The names of the metrics of payments. They are recorded at the points of the run, at the
// place that the meter of the family has for them.
const (
	// EpsilonStep is the epsilon of the step alone, for the participant with the largest.
	EpsilonStep = "epsilon.step"
	// EpsilonSpent is the epsilon of the local steps so far, for the participant with the
	// largest. The paper of DPFL accounts for these alone.
	EpsilonSpent = "epsilon.spent"
	// EpsilonTotal is the epsilon of all payments so far, for the participant with the
	// largest. Where payments depend on data, it is the guarantee of the plan.
	EpsilonTotal = "epsilon.total"
	// EpsilonOdometer is the epsilon of the payments so far, where the guarantee of the plan
	// is another: the reading of an odometer.
	EpsilonOdometer = "epsilon.odometer"
	// Delta is the delta at which these epsilons are stated.
	Delta = "delta"
)

// Statement says which of these metrics a run records. Epsilons are stated as in the first
// account of the run: at its delta, by its method, for its neighbours.
type Statement struct {
	Metrics []string // in the order of their rows
	// Summed means that pure epsilons add up, and are stated at a delta of 0, whatever the
	// delta of the account.
	Summed bool
	// Composed returns the epsilon of a run up to a step, given the number of payments so far,
	// where it differs from the epsilon of the payments; nil elsewhere. A step costs the
	// difference to the step before.
	Composed func(step, payments int) float64
	// Dearest returns, of units that participants stand for in turn, the payments up to a step of the
	// one that pays the most, which the schedule alone decides: the same payment a number of times.
	// nil means that such units pay nothing by themselves, and have what the server pays.
	Dearest func(step int) (payment accountant.Loss, times int)
}

// sums are the payments of participants, by the points of metrics. paid is safe for concurrent
// use for different participants.
type sums struct {
	points []int // steps, ascending; the last is the last step
	payers []instalment
	ledger *Ledger // adds losses to totals
	// sofar returns the total of a participant.
	sofar func(node int) *accountant.Total
	// epsilon converts a total, at a delta.
	epsilon converter
	deltaOf func(node int) float64 // of a participant
	least   float64                // the smallest delta
	before  *accountant.Total      // the payment of everybody before the run; nil is nothing
	counted bool                   // payments are counted, for Statement.Composed alone
	counts  []counts               // by point

	mu     sync.Mutex
	totals []largest // guarded by mu; by point: of participants that paid since the point before
	steps  []largest // guarded by mu; by point: of its step alone
	// settled belongs to the reader of epsilons, when the run is over.
	settled bool
}

// converter returns the epsilon of a total at a delta.
type converter func(t *accountant.Total, delta float64) float64

// owed is a total of a participant with its delta.
type owed struct {
	total accountant.Total
	delta float64
}

// covers reports whether a total is known to cost as much as another at least: it covers the other,
// at a delta that is no larger.
func (o *owed) covers(other *owed) bool {
	return o.delta <= other.delta && o.total.Covers(&other.total)
}

// instalment is the payment of one participant in the step of its last payment. The calls for
// one participant are one after the other.
type instalment struct {
	paid bool
	// until is the step of the first point at or after step.
	until int32
	step  int
	loss  accountant.Loss
}

// counts are the numbers of payments of more than nothing since the point before: in the
// point's step, and earlier.
type counts struct{ earlier, at atomic.Int64 }

// newSums returns sums without payments.
func newSums(l *Ledger, points []int) *sums {
	n := len(points)
	return &sums{ledger: l, points: points, payers: make([]instalment, len(l.paid)), counts: make([]counts, n), totals: newLargest(n), steps: newLargest(n)}
}

// newLargest returns one largest for each of n points, with memory for one total.
func newLargest(n int) []largest {
	list, memory := make([]largest, n), make([]owed, n)
	for i := range list {
		list[i].totals = memory[i : i : i+1]
	}
	return list
}

// paid takes in a loss, before it is added to the total of the participant.
func (s *sums) paid(node messages.NodeID, step int, loss accountant.Loss) {
	p := &s.payers[node]
	if !p.paid || p.step != step {
		if p.paid {
			s.leave(int(node), step)
		}
		if !p.paid || step > int(p.until) {
			p.until = int32(s.points[s.point(step)])
		}
		p.paid, p.step, p.loss = true, step, loss
	} else {
		p.loss = p.loss.Compose(loss)
	}
	if !s.counted || loss == (accountant.Loss{}) {
		return
	}
	if point := s.point(step); int(p.until) == step {
		s.counts[point].at.Add(1)
	} else {
		s.counts[point].earlier.Add(1)
	}
}

// leave notes a participant's payments in its last step. It also notes the total up to that
// step if the next step is after the next point.
func (s *sums) leave(node, next int) {
	p := &s.payers[node]
	if p.step < int(p.until) && next <= int(p.until) {
		return
	}
	point := s.point(p.step)
	if int(p.until) == p.step {
		var step accountant.Total
		s.ledger.add(&step, p.loss)
		s.note(&s.steps[point], node, &step, nil)
	}
	if next > int(p.until) {
		s.note(&s.totals[point], node, s.sofar(node), s.before)
	}
}

// point returns the index of the first point at or after a step.
func (s *sums) point(step int) int { return sort.SearchInts(s.points, step) }

func (s *sums) note(at *largest, node int, total, before *accountant.Total) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at.take(&owed{*total, s.deltaOf(node)}); len(at.totals) > mostTotals {
		at.convert(s.epsilon, before)
	}
}

// settle notes the last payments of all participants. The run must be over.
func (s *sums) settle() {
	if s.settled {
		return
	}
	s.settled = true
	for i := range s.payers {
		if s.payers[i].paid {
			s.leave(i, math.MaxInt)
		}
	}
}

// total returns the largest epsilon of a participant, of all its payments up to a point. The
// run must be over.
func (s *sums) total(point int) (epsilon float64) {
	s.settle()
	if s.before != nil {
		epsilon = s.epsilon(s.before, s.least)
	}
	for i := range s.totals[:point+1] {
		epsilon = max(epsilon, s.totals[i].convert(s.epsilon, s.before))
	}
	return epsilon
}

// any reports whether anybody has paid anything up to a point. The run must be over.
func (s *sums) any(point int) bool {
	s.settle()
	for i := range s.totals[:point+1] {
		if l := &s.totals[i]; len(l.totals) > 0 || l.epsilon > 0 {
			return true
		}
	}
	return false
}

// step returns the largest epsilon of a participant's payments in the step of a point. The run
// must be over.
func (s *sums) step(point int) float64 {
	s.settle()
	return s.steps[point].convert(s.epsilon, nil)
}

// payments returns the number of payments up to a point, and the number before the point's
// step.
func (s *sums) payments(point int) (now, before int) {
	for i := range s.counts[:point+1] {
		before = now + int(s.counts[i].earlier.Load())
		now = before + int(s.counts[i].at.Load())
	}
	return now, before
}

// costliest returns the total loss of the participant with the largest epsilon; zero if nobody
// paid. The run must be over.
func (s *sums) costliest() (loss accountant.Loss) {
	most := math.Inf(-1)
	for i := range s.payers {
		if !s.payers[i].paid {
			continue
		}
		if epsilon := s.epsilon(s.sofar(i), s.deltaOf(i)); epsilon > most {
			most, loss = epsilon, s.sofar(i).Loss()
		}
	}
	return loss
}

// mostTotals is the number of different totals that are kept before they are converted to
// epsilons.
const mostTotals = 16

// largest holds totals of which only the largest epsilon is needed. It leaves out a total if
// another is known to cost at least as much.
type largest struct {
	totals  []owed
	epsilon float64 // of totals that are no longer kept
}

func (l *largest) take(of *owed) {
	kept := l.totals[:0]
	for i := range l.totals {
		if l.totals[i].covers(of) {
			return // and nothing was left out so far: if it covered one of those kept, that one would be covered too
		}
		if !of.covers(&l.totals[i]) {
			kept = append(kept, l.totals[i])
		}
	}
	l.totals = append(kept, owed{of.total.Clone(), of.delta})
}

// convert returns the largest epsilon. It counts before with each total; nil is nothing.
func (l *largest) convert(epsilon converter, before *accountant.Total) float64 {
	for i := range l.totals {
		of := &l.totals[i]
		if before != nil {
			of.total.AddTotal(before)
		}
		l.epsilon = max(l.epsilon, epsilon(&of.total, of.delta))
	}
	l.totals = l.totals[:0]
	return l.epsilon
}

// State goes through all payments except the totals of participants. It must not be called
// while paid is. A reader has new sums of the same run.
func (s *sums) State(c *messages.Codec) {
	messages.Each(c, "payer", s.payers, func(p *instalment) {
		if c.Bool("paid", &p.paid); p.paid {
			c.Int("step", &p.step)
			c.Part("loss", &p.loss)
			point := s.point(p.step)
			if c.Check(point < len(s.points), "a payment in step %d, after the last", p.step); c.Reading() && !c.Failed() {
				p.until = int32(s.points[point])
			}
		}
	})
	messages.Each(c, "count", s.counts, func(n *counts) {
		c.Count("earlier", &n.earlier)
		c.Count("at", &n.at)
	})
	messages.Each(c, "totals", s.totals, func(l *largest) { l.state(c, s) })
	messages.Each(c, "steps", s.steps, func(l *largest) { l.state(c, s) })
}

// state goes through the totals, with their deltas where participants have their own.
func (l *largest) state(c *messages.Codec, s *sums) {
	c.Float("epsilon", &l.epsilon)
	messages.Slice(c, "total", &l.totals, mostTotals, func(of *owed) {
		of.total.State(c)
		if of.delta = cmp.Or(of.delta, s.least); s.ledger.ownDeltas() {
			c.Float("delta", &of.delta)
		}
	})
}

// statement turns the payments of a run's participants into the metrics that state them.
type statement struct {
	Statement
	ledger *Ledger
	wanted gauge.Wanted
	all    *sums
	local  *sums              // nil if EpsilonSpent is none of the metrics
	locals []accountant.Total // by participant: of local steps
	by     EpsilonCache
}

// newStatement returns the statement of a ledger; nil if no metric is stated.
func newStatement(l *Ledger, o *Options) *statement {
	if len(o.Stated.Metrics) == 0 {
		return nil
	}
	s := &statement{Statement: o.Stated, ledger: l, wanted: o.Wanted, by: l.Epsilons()}
	s.all = newSums(l, o.Points)
	s.all.before = l.Accounts[0].Before.Loss()
	s.converts(s.all)
	s.all.counted = s.Composed != nil
	s.all.sofar = func(node int) *accountant.Total { return &l.paid[node].sofar().total }
	if slices.Contains(s.Metrics, EpsilonSpent) {
		s.locals = make([]accountant.Total, len(l.paid))
		s.local = newSums(l, o.Points)
		s.converts(s.local)
		s.local.sofar = func(node int) *accountant.Total { return &s.locals[node] }
	}
	return s
}

// paid takes in a payment, before the ledger adds it.
func (s *statement) paid(node messages.NodeID, step int, loss accountant.Loss) {
	if s == nil {
		return
	}
	s.all.paid(node, step, loss)
	if s.local != nil && loss == s.ledger.Local(node) {
		s.local.paid(node, step, loss)
		s.ledger.add(&s.locals[node], loss)
	}
}

// converts sets the deltas of sums, and the conversion at them.
func (s *statement) converts(of *sums) {
	a := s.account()
	of.epsilon, of.deltaOf, of.least = s.epsilon, a.DeltaOf, a.LeastDelta()
}

// account returns the account by which epsilons are stated.
func (s *statement) account() Account {
	a := s.ledger.Accounts[0]
	if s.Summed {
		a.Delta, a.Own = 0, nil
	}
	return a
}

// epsilon converts a total of losses that were validated when they were paid, at a delta.
func (s *statement) epsilon(t *accountant.Total, delta float64) float64 {
	a := s.account()
	a.Delta = delta
	epsilon, err := s.by.Stated(&a, t)
	if err != nil {
		panic(fmt.Sprintf("ledger: %v", err)) // losses, delta and method are checked as they come
	}
	return epsilon
}

// value returns a metric at a point. The run must be over.
func (s *statement) value(metric string, point int) float64 {
	switch metric {
	case EpsilonStep:
		return s.step(point)
	case EpsilonSpent:
		return s.local.total(point)
	case EpsilonTotal:
		return s.total(point)
	case EpsilonOdometer:
		return s.all.total(point)
	case Delta:
		return s.account().Delta
	}
	panic(fmt.Sprintf("ledger: %q is no metric of payments", metric))
}

// step returns the cost of the step of a point.
func (s *statement) step(point int) float64 {
	if s.Composed == nil {
		return s.all.step(point)
	}
	step := s.all.points[point]
	now, before := s.all.payments(point)
	inStep := s.Composed(step, now)
	if step > 1 {
		inStep -= s.Composed(step-1, before)
	}
	return inStep
}

// total returns the cost of the run up to a point: the guarantee of the plan, if there is one
// and anybody has paid anything; otherwise the epsilon of the payments. A run without privacy
// has an infinite cost whatever the plan says. So has a run with a raw message beside
// releases.
func (s *statement) total(point int) (epsilon float64) {
	step := s.all.points[point]
	if s.ledger.showsRaw(step) {
		return math.Inf(1)
	}
	if s.Composed != nil {
		now, _ := s.all.payments(point)
		return s.Composed(step, now)
	}
	if s.ledger.dearest != nil {
		return s.dearest(point)
	}
	paid, a := s.all.total(point), s.account()
	if a.Guarantee == nil || !s.all.any(point) || math.IsInf(paid, 1) {
		return paid
	}
	for unit := s.ledger.first; unit < s.ledger.end; unit++ {
		total := a.Before.Added(a.Guarantee(unit, step))
		epsilon = max(epsilon, s.epsilon(&total, a.DeltaOf(unit)))
	}
	return epsilon
}

// dearest returns the cost of the run up to a point for the unit of a population that pays the most.
func (s *statement) dearest(point int) float64 {
	total := s.account().Before.Added(accountant.Total{})
	if s.all.any(point) {
		payment, times := s.ledger.dearest(s.all.points[point])
		total.AddTimes(payment, times)
	}
	return s.epsilon(&total, s.account().Delta)
}

// state goes through all payments; a nil statement has none.
func (s *statement) state(c *messages.Codec) {
	if s == nil {
		return
	}
	c.Part("all", s.all)
	if s.local != nil {
		messages.Each(c, "local", s.locals, func(t *accountant.Total) { t.State(c) })
		c.Part("local steps", s.local)
	}
}
