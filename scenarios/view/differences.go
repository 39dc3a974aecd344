package view

import (
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// Difference is a value in which two scenarios differ. The texts are the files', and "" where
// a scenario does not have the value.
type Difference struct {
	// Path is the path of the value in the scenario, such as mechanism.epsilon.
	Path string
	// First and Second are its texts in either run.
	First, Second string
	// Problem is true if the value belongs to the learning problem or its data: the runs'
	// metrics then measure different things.
	Problem bool
}

// unmeasured are the keys that no metric depends on: two scenarios that differ in them
// alone compute the same.
var unmeasured = []string{"version", "name", "description", "paper", "plots", "checkpoint", study.HeadlinePath, "sweep." + study.ConditionsKey}

// differences returns the values in which the scenarios of two runs, or arms, differ, in the
// order of the first, then those that only the second has. Last are the data sets and the
// version of the program, where they differ. The compared texts are the scenario.yaml of each
// results folder: the scenario that was run, and not the library's present one. Of arms, the
// values that the sweep sets in each are in place.
//
// A default that one file writes out and the other leaves out is a difference, of a text
// from "".
func differences(first, second Side) ([]Difference, error) {
	return spreads{}.differences(first, second)
}

// spreads are the arms of runs, each spread once.
type spreads map[*results.Run]*spread

// spread has the arms of a run; swept means that its scenario has a sweep.
type spread struct {
	doc      *document.Document
	variants map[string]*document.Document
	swept    bool
}

// differences is differences of sides of runs that may be spread already.
func (s spreads) differences(first, second Side) ([]Difference, error) {
	a, err := s.scenario(first.Run, first.Arm)
	if err != nil {
		return nil, err
	}
	b, err := s.scenario(second.Run, second.Arm)
	if err != nil {
		return nil, err
	}
	var d contrast
	d.compare("", a.Root(), b.Root())
	if first.Arm == "" {
		d.arms(first.Run.Manifest.Arms, second.Run.Manifest.Arms)
	}
	d.add("data", DataOf(&first.Run.Manifest, first.Arm), DataOf(&second.Run.Manifest, second.Arm), true)
	d.add("starling", first.Run.Manifest.Versions.Starling, second.Run.Manifest.Versions.Starling, false)
	return d, nil
}

// scenario returns the scenario of a run as it was run. For an arm, the values that the arm sets
// replace the sweep.
func (s spreads) scenario(run *results.Run, arm string) (*document.Document, error) {
	of := s[run]
	if of == nil {
		text, err := run.Scenario()
		if err != nil {
			return nil, err
		}
		doc, err := document.Parse(results.ScenarioFile, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", run.Dir, err)
		}
		of = &spread{doc: doc}
		s[run] = of
	}
	if arm == "" {
		return of.doc, nil
	}
	if err := of.spread(run); err != nil {
		return nil, err
	}
	doc, ok := of.variants[arm]
	if !ok {
		return nil, fmt.Errorf("%s: the scenario has no arm %q", run.Dir, arm)
	}
	if !of.swept {
		return doc, nil
	}
	if _, ok := doc.Find("sweep"); ok {
		return doc.Delete("sweep")
	}
	return doc, nil
}

// spread finds the arms of a run.
func (s *spread) spread(run *results.Run) error {
	if s.variants != nil {
		return nil
	}
	// A file that does not decode has another version of the format: its arms are not known.
	f, issues := study.DecodeFile(s.doc)
	if err := issues.Err(); err != nil {
		return fmt.Errorf("%s: %w", run.Dir, err)
	}
	variants, err := loading.Spread(s.doc, f.Sweep)
	if err != nil {
		return fmt.Errorf("%s: %w", run.Dir, err)
	}
	s.variants, s.swept = map[string]*document.Document{}, f.Sweep != nil
	for _, v := range variants {
		s.variants[v.Name] = v.Document
	}
	return nil
}

// DataOf names the data sets of a run by their contents, from the notes of its manifest: each
// once, in the order of the arms. If arm is not empty, it names the data sets of that arm.
func DataOf(m *results.Manifest, arm string) string {
	var list []string
	for _, note := range m.Notes {
		if note.Key == inputs.DataNote && (arm == "" || note.Arm == arm) && !slices.Contains(list, note.Value) {
			list = append(list, note.Value)
		}
	}
	return strings.Join(list, "; ")
}

// contrast collects differences, in the order in which they are found.
type contrast []Difference

// compare adds the differences at a path and below it. It goes down into mappings that
// both have, and compares anything else, a list too, as one text. A nil node is absent.
func (d *contrast) compare(path string, a, b *document.Node) {
	if slices.Contains(unmeasured, path) {
		return
	}
	if a == nil || b == nil || a.Kind() != document.Mapping || b.Kind() != document.Mapping {
		d.add(path, loading.TextOf(a), loading.TextOf(b), ofProblem(path))
		return
	}
	join := func(key string) string { return strings.TrimPrefix(path+"."+key, ".") }
	for key, value := range a.Entries() {
		other, _ := b.Get(key)
		d.compare(join(key), value, other)
	}
	for key, value := range b.Entries() {
		if _, both := a.Get(key); !both {
			d.compare(join(key), nil, value)
		}
	}
}

// arms adds the values of the problem that arms of the same name set differently. Such a
// difference is in the sweep, and so not under the path problem.
func (d *contrast) arms(first, second []results.ArmEntry) {
	for _, a := range first {
		i := slices.IndexFunc(second, func(b results.ArmEntry) bool { return b.Name == a.Name })
		if i < 0 {
			continue
		}
		for _, v := range a.Values {
			if other, ok := second[i].Value(v.Path); ok && ofProblem(v.Path) {
				d.add(v.Path+" of "+a.Name, v.Value, other, true)
			}
		}
	}
}

// ofProblem reports whether a path is in the section problem.
func ofProblem(path string) bool { return path == "problem" || strings.HasPrefix(path, "problem.") }

// add adds a difference unless the texts are equal. Numbers are compared by their value: 1e-3
// and 0.001 are no difference.
func (d *contrast) add(path, first, second string, problem bool) {
	x, isNumber := plot.AxisNumber(first)
	y, both := plot.AxisNumber(second)
	if first == second || isNumber && both && x == y {
		return
	}
	*d = append(*d, Difference{path, first, second, problem})
}
