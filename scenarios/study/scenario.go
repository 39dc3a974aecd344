package study

import (
	"fmt"
	"slices"

	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
	"starling/scenarios/metric"
)

// Scenario is a scenario file that has been checked: every arm of it can run.
type Scenario struct {
	// Kinds is the catalog that the file was read with.
	Kinds *kind.Catalog
	// Name is also the name of the results folder.
	Name        string
	Description string
	// Paper is the source of the scenario; nil if the file names none.
	Paper *metric.Paper
	// Seeds are the seeds of every arm: arms are compared seed by seed.
	Seeds Seeds
	// Arms are in the order of the sweep; there is at least one.
	Arms []*Arm
	// Variants are the documents of all arms of the sweep, also of arms that a caller has left
	// out of Arms.
	Variants []Variant
	Emphasis
	// Plots are the figures that the file asks for; nil draws the usual ones.
	Plots []PlotSection
	// Undrawn means that a run draws no figure: the file states an empty list of them.
	Undrawn bool
	// Remarks are warnings about the reading of the file, for readers of the results.
	Remarks []metric.Warning
	// Data are the files that arms read besides, with their SHA-256, sorted by name: they are
	// part of the hash of a run.
	Data []inputs.Digest
	// Document is canonical, with all that the file extends and all overrides in it. The
	// results folder stores it, and the hash covers it.
	Document *document.Document
	// Cache keeps the values that jobs share; all arms have the same.
	Cache *cache.Cache
	// Board shows the computations that jobs wait for before their first steps, such as a
	// factorization.
	Board *limits.Board
	// Folder has the data sets that arms have read.
	Folder *inputs.Folder
}

// CheckData returns an error if the data differ from the data of a run, or the code that a
// scenario names from the code of the run. notes are the notes of the run: CheckData looks for
// those on data, under any key.
func CheckData(s *Scenario, notes []metric.Note) error {
	for _, d := range s.Data {
		recorded := slices.ContainsFunc(notes, func(n metric.Note) bool { return n.Value == NoteOfData(d).Value })
		if !recorded {
			return document.BadInput(fmt.Errorf("the run was made with other data than the present file %s with sha256 %s", d.Name, d.Sha256))
		}
	}
	return nil
}
