package ledger

import (
	"slices"
	"sort"
	"sync/atomic"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/gauge"
)

// Ledger stands before the meter of a job, whatever the family, and holds the payments of
// every participant to the budget. It keeps the payments, and the observers to which
// participants have shown something that nothing bounds: raw payloads, and payloads sent as
// released that nobody has paid for.
type Ledger struct {
	*gauge.Meter
	// server means that participant 0 is a server, which has no data of its own: its payments
	// and exposures count for every unit.
	server bool
	// first and end delimit the participants that have protected data, first .. end-1. Those after
	// them, up to between, act inside a unit's trust, such as the clients that a learner meets: no
	// observer sees their links. Those from between on are servers; 0 means that there are none.
	first, end, between int
	// population is the number of units that those participants stand for; 0 is one each. dearest has
	// the payments of one of them; see Statement.
	population int
	dearest    func(step int) (payment accountant.Loss, times int)
	above      func(unit messages.NodeID) []messages.NodeID // see Options.Above
	Points     []int                                        // steps, ascending: the points of the curve of payments
	paid       []payer                                      // by participant
	// cohorts has the cohort of each participant, nil while it has none; a nil slice means
	// that there are no cohorts. The state of a cohort's participants changes in its calls
	// only.
	cohorts []*cohort
	// Bills returns the payment that the plan expects of each participant in each step; nil if
	// there is no plan. reasons are the grounds on which messages without a receipt may be
	// public.
	Bills   Billing
	posted  [2]atomic.Pointer[posted] // by step modulo 2
	reasons []algorithm.Reason
	raw     bool // raw messages are no releases; see Options.Raw
	// Local returns the cost of a participant's local step, for EpsilonSpent.
	Local func(node messages.NodeID) accountant.Loss
	// Accounts are the accounts of the arm, with the parts that depend on the seed.
	Accounts []Account
	seed     uint64
	weighed  []*Worth // the Worths of the accounts, each once
	budget   *Budget  // nil is no limit
	limited  int      // the index in weighed of the worth that the budget limits; -1 is the payments
	growing  bool     // payments are increments of a bound
	shared   *Epsilons
	stated   *statement
	view     views
	placed   []placed // observers of links of their own
	sums     bool     // nothing has a delta: sums alone are needed
	single   *singles
}

// payer is the record of a participant's payments and exposures. Steps are counted from 1; 0
// is none.
type payer struct {
	marks []mark // ascending by point; the last is the total so far
	lent  bool   // others have the same marks in memory
	since int32  // the step of its first payment of more than nothing
	// shown is, by observer, the step of the first raw payload that the observer saw. unpaid
	// is the step of the first payload that was sent as released although its sender had
	// recorded no loss.
	shown, unpaid [observerCount]int32
	// heard are the same by member of a coalition, in the order of views.watched.
	heard []sightings
	// seen are the same by observer of links of its own, in the order of Ledger.placed.
	seen []sightings
	dues dues
}

// mark is a total at a point: the sum of all payments until then.
type mark struct {
	point int32 // index of Ledger.Points
	last  int32 // the last step that was paid for
	total accountant.Total
	// worth are the same sums of the losses to observers, by Ledger.weighed.
	worth []accountant.Total
}

// clone returns the mark with lists of its own.
func (m *mark) clone() mark {
	c := *m
	c.total, c.worth = m.total.Clone(), slices.Clone(m.worth)
	for i := range c.worth {
		c.worth[i] = m.worth[i].Clone()
	}
	return c
}

// cohort is a run of consecutive participants with their calls one after the other. While they
// are together, they have paid and shown the same in every step, and the account of the first
// stands for all: the accounts of the others are out of date.
type cohort struct {
	first, end messages.NodeID
	together   bool
	// apart means that their accounts were found to differ: they are not compared again.
	apart bool
}

// add adds a loss to a total.
func (l *Ledger) add(to *accountant.Total, loss accountant.Loss) {
	switch {
	case l.sums: // epsilons add up, whatever their number
		to.AddSum(loss)
	case l.growing:
		to.Grow(loss)
	default:
		to.Add(loss)
	}
}

// sofar returns the total of a participant's payments; read only.
func (p *payer) sofar() *mark {
	if n := len(p.marks); n > 0 {
		return &p.marks[n-1]
	}
	return &mark{}
}

// mark returns the total of a payer up to the first point at or after a step.
func (l *Ledger) mark(p *payer, step int) *mark {
	p.keep()
	n := len(p.marks)
	if n == 0 || l.Points[p.marks[n-1].point] < step {
		next := mark{worth: make([]accountant.Total, len(l.weighed))}
		if n > 0 {
			next = p.marks[n-1].clone()
		}
		next.point = int32(sort.SearchInts(l.Points, step))
		p.marks = append(p.marks, next)
		n++
	}
	return &p.marks[n-1]
}

// keep gives a payer its own copy of marks that it shares with others of a cohort: they are
// about to change.
func (p *payer) keep() {
	if p.lent {
		p.lent = false
		p.marks = slices.Clone(p.marks)
		last := &p.marks[len(p.marks)-1]
		*last = last.clone()
	}
}

// state goes through a participant's payments. points is the number of points, and weighed is
// the number of totals by Worth in each mark.
func (p *payer) state(c *messages.Codec, points, weighed int) {
	c.Int32("since", &p.since)
	step := func(v *int32) { c.Int32("", v) }
	messages.Each(c, "shown", p.shown[:], step)
	messages.Each(c, "unpaid", p.unpaid[:], step)
	for i := range p.heard {
		step(&p.heard[i].raw)
		step(&p.heard[i].unpaid)
	}
	for i := range p.seen {
		step(&p.seen[i].raw)
		step(&p.seen[i].unpaid)
	}
	messages.Slice(c, "mark", &p.marks, points, func(m *mark) {
		c.Int32("point", &m.point)
		c.Int32("last", &m.last)
		c.Part("total", &m.total)
		if c.Reading() {
			m.worth = make([]accountant.Total, weighed)
		}
		messages.Each(c, "worth", m.worth, func(t *accountant.Total) { t.State(c) })
		c.Check(m.point >= 0 && int(m.point) < points, "a payment at point %d of %d", m.point, points)
	})
	p.dues.state(c)
}

// Options are the ledger's knowledge of the run: see the fields of Ledger.
type Options struct {
	Server              bool
	Participants, Units int // units are the participants that have protected data
	// More units than participants after the server are units that these stand for in turn. They
	// have one account, with all that any participant has shown; see Statement.Dearest.
	// Above returns the servers between a unit and the server at the top, participant 0, with
	// this last: their payments count for the unit. They are the last participants, after the units
	// and Inside others that act inside a unit's trust. nil means that there are none between, and
	// that all participants after the units act inside.
	Above    func(unit messages.NodeID) []messages.NodeID
	Inside   int
	Points   []int
	Accounts []Account
	Reasons  []algorithm.Reason
	// Raw means that participants send raw messages beside their releases. Raw messages are
	// then no releases: no bill has them, and an observer of one has no bound on the loss of
	// its sender. If Raw is false, a participant that sends anything raw pays its bill.
	Raw     bool
	Budget  *Budget
	Seed    uint64 // of the run
	Growing bool
	Stated  Statement
	Shared  *Epsilons    // of the jobs of a study; nil shares nothing
	Wanted  gauge.Wanted // which metrics are recorded; nil is all
	// Owners are the participants with epsilons that are recorded one by one; nil records none.
	// The curves of payments then have all points.
	Owners *gauge.Owners
	// Learns returns the losses to observers in the run, once that is over; nil is the
	// payments.
	Learns func() Learns
}
