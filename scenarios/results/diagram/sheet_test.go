package diagram

import (
	"math"
	"testing"

	"starling/actors/topology"
	"starling/messages"
)

// TestSheetsAreReadable: on a sheet of up to 64 nodes, crowded in a corner, nodes do not cover each other, each has
// its number inside, edges are no paler than they have to be, and the picture fills its page.
func TestSheetsAreReadable(t *testing.T) {
	for _, n := range []int{6, 20, 33, 64} {
		var edges []topology.Edge
		for i := range messages.NodeID(n) {
			edges = append(edges, topology.Edge{From: i, To: (i + 1) % messages.NodeID(n), Weight: 0.5}, topology.Edge{From: i, To: (i + 3) % messages.NodeID(n), Weight: 0.1})
		}
		places := make([]float64, 2*n)
		for v := range n { // most in a corner, one far from it to the right
			places[2*v], places[2*v+1] = 0.1+float64(v%9)/300, 0.2+float64(v/9)/400
		}
		places[0] = 0.9
		g, err := topology.FromEdges(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		s, ok := NewSheet(&Graph{Title: "t", Graph: g, FirstLabel: 1, Places: places})
		if !ok {
			t.Fatal("no picture")
		}
		var at []Point
		var radius float64
		numbers := 0
		for _, item := range s.Picture.Items {
			if item.Class == Edge && item.Opacity < leastFade*leastShare-1e-9 {
				t.Errorf("%d nodes: an edge has opacity %g", n, item.Opacity)
			}
			if item.Class != Node {
				continue
			}
			at, radius = append(at, item.Shapes[0].Points[0]), item.Shapes[0].Size
			for _, shape := range item.Shapes[1:] {
				if shape.Points[0] == at[len(at)-1] && shape.Size >= leastLabel {
					numbers++
				}
			}
		}
		if numbers != n {
			t.Errorf("%d of %d nodes have their numbers", numbers, n)
		}
		low, high := math.Inf(1), math.Inf(-1)
		for v, p := range at {
			low, high = min(low, p.X), max(high, p.X)
			for _, q := range at[:v] {
				if distance := math.Hypot(p.X-q.X, p.Y-q.Y); distance < 1.8*radius {
					t.Fatalf("%d nodes: %v and %v are %g apart, of radius %g", n, p, q, distance, radius)
				}
			}
		}
		if high-low < 0.8*side {
			t.Errorf("%d nodes: the picture is %g wide", n, high-low)
		}
		if above, below := s.Picture.blank(); s.Height > sheetTop+s.Side*(1-above-below)+75 {
			t.Errorf("%d nodes: the page is %g high, with %g blank", n, s.Height, above+below)
		}
	}
}
