package ledger

import (
	"starling/mechanisms/accountant"
	"starling/scenarios/problem/model/cost"
)

// Before is what the model that a run starts from has shown of the run's data already.
// Whoever sees the run sees it too: it is added to what every observer learns.
type Before struct {
	Total   accountant.Total // not private where nothing bounds it
	Unknown bool             // the file does not say
	Text    string           // what the file says, for readers
	Others  []cost.Cost      // of other data, or of nobody knows which
}

// Added is a total with what was shown before it; t is unchanged.
func (b *Before) Added(t accountant.Total) accountant.Total {
	if b == nil {
		return t
	}
	t = t.Clone()
	t.AddTotal(&b.Total)
	return t
}

// Loss is what was shown before, nil if there was nothing.
func (b *Before) Loss() *accountant.Total {
	if b == nil {
		return nil
	}
	return &b.Total
}

// Worst is what the account's observer learns of the unit that loses the most, at the
// end of a run, with what was known before.
func (a *Account) Worst(l *Ledger, known *Before) (worst accountant.Total, epsilon float64, err error) {
	var by Teller
	end := len(l.Points) - 1
	of := *a
	of.Before = known
	worst = known.Added(worst)
	if epsilon, err = by.Stated(&of, &worst); err != nil {
		return worst, 0, err
	}
	groups := l.GroupsFor(&of, l.Groups(end, true), end)
	for i := range groups {
		total, _, err := l.Learned(&of, &groups[i], l.Points[end])
		if err != nil {
			return worst, 0, err
		}
		e, err := by.Stated(&of, &total)
		if err != nil {
			return worst, 0, err
		}
		if e > epsilon {
			worst, epsilon = total, e
		}
	}
	return worst, epsilon, nil
}
