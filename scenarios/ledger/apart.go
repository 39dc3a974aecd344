package ledger

import (
	"starling/messages"
)

// alike reports whether the participants of the ledger differ in nothing but their payments
// and exposures: none is a server or inside another's trust, and no metric is of a part of
// each one's payments.
func (l *Ledger) alike() bool {
	s := l.stated
	return !l.server && l.end == len(l.paid) && l.view.watched == nil && l.placed == nil && len(l.weighed) == 0 && (s == nil || s.local == nil && !s.all.counted)
}

// cohortOf returns the cohort of a participant; nil if there is none.
func (l *Ledger) cohortOf(node messages.NodeID) *cohort {
	if l.cohorts == nil {
		return nil
	}
	return l.cohorts[node]
}

// own gives a participant an account of its own, if it shared one with others.
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

// partAll gives all participants accounts of their own, for readers of accounts. Nobody may
// pay meanwhile.
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
