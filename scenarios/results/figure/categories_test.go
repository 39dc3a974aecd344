package figure

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

// TestShiftsStayNearTheirPlace checks that points of several curves at one x are nearer to their own
// place than to the next one, on both kinds of axes.
func TestShiftsStayNearTheirPlace(t *testing.T) {
	const width = 400
	for _, test := range []struct {
		logarithmic bool
		places      []float64
		least       float64 // distance of two places, as a share of the width
	}{
		{false, []float64{0.5, 2, 8, 32}, 1.5 / 31.5},
		{true, []float64{0.5, 2, 8, 32}, 1.0 / 3},
		{true, []float64{0, 1, 100}, 1}, // 0 has no place
		{false, []float64{5}, 1},
	} {
		f := Figure{LogX: test.logarithmic}
		for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
			f.Series = append(f.Series, Series{Name: name, X: test.places, Y: make([]float64, len(test.places)), Bars: true})
		}
		shifts := f.shifts(f.Series, width)
		far, distinct := 0.0, map[float64]bool{}
		for _, shift := range shifts {
			far, distinct[float64(shift)] = max(far, math.Abs(float64(shift))), true
		}
		if far > 0.25*test.least*width || len(distinct) != len(shifts) {
			t.Errorf("logarithmic %v, %v: shifts %v, want different ones of at most %v", test.logarithmic, test.places, shifts, 0.25*test.least*width)
		}
	}
}

// TestPointsSeenBeside says of points that they stand beside each other only where it can be seen.
func TestPointsSeenBeside(t *testing.T) {
	for _, test := range []struct {
		shifts []vg.Length
		want   bool
	}{{[]vg.Length{-3, 3, -3}, true}, {[]vg.Length{-0.4, 0, 0.4}, false}, {[]vg.Length{0, 0}, false}, {nil, false}} {
		if got := besides(make([]Series, len(test.shifts)), test.shifts); got != test.want {
			t.Errorf("%v: %v", test.shifts, got)
		}
	}
}

// TestNearPointsStandBeside: points of two curves at places that look like one stand side by side.
func TestNearPointsStandBeside(t *testing.T) {
	f := Figure{LogX: true, Series: []Series{
		{Name: "a", X: []float64{0.5, 7.999, 32}, Y: []float64{1, 2, 3}, Bars: true}, {Name: "b", X: []float64{0.5001, 8, 31.99}, Y: []float64{1, 2, 3}, Bars: true},
	}}
	if shifts := f.shifts(f.Series, 400); !besides(f.Series, shifts) {
		t.Errorf("shifts %v", shifts)
	}
	f.Series[1].X = []float64{1, 4, 16}
	if shifts := f.shifts(f.Series, 400); shifts[0] != 0 || shifts[1] != 0 {
		t.Errorf("shifts %v of places that are apart", shifts)
	}
}

// TestMovedPointsStayInside: the x axis has room for points that stand beside each other at its ends.
func TestMovedPointsStayInside(t *testing.T) {
	for _, logarithmic := range []bool{false, true} {
		f := Figure{LogX: logarithmic, Legend: "below"}
		for i, name := range []string{"a", "b", "c", "d", "e", "f"} {
			y := []float64{1, 2, float64(i)}
			f.Series = append(f.Series, Series{Name: name, X: []float64{0.5, 2, 8}, Y: y, Low: y, High: y, Bars: true})
		}
		c := newChart(&f)
		x, width := &c.panels[0].plot.X, c.width-60
		shifts := f.shifts(f.Series, c.width)
		first, last := vg.Length(x.Norm(0.5))*width+shifts[0], vg.Length(x.Norm(8))*width+shifts[5]
		if shifts[0] == 0 || first < glyphRadius || last > width-glyphRadius {
			t.Errorf("logarithmic %v: points from %v to %v on an axis of %v", logarithmic, first, last, width)
		}
	}
}

// TestLongCategoriesAreRows checks that points over long names are rows of dots, with the names of series where several
// have a point, intervals, and lines across; short names stay below an axis.
func TestLongCategoriesAreRows(t *testing.T) {
	f := Figure{Categories: []string{"ε = 1, horizon = 100, 4 seeds", "two"}, Series: []Series{
		{Name: "a", X: []float64{0, 1}, Y: []float64{1, 2}, Low: []float64{0.5, 1}, High: []float64{1.5, 3}},
		{Name: "b", X: []float64{1}, Y: []float64{3}},
		{Name: "c", X: []float64{0, 1}, Y: []float64{4, 4}, Reference: true},
	}}
	if !f.rowed() {
		t.Fatal("no rows")
	}
	g := f.inRows().Cells
	if want := []string{"ε = 1, horizon = 100, 4 seeds", "two, a", "two, b", "c"}; !slices.Equal(g.Rows, want) {
		t.Errorf("rows %q, want %q", g.Rows, want)
	}
	if g.Values[0][0] != 1 || g.Half[0][0] != 0.5 || g.Half[1][0] != 1 || !math.IsNaN(g.Half[2][0]) || !g.Across[3] || g.Inside != 3 {
		t.Errorf("values %v, halves %v, across %v, inside %d", g.Values, g.Half, g.Across, g.Inside)
	}
	for _, other := range []Figure{{Categories: []string{"one", "two"}}, {Categories: f.Categories, Panels: []Panel{{}}}, {}} {
		if other.rowed() {
			t.Errorf("%+v is drawn as rows", other)
		}
	}
}

// TestLongNamesOfDotsHaveTwoLines checks that the name of a row breaks after a comma where it has no room.
func TestLongNamesOfDotsHaveTwoLines(t *testing.T) {
	c := &chart{page: page{width: 300}}
	names, _, most := c.namesOfDots(&Cells{Rows: []string{"private, scaled, median, ε = 29.8", "mean", "out"}, Across: []bool{false, false, true}})
	if want := []string{"private, scaled,\nmedian, ε = 29.8", "mean"}; !slices.Equal(names, want) || most != 2 {
		t.Errorf("names %q in %d lines, want %q", names, most, want)
	}
}
