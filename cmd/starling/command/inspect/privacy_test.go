package inspect

import (
	"testing"

	"starling/scenarios/results/figure"
)

// TestEqualLossesAreOneLine: curves with the same losses are one, under the values that their arms share.
func TestEqualLossesAreOneLine(t *testing.T) {
	x := []float64{1, 2}
	list := together([]figure.Series{
		{Name: "a", Label: "torus, ε = 1: wire", X: x, Y: []float64{1, 2}},
		{Name: "b", Label: "torus, ε = 2: wire", X: x, Y: []float64{2, 4}},
		{Name: "c", Label: "ring, ε = 1: wire", X: x, Y: []float64{1, 2}},
		{Name: "d", Label: "ring: server, wire", X: x, Y: []float64{2, 4}},
		{Name: "e", Label: "ring, ε = 5: peer", X: x, Y: []float64{5, 9}},
	})
	var labels []string
	for i := range list {
		labels = append(labels, list[i].Shown())
	}
	if len(labels) != 3 || labels[0] != "ε = 1 (2 arms): wire" || labels[1] != "2 arms: wire" || labels[2] != "ring, ε = 5: peer" {
		t.Errorf("%q", labels)
	}
}
