package mechanisms

import (
	"starling/mechanisms/accountant"
	"starling/scenarios/document"
)

// Selection is the section of the mechanism inside an algorithm of prediction from experts.
type Selection struct {
	Kind    string           `yaml:"kind,required"`
	Epsilon document.Epsilon `yaml:"epsilon,required" unit:"nats" doc:"epsilon that the paper claims of a run for one loss of one client, above 0, or none to run without noise"`
	Delta   float64          `yaml:"delta" unit:"probability" range:"above 0, below 1" doc:"delta of the approximate variants; the others have none; absent, 0"`
}

// loss returns the privacy loss that the section allows a run.
func (s *Selection) loss() accountant.Loss {
	return accountant.Loss{Epsilon: float64(s.Epsilon), Delta: s.Delta}
}

// FrankWolfe is the section of the noise of private Frank-Wolfe.
type FrankWolfe struct {
	Selection `yaml:",inline"`
}

// OnPhases implements OnPhases.
func (s *FrankWolfe) OnPhases(*document.Node) (accountant.Loss, error) { return s.loss(), nil }

// SparseVector is the section of the sparse vector technique.
type SparseVector struct {
	Selection `yaml:",inline"`
}

// OnThresholds implements OnThresholds.
func (s *SparseVector) OnThresholds(*document.Node) (accountant.Loss, error) { return s.loss(), nil }
