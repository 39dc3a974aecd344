package guide

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"starling/scenarios/kind"
	"starling/scenarios/loading"
)

// Option describes a key of a section for users.
type Option struct {
	// Key is its path below the section, as --set names it: tau, model.kind, and plots[].y for
	// a key of the items of a list.
	Key string `json:"key"`
	// Type is the type of its values: integer, number, text, true or false, a section, a list.
	Type string `json:"type"`
	// Unit is the unit of a number, or none. It is empty for an option that is no number.
	Unit string `json:"unit,omitempty"`
	// Default is its value where the key is absent, or the effect of its absence; empty for a
	// mapping, whose keys have defaults.
	Default string `json:"default,omitempty"`
	// Required is true if the key must be there.
	Required bool `json:"required"`
	// Bound states the allowed values.
	Bound string `json:"bound,omitempty"`
	// Words are the values, where there are a few.
	Words []string `json:"words,omitempty"`
	// Text describes the option.
	Text string `json:"text"`
	// Form names the form of the mapping above to which the key belongs, where that has several: a list,
	// or the first key that the form requires.
	Form string `json:"form,omitempty"`

	// value is the default that stands in files; nil where there is none.
	value any
	// section is the section that the key holds, with kinds of its own; empty for others.
	section string
	// nested is true if the keys of a mapping stand below.
	nested bool
}

// Guide is a catalog with the schema of its scenarios.
type Guide struct {
	// kinds is the catalog, and definitions the schema of its sections by name: algorithm,
	// problem, scenario, .. Both are read and never changed.
	kinds       *kind.Catalog
	definitions jsonschema.Definitions
}

// New reads the schema of a catalog. An error is a fault of the code: a type or a rule that
// the schema does not know.
func New(kinds *kind.Catalog) (*Guide, error) {
	definitions, err := loading.Definitions(kinds)
	return &Guide{kinds, definitions}, err
}

// Whole names the parts of a file that have no kinds, by the name of their schema.
var Whole = []string{"scenario", "sweep", "events"}

// Options returns the keys of a kind of a section or, without a kind, of one of Whole, in the
// order of the struct. The keys of a mapping or of a list's items follow the key itself. The
// boolean is false where there is no such section or kind.
func (g *Guide) Options(section, kindName string) ([]Option, bool) {
	part, ok := g.definitions[section]
	if !ok {
		return nil, false
	}
	if part.Items != nil {
		part = part.Items
	}
	if kindName != "" {
		i := slices.IndexFunc(part.OneOf, func(s *jsonschema.Schema) bool { return s.Title == kindName })
		if i < 0 {
			return nil, false
		}
		part = part.OneOf[i]
	}
	return optionsOf(part, "", kindName != ""), true
}

// optionsOf returns the keys of a mapping. If named is true, its kind is chosen already.
func optionsOf(object *jsonschema.Schema, prefix string, named bool) (list []Option) {
	if object.Properties == nil {
		return nil
	}
	for pair := object.Properties.Oldest(); pair != nil; pair = pair.Next() {
		if _, idle := pair.Value.Extras[loading.Idle]; idle || named && pair.Key == "kind" {
			continue
		}
		o := optionOf(prefix+pair.Key, pair.Value)
		o.Required = slices.Contains(object.Required, pair.Key)
		list = append(list, o)
		// Keys of the items of a list are listed like keys of a mapping, below a name that
		// ends in [].
		for _, inner := range append([]*jsonschema.Schema{pair.Value}, pair.Value.OneOf...) {
			below := o.Key
			if inner.Type == "array" && inner.Items != nil {
				inner, below = inner.Items, below+"[]"
			}
			inside := optionsOf(inner, below+".", false)
			if form := formOf(pair.Value, inner, below != o.Key); form != "" {
				for i := range inside {
					inside[i].Form = cmp.Or(inside[i].Form, form)
				}
			}
			list = append(list, inside...)
		}
	}
	return list
}

// List is the form of a mapping that is a list.
const List = "a list"

// formOf names one of the forms of a key: a list, or the first key that the form requires. It is empty
// where the key has one form alone.
func formOf(key, form *jsonschema.Schema, list bool) string {
	switch {
	case len(key.OneOf) < 2:
		return ""
	case list:
		return List
	case len(form.Required) > 0:
		return form.Required[0]
	}
	return ""
}

// leftOut begins the effect of a key that is not given, in place of a default.
const leftOut = "if left out: "

// absent finds in a text the effect of an absent key.
var absent = regexp.MustCompile(`(?:^|[;,.] )absent, ((?:[^;.]|\.[^ ])+)`)

// optionOf reads the schema of a key. A default comes from the schema. If an absent key has an
// effect that is no value, such as "drawn for each seed", the doc tag states it after
// "absent,", and that clause moves from Text to Default.
func optionOf(key string, s *jsonschema.Schema) Option {
	o := Option{Key: key, Type: typeOf(s), Bound: boundOf(s), Text: s.Description, value: s.Default, nested: s.Type == "object" && s.Properties != nil}
	o.Unit, _ = s.Extras[loading.Unit].(string)
	o.section = strings.TrimPrefix(s.Ref, "#/$defs/")
	for _, word := range s.Enum {
		o.Words = append(o.Words, fmt.Sprint(word))
	}
	if s.Type == "boolean" {
		o.Words = []string{"true", "false"}
	}
	if s.Default != nil {
		o.Default = textOf(s.Default)
	} else if found := absent.FindStringSubmatchIndex(o.Text); found != nil {
		o.Default = leftOut + o.Text[found[2]:found[3]]
		o.Text = strings.Trim(o.Text[:found[0]]+o.Text[found[1]:], "; ")
	}
	return o
}

// Value describes the values of an option in a line: their type and unit, bound and default.
func (o *Option) Value() string {
	kind := o.Type
	switch {
	// The bound lists the words, and "text" before them would add nothing.
	case len(o.Words) > 0 && o.Bound != "":
		kind = ""
	case o.Unit == "none":
		kind += ", no unit"
	case o.Unit != "":
		kind += ", " + o.Unit
	}
	parts := []string{kind, o.Bound, o.Default}
	switch {
	case o.Required:
		parts[2] = "required"
	case o.value != nil:
		parts[2] = "default " + o.Default
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

// textOf writes a default as YAML.
func textOf(value any) string {
	if text, err := json.Marshal(value); err == nil && !strings.HasPrefix(string(text), `"`) {
		return string(text)
	}
	return fmt.Sprint(value)
}

// typeOf names the type of a key's values in words. Alternatives are joined by "or".
func typeOf(s *jsonschema.Schema) string {
	switch {
	case s.Ref != "":
		return "section " + strings.TrimPrefix(s.Ref, "#/$defs/")
	case s.Const != nil:
		return fmt.Sprint(s.Const)
	case len(s.Enum) > 0:
		return "word"
	case s.Type == "array" && s.Items != nil:
		return "list of " + plural(typeOf(s.Items))
	case s.Type == "object":
		return "mapping"
	}
	if alternatives := slices.Concat(s.OneOf, s.AnyOf); len(alternatives) > 0 {
		var words []string
		for _, alternative := range alternatives {
			if word := typeOf(alternative); !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
		return strings.Join(words, " or ")
	}
	switch s.Type {
	case "string":
		return "text"
	case "boolean":
		return "true or false"
	}
	return s.Type
}

// plural returns the plural of a type: integers, sections set.
func plural(kind string) string {
	first, rest, _ := strings.Cut(kind, " ")
	return strings.TrimSpace(first + "s " + rest)
}

// boundOf states the allowed values: the words of a choice, the limits of a number or of the
// items of a list, the text of the tag range. It is empty where the type is enough, and where
// there is no bound.
func boundOf(s *jsonschema.Schema) string {
	var parts []string
	said, ok := s.Extras[loading.Range].(string)
	if ok {
		parts = append(parts, said)
	}
	if len(s.Enum) > 0 {
		var words []string
		for _, word := range s.Enum {
			words = append(words, fmt.Sprint(word))
		}
		parts = append(parts, "one of "+strings.Join(words, ", "))
	}
	for _, limit := range []struct {
		sign  string
		value json.Number
	}{{">= ", s.Minimum}, {"> ", s.ExclusiveMinimum}, {"<= ", s.Maximum}, {"< ", s.ExclusiveMaximum}} {
		if spoken := strings.HasPrefix(said, "above "+string(limit.value)) && limit.sign == "> "; limit.value != "" && !spoken {
			parts = append(parts, limit.sign+string(limit.value))
		}
	}
	if s.MinItems != nil {
		parts = append(parts, fmt.Sprintf("at least %d", *s.MinItems))
	}
	if s.MaxItems != nil {
		parts = append(parts, fmt.Sprintf("at most %d", *s.MaxItems))
	}
	if s.Pattern != "" {
		parts = append(parts, "like "+s.Pattern)
	}
	for _, alternative := range slices.Concat(s.OneOf, s.AnyOf) {
		if bound := boundOf(alternative); bound != "" {
			parts = append(parts, bound)
		}
	}
	if s.Type == "array" && s.Items != nil {
		if bound := boundOf(s.Items); bound != "" {
			parts = append(parts, "each "+bound)
		}
	}
	return strings.Join(parts, ", ")
}
