package kind

import "slices"

// Want selects the kinds that a reader of a section accepts: those that offer a builder of one
// type. The zero Want accepts none.
type Want struct {
	// What names the product of such a builder, in words for people: "a decentralized
	// problem".
	What string
	fits func(build any) bool
}

// Takes returns the want of a builder of type B.
func Takes[B any](what string) Want {
	return Want{what, func(build any) bool { _, ok := build.(B); return ok }}
}

// TakesWhere is Takes for builders that satisfy a condition, which no section changes.
func TakesWhere[B any](what string, holds func(B) bool) Want {
	return Want{what, func(build any) bool { b, ok := build.(B); return ok && holds(b) }}
}

// Or returns the want of a kind that either accepts, in the words of the first.
func (w Want) Or(other Want) Want {
	return Want{w.What, func(build any) bool { return w.accepts(build) || other.accepts(build) }}
}

// Fits reports whether the want accepts a kind.
func (w Want) Fits(k Kind) bool {
	return slices.ContainsFunc(k.Builds, w.accepts)
}

// accepts reports whether the want accepts a builder.
func (w Want) accepts(build any) bool { return w.fits != nil && w.fits(build) }
