package ledger

import (
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// SpentAll implements algorithm.CohortMeter. It charges one account for all participants, if
// their accounts are equal and all have to pay the same. It returns false where each has to be
// charged by itself: for bills or budgets that may differ between them, and for a loss that the
// budget or the plan refuses.
func (l *Ledger) SpentAll(first, end messages.NodeID, step int, loss accountant.Loss) bool {
	c := l.gather(first, end, step)
	if c == nil || loss.Validate() != nil {
		return false
	}
	p := &l.paid[first]
	if !l.budget.alike(first, end) || l.affords(first, step, loss) != nil {
		return false
	}
	if l.Bills != nil {
		due := p.dues
		var own ExpectedPayment
		if loss != (accountant.Loss{}) && !l.bill(first, &p.dues, &own).Alike || l.charge(first, step, loss) != nil {
			p.dues = due
			return false
		}
	}
	l.enter(first, step, loss)
	return true
}

// ExposedAll implements algorithm.CohortMeter. In a ledger that has cohorts, all participants
// see the links of all others alike.
func (l *Ledger) ExposedAll(first, end messages.NodeID, step int, mark *algorithm.Mark) {
	if c := l.cohortOf(first); c != nil && c.together && c.end == end {
		end = first + 1
	}
	for node := first; node < end; node++ {
		l.exposed(node, toAPeer, step, mark)
	}
}

// gather returns the cohort of the participants first .. end-1, with its accounts together,
// once their step before is settled. It returns nil if their accounts differ.
func (l *Ledger) gather(first, end messages.NodeID, step int) *cohort {
	if l.cohorts == nil {
		return nil
	}
	c := l.cohorts[first]
	if c == nil {
		c = &cohort{first: first, end: end}
		for node := first; node < end; node++ {
			if l.cohorts[node] != nil {
				return nil // it belongs to another cohort
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

// same reports whether the accounts of two participants are equal, to the last bit.
// Participants with a fault are never the same.
func (l *Ledger) same(i, j messages.NodeID) bool {
	p, q := &l.paid[i], &l.paid[j]
	equal := func(a, b mark) bool { return a.point == b.point && a.last == b.last && a.total.Equal(&b.total) }
	return p.since == q.since && p.shown == q.shown && p.unpaid == q.unpaid && p.dues == q.dues && p.dues.fault == nil &&
		l.deltaOf(int(i)) == l.deltaOf(int(j)) && slices.EqualFunc(p.marks, q.marks, equal) &&
		(l.stated == nil || l.stated.all.payers[i] == l.stated.all.payers[j])
}
