package view

import (
	"slices"
	"strings"

	"starling/scenarios/gauge"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
	"starling/scenarios/view/plot"
)

// Run is a finished run as all faces show it: its manifest, in Source, its summary by metric,
// and the metrics that describe it.
type Run struct {
	plot.Run
	// Known are the program's metrics, and those that the run has declared.
	Known metric.List
}

// Read reads the summary of a finished run. metrics are the program's.
func Read(run *results.Run, metrics metric.List) (*Run, error) {
	known, err := results.DeclaredMetrics(metrics, run)
	if err != nil {
		return nil, err
	}
	read, err := plot.Read(run, nil)
	return &Run{read, known}, err
}

// Values are the last values of a run.
type Values struct {
	// Last are tables of last values. Marks explains the marks in them, and Errors their
	// intervals and cells without a value; both are empty where there is nothing to explain.
	Last []tabular.Table
	// Step is the step of Last, where it is not the last one of each arm; else it is empty.
	Step          string
	Marks, Errors string
	// More is the number of metrics that Last leaves out.
	More int
	// Same states the metrics with one value in all arms, which no table has, and that windows of
	// metrics are left out; empty for none.
	Same string
	// Owners are tables of the values of single participants; none if the run has none.
	Owners []tabular.Table
}

// ValuesOptions choose the last values of a run.
type ValuesOptions struct {
	// Beside means that the tables stand beside the ledger's: epsilons, and claimed and accounted
	// losses, are left out.
	Beside bool
	// PerTable is the number of arms beside each other.
	PerTable int
	// Width is the width of a terminal, for which arms are rows where that takes fewer lines; 0 is
	// for a page, where more than 8 are.
	Width int
	// First is the largest number of metrics besides the finding's, those that figures draw first;
	// 0 shows all metrics.
	First int
}

// Values returns the last values. The intervals of the finding f stand in them, too; f is nil for a
// run without one.
func (r *Run) Values(f *Finding, o ValuesOptions) (Values, error) {
	marks, err := r.marks(Ranked(r.Known))
	if err != nil {
		return Values{}, err
	}
	m := &r.Source.Manifest
	metrics := slices.DeleteFunc(r.Metrics(), gauge.IsOfOwners)
	if o.Beside {
		metrics = slices.DeleteFunc(metrics, func(name string) bool { return strings.HasPrefix(name, "epsilon.") })
	}
	v := Values{Marks: marks.text()}
	if f != nil && len(f.Rows) > 1 && marks.few != "" {
		v.Marks = "" // the finding says so
	}
	shown := WithoutWindows(metrics)
	if f != nil { // the metric of the answer first, as in the table of a paper
		if i := slices.Index(shown, f.Metric.Name); i > 0 {
			shown = slices.Insert(slices.Delete(shown, i, i+1), 0, f.Metric.Name)
		}
	}
	last := r.newLastTables(shown, marks, f)
	differing, same := last.apartFromEqual(shown)
	if v.Same = same; o.First > 0 {
		if differing, v.More, err = last.first(differing, o.First); err != nil {
			return v, err
		}
	}
	if v.Last = last.tables(differing, o); last.title != lastTitle {
		v.Step = last.title
	}
	if len(shown) < len(metrics) {
		v.Same = strings.TrimPrefix(v.Same+"; not shown: means, minima and maxima over steps", "; ")
	}
	v.Errors = last.errorText(m.Seeds.Count, v.Last)
	if text := missingText(v.Last); text != "" {
		v.Errors = strings.TrimPrefix(v.Errors+"; "+text, "; ")
	}
	v.Owners, err = r.owners()
	return v, err
}

// Notes returns the tables of derived values. Beside the ledger's tables, claimed and accounted losses are
// left out.
func (r *Run) Notes(beside bool) []tabular.Table {
	notes := r.Source.Manifest.Notes
	if beside {
		notes = slices.DeleteFunc(slices.Clone(notes), func(n results.Note) bool { return n.Key == "epsilon.claimed" || n.Key == "epsilon.accounted" })
	}
	return noteTables(r.Arms, notes, r.Of, plot.ArmLabels(r.Arms))
}

// WithoutWindows returns a copy of names of metrics without the mean, the least and the most over
// steps of others among them. Figures draw these, and in a table they would hide the rest.
func WithoutWindows(names []string) []string {
	windows := map[string]bool{}
	for _, name := range names {
		mean, least, most := metric.WindowNames(name)
		windows[mean], windows[least], windows[most] = true, true, true
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return windows[name] })
}
