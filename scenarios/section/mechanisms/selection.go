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
	Epsilon document.Epsilon `yaml:"epsilon,required" doc:"epsilon that the paper claims of a run for one loss of one client, above 0, or none to run without noise"`
	Delta   float64          `yaml:"delta" doc:"delta of the approximate variants, between 0 and 1; the others have none"`
}

// Mechanisms of prediction from experts: that of private Frank-Wolfe, and that of
// the sparse vector technique. They return the privacy that a section asks for.
type (
	PhaseMechanism     func(section *document.Node) (accountant.Loss, error)
	ThresholdMechanism func(section *document.Node) (accountant.Loss, error)
)

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
