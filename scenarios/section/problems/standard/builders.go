package standard

import (
	"starling/scenarios/document"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// Equals is a problem of nodes without a server in the forms in which algorithms take it: the
// costs, and the stream of the data at which the costs are losses.
type Equals struct {
	study.ProblemBuilder
	problems.StreamBuilder
}

// ForEquals returns the forms of a problem of nodes without a server.
func ForEquals(build study.ProblemBuilder) Equals { return Equals{build, streamOf(build)} }

// Experts are losses of experts in the forms in which algorithms take them: the losses, the
// costs of nodes without a server, and a stream of data.
type Experts struct {
	Equals
	problems.AdversaryBuilder
}

// ForExperts returns the forms of losses of experts.
func ForExperts(build problems.AdversaryBuilder) Experts {
	return Experts{Equals{adversaryCosts(build), adversaryStream(build)}, build}
}

// LinearExperts are Experts with losses that are linear, with entries in [0, 1].
type LinearExperts struct{ Experts }

// ForLinearExperts returns the forms of losses of experts that are linear.
func ForLinearExperts(build problems.AdversaryBuilder) LinearExperts {
	return LinearExperts{ForExperts(build)}
}

// LinearLosses implements problems.AsLinearLosses.
func (e LinearExperts) LinearLosses(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Adversary, error) {
	return e.Losses(b, section, a)
}
