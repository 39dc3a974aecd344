package view

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/tabular"
	"starling/scenarios/view/plot"
)

// TestFindingOrder has the best row first, and rows without a number last, on either side.
func TestFindingOrder(t *testing.T) {
	for better, want := range map[metric.Direction]string{metric.LowerIsBetter: "b a d c", metric.HigherIsBetter: "d a b c", "": "a b c d"} {
		f := Finding{Metric: metric.Metric{Better: better}, Rows: []FindingRow{{Arm: "a", Value: 2}, {Arm: "b", Value: 1}, {Arm: "c", Value: math.NaN()}, {Arm: "d", Value: math.Inf(1)}}}
		f.sort()
		var arms []string
		for _, row := range f.Rows {
			arms = append(arms, row.Arm)
		}
		if got := strings.Join(arms, " "); got != want {
			t.Errorf("%q: %s, want %s", better, got, want)
		}
	}
}

// TestFindingSentences says of the tests no more than they do.
func TestFindingSentences(t *testing.T) {
	row := func(arm int, difference, holm float64) comparison.Row {
		return comparison.Row{Arm: arm, Difference: difference, Holm: holm}
	}
	for _, test := range []struct {
		better metric.Direction
		rows   []comparison.Row
		arms   int
		want   string
	}{
		{metric.LowerIsBetter, []comparison.Row{row(1, 1, 0.001), row(2, 2, 0.002)}, 3, "b and c are significantly worse than base (p ≤ 0.002, Holm)."},
		{metric.HigherIsBetter, []comparison.Row{row(1, 1, 0.001), row(2, -2, 0.002), row(3, 1, 0.5)}, 4, "b is significantly better than base; c is significantly worse than it; d is not significantly different from it (p ≤ 0.002, Holm)."},
		{metric.LowerIsBetter, []comparison.Row{row(1, 1, 0.001), row(2, 2, 0.002), row(3, 2, 0.002), row(4, 2, 0.002)}, 5, "All 4 other arms are significantly worse than base (p ≤ 0.002, Holm)."},
		{metric.LowerIsBetter, []comparison.Row{row(1, 1, 0.001), row(2, 2, 0.002), row(3, 2, 0.002), row(4, 2, 0.002), row(5, 1, 0.5)}, 6, "4 of 5 other arms are significantly worse than base; f is not significantly different from it (p ≤ 0.002, Holm)."},
		{metric.LowerIsBetter, []comparison.Row{row(1, 1, 0.5)}, 2, "The other arm is not significantly different from base."},
		{"", []comparison.Row{row(1, 1, 0.001), row(2, -2, 0.002)}, 3, "b and c are significantly different from base (p ≤ 0.002, Holm)."},
		{"", []comparison.Row{row(1, 1, 0.5), row(2, -2, 0.6)}, 5, "None of the 2 other arms of its problem is significantly different from base (p > 0.05, Holm)."},
		{metric.LowerIsBetter, []comparison.Row{row(1, 1, math.NaN())}, 2, ""},
	} {
		m := metric.Metric{Name: "m", Better: test.better}
		against := &comparison.Against{Metrics: []comparison.OfMetric{{Metric: m, Rows: append([]comparison.Row{{Baseline: true, Holm: math.NaN()}}, test.rows...)}}}
		for _, r := range test.rows {
			if !math.IsNaN(r.Holm) {
				against.Tests++
			}
		}
		f := Finding{Metric: m, Baseline: "base", Rows: make([]FindingRow, test.arms), Seeds: comparison.FewestPairs - 1}
		if few := f.sentences(&Baseline{Against: against}); len(few) > 0 {
			t.Errorf("%d seeds: %q", f.Seeds, few)
		}
		f.Seeds = comparison.FewestPairs
		if got := strings.Join(f.sentences(&Baseline{Against: against, Arms: lettered(test.arms)}), " "); got != test.want {
			t.Errorf("%+v: %q, want %q", test, got, test.want)
		}
	}
}

// TestFindingSentencesInOrder names arms in the order of the finding, the best first, and not in that of the study.
func TestFindingSentencesInOrder(t *testing.T) {
	m := metric.Metric{Name: "m", Better: metric.LowerIsBetter}
	rows := []comparison.Row{{Baseline: true, Holm: math.NaN()}, {Arm: 1, Difference: 2, Holm: 0.001}, {Arm: 2, Difference: 1, Holm: 0.001}}
	b := Baseline{Against: &comparison.Against{Tests: 2, Metrics: []comparison.OfMetric{{Metric: m, Rows: rows}}}, Arms: lettered(3)}
	f := Finding{Metric: m, Baseline: "a", Rows: []FindingRow{{Arm: "a"}, {Arm: "c"}, {Arm: "b"}}, Seeds: comparison.FewestPairs}
	if got := strings.Join(f.sentences(&b), " "); got != "c and b are significantly worse than a (p ≤ 0.001, Holm)." {
		t.Error(got)
	}
}

// lettered returns so many arms named by letters from a on.
func lettered(n int) (arms []BaselineArm) {
	for i := range n {
		arms = append(arms, BaselineArm{Arm: letter(i)})
	}
	return arms
}

// TestFindingSentencesOfPrivacy says higher, and not worse, of an arm of other privacy.
func TestFindingSentencesOfPrivacy(t *testing.T) {
	m := metric.Metric{Name: "m", Better: metric.LowerIsBetter}
	rows := []comparison.Row{{Baseline: true, Holm: math.NaN()}, {Arm: 1, Difference: 1, Holm: 0.001}, {Arm: 2, Difference: 1, Holm: 0.001}}
	b := Baseline{Against: &comparison.Against{Tests: 2, Metrics: []comparison.OfMetric{{Metric: m, Rows: rows}}}, Arms: lettered(3)}
	b.Arms[2].Condition = 1
	f := Finding{Metric: m, Baseline: "base", Rows: make([]FindingRow, 3), Seeds: comparison.FewestPairs}
	if got := strings.Join(f.sentences(&b), " "); got != "b is significantly worse than base; c is significantly higher than it (p ≤ 0.001, Holm)." {
		t.Error(got)
	}
}

// TestMarksFollowTheFinding marks an arm as alike by the p-value that the sentences state.
func TestMarksFollowTheFinding(t *testing.T) {
	for _, test := range []struct {
		baseline string
		p        float64
		compared bool
		want     string
	}{{"best", 0.056, true, "~"}, {"best", 0.04, true, ""}, {"best", 0.056, false, ""}, {"other", 0.056, true, ""}, {"best", math.NaN(), true, ""}} {
		row := FindingRow{Arm: "arm", Baseline: test.baseline, P: test.p}
		if row.mark(comparison.Tested{Best: "best", Alike: []string{"another"}}, test.compared); row.Mark != test.want {
			t.Errorf("%+v: mark %q", test, row.Mark)
		}
	}
}

// TestFindingHeading names the step where the arms share one.
func TestFindingHeading(t *testing.T) {
	f := Finding{Metric: metric.Metric{Name: "loss.mean", Label: "loss", Better: metric.LowerIsBetter}, Step: 20, Seeds: 1}
	if got := f.Heading(); got != "loss (loss.mean, lower is better) at step 20, 1 seed" {
		t.Error(got)
	}
	f.Rows = make([]FindingRow, 5)
	for better, want := range map[metric.Direction]string{metric.LowerIsBetter: "The best 3 of 5 arms, and the last.", "": "The first 3 of 5 arms, and the last."} {
		if f.Metric.Better = better; strings.Join(f.Remarks(4), " ") != want {
			t.Errorf("%q", f.Remarks(4))
		}
	}
	f.Metric.Better = metric.LowerIsBetter
	if f.Apart = true; f.Heading() != "loss (loss.mean, lower is better) at the last step of each arm, 1 seed" {
		t.Error(f.Heading())
	}
}

// TestBestOfColumns marks the best of each column, and all that are equal to it.
func TestBestOfColumns(t *testing.T) {
	row := func(v float64) *FindingRow { return &FindingRow{Value: v} }
	g := FindingGrid{Rows: [][]*FindingRow{{row(1), row(2), nil}, {row(3), row(2), row(math.NaN())}}}
	g.ColumnLabels = []string{"a", "b", "c"}
	for better, want := range map[metric.Direction][][]bool{
		metric.LowerIsBetter:  {{false, true, true, false}, {false, false, true, false}},
		metric.HigherIsBetter: {{false, false, true, false}, {false, true, true, false}},
		"":                    {make([]bool, 4), make([]bool, 4)},
	} {
		if got := g.best(better); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: %v, want %v", better, got, want)
		}
	}
}

// TestGroupsOfGrid lists the choices that are marked against each other, where a column has several
// best values.
func TestGroupsOfGrid(t *testing.T) {
	row := func(mark string, group int) *FindingRow { return &FindingRow{Mark: mark, Group: group} }
	g := FindingGrid{Rows: [][]*FindingRow{{row("*", 0), row("*", 1)}, {row("~", 0), nil}, {row("*", 2), row("", 3)}, {nil, row("*", 3)}}}
	g.RowLabels, g.ColumnLabels = []string{"a", "b", "c", "d"}, []string{"x", "y"}
	if got, want := g.groups(), "Marks are within 2 groups of equal privacy, each with its own *: a, b; c, d."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	g.Rows[1][1], g.Rows[0][1] = row("*", 3), row("", 3) // a and b with c and d, by way of the second column
	if got, want := g.groups(), "Several * in a column: each is the best of its own group of equal privacy."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	g.Rows[0][0].Mark, g.Rows[1][1].Mark = "", ""
	if got := g.groups(); got != "" {
		t.Errorf("one best value a column: %q", got)
	}
}

// TestVerdict names the best arm with its factor to the next, and the best of those with a bounded loss.
func TestVerdict(t *testing.T) {
	inf, claim := math.Inf(1), 4.0
	for _, test := range []struct {
		better metric.Direction
		rows   []FindingRow
		want   string
	}{
		{metric.LowerIsBetter, []FindingRow{{Arm: "a", Value: 100, Epsilon: inf}, {Arm: "b", Value: 180, Epsilon: 2}}, "Lowest mean: A (100). Best private arm: b (180) with epsilon 2 over the run, 1.8 times A."},
		{metric.HigherIsBetter, []FindingRow{{Arm: "a", Value: 0.97, Half: 0.02, Epsilon: 1}, {Arm: "b", Value: 0.96, Epsilon: 2}}, "Highest mean: A (0.970). Next: b (0.96)."},
		{metric.HigherIsBetter, []FindingRow{{Arm: "a", Value: 0.9, Epsilon: inf}, {Arm: "b", Value: 0.3, Epsilon: inf}}, "Highest mean: A (0.9). Next: b (0.3), 0.33 times A."},
		{metric.LowerIsBetter, []FindingRow{{Arm: "a", Value: 1}, {Arm: "b", Value: 1}}, ""},
		{metric.LowerIsBetter, []FindingRow{{Arm: "a", Value: 1, Epsilon: inf}, {Arm: "b", Value: 1, Epsilon: inf}, {Arm: "c", Value: 3, Epsilon: inf, Covered: 4, Claimed: &claim}},
			"Lowest mean: A and b (1). Lowest with a kept claim: c (3), epsilon 4 to the observers that it names, 3 times A."},
		{metric.LowerIsBetter, []FindingRow{{Arm: "a", Value: 1}, {Arm: "b", Value: 2, Baseline: "a", Ratio: comparison.Ratio{Value: 2, Low: 0.7, High: 6.2}, P: 0.3}},
			"Lowest mean: A (1). Next: b (2), 2.0 times A (0.7 to 6.2), not significantly different."},
		{metric.LowerIsBetter, []FindingRow{{Arm: "b", Value: 1, Baseline: "a", Ratio: comparison.Ratio{Value: 0.5, Low: 0.25, High: 2}, P: 0.3}, {Arm: "a", Value: 2}},
			"Lowest mean: b (1). Next: A (2), 2.0 times b (0.5 to 4.0), not significantly different."},
		{metric.HigherIsBetter, []FindingRow{{Arm: "a", Value: 4}, {Arm: "b", Value: 2, Baseline: "a", Ratio: comparison.Ratio{Value: 0.5, Low: 0.25, High: 2}, P: 0.3}},
			"Highest mean: A (4). Next: b (2), 0.50 times A (0.25 to 2.00), not significantly different."},
		{metric.LowerIsBetter, []FindingRow{{Arm: "a", Value: 1}, {Arm: "b", Value: 1.03, Baseline: "a", Ratio: comparison.Ratio{Value: 1.03, Low: 0.7, High: 1.6}, P: math.NaN()}},
			"Lowest mean: A (1). Next: b (1.03), 1.03 times A (0.70 to 1.60)."},
		{metric.LowerIsBetter, []FindingRow{{Arm: "a", Value: 1}, {Arm: "b", Value: 2, Baseline: "a", Ratio: comparison.Ratio{Value: 2, Low: 1.5, High: 2.6}, P: 0.01}},
			"Lowest mean: A (1). Next: b (2), 2.00 times A (1.50 to 2.60)."},
		{metric.LowerIsBetter, []FindingRow{{Arm: "c", Value: 1, Mark: "*", Baseline: "d", Ratio: comparison.Ratio{Value: 0.2, Low: 0.1, High: 0.4}}, {Arm: "b", Value: 2, Mark: "~"}, {Arm: "e", Value: 3, Mark: "~"}, {Arm: "d", Value: 5}},
			"Lowest mean: c (1), 0.20 times d (0.10 to 0.40), not distinguishable from b and e."},
		{metric.LowerIsBetter, []FindingRow{{Arm: "a", Value: 1}, {Arm: "b", Value: 1 + 1e-15}, {Arm: "c", Value: 3}}, "Lowest mean: A and b (1)."},
		{"", []FindingRow{{Arm: "a", Value: 1}, {Arm: "b", Value: 2}}, ""},
		{metric.LowerIsBetter, []FindingRow{{Arm: "a", Value: 1}, {Arm: "b", Value: math.NaN()}}, ""},
	} {
		f := Finding{Metric: metric.Metric{Better: test.better}, Rows: test.rows, Labels: map[string]string{"a": "A"}}
		if got := strings.Join(f.verdict(), " "); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// TestVerdictOfProblems names the best arm of each problem that several arms learn: they do not compare across problems.
func TestVerdictOfProblems(t *testing.T) {
	f := Finding{
		Metric: metric.Metric{Better: metric.LowerIsBetter}, Baseline: "a", Labels: map[string]string{"a": "A"},
		Rows:     []FindingRow{{Arm: "c", Value: 0.5}, {Arm: "a", Value: 1}, {Arm: "e", Value: 2}, {Arm: "b", Value: 3, Baseline: "a"}, {Arm: "d", Value: 4}},
		problems: map[string]string{"a": "", "b": "", "c": "jumps", "d": "jumps", "e": "turns"},
	}
	if got := strings.Join(f.verdict(), " "); got != "Lowest mean of each problem: c 0.5; A 1." {
		t.Errorf("%q", got)
	}
	if got := f.otherArm(); got != "The other arm of its problem, b," {
		t.Errorf("%q", got)
	}
}

// TestIntervalsOfOtherProblems has an interval also for an arm that is not compared with the baseline.
func TestIntervalsOfOtherProblems(t *testing.T) {
	r := &Run{Run: plot.Run{Rows: map[string][]results.SummaryRow{"loss": {{Arm: "a", Step: 3, Mean: 1, SE: 0.1, N: 6}, {Arm: "b", Step: 3, Mean: 2, SE: 0.2, N: 6}}}}}
	f := &Finding{Metric: metric.Metric{Name: "loss"}, Seeds: 6, Rows: []FindingRow{newRow("a", 3, 1), newRow("b", 3, 2)}}
	f.Rows[0].Half = 0.3
	r.fillIntervals(f, nil)
	if f.Rows[0].Half != 0.3 || f.Rows[1].Half != comparison.HalfWidth(0.2, 6) {
		t.Errorf("%+v", f.Rows)
	}
}

// TestUndecided names the columns in which the tests tell no other choice from the best.
func TestUndecided(t *testing.T) {
	for want, marks := range map[string][]string{
		"No other rule is distinguishable from the best in any column.": {"*~~", "~*~"},
		"No other rule is distinguishable from the best under y.":       {"*~ ", "~*~"},
		"": {"*  ", "   "},
	} {
		g := &FindingGrid{Rows: make([][]*FindingRow, 3)}
		g.Of, g.ColumnLabels = "rule", []string{"x", "y (12 in all)"}
		for _, column := range marks {
			for i, mark := range strings.Split(column, "") {
				row := newRow("arm", 1, 1)
				row.Mark = strings.TrimSpace(mark)
				g.Rows[i] = append(g.Rows[i], &row)
			}
		}
		if got := g.undecided(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestWordsOfGrids explains the cells of a grid without a number, and says which choice is best where.
func TestWordsOfGrids(t *testing.T) {
	row := func(arm string, v float64, base string) *FindingRow {
		r := newRow(arm, 1, v)
		if r.Baseline = base; base != "" {
			r.Ratio.Value = 0.5
		}
		return &r
	}
	g := &FindingGrid{Rows: [][]*FindingRow{{row("x,a", 1, ""), row("y,a", 4, "")}, {row("x,b", 2, "x,a"), row("y,b", 2, "y,a")}, {nil, row("y,c", math.NaN(), "")}}}
	g.Of, g.RowLabels, g.ColumnLabels = "rule", []string{"a", "b", "c"}, []string{"x", "y"}
	f := &Finding{Metric: metric.Metric{Better: metric.LowerIsBetter}, Grid: g}
	if got, want := strings.Join(g.sentences(f), " "), "Best rule: a under x (1); b under y (2)."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	table := f.Table(9)
	if last := strings.Join(table.Rows[2], "|"); last != "c|not run|no value" {
		t.Error(last)
	}
	if last := strings.Join(table.Rows[3], "|"); last != "best ÷ baseline|1|0.5" {
		t.Error(last)
	}
	if got := strings.Join(f.terms(9), " "); got != "not run: the study has no such arm; no value: nothing was recorded; baseline: y,a." {
		t.Error(got)
	}
}

// TestRowsOfGridsByRank: rows are in the order of their mean rank over the columns, and rows of numbers in their own.
func TestRowsOfGridsByRank(t *testing.T) {
	value := func(v float64) *FindingRow { return &FindingRow{Value: v, Ratio: comparison.Ratio{Value: math.NaN()}} }
	g := &FindingGrid{Rows: [][]*FindingRow{{value(3), value(2)}, {nil, value(1)}, {value(1), value(3)}}}
	g.RowLabels, g.ColumnLabels = []string{"a", "b", "c"}, []string{"x", "y"}
	if got := g.ranked(metric.LowerIsBetter, []int{0, 1, 2}); !slices.Equal(got, []int{1, 0, 2}) {
		t.Errorf("rows %v", got)
	}
	if got := g.ranked("", []int{0, 1, 2}); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("without a better side: rows %v", got)
	}
	g.RowLabels = []string{"ε = 4", "ε = 1", "ε = 2"}
	if got := g.ranked(metric.LowerIsBetter, []int{0, 1, 2}); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("rows of numbers %v", got)
	}
}

// TestWordsOfClaims says by how much of the claim a loss is above it.
func TestWordsOfClaims(t *testing.T) {
	claimed := 250.0
	for epsilon, want := range map[float64]string{250: "kept", 251.1: "0.4 % above", 250.1: "0.04 % above", 750: "200 % above", 274.9: "10 % above", 260: "4.0 % above", math.Inf(1): "exceeded"} {
		row := FindingRow{Epsilon: math.Inf(1), Covered: epsilon, Claimed: &claimed}
		if got := row.claimText(); got != want {
			t.Errorf("%v: %q, want %q", epsilon, got, want)
		}
		if got := row.claimCell(); want == kept && got != "kept at 250" {
			t.Errorf("%v: %q", epsilon, got)
		}
	}
}

// TestUnitsOfGrids names the units of rows that protect different ones, and has a best mean for each.
func TestUnitsOfGrids(t *testing.T) {
	row := func(arm string, v float64) *FindingRow {
		r := newRow(arm, 1, v)
		r.Epsilon = 1
		return &r
	}
	g := &FindingGrid{Rows: [][]*FindingRow{{row("a", 1)}, {row("b", 2)}, {row("c", 3)}, {row("d", 4)}}}
	g.Of, g.RowLabels, g.ColumnLabels = "rule", []string{"a", "b", "c", "d"}, []string{"x"}
	g.nameUnits([]results.LedgerEntry{{Arm: "a", Protects: "record"}, {Arm: "b", Protects: "record"}, {Arm: "c", Protects: "participant"}, {Arm: "d", Protects: "participant"}})
	want := "Best rule per record: a under x (1). Best rule per participant: c under x (3). Epsilons for different units do not compare: each has its own best."
	if got := strings.Join(g.sentences(&Finding{Metric: metric.Metric{Better: metric.LowerIsBetter}, Grid: g}), " "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWorstCases names the choice whose worst column is the best, where columns are of settings and no choice is the
// best of all, and counts only columns that all choices have.
func TestWorstCases(t *testing.T) {
	grid := func(key string, rows ...[]float64) *FindingGrid {
		g := &FindingGrid{}
		g.Of, g.RowLabels, g.ColumnLabels, g.Keys = "rule", []string{"a", "b"}, []string{"x", "y", "z"}, []string{key}
		for _, values := range rows {
			var line []*FindingRow
			for _, v := range values {
				row := newRow("arm", 1, v)
				line = append(line, &row)
			}
			g.Rows = append(g.Rows, line)
		}
		return g
	}
	nan := math.NaN()
	for _, test := range []struct {
		g    *FindingGrid
		want string
	}{
		{grid("adversaries.kind", []float64{1, 9, 9}, []float64{4, 5, 6}), "Best worst case: b (6, under z)."},
		{grid("network.loss", []float64{1, 9, 2}, []float64{4, 5, nan}), "Best worst case: b (5, under y), over the 2 columns that all rows have."},
		{grid("adversaries.kind", []float64{1, 2, 3}, []float64{4, 5, 6}), ""},
		{grid("mechanism.epsilon", []float64{1, 9, 9}, []float64{4, 5, 6}), ""},
		{grid("problem.kind", []float64{1, 9, 9}, []float64{4, 5, 6}), ""},
	} {
		if got := test.g.worstCaseText(&Finding{Metric: metric.Metric{Better: metric.LowerIsBetter}}); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// TestShownRows leaves out the rows of the worst mean ranks of a long grid, and keeps the best of each column.
func TestShownRows(t *testing.T) {
	g := &FindingGrid{}
	for _, values := range [][2]float64{{5, 1}, {2, 2}, {3, 3}, {1, 5}} {
		x, y := newRow("x", 1, values[0]), newRow("y", 1, values[1])
		g.Rows, g.RowLabels = append(g.Rows, []*FindingRow{&x, &y}), append(g.RowLabels, "row")
	}
	g.ColumnLabels = []string{"x", "y"}
	if got := g.shown(metric.LowerIsBetter, 3); !slices.Equal(got, []int{0, 1, 3}) {
		t.Errorf("rows %v of the best 3", got)
	}
	if got := g.shown(metric.LowerIsBetter, 4); len(got) != 4 {
		t.Errorf("rows %v of all 4", got)
	}
	f := &Finding{Metric: metric.Metric{Better: metric.LowerIsBetter}, Grid: g}
	if got := strings.Join(f.Remarks(3), " "); got != "The best 3 of 4 rows." || len(f.Table(3).Rows) != 3 {
		t.Errorf("%q of %d rows", got, len(f.Table(3).Rows))
	}
}

// TestRatiosOfColumns has two digits of the ratio of the best of each column to its baseline, which is of the column.
func TestRatiosOfColumns(t *testing.T) {
	row := func(arm, base string, v, low, high float64) *FindingRow {
		r := newRow(arm, 1, v)
		r.Baseline, r.Ratio = base, comparison.Ratio{Value: v, Low: low, High: high}
		return &r
	}
	nan := math.NaN()
	g := &FindingGrid{Rows: [][]*FindingRow{{row("x,a", "", 1, nan, nan), row("y,a", "", 1, nan, nan), row("z,a", "", 1, nan, nan)}, {row("x,b", "x,a", 0.3, 0.21, 0.41), row("y,b", "y,a", 0.5, 0.4, 0.6), row("z,b", "z,a", 0.708, nan, nan)}}}
	g.Of, g.RowLabels, g.ColumnLabels = "rule", []string{"a", "b"}, []string{"x", "y", "z"}
	f := &Finding{Metric: metric.Metric{Better: metric.LowerIsBetter}, Grid: g}
	lines, baseline := g.ratios(f, shortRatio)
	if got := strings.Join(slices.Concat(lines...), "|"); got != "best ÷ baseline|0.3|0.5|0.71" || baseline != `rule "a" of the column` {
		t.Errorf("%q of %q", got, baseline)
	}
	of := tabular.Table{Header: []string{"", "x", "y", "z"}}
	for width, want := range map[int]string{80: "best ÷ baseline|0.30 (0.21 to 0.41)|0.50 (0.40 to 0.60)|0.71", 50: "best ÷ baseline|0.3|0.5|0.71"} {
		if got := strings.Join(g.withRatios(of, f, func(t tabular.Table) bool { return t.Width() <= width }).Rows[0], "|"); got != want {
			t.Errorf("%q in %d columns, want %q", got, width, want)
		}
	}
}

// TestGridWithinATerminal leaves out the intervals of a grid that a terminal does not hold, and says how wide they are. A
// list leaves out those of its ratios.
func TestGridWithinATerminal(t *testing.T) {
	grid := func(columns ...string) *Finding {
		g := &FindingGrid{Grid: plot.Grid{Of: "rule", RowLabels: []string{"a", "b"}, ColumnLabels: columns}}
		f := &Finding{Metric: metric.Metric{Better: metric.LowerIsBetter}, Grid: g}
		for _, value := range []float64{1200, 1300} {
			var line []*FindingRow
			for range columns {
				row := newRow("arm", 1, value)
				row.Half, row.Mark = value/10, "~"
				line, f.Rows = append(line, &row), append(f.Rows, row)
			}
			g.Rows = append(g.Rows, line)
		}
		return f
	}
	if got := strings.Join(grid("x", "y").Table(9).Rows[0], "|"); got != "a|1200 ± 120 ~|1200 ± 120 ~" {
		t.Error(got)
	}
	f := grid("t", "u", "v", "w", "x", "y", "z")
	if table := f.Table(9); table.Rows[0][1] != "1200 ~" || table.Width() > LineWidth {
		t.Errorf("%q in %d columns", table.Rows[0][1], table.Width())
	}
	beside := newRow("private", 1, 9000) // no cell of the grid, and its interval is none of these
	beside.Half = 4000
	f.Rows = append(f.Rows, beside)
	if got := strings.Join(f.Legend(9), " "); got != "half of the 95 % intervals of these means: 120 to 130; a terminal of 88 columns shows each" {
		t.Error(got)
	}
	if f.Width = 100; f.Table(9).Rows[0][1] != "1200±120 ~" {
		t.Errorf("%q at a width of 100", f.Table(9).Rows[0][1])
	}
	if f.Width = 120; f.Table(9).Rows[0][1] != "1200 ± 120 ~" {
		t.Errorf("%q at a width of 120", f.Table(9).Rows[0][1])
	}
	f.Width = 0
	row := newRow("an arm with a name that takes more than half of a line", 1, 2)
	row.Ratio = comparison.Ratio{Value: 2, Low: 1.5, High: 2.5}
	if got := (&Finding{Baseline: "b", Rows: []FindingRow{row}}).Table(9).Rows[0][2]; got != "2.00" {
		t.Error(got)
	}
}

// TestSentencesOfOneArm state the mean of a single arm with its interval, its loss, and whether its claim is kept.
func TestSentencesOfOneArm(t *testing.T) {
	inf, four := math.Inf(1), 4.0
	for want, row := range map[string]FindingRow{
		"Mean 2.00, 95 % interval 1.50 to 2.50. Epsilon 4 over the run, to the strongest observer. The claim is kept.":                              {Half: 0.5, Epsilon: 4, Claimed: &four, Covered: 4},
		"Mean 2. Epsilon 5 over the run, to the strongest observer. That is 25 % above the claim.":                                                  {Half: math.NaN(), Epsilon: 5, Claimed: &four, Covered: 5},
		"Mean 2. No finite epsilon bounds the privacy loss to the strongest observer. The claim is kept: epsilon 3 to the observers that it names.": {Half: math.NaN(), Epsilon: inf, Claimed: &four, Covered: 3},
		"Mean 2. No finite epsilon bounds the privacy loss to the strongest observer. The claim is exceeded.":                                       {Half: math.NaN(), Epsilon: inf, Claimed: &four, Covered: inf},
		"Mean 2.": {Half: math.NaN(), Epsilon: math.NaN()},
	} {
		row.Value = 2
		f := Finding{Rows: []FindingRow{row}}
		if got := strings.Join(f.Answers(), " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestMostAlike names, for each column, the choices that the tests do not tell from the best, unless they are all others.
func TestMostAlike(t *testing.T) {
	g := &FindingGrid{Grid: plot.Grid{Of: "rule", RowLabels: []string{"a", "b", "c", "d"}, ColumnLabels: []string{"x", "y", "z"}}}
	for _, marks := range []string{"***", "~~~", "~~ ", "~  "} {
		var line []*FindingRow
		for _, mark := range marks {
			row := newRow("arm", 1, 1)
			row.Mark = strings.TrimSpace(string(mark))
			line = append(line, &row)
		}
		g.Rows = append(g.Rows, line)
	}
	want := "No other rule is distinguishable from the best under x."
	if got := g.undecided(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for column, want := range []string{"", ", not distinguishable from b and c", ", not distinguishable from b"} {
		if got := g.alikeText(0, column); got != want {
			t.Errorf("column %d: %q, want %q", column, got, want)
		}
	}
}

// TestClaimOfItsObservers holds a claim against the losses to the observers that it names, and of several
// against the one that is largest relative to its claim.
func TestClaimOfItsObservers(t *testing.T) {
	eight, two := 8.0, 2.0
	source := &results.Run{Manifest: results.Manifest{Ledger: []results.LedgerEntry{
		{Arm: "a", Observer: "server"}, {Arm: "a", Observer: "peer", ClaimedEpsilon: &eight}, {Arm: "a", Observer: "public", ClaimedEpsilon: &two}, {Arm: "b", Observer: "peer"},
	}}}
	r := &Run{Run: plot.Run{Source: source}}
	stated := []statement{{observer: "server", epsilon: math.Inf(1)}, {observer: "peer", epsilon: 6}, {observer: "public", epsilon: 2}}
	claimed, loss := r.claimed("a", stated)
	if claimed != &two || loss != 2 {
		t.Errorf("%v and %v, want the claim of 2, and 2", claimed, loss)
	}
	row := FindingRow{Epsilon: math.Inf(1), Claimed: claimed, Covered: loss}
	if row.claimText() != kept {
		t.Error(row.claimText())
	}
	if claimed, loss := r.claimed("b", stated); claimed != nil || !math.IsNaN(loss) {
		t.Errorf("an arm without a claim: %v, %v", claimed, loss)
	}
}

// TestFullGrids takes no grid in whose cells few arms are.
func TestFullGrids(t *testing.T) {
	arm := func(rule, attack string) results.ArmEntry {
		return results.ArmEntry{Name: attack + "," + rule, Values: []results.Value{{Path: "combine.kind", Value: rule}, {Path: "adversaries.kind", Value: attack}}}
	}
	full := []results.ArmEntry{arm("mean", "none"), arm("mean", "scaled"), arm("median", "none"), arm("median", "scaled")}
	sparse := []results.ArmEntry{arm("mean", "none"), arm("median", "scaled"), arm("krum", "silent"), arm("clip", "sign-flip")}
	for want, arms := range map[bool][]results.ArmEntry{true: full, false: sparse} {
		r := &Run{Run: plot.Run{Arms: arms}}
		_, grid := r.Grid()
		if _, ok := r.Full(); !grid || ok != want {
			t.Errorf("%d arms: a grid %v, a full one %v, want %v", len(arms), grid, ok, want)
		}
	}
}

// TestOpening states the question and the answer where an arm is the best, and else what is known.
func TestOpening(t *testing.T) {
	row := func(arm string, v, epsilon float64) FindingRow {
		return FindingRow{Arm: arm, Value: v, Half: math.NaN(), Epsilon: epsilon}
	}
	f := &Finding{Metric: metric.Metric{Name: "loss", Label: "loss", Better: metric.LowerIsBetter}, Step: 9, Seeds: 4, Rows: []FindingRow{row("none", 1, math.Inf(1)), row("a", 3, 2), row("b", 5, 1)}}
	f.Sentences = f.verdict()
	reported := f.Reported()
	if got, want := reported.Question, "3 arms are compared by the loss at step 9, over 4 seeds; lower is better."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := strings.Join(reported.Answer, " "), "Lowest mean: none (1). Best private arm: a (3) with epsilon 2 over the run, 3 times none."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if slices.ContainsFunc(reported.Texts, func(text string) bool { return strings.HasPrefix(text, "Lowest mean") }) {
		t.Errorf("%+v says twice which arm is the best", reported)
	}
	alone := &Finding{Metric: f.Metric, Step: 9, Seeds: 4, Rows: []FindingRow{row("a", 3, 2)}}
	if one := alone.Reported(); one.Question != "The loss at step 9, over 4 seeds; lower is better." || strings.Join(one.Answer, " ") != "Mean 3. Epsilon 2 over the run, to the strongest observer." || one.Compares() {
		t.Errorf("a single arm: %+v", one)
	}
	f.Sentences = []string{"They solve different problems."}
	if got, want := strings.Join(f.Reported().Answer, " "), "They solve different problems."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRatioOfFewSeeds: an interval over more than three decades is no number for people.
func TestRatioOfFewSeeds(t *testing.T) {
	for want, r := range map[string]comparison.Ratio{
		"too few seeds":    {Value: 9.181, Low: 5.872e-06, High: 1.436e+07},
		"1.7 (0.7 to 3.7)": {Value: 1.7, Low: 0.7, High: 3.7},
	} {
		if got := ratioText(r); got != want {
			t.Errorf("%v: %q, want %q", r, got, want)
		}
	}
}

// TestGridsOfManyColumns states the choice with the most columns, the others by their number, the worst value and the
// number of choices that tests do not tell from the best.
func TestGridsOfManyColumns(t *testing.T) {
	g := &FindingGrid{}
	g.Of, g.ColumnLabels = "rule", []string{"v", "w", "x", "y"}
	for i, values := range [][]float64{{1, 1, 9, 9}, {2, 2, 1, 2}, {3, 3, 3, 1}} {
		name := string(rune('a' + i))
		var line []*FindingRow
		for k, v := range values {
			row := newRow(g.ColumnLabels[k]+","+name, 1, v)
			if row.Mark = ""; v == 1 {
				row.Mark = "*"
			} else if i == 1 {
				row.Mark = "~"
			}
			row.Group = k
			line = append(line, &row)
		}
		g.Rows, g.RowLabels = append(g.Rows, line), append(g.RowLabels, name)
	}
	want := "Best rule: a under 2 of 4 conditions (v, w); 2 others under one each. Best worst case: b (2, under v). Worst of all: a under x (9). Of the 8 others in the table, 3 are not significantly different from the best of their column."
	if got := strings.Join(g.sentences(&Finding{Metric: metric.Metric{Better: metric.LowerIsBetter}, Grid: g}), " "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
