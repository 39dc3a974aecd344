package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/tabular"
)

// Counterpart returns an arm with which a user may want to compare next: against a baseline without a bound on
// its privacy loss the best arm with one, and against a private baseline the best arm without a bound. The
// boolean private is of the counterpart. ok is false where there is none, or no better side.
func (b *Baseline) Counterpart() (arm string, private, ok bool) {
	of := &b.Metrics[0]
	private = b.unbounded(0)
	best := -1
	for i := range of.Rows {
		row := &of.Rows[i]
		if row.Baseline || isLoss(of) || of.Metric.Better == "" || math.IsNaN(row.Value) || b.unbounded(row.Arm) == private || b.Conditions[b.Arms[row.Arm].Condition].Key == nothingStated {
			continue
		}
		if best < 0 || of.Metric.Better.Beats(row.Value, of.Rows[best].Value) {
			best = i
		}
	}
	if best < 0 || b.Conditions[b.Arms[0].Condition].Key == nothingStated {
		return "", false, false
	}
	return b.Arms[of.Rows[best].Arm].Shown, private, true
}

// unbounded reports whether no number bounds the privacy loss of an arm.
func (b *Baseline) unbounded(arm int) bool {
	return b.Conditions[b.Arms[arm].Condition].Key == noPrivacy
}

// PrivateCost is a private arm beside the arm that is the same without privacy.
type PrivateCost struct {
	Private, Plain FindingRow
	// Ratio is the private arm over the plain one, paired by seed.
	Ratio comparison.Ratio
}

// mostCosts is the largest number of pairs that are compared.
const mostCosts = 12

// costs pairs the private arms beside a grid with the arms that are the same without privacy.
func (r *Run) costs(f *Finding, statistics comparison.Statistics) (list []PrivateCost) {
	if f.Grid == nil || f.Metric.Better == "" || !slices.ContainsFunc(f.Grid.Others, func(row FindingRow) bool { return row.Private() }) {
		return nil
	}
	text, err := r.Source.Scenario()
	if err != nil {
		return nil
	}
	doc, err := document.Parse(results.ScenarioFile, text)
	if err != nil {
		return nil
	}
	for _, row := range f.Grid.Others {
		if !row.Private() || math.IsNaN(row.Value) || len(list) == mostCosts {
			continue
		}
		if plain := r.plainOf(f, row.Arm, doc); plain != nil {
			list = append(list, PrivateCost{row, *plain, r.ratioOf(f.Metric, row.Arm, plain.Arm, statistics)})
		}
	}
	return list
}

// plainOf returns the one arm without a bound on its loss that is as a private arm in all values that such arms
// set; nil for none or several. An arm has the scenario's value of a key that it does not set.
func (r *Run) plainOf(f *Finding, private string, doc *document.Document) (plain *FindingRow) {
	entry := func(name string) results.ArmEntry {
		return r.Arms[slices.IndexFunc(r.Arms, func(arm results.ArmEntry) bool { return arm.Name == name })]
	}
	value := func(arm results.ArmEntry, path string) string {
		if own, ok := arm.Value(path); ok {
			return own
		}
		if node, ok := doc.Find(path); ok {
			return loading.TextOf(node)
		}
		return ""
	}
	paths := map[string]bool{}
	var others []*FindingRow
	for i := range f.Rows {
		if row := &f.Rows[i]; math.IsInf(row.Epsilon, 1) && !math.IsNaN(row.Value) {
			others = append(others, row)
			for _, v := range entry(row.Arm).Values {
				paths[v.Path] = paths[v.Path] || !ofPrivacy(v.Path)
			}
		}
	}
	own := entry(private)
	for _, row := range others {
		alike := true
		for path, counts := range paths {
			alike = alike && (!counts || value(own, path) == value(entry(row.Arm), path))
		}
		if alike && plain != nil {
			return nil
		}
		if alike {
			plain = row
		}
	}
	return plain
}

// ofPrivacy reports whether a key is of the noise of an arm.
func ofPrivacy(path string) bool {
	section, _, _ := strings.Cut(path, ".")
	return section == "mechanism" || section == "match"
}

// ratioOf compares two arms of the run by a metric.
func (r *Run) ratioOf(m metric.Metric, arm, baseline string, statistics comparison.Statistics) comparison.Ratio {
	none := comparison.Ratio{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
	sides := []Side{{r.Source, baseline}, {r.Source, arm}}
	b, err := Against(sides, r.Known, BaselineOptions{Metrics: []string{m.Name}, Statistics: statistics, AcrossConditions: true})
	if err != nil { // arms of other problems, or without a common step, have no ratio
		return none
	}
	for _, row := range b.allRows() {
		if !row.Baseline {
			return row.Ratio
		}
	}
	return none
}

// CostTable has a row for each private arm beside the grid: its mean, its epsilon, the arm that is the same without
// noise, and the ratio of the two; legend explains it. It has no rows where the study has no such pairs. Where it would be
// wider than the finding's width, the legend names the arms without noise.
func (f *Finding) CostTable() (t tabular.Table, legend string) {
	const plain = "without noise"
	t = tabular.Table{Header: []string{"private arm", "mean", "ε", plain, "ratio"}}
	var names []string
	for _, c := range f.Costs {
		name := f.Name(c.Plain.Arm)
		t.Rows = append(t.Rows, []string{f.Name(c.Private.Arm), marked(c.Private), lossText(c.Private.Epsilon), name, ratioText(c.Ratio)})
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	legend = "ratio: the cost of privacy, the private arm over the same arm without noise"
	if t = t.ForPeople(); !f.fits(t) {
		t = t.Without(plain)
		legend += " (" + strings.Join(names, "; ") + ")"
	}
	return t, legend + "."
}

// costText states the ratios of private arms to the same arms without noise.
func (f *Finding) costText() string {
	var parts []string
	for _, c := range f.Costs {
		parts = append(parts, fmt.Sprintf("%s %s at epsilon %s", f.Name(c.Private.Arm), cmp.Or(ratioText(c.Ratio), "without a ratio"), lossText(c.Private.Epsilon)))
	}
	return "Private arms ÷ the same without noise: " + strings.Join(parts, "; ") + "."
}

// costBrief states the least and the largest ratio of private arms to the same arms without noise, and their epsilons: the
// table has each.
func (f *Finding) costBrief() string {
	span := func(value func(c PrivateCost) float64, form func(v float64) string) string {
		least, most := math.Inf(1), math.Inf(-1)
		for _, c := range f.Costs {
			if v := value(c); !math.IsNaN(v) {
				least, most = min(least, v), max(most, v)
			}
		}
		if least > most {
			return ""
		}
		if form(least) == form(most) {
			return form(least)
		}
		return form(least) + " to " + form(most)
	}
	epsilon := span(func(c PrivateCost) float64 { return c.Private.Epsilon }, lossText)
	ratio := span(func(c PrivateCost) float64 { return c.Ratio.Value }, func(v float64) string { return shortRatio(comparison.Ratio{Value: v}) })
	if ratio == "" {
		return fmt.Sprintf("Private arms: epsilon %s.", epsilon)
	}
	return fmt.Sprintf("Private arms: %s times the same arms without noise, at epsilon %s.", ratio, epsilon)
}

// AnswersBeside are the Answers for a terminal. The choice with the most best means in a grid of many columns comes first,
// and the choices of single columns last. Beside the table of the grid and the CostTable, if costs is true, they leave out
// the ratios of the costs, and sentences on single cells, which the marks of the table say.
func (f *Finding) AnswersBeside(costs bool) []string {
	list := f.Answers()
	for i, text := range list {
		if costs {
			list[i] = strings.Replace(text, " "+f.costText(), " "+f.costBrief(), 1)
		}
	}
	if f.Grid == nil || len(f.Grid.ColumnLabels) <= mostNamedColumns {
		return list
	}
	take := f.Grid.recommended(f)
	if len(take) == 0 || len(list) == 0 {
		return list
	}
	if comparison.TooFew(f.Seeds) != "" {
		take = take[:1] // a caution says so
	}
	if !costs {
		return slices.Concat(take, list[1:], list[:1])
	}
	cells := []string{f.Grid.worstCaseText(f), f.Grid.worst(f), f.Grid.alike()}
	rest := slices.DeleteFunc(slices.Clone(list[1:]), func(text string) bool { return slices.Contains(cells, text) })
	if len(take) == 1 { // the table has no marks
		return slices.Concat(take, rest, list[:1])
	}
	return append(take, rest...)
}
