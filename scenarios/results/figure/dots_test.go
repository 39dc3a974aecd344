package figure

import (
	"bytes"
	"errors"
	"math"
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

// A wide interval does not flatten the others: it is cut at the ends of the axis.
func TestWideIntervalsOfDots(t *testing.T) {
	f := dotted()
	f.Cells.Half[0][0] = 1e9
	if s := f.Cells.spanOfDots(); !s.log || s.max > 100 || s.min < 0.1 {
		t.Errorf("axis %v", s)
	}
}
