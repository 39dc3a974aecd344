package diagram

import (
	"math"
	"strings"
	"testing"

	"starling/actors/topology"
	"starling/messages"
)

// TestPanels lays out several graphs on one sheet, each with its title, and one text on numbers.
func TestPanels(t *testing.T) {
	g := func(title string, rows ...[]float64) *Graph {
		graph, err := topology.FromDense(rows)
		if err != nil {
			t.Fatal(err)
		}
		return &Graph{Title: title, Graph: graph, FirstLabel: 1}
	}
	one, two := g("step 1", []float64{0.5, 0.5}, []float64{0, 1}), g("step 2", []float64{1, 0}, []float64{0.5, 0.5})
	one.Note = "spectral gap 0.5"
	s, ok := NewPanels(&Panels{Title: "a network", Text: []string{"It repeats."}, Graphs: []*Graph{one, two, g("all together", []float64{0, 0.5}, []float64{0.5, 0})}})
	if !ok || s.Beside == nil || s.Beside.Beside == nil || s.Beside.Beside.Beside == nil || s.Beside.Beside.Beside.Beside != nil {
		t.Fatalf("%v, %+v", ok, s)
	}
	svg := s.SVG()
	for _, want := range []string{"a network", "step 1", "step 2", "all together", "It repeats.", "spectral gap 0.5", numbersText} {
		if strings.Count(svg, ">"+want+"<") != 1 {
			t.Errorf("%q is there %d times", want, strings.Count(svg, ">"+want+"<"))
		}
	}
	if s = s.Beside; s.Left == s.Beside.Left || math.Abs(s.Top-s.Beside.Top) > 1e-9 {
		t.Errorf("places %v %v and %v %v, want one row", s.Left, s.Top, s.Beside.Left, s.Beside.Top)
	}
}

// TestServersApart keeps the squares of servers on a ring from touching each other.
func TestServersApart(t *testing.T) {
	g := &Graph{Graph: topology.Empty(24), Zoom: cellZoom}
	places := []float64{}
	for i := range 24 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 24)
		g.Servers, places = append(g.Servers, i), append(places, 0.5+0.2*sin, 0.5+0.2*cos)
	}
	g.Places = places
	d := newNodes(g)
	size := d.serverSize()
	if near := math.Hypot(d.at[0].X-d.at[1].X, d.at[0].Y-d.at[1].Y); 2*size*math.Sqrt2 > near || size >= leastServer*cellZoom {
		t.Errorf("squares of side %v, %v apart", 2*size, near)
	}
	g.Servers = g.Servers[:1]
	if size := newNodes(g).serverSize(); size < leastServer*cellZoom {
		t.Errorf("one server of size %v", size)
	}
}

// TestAbsentNodes draws absent nodes hollow and their edges dashed, and a chart of their steps.
func TestAbsentNodes(t *testing.T) {
	graph, err := topology.FromEdges(3, []topology.Edge{{From: 0, To: 1, Weight: 1}, {From: 1, To: 2, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	g := &Graph{Title: "step 1", Graph: graph, FirstLabel: 1, Absent: []int{2}}
	s, ok := NewPanels(&Panels{Title: "net", Graphs: []*Graph{g}, Presence: []Presence{{First: 1, Last: 500, Rows: []PresenceRow{{"1", [][2]int{{1, 500}}}, {"3", [][2]int{{1, 99}, {150, 500}}}}}}})
	if !ok {
		t.Fatal("no picture")
	}
	dashed, bars := 0, 0
	for _, item := range s.Beside.Picture.Items {
		if item.Dashed != (item.Title == "2 to 3: weight 1") {
			t.Errorf("%s: dashed %v", item.Title, item.Dashed)
		}
		if (item.Class == Absent) != (item.Title == "node 3, absent") {
			t.Errorf("%s is of class %s", item.Title, item.Class)
		}
		dashed++
	}
	for _, item := range s.Beside.Beside.Picture.Items {
		bars += len(item.Shapes)
	}
	if dashed != 5 || bars != 3 {
		t.Errorf("%d items and %d bars, want 5 and 3", dashed, bars)
	}
	svg := s.SVG()
	for _, want := range []string{"stroke-dasharray=\"4 3\"", "steps in which a node takes part", ">500<", ">100<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in %s", want, svg)
		}
	}
}

// TestMarks gives blocks a ground with their name, new edges more width than others, and servers that nobody
// hears a hollow square; edges to servers are lines whatever their weights.
func TestMarks(t *testing.T) {
	graph, err := topology.FromEdges(5, []topology.Edge{{From: 0, To: 1, Weight: 1}, {From: 1, To: 2, Weight: 1}, {From: 0, To: 3, Weight: 0.5}, {From: 3, To: 0, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	g := &Graph{
		Graph: graph, FirstLabel: 1, Servers: []int{3, 4}, Names: map[int]string{3: "E1", 4: "C"}, Blocks: []Block{{"block 1", []int{0, 1}}, {"block 2", []int{2}}},
		Fresh: func(from, to messages.NodeID) bool { return from == 1 },
	}
	p := newNodes(g).picture()
	found := map[string]Item{}
	for _, item := range p.Items {
		found[item.Title] = item
	}
	if fresh, old := found["2 to 3: weight 1"], found["1 to 2: weight 1"]; fresh.Width <= old.Width || fresh.Opacity <= old.Opacity {
		t.Errorf("a new edge %+v, an old one %+v", fresh, old)
	}
	if line := found["1 and 4: weight 0.5"].Shapes; len(line) != 1 {
		t.Errorf("an edge both ways to a server: %+v", line)
	}
	if edge, top := found["node 4, server"].Class, found["node 5, server"].Class; edge != Server || top != Idle {
		t.Errorf("servers of class %s and %s", edge, top)
	}
	if p.Items[0].Class != Ground || p.Items[0].Shapes[1].Text != "block 1" || p.Items[0].TintOf() == p.Items[1].TintOf() {
		t.Errorf("the first item is %+v", p.Items[0])
	}
	if text := g.squares(); !strings.Contains(text, "E1 of the clusters, and C the cloud") {
		t.Error(text)
	}
}

// TestEdgesStayInside bends the edge around the first row of a torus to the inside, away from the title.
func TestEdgesStayInside(t *testing.T) {
	places, err := topology.Torus{Nodes: 32, Sides: []int{4, 8}}.Arrange(1)
	if err != nil {
		t.Fatal(err)
	}
	d := newNodes(&Graph{Graph: topology.Empty(32), Places: places})
	a, b := d.at[0], d.at[7]
	for _, left := range []Point{{0, -1}, {0, 1}} {
		bend, _ := d.around(a, b, left, b.X-a.X, 0)
		if top := a.Y + bend/2*left.Y; bend == 0 || top < 0 {
			t.Errorf("an edge along the top has its middle at %v, its ends at %v", top, a.Y)
		}
	}
}

// TestEdgesPassNodes bends an edge that would graze a node, so that it does not seem to end there.
func TestEdgesPassNodes(t *testing.T) {
	d := &nodes{node: 10, at: []Point{{0, 0}, {200, 0}, {100, 10}}}
	bend, _ := d.around(d.at[0], d.at[1], Point{0, -1}, 200, 0)
	if clear := d.clearance(d.at[0], d.at[1], Point{0, -1}, bend); clear < d.node+clearRoom {
		t.Errorf("an edge of bend %v comes as near as %v to a node of radius %v", bend, clear, d.node)
	}
}

// TestServersText states the share of the steps in which servers take part, each share once.
func TestServersText(t *testing.T) {
	links := func(edge, cloud float64) *Graph { // two clusters of a node, E1, E2 and C
		var edges []topology.Edge
		for _, link := range [][2]messages.NodeID{{0, 2}, {1, 3}, {2, 4}, {3, 4}} {
			weight := edge
			if link[1] == 4 {
				weight = cloud
			}
			edges = append(edges, topology.Edge{From: link[0], To: link[1], Weight: weight})
		}
		graph, err := topology.FromEdges(5, edges)
		if err != nil {
			t.Fatal(err)
		}
		return &Graph{Graph: graph, Servers: []int{2, 3, 4}, Names: map[int]string{2: "E1", 3: "E2", 4: "C"}, Share: true}
	}
	for want, g := range map[string]*Graph{
		"servers in every step":                  links(1, 1),
		"servers E1, E2 in every step; C in 5 %": links(1, 0.05),
		"":                                       {Graph: topology.Empty(2), Share: true},
	} {
		if got := g.ServersText(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
