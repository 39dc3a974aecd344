package loading

import (
	"strings"

	"github.com/invopop/jsonschema"

	"starling/scenarios/limits"
	"starling/scenarios/study"
)

// apply applies the rule for a key at a path, and reports whether there is one.
func (s *schema) apply(property *jsonschema.Schema, path, name string) bool {
	section, _, _ := strings.Cut(path, ".")
	for _, at := range []string{joined(path, name), section + ".*." + name} {
		if rule, ok := s.rules[at]; ok {
			s.ruled[at] = true
			rule(property)
			return true
		}
	}
	return false
}

// rule adds a limit that the code checks and the type of a value does not show.
type rule func(*jsonschema.Schema)

// rules are by path, as in scenario files, with the kind after a section that has one, or *
// for all of its kinds, and [] for the items of a list. They state limits that the tags of a
// field cannot: bounds of numbers and words are tags, which Decode reads as well. The tests
// compare rules and tags with the refusals of Load.
var rules = map[string]rule{
	"version":      func(s *jsonschema.Schema) { s.Const = study.FileVersion },
	"name":         named,
	"plots[].name": named,

	"sweep.grid":             lists,
	"sweep.zip":              lists,
	"sweep.list":             listedArms,
	"sweep.list[].set":       func(s *jsonschema.Schema) { s.Type = "object" },
	"sweep.algorithms":       listedArms,
	"sweep.algorithms[].set": func(s *jsonschema.Schema) { s.Type = "object" },

	"tune.grid":         lists,
	"tune.random.keys":  lawsOfKeys,
	"tune.halving.keys": lawsOfKeys,

	"topology.*.events":    func(s *jsonschema.Schema) { *s = jsonschema.Schema{Ref: "#/$defs/events", Description: s.Description} },
	"topology.union.parts": func(s *jsonschema.Schema) { s.Items = &jsonschema.Schema{Ref: "#/$defs/topology"} },
	"topology.cycle.parts": func(s *jsonschema.Schema) { s.Items = &jsonschema.Schema{Ref: "#/$defs/topology"} },

	"problem.localization.sensors": exactlyOne,
}

func named(s *jsonschema.Schema) { s.Pattern = study.ValidName.String() }

// exactlyOne requires one of the keys of a mapping, which has no others.
func exactlyOne(s *jsonschema.Schema) {
	for key := s.Properties.Oldest(); key != nil; key = key.Next() {
		s.OneOf = append(s.OneOf, &jsonschema.Schema{Required: []string{key.Key}})
	}
}

// formsOfSweep requires one of the forms of a sweep, and refuses two that do not go together.
func formsOfSweep(s *jsonschema.Schema) {
	for _, form := range []string{"grid", "zip", "list", "algorithms"} {
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Required: []string{form}})
	}
	s.Not = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Required: []string{"grid", "zip"}}, {Required: []string{"list", "algorithms"}}}}
}

// lawsOfKeys is the rule for a mapping from keys to lists of values or laws of numbers.
func lawsOfKeys(s *jsonschema.Schema) {
	s.Type, s.MinProperties = "object", new(uint64(1))
	s.AdditionalProperties = &jsonschema.Schema{OneOf: []*jsonschema.Schema{
		{Type: "array", MinItems: new(uint64(1)), MaxItems: new(uint64(limits.Arms))}, {Type: "object", MinProperties: new(uint64(1)), MaxProperties: new(uint64(1))},
	}}
}

// lists is the rule for a mapping from any paths to lists of values.
func lists(s *jsonschema.Schema) {
	s.Type, s.MinProperties = "object", new(uint64(1))
	s.AdditionalProperties = &jsonschema.Schema{Type: "array", MinItems: new(uint64(1)), MaxItems: new(uint64(limits.Arms))}
}

// listedArms requires a name of an arm in a list that sets nothing.
func listedArms(s *jsonschema.Schema) {
	set := jsonschema.NewProperties()
	set.Set("set", &jsonschema.Schema{MinProperties: new(uint64(1))})
	s.Items.AnyOf = []*jsonschema.Schema{{Required: []string{"name"}}, {Properties: set}}
}
