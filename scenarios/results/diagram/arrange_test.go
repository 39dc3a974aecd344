package diagram_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/results/diagram"
)

// distance is the length between two nodes in a picture.
func distance(places []float64, v, w int) float64 {
	return math.Hypot(places[2*v]-places[2*w], places[2*v+1]-places[2*w+1])
}

// Distances in the picture of a lattice without a kind are about those in the graph, up to one
// factor: the correlation over all pairs is near 1. Equal graphs have equal places.
func TestArrangeLattice(t *testing.T) {
	const rows, columns = 4, 7
	var edges []topology.Edge
	both := func(a, b int) {
		edges = append(edges, topology.Edge{From: messages.NodeID(a), To: messages.NodeID(b), Weight: 1}, topology.Edge{From: messages.NodeID(b), To: messages.NodeID(a), Weight: 1})
	}
	for v := range rows * columns {
		if v%columns < columns-1 {
			both(v, v+1)
		}
		if v+columns < rows*columns {
			both(v, v+columns)
		}
	}
	g := graphOf(t, rows*columns, edges...)
	places := diagram.Arrange(g)
	if !slices.Equal(places, diagram.Arrange(graphOf(t, rows*columns, edges...))) {
		t.Error("equal graphs have other places")
	}
	var n, sx, sy, sxx, syy, sxy float64
	for v := range rows * columns {
		for w := range v {
			x := math.Hypot(float64(v%columns-w%columns), float64(v/columns-w/columns)) // in the plane
			y := distance(places, v, w)
			n, sx, sy, sxx, syy, sxy = n+1, sx+x, sy+y, sxx+x*x, syy+y*y, sxy+x*y
		}
	}
	if r := (n*sxy - sx*sy) / math.Sqrt((n*sxx-sx*sx)*(n*syy-sy*sy)); r < 0.97 {
		t.Errorf("the correlation of distances is %v", r)
	}
	for i, x := range places {
		if x < -1e-12 || x > 1+1e-12 {
			t.Errorf("coordinate %d is %v", i, x)
		}
	}
}

// A star has its hub in the middle, and a tree of two levels two circles around it. Graphs of no
// shape, with most edges or with none, are circles.
func TestArrangeForms(t *testing.T) {
	star, err := topology.Star{Leaves: 9}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	places := diagram.Arrange(star.At(0))
	for leaf := 1; leaf < 10; leaf++ {
		if d := distance(places, 0, leaf); math.Abs(d-0.5) > 1e-9 {
			t.Errorf("leaf %d is %v from the hub", leaf, d)
		}
	}
	tiers, err := topology.Tiers{Fan: []int{3, 4}}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	places = diagram.Arrange(tiers.At(0))
	for v := 1; v < 16; v++ {
		want := 0.5
		if v > 12 {
			want = 0.25 // the servers between
		}
		if d := distance(places, 0, v); math.Abs(d-want) > 1e-9 {
			t.Errorf("node %d is %v from the top", v, d)
		}
	}
	complete, err := topology.Complete{Nodes: 9}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []*topology.Graph{complete.At(0), topology.Empty(9), topology.Empty(2), topology.Empty(1)} {
		if !slices.Equal(diagram.Arrange(g), topology.Around(g.Nodes())) {
			t.Errorf("%d nodes and %d edges are no circle", g.Nodes(), g.Edges())
		}
	}
	// Parts without a path between them are apart, and no number is undefined.
	parts := diagram.Arrange(graphOf(t, 6, topology.Edge{From: 0, To: 1, Weight: 1}, topology.Edge{From: 1, To: 2, Weight: 1}, topology.Edge{From: 3, To: 4, Weight: 1}, topology.Edge{From: 4, To: 5, Weight: 1}))
	if !(distance(parts, 0, 1) < distance(parts, 0, 4)) || !(distance(parts, 3, 4) < distance(parts, 2, 3)) {
		t.Errorf("the parts are at %v", parts)
	}
}

// Byzantine nodes are diamonds, named in the title of the picture and in the captions of a sheet.
func TestByzantine(t *testing.T) {
	g := diagram.Graph{Title: "t", Graph: ring(t, 12), FirstLabel: 1, Byzantine: []int{0, 2, 10}}
	p, _ := diagram.New(&g)
	var diamonds []string
	for _, item := range p.Items {
		if item.Class == diagram.Byzantine {
			diamonds = append(diamonds, item.Title)
		}
	}
	if want := []string{"node 1, Byzantine", "node 3, Byzantine", "node 11, Byzantine"}; !slices.Equal(diamonds, want) {
		t.Errorf("diamonds are %q, want %q", diamonds, want)
	}
	sheet, _ := diagram.NewSheet(&g)
	all := strings.ReplaceAll(texts(t, sheet.SVG()), "\n", " ")
	for _, want := range []string{"Nodes 1, 3 and 11 are Byzantine.", "a red diamond is a Byzantine node"} {
		if !strings.Contains(all, want) {
			t.Errorf("the sheet does not say %q: %q", want, all)
		}
	}
}

// An edge is straight unless a node is in its way: on a line of three the edge of the ends
// bends, and passes the middle one.
func TestEdgesPassNodes(t *testing.T) {
	g := diagram.Graph{Title: "t", FirstLabel: 1, Places: []float64{0, 0.5, 0.5, 0.5, 1, 0.5},
		Graph: graphOf(t, 3, topology.Edge{From: 0, To: 1, Weight: 1}, topology.Edge{From: 0, To: 2, Weight: 1})}
	p, _ := diagram.New(&g)
	for _, item := range p.Items {
		if item.Class != diagram.Edge {
			continue
		}
		curve := item.Shapes[0].Points
		off := math.Abs(curve[1].Y - (curve[0].Y+curve[2].Y)/2)
		if straight := item.Title == "1 to 2: weight 1"; straight != (off < 1e-9) || !straight && off < 30 {
			t.Errorf("%s bends by %v", item.Title, off)
		}
	}
}
