package scenarios

import (
	"errors"
	"fmt"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results"
)

// variant is one arm of a sweep before it is built: the scenario's document
// with the arm's values in place.
type variant struct {
	name      string
	overrides string         // the arm's values, for the manifest
	assigned  []assignment   // what the arm sets, by canonical paths
	place     *document.Node // of the arm in the sweep
	document  *document.Document
}

// onlyArm names the arm of a scenario without a sweep.
const onlyArm = "base"

// sweepFile is the sweep of a scenario: a grid, a zip, or a list of arms.
type sweepFile struct {
	Grid *document.Node `yaml:"grid" doc:"maps paths, such as mechanism.epsilon, to lists of values; the arms are all combinations, the last path varying fastest"`
	Zip  *document.Node `yaml:"zip" doc:"maps paths to lists of values, all of one length; the arms take the first of each, the second of each, and so on"`
	List []listedArm    `yaml:"list" doc:"the arms one by one"`
}

type listedArm struct {
	Name string         `yaml:"name" doc:"name of the arm; absent, what it sets"`
	Set  *document.Node `yaml:"set,required" doc:"maps paths, such as mechanism.epsilon, to the values they take in this arm"`
}

// assignment is a path and the value it takes in an arm.
type assignment struct {
	path  string
	value *document.Node
}

// spread returns the arms of a document, in the order of the sweep.
func spread(doc *document.Document, sweep *document.Node) ([]variant, error) {
	if sweep == nil || sweep.Kind() == document.Null {
		return []variant{{name: onlyArm, document: doc}}, nil
	}
	var s sweepFile
	if err := document.Decode(sweep, &s); err != nil {
		return nil, err
	}
	variants, err := s.spread(doc, sweep)
	if err != nil {
		return nil, err
	}
	return variants, checkArms(sweep, variants)
}

func (s *sweepFile) spread(doc *document.Document, sweep *document.Node) ([]variant, error) {
	switch {
	case s.Grid != nil && s.Zip == nil && s.List == nil:
		return spreadLists(doc, s.Grid, "grid", combine)
	case s.Zip != nil && s.Grid == nil && s.List == nil:
		return spreadLists(doc, s.Zip, "zip", align)
	case s.List != nil && s.Grid == nil && s.Zip == nil:
		return spreadList(doc, sweep, s.List)
	}
	return nil, document.Issues{sweep.Issuef("a sweep has one of grid, zip and list")}
}

func checkArms(sweep *document.Node, variants []variant) error {
	if len(variants) == 0 {
		return document.Issues{sweep.Issuef("the sweep has no arms")}
	}
	var issues document.Issues
	seen := map[string]bool{}
	for _, v := range variants {
		if seen[v.name] {
			issues = append(issues, v.place.Issuef("two arms are called %q", v.name))
		}
		seen[v.name] = true
	}
	return issues.Err()
}

// spreadLists returns the arms that a mapping of paths to lists of values
// describes. extend takes the assignments of all arms over the paths so far and
// adds a path with its values.
func spreadLists(doc *document.Document, lists *document.Node, what string, extend func(arms [][]assignment, path string, values *document.Node) ([][]assignment, error)) ([]variant, error) {
	if lists.Kind() != document.Mapping || lists.Len() == 0 {
		return nil, document.Issues{lists.Issuef("a %s maps paths to lists of values", what)}
	}
	var arms [][]assignment
	for path, values := range lists.Entries() {
		if values.Kind() != document.Sequence || values.Len() == 0 {
			return nil, document.Issues{values.Issuef("want a list of values for %s", path)}
		}
		var err error
		if arms, err = extend(arms, path, values); err != nil {
			return nil, err
		}
	}
	var variants []variant
	var issues document.Issues
	for _, assignments := range arms {
		v, err := newVariant(doc, "", assignments, assignments[len(assignments)-1].value)
		issues = append(issues, doc.Resolve("", err)...)
		variants = append(variants, v)
	}
	return variants, issues.Err()
}

// combine extends every arm by every value.
func combine(arms [][]assignment, path string, values *document.Node) ([][]assignment, error) {
	if arms == nil {
		arms = [][]assignment{nil}
	}
	if n := len(arms) * values.Len(); n > mostArms {
		return nil, document.Issues{values.Issuef("%d arms or more; want at most %d", n, mostArms)}
	}
	var next [][]assignment
	for _, before := range arms {
		for _, value := range values.Items() {
			next = append(next, append(before[:len(before):len(before)], assignment{path, value}))
		}
	}
	return next, nil
}

// align extends each arm by the value of the same place.
func align(arms [][]assignment, path string, values *document.Node) ([][]assignment, error) {
	n := values.Len()
	if n > mostArms {
		return nil, document.Issues{values.Issuef("%d arms; want at most %d", n, mostArms)}
	}
	if arms == nil {
		arms = make([][]assignment, n)
	}
	if n != len(arms) {
		return nil, document.Issues{values.Issuef("%d values for %s, and %d for the path before it; a zip has as many for each", n, path, len(arms))}
	}
	for i, value := range values.Items() {
		arms[i] = append(arms[i], assignment{path, value})
	}
	return arms, nil
}

func spreadList(doc *document.Document, sweep *document.Node, list []listedArm) ([]variant, error) {
	if len(list) > mostArms {
		return nil, document.Issues{sweep.Issuef("%d arms; want at most %d", len(list), mostArms)}
	}
	var variants []variant
	var issues document.Issues
	for _, arm := range list {
		if arm.Set.Kind() != document.Mapping {
			issues = append(issues, arm.Set.Issuef("want a mapping of paths to values"))
			continue
		}
		var assignments []assignment
		for path, value := range arm.Set.Entries() {
			assignments = append(assignments, assignment{path, value})
		}
		if arm.Name == "" && len(assignments) == 0 {
			issues = append(issues, arm.Set.Issuef("an arm that sets nothing needs a name"))
			continue
		}
		v, err := newVariant(doc, arm.Name, assignments, arm.Set)
		issues = append(issues, doc.Resolve("", err)...)
		variants = append(variants, v)
	}
	return variants, issues.Err()
}

// fixedPaths are what all arms of a scenario share.
var fixedPaths = []string{"version", "name", "extends", "description", "paper", "seeds", "sweep", "plots", "checkpoint"}

// newVariant puts an arm's values in place. Without a name of its own an arm is
// called by the last element of each path and its value, as the file writes it.
func newVariant(doc *document.Document, name string, assignments []assignment, place *document.Node) (variant, error) {
	v := variant{name: name, place: place, document: doc}
	if len(assignments) > mostSwept {
		return v, document.Issues{place.Issuef("an arm sets %d values; want at most %d", len(assignments), mostSwept)}
	}
	var names, overrides []string
	for _, a := range assignments {
		changed, err := v.document.With(a.path, a.value)
		if err != nil {
			return v, badPath(a, err)
		}
		node, _ := changed.Find(a.path)
		path := node.Path()
		for _, fixed := range fixedPaths {
			if below(path, fixed) {
				return v, document.Issues{a.value.Issuef("%s is the same for all arms and cannot be swept", fixed)}
			}
		}
		v.document = changed
		v.assigned = append(v.assigned, assignment{path, a.value})
		last := path[strings.LastIndexByte(path, '.')+1:]
		names = append(names, fmt.Sprintf("%s=%s", last, a.value.Text()))
		overrides = append(overrides, fmt.Sprintf("%s=%s", path, a.value.Text()))
	}
	if v.name == "" {
		v.name = strings.Join(names, ",")
	}
	v.overrides = strings.Join(overrides, ",")
	return v, v.undone(assignments)
}

// values are what the arm sets, as results keep it.
func (v *variant) values() (list []results.Value) {
	for _, a := range v.assigned {
		list = append(list, results.Value{Path: a.path, Value: a.value.Text()})
	}
	return list
}

// undone refuses a value that a later one of the same arm replaces.
func (v *variant) undone(assignments []assignment) error {
	var issues document.Issues
	for _, a := range assignments {
		node, ok := v.document.Find(a.path)
		if !ok || node.Position() != a.value.Position() {
			issues = append(issues, a.value.Issuef("the arm sets %s again after this", a.path))
		}
	}
	return issues.Err()
}

// badPath places an error about a swept path at the value that was to go there.
func badPath(a assignment, err error) error {
	var issues document.Issues
	if errors.As(err, &issues) && len(issues) > 0 {
		return document.Issues{a.value.Issuef("sweep of %s: %s", a.path, issues[0].Message)}
	}
	return document.Issues{a.value.Issuef("sweep of %s: %v", a.path, err)}
}
