package loading

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"starling/scenarios/document"
	"starling/scenarios/limits"
	"starling/scenarios/study"
)

// onlyArm names the arm of a scenario without a sweep.
const onlyArm = "base"

// sweepFile is the sweep of a scenario: a grid, a zip, or a list of arms. For the paths
// a: [1, 2] and b: [3, 4] the arms are
//
//	grid   a=1,b=3   a=1,b=4   a=2,b=3   a=2,b=4
//	zip    a=1,b=3   a=2,b=4
//
// and a list has the arms that it writes out. A list beside a grid or a zip has each of its arms
// with each of theirs: an arm x of a list and an arm a=1 make the arm x,a=1.
type sweepFile struct {
	Grid *document.Node `yaml:"grid" doc:"maps paths, such as mechanism.epsilon, or the role epsilon, to lists of values; the arms are all combinations, the last path varying fastest"`
	Zip  *document.Node `yaml:"zip" doc:"maps paths to lists of values, all of one length; the arms take the first of each, the second of each, and so on"`
	// Conditions are of the views alone; see study.Emphasis.
	Conditions []string    `yaml:"conditions" min:"1" max:"100" says:"%v keys" range:"keys that arms set, such as adversaries.kind" doc:"swept keys that are conditions, under which the choices of the other keys compare: the finding has a column for each of their values, and marks the best within each; absent, keys of the adversaries, the network, the problem and epsilon are conditions"`
	List       []listedArm `yaml:"list" min:"1" max:"1000" says:"%v arms" doc:"the arms one by one; beside a grid or a zip each of them with each of theirs; absent, grid or zip has them"`
	Algorithms []listedArm `yaml:"algorithms" min:"1" max:"1000" says:"%v arms" doc:"another name of list, for arms that are algorithms; absent, list has the arms"`
}

// epsilonRole is the key of a sweep that stands for the epsilon of each arm, one of the other two.
const (
	epsilonRole    = "epsilon"
	matchedEpsilon = "match.epsilon"
	ownEpsilon     = "mechanism.epsilon"
)

// pathOf returns the path of a key of a sweep in an arm: of epsilonRole the epsilon to which noise is
// calibrated, where the arm has a section match, and else the epsilon of its mechanism.
func pathOf(doc *document.Document, key string) string {
	if key != epsilonRole {
		return key
	}
	if match, ok := doc.Find("match"); ok && match.Kind() == document.Mapping {
		return matchedEpsilon
	}
	return ownEpsilon
}

// isEpsilon reports whether a key of a sweep may be the path that epsilonRole stands for.
func isEpsilon(key string) bool { return samePath(key, matchedEpsilon) || samePath(key, ownEpsilon) }

// listedArm is an arm that is written out.
type listedArm struct {
	Name string         `yaml:"name" range:"any text" doc:"name of the arm; absent, the values that it sets"`
	Set  *document.Node `yaml:"set,required" doc:"maps paths, such as mechanism.epsilon, to the values they take in this arm"`
}

// Spread returns the arms of a document, in the order of the sweep: each a document of
// its own, with the values of the arm in place. A document without a sweep is one arm.
// Errors are document.Issues, or one that the sweep resolves to its place in the file.
func Spread(doc *document.Document, sweep *document.Node) ([]study.Variant, error) {
	if sweep == nil || sweep.Kind() == document.Null {
		return []study.Variant{{Name: onlyArm, Document: doc}}, nil
	}
	if issues := withoutForm(sweep); len(issues) > 0 {
		return nil, issues
	}
	var s sweepFile
	if err := document.Decode(sweep, &s); err != nil {
		return nil, err
	}
	variants, err := s.spread(doc, sweep)
	if err != nil {
		return nil, err
	}
	return variants, errors.Join(checkArms(variants), checkConditions(s.Conditions, variants))
}

// withoutForm refuses paths with lists of values that stand in a sweep itself, in place of its grid.
func withoutForm(sweep *document.Node) (issues document.Issues) {
	if sweep.Kind() != document.Mapping {
		return nil
	}
	forms := []string{"grid", "zip", study.ConditionsKey, "list", "algorithms"}
	for key, values := range sweep.Entries() {
		_, near := document.Nearest(key, forms)
		if values.Kind() != document.Sequence || slices.Contains(forms, key) || near && !strings.Contains(key, ".") {
			continue
		}
		text := strings.ReplaceAll(values.Text(), ",", ", ")
		if len(text) > mostQuoted {
			text = "[...]"
		}
		issues = append(issues, document.Issue{
			Position: values.KeyPosition(), Path: values.Path(), Fault: document.UnknownKey,
			Message: fmt.Sprintf("a sweep has its keys in a form, such as grid: {%s: %s}", key, text),
		})
	}
	return issues
}

// mostQuoted is the length of a list of values that an error writes out.
const mostQuoted = 40

// checkConditions refuses conditions that no arm sets, and one that is listed twice.
func checkConditions(conditions []string, variants []study.Variant) error {
	var swept []string
	for _, v := range variants {
		for _, a := range v.Assigned {
			if !slices.Contains(swept, a.Path) {
				swept = append(swept, a.Path)
			}
		}
	}
	sets := func(key string) bool {
		return slices.ContainsFunc(swept, func(path string) bool { return path == key || below(key, path) })
	}
	var errs []error
	for i, key := range conditions {
		at := fmt.Sprintf("sweep.%s[%d]", study.ConditionsKey, i)
		switch {
		case key == "": // it could not be decoded
		case !sets(key):
			errs = append(errs, document.At(at, "no arm sets %q%s", key, document.Suggest(key, swept, "swept:")))
		case slices.Contains(conditions[:i], key):
			errs = append(errs, document.At(at, "%s is listed twice", key))
		}
	}
	return errors.Join(errs...)
}

// plannedArm is an arm before its values are set. Its name stands for the first named assignments; the
// others add the last element of each path and its value, as the file writes it: mechanism.epsilon=1
// adds epsilon=1.
type plannedArm struct {
	name        string
	named       int
	assignments []study.Assignment
	place       *document.Node
}

// spread expands the forms that are given: a list with a grid or a zip, or one of them.
func (s *sweepFile) spread(doc *document.Document, sweep *document.Node) ([]study.Variant, error) {
	if s.List != nil && s.Algorithms != nil {
		return nil, document.Issues{sweep.Issuef("algorithms is another name of list; give one of them")}
	}
	if s.Algorithms != nil {
		s.List = s.Algorithms
	}
	if s.Grid != nil && s.Zip != nil || s.Grid == nil && s.Zip == nil && s.List == nil {
		return nil, document.Issues{sweep.Issuef("a sweep has a grid, a zip or a list, or a list with one of the others")}
	}
	planned := []plannedArm{{}}
	var issues document.Issues
	if s.List != nil {
		var err error
		planned, err = plannedOf(doc, s.List)
		issues = append(issues, doc.Resolve("", err)...)
	}
	for _, form := range []struct {
		lists  *document.Node
		name   string
		extend func(arms [][]study.Assignment, path string, values *document.Node) ([][]study.Assignment, error)
	}{{s.Grid, "grid", combine}, {s.Zip, "zip", align}} {
		if form.lists == nil {
			continue
		}
		arms, err := spreadLists(form.lists, form.name, form.extend)
		issues = append(issues, doc.Resolve("", err)...)
		if n := len(arms) * len(planned); n > limits.Arms {
			issues = append(issues, form.lists.Issuef("%d arms with the arms of the list; want at most %d", n, limits.Arms))
		}
		if len(issues) == 0 {
			planned = product(planned, arms)
		}
	}
	if len(issues) > 0 {
		return nil, issues
	}
	var variants []study.Variant
	for _, arm := range planned {
		v, err := newVariant(doc, arm)
		issues = append(issues, doc.Resolve("", err)...)
		variants = append(variants, v)
	}
	return variants, issues.Err()
}

// product returns each arm of a list with the assignments of each other arm, which vary fastest.
func product(list []plannedArm, others [][]study.Assignment) (arms []plannedArm) {
	for _, first := range list {
		for _, assignments := range others {
			arm := first
			arm.place, arm.assignments = assignments[len(assignments)-1].Value, slices.Concat(first.assignments, assignments)
			arms = append(arms, arm)
		}
	}
	return arms
}

// checkArms refuses a sweep without arms, and two arms of one name: the name distinguishes
// their results.
func checkArms(variants []study.Variant) error {
	var issues document.Issues
	seen := map[string]bool{}
	for _, v := range variants {
		if seen[v.Name] {
			issues = append(issues, v.Place.Issuef("two arms are called %q", v.Name))
		}
		seen[v.Name] = true
	}
	return issues.Err()
}

// spreadLists returns the assignments of the arms that a mapping of paths to lists of values
// describes. The argument what is grid or zip, for errors. extend takes the assignments of all arms
// over the paths so far and adds a path with its values: combine for a grid, align for a zip.
func spreadLists(lists *document.Node, what string, extend func(arms [][]study.Assignment, path string, values *document.Node) ([][]study.Assignment, error)) (arms [][]study.Assignment, err error) {
	if lists.Kind() != document.Mapping || lists.Len() == 0 {
		return nil, document.Issues{lists.Issuef("a %s maps paths to lists of values", what)}
	}
	if issues := badPaths(lists); len(issues) > 0 {
		return nil, issues
	}
	for path, values := range lists.Entries() {
		if values.Kind() != document.Sequence || values.Len() == 0 {
			return nil, document.Issues{values.Issuef("want a list of values for %s", path)}
		}
		if arms, err = extend(arms, path, values); err != nil {
			return nil, err
		}
	}
	return arms, nil
}

// combine extends every arm by every value, the new path varying fastest. The number of
// arms is checked before they are made: a grid of ten paths may have millions.
func combine(arms [][]study.Assignment, path string, values *document.Node) ([][]study.Assignment, error) {
	if arms == nil {
		arms = [][]study.Assignment{nil}
	}
	if n := len(arms) * values.Len(); n > limits.Arms {
		return nil, document.Issues{values.Issuef("%d arms or more; want at most %d", n, limits.Arms)}
	}
	var next [][]study.Assignment
	for _, before := range arms {
		for _, value := range values.Items() {
			// The capacity is cut so that each arm gets a copy: two arms must not share
			// the memory after before.
			next = append(next, append(before[:len(before):len(before)], study.Assignment{Path: path, Value: value}))
		}
	}
	return next, nil
}

// align extends each arm by the value of the same place. All lists have one length.
func align(arms [][]study.Assignment, path string, values *document.Node) ([][]study.Assignment, error) {
	n := values.Len()
	if n > limits.Arms {
		return nil, document.Issues{values.Issuef("%d arms; want at most %d", n, limits.Arms)}
	}
	if arms == nil {
		arms = make([][]study.Assignment, n)
	}
	if n != len(arms) {
		return nil, document.Issues{values.Issuef("%d values for %s, and %d for the path before it; a zip has as many for each", n, path, len(arms))}
	}
	for i, value := range values.Items() {
		arms[i] = append(arms[i], study.Assignment{Path: path, Value: value})
	}
	return arms, nil
}

// plannedOf returns the arms of a list, each with its own values.
func plannedOf(doc *document.Document, list []listedArm) (arms []plannedArm, _ error) {
	var issues document.Issues
	for _, listed := range list {
		if listed.Set.Kind() != document.Mapping {
			issues = append(issues, listed.Set.Issuef("want a mapping of paths to values"))
			continue
		}
		if bad := append(badPaths(listed.Set), badName(doc, listed)...); len(bad) > 0 {
			issues = append(issues, bad...)
			continue
		}
		arm := plannedArm{name: listed.Name, place: listed.Set}
		for path, value := range listed.Set.Entries() {
			arm.assignments = append(arm.assignments, study.Assignment{Path: path, Value: value})
		}
		if arm.name == "" && len(arm.assignments) == 0 {
			issues = append(issues, listed.Set.Issuef("an arm that sets nothing needs a name"))
			continue
		}
		if arm.name != "" {
			arm.named = len(arm.assignments)
		}
		arms = append(arms, arm)
	}
	return arms, issues.Err()
}

// fixedPaths are the keys that all arms of a scenario share: they belong to the run as a
// whole, such as its seeds, which pair the arms, and its figures.
var fixedPaths = []string{"version", "name", "extends", "description", "paper", "seeds", "sweep", "tune", "tuned", "plots", "checkpoint", study.HeadlinePath}

// newVariant sets an arm's values one after the other, and returns the arm. doc is not changed.
func newVariant(doc *document.Document, arm plannedArm) (study.Variant, error) {
	v := study.Variant{Place: arm.place, Document: doc}
	if n := len(arm.assignments); n > limits.Swept {
		return v, document.Issues{arm.place.Issuef("an arm sets %d values; want at most %d", n, limits.Swept)}
	}
	var names, overrides []string
	if arm.name != "" {
		names = append(names, arm.name)
	}
	assignments := slices.Clone(arm.assignments)
	for k, a := range assignments {
		a.Path = pathOf(v.Document, a.Path)
		assignments[k] = a
		changed, err := v.Document.With(a.Path, a.Value)
		if err != nil {
			return v, badPath(a, err)
		}
		// The canonical path: a[-1] and a[2] may be the same place.
		node, _ := changed.Find(a.Path)
		path := node.Path()
		for _, fixed := range fixedPaths {
			if below(path, fixed) {
				return v, document.Issues{a.Value.Issuef("%s is the same for all arms and cannot be swept", fixed)}
			}
		}
		v.Document = changed
		v.Assigned = append(v.Assigned, study.Assignment{Path: path, Value: a.Value})
		if k >= arm.named {
			names = append(names, fmt.Sprintf("%s=%s", document.Short(path), a.Value.Text()))
		}
		overrides = append(overrides, fmt.Sprintf("%s=%s", path, a.Value.Text()))
	}
	v.Name = strings.Join(names, ",")
	v.Overrides = strings.Join(overrides, ",")
	return v, v.Undone(assignments)
}

// badPaths returns issues for the keys of a mapping that are no paths, each at its position.
func badPaths(set *document.Node) (issues document.Issues) {
	for path, value := range set.Entries() {
		if _, err := document.Canonical(path); err != nil {
			issues = append(issues, document.Issue{Position: value.KeyPosition(), Path: value.Path(), Message: fmt.Sprintf("sweep of %q: %v", path, err)})
		}
	}
	return issues
}

// badName refuses a name of an arm with invisible characters, which would look like another.
func badName(doc *document.Document, arm listedArm) document.Issues {
	at := arm.Set
	if node, ok := doc.Find(strings.TrimSuffix(at.Path(), "set") + "name"); ok {
		at = node
	}
	hidden := strings.IndexFunc(arm.Name, func(r rune) bool { return !unicode.IsPrint(r) })
	switch {
	case hidden >= 0:
		r, _ := utf8.DecodeRuneInString(arm.Name[hidden:])
		return document.Issues{at.Issuef("the name of an arm has %U, which nobody sees", r)}
	case arm.Name != strings.TrimSpace(arm.Name):
		return document.Issues{at.Issuef("the name of an arm begins or ends with a blank, which nobody sees")}
	}
	return nil
}

// badPath gives an error about a swept path the position of the value for that path.
func badPath(a study.Assignment, err error) error {
	var issues document.Issues
	if errors.As(err, &issues) && len(issues) > 0 {
		return document.Issues{a.Value.Issuef("sweep of %s: %s", a.Path, issues[0].Message)}
	}
	return document.Issues{a.Value.Issuef("sweep of %s: %v", a.Path, err)}
}
