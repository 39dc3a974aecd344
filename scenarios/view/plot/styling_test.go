package plot

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// listedRun is a run of a list of so many arms beside a grid of epsilons, and of an arm that
// sets nothing.
func listedRun(names int, epsilons ...string) Run {
	run := Run{Scenario: "s", Label: "s 0123", Rows: map[string][]results.SummaryRow{}}
	add := func(arm results.ArmEntry) {
		run.Arms = append(run.Arms, arm)
		for step := range 2 {
			take(&run, results.SummaryRow{Arm: arm.Name, Step: int64(step + 1), Metric: gauge.RegretRun, Mean: float64(len(run.Arms) + step), SE: 1, N: 4})
		}
	}
	for n := range names {
		for _, epsilon := range epsilons {
			values := []results.Value{{Path: "algorithm", Value: fmt.Sprintf("{kind: a%d}", n)}, {Path: "match.epsilon", Value: epsilon}}
			add(results.ArmEntry{Name: fmt.Sprintf("a%d,epsilon=%s", n, epsilon), Values: values})
		}
	}
	add(results.ArmEntry{Name: "base"})
	return run
}

// TestListBesideGrid gives the names of a list their colours and the values of the grid their
// charts or dashes; an arm that sets nothing stands in every chart, in grey.
func TestListBesideGrid(t *testing.T) {
	for _, test := range []struct {
		names          int
		epsilons       []string
		charts, dashes int
	}{{5, []string{"8", "none"}, 1, 2}, {7, []string{"8", "30", "none"}, 3, 1}, {2, []string{"8"}, 1, 1}} {
		run := listedRun(test.names, test.epsilons...)
		f, err := Figure([]Run{run}, study.PlotOptions{Metric: gauge.RegretRun, Band: study.BandSE})
		if err != nil {
			t.Fatal(err)
		}
		dashes, grey := map[string]bool{}, 0
		for _, panel := range f.Charts() {
			for _, s := range panel.Series {
				switch {
				case s.Name == "base":
					grey++
				case test.names > 2 && s.Hue != s.Name[:2]:
					t.Errorf("%s has the colour of %q", s.Name, s.Hue)
				}
				dashes[s.Dash] = true
			}
		}
		delete(dashes, "")
		if got := [3]int{len(f.Charts()), max(1, len(dashes)), grey}; got != [3]int{test.charts, test.dashes, test.charts} {
			t.Errorf("%+v: %d charts, dashes and grey curves", test, got)
		}
		if test.charts == 3 && (f.Panels[1].Title != "ε = 30" || f.Panels[2].Title != "no noise" || len(f.Panels[0].Series) != 8) {
			t.Errorf("panels %+v", f.Panels)
		}
	}
}

// TestOwnStyling gives a figure the charts and colours of the study's own figure, unless two arms would be alike.
func TestOwnStyling(t *testing.T) {
	var run Run
	for _, attack := range []string{"none", "flip", "scaled"} {
		for _, rule := range []string{"mean", "median", "krum", "clipped", "trimmed"} {
			run.Arms = append(run.Arms, results.ArmEntry{Name: attack + "," + rule, Values: []results.Value{{Path: "adversaries.kind", Value: attack}, {Path: "algorithm.combine.kind", Value: rule}}})
		}
	}
	charts := func(asked ...study.PlotSection) (titles []string) {
		run.Asked = asked
		var f figure.Figure
		for _, arm := range run.Arms {
			f.Series = append(f.Series, figure.Series{Name: arm.Name, X: []float64{1}, Y: []float64{1}})
		}
		if !run.Arrange(&f) {
			t.Fatal("the figure has no styles")
		}
		for _, panel := range f.Panels {
			titles = append(titles, panel.Title)
		}
		return titles
	}
	usual, own := charts(), charts(study.PlotSection{Facet: "algorithm.combine.kind", Hue: "adversaries.kind"})
	if len(usual) != 3 || !slices.Equal(own, []string{"mean", "median", "krum", "clipped", "trimmed"}) {
		t.Errorf("charts %q, and as the study's own figure %q", usual, own)
	}
	if alike := charts(study.PlotSection{Hue: "adversaries.kind"}); !slices.Equal(alike, usual) {
		t.Errorf("one colour for several arms: charts %q, want %q", alike, usual)
	}
}

// TestTooManyNames leaves curves that no key divides a style each, and most of them in the background.
func TestTooManyNames(t *testing.T) {
	f, err := Figure([]Run{listedRun(20, "8", "none")}, study.PlotOptions{Metric: gauge.RegretRun, Band: study.NoBand})
	if err != nil || len(f.Panels) > 0 || f.Series[0].Hue != "" || f.Note != "In colour: the first 3 curves." {
		t.Errorf("%v: %d panels, note %q", err, len(f.Panels), f.Note)
	}
	faint := 0
	for _, s := range f.Series {
		if s.Faint {
			faint++
		}
	}
	if faint != len(f.Series)-bestBands {
		t.Errorf("%d of %d curves are in the background", faint, len(f.Series))
	}
}

// TestAlikeArmsAreGrey: an arm that the keys do not tell from another has its own name.
func TestAlikeArmsAreGrey(t *testing.T) {
	run := gridRun(3, 4, 1)
	twin := results.ArmEntry{Name: "twin", Values: append(slices.Clone(run.Arms[0].Values), results.Value{Path: "horizon", Value: "5"})}
	run.Arms = append(run.Arms, twin)
	take(&run, results.SummaryRow{Arm: "twin", Step: 1, Metric: gauge.RegretRun, Mean: 1, N: 4})
	f, err := Figure([]Run{run}, study.PlotOptions{Metric: gauge.RegretRun, Band: study.NoBand})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, panel := range f.Charts() {
		for _, s := range panel.Series {
			if s.Hue == "" && s.Dash == "" {
				names = append(names, s.Name)
			}
		}
	}
	if strings.Join(names, " ") != "twin" {
		t.Errorf("grey: %q", names)
	}
}

// TestValueLabels writes values as readers of a figure see them.
func TestValueLabels(t *testing.T) {
	for _, test := range []struct{ key, value, want string }{
		{"adversaries.kind", "sign-flip", "sign-flip"}, {"adversaries.kind", "none", "no adversaries"},
		{"mechanism.epsilon", "none", "no noise"}, {"match.epsilon", "0.5", "ε = 0.5"},
		{"nodes", "20", "nodes = 20"}, {"algorithm.learning_rate", "2", "learning rate = 2"}, {"measure.by", "null", "by = null"}, {"mechanism", "{kind: none}", "no noise"},
		{"mechanism", "{kind:gaussian,epsilon:1,delta:1e-5}", "gaussian, ε = 1, delta = 1e-5"}, {"mechanism", "[{kind:x}]", "mechanism = [{kind:x}]"},
		{"problem", "{set:{kind:l2-ball,radius:1}}", "l2-ball, radius = 1"}, {"network", "{}", "network = {}"},
	} {
		if got := valueLabel(test.key, lastElement(test.key), test.value); got != test.want {
			t.Errorf("%s %s: %q, want %q", test.key, test.value, got, test.want)
		}
	}
}

// TestAccountedLabels adds the loss of a run to a nominal epsilon that is another.
func TestAccountedLabels(t *testing.T) {
	run := sweptRun([2]string{"0.5", "3"}, [2]string{"1", "3"}, [2]string{"5", "3"}, [2]string{"none", "3"})
	for i, loss := range []float64{2511.4, 1.001, math.Inf(1), math.Inf(1)} {
		take(&run, results.SummaryRow{Arm: run.Arms[i].Name, Step: 3, Metric: ledger.EpsilonTotal, Mean: loss})
	}
	f, err := Figure([]Run{run}, study.PlotOptions{Metric: gauge.RegretRun, Band: study.NoBand})
	if err != nil {
		t.Fatal(err)
	}
	var hues []string
	for _, s := range f.Series {
		hues = append(hues, s.Hue)
	}
	if got := strings.Join(hues, "|"); got != "ε = 0.5 (2511 in all)|ε = 1|ε = 5|no noise" || strings.Join(f.Ramp, "|") != "ε = 0.5 (2511 in all)|ε = 1|ε = 5" {
		t.Errorf("%s, ramp %q", got, f.Ramp)
	}
}

// TestTradeOff draws a point for each arm at its accounted loss, and lines for those without.
func TestTradeOff(t *testing.T) {
	s := armsNamed("a,epsilon=1", "a,epsilon=2", "a,epsilon=none", "b,epsilon=1", "b,epsilon=2")
	var summary []results.SummaryRow
	losses := []float64{40, 10, math.Inf(1), 20, 30}
	for i, arm := range s.Arms {
		arm.Values = []results.Value{{Path: "algorithm", Value: arm.Name[:1]}, {Path: "mechanism.epsilon", Value: arm.Name[len("a,epsilon="):]}}
		for step := range 2 {
			summary = append(summary,
				results.SummaryRow{Arm: arm.Name, Step: int64(step + 1), Metric: gauge.RegretExpected, Mean: float64(i + 10*step), SE: 1, N: 4},
				results.SummaryRow{Arm: arm.Name, Step: int64(step + 1), Metric: ledger.EpsilonTotal, Mean: losses[i] * float64(step+1) / 2, N: 4})
		}
	}
	named, ok := Recorded(s, Arms(s), summary, nil).TradeOff(s)
	f := named.Figure
	if !ok || named.Name != "trade-off" || len(f.Series) != 3 {
		t.Fatalf("%v, %+v", ok, f)
	}
	if f.Title != "s: largest expected regret of a node against privacy" || f.Note != "Value and 95 % interval over the seeds." || f.YLabel != "largest expected regret of a node" {
		t.Errorf("title %q, axis %q", f.Title, f.YLabel)
	}
	a, b, line := f.Series[0], f.Series[1], f.Series[2]
	if fmt.Sprintln(a.Name, a.X, a.Y, a.Bars) != "a [10 40] [11 10] true\n" || fmt.Sprintln(b.Name, b.X, b.Y) != "b [20 30] [13 14]\n" {
		t.Errorf("curves %+v, %+v", a, b)
	}
	if fmt.Sprintln(line.Hue, line.Dash, line.X, line.Y, line.Reference) != "a ε = ∞ [10 40] [12 12] true\n" {
		t.Errorf("line %+v", line)
	}
	s.Plots = []study.PlotSection{{Name: "own", Y: gauge.RegretExpected, X: "mechanism.epsilon"}}
	if _, ok := Recorded(s, Arms(s), summary, nil).TradeOff(s); ok {
		t.Error("a scenario with such a figure has a second one")
	}
	if lines := f.Lines()[0]; lines[2].Color != lines[0].Color || lines[2].Dash == nil || lines[0].Dash != nil {
		t.Errorf("lines %+v", lines)
	}
	if keys := f.Keys(); len(keys) != 3 || keys[2].Name != "ε = ∞" || !keys[2].Second {
		t.Errorf("keys %+v", keys)
	}
}

// TestStatedConditions gives the conditions that a study states charts, or dashes where arms are few,
// and the choices their colours, whichever key has more values.
func TestStatedConditions(t *testing.T) {
	var arms []results.ArmEntry
	for _, attack := range []string{"none", "flip", "silent", "scaled"} {
		for _, rule := range []string{"mean", "median", "krum"} {
			arms = append(arms, results.ArmEntry{Name: attack + "," + rule, Values: []results.Value{{Path: "adversaries.kind", Value: attack}, {Path: "algorithm.combine.kind", Value: rule}}})
		}
	}
	rule, attack := "algorithm.combine.kind", "adversaries.kind"
	for _, test := range []struct {
		arms       []results.ArmEntry
		conditions []string
		charts     bool
		want       styling
		ok         bool
	}{
		{arms, []string{"adversaries"}, true, styling{attack, rule, ""}, true},
		{arms, []string{rule}, true, styling{rule, attack, ""}, true},
		{arms[:6], []string{attack}, true, styling{"", rule, attack}, true},
		{arms, []string{attack}, false, styling{"", rule, attack}, true},
		{arms, nil, true, styling{}, false},
		{arms, []string{attack, rule}, true, styling{}, false},
		{arms, []string{"horizon"}, true, styling{}, false},
	} {
		if got, ok := statedStyling(test.arms, test.conditions, test.charts); got != test.want || ok != test.ok {
			t.Errorf("%q of %d arms, charts %v: %+v, %v; want %+v, %v", test.conditions, len(test.arms), test.charts, got, ok, test.want, test.ok)
		}
	}
}

// attackedArms are rules under lies, of which one kind has a factor, and two private arms beside them.
func attackedArms() Run {
	run := Run{Scenario: "s", Label: "s 0123", Rows: map[string][]results.SummaryRow{}}
	add := func(name string, values ...results.Value) {
		run.Arms = append(run.Arms, results.ArmEntry{Name: name, Values: values})
		for step := range 2 {
			take(&run, results.SummaryRow{Arm: name, Step: int64(step + 1), Metric: gauge.RegretRun, Mean: float64(len(run.Arms) + step), SE: 1, N: 4})
		}
	}
	for _, lies := range []string{"none", "sign-flip", "scaled"} {
		for _, rule := range []string{"mean", "median", "krum"} {
			values := []results.Value{{Path: "adversaries.kind", Value: lies}, {Path: "algorithm.combine.kind", Value: rule}}
			if lies == "scaled" {
				values = append(values, results.Value{Path: "adversaries.factor", Value: "-10"})
			}
			add(lies+","+rule, values...)
		}
	}
	add("private", results.Value{Path: "mechanism", Value: "{kind: gaussian}"})
	add("private,scaled", results.Value{Path: "mechanism", Value: "{kind: gaussian}"}, results.Value{Path: "adversaries.kind", Value: "scaled"},
		results.Value{Path: "adversaries.factor", Value: "-10"}, results.Value{Path: "algorithm.combine.kind", Value: "median"})
	return run
}

// TestChartsTellArmsApart: the curves of each chart differ in colour or dash, one value has one style in all
// charts, and the legend has each style once.
func TestChartsTellArmsApart(t *testing.T) {
	grid := listedRun(3, "2", "8", "30", "none")
	for name, test := range map[string]struct {
		run   Run
		facet string
		hues  string
	}{
		"a factor of one kind of lies":  {attackedArms(), "adversaries.kind", "krum,mean,median"},
		"names of the charts as colour": {grid, "algorithm", "no noise,ε = 2,ε = 30,ε = 8"},
	} {
		f, err := Figure([]Run{test.run}, study.PlotOptions{Metric: gauge.RegretRun, Band: study.BandSE, Facet: test.facet})
		if err != nil {
			t.Fatal(err)
		}
		hues, styles := map[string]bool{}, map[string]string{}
		for k, lines := range f.Lines() {
			seen := map[string]string{}
			for i, line := range lines {
				s := &f.Panels[k].Series[i]
				if s.Hue != "" {
					hues[s.Hue] = true
				}
				style, key := fmt.Sprint(line), keyOf(s)
				if other, taken := seen[style]; taken {
					t.Errorf("%s: chart %s has one style for %s and %s", name, f.Panels[k].Title, other, s.Name)
				}
				if one, known := styles[key]; known && one != style {
					t.Errorf("%s: %s has two styles", name, key)
				}
				seen[style], styles[key] = s.Name, style
			}
		}
		if got := strings.Join(slices.Sorted(maps.Keys(hues)), ","); got != test.hues {
			t.Errorf("%s: colours for %q, want %q", name, got, test.hues)
		}
	}
}

// TestLinesAcrossHaveNames draws arms without a bound as lines across with the names of a list, each line
// and each point in a colour of its own.
func TestLinesAcrossHaveNames(t *testing.T) {
	run := Run{Scenario: "s", Rows: map[string][]results.SummaryRow{}}
	for i, arm := range []struct{ name, path, value string }{
		{"one server", "topology", "{kind:star}"}, {"edges", "topology.schedule", "[{every:1}]"}, {"seldom", "topology.fan", "[20,1]"}, {"noise", "mechanism", "{kind:gaussian,sigma:8}"},
	} {
		loss := math.Inf(1)
		if arm.name == "noise" {
			loss = 7.5
		}
		run.Arms = append(run.Arms, results.ArmEntry{Name: arm.name, Values: []results.Value{{Path: arm.path, Value: arm.value}}})
		take(&run, results.SummaryRow{Arm: arm.name, Step: 3, Metric: gauge.RegretRun, Mean: float64(1 + i), SE: 1, N: 4})
		take(&run, results.SummaryRow{Arm: arm.name, Step: 3, Metric: ledger.EpsilonTotal, Mean: loss, N: 4})
	}
	f, err := Figure([]Run{run}, study.PlotOptions{Metric: gauge.RegretRun, X: study.AxisLoss, Band: study.BandCI})
	if err != nil {
		t.Fatal(err)
	}
	colors := map[string]bool{}
	for _, line := range f.Lines()[0] {
		colors[line.Hex()] = true
	}
	if got := strings.Join(namesOf(&f), "|"); got != "noise|one server|edges|seldom" || len(colors) != 4 {
		t.Errorf("curves %s in %d colours", got, len(colors))
	}
	if f.Series[0].Reference || !f.Series[0].Bars || !f.Series[1].Reference {
		t.Errorf("%+v", f.Series)
	}
}
