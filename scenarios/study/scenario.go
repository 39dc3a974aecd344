package study

import (
	"context"
	"fmt"
	"slices"

	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/results"
)

// Scenario is a scenario file that has been checked: every arm of it can run.
type Scenario struct {
	// Kinds is the catalog that the file was read with.
	Kinds *kind.Catalog
	// Name is also that of the folder of the results.
	Name        string
	Description string
	// Paper is what the scenario is from; nil where the file names none.
	Paper *results.Paper
	// Seeds are the seeds of every arm: arms are compared seed by seed.
	Seeds Seeds
	// Arms are in the order of the sweep; there is at least one.
	Arms []*Arm
	// Plots are the figures that the file asks for; nil draws the usual ones.
	Plots []PlotSection
	// Remarks are what readers of the results are told of how the file was read.
	Remarks []results.Warning
	// Data are the files that arms read besides, with their SHA-256, sorted by name: they
	// are part of the hash of a run.
	Data []dataset.FileDigest
	// Document is canonical, with all that the file extends and all overrides in it. The
	// results folder stores it, and the hash covers it.
	Document *document.Document
	// Cache keeps what jobs share; it is that of all arms.
	Cache *cache.Cache
	// Folder has the data sets that arms have read.
	Folder *dataset.Folder
}

// CheckData refuses to go on with other data than those of a run, and with other code that a
// scenario names: what its notes have, under whatever key.
func CheckData(s *Scenario, run *results.Run) error {
	for _, d := range s.Data {
		recorded := slices.ContainsFunc(run.Manifest.Notes, func(n results.Note) bool { return n.Value == NoteOfData(d).Value })
		if !recorded {
			return document.BadInput(fmt.Errorf("the run was made with other data than %s with sha256 %s, which is what is there now", d.Name, d.Sha256))
		}
	}
	return nil
}

// CheckGraphs looks at the graphs of the first seed of arms that a check of the file did
// not look at, or not to the horizon. Of those that are drawn anew in the course of a run
// it looks at the first steps, of limits.Checked nodes and edges in all, if redrawn is
// set: a run looks at them as it comes to them. It ends between two arms, two graphs, or two
// questions about a graph once the context is done, with the error of that.
func CheckGraphs(ctx context.Context, s *Scenario, redrawn bool) error {
	left := float64(limits.Checked)
	done := map[checkKey]bool{}
	for _, arm := range s.Arms {
		key := checkKey{arm.Topology, arm.File.Horizon}
		if !arm.unchecked || done[key] || arm.Topology.Redraws && !redrawn {
			continue
		}
		done[key] = true
		steps := arm.File.Horizon
		if arm.Topology.Redraws {
			size := max(graphSize(arm), 1)
			steps = min(steps, int(left/size))
			left -= float64(size * float64(steps))
		}
		if steps == 0 {
			continue
		}
		if err := lookAt(ctx, arm, s.Seeds.Base, steps); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			return &document.InputError{Err: err, Line: s.Document.Line}
		}
	}
	return nil
}
