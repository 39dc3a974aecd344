package ledger

import (
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/gauge"
)

// sight is a set of observers: bit i is the i-th of accountant.Observers.
type sight uint8

// The observers of a link: of one between two nodes, of one from a server, where broadcasts
// are the release, and of one to a server.
const (
	seesWire sight = 1 << iota
	seesServer
	seesPeer
	seesPublic

	toAServer = seesWire | seesServer
	toAPeer   = seesWire | seesPeer | seesPublic
)

// New returns a ledger in front of the meter of a job.
func New(m *gauge.Meter, o Options) *Ledger {
	l := &Ledger{
		Meter: m, server: o.Server, end: o.Units, above: o.Above, paid: make([]payer, o.Participants),
		reasons: o.Reasons, raw: o.Raw, Accounts: o.Accounts, seed: o.Seed, budget: o.Budget, growing: o.Growing, shared: o.Shared,
	}
	if l.server {
		if l.first, l.end = 1, 1+o.Units; l.end > o.Participants || o.Stated.Dearest != nil {
			l.end, l.population, l.dearest = o.Participants, o.Units, o.Stated.Dearest
		}
	}
	if l.above != nil {
		l.between = l.end + o.Inside
	}
	l.sums = !slices.ContainsFunc(o.Accounts, func(a Account) bool { return a.Delta > 0 }) && o.Budget.delta() == 0
	for i := range o.Accounts {
		if w := o.Accounts[i].Worth; w != nil && !slices.Contains(l.weighed, w) {
			l.weighed = append(l.weighed, w)
		}
	}
	l.limited = l.worthIndex(o.Budget.worth())
	if l.Points = curvePoints(o.Points, len(l.paid)); o.Owners != nil && len(l.Accounts) > 0 && o.Wanted.Any(gauge.EpsilonOf.Names()...) {
		l.Points, l.single = o.Points, newSingles(l, &o)
	}
	l.stated = newStatement(l, &o)
	l.watch(o.Learns)
	l.placed = placedIn(o.Accounts)
	l.place()
	if l.alike() {
		l.cohorts = make([]*cohort, len(l.paid))
	}
	return l
}

// The curves of a run have at most mostCurvePoints points, and all payers together have at
// most mostMarks marks, of about 80 bytes each.
const (
	mostCurvePoints = 128
	mostMarks       = 1 << 17
)

// curvePoints returns a part of the points that keeps to these limits, evenly spread, with the
// last point.
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

// Spent implements algorithm.Meter. It refuses a loss that takes the participant beyond the
// budget, and charges nothing for it: the error wraps accountant.ErrBudget. A loss that is not
// in the plan fails the run.
func (l *Ledger) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	l.own(node)
	if err := loss.Validate(); err != nil {
		return err
	}
	if err := l.affords(node, step, loss); err != nil {
		return err
	}
	if l.Bills != nil {
		if err := l.charge(node, step, loss); err != nil {
			return err
		}
	}
	l.enter(node, step, loss)
	return nil
}

// affords returns the error of the budget, which limits the loss to its observer by payments.
func (l *Ledger) affords(node messages.NodeID, step int, loss accountant.Loss) error {
	if l.budget == nil {
		return nil
	}
	sofar := l.paid[node].sofar()
	if l.limited < 0 {
		return l.budget.Pay(node, &sofar.total, loss)
	}
	var learned accountant.Total
	if sofar.worth != nil {
		learned = sofar.worth[l.limited]
	}
	return l.budget.Pay(node, &learned, l.worthOf(l.limited, node, step, loss))
}

// worthOf converts a payment by one of Ledger.weighed.
func (l *Ledger) worthOf(index int, node messages.NodeID, step int, loss accountant.Loss) accountant.Loss {
	if loss == (accountant.Loss{}) {
		return loss
	}
	return l.weighed[index].Of(l.seed, node, step, loss)
}

// worthIndex returns the place of an account's worth in Ledger.weighed, -1 if there is none.
func (l *Ledger) worthIndex(w *Worth) int { return slices.Index(l.weighed, w) }

// enter enters a payment, which the budget and the plan have accepted.
func (l *Ledger) enter(node messages.NodeID, step int, loss accountant.Loss) {
	p := &l.paid[node]
	if p.since == 0 && loss != (accountant.Loss{}) {
		p.since = int32(step) + 1
	}
	l.stated.paid(node, step, loss)
	now := l.mark(p, step)
	l.add(&now.total, loss)
	for i := range now.worth {
		l.add(&now.worth[i], l.worthOf(i, node, step, loss))
	}
	now.last = int32(step)
}

// Exposed implements algorithm.ExposureMeter.
func (l *Ledger) Exposed(from, to messages.NodeID, step int, mark *algorithm.Mark) {
	l.own(from)
	l.exposed(from, l.sees(from, to), step, mark)
	l.heard(from, to, step, mark)
	l.spotted(from, to, step, mark)
}

// exposed notes a payload that the observers in seen see.
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

// Sees reports whether any observer sees messages from one participant to another.
func (l *Ledger) Sees(from, to messages.NodeID) bool { return l.sees(from, to) != 0 }

// inside reports whether a participant acts inside a unit's trust.
func (l *Ledger) inside(node messages.NodeID) bool { return int(node) >= l.end && !l.over(int(node)) }

// over reports whether a participant is a server between units and the one at the top.
func (l *Ledger) over(i int) bool { return l.between > 0 && i >= l.between }

// sees returns the observers of messages from one participant to another.
func (l *Ledger) sees(from, to messages.NodeID) sight {
	switch {
	case l.inside(from) || l.inside(to):
		return 0
	case l.server && to == 0:
		return toAServer
	case int(to) >= l.end:
		return seesWire // the server between shows others what it makes of the message
	}
	return toAPeer
}

// Stopped implements algorithm.Meter.
func (l *Ledger) Stopped(node messages.NodeID, step int, reason string) {
	l.Meter.Stopped(node, step, reason)
	l.own(node)
	if l.Bills != nil {
		l.open(node, step).stopped = true
	}
}

// State goes through all that the ledger and the meter behind it have taken in.
func (l *Ledger) State(c *messages.Codec) {
	l.partAll()
	messages.Each(c, "payer", l.paid, func(p *payer) { p.state(c, len(l.Points), len(l.weighed)) })
	l.stated.state(c)
	c.Part("", l.Meter)
}
