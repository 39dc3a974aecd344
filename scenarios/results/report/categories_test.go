package report

import (
	"math"
	"slices"
	"testing"

	"starling/scenarios/results/figure"
)

// TestCategories has the points of several series stand beside each other in their categories, those of one style at one place.
func TestCategories(t *testing.T) {
	series := func(name, hue string, x ...float64) figure.Series {
		y := make([]float64, len(x))
		return figure.Series{Name: name, Hue: hue, X: x, Y: y, Low: y, High: y}
	}
	line := figure.Series{Name: "line", X: []float64{-0.5, 1.5}, Y: []float64{1, 1}, Reference: true}
	f := &Figure{Figure: figure.Figure{Categories: []string{"a", "b"}, Series: []figure.Series{series("x", "red", 0, 1), series("y", "blue", 1), series("z", "red", 0), line}}}
	c := NewChart(f)
	if !slices.Equal(c.Categories, f.Categories) || !c.Series[0].Bars || c.Series[3].Bars {
		t.Errorf("the chart %+v", c)
	}
	for i, want := range []Values{{-0.175, 0.825}, {1.175}, {-0.175}, {-0.5, 1.5}} {
		if got := c.X[c.Series[i].X]; !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("series %d stands at %v, want %v", i, got, want)
		}
	}
	var many []figure.Series
	for i := range 12 {
		many = append(many, series(string(rune('a'+i)), "", float64(i%4)))
	}
	f.Series, f.Categories = many, []string{"a", "b", "c", "d"}
	c = NewChart(f)
	for i, want := range []float64{-besideRoom / 3, 0, besideRoom / 3} {
		if got := c.X[c.Series[4*i].X][0]; math.Abs(got-want) > 1e-9 {
			t.Errorf("of many series the one of place %d in its category stands at %v, want %v", i, got, want)
		}
	}
}
