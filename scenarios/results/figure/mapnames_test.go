package figure

import (
	"math"
	"strings"
	"testing"

	"starling/scenarios/metric"
)

// TestNamesOfMaps writes long names in lines, whole, and explains boxes.
func TestNamesOfMaps(t *testing.T) {
	h := Heat{Size: metric.ColumnSize}
	for _, name := range []string{"torus", "random-regular, degree = 3", "permutations of all nodes, degree = 3", "ring"} {
		h.Maps = append(h.Maps, HeatMap{Name: name, Columns: []int32{1, 2}, Rows: []int32{1, 2}, Values: [][]float64{{math.NaN(), 1}, {1, math.NaN()}}})
	}
	p := h.page()
	for i, lines := range p.names {
		for _, line := range lines {
			if style := p.nameStyle(); elide(line, p.nameRoom(), style) != line {
				t.Errorf("%q of %s is cut", line, h.Maps[i].Name)
			}
		}
	}
	if len(p.names[2]) < 2 || p.top <= heatTop {
		t.Errorf("names %q with room %v", p.names, p.top)
	}
	h.Maps[0].Boxes = []Box{{At: 1, Count: 2, Quartiles: [5]float64{1, 1, 1, 1, 1}}}
	if h.Size = metric.FullSize; !strings.Contains(strings.Join(h.page().notes, " "), boxesText) {
		t.Errorf("note %q", h.page().notes)
	}
}
