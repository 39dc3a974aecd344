package topology_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/actors/topology"
	"starling/messages"
)

// chance is the chance of a false failure of each statistical test of this
// package below, over the choice of the seed. Seeds are fixed, so that a test
// that has passed passes until the numbers change.
const chance = 1e-9

// hoeffding returns the distance from its mean that the mean of n independent
// numbers in [0, 1] exceeds with probability at most chance/tests, either way:
// P(|mean - mu| > e) <= 2 exp(-2 n e^2).
func hoeffding(n, tests int) float64 {
	return math.Sqrt(math.Log(2*float64(tests)/chance) / (2 * float64(n)))
}

// drawRandom draws a random generator and says whether it is symmetric.
func drawRandom(t *rapid.T) (g generator, n int, symmetric bool) {
	n = rapid.IntRange(4, 30).Draw(t, "nodes")
	directed := rapid.Bool().Draw(t, "directed")
	redraw := topology.Redraw{Every: rapid.IntRange(0, 3).Draw(t, "every"), Seed: rapid.Uint64().Draw(t, "seed")}
	p := func(label string) float64 { return float64(rapid.IntRange(0, 8).Draw(t, label)) / 8 }
	degree := rapid.IntRange(1, n-1).Draw(t, "degree")
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0:
		g = topology.ErdosRenyi{Nodes: n, Probability: p("p"), Directed: directed, Redraw: redraw}
	case 1:
		g = topology.KOut{Nodes: n, Degree: degree, Directed: directed, Redraw: redraw}
	case 2:
		if !directed && n%2 == 1 {
			degree = max(degree&^1, 2)
		}
		g = topology.RandomRegular{Nodes: n, Degree: degree, Directed: directed, Redraw: redraw}
	case 3:
		neighbours := rapid.IntRange(1, (n-2)/2).Draw(t, "half")
		if !directed {
			neighbours *= 2
		}
		g = topology.SmallWorld{Nodes: n, Neighbours: neighbours, Rewire: p("rewire"), Directed: directed, Redraw: redraw}
	case 4:
		directed = false
		g = topology.PreferentialAttachment{Nodes: n, Edges: degree, Redraw: redraw}
	case 5:
		directed = false
		g = topology.Matching{Nodes: n, Redraw: redraw}
	case 6:
		s := topology.StochasticBlock{Nodes: n, Blocks: rapid.IntRange(2, 4).Draw(t, "blocks"), Within: p("within"), Between: p("between"), Directed: directed, Redraw: redraw}
		if redraw.Every > 0 {
			s.Drift = p("drift")
		}
		g = s
	default:
		s := topology.Geometric{Nodes: n, Radius: 0.05 + p("radius"), Pause: p("pause"), Seed: redraw.Seed}
		if redraw.Every > 0 {
			s.SpeedMin, s.SpeedMax = 0.1, 0.1+0.9*p("speed")
		}
		if directed {
			s.Spread = 0.5
		}
		g = s
	}
	return g, n, !directed
}

// edgesOf returns how many undirected edges or, if directed, arcs g has.
func edgesOf(g *topology.Graph, directed bool) int {
	if directed {
		return g.Edges()
	}
	return g.Edges() / 2
}

// checkStructure holds a graph to what its generator promises of degrees.
func checkStructure(t *rapid.T, options generator, g *topology.Graph) {
	d := topology.Degrees(g)
	ok := true
	switch o := options.(type) {
	case topology.KOut:
		ok = d.MinOut >= o.Degree && (!o.Directed || d.MaxOut == o.Degree)
	case topology.RandomRegular:
		ok = d.MinIn == o.Degree && d.MaxIn == o.Degree && d.MinOut == o.Degree && d.MaxOut == o.Degree
	case topology.SmallWorld:
		ok = edgesOf(g, o.Directed)*2 == o.Nodes*o.Neighbours || o.Directed && g.Edges() == o.Nodes*o.Neighbours
		if o.Directed { // it is the sender that is drawn anew
			ok = ok && d.MinIn == o.Neighbours && d.MaxIn == o.Neighbours
		}
	case topology.PreferentialAttachment:
		first := o.Edges + 1
		_, count := topology.Components(g)
		ok = d.MinIn >= o.Edges && count == 1 && g.Edges()/2 == first*o.Edges/2+(o.Nodes-first)*o.Edges
	case topology.Matching:
		ok = d.MaxIn == 1 && g.Edges()/2 == o.Nodes/2
	case topology.ErdosRenyi:
		ok = (o.Probability > 0 || g.Edges() == 0) && (o.Probability < 1 || g.Edges() == o.Nodes*(o.Nodes-1))
	}
	if !ok {
		t.Fatalf("%+v: degrees %+v, %d edges", options, d, g.Edges())
	}
}

// TestRandomPatterns draws generators and options: structure, determinism, and
// that steps of equal epoch, and no others that matter, have equal graphs.
func TestRandomPatterns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options, n, symmetric := drawRandom(t)
		seq, err := options.Sequence()
		if err != nil {
			t.Fatalf("%+v: %v", options, err)
		}
		again, err := options.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			step := rapid.IntRange(0, 40).Draw(t, "step")
			g := seq.At(step)
			checkPattern(t, g, n, symmetric)
			checkStructure(t, options, g)
			if !cmp.Equal(dense(g), dense(again.At(step))) {
				t.Fatalf("%+v: step %d differs between two readings", options, step)
			}
			if p, ok := seq.Period(); ok != (p == 1) || seq.Nodes() != n {
				t.Fatalf("%+v: period %d, %v", options, p, ok)
			}
		}
	})
}

// TestSeedsAndEpochsMatter holds that each generator draws another graph for
// another seed and, where it draws anew, epoch. The graphs have at least 50
// nodes, so that equal ones by chance are out of the question.
func TestSeedsAndEpochsMatter(t *testing.T) {
	const n = 60
	redraw := func(seed uint64) topology.Redraw { return topology.Redraw{Every: 2, Seed: seed} }
	base := mustSequence(t, topology.Complete{Nodes: n}).At(0)
	makers := map[string]func(seed uint64) generator{
		"erdos-renyi": func(s uint64) generator { return topology.ErdosRenyi{Nodes: n, Probability: 0.5, Redraw: redraw(s)} },
		"k-out":       func(s uint64) generator { return topology.KOut{Nodes: n, Degree: 4, Redraw: redraw(s)} },
		"regular":     func(s uint64) generator { return topology.RandomRegular{Nodes: n, Degree: 4, Redraw: redraw(s)} },
		"small-world": func(s uint64) generator {
			return topology.SmallWorld{Nodes: n, Neighbours: 4, Rewire: 0.5, Redraw: redraw(s)}
		},
		"preferential": func(s uint64) generator {
			return topology.PreferentialAttachment{Nodes: n, Edges: 3, Redraw: redraw(s)}
		},
		"matching":      func(s uint64) generator { return topology.Matching{Nodes: n, Redraw: redraw(s)} },
		"base matching": func(s uint64) generator { return topology.Matching{Nodes: n, Base: base, Redraw: redraw(s)} },
		"blocks": func(s uint64) generator {
			return topology.StochasticBlock{Nodes: n, Blocks: 3, Within: 0.5, Between: 0.1, Drift: 0.1, Redraw: redraw(s)}
		},
		"geometric": func(s uint64) generator {
			return topology.Geometric{Nodes: n, Radius: 0.3, SpeedMin: 0.1, SpeedMax: 0.2, Seed: s}
		},
		"markov": func(s uint64) generator { return topology.MarkovEdges{On: 0.5, Off: 0.5, Base: base, Seed: s} },
	}
	for name, make := range makers {
		one, other := mustSequence(t, make(1)), mustSequence(t, make(2))
		if cmp.Equal(dense(one.At(0)), dense(other.At(0))) {
			t.Errorf("%s: another seed draws the same graph", name)
		}
		if one.Epoch(0) == one.Epoch(2) || cmp.Equal(dense(one.At(0)), dense(one.At(2))) {
			t.Errorf("%s: another epoch has the same graph", name)
		}
	}
	if topology.PartSeed(1, 0) == topology.PartSeed(1, 1) || topology.PartSeed(1, 0) == topology.PartSeed(2, 0) {
		t.Error("parts share seeds")
	}
}

// edgeFrequencies returns how often each edge is there over the steps.
func edgeFrequencies(seq topology.Sequence, steps int) [][]float64 {
	frequency := matrixOf(seq.Nodes(), func(i, j int) bool { return false })
	for step := range steps {
		g := seq.At(step)
		for i := range frequency {
			from, _ := g.In(messages.NodeID(i))
			for _, j := range from {
				frequency[i][j] += 1 / float64(steps)
			}
		}
	}
	return frequency
}

// TestEdgeFrequencies compares how often each edge is drawn with its
// probability. The draws are independent, so Hoeffding's bound holds for each of
// the n(n-1) edges.
func TestEdgeFrequencies(t *testing.T) {
	const n, draws = 7, 20_000
	redraw := topology.Redraw{Every: 1, Seed: 5}
	ring := mustSequence(t, topology.Exponential{Nodes: n}).At(0)
	tests := []struct {
		options     generator
		probability func(i, j int) float64
	}{
		{topology.ErdosRenyi{Nodes: n, Probability: 0.3, Directed: true, Redraw: redraw}, func(i, j int) float64 { return 0.3 }},
		{topology.ErdosRenyi{Nodes: n, Probability: 0.3, Redraw: redraw}, func(i, j int) float64 { return 0.3 }},
		{topology.ErdosRenyi{Nodes: n, Probability: 0.02, Redraw: redraw}, func(i, j int) float64 { return 0.02 }},
		{topology.KOut{Nodes: n, Degree: 2, Directed: true, Redraw: redraw}, func(i, j int) float64 { return 2. / 6 }},
		{topology.KOut{Nodes: n, Degree: 5, Directed: true, Redraw: redraw}, func(i, j int) float64 { return 5. / 6 }},
		{topology.KOut{Nodes: n, Degree: 2, Redraw: redraw}, func(i, j int) float64 { return 1 - 4./6*4./6 }},
		{topology.RandomRegular{Nodes: n, Degree: 2, Redraw: redraw}, func(i, j int) float64 { return 2. / 6 }},
		{topology.RandomRegular{Nodes: n, Degree: 4, Directed: true, Redraw: redraw}, func(i, j int) float64 { return 4. / 6 }},
		{topology.Matching{Nodes: n, Redraw: redraw}, func(i, j int) float64 { return 1. / 7 }},
		{topology.StochasticBlock{Nodes: n, Blocks: 2, Within: 0.6, Between: 0.1, Redraw: redraw}, func(i, j int) float64 {
			if (i < 4) == (j < 4) {
				return 0.6
			}
			return 0.1
		}},
		{topology.StochasticBlock{Nodes: n, Blocks: 7, Within: 0.9, Between: 0.25, Directed: true, Redraw: redraw}, func(i, j int) float64 { return 0.25 }},
		{topology.MarkovEdges{On: 1, Off: 0, Directed: true, Base: ring}, func(i, j int) float64 { return 1 }}, // all of 7 nodes
	}
	tolerance := hoeffding(draws, n*(n-1)*len(tests))
	for _, test := range tests {
		t.Run(fmt.Sprintf("%T", test.options), func(t *testing.T) {
			frequency := edgeFrequencies(mustSequence(t, test.options), draws)
			for i, row := range frequency {
				for j, got := range row {
					if want := test.probability(i, j); i != j && math.Abs(got-want) > tolerance {
						t.Errorf("edge from %d to %d is there with frequency %v, want %v within %v", j, i, got, want, tolerance)
					}
				}
			}
		})
	}
}

// TestErdosRenyiEdgesAreIndependent looks at pairs of edges of one draw: both are
// there with probability p^2. Their positions are next to each other in the row
// of trials and far apart.
func TestErdosRenyiEdgesAreIndependent(t *testing.T) {
	const draws, p = 20_000, 0.3
	seq := mustSequence(t, topology.ErdosRenyi{Nodes: 6, Probability: p, Directed: true, Redraw: topology.Redraw{Every: 1, Seed: 9}})
	pairs := [][4]messages.NodeID{{0, 1, 0, 2}, {0, 5, 1, 0}, {0, 1, 1, 0}, {2, 3, 5, 4}, {0, 1, 5, 4}}
	both := make([]int, len(pairs))
	for step := range draws {
		g := seq.At(step)
		for k, e := range pairs {
			if g.HasEdge(e[0], e[1]) && g.HasEdge(e[2], e[3]) {
				both[k]++
			}
		}
	}
	for k, count := range both {
		if got := float64(count) / draws; math.Abs(got-p*p) > hoeffding(draws, len(pairs)) {
			t.Errorf("edges %v are both there with frequency %v, want %v", pairs[k], got, p*p)
		}
	}
}

// attachmentLaw returns the exact law of the degree of the first node of
// PreferentialAttachment with one edge a node: it has degree 1 among 2 nodes; a
// node that comes to v others, whose degrees sum to 2(v-1), joins one of degree k
// with probability k/(2(v-1)).
func attachmentLaw(nodes int) []float64 {
	law := make([]float64, nodes)
	law[1] = 1
	for v := 2; v < nodes; v++ {
		next := make([]float64, nodes)
		for k, p := range law {
			if p == 0 {
				continue
			}
			joins := float64(k) / float64(2*(v-1))
			next[k] += p * (1 - joins)
			next[k+1] += p * joins
		}
		law = next
	}
	return law
}

// TestPreferentialAttachmentFollowsItsLaw compares the degrees of the first node
// with the exact law, tail included.
func TestPreferentialAttachmentFollowsItsLaw(t *testing.T) {
	const n, draws = 7, 30_000
	law := attachmentLaw(n)
	seq := mustSequence(t, topology.PreferentialAttachment{Nodes: n, Edges: 1, Redraw: topology.Redraw{Every: 1, Seed: 3}})
	count := make([]int, n)
	for step := range draws {
		count[len(seq.At(step).Out(0))]++
	}
	for k, p := range law {
		if got := float64(count[k]) / draws; math.Abs(got-p) > hoeffding(draws, n) {
			t.Errorf("degree %d has frequency %v, want %v", k, got, p)
		}
	}
}

// TestPreferentialAttachmentOfTwoEdges has two draws a node without repetition:
// the fourth node of the triangle joins each pair alike, and the fifth, meeting
// degrees 2, 3, 3 and 2 of sum 10, leaves out the fourth with probability
// sum over ordered pairs of the other three of d_a/10 * d_b/(10-d_a).
func TestPreferentialAttachmentOfTwoEdges(t *testing.T) {
	const draws = 30_000
	degrees := []float64{2, 3, 3}
	var want float64
	for a, da := range degrees {
		for b, db := range degrees {
			if a != b {
				want += da / 10 * db / (10 - da)
			}
		}
	}
	seq := mustSequence(t, topology.PreferentialAttachment{Nodes: 5, Edges: 2, Redraw: topology.Redraw{Every: 1, Seed: 4}})
	missing := 0
	for step := range draws {
		if !seq.At(step).HasEdge(3, 4) {
			missing++
		}
	}
	if got := float64(missing) / draws; math.Abs(got-want) > hoeffding(draws, 1) {
		t.Errorf("the fifth node leaves out the fourth with frequency %v, want %v", got, want)
	}
}

// TestSmallWorldRewires: without rewiring it is the circle. With it an edge of
// the circle is left with probability 1-p. A little above that is there, since
// one led elsewhere may land where another was: four edges keep an end that could
// lead there, each is led elsewhere with probability p, to one of at least 24
// nodes while no degree exceeds 15.
func TestSmallWorldRewires(t *testing.T) {
	const n, draws, p = 40, 2000, 0.25
	circle := mustSequence(t, topology.SmallWorld{Nodes: n, Neighbours: 4}).At(0)
	want := matrixOf(n, func(i, j int) bool { d := min((i-j+n)%n, (j-i+n)%n); return d == 1 || d == 2 })
	if diff := cmp.Diff(want, dense(circle)); diff != "" {
		t.Fatal(diff)
	}
	seq := mustSequence(t, topology.SmallWorld{Nodes: n, Neighbours: 4, Rewire: p, Redraw: topology.Redraw{Every: 1, Seed: 2}})
	// By symmetry all n edges of one shift are alike, but they are dependent
	// inside a draw: the mean over them is one number in [0, 1] a draw.
	var kept float64
	for step := range draws {
		g := seq.At(step)
		for i := range n {
			if g.HasEdge(messages.NodeID(i), messages.NodeID((i+1)%n)) {
				kept += 1. / (n * draws)
			}
		}
	}
	tolerance := hoeffding(draws, 1)
	if kept < 1-p-tolerance || kept > 1-p+p*4*p/24+tolerance {
		t.Errorf("an edge of the circle is there with frequency %v, want about %v", kept, 1-p)
	}
}

// TestMatchingOnBaseIsMaximal checks, on random bases, that no edge of the base
// could be added.
func TestMatchingOnBaseIsMaximal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, err := topology.FromDense(drawDense(t, 9))
		if err != nil {
			t.Fatal(err)
		}
		n := base.Nodes()
		if n < 2 {
			t.Skip("a matching is of two nodes")
		}
		seq, err := topology.Matching{Nodes: n, Base: base, Redraw: topology.Redraw{Every: 1, Seed: rapid.Uint64().Draw(t, "seed")}}.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		g := seq.At(rapid.IntRange(0, 9).Draw(t, "step"))
		checkPattern(t, g, n, true)
		for i := range messages.NodeID(n) {
			if len(g.Out(i)) > 1 {
				t.Fatalf("node %d has %d partners", i, len(g.Out(i)))
			}
			for j := range i {
				both := base.HasEdge(i, j) && base.HasEdge(j, i)
				if g.HasEdge(i, j) && !both {
					t.Fatalf("nodes %d and %d are matched, but not joined", i, j)
				}
				if both && len(g.Out(i)) == 0 && len(g.Out(j)) == 0 {
					t.Fatalf("nodes %d and %d are free and joined", i, j)
				}
			}
		}
	})
}

// TestLargeGenerators makes graphs of 100,000 nodes, which a loop over pairs of
// nodes would make for minutes. The mean degree of those that are about 6 is a
// mean over 10^5 nodes: 0.2 is many standard deviations.
func TestLargeGenerators(t *testing.T) {
	for _, options := range large() {
		g := mustSequence(t, options).At(0)
		mean := topology.Degrees(g).Mean
		want := 6.
		switch options.(type) {
		case topology.Path:
			want = 2
		case topology.Hypercube, topology.Exponential:
			want = 17
		case topology.OnePeer, topology.Matching:
			want = 1
		case topology.StochasticBlock:
			want = 3 + 2.7
		}
		if g.SelfLoops() != 0 || math.Abs(mean-want) > 0.2 {
			t.Errorf("%T has mean degree %v and %d self-loops, want about %v and none", options, mean, g.SelfLoops(), want)
		}
	}
}

// TestOptionsCarryTheirKeys: every option that a scenario may state has a key
// and says what it is; what the scenario itself knows has none.
func TestOptionsCarryTheirKeys(t *testing.T) {
	own := map[string]bool{"Nodes": true, "Seed": true, "Base": true, "Clock": true}
	structs := []any{topology.Redraw{}, topology.Weighting{}, topology.Script{}, topology.Event{}, topology.Rewire{}, topology.EdgeList{}, topology.MarkovEdges{}}
	for _, g := range large() {
		structs = append(structs, g)
	}
	for _, s := range structs {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(s)) {
			key, tagged := field.Tag.Lookup("yaml")
			if tagged == own[field.Name] {
				t.Errorf("%T.%s: tagged %v", s, field.Name, tagged)
			}
			if key != ",inline" && tagged && field.Tag.Get("doc") == "" {
				t.Errorf("%T.%s has no doc", s, field.Name)
			}
		}
	}
}
