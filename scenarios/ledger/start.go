package ledger

import (
	"starling/mechanisms/accountant"
	"starling/scenarios/problem/model/cost"
)

// Before is the loss of the run's data by the model that the run starts from. Every observer
// of the run sees the model too, so this loss is added to each account.
type Before struct {
	Total   accountant.Total // not private if nothing bounds it
	Unknown bool             // the file does not state the loss
	Text    string           // the text of the file, for readers
	Others  []cost.Cost      // of other data, or of unknown data
}

// Added returns a total with the earlier loss added; t is unchanged.
func (b *Before) Added(t accountant.Total) accountant.Total {
	if b == nil {
		return t
	}
	t = t.Clone()
	t.AddTotal(&b.Total)
	return t
}

// Loss returns the earlier loss, nil if there was none.
func (b *Before) Loss() *accountant.Total {
	if b == nil {
		return nil
	}
	return &b.Total
}
