package kind

// Want selects the kinds that a reader of a section accepts: those whose piece has a
// capability. The zero Want accepts none.
type Want struct {
	// What describes such a kind, in words for people: "a decentralized problem".
	What string
	fits func(piece any) bool
}

// Takes returns the want of the capability C, an interface.
func Takes[C any](what string) Want {
	return Want{what, func(piece any) bool { _, ok := piece.(C); return ok }}
}

// TakesWhere is Takes for pieces that satisfy a condition, which no section changes.
func TakesWhere[C any](what string, holds func(C) bool) Want {
	return Want{what, func(piece any) bool { c, ok := piece.(C); return ok && holds(c) }}
}

// Or returns the want of a kind that either accepts, in the words of the first.
func (w Want) Or(other Want) Want {
	return Want{w.What, func(piece any) bool { return w.accepts(piece) || other.accepts(piece) }}
}

// Fits reports whether the want accepts a kind.
func (w Want) Fits(k Kind) bool { return w.accepts(k.Piece) }

// Names returns the names of the kinds that the want accepts, in their order.
func (w Want) Names(kinds []Kind) (names []string) {
	for _, k := range kinds {
		if w.Fits(k) {
			names = append(names, k.Kind)
		}
	}
	return names
}

// accepts reports whether the want accepts a piece.
func (w Want) accepts(piece any) bool { return w.fits != nil && w.fits(piece) }
