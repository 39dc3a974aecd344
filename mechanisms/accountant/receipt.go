package accountant

// Receipt states that a mechanism has drawn the noise of a release, and the loss that it had
// charged for the release before. A payload is marked as released by the receipts of its
// parts, and by nothing else. The zero value is no receipt.
//
// Only mechanisms write receipts: NewReceipt and Standing are for them. A caller that hands a
// mechanism a way to pay that charges less than it is told leaves a receipt for a loss that
// nobody paid. A check of receipts against payments finds it.
type Receipt struct {
	// loss is the loss that the mechanism charged, for one release or, if standing is set, for
	// all of them.
	loss Loss
	// written marks a receipt. In the zero value it is false: the loss of 0 there does not
	// mean "costs nothing".
	written bool
	// standing means that the loss was charged once, perhaps many turns ago, for a whole
	// stream of releases. The book then looks for the payment in earlier turns too.
	standing bool
}

// NewReceipt is the receipt of a release that was drawn and charged with a loss.
func NewReceipt(loss Loss) Receipt { return Receipt{loss: loss, written: true} }

// Standing is the receipt of a release with a loss that was charged before, with all releases
// of the same mechanism: of a stream of correlated noise, or of an armed threshold.
func Standing(loss Loss) Receipt { return Receipt{loss: loss, written: true, standing: true} }

// Written reports whether this is a receipt at all.
func (r Receipt) Written() bool { return r.written }

// Loss is the loss that was charged for the release.
func (r Receipt) Loss() Loss { return r.loss }

// Stands reports whether the loss was charged once for many releases, and so perhaps in an
// earlier turn.
func (r Receipt) Stands() bool { return r.standing }

// Protects reports whether the loss bounds anything: a mechanism without noise writes receipts
// with losses that do not.
func (r Receipt) Protects() bool { return r.written && r.loss.Private() }
