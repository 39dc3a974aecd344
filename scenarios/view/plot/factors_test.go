package plot

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"starling/actors/option"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// gridRun is a run of all combinations of so many values of epsilon, nodes and gap.
func gridRun(epsilons, nodes, gaps int) Run {
	run := Run{Scenario: "s", Label: "s 0123", Rows: map[string][]results.SummaryRow{}}
	for e := range epsilons {
		for n := range nodes {
			for g := range gaps {
				arm := results.ArmEntry{Values: []results.Value{
					{Path: "mechanism.epsilon", Value: fmt.Sprint(e + 1)}, {Path: "nodes", Value: fmt.Sprint(n + 2)}, {Path: "problem.gap", Value: fmt.Sprint(g)},
				}}
				arm.Name = valuesBut(&arm)
				run.Arms = append(run.Arms, arm)
				for step := range 2 {
					take(&run, results.SummaryRow{Arm: arm.Name, Step: int64(step + 1), Metric: gauge.RegretRun, Mean: float64(e + n + g + step), SE: 1, N: 4})
				}
			}
		}
	}
	return run
}

// TestFacets draws a chart for each value, whose curves are named by what else arms set.
func TestFacets(t *testing.T) {
	f, err := Figure([]Run{gridRun(2, 3, 1)}, study.PlotOptions{Metric: gauge.RegretRun, Band: study.BandSE, Facet: "nodes", Hue: "mechanism.epsilon"})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Series) != 0 || len(f.Panels) != 3 || f.Panels[2].Title != "nodes = 4" || len(f.Panels[2].Series) != 2 {
		t.Fatalf("%+v", f)
	}
	if s := f.Panels[2].Series[1]; s.Name != "epsilon=2,gap=0" || s.Hue != "ε = 2" || s.Dash != "" || s.Y[0] != 3 {
		t.Errorf("%+v", s)
	}
	swept, err := Figure([]Run{gridRun(2, 3, 1)}, study.PlotOptions{Metric: gauge.RegretRun, X: "nodes", Band: study.BandSE, Facet: "mechanism.epsilon"})
	if err != nil || len(swept.Panels) != 2 || len(swept.Panels[0].Series) != 1 || len(swept.Panels[0].Series[0].X) != 3 {
		t.Errorf("%v, %+v", err, swept)
	}
	one, other := gridRun(1, 2, 1), gridRun(1, 2, 1)
	other.Label = "s 4567"
	runs, err := Figure([]Run{one, other}, study.PlotOptions{Metric: gauge.RegretRun, Band: study.BandSE, Facet: study.EachRun})
	if err != nil || len(runs.Panels) != 2 || runs.Panels[1].Title != "s 4567" || runs.Panels[1].Series[0].Name != "epsilon=1,nodes=2,gap=0" {
		t.Errorf("%v, %+v", err, runs)
	}
}

// TestFacetsOfTheFile has arms with a value of the file in the chart of that value, and those without any in each chart.
func TestFacetsOfTheFile(t *testing.T) {
	doc, err := document.ParseText("scenario", "adversaries: {kind: none}\nmechanism: {kind: laplace, epsilon: 2}")
	if err != nil {
		t.Fatal(err)
	}
	arm := func(name string, values ...results.Value) results.ArmEntry {
		return results.ArmEntry{Name: name, Values: values}
	}
	for _, test := range []struct {
		key   string
		arms  []results.ArmEntry
		whole []int // curves by chart
	}{
		{"adversaries.kind", []results.ArmEntry{arm("a", results.Value{Path: "adversaries.kind", Value: "none"}), arm("b", results.Value{Path: "adversaries.kind", Value: "scaled"}), arm("base")}, []int{2, 1}},
		{"adversaries.kind", []results.ArmEntry{arm("a", results.Value{Path: "adversaries.kind", Value: "silent"}), arm("b", results.Value{Path: "adversaries.kind", Value: "scaled"}), arm("base")}, []int{2, 2}},
		{"adversaries.kind", []results.ArmEntry{arm("a", results.Value{Path: "adversaries.kind", Value: "none"}), arm("b", results.Value{Path: "adversaries.kind", Value: "scaled"}), arm("off", results.Value{Path: "adversaries", Value: "null"})}, []int{2, 2}},
		{"mechanism.epsilon", []results.ArmEntry{arm("a", results.Value{Path: "mechanism.epsilon", Value: "1"}), arm("b", results.Value{Path: "mechanism.epsilon", Value: "2"}), arm("none", results.Value{Path: "mechanism.kind", Value: "none"})}, []int{2, 2}},
	} {
		list, err := facets([]Run{{Arms: test.arms, Base: doc}}, &study.PlotOptions{Facet: test.key})
		if err != nil {
			t.Fatal(err)
		}
		var curves []int
		for _, f := range list {
			curves = append(curves, len(f.runs[0].Arms))
		}
		if !slices.Equal(curves, test.whole) {
			t.Errorf("%s of %v: %v curves by chart, want %v", test.key, test.arms, curves, test.whole)
		}
	}
}

// TestManyArmsHaveFactors: of more than 8 arms that differ in two keys, one has the colours
// and the other the dashes, or the charts where there are more than 12; of three, one has charts;
// fewer keep a colour each, but for one key of numbers, which has a ramp.
func TestManyArmsHaveFactors(t *testing.T) {
	for _, test := range []struct {
		epsilons, nodes, gaps int
		panels, hues, dashes  int
	}{{2, 4, 1, 1, 1, 1}, {3, 4, 1, 1, 4, 3}, {2, 6, 1, 1, 6, 2}, {2, 3, 4, 3, 4, 2}, {7, 8, 1, 7, 8, 1}} {
		o := study.PlotOptions{Metric: gauge.RegretRun, Band: study.NoBand, Crowded: true}
		f, err := Figure([]Run{gridRun(test.epsilons, test.nodes, test.gaps)}, o)
		if err != nil {
			t.Fatal(err)
		}
		hues, dashes := map[string]bool{}, map[string]bool{}
		for _, p := range f.Charts() {
			for _, s := range p.Series {
				hues[s.Hue], dashes[s.Dash] = true, true
			}
		}
		if got := [3]int{len(f.Charts()), len(hues), len(dashes)}; got != [3]int{test.panels, test.hues, test.dashes} {
			t.Errorf("%+v: %v charts, colours and dashes", test, got)
		}
		if len(f.Charts()) == 1 && test.hues > 1 && f.Note != "" {
			t.Errorf("%+v: note %q", test, f.Note)
		}
	}
	nine := gridRun(9, 1, 1)
	f, err := Figure([]Run{nine}, study.PlotOptions{Metric: gauge.RegretRun, Band: study.NoBand})
	if err != nil || len(f.Ramp) != 9 || f.Ramp[8] != "ε = 9" || f.Series[8].Hue != "ε = 9" || f.Note != "" {
		t.Errorf("%v, %q, note %q", err, f.Ramp, f.Note)
	}
}

// TestReferencesKeepStyles: where values give colours, an arm without a number has the colour
// of its own and a dash that says what it has.
func TestReferencesKeepStyles(t *testing.T) {
	run := sweptRun([2]string{"10", "3"}, [2]string{"0.5", "3"}, [2]string{"10", "6"}, [2]string{"0.5", "6"}, [2]string{"none", "3"}, [2]string{"none", "6"})
	f, err := Figure([]Run{run}, study.PlotOptions{Metric: gauge.RegretRun, X: "mechanism.epsilon", Hue: "nodes", Band: study.NoBand})
	if err != nil {
		t.Fatal(err)
	}
	lines := f.Lines()[0]
	if len(lines) != 4 || !f.Series[3].Reference || lines[3].Color != lines[1].Color || lines[3].Color == lines[0].Color || lines[3].Dash == nil || f.Series[3].Dash != "no noise" {
		t.Errorf("%+v of %+v", lines, f.Series)
	}
}

// TestFactorErrors checks what gives no chart, colour or dash.
func TestFactorErrors(t *testing.T) {
	run := gridRun(2, 2, 1)
	wide := gridRun(1, 1, 30)
	for _, test := range []struct {
		run  Run
		o    study.PlotOptions
		want string
	}{
		{run, study.PlotOptions{Facet: "node"}, `facet: arm epsilon=1,nodes=2,gap=0 does not set "node"; did you mean "nodes"?`},
		{run, study.PlotOptions{Hue: "nodes", X: "nodes"}, "hue: nodes is on the x axis"},
		{run, study.PlotOptions{Dash: "nodes", Facet: "nodes"}, "dash: nodes has a chart for each value (facet)"},
		{run, study.PlotOptions{X: "nodes", By: "problem.gap", Hue: "mechanism.epsilon"}, "by: the arms epsilon=1,nodes=2,gap=0 and epsilon=2,nodes=2,gap=0 would be the same curve, at nodes = 2; tell them apart"},
		{wide, study.PlotOptions{Facet: "problem.gap"}, "facet: problem.gap has 30 values; at most 24 charts are drawn"},
		{wide, study.PlotOptions{Hue: "problem.gap"}, fmt.Sprintf("hue: problem.gap has 30 values; at most %d colours can be distinguished", figure.MostHues)},
		{wide, study.PlotOptions{Dash: "problem.gap"}, fmt.Sprintf("dash: problem.gap has 30 values; at most %d dashes can be distinguished", figure.MostDashes)},
	} {
		test.o.Metric, test.o.Band = gauge.RegretRun, study.BandSE
		err := test.o.Validate()
		if err == nil {
			_, err = Figure([]Run{test.run}, test.o)
		}
		if err == nil || err.Error() != test.want {
			t.Errorf("%+v: %v, want %s", test.o, err, test.want)
		}
	}
	crossed := gridRun(2, 2, 1)
	crossed.Arms = []results.ArmEntry{crossed.Arms[0], crossed.Arms[3]}
	_, err := Figure([]Run{crossed}, study.PlotOptions{Metric: gauge.RegretRun, X: "nodes", By: study.EachRun, Hue: "mechanism.epsilon", Band: study.NoBand})
	if err == nil || !strings.HasPrefix(err.Error(), "hue: the curve s 0123 is of ε = 1 and ε = 2") {
		t.Errorf("a curve of two colours: %v", err)
	}
}

// The keys of an arm are those that it sets and those inside of its mappings, each once.
func TestKeysOf(t *testing.T) {
	arm := results.ArmEntry{Values: []results.Value{{Path: "algorithm", Value: "ofl"}, {Path: "mechanism", Value: "{kind: tree, deep: {er: 1}}"}, {Path: "mechanism.kind", Value: "none"}}}
	if got := strings.Join(KeysOf(&arm), " "); got != "algorithm mechanism mechanism.kind mechanism.deep mechanism.deep.er" {
		t.Error(got)
	}
}

// TestNamesOfCurves holds that a curve over a swept key has the name of its arms without that
// key, where they have one, and else the values that they set.
func TestNamesOfCurves(t *testing.T) {
	arm := func(name string, values ...string) *results.ArmEntry {
		a := &results.ArmEntry{Name: name}
		for i := 0; i < len(values); i += 2 {
			a.Values = append(a.Values, results.Value{Path: values[i], Value: values[i+1]})
		}
		return a
	}
	for _, test := range []struct {
		arm  *results.ArmEntry
		want string
	}{
		{arm("dsgd,epsilon=1", "algorithm", "{kind: dsgd}", "match.epsilon", "1"), "dsgd"},
		{arm("ring,a=2,epsilon=1", "topology.a", "2", "match.epsilon", "1"), "ring,a=2"},
		{arm("a=2,epsilon=1", "topology.a", "2", "match.epsilon", "1"), "a=2"},
		{arm("epsilon=1", "match.epsilon", "1"), ""},
		{arm("eps=1,central", "match.epsilon", "1", "topology.kind", "star"), "central"}, // the name cuts the key short
		{arm("loud", "match.epsilon", "1", "horizon", "5"), "horizon=5"},
	} {
		if got := nameBut(test.arm, "match.epsilon", ""); got != test.want {
			t.Errorf("%s: %q, want %q", test.arm.Name, got, test.want)
		}
	}
}

// TestNoLogarithmOfWords refuses a logarithmic axis of a key without numbers.
func TestNoLogarithmOfWords(t *testing.T) {
	_, err := Figure([]Run{attacked()}, study.PlotOptions{Metric: gauge.RegretRun, X: "adversaries.kind", LogX: true, Band: study.BandSE, Known: lowerRegret})
	var fault *option.Error
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), "adversaries.kind has values that are no numbers") {
		t.Errorf("error %v", err)
	}
}

// TestChartsAreNoPartOfNames: the name of a curve has no value in the title of its chart, where an arm of a list states
// it, unless another arm has the name that is left.
func TestChartsAreNoPartOfNames(t *testing.T) {
	arms := []results.ArmEntry{
		{Name: "central,epsilon=2", Values: []results.Value{{Path: "algorithm.kind", Value: "central"}, {Path: "match", Value: "{epsilon: 2, delta: 1e-5}"}}},
		{Name: "local,epsilon=2", Values: []results.Value{{Path: "algorithm.kind", Value: "local"}, {Path: "match", Value: "{epsilon: 2, delta: 1e-5}"}}},
		{Name: "local", Values: []results.Value{{Path: "algorithm.kind", Value: "local"}}},
	}
	p := plotter{options: &study.PlotOptions{Facet: "match.epsilon"}, runs: []Run{{Arms: arms}}}
	for i, want := range []string{"central", "local,epsilon=2", "local"} {
		if got := p.armName(&arms[i]); got != want {
			t.Errorf("%s: %s, want %s", arms[i].Name, got, want)
		}
	}
}

// TestOneCurveInEachChart: where charts tell the arms apart, all curves have one colour and no dash, and the line across
// is named as elsewhere.
func TestOneCurveInEachChart(t *testing.T) {
	run := sweptRun([2]string{"10", "3"}, [2]string{"0.5", "3"}, [2]string{"10", "6"}, [2]string{"0.5", "6"}, [2]string{"none", "3"}, [2]string{"none", "6"})
	f, err := Figure([]Run{run}, study.PlotOptions{Metric: gauge.RegretRun, X: "mechanism.epsilon", Facet: "nodes", Band: study.NoBand})
	if err != nil {
		t.Fatal(err)
	}
	lines := f.Lines()
	for k, p := range f.Panels {
		if lines[k][0].Color != lines[0][0].Color || lines[k][0].Dash != nil || p.Series[1].Shown() != withoutNoise {
			t.Errorf("%s: %+v of %+v", p.Title, lines[k], p.Series)
		}
	}
}
