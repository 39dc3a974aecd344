package figure_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios/results/figure"
)

// Heat maps are drawn in every format, the same bytes each time, with a cell for each value.
func TestHeat(t *testing.T) {
	h := figure.Heat{
		Title: "who learns what", XLabel: "node that learns", YLabel: "node", Label: "epsilon", BoxLabel: "edges between", Note: "nodes by number",
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
			for _, want := range []string{"who learns what", "node that learns", "no bound", "edges between", "nodes by number", "epsilon by distance", ">1.5<", "fill:#041E42", "fill:#FFFFFF", "fill:#882255", "fill:#E8E8E8"} {
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
