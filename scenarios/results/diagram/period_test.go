package diagram

import (
	"math"
	"strings"
	"testing"

	"starling/actors/topology"
)

// TestPeriod lays out several graphs on one sheet, each with its title, and one text on numbers.
func TestPeriod(t *testing.T) {
	g := func(title string, rows ...[]float64) *Graph {
		graph, err := topology.FromDense(rows)
		if err != nil {
			t.Fatal(err)
		}
		return &Graph{Title: title, Graph: graph, FirstLabel: 1}
	}
	one, two := g("step 1", []float64{0.5, 0.5}, []float64{0, 1}), g("step 2", []float64{1, 0}, []float64{0.5, 0.5})
	s, ok := NewPeriod("a network", "It repeats.", []*Graph{one, two, g("all together", []float64{0, 0.5}, []float64{0.5, 0})})
	if !ok || s.Beside == nil || s.Beside.Beside == nil || s.Beside.Beside.Beside != nil {
		t.Fatalf("%v, %+v", ok, s)
	}
	svg := s.SVG()
	for _, want := range []string{"a network", "step 1", "step 2", "all together", "It repeats.", numbersText} {
		if strings.Count(svg, ">"+want+"<") != 1 {
			t.Errorf("%q is there %d times", want, strings.Count(svg, ">"+want+"<"))
		}
	}
	if s.Left == s.Beside.Left || math.Abs(s.Top-s.Beside.Top) > 1e-9 {
		t.Errorf("places %v %v and %v %v, want one row", s.Left, s.Top, s.Beside.Left, s.Beside.Top)
	}
}

// TestEdgesPassNodes bends an edge that would graze a node, so that it does not seem to end there.
func TestEdgesPassNodes(t *testing.T) {
	d := &nodes{node: 10, at: []Point{{0, 0}, {200, 0}, {100, 10}}}
	bend := d.around(d.at[0], d.at[1], Point{0, -1}, 200, 0)
	if clear := d.clearance(d.at[0], d.at[1], Point{0, -1}, bend); clear < d.node+clearRoom {
		t.Errorf("an edge of bend %v comes as near as %v to a node of radius %v", bend, clear, d.node)
	}
}
