package plot

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"starling/scenarios/gauge"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// sweptRun is a run of four arms whose metric m at step t is
// 10 epsilon + nodes + t, with standard error 1 over 4 seeds.
func sweptRun(values ...[2]string) Run {
	run := Run{Scenario: "s", Label: "s 0123", Rows: map[string][]results.SummaryRow{}}
	for _, v := range values {
		name := "epsilon=" + v[0] + ",nodes=" + v[1]
		run.Arms = append(run.Arms, results.ArmEntry{Name: name, Values: []results.Value{{Path: "mechanism.epsilon", Value: v[0]}, {Path: "nodes", Value: v[1]}}})
		epsilon, _ := AxisNumber(v[0])
		nodes, _ := AxisNumber(v[1])
		for step := range 3 {
			take(&run,
				results.SummaryRow{Arm: name, Step: int64(step + 1), Metric: gauge.RegretRun, Mean: 10*epsilon + nodes + float64(step+1), SE: 1, N: 4},
				results.SummaryRow{Arm: name, Step: int64(step + 1), Metric: gauge.MessagesSent, Mean: 100 * float64(step+1), SE: 0, N: 4})
		}
	}
	return run
}

// take adds rows to those of a run.
func take(run *Run, rows ...results.SummaryRow) {
	for _, row := range rows {
		run.Rows[row.Metric] = append(run.Rows[row.Metric], row)
	}
}

// TestPlotAxes checks the curves of each choice of axes.
func TestPlotAxes(t *testing.T) {
	run := sweptRun([2]string{"10", "3"}, [2]string{"0.5", "3"}, [2]string{"10", "6"}, [2]string{"0.5", "6"}, [2]string{"none", "6"})
	for name, test := range map[string]struct {
		options study.PlotOptions
		want    []figure.Series
		title   string
	}{
		"a swept key by what else differs, in numeric order": {
			study.PlotOptions{X: "mechanism.epsilon", Band: study.NoBand},
			[]figure.Series{
				{Name: "nodes=3", Label: "nodes = 3", Hue: "nodes = 3", X: []float64{0.5, 10}, Y: []float64{11, 106}}, {Name: "nodes=6", Label: "nodes = 6", Hue: "nodes = 6", X: []float64{0.5, 10}, Y: []float64{14, 109}},
				{Name: "epsilon=none,nodes=6", X: []float64{0.5, 10}, Y: []float64{9, 9}, Reference: true, Hue: "nodes = 6", Dash: "no noise"},
			},
			"s: regret.run at the last step",
		},
		"a swept key by another, at a step": {
			study.PlotOptions{X: "mechanism.epsilon", By: "nodes", At: 1, Band: study.BandSD},
			[]figure.Series{
				{Name: "nodes=3", Label: "nodes = 3", Hue: "nodes = 3", X: []float64{0.5, 10}, Y: []float64{9, 104}, Low: []float64{7, 102}, High: []float64{11, 106}, Bars: true},
				{Name: "nodes=6", Label: "nodes = 6", Hue: "nodes = 6", X: []float64{0.5, 10}, Y: []float64{12, 107}, Low: []float64{10, 105}, High: []float64{14, 109}, Bars: true},
				{Name: "epsilon=none,nodes=6", X: []float64{0.5, 10}, Y: []float64{7, 7}, Low: []float64{5, 5}, High: []float64{9, 9}, Reference: true, Hue: "nodes = 6", Dash: "no noise"},
			},
			"s: regret.run at step 1",
		},
		"some arms": {
			study.PlotOptions{X: "mechanism.epsilon", Arms: []string{"epsilon=10,nodes=6", "epsilon=0.5*"}, Band: study.NoBand},
			[]figure.Series{{Name: "nodes=3", Label: "nodes = 3", Place: 1, X: []float64{0.5}, Y: []float64{11}}, {Name: "nodes=6", Label: "nodes = 6", Place: 2, X: []float64{0.5, 10}, Y: []float64{14, 109}}},
			"s: regret.run at the last step",
		},
		"steps": {
			study.PlotOptions{PerStep: true, Band: study.NoBand},
			[]figure.Series{
				{Name: "epsilon=10,nodes=3", Label: "ε = 10, nodes = 3", X: []float64{1, 2, 3}, Y: []float64{104, 52.5, 106. / 3}},
				{Name: "epsilon=0.5,nodes=3", Label: "ε = 0.5, nodes = 3", X: []float64{1, 2, 3}, Y: []float64{9, 5, 11. / 3}},
				{Name: "epsilon=10,nodes=6", Label: "ε = 10, nodes = 6", X: []float64{1, 2, 3}, Y: []float64{107, 54, 109. / 3}},
				{Name: "epsilon=0.5,nodes=6", Label: "ε = 0.5, nodes = 6", X: []float64{1, 2, 3}, Y: []float64{12, 6.5, 14. / 3}},
				{Name: "epsilon=none,nodes=6", Label: "no noise, nodes = 6", X: []float64{1, 2, 3}, Y: []float64{7, 4, 3}},
			},
			"s: regret.run",
		},
	} {
		test.options.Metric = gauge.RegretRun
		f, err := Figure([]Run{run}, test.options)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(test.want, f.Series, cmpopts.EquateApprox(1e-12, 0), cmpopts.IgnoreFields(figure.Series{}, unplaced(test.options.X)...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if f.Title != test.title {
			t.Errorf("%s: title %q, want %q", name, f.Title, test.title)
		}
	}
	one := sweptRun([2]string{"1", "3"})
	f, err := Figure([]Run{one}, study.PlotOptions{Metric: gauge.RegretRun, X: gauge.MessagesSent, Band: study.NoBand, Title: "mine", Known: gauge.RegretMetrics()})
	want := []figure.Series{{X: []float64{100, 200, 300}, Y: []float64{14, 15, 16}}}
	if diff := cmp.Diff(want, f.Series); err != nil || diff != "" || f.Title != "mine" || f.XLabel != "messages sent" {
		t.Errorf("a metric: %v, %+v\n%s", err, f, diff)
	}
	other := sweptRun([2]string{"2", "3"}, [2]string{"1", "3"})
	other.Label = "s 4567"
	f, err = Figure([]Run{one, other}, study.PlotOptions{Metric: gauge.RegretRun, X: "mechanism.epsilon", By: study.EachRun, Band: study.NoBand})
	want = []figure.Series{{Name: "s 0123", X: []float64{1}, Y: []float64{16}}, {Name: "s 4567", X: []float64{1, 2}, Y: []float64{16, 26}}}
	if diff := cmp.Diff(want, f.Series); err != nil || diff != "" {
		t.Errorf("runs: %v\n%s", err, diff)
	}
}

// unplaced are the fields of styles by the arms of the run, which curves of arms over steps have.
func unplaced(x string) []string {
	if x == "" {
		return []string{"Place", "Baseline"}
	}
	return []string{"Baseline"}
}

// TestPlotAxisErrors checks what has no place on the axes or would mix arms.
func TestPlotAxisErrors(t *testing.T) {
	run := sweptRun([2]string{"1", "3"}, [2]string{"1.0", "3"})
	for _, test := range []struct {
		options study.PlotOptions
		want    string
	}{
		{study.PlotOptions{X: "mechanism.epsilon"}, "by: the arms epsilon=1,nodes=3 and epsilon=1.0,nodes=3 would be the same curve, at mechanism.epsilon = 1; tell them apart"},
		{study.PlotOptions{By: "nodes"}, "by: the arms epsilon=1,nodes=3 and epsilon=1.0,nodes=3 would be the same curve; tell them apart"},
		{study.PlotOptions{X: "nodes", At: 5}, "at: arm epsilon=1,nodes=3 has no record of regret.run at step 5; the nearest is at 3"},
		{study.PlotOptions{At: 5}, "at: only an axis of a swept key shows one step; x is step"},
		{study.PlotOptions{X: "nods"}, `x: arm epsilon=1,nodes=3 does not set "nods"; did you mean "nodes"?`},
	} {
		test.options.Metric, test.options.Band = gauge.RegretRun, study.BandSE
		err := test.options.Validate()
		if err == nil {
			_, err = Figure([]Run{run}, test.options)
		}
		if err == nil || err.Error() != test.want {
			t.Errorf("%+v: %v, want %s", test.options, err, test.want)
		}
	}
}

// TestAxisNumber checks which texts of swept values are numbers.
func TestAxisNumber(t *testing.T) {
	for text, want := range map[string]float64{"1": 1, "-0.5": -0.5, "1e3": 1000, ".5": 0.5, "2.": 2, "+3E-1": 0.3, "1/4": 0.25} {
		if got, ok := AxisNumber(text); !ok || got != want {
			t.Errorf("%s is %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "none", "inf", "nan", ".inf", "0x10", "1_0", "1/0", "[1]", "1e999", "ring", "1 2"} {
		if got, ok := AxisNumber(text); ok {
			t.Errorf("%s is %v", text, got)
		}
	}
}

// TestPlotTitle checks that the title says whose numbers these are and that an
// arm is missing.
func TestPlotTitle(t *testing.T) {
	run := Run{Scenario: "s"}
	banded, plain := &figure.Figure{Series: []figure.Series{{Low: []float64{1}, High: []float64{2}}}}, &figure.Figure{Series: []figure.Series{{}}}
	options := study.PlotOptions{Metric: "m", Band: study.BandSD}
	for _, test := range []struct {
		got, want string
	}{
		{plotTitle([]Run{run}, options, banded, 1, 1, 0), "s: m"},
		{plotTitle([]Run{run}, options, plain, 1, 3, 0), "s: m (1 of 3 arms have it)"},
		{plotTitle([]Run{run, run}, options, banded, 1, 1, 0), "m"},
		{plotTitle([]Run{run}, study.PlotOptions{Metric: "m", X: "nodes", Band: study.BandSD}, banded, 2, 3, 0), "s: m at the last step (2 of 3 arms have a place)"},
		{plotTitle([]Run{run}, study.PlotOptions{Metric: "m", X: "nodes", At: 7}, plain, 3, 3, 0), "s: m at step 7"},
		{plotTitle([]Run{run}, study.PlotOptions{Metric: "m", X: "nodes"}, plain, 3, 3, 5), "s: m at step 5, which all reached"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}
