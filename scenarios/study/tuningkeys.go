package study

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
	"starling/scenarios/document"
	"starling/scenarios/kind"
)

// tuneKey is a key of the section: its values by a list, or by a law.
type tuneKey struct {
	name  string // a role or a path, as it is written
	place string // the path of its values in the file
	// values are in YAML: of a grid, or of a law that draws one of a list.
	values []string
	// low and high bound the law of a number, which has no values; log means that its logarithm
	// is uniform.
	low, high float64
	log       bool
}

// purposeTrials keys the values of trials: by key, then by trial.
var purposeTrials = rng.PurposeOf("tune.trials")

// draw returns the value of a trial.
func (k *tuneKey) draw(seed uint64, index, trial int) string {
	u := rng.NewKey(seed, purposeTrials).Uniform(index, trial, 0)
	switch {
	case k.values != nil:
		return k.values[min(int(u*float64(len(k.values))), len(k.values)-1)]
	case k.log:
		low := portable.Log(k.low)
		return tuneNumber(portable.Exp(low + float64(u*(portable.Log(k.high)-low))))
	}
	return tuneNumber(k.low + float64(u*(k.high-k.low)))
}

// tuneNumber writes a number that is drawn, to six digits.
func tuneNumber(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// tuneLaw is the section of a law of numbers.
type tuneLaw struct {
	LogUniform []float64 `yaml:"log-uniform" unit:"of the key" range:"two numbers above 0" doc:"bounds of a number whose logarithm is uniform"`
	Uniform    []float64 `yaml:"uniform" unit:"of the key" range:"two numbers" doc:"bounds of a number that is uniform"`
}

// tuneKeys reads a mapping of keys: to lists of values alone, of a grid, or to laws too.
func tuneKeys(lists *document.Node, laws bool) (keys []tuneKey, err error) {
	if lists.Kind() != document.Mapping || lists.Len() == 0 {
		return nil, document.At(lists.Path(), "want keys, each with its values")
	}
	for name, values := range lists.Entries() {
		k := tuneKey{name: name, place: values.Path()}
		switch {
		case values.Kind() == document.Sequence && values.Len() > 0:
			for _, value := range values.Items() {
				k.values = append(k.values, value.Flow())
			}
			if unique := slices.Compact(slices.Sorted(slices.Values(k.values))); len(unique) < len(k.values) {
				return nil, document.At(k.place, "a value of %s stands there twice", name)
			}
		case laws && values.Kind() == document.Mapping:
			if err := k.read(values); err != nil {
				return nil, err
			}
		case laws:
			return nil, document.At(k.place, "want a list of values for %s, or a law such as {log-uniform: [0.01, 1]}", name)
		default:
			return nil, document.At(k.place, "want a list of values for %s", name)
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// readTrials reads a law of numbers.
func (k *tuneKey) read(section *document.Node) error {
	var l tuneLaw
	if err := document.Decode(section, &l); err != nil {
		return err
	}
	bounds := l.Uniform
	if k.log = l.LogUniform != nil; k.log {
		bounds = l.LogUniform
	}
	if (l.Uniform == nil) == (l.LogUniform == nil) || len(bounds) != 2 || !(bounds[0] < bounds[1]) || math.IsInf(bounds[1]-bounds[0], 0) || k.log && !(bounds[0] > 0) {
		return document.At(k.place, "want {log-uniform: [low, high]} with 0 < low < high, or {uniform: [low, high]} with low < high")
	}
	k.low, k.high = bounds[0], bounds[1]
	return nil
}

// tunePath returns the path of a key in an arm. A name without a point, which is no key of the file,
// is a role.
func tunePath(kinds *kind.Catalog, doc *document.Document, name string) (string, error) {
	if strings.ContainsAny(name, ".[") {
		return document.Canonical(name)
	}
	if _, known := doc.Find(name); known && name != "algorithm" {
		return name, nil
	}
	section, _ := doc.Find("algorithm")
	named, err := kind.NameOf(section)
	if err != nil {
		return "", err
	}
	for _, k := range kinds.Algorithms {
		if k.Kind != named {
			continue
		}
		roles := tuneRoles(reflect.TypeOf(k.Section), "algorithm")
		for _, r := range roles {
			if r.role == name {
				return r.path, nil
			}
		}
		return "", fmt.Errorf("the algorithm %s has no key of the role %s%s", named, name, listedRoles(name, roles))
	}
	return "", fmt.Errorf("the algorithm %s is not known", named)
}

// The reasons why trials with other values of a key do not compare.
const (
	otherPrivacy = "less privacy learns better, so that trials at different privacy do not compare; a sweep has an arm for each"
	otherRows    = "trials that are judged by different rows do not compare; a sweep has an arm for each"
	noPart       = "it is no part of the algorithm, the problem or the noise"
)

// untunable returns the reason why trials with other values at a path do not compare; empty where
// they do.
func untunable(path string) string {
	for _, keys := range []struct {
		reason string
		paths  []string
	}{
		{otherPrivacy, []string{"match", "budget", "mechanism.epsilon", "mechanism.sigma", "mechanism.sigmas", "mechanism.delta", "mechanism.groups", "mechanism.over_time"}},
		{otherRows, []string{"problem.file", "problem.label", "problem.test", "problem.validation", "problem.validation_samples", "problem.data", "problem.train"}},
		{noPart, []string{"version", "name", "seeds", "sweep", "tune", "tuned", "measure", "plots", "checkpoint"}},
	} {
		for _, of := range keys.paths {
			if below, ok := strings.CutPrefix(path, of); ok && (below == "" || below[0] == '.' || below[0] == '[') {
				return keys.reason
			}
		}
	}
	return ""
}

// tuneRole is the path of a key with a role.
type tuneRole struct{ role, path string }

// tuneRoles returns the keys of a section that have a role, by the tags of its struct.
func tuneRoles(section reflect.Type, path string) (list []tuneRole) {
	for section.Kind() == reflect.Pointer {
		section = section.Elem()
	}
	if section.Kind() != reflect.Struct {
		return nil
	}
	for field := range section.Fields() {
		name, way, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		at := path + "." + name
		if way == "inline" {
			at = path
		}
		if tag := field.Tag.Get("role"); tag != "" {
			list = append(list, tuneRole{tag, at})
		} else if name != "" && name != "-" || way == "inline" {
			list = append(list, tuneRoles(field.Type, at)...)
		}
	}
	return list
}

// listedRoles is the end of a message about an unknown role: the role, or the last part of its path, that is nearest
// to the word, and else all roles.
func listedRoles(word string, roles []tuneRole) string {
	if len(roles) == 0 {
		return "; write the path of a key, such as algorithm.step"
	}
	var names, words []string
	for _, r := range roles {
		names = append(names, r.role+", which is "+r.path)
		words = append(words, r.role, r.path[strings.LastIndexByte(r.path, '.')+1:])
	}
	if near, ok := document.Nearest(word, words); ok {
		return "; did you mean " + names[slices.Index(words, near)/2] + "?"
	}
	return "; it has " + strings.Join(names, ", and ") + ". Other keys have paths, such as algorithm.step"
}

// SettingsOf returns values of the keys, in their order, as settings of an arm of the scenario, by the paths that the keys
// have in it.
func (p *TuningPlan) SettingsOf(arm int, values []string) (list []Setting) {
	for i, value := range values {
		list = append(list, Setting{Path: p.paths[arm][i], Text: value})
	}
	return list
}
