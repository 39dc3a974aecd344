package topology_test

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/actors/option"
	"starling/actors/topology"
	"starling/messages"
)

// failer is what *testing.T and *rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkPattern holds g to what every pattern is: weights of 1, no self-loops,
// rows ascending, the two halves of one graph, symmetric if so declared.
func checkPattern(t failer, g *topology.Graph, n int, symmetric bool) {
	t.Helper()
	if g.Nodes() != n || g.SelfLoops() != 0 || symmetric && !g.Symmetric() {
		t.Fatalf("%d nodes, %d self-loops, symmetric %v, want %d, 0, %v", g.Nodes(), g.SelfLoops(), g.Symmetric(), n, symmetric)
	}
	edges := 0
	for i := range messages.NodeID(n) {
		from, weights := g.In(i)
		for k, j := range from {
			if weights[k] != 1 || i == j || k > 0 && from[k-1] >= j {
				t.Fatalf("node %d hears %v with weights %v", i, from, weights)
			}
			if symmetric && !g.HasEdge(i, j) {
				t.Fatalf("edge from %d to %d has none back", j, i)
			}
		}
		out := g.Out(i)
		for k, j := range out {
			if !g.HasEdge(i, j) || k > 0 && out[k-1] >= j {
				t.Fatalf("node %d is heard by %v", i, out)
			}
		}
		edges += len(out)
	}
	if edges != g.Edges() {
		t.Fatalf("%d edges lead out, %d in", edges, g.Edges())
	}
}

// matrixOf builds the matrix of a pattern from a rule: hears(i, j) says whether
// i hears j.
func matrixOf(n int, hears func(i, j int) bool) [][]float64 {
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
		for j := range a[i] {
			if i != j && hears(i, j) {
				a[i][j] = 1
			}
		}
	}
	return a
}

// TestLattices compares each generator that draws nothing with the definition of
// its graph, edge by edge.
func TestLattices(t *testing.T) {
	digits := func(v int) [3]int { return [3]int{v / 8, v / 4 % 2, v % 4} } // of sides 3, 2, 4
	onTorus := func(i, j int, directed bool) bool {
		a, b, apart := digits(i), digits(j), 0
		for k, side := range []int{3, 2, 4} {
			d := (a[k] - b[k] + side) % side
			if d == 0 {
				continue
			}
			apart++
			if d != 1 && (directed || d != side-1) {
				return false
			}
		}
		return apart == 1
	}
	power := func(d int) bool { return d > 0 && d&(d-1) == 0 }
	tests := []struct {
		options   generator
		n         int
		symmetric bool
		hears     func(i, j int) bool
	}{
		{topology.Path{Nodes: 5}, 5, true, func(i, j int) bool { return i-j == 1 || j-i == 1 }},
		{topology.Path{Nodes: 5, Directed: true}, 5, false, func(i, j int) bool { return i-j == 1 }},
		{topology.Torus{Nodes: 24, Sides: []int{3, 2, 4}}, 24, true, func(i, j int) bool { return onTorus(i, j, false) }},
		{topology.Torus{Nodes: 24, Sides: []int{3, 2, 4}, Directed: true}, 24, false, func(i, j int) bool { return onTorus(i, j, true) }},
		{topology.Torus{Nodes: 2, Sides: []int{2}}, 2, true, func(i, j int) bool { return true }},
		{topology.Hypercube{Nodes: 16}, 16, true, func(i, j int) bool { return bits.OnesCount(uint(i^j)) == 1 }},
		{topology.Exponential{Nodes: 11, Directed: true}, 11, false, func(i, j int) bool { return power((i - j + 11) % 11) }},
		{topology.Exponential{Nodes: 11}, 11, true, func(i, j int) bool { return power((i-j+11)%11) || power((j-i+11)%11) }},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%+v", test.options), func(t *testing.T) {
			seq := mustSequence(t, test.options)
			g := seq.At(9)
			checkPattern(t, g, test.n, test.symmetric)
			if diff := cmp.Diff(matrixOf(test.n, test.hears), dense(g)); diff != "" {
				t.Error(diff)
			}
			if p, ok := seq.Period(); p != 1 || !ok {
				t.Errorf("period %d, %v, want a static sequence", p, ok)
			}
			path, directed := test.options.(topology.Path)
			if _, count := topology.Components(g); count != 1 && !(directed && path.Directed) {
				t.Errorf("%d strongly connected components", count)
			}
		})
	}
}

// TestOnePeerShowsOnePeer compares each step with the definition.
func TestOnePeerShowsOnePeer(t *testing.T) {
	for _, n := range []int{2, 6, 8} {
		tau := bits.Len(uint(n - 1))
		seq := mustSequence(t, topology.OnePeer{Nodes: n, Directed: true})
		if p, ok := seq.Period(); p != tau || !ok {
			t.Errorf("period %d, %v, want %d", p, ok, tau)
		}
		for step := range 2 * tau {
			want := matrixOf(n, func(i, j int) bool { return (j+1<<(step%tau))%n == i })
			if diff := cmp.Diff(want, dense(seq.At(step))); diff != "" {
				t.Errorf("%d nodes, step %d: %s", n, step, diff)
			}
		}
	}
	exchange := mustSequence(t, topology.OnePeer{Nodes: 8})
	for step := range 6 {
		want := matrixOf(8, func(i, j int) bool { return i^j == 1<<(step%3) })
		if diff := cmp.Diff(want, dense(exchange.At(step))); diff != "" {
			t.Errorf("exchange, step %d: %s", step, diff)
		}
	}
}

// TestOnePeerAveragesExactly is Lemma 1 of Ying et al. (2021): with N a power of
// two, weights of 1/2 and tau = log2 N steps, from any step on, the product is
// 11'/N.
func TestOnePeerAveragesExactly(t *testing.T) {
	for _, directed := range []bool{true, false} {
		pattern := mustSequence(t, topology.OnePeer{Nodes: 16, Directed: directed})
		seq, err := topology.Weighting{Scheme: topology.UniformIn, SelfLoops: true}.Over(pattern, 100)
		if err != nil {
			t.Fatal(err)
		}
		for first := range 4 {
			x := make([]float64, 16)
			x[3] = 1
			for step := first; step < first+4; step++ {
				x = times(dense(seq.At(step)), x)
			}
			for i, v := range x {
				if v != 1./16 { // sums of powers of two are exact
					t.Errorf("directed %v, from step %d: node %d has %v, want 1/16", directed, first, i, v)
				}
			}
		}
	}
}

// times is a x by the definition.
func times(a [][]float64, x []float64) []float64 {
	y := make([]float64, len(a))
	for i, row := range a {
		for j, w := range row {
			y[i] += w * x[j]
		}
	}
	return y
}

// TestExponentialGap is Proposition 1 of Ying et al. (2021): the exponential
// graph with uniform weights, N even, has spectral gap 2/(1 + ceil(log2 N)), in
// eigenvalues and, its matrix being circulant and so normal, in norm.
func TestExponentialGap(t *testing.T) {
	for _, n := range []int{4, 6, 16, 30, 64} {
		pattern := mustSequence(t, topology.Exponential{Nodes: n, Directed: true}).At(0)
		g, err := topology.Weighting{Scheme: topology.UniformIn, SelfLoops: true}.Apply(pattern)
		if err != nil {
			t.Fatal(err)
		}
		gap, err := topology.SpectralGap(g)
		want := 2 / float64(1+bits.Len(uint(n-1)))
		if err != nil || gap < want-1e-8 || gap > want+1e-8 {
			t.Errorf("%d nodes: gap %v, %v, want %v", n, gap, err, want)
		}
	}
}

func TestTorusIsRegular(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sides := rapid.SliceOfN(rapid.IntRange(3, 5), 1, 4).Draw(t, "sides")
		n := 1
		for _, side := range sides {
			n *= side
		}
		directed := rapid.Bool().Draw(t, "directed")
		seq, err := topology.Torus{Nodes: n, Sides: sides, Directed: directed}.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		checkPattern(t, seq.At(0), n, !directed)
		degree := len(sides)
		if !directed {
			degree *= 2
		}
		d := topology.Degrees(seq.At(0))
		if d.MinIn != degree || d.MaxIn != degree || d.MinOut != degree || d.MaxOut != degree {
			t.Fatalf("degrees %+v, want %d", d, degree)
		}
		if _, count := topology.Components(seq.At(0)); count != 1 {
			t.Fatalf("%d components", count)
		}
	})
}

// TestLaboratoryOptionsOutOfRange checks the text and the field of each fault.
func TestLaboratoryOptionsOutOfRange(t *testing.T) {
	base := mustSequence(t, topology.Path{Nodes: 4}).At(0)
	line := mustSequence(t, topology.Path{Nodes: 4, Directed: true}).At(0)
	tests := []struct {
		options     generator
		field, want string
	}{
		{topology.Path{Nodes: 1}, "nodes", "nodes is 1, want at least 2"},
		{topology.Torus{Nodes: 6}, "sides", "no sides, want at least one"},
		{topology.Torus{Nodes: 6, Sides: []int{6, 1}}, "sides[1]", "side 2 is 1, want at least 2"},
		{topology.Torus{Nodes: 6, Sides: []int{2, 2}}, "sides", "a torus of sides [2 2] has 4 nodes, want 6"},
		{topology.Torus{Nodes: 6, Sides: []int{3, 3}}, "sides", "a torus of sides [3 3] has more than 6 nodes"},
		{topology.Hypercube{Nodes: 6}, "nodes", "nodes is 6, want a power of two for a hypercube"},
		{topology.OnePeer{Nodes: 6}, "nodes", "nodes is 6, want a power of two for pairs that exchange"},
		{topology.Exponential{Nodes: 1}, "nodes", "nodes is 1, want at least 2"},
		{topology.ErdosRenyi{Nodes: 3, Probability: 1.5}, "probability", "probability is 1.5, want 0 to 1"},
		{topology.ErdosRenyi{Nodes: 1 << 20, Probability: 1}, "probability", "1.1e+12 edges are expected, at most 536870911"},
		{topology.ErdosRenyi{Nodes: 3, Redraw: topology.Redraw{Every: -1}}, "every", "every is -1, want at least 0"},
		{topology.KOut{Nodes: 3, Degree: 3}, "degree", "degree is 3, want 1 to 2: the nodes less one"},
		{topology.RandomRegular{Nodes: 5, Degree: 3}, "degree", "degree is 3 with 5 nodes, want one of them even"},
		{topology.SmallWorld{Nodes: 5, Neighbours: 3}, "neighbours", "neighbours is 3, want an even number unless directed"},
		{topology.SmallWorld{Nodes: 5, Neighbours: 4}, "neighbours", "neighbours is 4, want 1 to 3: the nodes less two"},
		{topology.SmallWorld{Nodes: 5, Neighbours: 2, Rewire: -1}, "rewire", "rewire is -1, want 0 to 1"},
		{topology.PreferentialAttachment{Nodes: 3, Edges: 3}, "edges", "edges is 3, want 1 to 2: the nodes less one"},
		{topology.StochasticBlock{Nodes: 3, Blocks: 4}, "blocks", "blocks is 4, want 1 to 3"},
		{topology.StochasticBlock{Nodes: 3, Blocks: 2, Within: 2}, "within", "within is 2, want 0 to 1"},
		{topology.StochasticBlock{Nodes: 3, Blocks: 2, Drift: 0.5}, "drift", "drift is 0.5 but the graph is drawn once, want every of at least 1"},
		{topology.StochasticBlock{Nodes: 3, Blocks: 1, Drift: 0.5}, "drift", "drift is 0.5 with one block, want 0"},
		{topology.Geometric{Nodes: 3}, "radius", "radius is 0, want a number above 0"},
		{topology.Geometric{Nodes: 3, Radius: 1, Spread: 2}, "spread", "spread is 2, want 0 to 1"},
		{topology.Geometric{Nodes: 3, Radius: 1, SpeedMax: 2}, "speed_max", "speed_max is 2, want 0 to 1"},
		{topology.Geometric{Nodes: 3, Radius: 1, SpeedMax: 1}, "speed_min", "speed_min is 0, want above 0 and at most speed_max, 1"},
		{topology.Geometric{Nodes: 3, Radius: 1, SpeedMin: 1}, "speed_min", "speed_min is 1, but speed_max is 0"},
		{topology.Geometric{Nodes: 3, Radius: 1, Pause: -1}, "pause", "pause is -1, want a number of at least 0"},
		{topology.Matching{Nodes: 5, Base: base}, "base", "the base has 4 nodes, want 5"},
		{topology.MarkovEdges{Base: base}, "on", "on and off are 0, want one of them above"},
		{topology.MarkovEdges{On: 1}, "base", "no base graph, want one"},
		{topology.MarkovEdges{On: 1, Off: 2, Base: base}, "off", "off is 2, want 0 to 1"},
		{topology.MarkovEdges{On: 1, Base: line}, "directed", "the base graph is directed, want directed: true or an undirected base"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%T %s", test.options, test.want), func(t *testing.T) {
			err := test.options.Validate()
			fault, ok := err.(*option.Error)
			if !ok || fault.Path != test.field || fault.Message != test.want {
				t.Errorf("Validate: %v, want %q at %s", err, test.want, test.field)
			}
			if seq, err := test.options.Sequence(); seq != nil || err == nil || option.Message(err) != test.want {
				t.Errorf("Sequence: %v, %v, want %q", seq, err, test.want)
			}
		})
	}
}
