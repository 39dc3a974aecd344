package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// crowd returns a scenario of arms, each under two epsilons, and rows of a regret that falls with the
// number of the arm, and of a loss that is the epsilon, infinite for the last arm.
func crowd(arms int) (*study.Scenario, []results.SummaryRow) {
	var names []string
	for _, epsilon := range []string{"2", "0.5"} {
		for i := range arms {
			names = append(names, fmt.Sprintf("a%d,epsilon=%s", i, epsilon))
		}
	}
	s := armsNamed(names...)
	var summary []results.SummaryRow
	for i, arm := range s.Arms {
		name, epsilon, _ := strings.Cut(arm.Name, ",epsilon=")
		arm.Values = []results.Value{{Path: "algorithm.kind", Value: name}, {Path: "mechanism.epsilon", Value: epsilon}}
		loss, _ := AxisNumber(epsilon)
		if i%arms == arms-1 {
			loss = math.Inf(1)
		}
		for step := int64(1); step < 4; step++ {
			summary = append(summary,
				results.SummaryRow{Arm: arm.Name, Step: step, Metric: gauge.RegretExpected, Mean: float64(100-i%arms) * float64(step), SE: 1, N: 4},
				results.SummaryRow{Arm: arm.Name, Step: step, Metric: ledger.EpsilonTotal, Mean: loss, SE: math.NaN(), N: 4})
		}
	}
	return s, summary
}

// TestCrowds draws the band of the best curve in charts of many curves, and the intervals of all at their ends, and says so, charts in the order of their
// numbers, and losses that coincide as one curve.
func TestCrowds(t *testing.T) {
	s, summary := crowd(8)
	for _, named := range usual(s, summary, nil) {
		f := named.Figure
		if named.Name == "trade-off" {
			continue
		}
		if len(f.Panels) != 2 || f.Panels[0].Title != "ε = 0.5" || f.Panels[1].Title != "ε = 2" {
			t.Fatalf("%s: charts %+v", named.Name, f.Panels)
		}
		for _, p := range f.Panels {
			var hues, with []string
			for _, curve := range p.Series {
				hues = append(hues, curve.Hue)
				if curve.Low != nil && !curve.Unbanded {
					with = append(with, curve.Hue)
				}
			}
			switch named.Name {
			case "regret":
				if !slices.Equal(with, []string{"a7"}) || f.Note != "Value and 95 % interval over the seeds. Shaded: along some curves." || p.Series[0].Low == nil || strings.Contains(f.Title, "±") {
					t.Errorf("%s: the bands of %v, note %q", p.Title, with, f.Note)
				}
			case "privacy":
				if !slices.Equal(hues, []string{"7 arms", "a7"}) {
					t.Errorf("%s: curves %v", p.Title, hues)
				}
			}
		}
	}
	kept := usual(s, summary, nil)[0].Figure
	for k := range kept.Panels {
		for i := range kept.Panels[k].Series {
			kept.Panels[k].Series[i].Unbanded = false
		}
	}
	FewBands(&kept, gauge.RegretExpected, gauge.RegretMetrics(), nil)
	if n := len(banded(kept.Panels[0].Series)); n != bestBands {
		t.Errorf("a page has the bands of %d curves", n)
	}
	// By a ranking the same arms are in front in each figure, in all charts.
	FewBands(&kept, gauge.RegretExpected, gauge.RegretMetrics(), &Ranking{Places: map[string]int{kept.Panels[0].Series[6].Name: 0}, Label: "loss"})
	if s := kept.Panels[0].Series[6]; s.Unbanded || !strings.Contains(kept.Note, "in each chart the best 3 arms by the loss") {
		t.Errorf("%s is not in front, note %q", s.Name, kept.Note)
	}
	s, summary = crowd(2)
	for _, named := range usual(s, summary, nil) {
		if named.Name == "regret" && (named.Figure.Note != "Value and 95 % interval over the seeds.") {
			t.Errorf("four curves: note %q", named.Figure.Note)
		}
	}
}

// TestJoinAlike leaves curves apart that differ in a chart, are degrees of a ramp, or are few.
func TestJoinAlike(t *testing.T) {
	curve := func(name string, y ...float64) figure.Series {
		return figure.Series{Name: name, Hue: name, X: []float64{1, 2}, Y: y}
	}
	for name, test := range map[string]struct {
		f    figure.Figure
		want int
	}{
		"alike":          {figure.Figure{Series: []figure.Series{curve("a", 1, 2), curve("b", 1, 2), curve("c", 1, 2), curve("d", 1, 3)}}, 3},
		"few":            {figure.Figure{Series: []figure.Series{curve("a", 1, 2), curve("b", 1, 2), curve("c", 1, 3)}}, 0},
		"a ramp":         {figure.Figure{Ramp: []string{"a", "b", "c"}, Series: []figure.Series{curve("a", 1, 2), curve("b", 1, 2), curve("c", 1, 2)}}, 0},
		"infinite":       {figure.Figure{Series: []figure.Series{curve("a", 1, math.Inf(1)), curve("b", 1, math.Inf(1)), curve("c", 1, math.Inf(1))}}, 0},
		"in one of two":  {figure.Figure{Panels: []figure.Panel{{Series: []figure.Series{curve("a", 1, 2), curve("b", 1, 2), curve("c", 1, 2)}}, {Series: []figure.Series{curve("a", 1, 2), curve("b", 1, 2), curve("c", 1, 3)}}}}, 0},
		"in both charts": {figure.Figure{Panels: []figure.Panel{{Series: []figure.Series{curve("a", 1, 2), curve("b", 1, 2), curve("c", 1, 2)}}, {Series: []figure.Series{curve("a", 3, 4), curve("b", 3, 4), curve("c", 3, 4)}}}}, 3},
	} {
		if joined := joinAlike(&test.f); len(joined) != test.want {
			t.Errorf("%s: %v are one", name, joined)
		}
	}
}

// TestNoisyCurvesAreSmooth gives noisy curves of a crowded figure a smooth line, and no others; the best and the arm
// without noise stay in colour.
func TestNoisyCurvesAreSmooth(t *testing.T) {
	var f figure.Figure
	for i := range leastCrowd {
		s := figure.Series{Name: fmt.Sprintf("a%d", i)}
		if i == leastCrowd-1 {
			s.Name = withoutNoise
		}
		for step := range 2 * leastNoisy {
			s.X, s.Y = append(s.X, float64(step)), append(s.Y, float64(100*(i+1)))
			if i == 1 {
				s.Y[step] += float64(step % 2)
			}
		}
		f.Series = append(f.Series, s)
	}
	o := study.PlotOptions{Metric: "m", Known: metric.List{{Name: "m", Better: metric.LowerIsBetter}}}
	background(&f, &o)
	for i, s := range f.Series {
		if front := i < bestBands || s.Name == withoutNoise || i == leastCrowd-1; s.Faint == front {
			t.Errorf("%s in the background: %v", s.Name, s.Faint)
		}
		if (s.Smooth > 0) != (i == 1) {
			t.Errorf("%s: a mean over %d points to each side", s.Name, s.Smooth)
		}
	}
	if f.Note != "In colour: the best 3 curves and the worst, and no noise. Noisy lines are means over up to 5 records, which are pale behind." {
		t.Error(f.Note)
	}
	// A page has the same curves in front, as they are; one of a run that goes on has all.
	for i := range f.Series {
		f.Series[i].Faint, f.Series[i].Smooth = false, 0
	}
	o.Crowded, o.Coloured = true, true
	if background(&f, &o); slices.ContainsFunc(f.Series, func(s figure.Series) bool { return s.Faint }) {
		t.Error("a curve is in the background that is to have its colour")
	}
	o.Coloured = false
	if background(&f, &o); f.Series[0].Faint || !f.Series[4].Faint || f.Series[1].Smooth > 0 {
		t.Errorf("a page: %v, %v, %d", f.Series[0].Faint, f.Series[4].Faint, f.Series[1].Smooth)
	}
}

// TestBandsOfNamedCharts leaves bands to few curves of charts also where curves of several charts have one name.
func TestBandsOfNamedCharts(t *testing.T) {
	var f figure.Figure
	for k := range 2 {
		var p figure.Panel
		for i := range mostBands + 1 {
			y := float64(10*k + i)
			p.Series = append(p.Series, figure.Series{Name: fmt.Sprint(i), X: []float64{1, 2}, Y: []float64{y, y}, Low: []float64{y, y - 1}, High: []float64{y, y + 1}})
		}
		f.Panels = append(f.Panels, p)
	}
	if thinBands(&f, &study.PlotOptions{}); !f.Panels[0].Series[1].Unbanded || !f.HasEndBars() {
		t.Errorf("charts %+v", f.Panels)
	}
}
