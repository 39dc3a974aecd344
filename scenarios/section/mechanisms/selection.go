package mechanisms

import (
	"math"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
)

// Selection is the mechanism inside an algorithm of prediction from
// experts.
type Selection struct {
	Kind    string           `yaml:"kind,required"`
	Epsilon document.Epsilon `yaml:"epsilon,required" unit:"nats" doc:"epsilon that the paper claims of a run for one loss of one client, above 0, or none to run without noise"`
	Delta   float64          `yaml:"delta" unit:"probability" range:"above 0, below 1" doc:"delta of the approximate variants; the others have none; absent, 0"`
}

// Phases is the noise of private Frank-Wolfe.
type Phases struct {
	// Asked is the privacy that a section asks for: of a run for one loss, which the
	// paper's noise is to keep, or what Additive is calibrated to. An infinite epsilon is
	// no noise.
	Asked    accountant.Loss
	Additive *Additive // on the vectors that clients send; nil where noise is the paper's
}

// PhaseMechanism reads the mechanism of private Frank-Wolfe.
type PhaseMechanism func(section *document.Node) (Phases, error)

// ThresholdMechanism reads the mechanism of the sparse vector technique, and returns the
// privacy that a section asks for.
type ThresholdMechanism func(section *document.Node) (accountant.Loss, error)

// PaperPhases has the noise of private Frank-Wolfe be the paper's, for the loss that a
// section allows a run.
func PaperPhases(read func(section *document.Node) (accountant.Loss, error)) PhaseMechanism {
	return func(section *document.Node) (Phases, error) {
		asked, err := read(section)
		return Phases{Asked: asked}, err
	}
}

// AdditivePhases has the vectors that clients send carry noise that is calibrated to how
// far they move.
func AdditivePhases(build AdditiveBuilder) PhaseMechanism {
	return func(section *document.Node) (Phases, error) {
		if schedule, given := section.Get("noise"); given && schedule.Kind() != document.Null {
			return Phases{}, schedule.Issuef("noise follows what a release moves here, and not step sizes; leave noise out")
		}
		a, err := ReadAdditive(build, section)
		return Phases{accountant.Loss{Epsilon: a.Epsilon, Delta: a.Delta}, &a}, err
	}
}

// BuildSelection reads the section of a private selection, and returns the loss that
// it allows a run.
func BuildSelection(section *document.Node) (accountant.Loss, error) {
	var s Selection
	err := document.Decode(section, &s)
	return accountant.Loss{Epsilon: float64(s.Epsilon), Delta: s.Delta}, err
}

// BuildNoSelection reads the section none of an algorithm that selects: the loss has
// an infinite epsilon.
func BuildNoSelection(section *document.Node) (accountant.Loss, error) {
	s := DefaultCorrelated()
	err := document.Decode(section, &s)
	return accountant.Loss{Epsilon: math.Inf(1), Delta: s.Delta}, err
}
