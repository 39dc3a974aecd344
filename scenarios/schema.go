package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/dpfl"
	"starling/actors/algorithm/ofl"
	"starling/actors/network"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/problem"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/model"
)

// Schema returns the JSON Schema (draft 2020-12) of scenario files, for editors:
// indented, the keys of every section in the order of its struct, the same bytes
// for one build. It is reflected from the structs that Load decodes, with their
// tags yaml and doc and their defaults, so that it knows the keys that Load
// knows. A file that extends another may leave out what that has, and remove
// keys by null. What spans several values, such as a degree below the number of
// nodes, is left to Load.
//
// The schema is narrower than Load in three ways: outside of files that extend
// another, null is a value of the sweep alone; a section has its required keys
// itself, even where a sweep sets them in every arm; and options that a scenario
// does not use are checked as well.
func Schema() ([]byte, error) {
	s := &schema{ruled: map[string]bool{}}
	root := &jsonschema.Schema{
		Version:     jsonschema.Version,
		Title:       "Starling scenario",
		Description: "Who learns what from which data over which network under which noise.",
		Type:        "object",
		If:          &jsonschema.Schema{Required: []string{"extends"}},
		Then:        &jsonschema.Schema{Ref: "#/$defs/changed-scenario"},
		Else:        &jsonschema.Schema{Ref: "#/$defs/scenario"},
		Definitions: jsonschema.Definitions{},
	}
	for _, s.changed = range []bool{false, true} {
		for name, definition := range s.sections() {
			root.Definitions[s.nameOf(name)] = definition
		}
	}
	for path := range rules {
		if !s.ruled[path] {
			s.fail(path, "there is a rule, and no such key")
		}
	}
	if len(s.faults) > 0 {
		slices.Sort(s.faults) // the rules are a map
		return nil, errors.New(strings.Join(slices.Compact(s.faults), "\n"))
	}
	text, err := json.MarshalIndent(root, "", "  ")
	return append(text, '\n'), err
}

// schema is a schema while it is made.
type schema struct {
	// changed says that the schema is that of changes to another file.
	changed bool
	ruled   map[string]bool // the rules that were applied, by path
	faults  []string        // of the code, not of a scenario
}

func (s *schema) fail(path, format string, args ...any) {
	s.faults = append(s.faults, fmt.Sprintf("schema of %s: %s", path, fmt.Sprintf(format, args...)))
}

// sections are the schemas that keys of the same name refer to, and that of the
// file.
func (s *schema) sections() map[string]*jsonschema.Schema {
	scenario := s.object(defaultFile(), "")
	sweep := s.object(sweepFile{}, "sweep")
	if s.changed {
		scenario.Required = []string{"name"}
	} else {
		exactlyOne(sweep)
	}
	return map[string]*jsonschema.Schema{
		"scenario":   scenario,
		"algorithm":  alternatives(s, "algorithm", forms(algorithms)),
		"problem":    alternatives(s, "problem", forms(problems), forms(streams), forms(adversaries)),
		"topology":   alternatives(s, "topology", forms(topologies), forms(stars)),
		"mechanism":  alternatives(s, "mechanism", forms(mechanisms), forms(correlated), forms(selections), forms(sampled)),
		"network":    alternatives(s, "network", forms(networks)),
		"set":        alternatives(s, "set", forms(decisionSets)),
		"divergence": alternatives(s, "divergence", forms(divergences)),
		"sweep":      sweep,
		"events":     s.events(),
	}
}

// events is the schema of what happens to a topology. It is a list, which is not
// changed but given anew.
func (s *schema) events() *jsonschema.Schema {
	defer func(changed bool) { s.changed = changed }(s.changed)
	s.changed = false
	script := s.object(topology.Script{}, "events")
	events, _ := script.Properties.Get("events")
	events.Description = ""
	return events
}

// sectionNames are the keys that have a schema of their own.
var sectionNames = []string{"algorithm", "problem", "topology", "mechanism", "network", "set", "divergence", "sweep"}

// sectionsAt are the paths at which a section is not named for what it is.
var sectionsAt = map[string]string{
	"topology.matching.base":     "topology",
	"topology.markov-edges.base": "topology",
}

// nameOf is the name of a section's definition.
func (s *schema) nameOf(section string) string {
	if s.changed {
		return "changed-" + section
	}
	return section
}

// form is a kind without what builds it.
type form struct {
	Entry
	section any
}

func forms[B any](kinds []kind[B]) []form {
	list := make([]form, len(kinds))
	for i, k := range kinds {
		list[i] = form{k.Entry, k.section}
	}
	return list
}

// alternatives is the schema of a section that is of one of several kinds.
// Changes need not name the kind, and can fit several.
func alternatives(s *schema, name string, lists ...[]form) *jsonschema.Schema {
	var objects []*jsonschema.Schema
	for _, k := range slices.Concat(lists...) {
		object := s.object(k.section, name+"."+k.Kind)
		object.Title, object.Description = k.Kind, k.Summary
		object.Properties.Set("kind", &jsonschema.Schema{Const: k.Kind, Description: k.Summary})
		objects = append(objects, object)
	}
	if s.changed {
		return &jsonschema.Schema{AnyOf: objects}
	}
	return &jsonschema.Schema{OneOf: objects}
}

// object is the schema of a struct that a mapping is decoded into. The value
// holds the defaults; path is where the rules have it.
func (s *schema) object(value any, path string) *jsonschema.Schema {
	reflector := jsonschema.Reflector{
		Anonymous:      true,
		DoNotReference: true,
		FieldNameTag:   "yaml",
		// The tag yaml says what is required, in a way of its own.
		RequiredFromJSONSchemaTags: true,
		Mapper:                     func(t reflect.Type) *jsonschema.Schema { return s.selfDecoded(t, path) },
	}
	object := reflector.Reflect(value)
	object.Version = ""
	s.complete(object, reflect.ValueOf(value), path)
	return object
}

// selfDecoded is the schema of a type that document.Decode does not take apart,
// and nil for others.
func (s *schema) selfDecoded(t reflect.Type, path string) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[document.Node]():
		return &jsonschema.Schema{} // complete says what it is
	case reflect.TypeFor[number]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
			{Type: "number"},
			{Type: "string", Pattern: fraction.String()},
		}}
	case reflect.TypeFor[nodeList]():
		node := &jsonschema.Schema{Type: "integer"}
		between(1, mostNodes)(node)
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{node, {Type: "array", Items: node}}}
	case reflect.TypeFor[epsilonValue]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
			{Type: "number", ExclusiveMinimum: "0"},
			{Type: "string", Const: noEpsilon},
		}}
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[document.NodeDecoder]()) {
		s.fail(path, "%s decodes itself, and selfDecoded does not say what it takes", t)
	}
	return nil
}

// complete adds to the schema of a struct what the library cannot know:
// descriptions, the keys that are required, defaults, sections, and rules.
func (s *schema) complete(object *jsonschema.Schema, value reflect.Value, path string) {
	for i := range value.NumField() {
		field := value.Type().Field(i)
		name, option, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if option == "inline" {
			s.complete(object, value.Field(i), path)
			continue
		}
		if name == "" || name == "-" {
			object.Properties.Delete(field.Name) // Decode passes over it
			continue
		}
		property, _ := object.Properties.Get(name)
		property.Description = field.Tag.Get("doc")
		s.descend(property, value.Field(i), join(path, name))
		if !s.apply(property, path, name) && field.Type == reflect.TypeFor[*document.Node]() {
			s.refer(property, join(path, name), name)
		}
		switch {
		case s.changed:
			change(property)
		case option == "required":
			object.Required = append(object.Required, name)
		default:
			property.Default = defaultOf(value.Field(i))
		}
	}
}

// refer makes a property that of a section.
func (s *schema) refer(property *jsonschema.Schema, path, name string) {
	section := name
	if other, ok := sectionsAt[path]; ok {
		section = other
	}
	if !slices.Contains(sectionNames, section) {
		s.fail(path, "neither its type nor a rule says what it takes")
	}
	property.Ref = "#/$defs/" + s.nameOf(section)
	if name == "sweep" && !s.changed {
		nullable(property) // --set sweep=null is how to drop it
	}
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// descend completes the schema of a struct that a field holds, points to, or
// lists. A list is not changed, but given anew.
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

// defaultOf is the default that a field holds, nil if it holds none. A number
// that is 0 is derived if it is absent, as its description says.
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

// apply applies the rule for a key at a path, and reports whether there is one.
func (s *schema) apply(property *jsonschema.Schema, path, name string) bool {
	section, _, _ := strings.Cut(path, ".")
	for _, at := range []string{join(path, name), section + ".*." + name} {
		if rule, ok := rules[at]; ok {
			s.ruled[at] = true
			rule(property)
			return true
		}
	}
	return false
}

// rule adds what not the type of a value says, but code that checks it.
type rule func(*jsonschema.Schema)

// rules are by path, as in scenario files, with the kind after a section that
// has one, or * for all of its kinds, and [] for the items of a list. The tests
// hold them to what Load refuses.
var rules = map[string]rule{
	"version":       func(s *jsonschema.Schema) { s.Const = fileVersion },
	"name":          func(s *jsonschema.Schema) { s.Pattern = validName.String() },
	"horizon":       between(1, mostSteps),
	"nodes":         between(1, mostNodes),
	"seeds.base":    between(0, math.MaxInt64-mostSeeds),
	"seeds.count":   between(1, mostSeeds),
	"measure.every": between(1, mostSteps),
	"measure.nodes": between(1, mostMeasured),

	"paper.title":      func(s *jsonschema.Schema) { s.MinLength = new(uint64(1)) },
	"budget.on":        oneOf(budgetActions()...),
	"budget.observer":  oneOf(accountant.Observers()...),
	"measure.metrics":  notEmpty,
	"checkpoint.every": between(1, mostSteps),
	"plots":            func(s *jsonschema.Schema) { s.MaxItems = new(uint64(mostPlots)) },
	"plots[].name":     func(s *jsonschema.Schema) { s.Pattern = validName.String() },
	"plots[].y":        oneOf(metricNames()...),
	"plots[].band":     oneOf(BandSE, BandSD, BandNone),

	"sweep.grid":       lists,
	"sweep.zip":        lists,
	"sweep.list":       arms,
	"sweep.list[].set": func(s *jsonschema.Schema) { s.Type = "object" },

	"algorithm.dpdonc.step.scale":     positive,
	"algorithm.dpdonc.theta":          positive,
	"algorithm.dpdonc.gradient_bound": oneOf(dpdonc.BoundError, dpdonc.BoundClip),
	"algorithm.dpdonc.positivity":     oneOf(dpdonc.ClipMean, dpdonc.DualAverage),
	"algorithm.dpdonc.floor":          func(s *jsonschema.Schema) { s.ExclusiveMinimum, s.ExclusiveMaximum = "0", "1" },
	"algorithm.dpdonc.missing":        oneOf(dpdonc.MissingDrop, dpdonc.MissingRenormalise, dpdonc.MissingHold),
	"algorithm.dpdonc.consensus":      oneOf(dpdonc.ConsensusAverage, dpdonc.ConsensusPushSum),
	"algorithm.dpdonc.late":           oneOf(dpdonc.LateUse, dpdonc.LateDrop),
	"mechanism.laplace.noise":         oneOf(dpdonc.AsPrinted, dpdonc.Shifted),

	"mechanism.*.calibration":      oneOf(calibrations()...),
	"algorithm.ofl.version":        func(s *jsonschema.Schema) { s.Minimum, s.Maximum = "1", "2" },
	"algorithm.ofl.tau":            atLeast("1"),
	"algorithm.ofl.local_step":     positive,
	"algorithm.ofl.global_step":    positive,
	"algorithm.ofl.gradient_bound": positive,
	"algorithm.ofl.on_bound":       oneOf(ofl.Bounds()...),
	"algorithm.ofl.sensitivity":    oneOf(sensitivityRules()...),

	"algorithm.*.learning_rate":               positive,
	"algorithm.dpfl.batch":                    atLeast("1"),
	"algorithm.ali-dpfl.batch":                atLeast("1"),
	"algorithm.*.statistics":                  oneOf(dpfl.StatisticsKinds()...),
	"algorithm.dpfl.tau":                      atLeast("1"),
	"algorithm.ali-dpfl.control":              atLeast("0"),
	"algorithm.ali-dpfl.statistics_samples":   atLeast("0"),
	"algorithm.ali-dpfl.statistics_sigma":     atLeast("0"),
	"algorithm.ali-dpfl.statistics_lipschitz": atLeast("0"),
	"algorithm.ali-dpfl.statistics_clip":      atLeast("0"),
	"mechanism.sampled-gaussian.sigma":        positive,
	"mechanism.sampled-gaussian.delta":        func(s *jsonschema.Schema) { s.ExclusiveMinimum, s.ExclusiveMaximum = "0", "1" },
	"mechanism.sampled-gaussian.accountant":   oneOf(accountant.Methods()...),
	"problem.images.train":                    atLeast("0"),
	"problem.images.test":                     atLeast("0"),
	"problem.images.public":                   atLeast("0"),
	"problem.images.model.kind":               oneOf(modelKinds()...),
	"problem.images.model.filters":            atLeast("1"),
	"problem.images.model.pooling":            oneOf(model.Poolings()...),
	"problem.images.model.padding":            oneOf(model.PaddingValid, model.PaddingSame),
	"problem.images.partition.kind":           oneOf(dataset.PartitionKinds()...),

	"network.effects.delay.turns":             between(0, network.MostTurns),
	"network.effects.delay.least":             between(0, network.MostTurns),
	"network.effects.delay.longest":           between(0, network.MostTurns),
	"network.effects.delay.rest":              between(0, network.MostTurns),
	"network.effects.delay.arrive":            probability,
	"network.effects.delay.edges[].from":      between(1, mostNodes),
	"network.effects.delay.edges[].to":        between(1, mostNodes),
	"network.effects.delay.edges[].turns":     between(0, network.MostTurns),
	"network.effects.loss.probability":        probability,
	"network.effects.loss.enter":              probability,
	"network.effects.loss.leave":              probability,
	"network.effects.loss.good":               probability,
	"network.effects.loss.bad":                probability,
	"network.effects.bandwidth.bytes":         between(0, network.MostBytes),
	"network.effects.bandwidth.queue":         between(0, network.MostBytes),
	"network.effects.bandwidth.longest":       between(0, network.MostTurns),
	"network.effects.bandwidth.edges[].from":  between(1, mostNodes),
	"network.effects.bandwidth.edges[].to":    between(1, mostNodes),
	"network.effects.bandwidth.edges[].bytes": between(0, network.MostBytes),
	"network.effects.patience":                between(0, network.MostTurns),
	"network.effects.churn.fail":              probability,
	"network.effects.churn.recover":           probability,
	"network.effects.events[].at":             atLeast("1"),
	"network.effects.events[].until":          atLeast("0"),
	"network.effects.events[].turns":          between(0, network.MostTurns),

	"topology.*.weights":           oneOf(weightsChecked, weightsUnchecked),
	"topology.*.window":            atLeast("1"),
	"topology.circulant.degree":    atLeast("1"),
	"topology.permutations.degree": atLeast("1"),
	"topology.permutations.every":  atLeast("0"),
	"topology.matrices.matrices":   notEmpty,
	"topology.*.events":            func(s *jsonschema.Schema) { *s = jsonschema.Schema{Ref: "#/$defs/events", Description: s.Description} },
	"topology.*.scheme":            oneOf(topology.Schemes()...),
	"topology.cycle.every":         atLeast("1"),
	"topology.cycle.parts":         parts,

	"set.*.dimension":            between(1, mostDimension),
	"set.*.radius":               positive,
	"divergence.euclidean.scale": positive,

	"problem.localization.sensors":               exactlyOne,
	"problem.localization.sensors.circle.radius": positive,
	"problem.localization.target.motion":         oneOf(problem.MotionPrinted, problem.MotionStill),
	"problem.localization.measurement_noise":     atLeast("0"),
	"problem.logistic.alpha":                     atLeast("0"),
	"problem.logistic.beta":                      atLeast("0"),
	"problem.logistic.feature_norm":              positive,
	"problem.robust-regression.scale":            positive,
	"problem.robust-regression.noise_deviation":  atLeast("0"),
	"problem.robust-regression.outlier_share":    func(s *jsonschema.Schema) { s.Minimum, s.Maximum = "0", "1" },
	"problem.robust-regression.outlier_size":     atLeast("0"),
	"problem.robust-regression.truth.drift":      atLeast("0"),
}

func between(least, most int64) rule {
	return func(s *jsonschema.Schema) {
		s.Minimum, s.Maximum = json.Number(strconv.FormatInt(least, 10)), json.Number(strconv.FormatInt(most, 10))
	}
}

func atLeast(least json.Number) rule {
	return func(s *jsonschema.Schema) { s.Minimum = least }
}

func probability(s *jsonschema.Schema) { s.Minimum, s.Maximum = "0", "1" }

func positive(s *jsonschema.Schema) { s.ExclusiveMinimum = "0" }

func oneOf[S ~string](values ...S) rule {
	return func(s *jsonschema.Schema) {
		for _, value := range values {
			s.Enum = append(s.Enum, value)
		}
	}
}

func notEmpty(s *jsonschema.Schema) { s.MinItems = new(uint64(1)) }

// change makes the schema of a value that of a change to it: the keys that are
// not given are there already, and null removes one.
func change(s *jsonschema.Schema) {
	if s.Type == "object" {
		s.OneOf, s.MinProperties = nil, nil
		if s.AdditionalProperties != nil && s.Properties == nil {
			nullable(s.AdditionalProperties)
		}
	}
	nullable(s)
}

// nullable lets a value be null as well.
func nullable(s *jsonschema.Schema) {
	value := *s
	*s = jsonschema.Schema{Description: value.Description}
	value.Description = ""
	s.AnyOf = []*jsonschema.Schema{&value, {Type: "null"}}
}

// exactlyOne demands one of the keys of a mapping, which has no others.
func exactlyOne(s *jsonschema.Schema) {
	for key := s.Properties.Oldest(); key != nil; key = key.Next() {
		s.OneOf = append(s.OneOf, &jsonschema.Schema{Required: []string{key.Key}})
	}
}

// parts is a list of topologies.
func parts(s *jsonschema.Schema) {
	notEmpty(s)
	s.Items = &jsonschema.Schema{Ref: "#/$defs/topology"}
}

// lists is a mapping of any paths to lists of values.
func lists(s *jsonschema.Schema) {
	s.Type, s.MinProperties = "object", new(uint64(1))
	s.AdditionalProperties = &jsonschema.Schema{Type: "array", MinItems: new(uint64(1)), MaxItems: new(uint64(mostArms))}
}

// arms are listed ones: one that sets nothing needs a name.
func arms(s *jsonschema.Schema) {
	s.MinItems, s.MaxItems = new(uint64(1)), new(uint64(mostArms))
	set := jsonschema.NewProperties()
	set.Set("set", &jsonschema.Schema{MinProperties: new(uint64(1))})
	s.Items.AnyOf = []*jsonschema.Schema{{Required: []string{"name"}}, {Properties: set}}
}
