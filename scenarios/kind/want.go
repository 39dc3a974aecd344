package kind

// Want is what one who reads a section takes of its kinds: those that offer a builder
// of one type. The zero Want takes none.
type Want struct {
	// What says what such a builder makes, in words for people: "a decentralized
	// problem".
	What string
	fits func(build any) bool
}

// Takes is the want of a builder of type B.
func Takes[B any](what string) Want {
	return Want{what, func(build any) bool { _, ok := build.(B); return ok }}
}

// TakesWhere is Takes of those for which a condition holds, which no section changes.
func TakesWhere[B any](what string, holds func(B) bool) Want {
	return Want{what, func(build any) bool { b, ok := build.(B); return ok && holds(b) }}
}

// Or is the want of what either wants, in the words of the first.
func (w Want) Or(other Want) Want {
	return Want{w.What, func(build any) bool { return w.fits(build) || other.fits(build) }}
}

// Fits tells whether a kind is one of those that are wanted.
func (w Want) Fits(k Kind) bool {
	for _, build := range k.Builds {
		if w.fits != nil && w.fits(build) {
			return true
		}
	}
	return false
}
