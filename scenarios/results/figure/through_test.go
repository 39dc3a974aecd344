package figure

import (
	"testing"

	"gonum.org/v1/plot/vg"

	"starling/scenarios/results/diagram"
)

// TestOutlinesHaveAllCorners: squares and diamonds begin in the middle of a side, and turn at each corner.
func TestOutlinesHaveAllCorners(t *testing.T) {
	d := drawnSheet{Sheet: &diagram.Sheet{Picture: diagram.Picture{}}, height: 10, unit: 1, scale: 1}
	for _, kind := range []diagram.Kind{diagram.Box, diagram.Diamond} {
		path := d.path(&diagram.Shape{Kind: kind, Points: []diagram.Point{{X: 5, Y: 5}}, Size: 2})
		first, last := path[0].Pos, path[len(path)-2].Pos
		next := path[1].Pos
		if len(path) != 6 || path[5].Type != vg.CloseComp || first.Sub(last) != next.Sub(first) {
			t.Errorf("kind %v: %+v", kind, path)
		}
	}
}

// TestManyBars has thin bars where more than a few curves have some.
func TestManyBars(t *testing.T) {
	list := make([]Series, mostBarred)
	for i := range list {
		list[i] = Series{Low: []float64{0}, High: []float64{1}, Bars: true}
	}
	if manyBars(list) || !manyBars(append(list, list[0])) {
		t.Error("bars of few curves are thin, or of many are not")
	}
}
