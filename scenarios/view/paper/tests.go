package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/typeset"
	"starling/scenarios/view"
)

// test adds marks and p-values, and the caption that explains them.
func (b *builder) test(conditions []view.Condition) error {
	samples, err := comparison.SamplesAt(b.run.Source, b.at, b.metrics)
	if err != nil {
		return err
	}
	var remarks []string
	if b.Marks {
		remarks = b.mark(samples, conditions)
	}
	if b.Baseline != "" {
		remarks = append(remarks, b.testBaseline(samples, conditions)...)
	}
	if b.Captioned {
		b.table.Caption = append(b.caption(conditions), remarks...)
		if !b.Brief {
			b.table.Caption = append(b.table.Caption, b.run.Source.Manifest.Provenance())
		}
	}
	return nil
}

// unreached reports whether budgets stopped the arms apart, and some arm is shown at a step
// that others did not reach: such values do not compare.
func (b *builder) unreached() bool {
	before, apart := comparison.StoppedApart(b.shown.Arms)
	return apart && slices.ContainsFunc(b.shown.Arms, func(arm results.ArmEntry) bool { return b.at[arm.Name] >= before })
}

// mark marks the best arm of each condition on each metric and the arms that are not told from
// it. It returns the sentences of the caption on marks.
func (b *builder) mark(samples comparison.Samples, conditions []view.Condition) []string {
	ranked, resampled := b.ranked()
	seeds := b.run.Source.Manifest.Seeds.Count
	switch {
	case len(b.shown.Arms) < 2:
		return nil
	case len(ranked)+len(resampled) == 0:
		return []string{"No marks: no metric of the table has a better side and values that are tested."}
	case seeds < comparison.FewestPairs:
		return []string{"No marks: " + comparison.TooFew(seeds) + "."}
	case b.unreached():
		return []string{"No marks: budgets stopped the arms at different steps."}
	case len(conditions) == len(b.shown.Arms):
		return []string{"No marks: no two arms have the same privacy and learn the same problem."}
	}
	var groups [][]string
	for _, c := range conditions {
		groups = append(groups, c.Arms)
	}
	some := false
	put := func(m metric.Metric, tests []comparison.Tested) {
		for _, t := range tests {
			some = some || t.Best != ""
			b.put(t, m.Name)
		}
	}
	for _, m := range ranked {
		put(m, samples.Best(groups, m))
	}
	for _, m := range resampled {
		put(m, comparison.BestOf(b.run.Source, groups, m, b.at, b.Statistics))
	}
	switch {
	case !some && len(resampled) > 0 && len(ranked) == 0 && b.Statistics == nil:
		return []string{"No marks: the parts of statistics over the seeds are not there."}
	case !some:
		return []string{"No marks: the arms of equal privacy have equal means."}
	}
	b.table.Best = "the best mean of the arms"
	if len(conditions) > 1 {
		b.table.Best += " of equal privacy and setting"
	}
	test := "paired t-test"
	switch {
	case len(ranked) == 0:
		test = "bootstrap in pairs"
	case len(resampled) > 0:
		test = "paired t-test, for statistics over the seeds the bootstrap"
	}
	b.table.Alike = fmt.Sprintf("not significantly different from it (%s, %s, Holm over these arms, p > %g)", test, document.Counted(seeds, "seed"), comparison.Level)
	if len(conditions) > 1 {
		return []string{"Arms of different privacy are not marked against each other: a mark is among arms of the same epsilon at the same delta, unit and observers."}
	}
	return nil
}

// ranked returns the metrics of the table that have marks: those with a value for each seed, and
// statistics over the seeds.
func (b *builder) ranked() (ofSeeds, resampled metric.List) {
	names := view.Ranked(b.run.Known).Names()
	for _, m := range b.run.Known {
		switch {
		case !slices.Contains(b.metrics, m.Name):
		case slices.Contains(names, m.Name):
			ofSeeds = append(ofSeeds, m)
		case m.Level == metric.OfSummary && m.Better != "":
			resampled = append(resampled, m)
		}
	}
	return ofSeeds, resampled
}

// put marks the cells of a metric.
func (b *builder) put(t comparison.Tested, metricName string) {
	for _, p := range b.cells {
		if p.metric != metricName {
			continue
		}
		switch cell := &b.table.Cells[p.row][p.column]; {
		case cell.Key == nil:
		case p.arm == t.Best:
			cell.Mark = typeset.Best
		case slices.Contains(t.Alike, p.arm):
			cell.Mark = typeset.Alike
		}
	}
}

// testBaseline adds the p-values against the baseline, corrected by Holm's method for all of
// the table. Privacy losses are no samples, and arms of another problem do not compare. It
// returns the sentences of the caption on p-values.
func (b *builder) testBaseline(samples comparison.Samples, conditions []view.Condition) []string {
	if b.unreached() {
		return []string{"No p-values: budgets stopped the arms at different steps."}
	}
	if few := comparison.TooFew(b.run.Source.Manifest.Seeds.Count); few != "" {
		return []string{"No p-values: " + few + "."}
	}
	of := map[string]view.Condition{}
	for _, c := range conditions {
		for _, arm := range c.Arms {
			of[arm] = c
		}
	}
	p := make([]float64, len(b.cells))
	tests := 0
	for i, cell := range b.cells {
		p[i] = math.NaN()
		if cell.arm != b.Baseline && of[cell.arm].Setting == of[b.Baseline].Setting && !strings.HasPrefix(cell.metric, "epsilon.") {
			p[i] = samples.P(b.Baseline, cell.arm, cell.metric)
		}
		if !math.IsNaN(p[i]) {
			tests++
		}
	}
	for i, value := range comparison.Holm(p) {
		b.table.Cells[b.cells[i].row][b.cells[i].column].P = value
	}
	remarks := []string{fmt.Sprintf("p: paired t-test over the seeds against %s, corrected by Holm's method for %s.", b.labelOf(b.Baseline), document.Counted(tests, "test"))}
	var others []string
	for _, arm := range b.shown.Arms {
		if of[arm.Name].Key != of[b.Baseline].Key {
			others = append(others, b.labelOf(arm.Name))
		}
	}
	if len(others) > 0 {
		remarks = append(remarks, fmt.Sprintf("Arms of other privacy than the baseline: %s.", strings.Join(others, "; ")))
	}
	return remarks
}
