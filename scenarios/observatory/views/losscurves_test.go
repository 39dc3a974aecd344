package views

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/accounts"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/report"
	"starling/scenarios/view/plot"
)

// TestLossCurves checks that arms without a bound have no curve and no entry, and that others have
// the colours of their arms, whatever the order of the curves.
func TestLossCurves(t *testing.T) {
	inf := math.Inf(1)
	fig := figure.Figure{Series: []figure.Series{
		{Name: "none: wire, unit 1, not private", X: []float64{0, 1}, Y: []float64{0, inf}},
		{Name: "b: wire, unit 1", X: []float64{0, 1}, Y: []float64{0, 2}},
		{Name: "b: peer, unit 1", X: []float64{0, 1}, Y: []float64{0, 1}},
		{Name: "a: wire, unit 1, not private", X: []float64{0, 1, 2}, Y: []float64{0, 1, inf}},
	}}
	named := []results.ArmEntry{{Name: "none"}, {Name: "a"}, {Name: "b"}}
	arms := labelled(&fig, named, map[string]string{"none": "no noise", "b": "B"})
	if text := withBound(&fig, &arms); text != "No bound, and so no curve: no noise: wire, unit 1." || len(fig.Series) != 3 || fig.Series[0].Name != "B: wire, unit 1" {
		t.Fatalf("%q, %d curves", text, len(fig.Series))
	}
	chart := report.NewChart(&report.Figure{Figure: fig})
	colourByArm(&chart, arms, armLines(&plot.Run{Arms: named}, arms))
	for i, arm := range []int{2, 2, 1} {
		if ink, _ := figure.Stroke(arm); !strings.EqualFold(chart.Series[i].Color, figure.Line{Color: ink}.Hex()) {
			t.Errorf("curve %d has the colour %s, not that of arm %d", i, chart.Series[i].Color, arm)
		}
	}
	if first, second := chart.Series[0].Dash, chart.Series[1].Dash; len(second) == 0 || slices.Equal(first, second) {
		t.Errorf("two curves of an arm have the dashes %v and %v", first, second)
	}
	named = append(named, results.ArmEntry{Name: "c"})
	// Degrees of one quantity have those of a ramp, as in a figure of these arms.
	for i, value := range []string{"none", "1", "0.5", "5"} {
		named[i].Values = []results.Value{{Path: "mechanism.epsilon", Value: value}}
	}
	ramp := figure.Figure{Ramp: []string{"0.5", "1", "5"}, Series: []figure.Series{{Hue: "0.5"}}}
	if colourByArm(&chart, arms, armLines(&plot.Run{Arms: named}, arms)); !strings.EqualFold(chart.Series[0].Color, ramp.Lines()[0][0].Hex()) || chart.Series[0].Dark == "" {
		t.Errorf("the least degree has the colour %s, on a dark page %q", chart.Series[0].Color, chart.Series[0].Dark)
	}
	for i := range named {
		named[i].Values[0].Value = "none"
	}
	if lines := armLines(&plot.Run{Arms: named}, arms); lines[1].Hex() == lines[2].Hex() {
		t.Errorf("two arms have the colour %s", lines[1].Hex())
	}
	only := figure.Figure{Series: []figure.Series{{Name: "none: wire", X: []float64{0, 1}, Y: []float64{0, inf}}}}
	if text := withBound(&only, &[]int{0}); text != "" || len(only.Series) != 1 {
		t.Errorf("a figure of nothing else: %q, %d curves", text, len(only.Series))
	}
}

// TestLossesByFamily checks that the curves of many arms are in charts of their families, with their
// common observers and unit in words, and a budget in each chart.
func TestLossesByFamily(t *testing.T) {
	var fig figure.Figure
	add := func(name string) {
		fig.Series = append(fig.Series, figure.Series{Name: name, X: []float64{0, 1}, Y: []float64{0, 1}})
	}
	for _, family := range []string{"central", "ofl"} {
		for _, epsilon := range []string{"0.5", "2", "8", "32"} {
			add(family + ", ε = " + epsilon + ": wire, peer, unit 3")
		}
	}
	few := figure.Figure{Series: slices.Clone(fig.Series)}
	if text := sameEnding(&fig); text != "The loss is that of unit 3, to wire, peer." {
		t.Errorf("the ending %q", text)
	}
	add(budgetName)
	if !byFamily(&fig) || len(fig.Panels) != 2 || fig.Panels[1].Title != "ofl" || len(fig.Panels[1].Series) != 5 || fig.Panels[1].Series[0].Name != "ε = 0.5" || fig.Panels[0].Series[4].Name != budgetName {
		t.Errorf("charts %+v", fig.Panels)
	}
	if byFamily(&few) {
		t.Error("eight curves have several charts")
	}
	equal := figure.Figure{Series: slices.Clone(fig.Panels[0].Series)}
	equal.Series = append(equal.Series, fig.Panels[1].Series[:4]...)
	if of := oneCurve(&equal, []int{5, 1, 2, 3, 4, 0, 6, 7, 8}); len(equal.Series) != 1 || of[0] != 5 || equal.Series[0].Name != "ε = 0.5 and 8 others" {
		t.Errorf("equal curves: %d, %d", len(equal.Series), of)
	}
	one := figure.Panel{Title: "ofl", Series: []figure.Series{{Name: "ε = 2: wire", Hue: "ε = 2", Dash: "wire"}}}
	if observed(&one); one.Title != "ofl: wire" || one.Series[0].Name != "ε = 2" || one.Series[0].Dash != "" {
		t.Errorf("a chart with the observers %+v", one)
	}
	few.Series[0].Name = "central, ε = 0.5: server, unit 3"
	if text := sameEnding(&few); text != "The loss is that of unit 3." || few.Series[0].Name != "central, ε = 0.5: server" {
		t.Errorf("observers that differ: %q, %q", text, few.Series[0].Name)
	}
}

// TestCostly checks that arms without any bound have no row beside others, and that the end of a bound
// has one.
func TestCostly(t *testing.T) {
	inf := math.Inf(1)
	curve := func(arm string, epsilons ...float64) accounts.PrivacyCurve {
		c := accounts.PrivacyCurve{Arm: arm, Observer: "wire", Unit: 1}
		for i, epsilon := range epsilons {
			c.Points = append(c.Points, results.PrivacyRow{Step: int64(i + 1), Epsilon: epsilon})
		}
		return c
	}
	for name, test := range map[string]struct {
		curves []accounts.PrivacyCurve
		want   []string
	}{
		"none beside another":   {[]accounts.PrivacyCurve{curve("none", inf), curve("a", 1, 3)}, []string{"a 1 to 3", "a 0 to 1"}},
		"the end of a bound":    {[]accounts.PrivacyCurve{curve("a", 1, inf), curve("b", 2)}, []string{"a 1 to inf", "b 0 to 2", "a 0 to 1"}},
		"no arm with a bound":   {[]accounts.PrivacyCurve{curve("none", inf)}, []string{"none 0 to inf"}},
		"the same in all steps": {[]accounts.PrivacyCurve{curve("a", 2, 4, 6, 8)}, []string{"a 0 to 8"}},
		"a dear first step":     {[]accounts.PrivacyCurve{curve("a", 5, 6, 7)}, []string{"a 0 to 5", "a 5 to 6", "a 6 to 7"}},
		"nothing that is lost":  {[]accounts.PrivacyCurve{curve("a", 0, 0)}, nil},
	} {
		var got []string
		for _, row := range costly(test.curves).Rows {
			got = append(got, row[0]+" "+row[5]+" to "+row[6])
			if name == "the same in all steps" && row[7] != "2 in each step" {
				t.Error(row[7])
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
