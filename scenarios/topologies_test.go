package scenarios_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios"
	"starling/scenarios/inputs"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// Graphs that are drawn, with memory and events, give one digest in both
// runtimes and over any number of shards.
func TestDigestOfNetworks(t *testing.T) {
	for name, text := range map[string]string{
		"events":    "{kind: small-world, neighbours: 4, rewire: 0.3, every: 5, weights: unchecked, events: [{at: 3, crash: 2}, {at: 6, recover: 2, partition: [[1, 2, 3]]}, {at: 10, heal: true, rewire: {remove: [[1, 2]]}}]}",
		"markov":    "{kind: markov-edges, on: 0.2, off: 0.4, base: {kind: small-world, neighbours: 4, rewire: 0.3}, weights: unchecked}",
		"geometric": "{kind: geometric, radius: 0.4, speed_min: 0.02, speed_max: 0.1, weights: unchecked}",
	} {
		t.Run(name, func(t *testing.T) {
			s := loadText(t, base, "nodes=23", "horizon=25", "topology="+text)
			want := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Digest
			for _, shards := range []int{1, 3} {
				if got := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: shards}).Digest; got != want {
					t.Errorf("%d shards: %s, lockstep %s", shards, got, want)
				}
			}
			if other := metricsOf(t, loadText(t, base, "nodes=23", "horizon=25", "topology={kind: path}"), runner.RunOptions{Engine: runner.Lockstep}).Digest; other == want {
				t.Error("a path has the same digest")
			}
		})
	}
}

// Every draw is that of its seed, and two parts of one kind are not the same.
func TestPartsAreDrawnApart(t *testing.T) {
	s := loadText(t, base, "nodes=12", "topology={kind: cycle, every: 1, parts: [{kind: random-regular, degree: 3}, {kind: random-regular, degree: 3}]}")
	edges := func(seed uint64, step int) string {
		sequence, err := s.Arms[0].Topology.Sequence(seed)
		if err != nil {
			t.Fatal(err)
		}
		return edgesOf(sequence.At(step))
	}
	again := edges(1, 0)
	if edges(1, 0) != edges(1, 2) || edges(1, 0) != again {
		t.Error("a part is drawn twice under one seed")
	}
	if edges(1, 0) == edges(1, 1) || edges(1, 0) == edges(2, 0) {
		t.Error("two parts, or two seeds, have the same graph")
	}
}

func edgesOf(g *topology.Graph) string {
	var text strings.Builder
	for i := range g.Nodes() {
		from, weights := g.In(messages.NodeID(i))
		fmt.Fprintln(&text, from, weights)
	}
	return text.String()
}

// The estimates of edges, which limits and memory go by, are near what is drawn:
// the mean of 40 draws is within 20 %, where a draw's deviation is below 25 %.
func TestEstimatesOfEdges(t *testing.T) {
	for _, text := range []string{
		"{kind: path}", "{kind: torus, sides: [8, 8]}", "{kind: hypercube}", "{kind: erdos-renyi, probability: 0.1}",
		"{kind: k-out, degree: 3}", "{kind: random-regular, degree: 4}", "{kind: small-world, neighbours: 4, rewire: 0.2}",
		"{kind: preferential-attachment, edges: 2}", "{kind: matching}", "{kind: stochastic-block, blocks: 4, within: 0.5, between: 0.05}",
		"{kind: geometric, radius: 0.15}", "{kind: geometric, radius: 0.15, spread: 0.5, weighting: {scheme: uniform-in, self_loops: true}}",
	} {
		s := loadText(t, base, "nodes=64", "topology="+strings.TrimSuffix(text, "}")+", weights: unchecked}")
		plan := s.Arms[0].Topology
		sum := 0.0
		const draws = 40
		for seed := range uint64(draws) {
			sequence, err := plan.Sequence(seed)
			if err != nil {
				t.Fatal(err)
			}
			sum += float64(sequence.At(0).Edges()) / draws
		}
		estimate := plan.Edges + plan.Drawn
		if math.Abs(estimate-sum) > 0.2*sum {
			t.Errorf("%s: %.0f edges are expected, %.0f are there", text, estimate, sum)
		}
	}
}

// A network's file is found beside the scenario or where the program runs, and
// its contents are part of the run's hash and notes.
func TestNetworkFiles(t *testing.T) {
	folder, elsewhere := t.TempDir(), t.TempDir()
	t.Chdir(elsewhere)
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const list = "topology: {kind: edge-list, file: net.csv, undirected: true, hold: true, weighting: {scheme: metropolis}}\n"
	start, end := strings.Index(base, "topology:"), strings.Index(base, "mechanism:")
	scenario := filepath.Join(folder, "s.yaml")
	write(scenario, base[:start]+list+base[end:])
	hash := func() string {
		t.Helper()
		s, err := scenarios.Load(scenario)
		if err != nil {
			t.Fatal(err)
		}
		j, err := s.Arms[0].Algorithm.Job(1)
		if err != nil {
			t.Fatal(err)
		}
		notes, _ := study.RemarksOf(s.Arms[0], j)
		if n := notes[len(notes)-1]; n.Key != inputs.DataNote || !strings.HasPrefix(n.Value, "net.csv, sha256 ") {
			t.Errorf("the last note is %+v", n)
		}
		return runner.Hash(s, "build")
	}
	refused := func(want string) {
		t.Helper()
		if _, err := scenarios.Load(scenario); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	refused("topology.file: there is neither " + filepath.Join(folder, "net.csv") + " nor net.csv")
	write("net.csv", "step,from,to\n1,1,2\n1,2,3\n")
	far := hash()
	write(filepath.Join(folder, "net.csv"), "step,from,to\n1,1,2\n1,3,1\n")
	near := hash()
	if near == far {
		t.Error("other contents have the same hash")
	}
	write(filepath.Join(folder, "net.csv"), "step,from,to\n1,1,4\n")
	refused("topology.file: net.csv:2:5: to is 4, want 1 to 3")
}
