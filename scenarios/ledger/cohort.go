package ledger

import (
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// cohort is consecutive participants whose calls come one after the other. While they are
// together they have paid and shown the same in every step, and the account of the first
// stands for all: what it holds of the others is out of date.
type cohort struct {
	first, end messages.NodeID
	together   bool
	// apart tells that their accounts were found to differ: nobody looks again.
	apart bool
}

// SpentAll implements algorithm.CohortMeter. It charges one account for all participants
// whose accounts are the same, where the same is to be paid by all: a bill that may differ
// between them, and a loss that the budget or the plan refuses, is a matter of each.
func (l *Ledger) SpentAll(first, end messages.NodeID, step int, loss accountant.Loss) bool {
	c := l.gather(first, end, step)
	if c == nil || loss.Validate() != nil {
		return false
	}
	p := &l.paid[first]
	if l.purse != nil && l.purse.pay(p.sofar(), loss) != nil {
		return false
	}
	if l.Bills != nil {
		due := p.dues
		var own Bill
		if loss != (accountant.Loss{}) && !l.bill(first, &p.dues, &own).Alike || l.charge(first, step, loss) != nil {
			p.dues = due
			return false
		}
	}
	l.enter(first, step, loss)
	return true
}

// ExposedAll implements algorithm.CohortMeter. All participants of a ledger that has
// cohorts see the links of all others alike.
func (l *Ledger) ExposedAll(first, end messages.NodeID, step int, mark *algorithm.Mark) {
	if c := l.cohortOf(first); c != nil && c.together && c.end == end {
		end = first + 1
	}
	for node := first; node < end; node++ {
		l.exposed(node, toAPeer, step, mark)
	}
}

// alike tells whether the participants of the ledger differ in nothing but what they pay
// and show: none is a server or inside another's trust, and no metric is of what each pays
// for a part of its payments.
func (l *Ledger) alike() bool {
	s := l.stated
	return !l.server && l.end == len(l.paid) && (s == nil || s.local == nil && !s.all.counted)
}

// cohortOf is the cohort of a participant; nil is none.
func (l *Ledger) cohortOf(node messages.NodeID) *cohort {
	if l.cohorts == nil {
		return nil
	}
	return l.cohorts[node]
}

// gather returns the cohort of the participants first .. end-1, which is together, once
// their step before is settled; nil where their accounts differ.
func (l *Ledger) gather(first, end messages.NodeID, step int) *cohort {
	if l.cohorts == nil {
		return nil
	}
	c := l.cohorts[first]
	if c == nil {
		c = &cohort{first: first, end: end}
		for node := first; node < end; node++ {
			if l.cohorts[node] != nil {
				return nil // of another cohort
			}
		}
		for node := first; node < end; node++ {
			l.cohorts[node] = c
		}
	}
	if c.first != first || c.end != end || c.apart {
		return nil
	}
	if l.Bills != nil {
		l.open(first, step)
	}
	if c.together {
		return c
	}
	for node := first + 1; node < end; node++ {
		if l.Bills != nil {
			l.open(node, step)
		}
		if !l.same(first, node) {
			c.apart = true
			return nil
		}
	}
	c.together = true
	return c
}

// same tells whether the accounts of two participants are the same, to the last bit. A
// fault is a matter of one.
func (l *Ledger) same(i, j messages.NodeID) bool {
	p, q := &l.paid[i], &l.paid[j]
	equal := func(a, b mark) bool { return a.point == b.point && a.last == b.last && a.total.Equal(&b.total) }
	return p.since == q.since && p.shown == q.shown && p.unpaid == q.unpaid && p.dues == q.dues && p.dues.fault == nil &&
		slices.EqualFunc(p.marks, q.marks, equal) &&
		(l.stated == nil || l.stated.all.payers[i] == l.stated.all.payers[j])
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
