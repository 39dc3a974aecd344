package study

import (
	"fmt"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/results"
)

// Scenario is a scenario file that has been checked: every arm of it can run.
type Scenario struct {
	Kinds       *kind.Catalog
	Name        string
	Description string
	Paper       *results.Paper // nil where the file names none
	Seeds       Seeds
	Arms        []*Arm
	Plots       []PlotSection
	Remarks     []results.Warning    // for the results, of how the file was read
	Data        []dataset.FileDigest // what arms read besides, sorted
	Document    *document.Document   // canonical, with all it extends and all overrides
}

// CheckData refuses to go on with other data than those of a run.
func CheckData(s *Scenario, run *results.Run) error {
	for _, d := range s.Data {
		recorded := slices.ContainsFunc(run.Manifest.Notes, func(n results.Note) bool { return n.Key == dataset.DataNote && n.Value == NoteOfData(d).Value })
		if !recorded {
			return document.BadInput(fmt.Errorf("the run was made with other data than %s with sha256 %s, which is what is there now", d.Name, d.Sha256))
		}
	}
	return nil
}

// CheckGraphs looks at the graphs of the first seed of arms that a check of the
// file did not look at, unless they are so many that only the jobs should: each
// looks at its own.
func CheckGraphs(s *Scenario) error {
	checked := 0.0
	done := map[checkKey]bool{}
	for _, arm := range s.Arms {
		key := checkKey{arm.Topology, arm.File.Horizon}
		if !arm.unchecked || done[key] {
			continue
		}
		if t := arm.Topology; t.Redraws {
			if checked += limits.Product(arm.File.Horizon) * t.Drawn; checked > limits.Checked {
				return nil
			}
		}
		if _, _, err := GraphsOf(arm, s.Seeds.Base); err != nil {
			return &document.InputError{Err: err, Line: s.Document.Line}
		}
		done[key] = true
	}
	return nil
}
