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
