package figure

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"starling/scenarios/metric"
)

// cellsOf has so many rows and columns of cells or dots, with intervals.
func cellsOf(rows, columns int, dots bool) Figure {
	c := &Cells{Better: Lower, Inside: rows, Dots: dots}
	for k := range columns {
		c.Columns = append(c.Columns, fmt.Sprint("condition ", k))
	}
	for i := range rows {
		c.Rows = append(c.Rows, fmt.Sprintf("a choice with a name, number %d", i))
		values, half := make([]float64, columns), make([]float64, columns)
		for k := range values {
			values[k], half[k] = float64(i+k+1), 0.5
		}
		c.Values, c.Half = append(c.Values, values), append(c.Half, half)
		c.Best, c.Across = append(c.Best, make([]bool, columns)), append(c.Across, false)
	}
	return Figure{Title: "title", YLabel: "y", Note: "A note.", Look: metric.SlidesLook, Cells: c}
}

// TestSlidesOfCells has slides of few and of many cells, and of maps, in the proportions of a screen, with all that stands on
// them inside.
func TestSlidesOfCells(t *testing.T) {
	check := func(name string, width, height int) {
		if width != 1600 || height != 900 {
			t.Errorf("%s: %d by %d pixels, want 1600 by 900", name, width, height)
		}
	}
	for _, dots := range []bool{false, true} {
		for _, size := range [][2]int{{2, 2}, {7, 5}, {12, 3}, {10, 6}} {
			f, name := cellsOf(size[0], size[1], dots), fmt.Sprintf("%v cells, dots %v", size, dots)
			var file bytes.Buffer
			if err := WritePNG(f, &file); err != nil {
				t.Fatal(err)
			}
			picture, err := png.DecodeConfig(&file)
			if err != nil {
				t.Fatal(err)
			}
			check(name, picture.Width, picture.Height)
			if c := newChart(&f); c.blank < 0 || c.scale > slidesScale || c.scale < leastSlide {
				t.Errorf("%s: blank %v at the scale %v", name, c.blank, c.scale)
			}
		}
	}
	for _, maps := range []int{1, 2, 4, 6} {
		h := Heat{Title: "title", XLabel: "x", YLabel: "y", Note: "A note.", Look: metric.SlidesLook}
		for i := range maps {
			h.Maps = append(h.Maps, HeatMap{Name: fmt.Sprintf("an arm with a long name, number %d", i), Columns: []int32{1, 2}, Rows: []int32{1, 2},
				Values: [][]float64{{math.NaN(), 1}, {1, math.NaN()}}, Boxes: []Box{{At: 1, Count: 2, Quartiles: [5]float64{1, 1, 1, 1, 1}}}})
		}
		path := filepath.Join(t.TempDir(), "maps.png")
		if err := SaveHeat(h, path); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.DecodeConfig(file)
		if err := file.Close(); err != nil {
			t.Error(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		check(fmt.Sprint(maps, " maps"), picture.Width, picture.Height)
		p := h.page()
		rows := (len(p.Maps) + p.across - 1) / p.across
		if need := float64(rows)*float64(p.high()) + float64(len(p.notes))*float64(noteSpace) + 2*float64(border); len(p.Maps) != maps || need+float64(p.blank) > float64(p.height)+0.5 {
			t.Errorf("%d of %d maps need %v of %v points", len(p.Maps), maps, need, p.height)
		}
	}
}
