package views

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/report"
	"starling/scenarios/study"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// Side is a run, or an arm of it where Arm is not empty.
type Side struct {
	ID  string `json:"id"`
	Arm string `json:"arm,omitempty"`
}

// Comparison holds the differences of the second of two runs, or arms, from the first.
type Comparison struct {
	First  Side `json:"first"`
	Second Side `json:"second"`
	// Scenarios has a row for each value in which the scenarios differ, and Texts are both,
	// for reading side by side.
	Scenarios Table     `json:"scenarios"`
	Texts     [2]string `json:"texts"`
	// OtherProblem lists the parts in which the two learning problems differ. If there are
	// any, there are no differences of metrics unless the request asks for them.
	OtherProblem []string `json:"other_problem"`
	// Differences are second minus first, a metric of an arm a row, for people.
	Differences Table      `json:"differences"`
	Intervals   []Interval `json:"intervals"`
	Notes       []string   `json:"notes"`
	Metrics     []Metric   `json:"metrics"`
	// Unpaired compares runs without a common seed; absent for others.
	Unpaired *Unpaired     `json:"unpaired,omitempty"`
	Chart    *report.Chart `json:"chart"`
}

// Interval is a difference as numbers. Missing numbers are null.
type Interval struct {
	Arm    string        `json:"arm"`
	Metric string        `json:"metric"`
	Pairs  report.Values `json:"pairs"` // by ascending seed
	// Range has the mean, and the ends of the interval.
	Range report.Values `json:"range"`
}

// Compare compares two finished runs, or two arms. Unless across is set, runs that learn
// different things have no differences of metrics.
func (f *Folder) Compare(first, second Side, across bool) (*Comparison, error) {
	if (first.Arm == "") != (second.Arm == "") || first == second {
		return nil, document.BadInput(errNothing)
	}
	a, err := f.opened(first.ID)
	if err != nil {
		return nil, err
	}
	b, err := f.opened(second.ID)
	if err != nil {
		return nil, err
	}
	c := &Comparison{First: first, Second: second, OtherProblem: []string{}, Notes: []string{}, Metrics: []Metric{}, Intervals: []Interval{},
		Differences: Table{Header: []string{}, Rows: [][]string{}}}
	known, err := results.DeclaredMetrics(f.known, a.Source, b.Source)
	if err != nil {
		return nil, err
	}
	found, err := view.Compare(view.Side{Run: a.Source, Arm: first.Arm}, view.Side{Run: b.Source, Arm: second.Arm}, known)
	if err != nil {
		return nil, document.BadInput(err)
	}
	c.Scenarios = Table(found.ScenarioTable())
	for _, d := range found.OtherProblem() {
		c.OtherProblem = append(c.OtherProblem, d.Path)
	}
	for i, o := range []*opened{a, b} {
		text, err := o.Source.Scenario()
		if err != nil {
			return nil, err
		}
		c.Texts[i] = string(text)
	}
	c.Metrics = shared(a, b, known)
	if len(c.OtherProblem) > 0 && !across {
		return c, nil
	}
	c.Unpaired = newUnpaired(first, second, a, b, known)
	return c, c.measure(found)
}

// shared returns the metrics that both runs have.
func shared(a, b *opened, known metric.List) []Metric {
	names := slices.DeleteFunc(slices.Collect(maps.Keys(a.Rows)), func(name string) bool { return b.Rows[name] == nil })
	return metricsOf(names, known)
}

// measure adds the differences of metrics.
func (c *Comparison) measure(found *view.Comparison) error {
	err := found.Measure()
	if errors.Is(err, comparison.ErrNothingCommon) && c.Unpaired != nil {
		return nil // it says why
	}
	if errors.Is(err, comparison.ErrNothingCommon) {
		c.Notes = append(c.Notes, "The two have no arm, seed and metric in common.")
		return nil
	}
	if err != nil {
		return err
	}
	c.Notes = append(c.Notes, found.Notes...)
	if text := found.TestsText(); text != "" {
		c.Notes = append(c.Notes, text+".")
	}
	c.Differences = Table(found.Table())
	for i := range found.Rows {
		d := &found.Rows[i]
		interval := Interval{Arm: d.Arm, Metric: d.Metric, Range: report.Values{d.Mean, d.Low, d.High}, Pairs: report.Values{}}
		for _, pair := range d.Pairs {
			interval.Pairs = append(interval.Pairs, pair.Difference)
		}
		c.Intervals = append(c.Intervals, interval)
	}
	return nil
}

// Overlay draws a metric of several finished runs in one chart. Unless the query says otherwise, a run
// has a colour, and the arms of one name have a dash.
func (f *Folder) Overlay(ids []string, q Query) (*Figure, error) {
	if len(ids) == 0 {
		return nil, document.BadInput(errNothing)
	}
	var list []plot.Run
	var sources []*results.Run
	names, err := f.Names(ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		o, err := f.opened(id)
		if err != nil {
			return nil, err
		}
		run := o.Run.Run
		if len(ids) > 1 {
			run.Label = names[id]
			run.Arms = withValues(run.Arms, f.baseValues(id), []string{q.Hue, q.Dash, q.Facet, q.X})
		}
		list, sources = append(list, run), append(sources, o.Source)
	}
	known, err := results.DeclaredMetrics(f.known, sources...)
	if err != nil {
		return nil, err
	}
	q.Known, q.Crowded, q.Coloured = known, true, true
	if unbanded(sources) {
		q.Band = study.NoBand
	}
	fig, err := plot.Overlay(list, q.Named())
	if err != nil {
		return nil, err
	}
	if len(list) > 1 && q.CurvesBy() == study.EachArm && q.Facet == "" && q.Hue == "" && q.Dash == "" {
		styleRuns(&fig, list)
	}
	return newFigure(fig, q.Metric), nil
}

// withValues returns arms that have the values of their scenario for some keys that they do not set themselves: a key
// that tells runs apart is one by which their curves can be told.
func withValues(arms []results.ArmEntry, base map[string]string, keys []string) []results.ArmEntry {
	arms = slices.Clone(arms)
	for i := range arms {
		for _, key := range keys {
			value, ok := base[key]
			if ok && !slices.ContainsFunc(arms[i].Values, func(v results.Value) bool { return v.Path == key }) {
				arms[i].Values = append(slices.Clip(arms[i].Values), results.Value{Path: key, Value: value})
			}
		}
	}
	return arms
}

// styleRuns gives each run a colour, and the arms of one name in several runs a dash, by the names of the curves. The
// only arms of runs have no dash.
func styleRuns(f *figure.Figure, list []plot.Run) {
	if f.Cells != nil || f.Categories != nil {
		return
	}
	f.Ramp = nil
	labels := make([]map[string]string, len(list))
	for k := range list {
		labels[k] = plot.ArmLabels(list[k].Arms)
	}
	several := slices.ContainsFunc(list, func(r plot.Run) bool { return len(r.Arms) > 1 })
	for i := range f.Series {
		c := &f.Series[i]
		name, label, arms := plot.Unmarked(c.Name), "", map[string]string{}
		for k := range list { // one name can begin with another
			if own := list[k].Label; strings.HasPrefix(name, own) && len(own) > len(label) {
				label, arms = own, labels[k]
			}
		}
		if label == "" {
			continue
		}
		if c.Hue = label; several {
			arm := strings.TrimSpace(name[len(label):])
			c.Dash = cmp.Or(arms[arm], arm)
		}
	}
}

// mostBanded is the largest number of curves of several runs with bands.
const mostBanded = 4

// unbanded reports whether the curves of several runs have no bands: they would hide each other or tell little.
func unbanded(list []*results.Run) bool {
	curves, few := 0, false
	for _, run := range list {
		curves += len(run.Manifest.Arms)
		few = few || run.Manifest.Seeds.Count < comparison.FewestPairs
	}
	return len(list) > 1 && (few || curves > mostBanded)
}
