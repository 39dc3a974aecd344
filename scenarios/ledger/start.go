package ledger

import (
	"starling/mechanisms/accountant"
)

// Before is the loss of the run's data by the model that the run starts from. Every observer
// of the run sees the model too, so this loss is added to each account.
type Before struct {
	Total   accountant.Total // not private if nothing bounds it
	Unknown bool             // the file does not state the loss
	Text    string           // the text of the file, for readers
	Others  []Cost           // of other data, or of unknown data
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

// Open returns the reason why no noise makes a run from such a start private; empty if some does.
func (b *Before) Open() string {
	if b == nil || b.Total.Private() {
		return ""
	}
	return b.Text
}

// Cost is the privacy loss of one data set to an observer that sees the model.
type Cost struct {
	Data   string `json:"data"`             // name of the data set
	Digest string `json:"digest,omitempty"` // SHA-256 of the data, in hex; empty where Definition is unknown
	// Unit is the protected unit, Neighbours the relation of data that are indistinguishable,
	// in words, and Relation the same as the ledger spells it.
	Unit       string `json:"unit,omitempty"`
	Neighbours string `json:"neighbours,omitempty"`
	Relation   string `json:"relation,omitempty"`
	Observer   string `json:"observer"`   // the observer of the loss: public
	Definition string `json:"definition"` // as in the ledger; "not private", or "unknown"
	// Epsilon and Delta are the value of Total by Accountant; absent where Total is.
	Epsilon    float64           `json:"epsilon,omitempty"`
	Delta      float64           `json:"delta,omitempty"`
	Accountant accountant.Method `json:"accountant,omitempty"`
	// Total is the loss of the unit that loses the most; nil where it has no bound.
	Total *accountant.Total `json:"total,omitempty"`
}
