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

// Account is what one observer learns of the protected units of a run, by what
// the units have paid and by what was sent unprotected.
type Account struct {
	Observer accountant.Observer
	// Unit is what is protected, and neighbours which data are as good as the
	// same: the adjacency that all losses are for.
	Unit, Neighbours string
	Relation         accountant.Relation // neighbours in a word
	Claimed          string              // what the paper states
	Delta            float64
	By               accountant.Method
	// Converted tells that what is paid is for adding or removing a record, while
	// the account is for replacing one.
	Converted bool
	PaidFor   string // those neighbours, in words
	// Bound is what the observer learns of a unit up to a step at most, where
	// that is a matter of the schedule; nil is what was paid.
	Bound func(step int) accountant.Loss
	// Chance tells that units take part by chance, so that one of which nothing was sent
	// may be among those for which Bound is no bound.
	Chance bool
	Why    string // it is not private, or the bound is another than what was paid
	// Guarantee is what the plan lets a unit, a participant, lose up to a step at most,
	// where what is paid depends on the data; nil elsewhere. It is the unit's loss: the
	// plan is a privacy filter, of a fixed number of releases of each kind in whatever
	// order the data have them come, and each kind's count is held beforehand. The sum of
	// what was paid is then the reading of an odometer (Rogers, Roth, Ullman, Vadhan 2016;
	// Whitehouse, Ramdas, Rogers, Wu 2023), which is no guarantee: it says something of
	// the data by itself.
	Guarantee func(unit, step int) accountant.Total
	// Before is what the start of the run has shown of the data; nil is nothing.
	Before *Before
	// Members are the participants of a coalition, ascending: Observer names them for
	// people. nil is another observer. Their own data are not protected from them.
	Members []messages.NodeID
	// Final tells that the account is of the end of the run alone, without a curve.
	Final bool
}

// Everywhere is the accounts of a run that shows all observers the same.
func Everywhere(a Account, observers ...accountant.Observer) []Account {
	list := make([]Account, len(observers))
	for i, o := range observers {
		list[i] = a
		list[i].Observer = o
	}
	return slices.Clip(list)
}

// observerCount is the number of observers.
const observerCount = 4

// ObserverIndex is the place of an observer in accountant.Observers.
func ObserverIndex(o accountant.Observer) int { return slices.Index(accountant.Observers(), o) }

// sight is a set of observers: bit i is the i-th of accountant.Observers.
type sight uint8

// Who sees a link: between two nodes, from a server, whose broadcasts are what
// is released, and to a server.
const (
	seesWire sight = 1 << iota
	seesServer
	seesPeer
	seesPublic

	toAServer = seesWire | seesServer
	toAPeer   = seesWire | seesPeer | seesPublic
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
	// Local is what a local step costs a participant, for EpsilonSpent.
	Local func(node messages.NodeID) accountant.Loss
	// Accounts are those of the arm, with what depends on the seed.
	Accounts []Account
	purse    *Purse // nil is no limit
	growing  bool   // payments are those by which a bound grows
	stated   *statement
	view     views
	sums     bool // no account has a delta: nothing but sums is asked for
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
}

// Options are what a ledger knows of the run: see the fields of ledger.
type Options struct {
	Server              bool
	Participants, Units int // units are the participants that have protected data
	Points              []int
	Accounts            []Account
	Reasons             []algorithm.Reason
	Purse               *Purse
	Growing             bool
	Stated              Statement
	Wanted              gauge.Wanted // which metrics are recorded; nil is all
	// Learns makes what observers learn in the run, once that is over; nil is what was paid.
	Learns func() Learns
}

// New puts a ledger before the meter of a job.
func New(m *gauge.Meter, o Options) *Ledger {
	l := &Ledger{
		Meter: m, server: o.Server, end: o.Units, paid: make([]payer, o.Participants),
		reasons: o.Reasons, Accounts: o.Accounts, purse: o.Purse, growing: o.Growing,
	}
	if l.server {
		l.first, l.end = 1, 1+o.Units
	}
	l.sums = !slices.ContainsFunc(o.Accounts, func(a Account) bool { return a.Delta > 0 })
	l.Points = curvePoints(o.Points, len(l.paid))
	l.stated = newStatement(l, &o)
	l.watch(o.Learns)
	if l.alike() {
		l.cohorts = make([]*cohort, len(l.paid))
	}
	return l
}

// The curves of a run have at most so many points, and all payers together so
// many marks, about 80 bytes each.
const (
	mostCurvePoints = 128
	mostMarks       = 1 << 17
)

// curvePoints are at most so many of the points, evenly spread, with the last.
func curvePoints(points []int, payers int) []int {
	most := max(1, min(mostCurvePoints, mostMarks/max(1, payers)))
	if len(points) <= most {
		return points
	}
	list := make([]int, most)
	for k := range list {
		list[k] = points[(k+1)*len(points)/most-1]
	}
	return list
}

// Spent implements algorithm.Meter. It refuses what takes the participant beyond the
// budget, and charges nothing for it: the error wraps accountant.ErrBudget. What the
// plan has not fails the run.
func (l *Ledger) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	l.own(node)
	if err := loss.Validate(); err != nil {
		return err
	}
	if l.purse != nil {
		if err := l.purse.pay(l.paid[node].sofar(), loss); err != nil {
			return err
		}
	}
	if l.Bills != nil {
		if err := l.charge(node, step, loss); err != nil {
			return err
		}
	}
	l.enter(node, step, loss)
	return nil
}

// enter enters a payment, which the budget and the plan have accepted.
func (l *Ledger) enter(node messages.NodeID, step int, loss accountant.Loss) {
	p := &l.paid[node]
	if p.since == 0 && loss != (accountant.Loss{}) {
		p.since = int32(step) + 1
	}
	l.stated.paid(node, step, loss)
	now := l.mark(p, step)
	l.add(&now.total, loss)
	now.last = int32(step)
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
func (p *payer) sofar() *accountant.Total {
	if n := len(p.marks); n > 0 {
		return &p.marks[n-1].total
	}
	return &accountant.Total{}
}

// mark is the total of a payer up to the first point at or after a step.
func (l *Ledger) mark(p *payer, step int) *mark {
	p.keep()
	n := len(p.marks)
	if n == 0 || l.Points[p.marks[n-1].point] < step {
		next := mark{point: int32(sort.SearchInts(l.Points, step))}
		if n > 0 {
			next.total = p.marks[n-1].total.Clone()
		}
		p.marks = append(p.marks, next)
		n++
	}
	return &p.marks[n-1]
}

// Exposed implements algorithm.ExposureMeter.
func (l *Ledger) Exposed(from, to messages.NodeID, step int, mark *algorithm.Mark) {
	l.own(from)
	l.exposed(from, l.sees(from, to), step, mark)
	l.heard(from, to, step, mark)
}

// exposed notes a payload that some see.
func (l *Ledger) exposed(from messages.NodeID, seen sight, step int, mark *algorithm.Mark) {
	if l.Bills != nil && seen != 0 {
		l.show(from, step, mark)
	}
	p := &l.paid[from]
	first := &p.shown
	switch mark.Exposure() {
	case messages.Public:
		return
	case messages.Released:
		if p.since > 0 {
			return
		}
		first = &p.unpaid
	}
	for i := range first {
		if seen>>i&1 != 0 && first[i] == 0 {
			first[i] = int32(step) + 1
		}
	}
}

// Sees tells whether anybody sees what one participant sends another.
func (l *Ledger) Sees(from, to messages.NodeID) bool { return l.sees(from, to) != 0 }

// sees is who sees what one participant sends another.
func (l *Ledger) sees(from, to messages.NodeID) sight {
	switch {
	case int(from) >= l.end || int(to) >= l.end:
		return 0
	case l.server && to == 0:
		return toAServer
	}
	return toAPeer
}

// stopped implements algorithm.Meter.
func (l *Ledger) Stopped(node messages.NodeID, step int, reason string) {
	l.Meter.Stopped(node, step, reason)
	l.own(node)
	if l.Bills != nil {
		l.open(node, step).stopped = true
	}
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

// alike tells whether the participants of the ledger differ in nothing but what they pay
// and show: none is a server or inside another's trust, and no metric is of what each pays
// for a part of its payments.
func (l *Ledger) alike() bool {
	s := l.stated
	return !l.server && l.end == len(l.paid) && l.view.watched == nil && (s == nil || s.local == nil && !s.all.counted)
}

// cohortOf is the cohort of a participant; nil is none.
func (l *Ledger) cohortOf(node messages.NodeID) *cohort {
	if l.cohorts == nil {
		return nil
	}
	return l.cohorts[node]
}

// own has a participant have an account of its own, if it had one with others.
func (l *Ledger) own(node messages.NodeID) {
	if c := l.cohortOf(node); c != nil && c.together {
		l.part(c)
	}
}

// part gives all participants of a cohort an account of their own.
func (l *Ledger) part(c *cohort) {
	c.together = false
	p := &l.paid[c.first]
	p.lent = len(p.marks) > 0
	for node := c.first + 1; node < c.end; node++ {
		l.paid[node] = *p
		if l.stated != nil {
			l.stated.all.payers[node] = l.stated.all.payers[c.first]
		}
	}
}

// partAll gives all participants accounts of their own, for those who read them. Nobody
// may pay meanwhile.
func (l *Ledger) partAll() {
	for node := 0; node < len(l.cohorts); {
		c := l.cohorts[node]
		if c == nil {
			node++
			continue
		}
		if c.together {
			l.part(c)
		}
		node = int(c.end)
	}
}

// keep has a payer have its marks for itself, which it had with others of a cohort: they
// are about to change.
func (p *payer) keep() {
	if p.lent {
		p.lent = false
		p.marks = slices.Clone(p.marks)
		last := &p.marks[len(p.marks)-1]
		last.total = last.total.Clone()
	}
}

// State goes through all that the ledger and the meter behind it have taken in.
func (l *Ledger) State(c *messages.Codec) {
	l.partAll()
	messages.Each(c, "payer", l.paid, func(p *payer) { p.state(c, len(l.Points)) })
	l.stated.state(c)
	c.Part("", l.Meter)
}

// state goes through what a participant has paid up to so many points.
func (p *payer) state(c *messages.Codec, points int) {
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
		c.Check(m.point >= 0 && int(m.point) < points, "a payment at point %d of %d", m.point, points)
	})
	p.dues.state(c)
}
