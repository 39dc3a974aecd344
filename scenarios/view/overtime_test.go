package view

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/results/figure"
)

// networkFile reads a network from the text of an edge list.
func networkFile(t *testing.T, text string) *Network {
	t.Helper()
	file := filepath.Join(t.TempDir(), "net.csv")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	n, err := ReadNetwork(file, "")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// sequenceOf makes a network of a horizon of graphs in turn.
func sequenceOf(t *testing.T, horizon int, graphs ...*topology.Graph) *Network {
	t.Helper()
	turns, err := topology.NewPeriodic(graphs...)
	if err != nil {
		t.Fatal(err)
	}
	return &Network{Name: "turns", Graphs: turns, Horizon: horizon, FirstStep: 1, FirstLabel: 1}
}

func dense(t *testing.T, rows ...[]float64) *topology.Graph {
	t.Helper()
	g, err := topology.FromDense(rows)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// panel returns a panel of a figure by its title.
func panel(t *testing.T, f *figure.Figure, title string) figure.Panel {
	t.Helper()
	i := slices.IndexFunc(f.Panels, func(p figure.Panel) bool { return p.Title == title })
	if i < 0 {
		t.Fatalf("the figure has no panel %q", title)
	}
	return f.Panels[i]
}

// The figure over time has the numbers that a count by hand has: a list of contacts with a
// silent step, by step and by window of two steps, in which one edge is there twice.
func TestOverTime(t *testing.T) {
	n := networkFile(t, "step,from,to\n1,1,2\n1,2,1\n3,1,2\n3,2,3\n4,1,2\n4,3,1\n5,3,2\n")
	for _, test := range []struct {
		window                      int
		x, edges, components        []float64
		in, inLow, inHigh, outHighs []float64
	}{
		{1, []float64{1, 2, 3, 4, 5}, []float64{2, 0, 2, 2, 1}, []float64{2, 3, 3, 3, 3},
			[]float64{2. / 3, 0, 2. / 3, 2. / 3, 1. / 3}, []float64{0, 0, 0, 0, 0}, []float64{1, 0, 1, 1, 1}, []float64{1, 0, 1, 1, 1}},
		{2, []float64{1, 3}, []float64{2, 3}, []float64{2, 1},
			[]float64{2. / 3, 1}, []float64{0, 1}, []float64{1, 1}, []float64{1, 1}},
	} {
		f, remarks, err := n.OverTime(t.Context(), test.window)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Validate(); err != nil {
			t.Error(err)
		}
		degree := panel(t, &f, "degree").Series
		for name, pair := range map[string][2][]float64{
			"x": {degree[0].X, test.x}, "edges": {panel(t, &f, "edges").Series[0].Y, test.edges},
			"components": {panel(t, &f, "strongly connected components").Series[0].Y, test.components},
			"degree":     {degree[0].Y, test.in}, "smallest": {degree[0].Low, test.inLow}, "largest": {degree[0].High, test.inHigh},
			"largest out": {degree[len(degree)-1].High, test.outHighs},
		} {
			if !slices.EqualFunc(pair[0], pair[1], func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
				t.Errorf("window %d: %s is %v, want %v", test.window, name, pair[0], pair[1])
			}
		}
		// The weights are not doubly stochastic: there is no contraction, and a remark says why.
		if len(f.Panels) != 3 || len(remarks) != 1 || !strings.Contains(remarks[0], "no contraction over time: step 1: row 3 sums to 0") {
			t.Errorf("window %d: %d panels, remarks %q", test.window, len(f.Panels), remarks)
		}
	}
}

// Windows of a network that repeats itself are measured once, and a figure has some cycles of
// them. Contraction is that of Measures, and 1 where a window mixes nothing.
func TestOverTimeRepeats(t *testing.T) {
	mean := dense(t, []float64{0.5, 0.5}, []float64{0.5, 0.5})
	n := sequenceOf(t, 1000, mean, topology.Empty(2), dense(t, []float64{0.75, 0.25}, []float64{0.25, 0.75}))
	f, remarks, err := n.OverTime(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	edges := panel(t, &f, "edges").Series[0]
	if len(edges.X) != fewestWindows || edges.Y[0] != 2 || edges.Y[1] != 0 || edges.Y[29] != 2 || edges.X[29] != 30 {
		t.Errorf("edges are %v at %v", edges.Y, edges.X)
	}
	if !strings.Contains(f.Note, "Graphs repeat every 3 steps") {
		t.Errorf("the note is %q", f.Note)
	}
	got := panel(t, &f, "contraction").Series[0].Y
	if got[0] != 0 || !math.IsNaN(got[1]) || math.Abs(got[2]-0.5) > 1e-9 || math.Abs(got[5]-0.5) > 1e-9 {
		t.Errorf("contractions are %v", got[:6])
	}
	if len(remarks) != 1 || !strings.Contains(remarks[0], "1 window over time without a contraction: step 2") {
		t.Errorf("remarks are %q", remarks)
	}

	still := sequenceOf(t, 10, dense(t, []float64{1, 0}, []float64{0, 1}))
	if f, _, err = still.OverTime(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	if got := panel(t, &f, "contraction").Series[0]; len(got.Y) != 2 || math.Abs(got.Y[0]-1)+math.Abs(got.Y[1]-1) > 1e-12 || !slices.Equal(got.X, []float64{1, 6}) {
		t.Errorf("nodes that hear nobody contract by %v at %v", got.Y, got.X)
	}
}

// Steps and windows beyond the horizon, and graphs that are too large, are refused, and work
// ends with its context.
func TestRefusedPictures(t *testing.T) {
	n := networkFile(t, "step,from,to\n1,1,2\n4,2,1\n")
	large := sequenceOf(t, 1, topology.Empty(401))
	for name, test := range map[string]struct {
		draw func() error
		want string
	}{
		"step": {func() error { _, err := n.Picture(t.Context(), 5, 1); return err }, "step 5 is not one of the network's, 1 to 4"},
		"window from a step": {func() error { _, err := n.Picture(t.Context(), 3, 3); return err },
			"the window of 3 steps from step 3 on goes beyond step 4, the last"},
		"window":      {func() error { _, _, err := n.OverTime(t.Context(), 5); return err }, "a window of 5 steps; want 1 to 4"},
		"no window":   {func() error { _, err := n.Picture(t.Context(), 1, 0); return err }, "a window of 0 steps"},
		"large graph": {func() error { _, err := large.Picture(t.Context(), 1, 1); return err }, "a graph of 401 nodes is too large to draw; want at most 400"},
	} {
		err := test.draw()
		var bad *document.InputError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.Picture(ctx, 1, 4); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped picture returns %v", err)
	}
	if _, _, err := n.OverTime(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped figure returns %v", err)
	}
}

// The union of a window has the totals of its weights; a silent step is a picture of nodes.
func TestPicture(t *testing.T) {
	n := networkFile(t, "step,from,to,weight\n1,1,2,0.5\n3,1,2,0.25\n3,2,1,0.75\n")
	for _, test := range []struct {
		step, window int
		want         []string
	}{
		{1, 3, []string{"net.csv, steps 1 to 3", "<title>1 and 2: weight 0.75</title>", "up to 0.75", "the wider and darker"}},
		{3, 1, []string{"net.csv, step 3", "<title>1 to 2: weight 0.25</title>", "<title>2 to 1: weight 0.75</title>"}},
		{2, 1, []string{"net.csv, step 2", "2 nodes, 0 edges", "No edge is drawn."}},
	} {
		sheet, err := n.Picture(t.Context(), test.step, test.window)
		if err != nil {
			t.Fatal(err)
		}
		svg := sheet.SVG()
		for _, want := range test.want {
			if !strings.Contains(svg, want) {
				t.Errorf("%d steps from %d: no %q in %s", test.window, test.step, want, svg)
			}
		}
	}
}

// TestOverview draws the different graphs of a period and their union, and nothing of a network that stays as it is.
func TestOverview(t *testing.T) {
	one, two := dense(t, []float64{0.5, 0.5}, []float64{0.5, 0.5}), dense(t, []float64{1, 0}, []float64{0, 1})
	n := sequenceOf(t, 12, one, two, one)
	n.Name = "net"
	sheet, err := n.Overview(t.Context())
	if err != nil || sheet == nil {
		t.Fatal(sheet, err)
	}
	svg := sheet.SVG()
	for _, want := range []string{"repeat every 3 steps: the 2 different ones", ">step 2<", ">steps 1, 3<", ">all together<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in %s", want, svg)
		}
	}
	if sheet, err = sequenceOf(t, 12, one).Overview(t.Context()); sheet != nil || err != nil {
		t.Errorf("a constant network: %v, %v", sheet, err)
	}
}

// TestOverviewOfAbsentNodes names nodes that join, leave or are absent for a time.
func TestOverviewOfAbsentNodes(t *testing.T) {
	n := sequenceOf(t, 12, dense(t, []float64{0.4, 0.3, 0.3}, []float64{0.3, 0.4, 0.3}, []float64{0.3, 0.3, 0.4}))
	n.Away = func(step int) (list []int) {
		if step < 2 {
			list = append(list, 0)
		}
		if step >= 4 && step < 6 {
			list = append(list, 1)
		}
		if step >= 9 {
			list = append(list, 2)
		}
		return list
	}
	sheet, err := n.Overview(t.Context())
	if err != nil || sheet == nil {
		t.Fatal(sheet, err)
	}
	svg := sheet.SVG()
	text := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(svg, " ")), " ")
	for _, want := range []string{"Node 1 joins at step 3.", "Node 2 is absent in steps 5 to 6.", "Node 3 leaves at step 10.", "steps 1 to 2: without 1", "steps in which a node takes part"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if !strings.Contains(svg, `class="node absent"`) {
		t.Error("no node is absent")
	}
}

// TestOverviewOfSteps draws some steps of a network without a period, new edges among them, and the share of steps of each edge.
func TestOverviewOfSteps(t *testing.T) {
	sequence, err := topology.ErdosRenyi{Nodes: 6, Probability: 0.3, Redraw: topology.Redraw{Every: 1, Seed: 1}}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	n := &Network{Name: "net", Graphs: sequence, Horizon: 40, FirstStep: 1, FirstLabel: 1}
	sheet, err := n.Overview(t.Context())
	if err != nil || sheet == nil {
		t.Fatal(sheet, err)
	}
	svg := sheet.SVG()
	for _, want := range []string{">step 1<", ">step 5<", ">steps 1 to 40 together<", "Dark edges are new"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in %s", want, svg)
		}
	}
}
