package diagram_test

import (
	"encoding/xml"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/results/diagram"
)

var update = flag.Bool("update", false, "write the golden files anew")

// graphOf returns a graph of nodes with edges.
func graphOf(t *testing.T, nodes int, edges ...topology.Edge) *topology.Graph {
	t.Helper()
	g, err := topology.FromEdges(nodes, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func ring(t *testing.T, nodes int) *topology.Graph {
	t.Helper()
	sequence, err := topology.Ring{Nodes: nodes}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	return sequence.At(0)
}

// The SVG of a tiny union of graphs is the one that was looked at.
func TestGolden(t *testing.T) {
	g := diagram.Graph{
		Title: "tiny, steps 1 to 4", FirstLabel: 1, Total: true,
		Graph: graphOf(t, 3, topology.Edge{From: 0, To: 1, Weight: 2}, topology.Edge{From: 1, To: 0, Weight: 2}, topology.Edge{From: 1, To: 2, Weight: 0.5}, topology.Edge{From: 2, To: 2, Weight: 4}),
	}
	sheet, ok := diagram.NewSheet(&g)
	if !ok {
		t.Fatal("no picture")
	}
	file := filepath.Join("testdata", "tiny.svg")
	if *update {
		if err := os.WriteFile(file, []byte(sheet.SVG()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := sheet.SVG(); got != string(want) {
		t.Errorf("the picture changed:\n%s", got)
	}
}

// A server is a square with its number, and a sentence names it. Edges between it and its clients
// have no weights.
func TestServer(t *testing.T) {
	g := diagram.Graph{Graph: graphOf(t, 2, topology.Edge{From: 0, To: 1, Weight: 1}, topology.Edge{From: 1, To: 0, Weight: 1}), Servers: []int{0}}
	sheet, ok := diagram.NewSheet(&g)
	if !ok {
		t.Fatal("no picture")
	}
	all := strings.ReplaceAll(texts(t, sheet.SVG()), "\n", " ")
	for _, want := range []string{"Node 0 is the server.", "A line leads both ways; a square is a server.", "node 0, server"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in %q", want, all)
		}
	}
	if shape := sheet.Picture.Items[len(sheet.Picture.Items)-2].Shapes[0].Kind; shape != diagram.Box {
		t.Errorf("a server is a shape of kind %v", shape)
	}
}

// texts returns the texts of an SVG file, which must be well-formed.
func texts(t *testing.T, svg string) string {
	t.Helper()
	var all []string
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return strings.Join(all, "\n")
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := token.(xml.CharData); ok {
			all = append(all, string(data))
		}
	}
}

// A sheet is a whole file: well-formed, with its title and its captions in sight, whatever the
// title; and there is none where the graph is too large.
func TestSheet(t *testing.T) {
	for nodes, wants := range map[int][]string{
		5:   {"An arrow leads from a sender to a receiver; all have the weight 0.5."},
		121: {"Row: the receiver; column: the sender", "all have the weight 0.5.", "\nreceiver\n", "\n120\n"}, 400: {"\n400\n"}, 401: nil,
	} {
		g := diagram.Graph{Title: `<a> & "b"`, Graph: ring(t, nodes), FirstLabel: 1}
		sheet, ok := diagram.NewSheet(&g)
		if ok != (wants != nil) {
			t.Errorf("%d nodes: drawn is %v", nodes, ok)
		}
		if !ok {
			continue
		}
		all := texts(t, sheet.SVG())
		flat := strings.ReplaceAll(all, "\n", " ")
		for _, want := range append(wants, `<a> & "b"`, diagram.Describe(g.Graph)) {
			if !strings.Contains(all, want) && !strings.Contains(flat, want) {
				t.Errorf("%d nodes: the sheet does not say %q in %q", nodes, want, all)
			}
		}
		for _, text := range sheet.Texts {
			if text.At.X < 0 || text.At.X > sheet.Width || text.At.Y < 0 || text.At.Y > sheet.Height {
				t.Errorf("%d nodes: %q is not on the sheet", nodes, text.Text)
			}
		}
	}
}

// Totals of several steps make edges wide and dark by their share of the largest, self-loops
// left out, the heaviest on top.
func TestTotal(t *testing.T) {
	edges := []topology.Edge{{From: 0, To: 1, Weight: 4}, {From: 1, To: 2, Weight: 1}, {From: 2, To: 3, Weight: 2}, {From: 3, To: 3, Weight: 100}}
	p, ok := diagram.New(&diagram.Graph{Title: "t", Graph: graphOf(t, 4, edges...), FirstLabel: 1, Total: true})
	if !ok {
		t.Fatal("no picture")
	}
	var drawn []diagram.Item
	for _, item := range p.Items {
		if item.Class == diagram.Edge {
			drawn = append(drawn, item)
		}
	}
	if len(drawn) != 3 {
		t.Fatalf("%d edges are drawn, want 3", len(drawn))
	}
	for i, want := range []string{"2 to 3: weight 1", "3 to 4: weight 2", "1 to 2: weight 4"} {
		if drawn[i].Title != want {
			t.Errorf("edge %d is %q, want %q", i, drawn[i].Title, want)
		}
	}
	step := drawn[1].Width - drawn[0].Width
	if step <= 0 || math.Abs(drawn[2].Width-drawn[1].Width-2*step) > 1e-12 || drawn[2].Opacity != 1 {
		t.Errorf("widths are %v, %v, %v, and the largest opacity %v", drawn[0].Width, drawn[1].Width, drawn[2].Width, drawn[2].Opacity)
	}

	// Of many nodes the diagonal of the matrix stays white.
	many, ok := diagram.New(&diagram.Graph{Title: "t", Graph: ring(t, 150), FirstLabel: 1, Total: true})
	if !ok || !many.Matrix {
		t.Fatal("no matrix")
	}
	cells := 0
	for _, item := range many.Items {
		if item.Class != diagram.Cells {
			continue
		}
		for _, row := range item.Shapes {
			if at := row.Points[0]; row.Size != 1 || at.X == at.Y {
				t.Errorf("cells at %v, %v wide", at, row.Size)
			}
			cells++
		}
	}
	if cells != 150 {
		t.Errorf("%d cells, want 150", cells)
	}
}

// A step without edges has a picture of its nodes, and says that there is no edge.
func TestNoEdges(t *testing.T) {
	for _, nodes := range []int{1, 3, 80} {
		sheet, ok := diagram.NewSheet(&diagram.Graph{Title: "night", Graph: topology.Empty(nodes), FirstLabel: 1})
		if !ok {
			t.Fatalf("%d nodes: no picture", nodes)
		}
		if svg := sheet.SVG(); !strings.Contains(svg, "No edge is drawn.") || strings.Contains(svg, "NaN") {
			t.Errorf("%d nodes: %s", nodes, svg)
		}
	}
}

// edgesOf returns the edges that a picture of a graph draws.
func edgesOf(t *testing.T, g *diagram.Graph) (p diagram.Picture, edges []diagram.Item) {
	t.Helper()
	p, ok := diagram.New(g)
	if !ok {
		t.Fatal("no picture")
	}
	for _, item := range p.Items {
		if item.Class == diagram.Edge {
			edges = append(edges, item)
		}
	}
	return p, edges
}

// Self-loops are drawn where they tell nodes apart: where some have one and others have none. The
// caption says so otherwise.
func TestSelfLoops(t *testing.T) {
	edges := []topology.Edge{{From: 0, To: 1, Weight: 0.5}, {From: 0, To: 0, Weight: 1}, {From: 1, To: 1, Weight: 0.5}, {From: 2, To: 2, Weight: 1}}
	for loops, want := range map[int]int{1: 2, 2: 3, 3: 1} {
		g := &diagram.Graph{Title: "t", Graph: graphOf(t, 3, edges[:1+loops]...), FirstLabel: 1}
		p, drawn := edgesOf(t, g)
		if len(drawn) != want {
			t.Errorf("%d self-loops: %d edges are drawn, want %d", loops, len(drawn), want)
		}
		if said := strings.Contains(p.Title, "Each node has a self-loop, which is not drawn."); said != (loops == 3) {
			t.Errorf("%d self-loops: the title is %q", loops, p.Title)
		}
	}
}

// circle returns a graph in which each node hears the next few of a circle.
func circle(t *testing.T, nodes, degree int) *topology.Graph {
	t.Helper()
	var edges []topology.Edge
	for v := range nodes {
		for k := 1; k <= degree; k++ {
			edges = append(edges, topology.Edge{From: messages.NodeID((v + k) % nodes), To: messages.NodeID(v), Weight: 0.1})
		}
	}
	return graphOf(t, nodes, edges...)
}

// TestLanes draws nodes so small that no edge of a torus passes behind one.
func TestLanes(t *testing.T) {
	const n = 8
	var edges []topology.Edge
	places := make([]float64, 2*n*n)
	for v := range n * n {
		places[2*v], places[2*v+1] = float64(v%n)/(n-1), float64(v/n)/(n-1)
		for _, w := range []int{v/n*n + (v+1)%n, (v + n) % (n * n)} {
			edges = append(edges, topology.Edge{From: messages.NodeID(v), To: messages.NodeID(w), Weight: 0.2}, topology.Edge{From: messages.NodeID(w), To: messages.NodeID(v), Weight: 0.2})
		}
	}
	p, lines := edgesOf(t, &diagram.Graph{Title: "t", Graph: graphOf(t, n*n, edges...), FirstLabel: 1, Places: places})
	var circles []diagram.Shape
	for _, item := range p.Items {
		if item.Class == diagram.Node {
			circles = append(circles, item.Shapes[0])
		}
	}
	if len(circles) != n*n || len(lines) != 2*n*n {
		t.Fatalf("%d nodes and %d lines", len(circles), len(lines))
	}
	for _, line := range lines {
		a, control, b := line.Shapes[0].Points[0], line.Shapes[0].Points[1], line.Shapes[0].Points[2]
		for k := 1; k < 40; k++ {
			at := float64(k) / 40
			x := (1-at)*(1-at)*a.X + 2*at*(1-at)*control.X + at*at*b.X
			y := (1-at)*(1-at)*a.Y + 2*at*(1-at)*control.Y + at*at*b.Y
			for _, c := range circles {
				if math.Hypot(c.Points[0].X-x, c.Points[0].Y-y) < c.Size-0.5 {
					t.Fatalf("%s passes behind the node at %v", line.Title, c.Points[0])
				}
			}
		}
	}
}

// Edges are the thinner and lighter, the more there are, and a graph of many nodes and edges is a
// matrix.
func TestCrowds(t *testing.T) {
	opacity, width := 2.0, 2.0
	for _, nodes := range []int{8, 24, 64, 120} {
		_, edges := edgesOf(t, &diagram.Graph{Title: "t", Graph: circle(t, nodes, 2), FirstLabel: 1})
		if len(edges) != 2*nodes {
			t.Fatalf("%d nodes: %d edges are drawn", nodes, len(edges))
		}
		if e := edges[0]; e.Opacity > opacity || e.Opacity < 0.29 || nodes > 24 && (e.Width > width || e.Width == 0) {
			t.Errorf("%d nodes: the opacity is %v after %v, the width %v after %v", nodes, e.Opacity, opacity, e.Width, width)
		} else if opacity = e.Opacity; e.Width > 0 {
			width = e.Width
		}
	}
	// Few edges a node do not hide each other: those of more are lighter.
	if _, edges := edgesOf(t, &diagram.Graph{Title: "t", Graph: circle(t, 24, 8), FirstLabel: 1}); opacity > 0.4 || edges[0].Opacity > 0.31 || edges[0].Opacity >= opacity {
		t.Errorf("the lightest edge has an opacity of %v, and of 8 edges a node %v", opacity, edges[0].Opacity)
	}
	for _, test := range []struct {
		nodes, degree int
		matrix        bool
	}{{24, 9, false}, {25, 8, false}, {25, 9, true}, {121, 1, true}} {
		if p, _ := edgesOf(t, &diagram.Graph{Title: "t", Graph: circle(t, test.nodes, test.degree), FirstLabel: 1}); p.Matrix != test.matrix {
			t.Errorf("%d nodes of degree %d: a matrix is %v", test.nodes, test.degree, p.Matrix)
		}
	}
}

// All of a few nodes have their numbers in sight, and some of many small ones.
func TestLabels(t *testing.T) {
	for nodes, want := range map[int]int{24: 24, 120: 15} {
		places := make([]float64, 2*nodes)
		for v := range nodes { // near each other
			places[2*v], places[2*v+1] = float64(v%12)*0.02, float64(v/12)*0.02
		}
		p, ok := diagram.New(&diagram.Graph{Title: "t", Graph: circle(t, nodes, 1), FirstLabel: 1, Places: places})
		if !ok {
			t.Fatal("no picture")
		}
		labels := 0
		for _, item := range p.Items {
			for _, s := range item.Shapes {
				if s.Kind == diagram.Label {
					labels++
				}
			}
		}
		if labels != want {
			t.Errorf("%d nodes: %d have numbers, want %d", nodes, labels, want)
		}
	}
}

// TestTangledGraphs have their weight matrix beside the nodes, on a page of twice the width; others have not.
func TestTangledGraphs(t *testing.T) {
	for nodes, want := range map[int]bool{8: false, 12: true} {
		sheet, ok := diagram.NewSheet(&diagram.Graph{Title: "t", Graph: circle(t, nodes, nodes/2-1), FirstLabel: 1})
		if !ok || (sheet.Beside != nil) != want {
			t.Errorf("%d nodes: a matrix beside them: %v", nodes, sheet.Beside != nil)
		}
		if want && (sheet.Beside.Width != sheet.Width || !strings.Contains(sheet.SVG(), `graph matrix`)) {
			t.Errorf("no matrix in %s", sheet.SVG())
		}
	}
	if sheet, _ := diagram.NewSheet(&diagram.Graph{Title: "t", Graph: ring(t, 12), FirstLabel: 1}); sheet.Beside != nil {
		t.Error("a ring has a matrix beside it")
	}
}

// TestRing: nodes of a circle of many are smaller than half the way to the next one, so that edges between near ones are
// seen; on other places nodes keep their size.
func TestRing(t *testing.T) {
	radius := func(places []float64) float64 {
		p, ok := diagram.New(&diagram.Graph{Title: "t", Graph: circle(t, 20, 2), FirstLabel: 1, Places: places})
		if !ok {
			t.Fatal("no picture")
		}
		return p.Items[len(p.Items)-1].Shapes[0].Size
	}
	around := topology.Around(20)
	moved := slices.Clone(around)
	moved[1] += 0.1
	if ring, other := radius(around), radius(moved); ring > 0.8*other {
		t.Errorf("nodes of the radius %v on a circle, and %v on other places", ring, other)
	}
}
