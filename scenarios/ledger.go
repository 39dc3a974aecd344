package scenarios

import (
	"slices"
	"sort"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// account is what one observer learns of the protected units of a run, by what
// the units have paid and by what was sent unprotected.
type account struct {
	observer accountant.Observer
	// unit is what is protected, and neighbours which data are as good as the
	// same: the adjacency that all losses are for.
	unit, neighbours string
	relation         accountant.Relation // neighbours in a word
	claimed          string              // what the paper states
	delta            float64
	by               accountant.Method
	// converted tells that what is paid is for adding or removing a record, while
	// the account is for replacing one.
	converted bool
	paidFor   string // those neighbours, in words
	// bound is what the observer learns of a unit up to a step at most, where
	// that is a matter of the schedule; nil is what was paid.
	bound func(step int) accountant.Loss
	why   string // it is not private, or the bound is another than what was paid
	// guarantee is what the plan lets a unit, a participant, lose up to a step at most,
	// where what is paid depends on the data; nil elsewhere. It is the unit's loss: the
	// plan is a privacy filter, of a fixed number of releases of each kind in whatever
	// order the data have them come, and each kind's count is held beforehand. The sum of
	// what was paid is then the reading of an odometer (Rogers, Roth, Ullman, Vadhan 2016;
	// Whitehouse, Ramdas, Rogers, Wu 2023), which is no guarantee: it says something of
	// the data by itself.
	guarantee func(unit, step int) accountant.Total
	// before is what the start of the run has shown of the data; nil is nothing.
	before *before
}

// everywhere is the accounts of a run that shows all observers the same.
func everywhere(a account, observers ...accountant.Observer) []account {
	list := make([]account, len(observers))
	for i, o := range observers {
		list[i] = a
		list[i].observer = o
	}
	return slices.Clip(list)
}

// observerCount is the number of observers.
const observerCount = 4

// observerIndex is the place of an observer in accountant.Observers.
func observerIndex(o accountant.Observer) int { return slices.Index(accountant.Observers(), o) }

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

// ledger stands before the meter of a job, whatever the family, and holds what every
// participant pays to the budget. It keeps what they have paid, and to whom it has shown what nothing bounds: raw payloads, and those
// sent as released that nobody has paid for.
type ledger struct {
	jobMeter
	// server tells that participant 0 is a server, which has no data of its own:
	// what it pays and shows counts for every unit.
	server bool
	// first and end are the participants that have protected data. Those after
	// them act inside a unit's trust, such as the clients that a learner meets:
	// their links are seen by nobody.
	first, end int
	points     []int   // steps, ascending: where the curve of a payment has its points
	paid       []payer // by participant
	// bills are what the plan has participants pay, nil where there is no plan;
	// reasons are those that what they send may show nothing for.
	bills   billing
	reasons []algorithm.Reason
	// accounts are those of the arm, with what depends on the seed.
	accounts []account
	purse    *purse // nil is no limit
	growing  bool   // payments are those by which a bound grows
	sums     bool   // no account has a delta: nothing but sums is asked for
}

// payer is what a participant has paid and shown. Steps are counted from 1; 0 is
// none.
type payer struct {
	marks []mark // ascending by point; the last is the total so far
	since int32  // the step of its first payment of more than nothing
	// shown is, by observer, the step of the first raw payload that the observer
	// saw. unpaid is the step of the first payload that was sent as released
	// although its sender had recorded no loss.
	shown, unpaid [observerCount]int32
	dues          dues
}

// mark is a total at a point: the sum of all that was paid until then.
type mark struct {
	point int32 // index of ledger.points
	last  int32 // the last step that was paid for
	total accountant.Total
}

var _ algorithm.ExposureMeter = (*ledger)(nil)

// ledgerOptions are what a ledger knows of the run: see the fields of ledger.
type ledgerOptions struct {
	server              bool
	participants, units int // units are the participants that have protected data
	points              []int
	accounts            []account
	reasons             []algorithm.Reason
	purse               *purse
	growing             bool
}

// newLedger puts a ledger before the meter of a job.
func newLedger(m jobMeter, o ledgerOptions) *ledger {
	l := &ledger{
		jobMeter: m, server: o.server, end: o.units, paid: make([]payer, o.participants),
		reasons: o.reasons, accounts: o.accounts, purse: o.purse, growing: o.growing,
	}
	if l.server {
		l.first, l.end = 1, 1+o.units
	}
	l.sums = !slices.ContainsFunc(o.accounts, func(a account) bool { return a.delta > 0 })
	l.points = curvePoints(o.points, len(l.paid))
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
// meter refuses is not paid either; what the plan has not fails the run.
func (l *ledger) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	p := &l.paid[node]
	var before accountant.Total
	if n := len(p.marks); n > 0 {
		before = p.marks[n-1].total
	}
	if err := l.purse.pay(&before, loss); err != nil {
		return err
	}
	if err := l.jobMeter.Spent(node, step, loss); err != nil {
		return err
	}
	if l.bills != nil {
		if err := l.charge(node, step, loss); err != nil {
			return err
		}
	}
	if p.since == 0 && loss != (accountant.Loss{}) {
		p.since = int32(step) + 1
	}
	now := l.mark(p, step)
	switch {
	case l.sums:
		now.total.AddSum(loss)
	case l.growing:
		now.total.Grow(loss)
	default:
		now.total.Add(loss)
	}
	now.last = int32(step)
	return nil
}

// mark is the total of a payer up to the first point at or after a step.
func (l *ledger) mark(p *payer, step int) *mark {
	n := len(p.marks)
	if n == 0 || l.points[p.marks[n-1].point] < step {
		next := mark{point: int32(sort.SearchInts(l.points, step))}
		if n > 0 {
			next.total = p.marks[n-1].total.Clone()
		}
		p.marks = append(p.marks, next)
		n++
	}
	return &p.marks[n-1]
}

// Exposed implements algorithm.ExposureMeter.
func (l *ledger) Exposed(from, to messages.NodeID, step int, mark algorithm.Mark) {
	seen := l.sees(from, to)
	if l.bills != nil && seen != 0 {
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

// sees is who sees what one participant sends another.
func (l *ledger) sees(from, to messages.NodeID) sight {
	switch {
	case int(from) >= l.end || int(to) >= l.end:
		return 0
	case l.server && to == 0:
		return toAServer
	}
	return toAPeer
}

// Stopped implements algorithm.Meter.
func (l *ledger) Stopped(node messages.NodeID, step int, reason string) {
	l.jobMeter.Stopped(node, step, reason)
	if l.bills != nil {
		l.open(node, step).stopped = true
	}
}

// Fates implements algorithm.NetworkMeter.
func (l *ledger) Fates(step int, f algorithm.Fates) {
	if m, ok := l.jobMeter.(algorithm.NetworkMeter); ok {
		m.Fates(step, f)
	}
}

// State implements jobMeter.
func (l *ledger) State(c *messages.Codec) {
	messages.Each(c, "payer", l.paid, func(p *payer) { p.state(c, len(l.points)) })
	c.Part("", l.jobMeter)
}

// state goes through what a participant has paid up to so many points.
func (p *payer) state(c *messages.Codec, points int) {
	c.Int32("since", &p.since)
	step := func(v *int32) { c.Int32("", v) }
	messages.Each(c, "shown", p.shown[:], step)
	messages.Each(c, "unpaid", p.unpaid[:], step)
	messages.Slice(c, "mark", &p.marks, points, func(m *mark) {
		c.Int32("point", &m.point)
		c.Int32("last", &m.last)
		c.Part("total", &m.total)
		c.Check(m.point >= 0 && int(m.point) < points, "a payment at point %d of %d", m.point, points)
	})
	p.dues.state(c)
}
