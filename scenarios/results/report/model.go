// Package report writes the results of runs as one HTML page that needs nothing else: no
// network, no other file, no installed program but a browser. Its figures can be zoomed,
// their curves hidden one by one, and it prints well. Equal pages give equal bytes.
//
//	Page --newView--> charts and movies as JSON      data.go, movie.go
//	                  graphs as SVG                  graph.go
//	                  scenario as coloured YAML      highlight.go
//	     --Write----> one template                   write.go, assets/
//
// The page's own policy forbids it to load anything, and to run any script but the three that
// are in it, by their hash. Its figures are drawn, and its look is set, by package report,
// which the local page uses, too.
//
// The package knows the parts of a page and not the source of their content: its caller knows
// the meaning of a metric (package view).
package report

import (
	"errors"
	"fmt"
	"slices"

	"starling/scenarios/results"
	"starling/scenarios/results/diagram"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/tabular"
)

// Page is the whole report.
type Page struct {
	// Title is also the title of the browser's window.
	Title string
	// Runs has at least one; each is a section.
	Runs []Run
	// Summary has the last values of all arms of several runs, under a heading, and Shared overlays the metrics that
	// several runs have in common; both are empty for one run.
	Heading string
	Summary tabular.Table
	Shared  Figures
	// Starling is the version of the program that writes the page.
	Starling string
}

// Validate reports a page without runs, or a figure with slices of different lengths.
func (p *Page) Validate() error {
	if len(p.Runs) == 0 {
		return errors.New("report: no runs")
	}
	if err := p.Shared.validate(); err != nil {
		return err
	}
	for i := range p.Runs {
		run := &p.Runs[i]
		for _, figures := range []Figures{run.Figures, run.Ledger.Figures} {
			if err := figures.validate(); err != nil {
				return fmt.Errorf("report: %s: %w", run.Name, err)
			}
		}
	}
	return nil
}

// Run is the section of one run.
type Run struct {
	// Name is the name of the scenario.
	Name string
	// Hash tells runs of one scenario apart.
	Hash        string
	Description string
	// Paper has facts where the scenario names the paper it is from.
	Paper []Fact
	// Facts are seeds, steps and the like.
	Facts []Fact
	// Finding is the answer of the run; nil where it has none.
	Finding *Finding
	// Warnings stand before all other numbers. MoreWarnings states how many warnings they summarise;
	// empty where each stands for itself.
	Warnings     []string
	MoreWarnings string
	// Last has the last values, one metric a row, some arms each. The page folds them where there is a Finding.
	Last []tabular.Table
	// More has the last values of further metrics, which the page folds; without rows there are none.
	More tabular.Table
	// Step states the step of Last where it is not the last one of each arm.
	Step string
	// Marks explains the marks in Last, and Errors its intervals; empty where there are none.
	Marks  string
	Errors string
	// Same states the metrics with one value in all arms, which Last does not have.
	Same    string
	Figures Figures
	Ledger  Ledger
	// Notes are derived quantities, such as bounds of theorems.
	Notes []tabular.Table
	// NotesText explains words in them; empty where there are none.
	NotesText string
	// Remarks are facts of the scenario and the run, a sentence or more each.
	Remarks    []string
	Topologies []Topology
	// NetworkRemark is a remark on all topologies.
	NetworkRemark string
	// NoTopology is the reason why there are no topologies.
	NoTopology string
	// Scenario is the text of scenario.yaml.
	Scenario string
	// Origin has digest and versions: the facts for comparing bits.
	Origin []Fact
	Files  []results.FileEntry
	// Commands make the run again.
	Commands []string
}

// Finding has the arms of a run by its headline metric.
type Finding struct {
	// The page begins with Question, the comparison that the study makes, and Answer, its result, a
	// sentence or two each, the most important first. The finding of a single arm has nothing else.
	Question string
	Answer   []string
	Heading  string
	Table    tabular.Table
	// Best are the cells of the table in bold, by row and column; nil is none.
	Best [][]bool
	// Shares are the darkness of the cells of a table by two keys, from 0 to 1, by row and column after the names; NaN for
	// a cell without a colour. Rows without any have no line. nil is a plain table.
	Shares [][]float64
	// Pictures are figures that show the finding, drawn as their files are.
	Pictures []figure.Figure
	// Costs has the private arms beside a table by two keys, each with the same arm without noise; without rows there are
	// none. CostsText explains it.
	Costs     tabular.Table
	CostsText string
	// Texts are sentences below the table, and Terms explain its words and marks.
	Texts, Terms []string
}

// Compares reports whether there is a finding with a table of several arms.
func (f *Finding) Compares() bool { return f != nil && len(f.Table.Rows) > 0 }

// Drawn are the pictures of a page. The table is a heat map itself where its cells have colours: a picture of the same
// cells is left out.
func (f *Finding) Drawn() []figure.Figure {
	if f.Shares == nil {
		return f.Pictures
	}
	return slices.DeleteFunc(slices.Clone(f.Pictures), func(p figure.Figure) bool { return p.Cells != nil && !p.Cells.Dots })
}

// Wide reports whether a picture has several charts beside each other, for which a page has no room beside the table.
func (f *Finding) Wide() bool {
	return slices.ContainsFunc(f.Drawn(), func(p figure.Figure) bool { return p.Cells != nil && len(p.Cells.Columns) > 1 })
}

// Fact is a name and its value.
type Fact struct{ Name, Value string }

// Figures are the figures that are always shown, and the figures that the reader selects from.
type Figures struct {
	Shown, Others []Figure
}

func (f *Figures) validate() error {
	for _, list := range [][]Figure{f.Shown, f.Others} {
		for i := range list {
			if err := list[i].Validate(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Figure is a chart with its caption.
type Figure struct {
	figure.Figure
	// Metric is its name in the summary.
	Metric  string
	Caption string
	// Hidden is the index of the first series with a curve that is hidden at first; 0 hides
	// none.
	Hidden int
}

// Ledger is the privacy that the arms claim, and the privacy that was accounted.
type Ledger struct {
	// Matrix has the losses to all observers, with Claims and MatrixTexts below it.
	Matrix      tabular.Table
	Claims      string
	MatrixTexts []string
	// Fold folds MatrixTexts and Remark, for many arms.
	Fold bool

	Table   tabular.Table
	Figures Figures
	Remark  string
	// Pairs are the losses between single nodes; nil where the run has not accounted for them.
	Pairs *Pairs
}

// Pairs are losses between single nodes.
type Pairs struct {
	// Maps has the losses by pair, beside boxes by distance; no map where nodes are too many.
	Maps figure.Heat
	// Spread has a row for each arm, and Hops a row for each arm and distance.
	Spread, Hops tabular.Table
}

// Topology is the network of one or more arms at some steps.
type Topology struct {
	Title string
	// Arms are the names of the arms where Title states their number; nil elsewhere.
	Arms []string
	// Remark says, for instance, that later graphs are not shown.
	Remark string
	Graphs []diagram.Graph
	// Steps are the graphs of the first steps, one for each, which a slider goes
	// through; none where the network does not change.
	Steps []diagram.Graph
}
