// Package combines reads the section combine of algorithms: the rule that combines received
// vectors, some of which may be lies. The rules themselves are in mechanisms/robust.
package combines

import (
	"starling/mechanisms/robust"
	"starling/scenarios/document"
	"starling/scenarios/kind"
)

// Section is the section of a rule with its options R.
type Section[R any] struct {
	Kind string `yaml:"kind,required"`
	Rule R      `yaml:",inline"`
}

// builder builds a rule from its section; nil means the mean.
type builder = func(section *document.Node) (robust.Rule, error)

// mean has the key of the other rules, so that a sweep can change the kind alone.
type mean struct {
	Liars int `yaml:"liars" min:"0" says:"%v liars" unit:"nodes" doc:"of no use to the mean, which one lie moves as far as it likes; absent, 0"`
}

// Mean returns the catalog's entry of the mean.
func Mean(name, summary string) kind.Kind {
	return kind.New(name, summary, Section[mean]{}, builder(func(section *document.Node) (robust.Rule, error) {
		return nil, document.Decode(section, &Section[mean]{})
	}))
}

// Kind returns the catalog's entry of a rule. check, unless it is nil, returns the faults of
// options, by document.At with a key of the section.
func Kind[R robust.Rule](name, summary string, check func(R) error) kind.Kind {
	return kind.New(name, summary, Section[R]{}, builder(func(section *document.Node) (robust.Rule, error) {
		var s Section[R]
		if err := document.Decode(section, &s); err != nil {
			return nil, err
		}
		if check != nil {
			if err := section.Resolve(check(s.Rule)); err != nil {
				return nil, err
			}
		}
		return s.Rule, nil
	}))
}

// Clipped returns the catalog's entry of ClippedGossip.
func Clipped(name, summary string) kind.Kind {
	return Kind(name, summary, func(r robust.ClippedGossip) error {
		if r.Tau == 0 && r.Liars == 0 {
			return document.At("tau", "give tau, or how many liars are left out where it is taken from the distances of others")
		}
		return nil
	})
}

// Build builds the rule that a section names, by its kind in the catalog; nil, also without a
// section, means the mean.
func Build(kinds *kind.Catalog, section *document.Node) (robust.Rule, error) {
	if section == nil {
		return nil, nil
	}
	build, err := kind.Find[builder](kinds.Combines, section, "algorithms")
	if err != nil {
		return nil, err
	}
	return build(section)
}
