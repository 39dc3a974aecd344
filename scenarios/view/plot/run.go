package plot

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// Run is a run as figures show it: its arms, and the statistics of its metrics over the seeds.
// Read reads one from a results folder, and Recorded makes one of a run that has just ended.
type Run struct {
	// Scenario names the run in titles. Label tells it from other runs of the same scenario.
	Scenario, Label string
	Arms            []results.ArmEntry
	// Of are the neighbouring relations for which the epsilons of the arms hold.
	Of accounts.Relations
	// Units are the extents of the protected units by arm; nil is none.
	Units map[string]string
	// Rows are the rows of the summary by metric, with ascending steps for each arm.
	Rows map[string][]results.SummaryRow
	// Nodes are statistics of metrics of nodes, which summaries leave out; nil is none.
	Nodes *NodeStatistics
	// Source is the folder of a finished run; nil for others.
	Source *results.Run
	// Facts are for captions; without them there are none.
	Facts *Facts
	// Halves are intervals of statistics over all seeds; nil has Student's t with a linearised error.
	Halves Halves
	// Marks are the marks of the headline metric; nil is none.
	Marks *Marks
	// Emphasis is the headline and the conditions that the study states.
	Emphasis study.Emphasis
	// Asked are the figures that the study asks for.
	Asked []study.PlotSection
	// Base is the file of the study, of which arms have the values that they do not set; nil is none.
	Base *document.Document
}

// Marks are the results of tests between arms on a metric, as tables of last values have them.
type Marks struct {
	Metric string
	// Of has the mark of an arm, * for the best of those that compare and ~ for arms that are not
	// told from it. Text explains the marks.
	Of   map[string]string
	Text string
}

// Stated returns the headline, the conditions and the figures that the scenario of a finished run
// states. A scenario in another version of the format states none.
func Stated(run *results.Run) (e study.Emphasis, figures []study.PlotSection, err error) {
	doc, err := fileOf(run)
	if err != nil {
		return e, nil, err
	}
	e, figures = StatedIn(doc)
	return e, figures, nil
}

// fileOf returns the scenario of a finished run.
func fileOf(run *results.Run) (*document.Document, error) {
	text, err := run.Scenario()
	if err != nil {
		return nil, err
	}
	doc, err := document.Parse(results.ScenarioFile, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", run.Dir, err)
	}
	return doc, nil
}

// StatedIn is Stated of a scenario.
func StatedIn(doc *document.Document) (e study.Emphasis, figures []study.PlotSection) {
	f, issues := study.DecodeFile(doc)
	if issues.Err() != nil {
		return e, nil
	}
	return f.Emphasis(), f.Plots
}

// Read reads the summary of a finished run. A metric for which wanted returns false is in Rows
// without a row; nil wants all.
func Read(run *results.Run, wanted func(metric string) bool) (Run, error) {
	r := Run{
		Scenario: run.Manifest.Scenario, Label: fmt.Sprintf("%s %s", run.Manifest.Scenario, run.ShortHash()),
		Arms: run.Manifest.Arms, Of: accounts.RelationsOf(run.Manifest.Ledger), Units: accounts.UnitsOf(run.Manifest.Ledger), Rows: map[string][]results.SummaryRow{}, Source: run,
	}
	var err error
	if r.Base, err = fileOf(run); err != nil {
		return r, err
	}
	r.Emphasis, r.Asked = StatedIn(r.Base)
	err = run.Summary(func(row results.SummaryRow) error {
		if wanted == nil || wanted(row.Metric) {
			r.Rows[row.Metric] = append(r.Rows[row.Metric], row)
		} else if r.Rows[row.Metric] == nil {
			r.Rows[row.Metric] = []results.SummaryRow{}
		}
		return nil
	})
	r.Of = withLoss(r.Of, r.Rows)
	return r, err
}

// withLoss returns the relations without arms of infinite loss, which no figure shows, where
// the others have one relation; else all.
func withLoss(of accounts.Relations, rows map[string][]results.SummaryRow) accounts.Relations {
	kept, last, known := accounts.Relations{}, lastRows(rows[ledger.EpsilonTotal]), map[string]bool{}
	for arm, relation := range of {
		if !math.IsInf(last[arm].Mean, 1) {
			kept[arm], known[relation] = relation, true
		}
	}
	if len(known) != 1 {
		return of
	}
	return kept
}

// Recorded returns the run of a scenario that has recorded a summary, and perhaps statistics
// of nodes.
func Recorded(s *study.Scenario, arms []results.ArmEntry, summary []results.SummaryRow, nodes *NodeStatistics) *Run {
	rows, entries := byMetric(summary), accounts.LedgerEntries(s)
	return &Run{Scenario: s.Name, Arms: arms, Of: withLoss(accounts.RelationsOf(entries), rows), Units: accounts.UnitsOf(entries), Rows: rows, Nodes: nodes, Emphasis: s.Emphasis, Asked: s.Plots, Base: s.Document}
}

// byMetric returns the rows of each metric, in their order.
func byMetric(summary []results.SummaryRow) map[string][]results.SummaryRow {
	rows := map[string][]results.SummaryRow{}
	for _, row := range summary {
		rows[row.Metric] = append(rows[row.Metric], row)
	}
	return rows
}

// Metrics returns the names of the recorded metrics, sorted.
func (r *Run) Metrics() []string { return slices.Sorted(maps.Keys(r.Rows)) }

// complete checks that a finished run has the metrics of a figure, and reads metrics of nodes.
// For a metric that the run does not have, the error names the nearest that it has.
func (r *Run) complete(o *study.PlotOptions) error {
	if o.OfNodes() {
		wanted := []string{o.Metric}
		if o.Dotted() {
			wanted = append(wanted, o.X)
		}
		if err := r.readNodes(wanted...); err != nil {
			return err
		}
		for _, name := range wanted {
			if !slices.ContainsFunc(r.Nodes.list, func(s nodeStatistic) bool { return s.metric == name }) {
				return document.BadInput(fmt.Errorf("%s: no metric %q of nodes", r.Source.Dir, name))
			}
		}
		return nil
	}
	// X may be a swept key or the step, which no summary has.
	for _, name := range []string{o.Metric, o.X} {
		if _, isMetric := o.Known.Find(name); (name == o.Metric || isMetric) && r.Rows[name] == nil {
			return document.BadInput(r.lacks(name, o.Known))
		}
	}
	return nil
}

// readNodes reads metrics of nodes, in one pass over the rows of all seeds.
func (r *Run) readNodes(metrics ...string) error {
	r.Nodes = NewNodeStatistics(metrics...)
	return r.Source.Rows(func(row results.Row) error { r.Nodes.Add(row); return nil })
}

// lacks is the error for a metric that cannot be plotted: it is a metric of nodes, or
// misspelled.
func (r *Run) lacks(name string, known metric.List) error {
	if m, ok := known.Find(name); ok && m.Level == metric.OfNode {
		return fmt.Errorf("%s is a metric of nodes; it needs by: %s", name, study.EachNode)
	}
	recorded := r.Metrics()
	return fmt.Errorf("%s: no metric %q in the summary%s\nknown: %s", r.Source.Dir, name, document.SuggestDotted(name, recorded, ""), strings.Join(recorded, ", "))
}

// noNode stands for the whole run in place of a node, of which no number is negative.
const noNode int32 = -1

// part has the rows of an arm, or of one of its nodes, on the two axes of a figure. x is empty
// where the x axis is no metric.
type part struct {
	node int32
	y, x []results.SummaryRow
}

// shown returns the rows of the metric of a figure.
func (r *Run) shown(o *study.PlotOptions) (rows []results.SummaryRow) {
	if !o.OfNodes() {
		return r.Rows[o.Metric]
	}
	for _, row := range r.Nodes.rows() {
		if row.Metric == o.Metric {
			rows = append(rows, row.SummaryRow)
		}
	}
	return rows
}

// parts returns the parts of each arm, nodes in ascending order. It makes one pass: many arms
// have many rows.
func (r *Run) parts(o *study.PlotOptions) map[string][]part {
	parts := map[string][]part{}
	if !o.OfNodes() {
		across := byArm(r.Rows[o.X])
		for arm, rows := range byArm(r.Rows[o.Metric]) {
			parts[arm] = []part{{noNode, rows, across[arm]}}
		}
		return parts
	}
	type key struct {
		arm  string
		node int32
	}
	index := map[key]int{} // place in the list of the arm
	for _, row := range r.Nodes.rows() {
		i, ok := index[key{row.Arm, row.node}]
		if !ok {
			i = len(parts[row.Arm])
			index[key{row.Arm, row.node}] = i
			parts[row.Arm] = append(parts[row.Arm], part{node: row.node})
		}
		p := &parts[row.Arm][i]
		if row.Metric == o.Metric {
			p.y = append(p.y, row.SummaryRow)
		}
		if row.Metric == o.X {
			p.x = append(p.x, row.SummaryRow)
		}
	}
	for _, list := range parts {
		slices.SortFunc(list, func(a, b part) int { return cmp.Compare(a.node, b.node) })
	}
	return parts
}

// byArm returns the rows of each arm, in their order.
func byArm(all []results.SummaryRow) map[string][]results.SummaryRow {
	rows := map[string][]results.SummaryRow{}
	for _, row := range all {
		rows[row.Arm] = append(rows[row.Arm], row)
	}
	return rows
}
