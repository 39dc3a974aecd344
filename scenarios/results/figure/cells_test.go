package figure

import (
	"bytes"
	"errors"
	"image/color"
	"math"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// TestCells writes a heat map in each format, with its numbers.
func TestCells(t *testing.T) {
	none := math.NaN()
	f := Figure{Title: "t", Cells: &Cells{
		Rows: []string{"mean", "median", "base"}, Columns: []string{"flip", "a long name"}, Inside: 2,
		Values: [][]float64{{1.234, 2000}, {none, math.Inf(1)}, {7, none}}, Half: [][]float64{{0.5, none}, {none, none}, {none, none}},
		Best: [][]bool{{true, false}, {false, false}, {false, false}}, Marks: [][]string{{"*", "~"}, {"", ""}, {"", ""}}, Better: Lower, Across: []bool{false, false, true},
	}}
	var svg, picture, pdf, points, table, program bytes.Buffer
	if err := errors.Join(WriteSVG(f, &svg), WritePNG(f, &picture), WritePDF(f, &pdf), WriteJSON(f, &points), WriteCSV(f, &table), WritePython(f, &program)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">1.23<", ">±0.50<", ">2000<", ">∞<", ">–<", ">base: 7.00<", ">median<", ">*<", ">~<", ">best 1.23<", ">worst 2000<"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the picture lacks %s", want)
		}
	}
	// The colour of the cell without a bound, and of its entry beside the bar, is on no scale.
	if n := strings.Count(svg.String(), "#882255"); n != 2 {
		t.Errorf("%d shapes have the colour of infinite values, want 2", n)
	}
	if want := "series,x,y,low,high\nmean,flip,1.234,0.734,1.734\nmean,a long name,2000,,\nmedian,a long name,inf,,\nbase,,7,,\n"; table.String() != want {
		t.Errorf("CSV %q", table.String())
	}
	if !strings.Contains(points.String(), `"values":[[1.234,2000],[null,null],[7,null]]`) || !strings.Contains(program.String(), "LogNorm()") || !strings.Contains(program.String(), "Blues_r") {
		t.Errorf("JSON %s\nPython %s", points.String(), program.String())
	}
	// An arm of no column is a line of text below the grid: it has no shape of its own.
	shapes := strings.Count(svg.String(), "<path")
	f.Cells.Rows, f.Cells.Values, f.Cells.Half = f.Cells.Rows[:2], f.Cells.Values[:2], f.Cells.Half[:2]
	f.Cells.Best, f.Cells.Marks, f.Cells.Across = f.Cells.Best[:2], f.Cells.Marks[:2], f.Cells.Across[:2]
	svg.Reset()
	if err := WriteSVG(f, &svg); err != nil || strings.Count(svg.String(), "<path") != shapes || strings.Contains(svg.String(), ">base") {
		t.Errorf("%d shapes without the arm below the grid, %d with it; %v", strings.Count(svg.String(), "<path"), shapes, err)
	}
	for v, want := range map[float64]string{0: "0", 12345: "12345", 0.00123: "0.00123", 1e-5: "1.00×10^−5", -250: "−250"} {
		if got := cellNumber(v, 3); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}

// TestBlocks gives each block of rows its heading and its own scale: the largest value of each is the darkest.
func TestBlocks(t *testing.T) {
	f := cellsOf(4, 2, false)
	f.Look, f.Cells.Better = "", ""
	high := newChart(&f).height
	f.Cells.Blocks = []string{"records", "records", "nodes", "nodes"}
	f.Cells.Values = [][]float64{{1, 2}, {3, 4}, {100, 200}, {300, 400}}
	shares := f.Cells.Shares()
	if shares[0][0] != 0 || shares[1][1] != 1 || shares[2][0] != 0 || shares[3][1] != 1 {
		t.Errorf("shares %v", shares)
	}
	if got := newChart(&f).height; math.Abs(float64(got-high-2*lineHeight)) > 1e-9 {
		t.Errorf("two headings make the page %v higher", got-high)
	}
	var svg bytes.Buffer
	if err := WriteSVG(f, &svg); err != nil || strings.Count(svg.String(), ">records<") != 1 || strings.Count(svg.String(), ">nodes<") != 1 {
		t.Errorf("headings: %v", err)
	}
}

// TestCellScale has the darkness of values by hand: better values are darker, rows outside of the
// grid do not count, and a value far from the others makes the scale logarithmic.
// TestInkOnCells gives the numbers of cells of any darkness a contrast of 4.5 or more.
func TestInkOnCells(t *testing.T) {
	luminance := func(c color.Color) (sum float64) {
		r, g, b, _ := c.RGBA()
		for i, v := range []uint32{r, g, b} {
			share := float64(v) / 0xFFFF
			if share = math.Pow((share+0.055)/1.055, 2.4); v < 0x0A0A {
				share = float64(v) / 0xFFFF / 12.92
			}
			sum += []float64{0.2126, 0.7152, 0.0722}[i] * share
		}
		return sum
	}
	for k := range 101 {
		fill := cellColor(float64(k) / 100)
		a, b := luminance(fill)+0.05, luminance(inkOn(fill))+0.05
		if contrast := max(a, b) / min(a, b); contrast < 4.5 {
			t.Errorf("darkness %d %%: contrast %.2f", k, contrast)
		}
	}
}

// TestShareAxis ends the axis of parts of a whole at 1, but not that of other values.
func TestShareAxis(t *testing.T) {
	f := Figure{Share: true, Series: []Series{{X: []float64{1, 2}, Y: []float64{0.9, 0.99}, Low: []float64{0.8, 0.9}, High: []float64{1, 1.08}}}}
	if _, y := f.Ranges(); y[1] != 1 {
		t.Errorf("the axis goes to %g", y[1])
	}
	f.Share = false
	if _, y := f.Ranges(); y[1] <= 1.05 {
		t.Errorf("the axis of other values goes to %g", y[1])
	}
}

func TestCellScale(t *testing.T) {
	for _, test := range []struct {
		better Side
		values [][]float64
		log    bool
		want   []float64
	}{
		{Higher, [][]float64{{1, 2, 3}}, false, []float64{0, 0.5, 1}},
		{Lower, [][]float64{{1, 2, 3}, {1000, 1000, 1000}}, false, []float64{1, 0.5, 0}},
		{"", [][]float64{{1, 10, 100}}, true, []float64{0, 0.5, 1}},
		{Lower, [][]float64{{1, 1.1, 9}}, true, []float64{1, 1 - math.Log(1.1)/math.Log(9), 0}},
		{Lower, [][]float64{{0, 1, 100}}, false, []float64{1, 0.99, 0}},
		{Higher, [][]float64{{2, 2, math.NaN()}}, false, []float64{0.5, 0.5, 0}},
		{Lower, [][]float64{{250.9, 251, 251.1}}, false, []float64{0.5, 0.5, 0.5}}, // all are 251
	} {
		c := Cells{Values: test.values, Inside: 1, Better: test.better}
		if c.Logarithmic() != test.log {
			t.Errorf("%v: logarithmic %v", test.values, c.Logarithmic())
		}
		for k, v := range test.values[0] {
			if got := c.scale().share(v); math.Abs(got-test.want[k]) > 1e-12 {
				t.Errorf("%v of %v is at %v, want %v", v, test.values, got, test.want[k])
			}
		}
	}
}

// TestFlatCells: values that are one number have one colour with the number, and no scale.
func TestFlatCells(t *testing.T) {
	none := math.NaN()
	f := Figure{Cells: &Cells{
		Rows: []string{"a", "b"}, Columns: []string{"x", "y"}, Inside: 2, Values: [][]float64{{10, 10}, {10.001, math.Inf(1)}},
		Half: [][]float64{{none, none}, {none, none}}, Best: [][]bool{{false, false}, {false, false}}, Across: []bool{false, false},
	}}
	var svg bytes.Buffer
	if err := WriteSVG(f, &svg); err != nil {
		t.Fatal(err)
	}
	colours := map[string]bool{}
	for _, found := range regexp.MustCompile(`fill:#[0-9A-F]{6}`).FindAllString(svg.String(), -1) {
		colours[found] = true
	}
	// Of the page, the cells, the infinite one and letters.
	if len(colours) > 4 || !strings.Contains(svg.String(), ">all 10.0<") {
		t.Errorf("colours %v", colours)
	}
}

// TestShifts moves intervals at one x apart: series of one colour have one place, and others lie
// beside it.
func TestShifts(t *testing.T) {
	at := func(hue string, x ...float64) Series {
		return Series{Hue: hue, X: x, Y: make([]float64, len(x)), Low: make([]float64, len(x)), High: make([]float64, len(x)), Bars: true}
	}
	f := Figure{}
	shifts := f.shifts([]Series{at("a", 1, 2), at("b", 2), at("a", 3)}, 500)
	if !(shifts[0] < shifts[1]) || shifts[0] != shifts[2] || shifts[0] != -shifts[1] {
		t.Errorf("shifts %v", shifts)
	}
	for _, shift := range f.shifts([]Series{at("a", 1), at("b", 2)}, 500) {
		if shift != 0 {
			t.Error("points with different x are moved")
		}
	}
}

// TestTicksReachTheEnd has the last mark of an axis near its end.
func TestTicksReachTheEnd(t *testing.T) {
	for _, test := range []struct {
		end  float64
		want string
	}{{500, "0 250 500"}, {300, "0 100 200 300"}, {4000, "0 1000 2000 3000 4000"}, {1000, "0 500 1000"}} {
		ticks, _ := span{min: 0, max: test.end * 1.02, whole: true}.ticks(5)
		var labels []string
		for _, tick := range ticks {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("%v: %s, want %s", test.end, got, test.want)
		}
	}
}

// TestHalvedHeads halves words that do not fit into a line, and no others.
func TestHalvedHeads(t *testing.T) {
	c := Cells{Columns: []string{"no adversaries", "silent"}}
	for width, want := range map[float64]string{26: "no |advers-|aries|silent", 200: "no adversaries|silent"} {
		lines, _ := c.headLines(vg.Length(width))
		var got []string
		for _, parts := range lines {
			got = append(got, parts...)
		}
		if text := strings.Join(got, "|"); text != want {
			t.Errorf("%g points: %q, want %q", width, text, want)
		}
	}
}
