package loading

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"starling/actors/option"
	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
	"starling/scenarios/personal"
	"starling/scenarios/problem/table"
	"starling/scenarios/section/networks"
	"starling/scenarios/section/problems/standard"
	"starling/scenarios/section/python"
	"starling/scenarios/study"
)

// SchemaOf returns the JSON Schema (draft 2020-12) of scenario files, for editors: indented,
// the keys of every section in the order of its struct, the same bytes for one build. It is
// reflected from the structs that Load decodes, with their tags yaml and doc and their
// defaults, so that it knows the keys that Load knows. A file that extends another may leave
// out keys that the other has, and remove keys by null. Rules on several values, such as a
// degree below the number of nodes, are left to Load.
//
// The schema is narrower than Load in three ways: outside of files that extend
// another, null is a value of the sweep alone; a section has its required keys
// itself, even where a sweep sets them in every arm; and options that a scenario
// does not use are checked as well.
func SchemaOf(kinds *kind.Catalog) ([]byte, error) {
	definitions, err := definitionsOf(kinds, false, true)
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(&jsonschema.Schema{
		Version:     jsonschema.Version,
		Title:       "Starling scenario",
		Description: "Who learns what from which data over which network under which noise.",
		Type:        "object",
		If:          &jsonschema.Schema{Required: []string{"extends"}},
		Then:        &jsonschema.Schema{Ref: "#/$defs/changed-scenario"},
		Else:        &jsonschema.Schema{Ref: "#/$defs/scenario"},
		Definitions: definitions,
	}, "", "  ")
	return append(text, '\n'), err
}

// Unit and Range are annotations of the schema. Unit is the unit of a number, or none, from
// the tag unit. Range describes in words the values of a key without other limits, from the
// tag range.
const (
	Unit  = "x-unit"
	Range = "x-range"
	Idle  = "x-idle" // a key that is allowed and has no effect
)

// Definitions returns the parts of the schema of a whole file: scenario, sweep, events, and the
// sections by name, each with its kinds in OneOf.
func Definitions(kinds *kind.Catalog) (jsonschema.Definitions, error) {
	return definitionsOf(kinds, false)
}

// definitionsOf returns the parts of a whole file, for false, and those of changes to another
// file, for true, which have names that begin with changed-. A rule for a key that none of them
// has is an error.
func definitionsOf(kinds *kind.Catalog, changed ...bool) (jsonschema.Definitions, error) {
	s := &schema{kinds: kinds, rules: maps.Clone(rules), ruled: map[string]bool{}}
	s.rules["plots[].y"] = func(y *jsonschema.Schema) {
		for _, name := range kinds.AllMetrics().Names() {
			y.Enum = append(y.Enum, name)
		}
	}
	rows := func(model *jsonschema.Schema) { s.unite(model, "model", kinds.Models) }
	for _, problem := range []string{"table", "synthetic-logistic", "python-rows"} {
		s.rules["problem."+problem+".model"] = rows
	}
	s.rules["problem.images.model"] = func(model *jsonschema.Schema) {
		s.unite(model, "problem.images.model", standard.ImageModels(kinds.Models))
	}
	definitions := jsonschema.Definitions{}
	for _, s.changed = range changed {
		for name, definition := range s.sections() {
			definitions[s.nameOf(name)] = definition
		}
	}
	for path := range s.rules {
		if !s.ruled[path] {
			s.fail(path, "there is a rule, and no such key")
		}
	}
	if len(s.faults) > 0 {
		slices.Sort(s.faults) // rules is a map, in random order
		return nil, errors.New(strings.Join(slices.Compact(s.faults), "\n"))
	}
	return definitions, nil
}

// schema is a schema that is being made.
type schema struct {
	// kinds are the catalog's; sections list them as alternatives.
	kinds *kind.Catalog
	// changed means that the schema is for changes to another file.
	changed bool
	rules   map[string]rule // by path
	// ruled are the rules that were applied, by path: a rule that never is would be a slip.
	ruled map[string]bool
	// faults are faults of the code, not of a scenario: a type without a schema, a rule
	// without a key.
	faults []string
}

// fail records a fault of the code.
func (s *schema) fail(path, format string, args ...any) {
	s.faults = append(s.faults, fmt.Sprintf("schema of %s: %s", path, fmt.Sprintf(format, args...)))
}

// sections returns the schemas to which keys of the same name refer, and the file's.
func (s *schema) sections() map[string]*jsonschema.Schema {
	scenario := s.object(study.DefaultFile(), "")
	sweep := s.object(sweepFile{}, "sweep")
	if s.changed {
		scenario.Required = []string{"name"}
	} else {
		formsOfSweep(sweep)
	}
	schemas := map[string]*jsonschema.Schema{"scenario": scenario, "sweep": sweep, "events": s.events()}
	for _, section := range s.kinds.Sections() {
		schemas[section.Name] = alternatives(s, section.Name, *section.Kinds)
	}
	return schemas
}

// events returns the schema of the events of a topology. They are a list, which is not changed
// but given anew.
func (s *schema) events() *jsonschema.Schema {
	defer func(changed bool) { s.changed = changed }(s.changed)
	s.changed = false
	script := s.object(topology.Script{}, "events")
	events, _ := script.Properties.Get("events")
	events.Description = ""
	return events
}

// sectionNames are the keys that have a schema of their own.
var sectionNames = []string{"algorithm", "problem", "topology", "mechanism", "network", "compression", "adversaries", "combine", "set", "divergence", "sweep"}

// sectionsAt are the paths at which a section has another name than its schema.
var sectionsAt = map[string]string{
	"topology.matching.base":     "topology",
	"topology.clusters.inside":   "topology",
	"topology.markov-edges.base": "topology",
}

// nameOf returns the name of a section's definition.
func (s *schema) nameOf(section string) string {
	if s.changed {
		return "changed-" + section
	}
	return section
}

// alternatives returns the schema of a section with several kinds. Changes need not name the
// kind, and can fit several.
func alternatives(s *schema, name string, kinds []kind.Kind) *jsonschema.Schema {
	var objects []*jsonschema.Schema
	for _, k := range kinds {
		object := s.object(k.Section, name+"."+k.Kind)
		object.Title, object.Description = k.Kind, k.Summary
		object.Properties.Set("kind", &jsonschema.Schema{Const: k.Kind, Description: k.Summary})
		objects = append(objects, object)
	}
	for i, k := range kinds {
		if k.IsIndifferent() {
			stand(objects[i], objects)
		}
	}
	if s.changed {
		return &jsonschema.Schema{AnyOf: objects}
	}
	return &jsonschema.Schema{OneOf: objects}
}

// stand allows the keys of other kinds in an object, with any values.
func stand(object *jsonschema.Schema, others []*jsonschema.Schema) {
	for _, other := range others {
		for key := range other.Properties.KeysFromOldest() {
			if _, own := object.Properties.Get(key); !own {
				object.Properties.Set(key, &jsonschema.Schema{Description: "key of another kind, without effect", Extras: map[string]any{Idle: true}})
			}
		}
	}
}

// unite makes a property a mapping with the keys of all kinds, for a section whose kinds let
// keys of the others stand. Its kind is a key like the others, with a default if the section
// of a kind does not require it.
func (s *schema) unite(property *jsonschema.Schema, name string, kinds []kind.Kind) {
	united := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	named := &jsonschema.Schema{Type: "string"}
	united.Properties.Set("kind", named)
	var texts []string
	for _, k := range kinds {
		object := s.object(k.Section, name+"."+k.Kind)
		for key := object.Properties.Oldest(); key != nil; key = key.Next() {
			if _, there := united.Properties.Get(key.Key); !there {
				united.Properties.Set(key.Key, key.Value)
			}
		}
		named.Enum = append(named.Enum, k.Kind)
		texts = append(texts, k.Kind+", "+k.Summary)
		if !s.changed && !slices.Contains(object.Required, "kind") {
			named.Default = k.Kind
		}
	}
	named.Description = property.Description + ": " + strings.Join(texts, "; ")
	if s.changed {
		change(named)
	}
	united.Description = property.Description
	*property = *united
}

// object returns the schema of a struct into which a mapping is decoded. The value holds the
// defaults; path is its path in the rules.
func (s *schema) object(value any, path string) *jsonschema.Schema {
	reflector := jsonschema.Reflector{
		Anonymous:      true,
		DoNotReference: true,
		FieldNameTag:   "yaml",
		// The tag yaml states required keys, in a way of its own.
		RequiredFromJSONSchemaTags: true,
		Mapper:                     func(t reflect.Type) *jsonschema.Schema { return s.selfDecoded(t, path) },
	}
	object := reflector.Reflect(value)
	object.Version = ""
	s.complete(object, reflect.ValueOf(value), path)
	return object
}

// selfDecoded returns the schema of a type that document.Decode does not take apart, and nil
// for other types.
func (s *schema) selfDecoded(t reflect.Type, path string) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[document.Node]():
		return &jsonschema.Schema{} // complete adds its schema
	case reflect.TypeFor[document.Number]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
			{Type: "number"},
			{Type: "string", Pattern: document.Fraction.String()},
		}}
	case reflect.TypeFor[networks.NodeList]():
		node := &jsonschema.Schema{Type: "integer", Minimum: "1", Maximum: json.Number(strconv.Itoa(limits.Nodes))}
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{node, {Type: "array", Items: node}}}
	case reflect.TypeFor[document.Epsilon]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
			{Type: "number", ExclusiveMinimum: "0"},
			{Type: "string", Const: document.NoEpsilon},
		}}
	}
	switch t {
	case reflect.TypeFor[personal.NodeNames]():
		return &jsonschema.Schema{Type: "array", MinItems: length("1"), Items: &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "integer", Minimum: "1"}, {Type: "string"}}}}
	case reflect.TypeFor[personal.NodeRef]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "integer", Minimum: "0", Maximum: "10000000"}, {Type: "string"}}}
	case reflect.TypeFor[personal.Groups]():
		return s.groups(personal.Group{}, path, personal.DefaultFile(), personal.DefaultLaw(), personal.Column{})
	case reflect.TypeFor[personal.Values]():
		return s.groups(personal.Valued{}, path, personal.DefaultValueFile(), personal.DefaultValueLaw(), personal.ValueColumn{})
	}
	if t == reflect.TypeFor[python.Arguments]() {
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "object"}}}
	}
	if t == reflect.TypeFor[standard.Standardise]() {
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
			{Type: "string", Enum: []any{standard.StandardiseNone, standard.StandardiseRows}},
			s.object(standard.StandardiseConstants{}, path),
		}}
	}
	if t == reflect.TypeFor[standard.Party]() {
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
			{Type: "string"}, {Type: "array", MinItems: length("1"), Items: &jsonschema.Schema{Type: "string"}},
			s.object(standard.PartyQuantiles{}, path), s.object(standard.PartyOf{}, path), {Type: "null"},
		}}
	}
	if schema := columnsSchema(t); schema != nil {
		return schema
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[document.NodeDecoder]()) {
		s.fail(path, "%s decodes itself, and selfDecoded does not list its values", t)
	}
	return nil
}

// columnsSchema is the schema of keys that map columns of a table to words; nil for other types.
func columnsSchema(t reflect.Type) *jsonschema.Schema {
	words := func(list []string) *jsonschema.Schema {
		schema := &jsonschema.Schema{Type: "string"}
		for _, word := range list {
			schema.Enum = append(schema.Enum, word)
		}
		return schema
	}
	switch t {
	case reflect.TypeFor[standard.From]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "number"}, {Type: "string"}, {Type: "null"}}}
	case reflect.TypeFor[standard.Missing]():
		word := words(standard.MissingWords())
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{word, {Type: "object", AdditionalProperties: word}, {Type: "null"}}}
	case reflect.TypeFor[standard.Times]():
		parts := &jsonschema.Schema{Type: "array", MinItems: length("1"), Items: words(table.TimeParts())}
		value := &jsonschema.Schema{OneOf: []*jsonschema.Schema{words(standard.TimeWords()), parts}}
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "object", AdditionalProperties: value}, {Type: "null"}}}
	}
	return nil
}

// groups is the schema of groups: a list, or a mapping of one of several forms.
func (s *schema) groups(group any, path string, forms ...any) *jsonschema.Schema {
	given := []*jsonschema.Schema{nil}
	for _, form := range forms {
		given = append(given, s.object(form, path))
	}
	defer func(changed bool) { s.changed = changed }(s.changed)
	s.changed = false // a list is given anew
	given[0] = &jsonschema.Schema{Type: "array", MinItems: length("1"), Items: s.object(group, path+"[]")}
	return &jsonschema.Schema{OneOf: given}
}

// complete adds to the schema of a struct the parts that the library does not know:
// descriptions, required keys, defaults, sections, and rules.
func (s *schema) complete(object *jsonschema.Schema, value reflect.Value, path string) {
	for i := range value.NumField() {
		field := value.Type().Field(i)
		name, way, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if way == "inline" {
			s.complete(object, value.Field(i), path)
			continue
		}
		if name == "" || name == "-" {
			object.Properties.Delete(field.Name) // Decode ignores it
			continue
		}
		// Each property has one source: doc is the text of help, too, and min and max are the
		// limits that Decode checks.
		property, _ := object.Properties.Get(name)
		property.Description = field.Tag.Get("doc")
		limit(property, option.BoundsOf(field.Tag))
		annotate(property, field.Tag)
		s.descend(property, value.Field(i), joined(path, name))
		if !s.apply(property, path, name) && field.Type == reflect.TypeFor[*document.Node]() {
			s.refer(property, joined(path, name), name)
		}
		switch {
		case s.changed:
			change(property)
		case way == "required":
			object.Required = append(object.Required, name)
		case field.Tag.Get("or") != "":
			object.AnyOf = append(object.AnyOf, &jsonschema.Schema{Required: []string{name}}, &jsonschema.Schema{Required: []string{field.Tag.Get("or")}})
		default:
			property.Default = defaultOf(value.Field(i))
		}
	}
}

// annotate adds the tags that only readers use.
func annotate(property *jsonschema.Schema, tag reflect.StructTag) {
	for name, text := range map[string]string{Unit: tag.Get("unit"), Range: tag.Get("range")} {
		if text == "" {
			continue
		}
		if property.Extras == nil {
			property.Extras = map[string]any{}
		}
		property.Extras[name] = text
	}
}

// limit adds the bounds of a field to its schema.
func limit(property *jsonschema.Schema, bounds option.Bounds) {
	for _, word := range bounds.OneOf {
		property.Enum = append(property.Enum, word)
	}
	switch {
	case property.Type == "array" && (bounds.Min != "" || bounds.Max != ""):
		property.MinItems, property.MaxItems = length(bounds.Min), length(bounds.Max)
	case property.Type == "string":
		property.MinLength, property.MaxLength = length(bounds.Min), length(bounds.Max)
	default:
		property.Minimum, property.ExclusiveMinimum = json.Number(bounds.Min), json.Number(bounds.Over)
		property.Maximum, property.ExclusiveMaximum = json.Number(bounds.Max), json.Number(bounds.Under)
	}
}

// length returns a limit on a length, nil for none.
func length(limit string) *uint64 {
	n, err := strconv.ParseUint(limit, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// refer makes a property refer to the schema of a section.
func (s *schema) refer(property *jsonschema.Schema, path, name string) {
	section := name
	if other, ok := sectionsAt[path]; ok {
		section = other
	}
	if !slices.Contains(sectionNames, section) {
		s.fail(path, "neither its type nor a rule lists its values")
	}
	property.Ref = "#/$defs/" + s.nameOf(section)
	if name == "sweep" && !s.changed {
		nullable(property) // --set sweep=null removes a sweep
	}
}

// joined returns the path of a key below path; "" is the root.
func joined(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// descend completes the schema of a struct that a field holds, points to, or lists. A list is
// not changed, but given anew.
func (s *schema) descend(property *jsonschema.Schema, value reflect.Value, path string) {
	if t := value.Type(); t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		value = reflect.Zero(t.Elem())
	}
	if property.Type == "array" {
		defer func(changed bool) { s.changed = changed }(s.changed)
		property, path, s.changed = property.Items, path+"[]", false
	}
	if property.Type == "object" {
		s.complete(property, value, path)
	}
}

// defaultOf returns the default that a field holds, nil if it holds none. A number that is 0
// is derived if it is absent, as its description says.
func defaultOf(value reflect.Value) any {
	switch value.Kind() {
	case reflect.Struct, reflect.Pointer:
		return nil
	case reflect.Bool:
		return value.Bool()
	}
	if value.IsZero() {
		return nil
	}
	return value.Interface()
}

// change turns the schema of a value into the schema of a change to it: missing keys exist
// already, and null removes one.
func change(s *jsonschema.Schema) {
	if s.Type == "object" {
		s.OneOf, s.MinProperties = nil, nil
		if s.AdditionalProperties != nil && s.Properties == nil {
			nullable(s.AdditionalProperties)
		}
	}
	nullable(s)
}

// nullable allows null besides a value.
func nullable(s *jsonschema.Schema) {
	value := *s
	*s = jsonschema.Schema{Description: value.Description}
	value.Description = ""
	s.AnyOf = []*jsonschema.Schema{&value, {Type: "null"}}
}
