package topology_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/topology"
	"starling/mechanisms/rng"
	"starling/messages"
)

// sending lists the steps, from 1, in which a node sends up to a horizon.
func sending(t *topology.Times, node messages.NodeID, horizon int) (steps []int) {
	for step := range horizon {
		if t.Sends(node, step) {
			steps = append(steps, step+1)
		}
	}
	return steps
}

func TestTimes(t *testing.T) {
	for _, test := range []struct {
		name     string
		schedule topology.Schedule
		node     messages.NodeID
		want     []int
	}{
		{"every step", topology.Schedule{Every: 1}, 0, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		{"every fifth", topology.Schedule{Every: 5}, 3, []int{5, 10}},
		{"phases", topology.Schedule{Phases: []topology.Phase{{1, 2}, {7, 3}}}, 0, []int{2, 4, 6, 9, 12}},
		{"a late phase", topology.Schedule{Phases: []topology.Phase{{8, 2}}}, 0, []int{9, 11}},
		{"doubling", topology.Schedule{Every: 1, Doubling: 4}, 0, []int{1, 2, 3, 4, 6, 8, 12}},
		{"doubling ends with its phase", topology.Schedule{Phases: []topology.Phase{{1, 1}, {7, 1}}, Doubling: 4}, 0, []int{1, 2, 3, 4, 6, 7, 8, 9, 10, 12}},
		{"the first of two groups", topology.Schedule{Every: 5, Offsets: []int{0, 2}}, 1, []int{5, 10}},
		{"the second", topology.Schedule{Every: 5, Offsets: []int{0, 2}}, 2, []int{2, 7, 12}},
	} {
		if err := test.schedule.Validate(4); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if got := sending(test.schedule.Times(4, 1), test.node, 12); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// Draws are those of the seed. Of 4000 steps with probability .3 the count lies within 5
// standard deviations, 145, of 1200: a false failure of one seed has a chance below 1e-6.
func TestTimesByChance(t *testing.T) {
	one := topology.Schedule{Probability: 0.3}
	each := topology.Schedule{Probability: 0.3, Each: true}
	same, apart := one.Times(5, 7), each.Times(5, 7)
	if !slices.Equal(sending(same, 0, 4000), sending(same, 4, 4000)) || !slices.Equal(sending(same, 0, 4000), sending(one.Times(5, 7), 0, 4000)) {
		t.Error("one draw a step is not one for all")
	}
	if slices.Equal(sending(apart, 0, 4000), sending(apart, 4, 4000)) || slices.Equal(sending(same, 0, 4000), sending(one.Times(5, 8), 0, 4000)) {
		t.Error("draws of nodes, or of seeds, are the same")
	}
	for _, times := range []*topology.Times{same, apart} {
		if n := len(sending(times, 2, 4000)); n < 1055 || n > 1345 {
			t.Errorf("%d of 4000 steps", n)
		}
	}
}

// TestClocksArePoisson: one node sends in a step, and within a time T the clock of a node with rate r ticks
// Poisson(rT) times: mean and variance over 4000 seeds are within 5 standard deviations of rT, about sqrt(rT/4000) and
// rT sqrt(2/4000). Ticks of two nodes are uncorrelated.
func TestClocksArePoisson(t *testing.T) {
	const seeds, nodes = 4000, 5
	schedule := topology.Schedule{Clocks: []float64{0.5, 2}} // of 3 nodes, and of 2
	rates, total, length := []float64{0.5, 0.5, 0.5, 2, 2}, 5.5, 4.0
	if err := schedule.Validate(nodes); err != nil {
		t.Fatal(err)
	}
	var sums, squares [nodes]float64
	together := 0.0
	for seed := range uint64(seeds) {
		times := schedule.Times(nodes, seed)
		var stream rng.Stream
		r, counts, step := stream.Open(rng.NewKey(seed, rng.PurposeOf("test")), 0, 0, 0), [nodes]float64{}, 0
		for now := r.ExpFloat64() / total; now < length; now += r.ExpFloat64() / total {
			sends := 0
			for i := range messages.NodeID(nodes) {
				if times.Sends(i, step) {
					counts[i]++
					sends++
				}
			}
			if step++; sends != 1 {
				t.Fatalf("%d nodes send in step %d", sends, step)
			}
		}
		for i, n := range counts {
			sums[i] += n
			squares[i] += n * n
		}
		together += (counts[0] - rates[0]*length) * (counts[4] - rates[4]*length)
	}
	for i, rate := range rates {
		want := rate * length
		mean := sums[i] / seeds
		variance := squares[i]/seeds - mean*mean
		if math.Abs(mean-want) > 5*math.Sqrt(want/seeds) || math.Abs(variance-want) > 5*math.Sqrt((2*want*want+want)/seeds) {
			t.Errorf("node %d ticks %v times in the mean, with variance %v, want %v", i+1, mean, variance, want)
		}
	}
	if far := math.Abs(together / seeds); far > 5*length*math.Sqrt(rates[0]*rates[4]/seeds) {
		t.Errorf("ticks of two nodes have a covariance of %v", far)
	}
}

func TestScheduleErrors(t *testing.T) {
	for _, test := range []struct {
		schedule topology.Schedule
		want     string
	}{
		{topology.Schedule{}, "0 of every, phases, probability, clocks and file are given"},
		{topology.Schedule{Every: 2, Probability: 0.5}, "2 of every, phases, probability, clocks and file are given"},
		{topology.Schedule{Probability: 0.5, Clocks: []float64{1}}, "2 of every, phases, probability, clocks and file are given"},
		{topology.Schedule{Clocks: []float64{1}, Doubling: 3}, "clocks: clocks have no period"},
		{topology.Schedule{Clocks: []float64{1, 1, 1, 1, 1}}, "clocks: 5 rates for 4 nodes"},
		{topology.Schedule{Clocks: []float64{1, 0}}, "clocks[1]: a rate of 0, want above 0"},
		{topology.Schedule{File: "t.csv", Offsets: []int{0, 1}}, "file: a file has no period"},
		{topology.Schedule{Phases: []topology.Phase{{5, 1}, {5, 2}}}, "phases[1].from: the phase begins in step 5, and the one before in step 5"},
		{topology.Schedule{Every: 2, Each: true}, "each: each is for draws"},
		{topology.Schedule{Probability: 0.5, Doubling: 3}, "doubling: a probability has no period"},
		{topology.Schedule{Probability: 0.5, Offsets: []int{0, 1}}, "offsets: a probability has no period"},
		{topology.Schedule{Every: 2, Offsets: []int{0, 1, 2, 3, 4}}, "offsets: 5 offsets for 4 nodes"},
		{topology.Schedule{Every: 2, Offsets: []int{0, -1}}, "offsets[1]: offset -1"},
	} {
		if err := test.schedule.Validate(4); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.schedule, err, test.want)
		}
	}
}

// Under a schedule the graphs of steps without messages keep the sums of weights, those of the
// others are as they were, and the period holds.
func TestScheduledSequences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 7).Draw(t, "nodes")
		every := rapid.IntRange(1, 4).Draw(t, "every")
		schedule := topology.Schedule{Every: every}
		if rapid.Bool().Draw(t, "staggered") {
			schedule.Offsets = rapid.SliceOfN(rapid.IntRange(0, 5), 2, n).Draw(t, "offsets")
		}
		line, err := topology.Path{Nodes: n}.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		all, err := topology.Complete{Nodes: n}.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		var below topology.Sequence
		if below, err = topology.NewCycle(1, line, all); err != nil {
			t.Fatal(err)
		}
		times := schedule.Times(n, 1)
		var seq topology.Sequence
		if schedule.Staggered() {
			seq, err = topology.Weighting{Scheme: topology.UniformIn, SelfLoops: true}.Over(times.Between(below), 20)
		} else if below, err = (topology.Weighting{Scheme: topology.Metropolis}).Over(below, 20); err == nil {
			seq = times.Over(below, topology.Alone(n))
		}
		if err != nil {
			t.Fatal(err)
		}
		demand := topology.Demand{Rows: true, Columns: !schedule.Staggered(), Hearing: true}
		period, periodic := seq.Period()
		for step := range 20 {
			g := seq.At(step)
			if err := demand.Check(g, 1e-9); err != nil {
				t.Fatalf("step %d: %v", step+1, err)
			}
			for i := range messages.NodeID(n) {
				for j := range messages.NodeID(n) {
					if i != j && g.HasEdge(j, i) != (below.At(step).HasEdge(j, i) && times.Sends(j, step)) {
						t.Fatalf("step %d: the edge from %d to %d", step+1, j+1, i+1)
					}
					if periodic && g.Weight(i, j) != seq.At(step+period).Weight(i, j) {
						t.Fatalf("step %d: not as %d steps later", step+1, period)
					}
				}
			}
			for other := range step {
				if seq.Epoch(other) == seq.Epoch(step) && seq.At(other).Edges() != g.Edges() {
					t.Fatalf("steps %d and %d have one epoch and not one graph", other+1, step+1)
				}
			}
		}
	})
}

func TestReadTimes(t *testing.T) {
	for _, test := range []struct {
		text      string
		staggered bool
		want      [2][]int // of nodes 1 and 3, up to step 9
	}{
		{"step\n2\n# a day off\n9\n", false, [2][]int{{2, 9}, {2, 9}}},
		{"\ufeffstep,node\n1,1\n4,3\n4,1\n", true, [2][]int{{1, 4}, {4}}},
	} {
		times, staggered, err := topology.ReadTimes("t.csv", []byte(test.text), 3)
		if err != nil || staggered != test.staggered {
			t.Fatalf("%q: %v, %v", test.text, staggered, err)
		}
		for k, node := range []messages.NodeID{0, 2} {
			if got := sending(times, node, 9); !slices.Equal(got, test.want[k]) {
				t.Errorf("%q: node %d sends in %v, want %v", test.text, node+1, got, test.want[k])
			}
		}
	}
	for text, want := range map[string]string{
		"":                           "t.csv:1:1: no steps",
		"step\n":                     "t.csv:1:1: no steps",
		"time\n1\n":                  "t.csv:1:1: header is \"time\"",
		"step\n1\n0\n":               "t.csv:3:1: step is \"0\"",
		"step,node\n1,4\n":           "t.csv:2:3: node is \"4\", want a whole number from 1 to 3",
		"step,node\n1,1\n2\n":        "t.csv:3:1: wrong number of fields",
		"step\n5\n3\n3\n999\n":       "t.csv:3:1: step 3 comes after step 5; want steps in their order\nt.csv:4:1: step 3 is there before",
		"step,node\n1,1\n1,2\n1,1\n": "t.csv:4:1: step 1, node 1 is there before",
	} {
		if _, _, err := topology.ReadTimes("t.csv", []byte(text), 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzReadTimes(f *testing.F) {
	f.Add("step,node\n1,2\n")
	f.Fuzz(func(t *testing.T, text string) {
		times, _, err := topology.ReadTimes("t.csv", []byte(text), 3)
		var fault *topology.FileError
		if (times == nil) != (err != nil) || err != nil && !errors.As(err, &fault) {
			t.Errorf("%v, %v", times, err)
		}
	})
}
