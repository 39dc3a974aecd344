package meter

import (
	"fmt"
	"math"
	"sync"

	"starling/mechanisms/accountant"
	"starling/messages"
)

// SpendingOptions say what is added up, and how it becomes an epsilon.
type SpendingOptions struct {
	Participants int
	FirstStep    int
	// Points are the steps at which epsilons are asked for, strictly ascending; the
	// last is the last step.
	Points []int
	// Delta, in [0, 1), is where epsilons are stated, as Method accounts. At 0
	// Gaussian noise has no finite epsilon.
	Delta  float64
	Method accountant.Method
	// Neighbours are the data that epsilons are for: accountant.Replace converts losses
	// that are for a record added or removed; "" leaves losses what they are.
	Neighbours accountant.Relation
	// Growing tells that losses are those by which a bound for the run so far grows,
	// and no releases of their own.
	Growing bool
	// Before is what everybody has paid before the run; nil is nothing. Total counts it.
	Before *accountant.Total
}

// Spending is what the participants of a run pay. The meters of all families add up
// with it, and it turns sums into epsilons as the ledger does. Spent is safe for
// concurrent use for different participants.
type Spending struct {
	SpendingOptions
	payers []payment // by participant

	mu     sync.Mutex
	totals []largest // guarded by mu; by point: of those who paid since the point before
	steps  []largest // guarded by mu; by point: of its step alone
	// converter and settled belong to whoever reads epsilons, when the run is over.
	converter accountant.Converter
	settled   bool
}

// payment is what one participant has paid. Its calls are one after the other.
type payment struct {
	paid   bool
	step   int             // of the last release
	inStep accountant.Loss // of that step so far
	total  accountant.Total
}

// NewSpending returns what nobody has paid anything to.
func NewSpending(o SpendingOptions) *Spending {
	return &Spending{SpendingOptions: o, payers: make([]payment, o.Participants), totals: newLargest(len(o.Points), o.Before), steps: newLargest(len(o.Points), nil)}
}

// newLargest makes one for each of n points, with memory for one total.
func newLargest(n int, before *accountant.Total) []largest {
	list, memory := make([]largest, n), make([]accountant.Total, n)
	for i := range list {
		list[i].totals, list[i].before = memory[i:i:i+1], before
	}
	return list
}

// Spent adds a loss to what a participant has paid.
func (s *Spending) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	if err := loss.Validate(); err != nil {
		return err
	}
	p := &s.payers[node]
	if p.paid && p.step != step {
		s.leave(p, step)
	}
	if !p.paid || p.step != step {
		p.paid, p.step, p.inStep = true, step, accountant.Loss{}
	}
	p.inStep = p.inStep.Compose(loss)
	s.add(&p.total, loss)
	return nil
}

func (s *Spending) add(to *accountant.Total, loss accountant.Loss) {
	switch {
	case s.Delta == 0: // epsilons add up, whatever their number
		to.AddSum(loss)
	case s.Growing:
		to.Grow(loss)
	default:
		to.Add(loss)
	}
}

// leave notes what a participant paid in its last step, and up to it where no point
// is left until the next.
func (s *Spending) leave(p *payment, next int) {
	point := s.point(p.step)
	if s.Points[point] == p.step {
		var step accountant.Total
		s.add(&step, p.inStep)
		s.note(&s.steps[point], &step)
	}
	if next > s.Points[point] {
		s.note(&s.totals[point], &p.total)
	}
}

// point is the first point at or after a step.
func (s *Spending) point(step int) int {
	low, high := 0, len(s.Points)-1
	for low < high {
		if middle := (low + high) / 2; s.Points[middle] < step {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

func (s *Spending) note(at *largest, total *accountant.Total) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at.take(s, total)
}

// settle notes what participants paid last. The run must be over.
func (s *Spending) settle() {
	if s.settled {
		return
	}
	s.settled = true
	for i := range s.payers {
		if p := &s.payers[i]; p.paid {
			s.leave(p, math.MaxInt)
		}
	}
}

// Total is the largest epsilon of a participant, of all that it paid up to a point.
// The run must be over.
func (s *Spending) Total(point int) (epsilon float64) {
	s.settle()
	if s.Before != nil {
		epsilon = s.epsilon(s.Before)
	}
	for i := range s.totals[:point+1] {
		epsilon = max(epsilon, s.totals[i].convert(s))
	}
	return epsilon
}

// Any tells whether anybody has paid anything up to a point. The run must be over.
func (s *Spending) Any(point int) bool {
	s.settle()
	for i := range s.totals[:point+1] {
		if l := &s.totals[i]; len(l.totals) > 0 || l.epsilon > 0 {
			return true
		}
	}
	return false
}

// Step is the largest epsilon of what a participant paid in the step of a point. The
// run must be over.
func (s *Spending) Step(point int) (epsilon float64) {
	s.settle()
	return s.steps[point].convert(s)
}

// Costliest is all that the participant paid whose epsilon is the largest; zero if
// nobody paid. The run must be over.
func (s *Spending) Costliest() (loss accountant.Loss) {
	largest := math.Inf(-1)
	for i := range s.payers {
		p := &s.payers[i]
		if !p.paid {
			continue
		}
		if epsilon := s.epsilon(&p.total); epsilon > largest {
			largest, loss = epsilon, p.total.Loss()
		}
	}
	return loss
}

// epsilon converts what was validated when it was paid.
func (s *Spending) epsilon(t *accountant.Total) float64 {
	if !t.Private() {
		return math.Inf(1)
	}
	epsilon, err := s.converter.EpsilonOf(s.Neighbours, t, s.Delta, s.Method)
	if err != nil {
		panic(fmt.Sprintf("meter: %v", err)) // losses, delta and method are checked as they come
	}
	return epsilon
}

// mostTotals is how many different totals are kept until somebody asks for their
// epsilon.
const mostTotals = 16

// largest are totals of which the epsilon of the costliest is asked for. Those that
// another is known to cost at least as much as are left out.
type largest struct {
	totals  []accountant.Total
	epsilon float64           // of totals that are kept no more
	before  *accountant.Total // counted with each; nil is nothing
}

func (l *largest) take(s *Spending, total *accountant.Total) {
	kept := l.totals[:0]
	for i := range l.totals {
		if l.totals[i].Covers(total) {
			return // and nothing was left out so far: what covers total would cover that
		}
		if !total.Covers(&l.totals[i]) {
			kept = append(kept, l.totals[i])
		}
	}
	l.totals = append(kept, total.Clone())
	if len(l.totals) > mostTotals {
		l.convert(s)
	}
}

// convert returns the largest epsilon.
func (l *largest) convert(s *Spending) float64 {
	for i := range l.totals {
		total := &l.totals[i]
		if l.before != nil {
			total.AddTotal(l.before)
		}
		l.epsilon = max(l.epsilon, s.epsilon(total))
	}
	l.totals = l.totals[:0]
	return l.epsilon
}

// State goes through all that was paid. It must not be called while Spent is; what
// reads is a new Spending with the same options.
func (s *Spending) State(c *messages.Codec) {
	messages.Each(c, "payer", s.payers, func(p *payment) {
		if c.Bool("paid", &p.paid); p.paid {
			c.Int("step", &p.step)
			c.Part("in step", &p.inStep)
			c.Part("total", &p.total)
		}
	})
	messages.Each(c, "totals", s.totals, func(l *largest) { l.state(c) })
	messages.Each(c, "steps", s.steps, func(l *largest) { l.state(c) })
}

func (l *largest) state(c *messages.Codec) {
	c.Float("epsilon", &l.epsilon)
	messages.Slice(c, "total", &l.totals, mostTotals, func(t *accountant.Total) { t.State(c) })
}
