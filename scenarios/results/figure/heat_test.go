package figure_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/results/figure"
)

// Heat maps are drawn in every format, the same bytes each time, with a cell for each value.
func TestHeat(t *testing.T) {
	h := figure.Heat{
		Title: "who learns what", XLabel: "node that learns", YLabel: "node", Label: "epsilon", BoxTitle: "losses by distance", BoxLabel: "edges between", Note: "nodes by number",
		Maps: []figure.HeatMap{
			{Name: "one", Columns: []int32{1, 2}, Rows: []int32{1, 2}, Values: [][]float64{{math.NaN(), 2}, {1, math.NaN()}}, Boxes: []figure.Box{{At: 1, Count: 4, Quartiles: [5]float64{1, 1, 1.5, 2, 2}}, {At: 2, Count: 1, Quartiles: [5]float64{0, 0, 0, math.Inf(1), math.Inf(1)}}}},
			{Name: "none", Columns: []int32{1, 2}, Rows: []int32{1, 2}, Values: [][]float64{{math.NaN(), 0}, {math.Inf(1), math.NaN()}}},
		},
	}
	folder := t.TempDir()
	for _, extension := range figure.PictureExtensions() {
		var files [2][]byte
		for i := range files {
			path := filepath.Join(folder, "heat"+extension)
			if err := figure.SaveHeat(h, path); err != nil {
				t.Fatal(err)
			}
			var err error
			if files[i], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(files[0], files[1]) || len(files[0]) < 1000 {
			t.Errorf("%s: %d bytes, then %d", extension, len(files[0]), len(files[1]))
		}
		if extension == ".svg" {
			for _, want := range []string{"who learns what", "node that learns", "no bound", "edges between", "nodes by number", "losses by distance", "itself", ">1.5<", "fill:#041E42", "fill:#FFFFFF", "fill:#882255", "fill:#E3C98F"} {
				if !strings.Contains(string(files[0]), want) {
					t.Errorf("no %s", want)
				}
			}
		}
	}
	if err := figure.SaveHeat(h, filepath.Join(folder, "heat.txt")); err == nil || !strings.Contains(err.Error(), "known: .svg, .png, .pdf") {
		t.Errorf("%v", err)
	}
	if err := figure.SaveHeat(figure.Heat{}, filepath.Join(folder, "heat.svg")); err == nil {
		t.Error("nothing is drawn")
	}
}

// TestHeatPages: maps of any number of arms are as wide as they are asked for, at most 9 inches high, and the note
// says how many are left out.
func TestHeatPages(t *testing.T) {
	for _, arms := range []int{1, 2, 4, 9, 40} {
		h := figure.Heat{Title: "t", XLabel: "who learns", YLabel: "whose data", Label: "loss", BoxTitle: "by distance", Note: "A sentence."}
		for range arms {
			h.Maps = append(h.Maps, figure.HeatMap{
				Name: "arm", Columns: []int32{1, 2}, Rows: []int32{1, 2}, Values: [][]float64{{math.NaN(), 2}, {2, math.NaN()}},
				Boxes: []figure.Box{{At: 1, Count: 2, Quartiles: [5]float64{2, 2, 2, 2, 2}}},
			})
		}
		for name, test := range map[string]struct {
			change func(h *figure.Heat)
			width  float64
			title  bool
		}{
			"full": {func(*figure.Heat) {}, 8, true}, "column": {func(h *figure.Heat) { h.Size = metric.ColumnSize }, 3.4, false},
			"inches": {func(h *figure.Heat) { h.Width = 5.5 }, 5.5, true}, "paper": {func(h *figure.Heat) { h.Look = metric.PaperLook }, 8, false},
			"slides": {func(h *figure.Heat) { h.Look = metric.SlidesLook }, 8, true},
		} {
			drawn := h
			test.change(&drawn)
			path := filepath.Join(t.TempDir(), "heat.svg")
			if err := figure.SaveHeat(drawn, path); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			found := regexp.MustCompile(`<svg width="([0-9.]+)pt" height="([0-9.]+)pt"`).FindSubmatch(text)
			width, err := strconv.ParseFloat(string(found[1]), 64)
			if err != nil {
				t.Fatal(err)
			}
			height, err := strconv.ParseFloat(string(found[2]), 64)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(width/72-test.width) > 0.01 || height/72 > 9.01 {
				t.Errorf("%d arms, %s: %.2f by %.2f inches", arms, name, width/72, height/72)
			}
			if shown := strings.Count(string(text), ">arm</text>"); shown < arms && !strings.Contains(string(text), fmt.Sprintf("Drawn: the first %d arms.", shown)) {
				t.Errorf("%d arms, %s: %d are shown, and the note does not say so", arms, name, shown)
			}
			if strings.Contains(string(text), ">t</text>") != test.title || !strings.Contains(string(text), ">all 2.00</text>") {
				t.Errorf("%d arms, %s: the title, or the one colour", arms, name)
			}
		}
	}
}
