package topology_test

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/actors/option"
	"starling/actors/topology"
	"starling/messages"
)

// generator is what all option structs have.
type generator interface {
	Validate() error
	Sequence() (topology.Sequence, error)
}

func mustSequence(t testing.TB, g generator) topology.Sequence {
	t.Helper()
	seq, err := g.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// printedMatrices are the entries of DPDO-NC, Section 5, as printed, times 2, 5
// and 3.
var printedMatrices = [3][6][6]float64{
	{{1, 0, 0, 0, 0, 1}, {1, 1, 0, 0, 0, 0}, {0, 1, 1, 0, 0, 0}, {0, 0, 1, 1, 0, 0}, {0, 0, 0, 1, 1, 0}, {0, 0, 0, 0, 1, 1}},
	{{0, 1, 1, 1, 1, 1}, {1, 0, 1, 1, 1, 1}, {1, 1, 0, 1, 1, 1}, {1, 1, 1, 0, 1, 1}, {1, 1, 1, 1, 0, 1}, {1, 1, 1, 1, 1, 0}},
	{{1, 0, 1, 0, 1, 0}, {0, 1, 0, 1, 0, 1}, {1, 0, 1, 0, 1, 0}, {0, 1, 0, 1, 0, 1}, {1, 0, 1, 0, 1, 0}, {0, 1, 0, 1, 0, 1}},
}

func TestPrintedMatrices(t *testing.T) {
	a1, a2, a3 := topology.Printed()
	for m, got := range [][][]float64{a1, a2, a3} {
		want := make([][]float64, 6)
		for i, row := range printedMatrices[m] {
			for _, entry := range row {
				want[i] = append(want[i], entry/[]float64{2, 5, 3}[m])
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("A%d: %s", m+1, diff)
		}
	}
}

// printedCycle is the sequence of the experiment: A1, A2, A3, A1, ...
func printedCycle(t testing.TB) topology.Sequence {
	t.Helper()
	a1, a2, a3 := topology.Printed()
	seq, err := topology.NewPeriodic(mustDense(t, a1), mustDense(t, a2), mustDense(t, a3))
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// TestGeneratorsMakeThePrintedMatrices holds what the comments of Ring and
// Complete say of A1 and A2.
func TestGeneratorsMakeThePrintedMatrices(t *testing.T) {
	a1, a2, _ := topology.Printed()
	if diff := cmp.Diff(a1, dense(mustSequence(t, topology.Ring{Nodes: 6}).At(0))); diff != "" {
		t.Errorf("ring: %s", diff)
	}
	if diff := cmp.Diff(a2, dense(mustSequence(t, topology.Complete{Nodes: 6}).At(0))); diff != "" {
		t.Errorf("complete: %s", diff)
	}
}

func TestSmallGraphs(t *testing.T) {
	third := 1. / 3
	tests := []struct {
		options generator
		want    [][]float64
	}{
		{topology.Ring{Nodes: 2}, [][]float64{{.5, .5}, {.5, .5}}},
		{topology.Circulant{Nodes: 4, Degree: 2}, [][]float64{
			{third, 0, third, third}, {third, third, 0, third}, {third, third, third, 0}, {0, third, third, third}}},
		{topology.Complete{Nodes: 1, SelfLoops: true}, [][]float64{{1}}},
		{topology.Complete{Nodes: 3, SelfLoops: true}, [][]float64{
			{third, third, third}, {third, third, third}, {third, third, third}}},
		{topology.Star{Leaves: 2}, [][]float64{{0, 1, 1}, {1, 0, 0}, {1, 0, 0}}},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%+v", test.options), func(t *testing.T) {
			seq := mustSequence(t, test.options)
			if diff := cmp.Diff(test.want, dense(seq.At(7))); diff != "" {
				t.Error(diff)
			}
			if p, ok := seq.Period(); p != 1 || !ok || seq.Epoch(7) != seq.Epoch(0) {
				t.Errorf("period %d, %v and epoch %d, want a static sequence", p, ok, seq.Epoch(7))
			}
		})
	}
}

func TestOptionsOutOfRange(t *testing.T) {
	tests := []struct {
		options generator
		want    string
	}{
		{topology.Ring{Nodes: 1}, "nodes is 1, want at least 2"},
		{topology.Circulant{Nodes: 5, Degree: 0}, "degree is 0, want 1 to 4: the nodes less one"},
		{topology.Circulant{Nodes: 5, Degree: 5}, "degree is 5, want 1 to 4: the nodes less one"},
		{topology.Circulant{Nodes: 1 << 20, Degree: 1 << 19}, "1048576 nodes of degree 524288 need more than 2147483647 edges"},
		{topology.Complete{Nodes: 1}, "nodes is 1, want at least 2"},
		{topology.Complete{SelfLoops: true}, "nodes is 0, want at least 1"},
		{topology.Complete{Nodes: 1 << 20}, "the complete graph of 1048576 nodes needs more than 2147483647 edges"},
		{topology.Permutations{Nodes: 1, Degree: 1}, "nodes is 1, want at least 2"},
		{topology.Permutations{Nodes: 4, Degree: 4}, "degree is 4, want 1 to 3: the nodes less one"},
		{topology.Permutations{Nodes: 4, Degree: 2, Every: -1}, "every is -1, want at least 0"},
		{topology.Star{}, "leaves is 0, want at least 1"},
		{topology.Star{Leaves: 1 << 31}, "a star of 2147483648 leaves needs more than 2147483647 edges"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%+v", test.options), func(t *testing.T) {
			err := test.options.Validate()
			if err == nil || option.Message(err) != test.want {
				t.Errorf("Validate: %v, want %q", err, test.want)
			}
			if seq, err := test.options.Sequence(); seq != nil || err == nil || option.Message(err) != test.want {
				t.Errorf("Sequence: %v, %v, want %q", seq, err, test.want)
			}
		})
	}
}

// checkRegular holds every node to degree edges in and out besides its own
// self-loop.
func checkRegular(t *rapid.T, g *topology.Graph, degree int) {
	for i := range messages.NodeID(g.Nodes()) {
		from, _ := g.In(i)
		if len(from) != degree+1 || len(g.Out(i)) != degree+1 || !g.HasEdge(i, i) {
			t.Fatalf("node %d has %d edges in, %d out, want %d each; self-loop %v",
				i, len(from), len(g.Out(i)), degree+1, g.HasEdge(i, i))
		}
	}
}

func TestGeneratorsAreDoublyStochastic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "nodes")
		degree := rapid.IntRange(1, n-1).Draw(t, "degree")
		permutations := topology.Permutations{
			Nodes: n, Degree: degree,
			Every: rapid.IntRange(0, 3).Draw(t, "every"),
			Seed:  rapid.Uint64().Draw(t, "seed"),
		}
		step := rapid.IntRange(0, 1000).Draw(t, "step")
		for _, options := range []generator{
			topology.Ring{Nodes: n},
			topology.Circulant{Nodes: n, Degree: degree},
			topology.Complete{Nodes: n},
			topology.Complete{Nodes: n, SelfLoops: true},
			permutations,
		} {
			seq, err := options.Sequence()
			if err != nil {
				t.Fatalf("%+v: %v", options, err)
			}
			g := seq.At(step)
			if seq.Nodes() != n || g.Nodes() != n {
				t.Fatalf("%+v has %d nodes", options, g.Nodes())
			}
			if err := topology.CheckWeights(g, 1e-12); err != nil {
				t.Fatalf("%+v: %v", options, err)
			}
			switch options.(type) {
			case topology.Circulant, topology.Permutations:
				checkRegular(t, g, degree)
			}
		}
	})
}

// TestPermutationsDependOnSeedAndEpochAlone reads the same steps in two orders,
// the second time concurrently.
func TestPermutationsDependOnSeedAndEpochAlone(t *testing.T) {
	options := topology.Permutations{Nodes: 50, Degree: 3, Every: 4, Seed: 7}
	forward, backward := mustSequence(t, options), mustSequence(t, options)
	const steps = 40
	var want, got [steps]*topology.Graph
	for step := range steps {
		want[step] = forward.At(step)
	}
	var running sync.WaitGroup
	for step := steps - 1; step >= 0; step-- {
		running.Go(func() { got[step] = backward.At(step) })
	}
	running.Wait()
	for step := range steps {
		if !cmp.Equal(dense(want[step]), dense(got[step])) {
			t.Errorf("step %d differs between two readings", step)
		}
		if forward.Epoch(step) != step/4 {
			t.Errorf("epoch %d at step %d, want %d", forward.Epoch(step), step, step/4)
		}
		if step == 0 {
			continue
		}
		if same := cmp.Equal(dense(want[step]), dense(want[step-1])); same != (step%4 != 0) {
			t.Errorf("steps %d and %d: same graph is %v, want a draw every 4 steps", step-1, step, same)
		}
	}
	if _, ok := forward.Period(); ok {
		t.Error("a redrawn sequence has a period")
	}
	options.Seed++
	if cmp.Equal(dense(want[0]), dense(mustSequence(t, options).At(0))) {
		t.Error("another seed draws the same graph")
	}
}

func TestPermutationsDrawnOnce(t *testing.T) {
	options := topology.Permutations{Nodes: 20, Degree: 3, Seed: 7}
	once := mustSequence(t, options)
	options.Every = 5
	if p, ok := once.Period(); p != 1 || !ok || once.At(0) != once.At(99) {
		t.Errorf("period %d, %v, want one graph for ever", p, ok)
	}
	if !cmp.Equal(dense(once.At(0)), dense(mustSequence(t, options).At(4))) {
		t.Error("the only draw is not the first one of a redrawn sequence")
	}
}

// TestPermutationsFavourNoEdge counts how often each edge is drawn. Each of the
// 42 possible ones is there with probability 3/6, if the draw favours none, so
// its frequency has standard deviation sqrt(1/4 / 20000) = 0.0035. With a
// tolerance of 5 of them, another seed fails with chance 42 * 6e-7 = 2.4e-5.
func TestPermutationsFavourNoEdge(t *testing.T) {
	const n, degree, epochs = 7, 3, 20000
	seq := mustSequence(t, topology.Permutations{Nodes: n, Degree: degree, Every: 1, Seed: 11})
	var count [n][n]int
	for step := range epochs {
		g := seq.At(step)
		for i := range count {
			from, _ := g.In(messages.NodeID(i))
			for _, j := range from {
				count[i][j]++
			}
		}
	}
	for i, row := range count {
		for j, c := range row {
			frequency := float64(c) / epochs
			if i != j && math.Abs(frequency-0.5) > 5*0.0036 {
				t.Errorf("edge from %d to %d is there with frequency %v, want 0.5", j, i, frequency)
			}
		}
	}
}

func TestPeriodicCycles(t *testing.T) {
	a := mustSequence(t, topology.Ring{Nodes: 4}).At(0)
	b := mustSequence(t, topology.Complete{Nodes: 4}).At(0)
	list := []*topology.Graph{a, b, b}
	seq, err := topology.NewPeriodic(list...)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Repeat(slices.Clone(list), 3)
	list[0] = b // the list was copied
	for step, g := range want {
		if seq.At(step) != g || seq.Epoch(step) != step%3 {
			t.Errorf("step %d shows another graph than %d of the list", step, step%3)
		}
	}
	if p, ok := seq.Period(); p != 3 || !ok || seq.Nodes() != 4 {
		t.Errorf("period %d, %v, %d nodes, want 3, true, 4", p, ok, seq.Nodes())
	}
}

func TestNewPeriodicRefuses(t *testing.T) {
	a := mustSequence(t, topology.Ring{Nodes: 4}).At(0)
	b := mustSequence(t, topology.Ring{Nodes: 5}).At(0)
	if _, err := topology.NewPeriodic(); err == nil || option.Message(err) != "a periodic sequence needs at least one graph" {
		t.Errorf("no graphs: %v", err)
	}
	want := "graph 3 of the period has 5 nodes, graph 1 has 4"
	if _, err := topology.NewPeriodic(a, a, b); err == nil || option.Message(err) != want {
		t.Errorf("error is %v, want %q", err, want)
	}
}
