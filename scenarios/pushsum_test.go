package scenarios_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/lockstep"
	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios"
	"starling/scenarios/gauge"
	"starling/scenarios/jobs"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// pushing is base by push-sum on random digraphs, redrawn in every step, whose
// columns alone sum to 1.
var pushing = []string{
	"nodes=23", "horizon=25", "algorithm.consensus=push-sum",
	"topology={kind: k-out, degree: 2, directed: true, every: 1, weighting: {scheme: uniform-out, self_loops: true}}",
}

// Push-sum gives one digest in both runtimes and over any number of shards, with
// and without effects of the network, and its messages have one number more.
func TestDigestOfPushSum(t *testing.T) {
	for name, network := range map[string]string{
		"ideal": "{kind: ideal}",
		"late":  "{kind: effects, delay: {longest: 3}}",
		"lossy": "{kind: effects, loss: {probability: 0.3}, churn: {fail: 0.05, recover: 0.5, forget: true}}",
	} {
		for _, missing := range []string{"drop", "renormalise", "hold"} {
			s := loadText(t, base, append(pushing, "network="+network, "algorithm.missing="+missing)...)
			want := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
			for _, shards := range []int{1, 3} {
				if got := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: shards}).Digest; got != want.Digest {
					t.Errorf("%s, %s, %d shards: %s, lockstep %s", name, missing, shards, got, want.Digest)
				}
			}
			sent := map[string]float64{}
			for _, row := range want.Rows {
				if row.Node == nil && row.Step == 25 {
					sent[row.Metric] = row.Value
				}
			}
			// A header of 5 bytes, two coordinates and a mass.
			if bytes := sent[gauge.BytesSent]; bytes != sent[gauge.MessagesSent]*(5+3*8) || bytes == 0 {
				t.Errorf("%s: %v bytes in %v messages", name, bytes, sent[gauge.MessagesSent])
			}
		}
	}
}

// Every consensus takes the weights it is for, and refuses others, at load.
func TestWeightsOfConsensus(t *testing.T) {
	const (
		columns = "row 1 sums to 1.5, want 1 within 1e-09"
		rows    = "column 1 sums to 1.5, want 1 within 1e-09"
		wants   = "push-sum needs columns that sum to 1, as uniform-out makes them"
	)
	for _, test := range []struct {
		consensus, topology string
		want                []string
	}{
		{"push-sum", "{kind: matrices, matrices: [[[0.5, 1, 0], [0.5, 0, 0], [0, 0, 1]]], weights: unchecked}", nil},
		{"push-sum", "{kind: matrices, matrices: [[[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]]]}", nil},
		{"push-sum", "{kind: matrices, matrices: [[[0, 1, 0.5], [1, 0, 0], [0, 0, 0.5]]], weights: unchecked}", nil},
		{"push-sum", "{kind: matrices, matrices: [[[0.5, 0.5, 0], [1, 0, 0], [0, 0, 1]]]}", []string{"topology.matrices[0]: " + rows}},
		{"push-sum", "{kind: matrices, matrices: [[[0.5, 0.5, 0], [1, 0, 0], [0, 0, 1]]], weights: unchecked}", []string{"step 1: " + rows, wants}},
		{"push-sum", "{kind: matrices, matrices: [[[0.5, 1, 0.5], [0.5, 0, 0.5], [0, 0, 0]]]}", []string{"topology.matrices[0][2]: row 3 is empty: node 3 hears nobody"}},
		{"average", "{kind: matrices, matrices: [[[0.5, 1, 0], [0.5, 0, 0], [0, 0, 1]]]}", []string{"topology.matrices[0][0]: " + columns}},
		{"average", "{kind: matrices, matrices: [[[0.5, -0.5, 1], [0.5, 0.5, 0], [0, 1, 0]]], weights: unchecked}", []string{"row 1, column 2 is -0.5: negative"}},
		{"average", "{kind: path, directed: true, weighting: {scheme: uniform-out, self_loops: true}}", []string{"row 1 sums to 0.5, want 1"}},
		{"push-sum", "{kind: path, directed: true, weighting: {scheme: uniform-in, self_loops: true}, weights: unchecked}", []string{"column 1 sums to 1.5", wants}},
		{"push-sum", "{kind: path, weighting: {scheme: uniform-out, self_loops: true}, events: [{at: 3, partition: [[1, 2]]}, {at: 6, heal: true}]}", nil},
		{"push-sum", "{kind: path, weighting: {scheme: metropolis}}", nil},
		{"vote", "{kind: path}", []string{`algorithm.consensus: unknown value "vote"; known: average, push-sum`}},
	} {
		_, err := scenarios.Load(baseFile(t, base), parseSets(t, "algorithm.consensus="+test.consensus, "topology="+test.topology)...)
		if (err != nil) != (test.want != nil) {
			t.Errorf("%s, %s: error %v", test.consensus, test.topology, err)
		}
		for _, want := range test.want {
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: %v, want %s", test.consensus, test.topology, err, want)
			}
		}
	}
}

// sabotage is a sequence that shows another graph from a step on, counted from 0.
type sabotage struct {
	topology.Sequence
	from int
	bad  *topology.Graph
}

func (s sabotage) At(step int) *topology.Graph {
	if step >= s.from {
		return s.bad
	}
	return s.Sequence.At(step)
}

func (s sabotage) Period() (int, bool) { return 0, false }

func (s sabotage) Epoch(step int) int {
	if step >= s.from {
		return 1_000_000
	}
	return s.Sequence.Epoch(step)
}

// Weights that go wrong after all checks stop a run of either runtime in the step that
// meets them, with scenario, seed, step and node.
func TestBreachesStopTheRun(t *testing.T) {
	dense := func(rows ...[]float64) *topology.Graph {
		g, err := topology.FromDense(rows)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	half, row, column := []float64{0, 0.5, 0.5}, []float64{0.5, 0.6, 0}, []float64{0.25, 0, 0.5}
	for _, test := range []struct {
		name, consensus string
		bad             *topology.Graph
		want            string
	}{
		{"row", "average", dense(row, half, []float64{0.5, 0, 0.5}),
			"seed 2: step 6, node 1: its weights for the nodes that it hears sum to 1.1, want 1 within 1e-09"},
		{"negative", "average", dense([]float64{1.5, -0.5, 0}, half, []float64{0.5, 0, 0.5}),
			"seed 2: step 6, node 1: the weight it gives node 2 is -0.5, want a number above 0"},
		{"negative", "push-sum", dense([]float64{1.5, -0.5, 0}, half, []float64{0.5, 0, 0.5}),
			"seed 2: step 6, node 1: the weight it gives node 2 is -0.5, want a number above 0"},
		{"column", "push-sum", dense([]float64{0.5, 0.5, 0}, half, column),
			"panic: the masses of step 6 sum to 2.75, want 3: mass is conserved where nothing is lost"},
	} {
		for _, engine := range []runner.Engine{runner.Lockstep, runner.Actors} {
			s := loadText(t, base, "algorithm.consensus="+test.consensus)
			arm := s.Arms[0]
			scenariotest.Rig(arm, nil, func(seed uint64, own func(uint64) (*study.Job, error)) (*study.Job, error) {
				j, err := own(seed)
				if err == nil && seed == 2 {
					j.Run.Graphs = sabotage{j.Run.Graphs, 4, test.bad}
				}
				return j, err
			})
			store, err := checkpoint.Open(t.TempDir(), runner.Identity(s, ""))
			if err != nil {
				t.Fatal(err)
			}
			var failed error // of an arm that is left out
			err = runner.RunJobs(s, t.Context(), runner.RunOptions{Engine: engine}, store, zerolog.Nop(), func(r *jobs.Result) error {
				if r.Failure != nil {
					failed = fmt.Errorf("scenario %s, %s", s.Name, r.Failure.String())
				}
				return nil
			})
			store.Close()
			if err == nil {
				err = failed
			}
			got := ""
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, test.want) || !strings.HasPrefix(got, "scenario base, arm base, seed 2: ") {
				t.Errorf("%s, %s, %s: error %v, want %s", test.name, test.consensus, engine, err, test.want)
			}
		}
	}
}

// Theorem 2 says nothing of a run with effects of the network, by push-sum, or on
// weights that are not doubly stochastic; it does of one whose effects are none.
func TestTheorem2IsUndefinedBeyondItsAssumptions(t *testing.T) {
	value := func(text string, overrides ...string) (note string, codes []string) {
		arm := loadText(t, text, overrides...).Arms[0]
		j, err := arm.Algorithm.Job(1)
		if err != nil {
			t.Fatal(err)
		}
		notes, warnings := study.RemarksOf(arm, j)
		for _, n := range notes {
			if n.Key == "theorem-2" {
				note = n.Value
			}
		}
		for _, w := range warnings {
			codes = append(codes, w.Code)
		}
		return note, codes
	}
	const effects = "does not apply: Theorem 2 assumes a network without losses, delays and nodes that are down"
	for _, test := range []struct {
		overrides []string
		want      string
		codes     string
	}{
		{nil, "", ""},
		{[]string{"network={kind: ideal}"}, "", ""},
		{[]string{"network={kind: effects}"}, "", ""},
		{[]string{"network={kind: effects, loss: {probability: 0.1}}"}, effects, ""},
		{[]string{"network={kind: effects, delay: {turns: 1}}"}, effects, ""},
		{[]string{"network={kind: effects, churn: {fail: 0.1, recover: 0.5}}"}, effects, ""},
		{[]string{"network={kind: effects, events: [{at: 3, crash: [1]}]}"}, effects, ""},
		{[]string{"algorithm.consensus=push-sum"}, "does not apply: Theorem 2 assumes doubly stochastic weights, not push-sum", "leaves-paper"},
		{[]string{"algorithm.consensus=push-sum", "network={kind: effects, loss: {probability: 0.1}}"}, "does not apply: Theorem 2 assumes doubly stochastic weights, not", "leaves-paper mass-lost"},
		{[]string{"algorithm.consensus=push-sum", "algorithm.missing=renormalise", "network={kind: effects, loss: {probability: 0.1}}"}, "does not apply: Theorem 2 assumes doubly stochastic weights, not", "leaves-paper"},
		{[]string{"topology={kind: path, weighting: {scheme: uniform-in, self_loops: true}, weights: unchecked}"},
			"does not apply: Theorem 2 assumes doubly stochastic weights, and in step 1: column 1 sums to 0.8333333333333333", ""},
	} {
		got, codes := value(base, test.overrides...)
		if test.want == "" && (got == "" || strings.Contains(got, "does not apply")) || !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: theorem-2 is %q, want %q", test.overrides, got, test.want)
		}
		if strings.Join(codes, " ") != test.codes {
			t.Errorf("%s: warnings %v, want %s", test.overrides, codes, test.codes)
		}
	}
}

// Sensors that go with a geometric topology measure from the very places that its
// graphs are drawn from: the gradient of a sensor is 0 where it stands, and there
// alone.
func TestSensorsGoWithTheTopology(t *testing.T) {
	const nodes, steps = 9, 12
	moving := "topology={kind: geometric, radius: 0.4, speed_min: 0.02, speed_max: 0.1, weights: unchecked}"
	sensors := "problem.sensors={topology: {low: [-4, -2], high: [4, 6]}}"
	text := edited(t, base, "{circle: {radius: 4}}", "{topology: {low: [-4, -2], high: [4, 6]}}")
	s := loadText(t, text, "nodes=9", "horizon=12", moving)
	for seed := uint64(1); seed <= 3; seed++ {
		places, err := topology.Geometric{Nodes: nodes, Radius: 0.4, SpeedMin: 0.02, SpeedMax: 0.1, Seed: seed}.Places(steps)
		if err != nil {
			t.Fatal(err)
		}
		instance, err := s.Arms[0].Problem.Draw(seed, steps)
		if err != nil {
			t.Fatal(err)
		}
		for step := range steps {
			for node := range nodes {
				k := 2 * (step*nodes + node)
				at, pull := []float64{-4 + 8*places[k], -2 + 8*places[k+1]}, make([]float64, 2)
				instance.Gradient(pull, messages.NodeID(node), step+1, at)
				if pull[0] != 0 || pull[1] != 0 {
					t.Fatalf("seed %d, step %d, node %d: a gradient of %v at its place", seed, step+1, node+1, pull)
				}
				at[0] += 1e-9
				instance.Gradient(pull, messages.NodeID(node), step+1, at)
				if pull[0] == 0 && pull[1] == 0 {
					t.Fatalf("seed %d, step %d, node %d: no gradient beside its place", seed, step+1, node+1)
				}
			}
		}
	}
	want := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Digest
	if got := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 3}).Digest; got != want {
		t.Errorf("actors %s, lockstep %s", got, want)
	}
	for _, other := range []string{"{kind: path}", "{kind: cycle, every: 1, parts: [{kind: geometric, radius: 0.4}], weighting: {scheme: metropolis}, weights: unchecked}"} {
		_, err := scenarios.Load(baseFile(t, base), parseSets(t, "topology="+other, sensors)...)
		if err == nil || !strings.Contains(err.Error(), "problem.sensors.topology: the nodes of this topology are nowhere; want one of kind geometric") {
			t.Errorf("%s: %v", other, err)
		}
	}
	_, err := scenarios.Load(baseFile(t, base), parseSets(t, "nodes=20000", "horizon=10000", "measure.nodes=1", strings.Replace(moving, "0.4", "0.001", 1), sensors)...)
	if err == nil || !strings.Contains(err.Error(), "problem.sensors.topology: 20000 places over 10000 steps; want at most 67108864 coordinates") {
		t.Errorf("a long run of many sensors: %v", err)
	}
}

// massMeter adds up the masses of nodes by step.
type massMeter struct {
	algorithm.ExposureMeter
	of map[int]float64
}

// Recorded implements algorithm.Meter.
func (m *massMeter) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	if quantity == inbox.QuantityMass {
		m.of[step] += value
	}
	m.ExposureMeter.Recorded(node, step, quantity, value)
}

// A node that is down keeps its own mass: with running sums no mass is lost, and a run whose
// messages wait for nobody while one node is down is, up to rounding, the run in which they wait.
func TestRunningSumsOutlastOutages(t *testing.T) {
	for name, events := range map[string]string{
		"one":         "[{at: 5, until: 11, crash: [2]}]",
		"one twice":   "[{at: 5, until: 11, crash: [2]}, {at: 12, until: 13, crash: [2]}]",
		"several":     "[{at: 5, until: 11, crash: [2]}, {at: 8, until: 15, crash: [1, 3, 5]}]",
		"all but one": "[{at: 5, until: 11, crash: [1, 2, 3, 4, 5]}]",
		"all":         "[{at: 5, until: 9, crash: [1, 2, 3, 4, 5, 6]}]",
	} {
		for _, algorithm := range []string{
			"{kind: sgp, learning_rate: 0.2, missing: running-sum}",
			"{kind: push-diging, learning_rate: 0.05, missing: running-sum}",
			"{kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}, theta: 5, consensus: push-sum, missing: running-sum}",
		} {
			values := func(more string) (list []float64) {
				text := strings.Replace(drawnGraphs(algorithm, "{kind: exponential, weighting: {scheme: uniform-out, self_loops: true}}"), "every: 6", "every: 1, metrics: [loss.mean, consensus.error]", 1)
				s := loadText(t, text, "nodes=6", "horizon=24", "network={kind: effects, events: "+events+more+"}")
				job := scenariotest.JobOf(t, s)
				masses := &massMeter{job.Meter, map[int]float64{}}
				job.Run.Meter = masses
				if err := lockstep.Run(t.Context(), &job.Run); err != nil {
					t.Fatalf("%s, %s: %v", name, algorithm, err)
				}
				if got := masses.of[24]; math.Abs(got-6) > 1e-9 {
					t.Errorf("%s, %s%s: the masses of 6 nodes sum to %v in the end", name, algorithm, more, got)
				}
				for _, row := range metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows {
					list = append(list, row.Value)
				}
				return list
			}
			at, waited := values(""), values(", patience: 24")
			if !strings.HasPrefix(name, "one") {
				continue // what a node has sent before it is down waits, or is not there until it sends again
			}
			for k := range at {
				if math.Abs(at[k]-waited[k]) > 1e-9*(1+math.Abs(waited[k])) {
					t.Errorf("%s, %s: value %d is %v, and %v where messages wait", name, algorithm, k, at[k], waited[k])
					break
				}
			}
		}
	}
}
