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
	if text := withBound(&fig); text != "No bound, and so no curve: none: wire, unit 1." || len(fig.Series) != 3 {
		t.Fatalf("%q, %d curves", text, len(fig.Series))
	}
	chart := report.NewChart(&report.Figure{Figure: fig})
	colourByArm(&chart, []results.ArmEntry{{Name: "none"}, {Name: "a"}, {Name: "b"}})
	for i, arm := range []int{2, 2, 1} {
		if ink, _ := figure.Stroke(arm); !strings.EqualFold(chart.Series[i].Color, hexOf(ink)) {
			t.Errorf("curve %d has the colour %s, not that of arm %d", i, chart.Series[i].Color, arm)
		}
	}
	if first, second := chart.Series[0].Dash, chart.Series[1].Dash; len(second) == 0 || slices.Equal(first, second) {
		t.Errorf("two curves of an arm have the dashes %v and %v", first, second)
	}
	only := figure.Figure{Series: []figure.Series{{Name: "none: wire", X: []float64{0, 1}, Y: []float64{0, inf}}}}
	if text := withBound(&only); text != "" || len(only.Series) != 1 {
		t.Errorf("a figure of nothing else: %q, %d curves", text, len(only.Series))
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
		"none beside another":  {[]accounts.PrivacyCurve{curve("none", inf), curve("a", 1, 3)}, []string{"a 1 to 3", "a 0 to 1"}},
		"the end of a bound":   {[]accounts.PrivacyCurve{curve("a", 1, inf), curve("b", 2)}, []string{"a 1 to inf", "b 0 to 2", "a 0 to 1"}},
		"no arm with a bound":  {[]accounts.PrivacyCurve{curve("none", inf)}, []string{"none 0 to inf"}},
		"nothing that is lost": {[]accounts.PrivacyCurve{curve("a", 0, 0)}, nil},
	} {
		var got []string
		for _, row := range costly(test.curves).Rows {
			got = append(got, row[0]+" "+row[5]+" to "+row[6])
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
