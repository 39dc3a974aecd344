package figure

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dotted is a figure of dots of three arms and a baseline in two charts.
func dotted() Figure {
	none := math.NaN()
	return Figure{Title: "t", YLabel: "loss", Note: "n", Cells: &Cells{
		Rows: []string{"worst", "best", "middle", "base"}, Columns: []string{"flip", "scaled"}, Inside: 3, Dots: true, Better: Lower,
		Values: [][]float64{{9, 8}, {1, 2}, {3, none}, {2, none}}, Half: [][]float64{{1, 1}, {0.5, none}, {0.5, none}, {none, none}},
		Best: [][]bool{{false, false}, {true, true}, {false, false}, {false, false}}, Across: []bool{false, false, false, true},
		Marks: [][]string{{"", ""}, {"*", "*"}, {"~", ""}, {"", ""}},
	}}
}

// TestDots draws dots in each format: a line for each row, with the number, the interval and the mark of a value beside it.
func TestDots(t *testing.T) {
	f := dotted()
	f.Cells.SortRows()
	if want := []string{"best", "middle", "worst", "base"}; !slices.Equal(f.Cells.Rows, want) || f.Cells.Values[1][0] != 3 || f.Cells.Marks[1][0] != "~" {
		t.Errorf("rows %q, want %q", f.Cells.Rows, want)
	}
	var svg, picture, pdf, points, table, program bytes.Buffer
	if err := errors.Join(WriteSVG(f, &svg), WritePNG(f, &picture), WritePDF(f, &pdf), WriteJSON(f, &points), WriteCSV(f, &table), WritePython(f, &program)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">best<", ">middle<", ">worst<", ">1.00 ± 0.50 *<", ">–<", ">flip<", ">scaled<", ">loss<"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the picture lacks %s", want)
		}
	}
	if strings.Contains(svg.String(), ">base<") {
		t.Error("a line across has a row")
	}
	if !strings.Contains(points.String(), `"dots":true`) || !strings.Contains(program.String(), `set_xscale("log")`) {
		t.Errorf("JSON %s\nPython %s", points.String(), program.String())
	}
	for i, want := range map[int]bool{0: false, 1: true} {
		if tint, open := f.Cells.tint(i, 0); tint != dotColor || open != want {
			t.Errorf("row %d: %v, open %v", i, tint, open)
		}
	}
}

// A wide interval of a number, in a cell and beside a dot, has its ends, to the place of the second digit of its half.
func TestEndsOfIntervals(t *testing.T) {
	for _, test := range []struct {
		v, half float64
		want    string
	}{
		{756, 792, " (−36 to 1548)"}, {5.14, 13, " (−8 to 18)"}, {0.25, 0.14, " (0.11 to 0.39)"}, {756, 300, " ± 300"},
		{0, 1, " (−1.0 to 1.0)"}, {3e6, 4e6, " (−1.0×10^6 to 7.0×10^6)"}, {3, math.NaN(), ""}, {3, 0, ""}, {3, math.Inf(1), ""},
	} {
		if got := new(Cells).interval(test.v, test.half); got != test.want {
			t.Errorf("%g and %g: %q, want %q", test.v, test.half, got, test.want)
		}
	}
	share := &Cells{Share: true}
	for want, got := range map[string]string{" (0.80 to 1.00)": share.interval(0.9, 0.1001), " ± 0.10": share.interval(0.8, 0.1), " (0.00 to 0.15)": share.interval(0.05, 0.1)} {
		if got != want {
			t.Errorf("of a share %q, want %q", got, want)
		}
	}
	f := dotted()
	if f.Cells.Ended() {
		t.Error("intervals that are not wide have ends")
	}
	if f.Cells.Half[0][0] = 6; !f.Cells.Ended() || f.Cells.beside(0, 0) != "9.00 (3.0 to 15.0)" || !strings.Contains(f.Cells.Texts()[0], "9.000 (3.0 to 15.0)") {
		t.Errorf("%q, %q", f.Cells.beside(0, 0), f.Cells.Texts())
	}
}

// A wide interval does not flatten the others: it is cut at the ends of the axis.
func TestWideIntervalsOfDots(t *testing.T) {
	f := dotted()
	f.Cells.Half[0][0] = 1e9
	if s := f.Cells.spanOfDots(); !s.log || s.max > 100 || s.min < 0.1 {
		t.Errorf("axis %v", s)
	}
}

// TestDotsWithLongNames draws dots in charts that are narrower than the names beside them: data have a place.
func TestDotsWithLongNames(t *testing.T) {
	for columns := 2; columns <= 12; columns++ {
		f := dotted()
		c := f.Cells
		c.Rows[0] = "private,scaled,median, ε = 9.244"
		c.Columns = slices.Repeat([]string{"column"}, columns)
		for i := range c.Rows {
			c.Values[i], c.Half[i] = slices.Repeat([]float64{1000 + 600*float64(i)}, columns), slices.Repeat([]float64{5000}, columns) // the axis begins at 0
			c.Best[i], c.Marks[i] = make([]bool, columns), make([]string, columns)
		}
		var svg bytes.Buffer
		if err := WriteSVG(f, &svg); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(svg.String(), "NaN") {
			t.Errorf("%d columns: the place of data is not a number", columns)
		}
	}
}

// TestIntervalsOfDotsAreWhole: a linear axis holds intervals that are some times as wide as the values lie apart, and an
// interval that goes on beyond an axis has an arrowhead, unless values end there.
func TestIntervalsOfDotsAreWhole(t *testing.T) {
	cells := func(half float64, values ...float64) *Cells {
		c := &Cells{Columns: []string{""}, Dots: true}
		for i, v := range values {
			c.Rows = append(c.Rows, fmt.Sprintf("row %d", i))
			c.Values, c.Half = append(c.Values, []float64{v}), append(c.Half, []float64{half})
			c.Best, c.Across = append(c.Best, []bool{false}), append(c.Across, false)
		}
		c.Inside = len(values)
		return c
	}
	heads := func(c *Cells, share bool) int {
		var b bytes.Buffer
		if err := WriteSVG(Figure{Cells: c, Share: share}, &b); err != nil {
			t.Fatal(err)
		}
		return len(regexp.MustCompile(`<path d="M[^A"]*Z" +(style="fill:#9A9A9A|/>)`).FindAllString(b.String(), -1))
	}
	for name, of := range map[string]struct {
		cells *Cells
		share bool
		cut   bool
	}{
		"as published": {cells(933, 2977, 3062, 4160), false, false},
		"much wider":   {cells(9330, 2977, 3062, 4160), false, true},
		"decades":      {cells(99, 100, 1000, 10000), false, true},
		"shares":       {cells(0.5, 0.4, 0.6), true, true},
	} {
		if s := of.cells.Cut(); s != of.cut {
			t.Errorf("%s: cut %v", name, s)
		}
		if got := heads(of.cells, of.share) > 0; got != (of.cut && !of.share) {
			t.Errorf("%s: arrowheads %v", name, got)
		}
	}
}
