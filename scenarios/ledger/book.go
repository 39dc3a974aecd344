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

// Ledger stands before the meter of a job, whatever the family, and holds what every
// participant pays to the budget. It keeps what they have paid, and to whom they have shown
// what nothing bounds: raw payloads, and those sent as released that nobody has paid for.
type Ledger struct {
	*gauge.Meter
	// server tells that participant 0 is a server, which has no data of its own:
	// what it pays and shows counts for every unit.
	server bool
	// first and end are the participants that have protected data. Those after
	// them act inside a unit's trust, such as the clients that a learner meets:
	// their links are seen by nobody.
	first, end int
	Points     []int   // steps, ascending: where the curve of a payment has its points
	paid       []payer // by participant
	// cohorts is by participant the cohort that it is of, nil where there is none yet; nil
	// where there are no cohorts. What belongs to one is changed in its calls only.
	cohorts []*cohort
	// Bills are what the plan has participants pay, nil where there is no plan;
	// reasons are those that what they send may show nothing for.
	Bills   Billing
	posted  [2]atomic.Pointer[posted] // by step modulo 2
	reasons []algorithm.Reason
	raw     bool // raw messages are no releases; see Options.Raw
	// Local is what a local step costs a participant, for EpsilonSpent.
	Local func(node messages.NodeID) accountant.Loss
	// Accounts are those of the arm, with what depends on the seed.
	Accounts []Account
	seed     uint64
	weighed  []*Worth // those of the accounts, each once
	purse    *Purse   // nil is no limit
	limited  int      // the index of what the purse holds in weighed; -1 is what was paid
	growing  bool     // payments are those by which a bound grows
	shared   *Epsilons
	stated   *statement
	view     views
	sums     bool // nothing has a delta: nothing but sums is asked for
}

// payer is what a participant has paid and shown. Steps are counted from 1; 0 is
// none.
type payer struct {
	marks []mark // ascending by point; the last is the total so far
	lent  bool   // others have the same marks in memory
	since int32  // the step of its first payment of more than nothing
	// shown is, by observer, the step of the first raw payload that the observer
	// saw. unpaid is the step of the first payload that was sent as released
	// although its sender had recorded no loss.
	shown, unpaid [observerCount]int32
	// heard are the same by member of a coalition, in the order of Ledger.watched.
	heard []sightings
	dues  dues
}

// mark is a total at a point: the sum of all that was paid until then.
type mark struct {
	point int32 // index of Ledger.Points
	last  int32 // the last step that was paid for
	total accountant.Total
	// worth are the same sums of what payments are to observers, by Ledger.weighed.
	worth []accountant.Total
}

// clone is the mark with lists of its own.
func (m *mark) clone() mark {
	c := *m
	c.total, c.worth = m.total.Clone(), slices.Clone(m.worth)
	for i := range c.worth {
		c.worth[i] = m.worth[i].Clone()
	}
	return c
}

// cohort is consecutive participants whose calls come one after the other. While they are
// together they have paid and shown the same in every step, and the account of the first
// stands for all: what it holds of the others is out of date.
type cohort struct {
	first, end messages.NodeID
	together   bool
	// apart tells that their accounts were found to differ: nobody looks again.
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

// sofar is all that a participant has paid; read only.
func (p *payer) sofar() *mark {
	if n := len(p.marks); n > 0 {
		return &p.marks[n-1]
	}
	return &mark{}
}

// mark is the total of a payer up to the first point at or after a step.
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

// keep has a payer have its marks for itself, which it had with others of a cohort: they
// are about to change.
func (p *payer) keep() {
	if p.lent {
		p.lent = false
		p.marks = slices.Clone(p.marks)
		last := &p.marks[len(p.marks)-1]
		*last = last.clone()
	}
}

// state goes through what a participant has paid up to so many points, which is so many
// totals beside what was paid.
func (p *payer) state(c *messages.Codec, points, weighed int) {
	c.Int32("since", &p.since)
	step := func(v *int32) { c.Int32("", v) }
	messages.Each(c, "shown", p.shown[:], step)
	messages.Each(c, "unpaid", p.unpaid[:], step)
	for i := range p.heard {
		step(&p.heard[i].raw)
		step(&p.heard[i].unpaid)
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

// Options are what a ledger knows of the run: see the fields of ledger.
type Options struct {
	Server              bool
	Participants, Units int // units are the participants that have protected data
	Points              []int
	Accounts            []Account
	Reasons             []algorithm.Reason
	// Raw tells that participants send raw messages beside what they release. These are no
	// releases: no bill has them, and whoever sees one has no bound of its sender. Elsewhere
	// who sends anything raw pays its bill.
	Raw     bool
	Purse   *Purse
	Seed    uint64 // of the run
	Growing bool
	Stated  Statement
	Shared  *Epsilons    // of the jobs of a study; nil shares nothing
	Wanted  gauge.Wanted // which metrics are recorded; nil is all
	// Learns makes what observers learn in the run, once that is over; nil is what was paid.
	Learns func() Learns
}
