package topology_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/actors/option"
	"starling/actors/topology"
	"starling/messages"
)

func weigh(t testing.TB, scheme topology.Scheme, loops bool, g *topology.Graph) *topology.Graph {
	t.Helper()
	weighted, err := topology.Weighting{Scheme: scheme, SelfLoops: loops}.Apply(g)
	if err != nil {
		t.Fatal(err)
	}
	return weighted
}

// TestWeightsOfAPath computes each scheme on the path of three nodes by hand:
// degrees 1, 2, 1.
func TestWeightsOfAPath(t *testing.T) {
	path := mustSequence(t, topology.Path{Nodes: 3}).At(0)
	third := 1. / 3
	tests := []struct {
		scheme topology.Scheme
		loops  bool
		want   [][]float64
	}{
		{topology.Metropolis, false, [][]float64{{1 - third, third, 0}, {third, 1 - third - third, third}, {0, third, 1 - third}}},
		{topology.LazyMetropolis, false, [][]float64{{.75, .25, 0}, {.25, .5, .25}, {0, .25, .75}}},
		{topology.UniformIn, false, [][]float64{{0, 1, 0}, {.5, 0, .5}, {0, 1, 0}}},
		{topology.UniformIn, true, [][]float64{{.5, .5, 0}, {third, third, third}, {0, .5, .5}}},
		{topology.UniformOut, false, [][]float64{{0, .5, 0}, {1, 0, 1}, {0, .5, 0}}},
		{topology.UniformOut, true, [][]float64{{.5, third, 0}, {.5, third, .5}, {0, third, .5}}},
		{topology.Given, false, [][]float64{{0, 1, 0}, {1, 0, 1}, {0, 1, 0}}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, dense(weigh(t, test.scheme, test.loops, path))); diff != "" {
			t.Errorf("%s, self-loops %v: %s", test.scheme, test.loops, diff)
		}
	}
	// With self-loops the path has total support, and by its symmetry the weights
	// are x = 1-y at the ends and 1-2y in the middle, with x (1-2y) = y^2, from
	// a_11 a_22 = a_12 a_21: y^2 - 3y + 1 = 0.
	y := (3 - math.Sqrt(5)) / 2
	want := [][]float64{{1 - y, y, 0}, {y, 1 - 2*y, y}, {0, y, 1 - y}}
	for i, row := range dense(weigh(t, topology.Sinkhorn, true, path)) {
		for j, w := range row {
			if math.Abs(w-want[i][j]) > 1e-12 {
				t.Errorf("sinkhorn: row %d, column %d is %v, want %v", i+1, j+1, w, want[i][j])
			}
		}
	}
}

// sums returns row and column sums in an order of its own: by the dense matrix.
func sums(a [][]float64) (rows, columns []float64) {
	rows, columns = make([]float64, len(a)), make([]float64, len(a))
	for i := range a {
		for j := range a {
			rows[i] += a[i][j]
			columns[j] += a[i][j]
		}
	}
	return rows, columns
}

func checkSums(t failer, name string, got []float64) {
	t.Helper()
	for k, sum := range got {
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("%s %d sums to %v", name, k+1, sum)
		}
	}
}

// TestWeightsSumToOne draws graphs and schemes: sums are exact to 1e-12, weights
// above 0, and the edges those of the pattern and self-loops.
func TestWeightsSumToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options, n, symmetric := drawRandom(t)
		seq, err := options.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		g := seq.At(0)
		for _, scheme := range []topology.Scheme{topology.Metropolis, topology.LazyMetropolis, topology.UniformIn, topology.UniformOut} {
			uniform := scheme == topology.UniformIn || scheme == topology.UniformOut
			weighted, err := topology.Weighting{Scheme: scheme, SelfLoops: uniform}.Apply(g)
			var asymmetry *topology.AsymmetryError
			if errors.As(err, &asymmetry) && !symmetric {
				if !g.HasEdge(asymmetry.From, asymmetry.To) || g.HasEdge(asymmetry.To, asymmetry.From) {
					t.Fatalf("%v, which is not so", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			a := dense(weighted)
			rows, columns := sums(a)
			if scheme != topology.UniformOut {
				checkSums(t, "row", rows)
			}
			if scheme != topology.UniformIn {
				checkSums(t, "column", columns)
			}
			for i := range n {
				for j := range n {
					there := i == j || g.HasEdge(messages.NodeID(j), messages.NodeID(i))
					if (a[i][j] > 0) != there || a[i][j] < 0 || !uniform && a[i][j] != a[j][i] {
						t.Fatalf("%s: row %d, column %d is %v, an edge %v", scheme, i+1, j+1, a[i][j], there)
					}
				}
			}
		}
	})
}

// permutationEdges marks, by trying all permutations, the entries of a pattern
// that lie in a perfect matching.
func permutationEdges(a [][]float64) [][]bool {
	n := len(a)
	marked := make([][]bool, n)
	for i := range marked {
		marked[i] = make([]bool, n)
	}
	chosen, used := make([]int, n), make([]bool, n)
	var try func(i int)
	try = func(i int) {
		if i == n {
			for row, column := range chosen {
				marked[row][column] = true
			}
			return
		}
		for j := range n {
			if a[i][j] != 0 && !used[j] {
				used[j], chosen[i] = true, j
				try(i + 1)
				used[j] = false
			}
		}
	}
	try(0)
	return marked
}

// checkScaled holds a to the form r_i c_j on the edges, by walking along them:
// with sums of 1 that makes it the one doubly stochastic scaling there is.
func checkScaled(t *rapid.T, a [][]float64) {
	n := len(a)
	r, c := make([]float64, n), make([]float64, n)
	var walk func(i int)
	walk = func(i int) {
		for j := range n {
			if a[i][j] == 0 || c[j] != 0 {
				continue
			}
			c[j] = a[i][j] / r[i]
			for k := range n {
				if a[k][j] != 0 && r[k] == 0 {
					r[k] = a[k][j] / c[j]
					walk(k)
				}
			}
		}
	}
	for i := range n {
		if r[i] == 0 {
			r[i] = 1
			walk(i)
		}
		for j := range n {
			if a[i][j] != 0 && math.Abs(a[i][j]-r[i]*c[j]) > 1e-9 {
				t.Fatalf("row %d, column %d is %v, want %v to be a scaling", i+1, j+1, a[i][j], r[i]*c[j])
			}
		}
	}
}

// TestSinkhornAgainstBruteForce draws small digraphs, with and without total
// support, and decides by all permutations which they are.
func TestSinkhornAgainstBruteForce(t *testing.T) {
	with, without, partial := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		density := rapid.IntRange(1, 3).Draw(t, "density")
		a := matrixOf(n, func(i, j int) bool { return rapid.IntRange(0, 3).Draw(t, "edge") < density })
		for i := range a {
			a[i][i] = float64(rapid.IntRange(0, 1).Draw(t, "loop"))
		}
		g, err := topology.FromDense(a)
		if err != nil {
			t.Fatal(err)
		}
		marked := permutationEdges(a)
		total, perfect := true, false
		for i := range a {
			for j := range a {
				total = total && (a[i][j] != 0) == marked[i][j]
				perfect = perfect || marked[i][j]
			}
		}
		weighted, err := topology.Weighting{Scheme: topology.Sinkhorn}.Apply(g)
		if total && perfect {
			with++
			if err != nil {
				t.Fatal(err)
			}
			scaled := dense(weighted)
			rows, columns := sums(scaled)
			checkSums(t, "row", rows)
			checkSums(t, "column", columns)
			checkScaled(t, scaled)
			for i := range a {
				for j := range a {
					if (scaled[i][j] > 0) != (a[i][j] != 0) {
						t.Fatalf("row %d, column %d is %v", i+1, j+1, scaled[i][j])
					}
				}
			}
			return
		}
		without++
		var fault *topology.SupportError
		if !errors.As(err, &fault) || fault.Perfect != perfect {
			t.Fatalf("error is %v, want one of support, perfect %v", err, perfect)
		}
		if perfect {
			partial++
		}
		if fault.From < 0 && g.Edges() == 0 {
			return
		}
		if a[fault.To][fault.From] == 0 || marked[fault.To][fault.From] {
			t.Fatalf("%v, which is not so", err)
		}
	})
	if with == 0 || without == 0 || partial == 0 {
		t.Errorf("%d digraphs with total support, %d without, %d of them with support", with, without, partial)
	}
}

// TestSinkhornSettlesOnLongGraphs: on a path without relaxation the rounds grow
// with the square of its length.
func TestSinkhornSettlesOnLongGraphs(t *testing.T) {
	path := mustSequence(t, topology.Path{Nodes: 500}).At(0)
	rows, columns := sums(dense(weigh(t, topology.Sinkhorn, true, path)))
	checkSums(t, "row", rows)
	checkSums(t, "column", columns)
}

// TestSupportOfLargeGraphs: a directed ring has one perfect matching; a path
// there and back with self-loops has total support; one way it has not.
func TestSupportOfLargeGraphs(t *testing.T) {
	const n = 20_000
	shift := mustSequence(t, topology.OnePeer{Nodes: n, Directed: true}).At(0)
	both := mustSequence(t, topology.Path{Nodes: n}).At(0)
	line := mustSequence(t, topology.Path{Nodes: n, Directed: true}).At(0)
	random := mustSequence(t, topology.RandomRegular{Nodes: n, Degree: 3, Directed: true, Redraw: topology.Redraw{Seed: 1}}).At(0)
	for _, g := range []*topology.Graph{shift, both.WithSelfLoops(), random} {
		if err := topology.CheckSupport(g); err != nil {
			t.Error(err)
		}
	}
	want := "no doubly stochastic weights: the edge from node 1 to node 2 is in no choice of one edge into and one out of every node"
	if err := topology.CheckSupport(line.WithSelfLoops()); err == nil || option.Message(err) != want {
		t.Errorf("error is %v, want %q", err, want)
	}
	want = "no doubly stochastic weights: there is no choice of one edge into and one out of every node;" +
		" node 1 is left over, and the edge from node 1 to node 2 is in none"
	if err := topology.CheckSupport(line); err == nil || option.Message(err) != want {
		t.Errorf("error is %v, want %q", err, want)
	}
}

func TestWeightingRefuses(t *testing.T) {
	line := mustSequence(t, topology.Path{Nodes: 3, Directed: true}).At(0)
	tests := []struct {
		weighting topology.Weighting
		want      string
	}{
		{topology.Weighting{Scheme: "fair"}, `unknown scheme "fair"; known: metropolis, lazy-metropolis, uniform-in, uniform-out, sinkhorn, given`},
		{topology.Weighting{Scheme: topology.Given, SelfLoops: true}, "self_loops is set, but given settles them itself"},
		{topology.Weighting{Scheme: topology.Metropolis}, "metropolis weights need an undirected graph: node 2 hears node 1, but not the other way round"},
		{topology.Weighting{Scheme: topology.UniformIn}, "uniform-in weights: node 1 hears nobody, not even itself"},
		{topology.Weighting{Scheme: topology.UniformOut}, "uniform-out weights: nobody hears node 3, not even itself"},
	}
	for _, test := range tests {
		if g, err := test.weighting.Apply(line); g != nil || err == nil || option.Message(err) != test.want {
			t.Errorf("Apply: %v, want %q", err, test.want)
		}
		seq, err := test.weighting.Over(topology.Static(line), 5)
		if want := test.want; seq != nil || err == nil || option.Message(err) != want && option.Message(err) != "step 1: "+want {
			t.Errorf("Over: %v, want %q", err, want)
		}
	}
}

// TestWeightsOverSequences: each step has the weights of its graph, faults are
// found within the horizon, and a step beyond it that has one is a panic.
func TestWeightsOverSequences(t *testing.T) {
	drawn := mustSequence(t, topology.ErdosRenyi{Nodes: 12, Probability: 0.2, Redraw: topology.Redraw{Every: 2, Seed: 3}})
	peers := mustSequence(t, topology.OnePeer{Nodes: 12, Directed: true})
	for _, seq := range []topology.Sequence{drawn, peers} {
		weighting := topology.Weighting{Scheme: topology.UniformOut, SelfLoops: true}
		weighted, err := weighting.Over(seq, 10)
		if err != nil {
			t.Fatal(err)
		}
		for step := range 20 {
			want, err := weighting.Apply(seq.At(step))
			if err != nil || !sameGraph(want, weighted.At(step)) {
				t.Errorf("step %d has other weights, %v", step, err)
			}
		}
		p, ok := seq.Period()
		if q, also := weighted.Period(); q != p || ok != also {
			t.Errorf("period %d, %v, want %d, %v", q, also, p, ok)
		}
		checkEpochs(t, weighted, 20)
	}
	if weighted, err := (topology.Weighting{Scheme: topology.Metropolis}).Over(drawn, 30); err != nil || topology.CheckSequence(weighted, 60, 1e-12) != nil {
		t.Errorf("metropolis: %v", err)
	}
	unseen, err := (topology.Weighting{Scheme: topology.LazyMetropolis}).OnTheWay(drawn)
	if err != nil || topology.CheckSequence(unseen, 30, 1e-12) != nil {
		t.Errorf("lazy metropolis: %v", err)
	}
	_, beforehand := (topology.Weighting{Scheme: topology.UniformIn}).Over(drawn, 30)
	alone, err := (topology.Weighting{Scheme: topology.UniformIn}).OnTheWay(drawn)
	for step := 0; err == nil && step < 30; step++ {
		_, err = topology.GraphAt(alone, step)
	}
	if beforehand == nil || err == nil || err.Error() != beforehand.Error() {
		t.Errorf("a node alone: %v beforehand, %v on the way", beforehand, err)
	}
	crash, err := topology.Script{Events: []topology.Event{{At: 8, Crash: 3}}}.Apply(peers)
	if err != nil {
		t.Fatal(err)
	}
	weighting := topology.Weighting{Scheme: topology.UniformIn}
	var at *topology.StepError
	if _, err := weighting.Over(crash, 8); !errors.As(err, &at) || at.Step != 7 {
		t.Errorf("error is %v, want one at step 8", err)
	}
	short, err := weighting.Over(crash, 7)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic beyond the horizon")
		}
	}()
	short.At(7)
}
