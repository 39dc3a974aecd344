package networks

import (
	"starling/mechanisms/robust"
	"starling/scenarios/document"
	"starling/scenarios/kind"
)

// Rule is the section of a rule, which has been decoded.
type Rule interface {
	// Rule returns the rule; nil means the mean. The error comes from the keys.
	Rule() (robust.Rule, error)
}

// RuleSection is the section of a rule with its options R.
type RuleSection[R robust.Rule] struct {
	Kind    string `yaml:"kind,required"`
	Options R      `yaml:",inline"`
}

// Rule implements Rule.
func (s *RuleSection[R]) Rule() (robust.Rule, error) { return s.Options, nil }

// MeanRule is the section of the mean. It has the key of the other rules, so that a sweep can
// change the kind alone.
type MeanRule struct {
	Kind  string `yaml:"kind,required"`
	Liars int    `yaml:"liars" min:"0" says:"%v Byzantine nodes" unit:"nodes" doc:"of no use to the mean, which one Byzantine node moves as far as it likes; absent, 0"`
}

// Rule implements Rule.
func (*MeanRule) Rule() (robust.Rule, error) { return nil, nil }

// ClippedGossip is the section of ClippedGossip.
type ClippedGossip struct {
	RuleSection[robust.ClippedGossip] `yaml:",inline"`
}

// Rule implements Rule.
func (s *ClippedGossip) Rule() (robust.Rule, error) {
	if s.Options.Tau == 0 && s.Options.Liars == 0 {
		return nil, document.At("tau", "give tau, or how many Byzantine nodes, \"liars\", are left out where it is taken from the distances of others")
	}
	return s.Options, nil
}

// BuildRule builds the rule that a section names, by its kind in the catalog; nil, also without a
// section, means the mean.
func BuildRule(kinds *kind.Catalog, section *document.Node) (robust.Rule, error) {
	if section == nil {
		return nil, nil
	}
	s, err := kind.As[Rule](kinds.Combines, section, "algorithms")
	if err != nil {
		return nil, err
	}
	rule, err := s.Rule()
	return rule, section.Resolve(err)
}
