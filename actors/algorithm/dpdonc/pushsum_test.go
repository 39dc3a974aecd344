package dpdonc_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/inbox"
	"starling/actors/algorithm/mirror"
	"starling/actors/algorithmtest"
	"starling/actors/network"
	"starling/actors/topology"
	"starling/mechanisms/rng"
	"starling/messages"
)

// pushed are options with push-sum.
func pushed(o dpdonc.Options) dpdonc.Options {
	o.Consensus = dpdonc.ConsensusPushSum
	return o
}

// ledgerOfMass is a diary that keeps masses too, by step and node.
type ledgerOfMass struct {
	*algorithmtest.Diary
	masses map[int]map[messages.NodeID]float64
}

func newLedgerOfMass(nodes int) ledgerOfMass {
	return ledgerOfMass{algorithmtest.NewDiary(nodes), map[int]map[messages.NodeID]float64{}}
}

func (l ledgerOfMass) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	if quantity != inbox.QuantityMass {
		return
	}
	if l.masses[step] == nil {
		l.masses[step] = map[messages.NodeID]float64{}
	}
	l.masses[step][node] = value
}

// withMasses runs to the end and returns what was played and what was held.
func withMasses(t algorithmtest.Fataler, r *algorithm.Run) ledgerOfMass {
	l := newLedgerOfMass(len(r.Machines))
	r.Meter = l
	if err := algorithmtest.Lockstep(r); err != nil {
		t.Fatalf("run: %v", err)
	}
	return l
}

// On doubly stochastic weights push-sum is Algorithm 1: the same decisions up to
// rounding, the same losses, and masses of 1.
func TestPushSumIsAveragingOnDoublyStochasticWeights(t *testing.T) {
	const steps = 60
	for base, o := range bases() {
		cost := algorithm.Costs(gradients(ranging))
		if o.Set.Dim() != 2 {
			cost = constant(1, -2, 0.5)
		}
		want, got := runLockstep(t, spec(o, cost, steps)), withMasses(t, spec(pushed(o), cost, steps))
		for i := range want.Decisions {
			for step, x := range want.Decisions[i] {
				for k := range x {
					if d := math.Abs(x[k] - got.Decisions[i][step][k]); !(d <= 1e-12) {
						t.Fatalf("%s, step %d, node %d: played %v, averaging %v", base, step+1, i+1, got.Decisions[i][step], x)
					}
				}
				if mass := got.masses[step+1][messages.NodeID(i)]; !(math.Abs(mass-1) <= 1e-12) {
					t.Fatalf("%s, step %d, node %d: the mass is %v", base, step+1, i+1, mass)
				}
			}
			if !slices.Equal(want.Losses[i], got.Losses[i]) {
				t.Errorf("%s, node %d: losses differ", base, i+1)
			}
		}
	}
}

// columns draws a column-stochastic matrix, a[i][j] what i gives j, with edges at
// random on top of self-loops.
func columns(t *rapid.T, n int) [][]float64 {
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
	}
	for j := range n {
		sum := 0.0
		for i := range n {
			if i == j || rapid.Bool().Draw(t, "edge") {
				a[i][j] = rapid.Float64Range(0.1, 1).Draw(t, "weight")
				sum += a[i][j]
			}
		}
		for i := range n {
			a[i][j] /= sum
		}
	}
	return a
}

// Push-sum typed anew with dense matrices: numerators with noise and masses are
// multiplied by A(t), divided, and stepped from by alpha_t over the mass; the
// projection is by bisection. Any column-stochastic matrices, with noise.
func TestPushSumTranscription(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n, d, steps = 6, 2, 25
		o := pushed(printedOptions())
		o.Calibration.Level = rapid.SampledFrom([]float64{1, 20, math.Inf(1)}).Draw(t, "epsilon")
		matrices := [][][]float64{columns(t, n), columns(t, n)}
		r := spec(o, gradients(ranging), steps)
		r.Graphs = must(topology.NewPeriodic(must(topology.FromDense(matrices[0])), must(topology.FromDense(matrices[1]))))
		got := withMasses(t, r)

		var x [n][d]float64
		w := [n]float64{1, 1, 1, 1, 1, 1}
		for step := 1; step < steps; step++ {
			alpha := 1 / (n * math.Sqrt(float64(step)))
			scale := 2 * math.Sqrt(d) * alpha * o.Theta / o.Calibration.Level
			var numerators [n][d]float64
			for i := range n {
				stream := new(rng.Stream).Open(rng.NewKey(r.Seed, o.NoisePurpose), i, step, 0)
				for k := range d {
					numerators[i][k] = w[i] * x[i][k]
					if !math.IsInf(o.Calibration.Level, 1) {
						numerators[i][k] += scale * stream.Laplace()
					}
				}
			}
			var next [n][d]float64
			var masses [n]float64
			for i := range n {
				var sum, gradient [d]float64
				ranging(gradient[:], messages.NodeID(i), step, x[i][:])
				for j := range n {
					masses[i] += matrices[(step-1)%2][i][j] * w[j]
					for k := range d {
						sum[k] += matrices[(step-1)%2][i][j] * numerators[j][k]
					}
				}
				next[i] = projectL1([2]float64{
					(sum[0] - alpha*gradient[0]) / masses[i],
					(sum[1] - alpha*gradient[1]) / masses[i],
				}, 3)
			}
			x, w = next, masses
			for i := range n {
				for k := range d {
					if e := math.Abs(got.Decisions[i][step][k] - x[i][k]); !(e <= 1e-9) {
						t.Fatalf("step %d, node %d: played %v, want %v", step+1, i+1, got.Decisions[i][step], x[i])
					}
				}
				if e := math.Abs(got.masses[step+1][messages.NodeID(i)] - w[i]); !(e <= 1e-12) {
					t.Fatalf("step %d, node %d: mass %v, want %v", step+1, i+1, got.masses[step+1][messages.NodeID(i)], w[i])
				}
			}
		}
	})
}

// squares are the costs (x - c_i)^2/2 of one dimension.
func squares(centers []float64) gradients {
	return func(dst []float64, node messages.NodeID, _ int, x []float64) { dst[0] = x[0] - centers[node] }
}

// unbalanced is a strongly connected digraph on which no weights are doubly
// stochastic: the edge from node 1 to node 3 is in no perfect matching.
var unbalanced = []topology.Edge{{From: 0, To: 1, Weight: 1}, {From: 0, To: 2, Weight: 1}, {From: 1, To: 2, Weight: 1}, {From: 2, To: 0, Weight: 1}}

// On a digraph that cannot be balanced push-sum goes to the minimiser of the sum
// of all costs, the mean of the centres, and averaging with row-stochastic
// weights to another, which weighs the costs by the stationary distribution. The
// step sizes 1/sqrt t make the distance from the limit at step t some
// multiple of 1/sqrt t: 0.02 at 50,000 steps is far above it, and far below the
// bias of averaging.
func TestPushSumIsUnbiasedWhereAveragingIsNot(t *testing.T) {
	const steps = 50_000
	centers := []float64{-2, 2.1, 0.5}
	pattern := must(topology.FromEdges(3, unbalanced))
	var support *topology.SupportError
	if _, err := (topology.Weighting{Scheme: topology.Sinkhorn}).Apply(pattern); !errors.As(err, &support) {
		t.Fatalf("the digraph can be balanced: %v", err)
	}
	o := printedOptions()
	o.Nodes, o.Set, o.Start = 3, must(mirror.NewL1Ball(1, 3, nil)), []float64{0}
	o.Step, o.Calibration.Level = dpdonc.StepSize{Scale: 1, Unscaled: true}, math.Inf(1)
	last := func(o dpdonc.Options, scheme topology.Scheme) (x [3]float64) {
		r := spec(o, squares(centers), steps)
		r.Graphs = topology.Static(must(topology.Weighting{Scheme: scheme}.Apply(pattern)))
		d := runLockstep(t, r)
		for i := range x {
			x[i] = d.Decisions[i][steps-1][0]
		}
		return x
	}
	// pi A = pi for A with row 1 = (0, 0, 1), row 2 = (1, 0, 0) and row 3 =
	// (1/2, 1/2, 0): pi_1 = pi_2 + pi_3/2, pi_2 = pi_3/2, pi_3 = pi_1.
	mean := (centers[0] + centers[1] + centers[2]) / 3
	stationary := 0.4*centers[0] + 0.2*centers[1] + 0.4*centers[2]
	for i, x := range last(pushed(o), topology.UniformOut) {
		if !(math.Abs(x-mean) <= 0.02) {
			t.Errorf("push-sum, node %d: %v, want %v", i+1, x, mean)
		}
	}
	for i, x := range last(o, topology.UniformIn) {
		if !(math.Abs(x-stationary) <= 0.02) || math.Abs(x-mean) < 0.1 {
			t.Errorf("averaging, node %d: %v, want %v", i+1, x, stationary)
		}
	}
}

// Two costs move the numerators w' x' of the next release by no more than (8),
// whatever masses arrive: the noise, whose scale does not know the masses, covers
// what it covers with averaging.
func TestSensitivityOfPushSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := pushed(printedOptions())
		o.Nodes = 1
		o.Set = must(mirror.NewL1Ball(2, rapid.Float64Range(0.1, 5).Draw(t, "radius"), nil))
		inbox := inboxOf(
			rapid.SliceOfN(rapid.Float64Range(0.05, 1), 2, 2).Draw(t, "weights"),
			append(entries(2, 10).Draw(t, "n_1"), rapid.Float64Range(0.01, 3).Draw(t, "w_1")),
			append(entries(2, 10).Draw(t, "n_2"), rapid.Float64Range(0.01, 3).Draw(t, "w_2")),
		)
		mass := 0.0
		for _, e := range inbox {
			mass += e.Weight * e.Payload.(*messages.Vector).Values[2]
		}
		next := func(name string) []float64 {
			g := entries(2, o.Theta/math.Sqrt2).Draw(t, name)
			return solo(t, must(dpdonc.New(o))[0], constant(g...), [][]messages.Envelope{nil, inbox})[1]
		}
		moved := mass * norm(1, minus(next("g"), next("g'")))
		if _, bound := o.Release(2); moved > bound.L1*(1+1e-9) {
			t.Fatalf("the numerators move by %v, over %v, at mass %v", moved, bound.L1, mass)
		}
	})
}

// Without losses mass is conserved, what is on its way included, however late it
// comes.
func TestMassIsConservedUnderDelay(t *testing.T) {
	const steps, n = 80, 6
	matrix := must(topology.Weighting{Scheme: topology.UniformOut, SelfLoops: true}.Apply(must(topology.FromEdges(n, []topology.Edge{
		{From: 0, To: 1, Weight: 1}, {From: 0, To: 2, Weight: 1}, {From: 0, To: 3, Weight: 1}, {From: 1, To: 2, Weight: 1},
		{From: 2, To: 3, Weight: 1}, {From: 3, To: 4, Weight: 1}, {From: 4, To: 5, Weight: 1}, {From: 5, To: 0, Weight: 1}, {From: 5, To: 2, Weight: 1},
	}))))
	o := pushed(printedOptions())
	o.Late = algorithm.LateUse
	r := spec(o, gradients(ranging), steps)
	r.Graphs = topology.Static(matrix)
	effects := must(network.New(network.Options{Nodes: n, Seed: 4, Delay: network.Uniform{Longest: 5}}))
	r.Network = effects
	masses := withMasses(t, r).masses
	late := 0
	for turn := 1; turn < steps; turn++ {
		total := 0.0
		for i := range messages.NodeID(n) {
			total += masses[turn+1][i] // step turn+1 is turn turn
			from, weights := matrix.In(i)
			for sent := range turn {
				for k, j := range from {
					if delay, _ := effects.Fate(j, i, sent); sent+1+delay > turn {
						total += weights[k] * masses[sent+1][j]
						late++
					}
				}
			}
		}
		if !(math.Abs(total-n) <= 1e-12*n) {
			t.Fatalf("turn %d: nodes and network have a mass of %v, want %d", turn, total, n)
		}
	}
	if late == 0 {
		t.Error("nothing was late")
	}
}

// Where all nodes agree and there is nothing to learn, ratios stay what they are
// whatever is lost, late or down, by every rule; sums that are not divided shrink
// to nothing.
func TestLossesDoNotBiasPushSum(t *testing.T) {
	const steps = 120
	o := printedOptions()
	o.Calibration.Level, o.Start = math.Inf(1), []float64{1, -0.5}
	still := constant(0, 0)
	for rule, o := range rules(pushed(o)) {
		r := spec(o, still, steps)
		r.Network = troubled(t)
		l := withMasses(t, r)
		for i, decisions := range l.Decisions {
			for k, x := range decisions {
				if norm(2, minus(x, o.Start)) > 1e-9 {
					t.Fatalf("%s, node %d, decision %d: %v, want %v", rule, i+1, k+1, x, o.Start)
				}
			}
		}
		total := 0.0
		for _, mass := range l.masses[steps] {
			total += mass
		}
		dropped := o.Missing == "" || o.Missing == inbox.MissingDrop
		if shrunk := total < 1e-3; shrunk != dropped || !(total > 0 && total < 600) {
			t.Errorf("%s: a mass of %v is left", rule, total)
		}
	}
	o.Missing = inbox.MissingDrop
	r := spec(o, still, steps)
	r.Network = troubled(t)
	if x := runLockstep(t, r).Decisions[0][steps-1]; norm(2, x) > 1e-3 {
		t.Errorf("plain sums with losses are %v after %d steps, want nearly 0", x, steps)
	}
}

// A node that nothing reaches, not even what it sent itself, goes on from its own
// last release; and a run that has dropped nearly all mass fails rather than
// dividing by nothing.
func TestPushSumWithoutMass(t *testing.T) {
	for base, o := range bases() {
		for rule, o := range rules(pushed(o)) {
			r := spec(o, constant(make([]float64, o.Set.Dim())...), 40)
			r.Network = must(network.New(network.Options{Nodes: 6, Loss: network.Independent{Probability: 1}}))
			for i, decisions := range withMasses(t, r).Decisions {
				for step, x := range decisions {
					if v := o.Set.Violation(x); !(v < 1e-9) {
						t.Fatalf("%s, %s, step %d, node %d: %v is outside the set by %v", base, rule, step+1, i+1, x, v)
					}
				}
			}
		}
	}
	o := pushed(printedOptions())
	r := spec(o, gradients(ranging), 3000)
	ring := must(topology.Ring{Nodes: 6}.Sequence()) // half of the weight on the node itself
	r.Graphs, r.Meter = ring, algorithmtest.NewDiary(6)
	r.Network = must(network.New(network.Options{Nodes: 6, Loss: network.Independent{Probability: 1}}))
	err := algorithmtest.Lockstep(r)
	// Masses halve in a step: 2^-665 is the first below 1e-200.
	if err == nil || !strings.HasPrefix(err.Error(), "step 666, node 1: the mass of push-sum is down to 6.5") {
		t.Errorf("error %v", err)
	}
}

// Weights that are no numbers above 0, and rows that do not sum to 1 where they
// are to, stop the run at the step and node that meets them.
func TestBreachesOfWeights(t *testing.T) {
	sabotaged := func(change func(row []float64)) topology.Sequence {
		a1, _, _ := topology.Printed()
		good := must(topology.FromDense(a1))
		change(a1[2])
		bad := must(topology.FromDense(a1))
		return must(topology.NewPeriodic(good, good, good, bad))
	}
	for _, test := range []struct {
		name   string
		change func(row []float64)
		want   string
	}{
		{"negative", func(row []float64) { row[1], row[2] = -0.5, 1.5 }, "step 5, node 3: the weight it gives node 2 is -0.5, want a number above 0"},
		{"row", func(row []float64) { row[1] = 0.6 }, "step 5, node 3: its weights for the nodes that it hears sum to 1.1, want 1 within 1e-09"},
		{"deaf", func(row []float64) { clear(row) }, "step 5, node 3: its weights for the nodes that it hears sum to 0, want 1 within 1e-09"},
	} {
		o := printedOptions()
		o.AverageRows = true
		r := spec(o, gradients(ranging), 12)
		r.Graphs, r.Meter = sabotaged(test.change), algorithmtest.NewDiary(6)
		if err := algorithmtest.Lockstep(r); err == nil || err.Error() != test.want {
			t.Errorf("%s: error %v, want %s", test.name, err, test.want)
		}
	}
}

// A run of push-sum that goes on from a state ends as one that never paused, and
// no shorter or longer state is taken for one.
func TestPushSumResumes(t *testing.T) {
	for rule, o := range rules(pushed(printedOptions())) {
		start := func() *algorithm.Run {
			r := spec(o, gradients(ranging), 20)
			r.Network, r.Meter = troubled(t), algorithmtest.NewDiary(6)
			return r
		}
		var saved []byte
		straight := start()
		straight.Pauses = algorithm.Pauses{Every: 11, Save: func(s *algorithm.State) error {
			saved = messages.Write(nil, straight.At(s))
			return nil
		}}
		if err := algorithmtest.Lockstep(straight); err != nil {
			t.Fatal(err)
		}
		resumed := start()
		if err := messages.Read(saved, resumed.At(nil)); err != nil {
			t.Fatal(err)
		}
		if err := algorithmtest.Lockstep(resumed); err != nil {
			t.Fatal(err)
		}
		for i, m := range straight.Machines {
			state := messages.Write(nil, m)
			if !bytes.Equal(state, messages.Write(nil, resumed.Machines[i])) {
				t.Errorf("%s: node %d ends differently", rule, i+1)
			}
			if messages.Read(state[:len(state)-8], m) == nil || messages.Read(append(slices.Clone(state), 0), m) == nil {
				t.Errorf("%s: node %d takes a state of another length", rule, i+1)
			}
		}
	}
}

// A message of push-sum has one number more, which is the mass as it is: 8 bytes.
func TestMessageOfPushSum(t *testing.T) {
	b := newBench(spec(pushed(printedOptions()), gradients(ranging), 5))
	plain := newBench(spec(printedOptions(), gradients(ranging), 5))
	for range 4 {
		b.turn(t)
		plain.turn(t)
		for i, v := range b.sent {
			if got := v.WireSize() - plain.sent[i].WireSize(); got != 8 || v.Exposure == messages.Raw {
				t.Fatalf("%d bytes more, exposure %v", got, v.Exposure)
			}
			if mass := algorithmtest.Quantity(b.run.Machines[i], inbox.QuantityMass); mass[0] != v.Values[2] {
				t.Errorf("node %d sent a mass of %v and has %v", i+1, v.Values[2], mass)
			}
		}
	}
}
