package plot

import (
	"slices"
	"testing"

	"starling/scenarios/gauge"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// namesOf are the names of the curves of a figure, panel by panel.
func namesOf(f *figure.Figure) (names []string) {
	for _, panel := range f.Charts() {
		for _, s := range panel.Series {
			names = append(names, s.Name)
		}
	}
	return names
}

// markedRun is a run of arms that differ in nodes and epsilon, whose consensus.error is given,
// by step.
func markedRun(values ...[]float64) Run {
	run := Run{Scenario: "s", Label: "s 0123", Rows: map[string][]results.SummaryRow{}}
	for i, list := range values {
		arm := results.ArmEntry{Name: string(rune('a' + i)), Values: []results.Value{
			{Path: "nodes", Value: []string{"0", "6"}[i%2]}, {Path: "mechanism.epsilon", Value: []string{"1", "2"}[i/2]},
		}}
		run.Arms = append(run.Arms, arm)
		for step, value := range list {
			take(&run, results.SummaryRow{Arm: arm.Name, Step: int64(step + 1), Metric: gauge.Consensus, Mean: value, SE: 0, N: 3})
		}
	}
	return run
}

// A curve with values that a logarithmic axis does not show is marked in the legend, wherever
// the figure is from; on a linear axis, and where it only begins at 0, it is not.
func TestLostPointsAreMarked(t *testing.T) {
	zeros, gap, begins := []float64{0, 0, 0}, []float64{2, 0, 1}, []float64{0, 0, 3}
	for name, test := range map[string]struct {
		run     Run
		options study.PlotOptions
		want    []string
		note    string
	}{
		"linear":            {markedRun(zeros, gap, begins), study.PlotOptions{}, []string{"a", "b", "c"}, ""},
		"logarithmic":       {markedRun(zeros, gap, begins), study.PlotOptions{LogY: true}, []string{"a (≤ 0)", "b (≤ 0)", "c"}, ""},
		"negative":          {markedRun([]float64{-1, 2}, begins), study.PlotOptions{LogY: true}, []string{"a (≤ 0)", "b"}, ""},
		"one arm":           {markedRun(gap), study.PlotOptions{LogY: true}, []string{"a (≤ 0)"}, ""},
		"one arm that fits": {markedRun(begins), study.PlotOptions{LogY: true}, []string{""}, ""},
		"a swept x of 0":    {markedRun(begins, begins), study.PlotOptions{X: "nodes", LogX: true}, []string{"epsilon=1 (x ≤ 0)"}, ""},
		"both axes":         {markedRun(begins, zeros), study.PlotOptions{X: "nodes", LogX: true, LogY: true}, nil, ""},
		// A curve has one style in all panels, by its name.
		"panels": {markedRun(zeros, gap, begins, begins), study.PlotOptions{Facet: "mechanism.epsilon", LogY: true},
			[]string{"nodes=0 (≤ 0)", "nodes=6 (≤ 0)", "nodes=0 (≤ 0)", "nodes=6 (≤ 0)"}, ""},
		"values": {markedRun(zeros, gap, begins, begins), study.PlotOptions{Hue: "nodes", Dash: "mechanism.epsilon", LogY: true},
			[]string{"a (≤ 0)", "b (≤ 0)", "c", "d"}, "Some points are not drawn: a; b (0 or less, which a logarithmic axis does not show)."},
	} {
		test.options.Metric, test.options.Band = gauge.Consensus, study.NoBand
		if test.options.Facet != "" {
			for i := range test.run.Arms {
				test.run.Arms[i].Name = valuesBut(&test.run.Arms[i])
			}
			rows := test.run.Rows[gauge.Consensus]
			for i := range rows {
				rows[i].Arm = test.run.Arms[i/3].Name
			}
		}
		f, err := Figure([]Run{test.run}, test.options)
		if test.want == nil {
			if err == nil {
				t.Errorf("%s: curves %q, want an error: no point can be drawn", name, namesOf(&f))
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := namesOf(&f); !slices.Equal(got, test.want) || f.Note != test.note {
			t.Errorf("%s: curves %q, note %q; want %q, %q", name, got, f.Note, test.want, test.note)
		}
		for _, marked := range namesOf(&f) {
			if bare := Unmarked(marked); bare == "" && marked != "" || Unmarked(bare) != bare {
				t.Errorf("%s: %q without marks is %q", name, marked, bare)
			}
		}
	}
}

// The usual figures choose a logarithmic axis by themselves, and mark what it does not show.
func TestUsualFiguresMarkLostPoints(t *testing.T) {
	rows := func(arm string, values ...float64) (list []results.SummaryRow) {
		for step, v := range values {
			list = append(list, results.SummaryRow{Arm: arm, Step: int64(step + 1), Metric: gauge.Consensus, Mean: v})
		}
		return list
	}
	got := usual(armsNamed("a", "b"), slices.Concat(rows("a", 0, 0), rows("b", 0, 1)), nil)
	if len(got) != 1 || !slices.Equal(namesOf(&got[0].Figure), []string{"a (≤ 0)", "b"}) {
		t.Errorf("figures %+v", got)
	}
	if got := usual(armsNamed("a"), rows("a", 1, 0), nil); len(got) != 1 || !slices.Equal(namesOf(&got[0].Figure), []string{"a (≤ 0)"}) {
		t.Errorf("figures of one arm %+v", got)
	}
}
