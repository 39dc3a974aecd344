package problems

import "starling/scenarios/study"

// What the catalog offers of a problem to those who take one, from one builder.

// ForEquals are the builders of a problem of nodes that are equals: their costs, and the
// stream of data that costs are losses at.
func ForEquals(build study.ProblemBuilder) []any { return []any{build, streamOf(build)} }

// ForExperts are the builders of losses of experts: the losses, costs of nodes that are
// equals, and a stream of data.
func ForExperts(build AdversaryBuilder) []any {
	return append(ForEquals(adversaryCosts(build)), build)
}

// ForLinearExperts are those of losses that are linear, with entries in [0, 1].
func ForLinearExperts(build AdversaryBuilder) []any {
	return append(ForExperts(build), LinearBuilder(build))
}
