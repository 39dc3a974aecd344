package figure

import (
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"

	"starling/scenarios/metric"
)

// TestMapsHaveRoundNumbers: both axes of a map have the same numbers, multiples of a round step, every so many cells where
// numbers are left out, and none in another order.
func TestMapsHaveRoundNumbers(t *testing.T) {
	var m HeatMap
	for k := range int32(64) {
		m.Columns = append(m.Columns, k+1)
	}
	m.Rows = m.Columns
	for _, size := range []vg.Length{75, 150, 300} {
		step := m.step(vg.Point{X: size, Y: size})
		cells := marked(m.Columns, step)
		if !slices.Equal(cells, marked(m.Rows, step)) || len(cells) < 3 || len(cells) > heatTicks || !slices.Contains([]int{10, 20}, step) || int(m.Columns[cells[0]]) != step {
			t.Errorf("side %v: every %d, cells %v", size, step, cells)
		}
	}
	m.Columns = []int32{3, 1, 2, 4}
	if cells := marked(m.Columns, 2); cells != nil {
		t.Errorf("cells %v of another order", cells)
	}
	if cells := marked([]int32{1, 2, 5, 6}, 2); !slices.Equal(cells, []int{0, 2}) {
		t.Errorf("cells %v without some", cells)
	}
}

// TestMapsOfAColumn: four maps on a page of a column are two by two.
func TestMapsOfAColumn(t *testing.T) {
	h := Heat{Size: metric.ColumnSize, Maps: make([]HeatMap, 4)}
	if p := h.page(); p.across != 2 || p.side < leastHeatSide || p.height > 1.2*p.width {
		t.Errorf("%d across, side %v, %v by %v", p.across, p.side, p.width, p.height)
	}
}
