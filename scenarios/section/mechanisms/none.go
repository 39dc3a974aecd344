package mechanisms

import (
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/scenarios/document"
)

// NoNoise is the kind of no mechanism.
const NoNoise = "none"

// None is the section of no noise, for all algorithms. It has the keys of mechanisms, since a
// sweep that takes the noise away leaves them.
type None struct {
	Kind    string           `yaml:"kind,required"`
	Epsilon document.Epsilon `yaml:"epsilon" unit:"nats" doc:"epsilon that a mechanism would have; absent, none"`
	Delta   float64          `yaml:"delta" unit:"probability" range:"above 0, below 1" doc:"delta at which losses of releases without noise are stated; absent, none"`
}

// Indifferent implements kind.Indifferent.
func (*None) Indifferent() {}

// Law implements OnMessages.
func (*None) Law() noise.Law { return nil }

// OnMessages implements OnMessages.
func (*None) OnMessages(*document.Node) (Additive, error) {
	return Additive{Calibration: noise.Calibration{Level: math.Inf(1)}, Schedule: noise.Shifted, Epsilon: math.Inf(1), Accountant: accountant.PLD}, nil
}

// OnStreams implements OnStreams.
func (s *None) OnStreams(*document.Node) (Correlated, error) {
	c := DefaultCorrelated()
	c.Kind, c.Epsilon, c.Delta = NoNoise, s.Epsilon, s.Delta
	return c, nil
}

// Correlates implements OnSums.
func (*None) Correlates() bool { return false }

// OnSums implements OnSums.
func (*None) OnSums(*document.Node) (Sums, error) {
	return Sums{Kind: NoNoise, Neighbours: accountant.AddOrRemove, Accountant: accountant.RDP}, nil
}

// OnPhases implements OnPhases: the loss is infinite.
func (s *None) OnPhases(*document.Node) (accountant.Loss, error) {
	return accountant.Loss{Epsilon: math.Inf(1), Delta: s.Delta}, nil
}

// OnThresholds implements OnThresholds.
func (s *None) OnThresholds(section *document.Node) (accountant.Loss, error) {
	return s.OnPhases(section)
}
