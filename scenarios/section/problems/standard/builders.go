package standard

import (
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// The catalog's builders of a problem, one for each type that algorithms take, made from one
// builder.

// ForEquals returns the builders of a problem of nodes that are equals: the problem of costs,
// and the stream of the data at which the costs are losses.
func ForEquals(build study.ProblemBuilder) []any { return []any{build, streamOf(build)} }

// ForExperts returns the builders of losses of experts: the losses, the costs of nodes that
// are equals, and a stream of data.
func ForExperts(build problems.AdversaryBuilder) []any {
	return append(ForEquals(adversaryCosts(build)), build)
}

// ForLinearExperts returns the builders of losses of experts that are linear, with entries in
// [0, 1].
func ForLinearExperts(build problems.AdversaryBuilder) []any {
	return append(ForExperts(build), problems.LinearBuilder(build))
}
