package figure

import (
	"bytes"
	"encoding/csv"
	"image/png"
	"math"
	"strings"
	"testing"

	"starling/scenarios/metric"
)

// TestPage checks sizes that are asked for, in print and in pixels, with letters as large as
// the look wants.
func TestPage(t *testing.T) {
	tests := []struct {
		name          string
		figure        Figure
		width, height float64 // inches
		scale         float64
		pixels        int // of the width
	}{
		{"as it was", Figure{}, 8, 4.8, 1, 1600},
		{"wide", Figure{Width: 10}, 10, 6, 1, 2000},
		{"a column of a page", Figure{Width: 3}, 3, 3 * 2.3 / 3.4, 0.75, 1800},
		{"high", Figure{Height: 8}, 8, 8, 1, 1600},
		{"paper", Figure{Width: 6, Height: 3, Look: metric.PaperLook}, 6, 3, 0.78, 1200},
		{"slides", Figure{Look: metric.SlidesLook}, 8, 4.5, 1.4, 1600},
	}
	for _, test := range tests {
		p := test.figure.page()
		width, height := p.printed()
		if math.Abs(width.Points()/72-test.width) > 1e-9 || math.Abs(height.Points()/72-test.height) > 1e-9 || math.Abs(p.scale-test.scale) > 1e-9 {
			t.Errorf("%s: %v by %v inches, scaled by %v", test.name, width.Points()/72, height.Points()/72, p.scale)
		}
		f := curves(2, 10)
		f.Width, f.Height, f.Look = test.figure.Width, test.figure.Height, test.figure.Look
		var bitmap bytes.Buffer
		if err := WritePNG(f, &bitmap); err != nil {
			t.Fatal(err)
		}
		config, err := png.DecodeConfig(&bitmap)
		if err != nil || max(config.Width-test.pixels, test.pixels-config.Width) > 1 {
			t.Errorf("%s: %d pixels wide, want %d (%v)", test.name, config.Width, test.pixels, err)
		}
	}
	for _, bad := range []Figure{{Width: 1}, {Height: 100}, {Width: math.NaN()}, {Look: "poster"}, {Legend: "top"}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// TestLegendPlaces puts the legend where it is asked for.
func TestLegendPlaces(t *testing.T) {
	f := curves(3, 10)
	for place, want := range map[metric.FigureLegend][2]bool{"": {}, metric.LegendRight: {true, false}, metric.LegendBelow: {false, true}, metric.LegendNone: {false, false}} {
		f.Legend = place
		l := newLegend(&f, &page{width: 8 * 72, height: 4.8 * 72}, span{min: 0, max: 9})
		if named := len(l.ends) == 3 && l.beside() > 0; named != (place == "") {
			t.Errorf("%q: %d names at the ends of curves", place, len(l.ends))
			continue
		} else if named {
			continue
		}
		if got := [2]bool{l.beside() > 0 && len(l.entries) > 0, l.below() > 0}; got != want {
			t.Errorf("%q: beside and below %v, want %v", place, got, want)
		}
	}
}

// TestWriteCSV writes every point, whatever it is.
func TestWriteCSV(t *testing.T) {
	f := Figure{Series: []Series{
		{Name: `a, "b"`, X: []float64{1, 2}, Y: []float64{0.1, math.NaN()}, Low: []float64{0, 1}, High: []float64{1, math.Inf(1)}},
		{X: []float64{3}, Y: []float64{math.Inf(-1)}},
	}}
	var text bytes.Buffer
	if err := WriteCSV(f, &text); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&text).ReadAll()
	want := "series|x|y|low|high;a, \"b\"|1|0.1|0|1;a, \"b\"|2||1|inf;|3|-inf||"
	var lines []string
	for _, row := range rows {
		lines = append(lines, strings.Join(row, "|"))
	}
	if got := strings.Join(lines, ";"); err != nil || got != want {
		t.Errorf("%s (%v), want %s", got, err, want)
	}
}

// TestWritePython has the points, colours and dashes, and texts that cannot end their quotes.
func TestWritePython(t *testing.T) {
	f := Figure{Title: `cost $ "x" \epsilon_{max}`, LogY: true, Series: []Series{
		{Name: "a", X: []float64{1}, Y: []float64{math.NaN()}},
		{Name: "b", X: []float64{1, 2}, Y: []float64{3, math.Inf(1)}, Low: []float64{2, 2}, High: []float64{4, 4}},
	}}
	var text bytes.Buffer
	if err := WritePython(f, &text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"figsize=(8, 4.8)", "y = [nan]", "y = [3, inf]", `color="#0072B2", linestyle="-", marker="o"`, `color="#D55E00", linestyle="-"`,
		"fill_between(x, [2, 2], [4, 4]", `set_title("cost \\$ \"x\" ε$_{max}$")`, `set_yscale("log")`, "ax.legend",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%s is not in\n%s", want, &text)
		}
	}
}
