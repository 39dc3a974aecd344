package scenarios

import (
	"errors"
	"fmt"
	"strings"

	"starling/scenarios/document"
)

// variant is one arm of a sweep before it is built: the scenario's document
// with the arm's values in place.
type variant struct {
	name      string
	overrides string   // the arm's values, for the manifest
	paths     []string // what the arm sets
	document  *document.Document
}

// onlyArm names the arm of a scenario without a sweep.
const onlyArm = "base"

// sweepFile is the sweep of a scenario: a grid, or a list of arms.
type sweepFile struct {
	// Grid maps paths to lists of values; the arms are all combinations, the
	// last path varying fastest.
	Grid *document.Node `yaml:"grid"`
	// List gives each arm's values, and its name if it is to have another.
	List []listedArm `yaml:"list"`
}

type listedArm struct {
	Name string         `yaml:"name"`
	Set  *document.Node `yaml:"set,required"`
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
	if (s.Grid == nil) == (s.List == nil) {
		return nil, document.Issues{sweep.Issuef("a sweep has either grid or list")}
	}
	var variants []variant
	var err error
	if s.Grid != nil {
		variants, err = spreadGrid(doc, s.Grid)
	} else {
		variants, err = spreadList(doc, s.List)
	}
	if err != nil {
		return nil, err
	}
	return variants, checkArms(sweep, variants)
}

func checkArms(sweep *document.Node, variants []variant) error {
	if len(variants) == 0 {
		return document.Issues{sweep.Issuef("the sweep has no arms")}
	}
	seen := map[string]bool{}
	for _, v := range variants {
		if seen[v.name] {
			return document.Issues{sweep.Issuef("two arms are called %q", v.name)}
		}
		seen[v.name] = true
	}
	return nil
}

func spreadGrid(doc *document.Document, grid *document.Node) ([]variant, error) {
	if grid.Kind() != document.Mapping {
		return nil, document.Issues{grid.Issuef("a grid maps paths to lists of values")}
	}
	combinations := [][]assignment{nil}
	for path, values := range grid.Entries() {
		if values.Kind() != document.Sequence || values.Len() == 0 {
			return nil, document.Issues{values.Issuef("want a list of values for %s", path)}
		}
		var next [][]assignment
		for _, before := range combinations {
			for _, value := range values.Items() {
				next = append(next, append(before[:len(before):len(before)], assignment{path, value}))
			}
		}
		combinations = next
	}
	var variants []variant
	for _, assignments := range combinations {
		v, err := newVariant(doc, "", assignments)
		if err != nil {
			return nil, err
		}
		variants = append(variants, v)
	}
	return variants, nil
}

func spreadList(doc *document.Document, list []listedArm) ([]variant, error) {
	var variants []variant
	for _, arm := range list {
		if arm.Set.Kind() != document.Mapping {
			return nil, document.Issues{arm.Set.Issuef("want a mapping of paths to values")}
		}
		var assignments []assignment
		for path, value := range arm.Set.Entries() {
			assignments = append(assignments, assignment{path, value})
		}
		v, err := newVariant(doc, arm.Name, assignments)
		if err != nil {
			return nil, err
		}
		variants = append(variants, v)
	}
	return variants, nil
}

// fixedPaths are what all arms of a scenario share.
var fixedPaths = []string{"version", "name", "description", "seeds", "sweep"}

// newVariant puts an arm's values in place. Without a name of its own an arm is
// called by the last element of each path and its value, as the file writes it.
func newVariant(doc *document.Document, name string, assignments []assignment) (variant, error) {
	v := variant{name: name, document: doc}
	var names, overrides []string
	for _, a := range assignments {
		for _, fixed := range fixedPaths {
			if a.path == fixed || strings.HasPrefix(a.path, fixed+".") {
				return v, document.Issues{a.value.Issuef("%s is the same for all arms and cannot be swept", fixed)}
			}
		}
		changed, err := v.document.With(a.path, a.value)
		if err != nil {
			return v, badPath(a, err)
		}
		v.document = changed
		v.paths = append(v.paths, a.path)
		last := a.path[strings.LastIndexByte(a.path, '.')+1:]
		names = append(names, fmt.Sprintf("%s=%s", last, a.value.Text()))
		overrides = append(overrides, fmt.Sprintf("%s=%s", a.path, a.value.Text()))
	}
	if v.name == "" {
		v.name = strings.Join(names, ",")
	}
	v.overrides = strings.Join(overrides, ",")
	return v, nil
}

// badPath places an error about a swept path at the value that was to go there.
func badPath(a assignment, err error) error {
	var issues document.Issues
	if errors.As(err, &issues) && len(issues) > 0 {
		return document.Issues{a.value.Issuef("sweep of %s: %s", a.path, issues[0].Message)}
	}
	return document.Issues{a.value.Issuef("sweep of %s: %v", a.path, err)}
}
