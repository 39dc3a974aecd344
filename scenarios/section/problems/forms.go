package problems

import (
	"starling/scenarios/document"
	"starling/scenarios/study"
)

// The forms in which algorithms take a problem: capabilities of its piece in the catalog,
// beside study.AsCosts. Their methods read the section.
type (
	// AsStream is a problem of learners that meet a datum a step.
	AsStream interface {
		Stream(b *study.Builder, section *document.Node, a *study.ArmFile) (*Stream, error)
	}
	// AsCorpus is a problem that has a corpus of its own. samples is the number of samples of
	// each client, the first that it has; 0 means all.
	AsCorpus interface {
		Corpus(b *study.Builder, section *document.Node, samples int) (*Corpus, error)
	}
	// AsTrainer is a problem whose clients may take local steps of their own. Trains reports whether a
	// section says so, and Keeps the number of numbers that a client then keeps from round to round.
	AsTrainer interface {
		Trains(section *document.Node) bool
		Keeps(section *document.Node) int
	}
	// AsLosses is a problem of prediction from experts: losses of clients that decide on the
	// simplex.
	AsLosses interface {
		Losses(b *study.Builder, section *document.Node, a *study.ArmFile) (*Adversary, error)
	}
	// AsLinearLosses is a problem with losses that are linear, with entries in [0, 1]. It
	// refuses options with which they are not.
	AsLinearLosses interface {
		LinearLosses(b *study.Builder, section *document.Node, a *study.ArmFile) (*Adversary, error)
	}
)

// Functions with a capability.
type (
	// StreamBuilder has the capability AsStream.
	StreamBuilder func(b *study.Builder, section *document.Node, a *study.ArmFile) (*Stream, error)
	// AdversaryBuilder has the capability AsLosses.
	AdversaryBuilder func(b *study.Builder, section *document.Node, a *study.ArmFile) (*Adversary, error)
)

// Stream implements AsStream.
func (build StreamBuilder) Stream(b *study.Builder, section *document.Node, a *study.ArmFile) (*Stream, error) {
	return build(b, section, a)
}

// Losses implements AsLosses.
func (build AdversaryBuilder) Losses(b *study.Builder, section *document.Node, a *study.ArmFile) (*Adversary, error) {
	return build(b, section, a)
}
