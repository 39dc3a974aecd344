package scenarios_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// staggeredText is a scenario of three groups of nodes that send in steps of their own: in 100 steps
// each node makes 10 releases.
const staggeredText = `version: 1
name: staggered
horizon: 100
nodes: 16
algorithm: {kind: dsgd, learning_rate: 0.2}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 2, radius: 2}}
topology: {kind: torus, sides: [4, 4], schedule: {every: 10, offsets: [0, 3, 5]}, weighting: {scheme: uniform-in, self_loops: true}, weights: unchecked}
mechanism: {kind: independent, epsilon: 8, delta: 1e-5}
seeds: {base: 1, count: 1}
plots: []
`

// staggeredBudgets are mechanisms with one budget for a run, and the epsilons that the dearest node
// of the first two and of the others has to meet.
var staggeredBudgets = []struct {
	name, keys   string
	first, other float64
}{
	{"one", "", 8, 8},
	{"group", "groups: [{first: 1, last: 6, epsilon: 8}]", 8, 8},
	{"two groups", "groups: [{first: 1, last: 2, epsilon: 2}]", 2, 8},
	{"over time", "over_time: {law: inverse-sqrt}", 8, 0},
	{"groups over time", "groups: [{first: 1, last: 2, epsilon: 2}], over_time: {law: list, values: [" + strings.Repeat("3, 1, ", 49) + "3, 1]}", 2, 8},
}

// staggeredCases are overrides of staggeredText that change the steps of the releases.
func staggeredCases(t *testing.T) map[string][]string {
	list := filepath.Join(t.TempDir(), "contacts.csv")
	if err := os.WriteFile(list, []byte(contacts), 0o644); err != nil {
		t.Fatal(err)
	}
	return map[string][]string{
		"offsets": nil,
		"each":    {"topology.schedule={probability: 0.2, each: true}"},
		"clocks":  {"topology.schedule={clocks: [1, 2]}"},
		"contacts": {"nodes=6", "horizon=9",
			"topology={kind: edge-list, file: " + list + ", weights: unchecked, weighting: {scheme: uniform-in, self_loops: true}}"},
		"mirror": {"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}"},
	}
}

// The dearest node of those with one epsilon meets it, no node exceeds it, and the plan has the most
// that a node pays.
func TestBudgetsOfNodesApart(t *testing.T) {
	for name, overrides := range staggeredCases(t) {
		for i, test := range staggeredBudgets {
			if !testneeds.Some(i, 2) {
				continue
			}
			t.Run(name+" "+test.name, func(t *testing.T) {
				all := append([]string{"mechanism={kind: independent, epsilon: 8, delta: 1e-5, " + test.keys + "}"}, overrides...)
				first, other := 0.0, 0.0
				s := loadText(t, staggeredText, all...)
				_, j := scenariotest.SentBy(t, s, 0, 1)
				for node, epsilon := range scenariotest.FinalRows(t, s.Arms[0], j)[accountant.Peer] {
					if node <= 2 {
						first = max(first, epsilon)
					} else {
						other = max(other, epsilon)
					}
				}
				met := func(got, want float64) bool { return math.Abs(got/want-1) < 1e-6 }
				if test.first == test.other && met(max(first, other), test.first) { // one group
					return
				}
				if !met(first, test.first) && !(test.other == 0 && met(other, test.first)) {
					t.Errorf("the first nodes pay %v, want %v", first, test.first)
				}
				if test.other > 0 && !met(other, test.other) {
					t.Errorf("the other nodes pay %v, want %v", other, test.other)
				}
			})
		}
	}
}

func TestDigestsOfNodesApart(t *testing.T) {
	for name, overrides := range staggeredCases(t) {
		for _, test := range staggeredBudgets {
			s := loadText(t, staggeredText, append([]string{"mechanism={kind: independent, epsilon: 8, delta: 1e-5, " + test.keys + "}"}, overrides...)...)
			digests := map[string]string{}
			for _, o := range scenariotest.SomeEngines(s) {
				digests[metricsOf(t, s, o).Digest] = fmt.Sprintf("%+v", o)
			}
			if len(digests) != 1 {
				t.Errorf("%s, %s: digests %v", name, test.name, digests)
			}
		}
	}
}

// Of contacts node 1 makes 3 releases and node 2 makes 2: with 4 times the epsilon node 2 pays the
// most, 8 epsilon against 3, and a budget that is spread is all its own.
func TestBudgetSpreadOfNodesApart(t *testing.T) {
	for _, mechanism := range []string{"{kind: laplace, epsilon: 1, ", "{kind: gaussian, epsilon: 1, delta: 1e-5, "} {
		for group, dearest := range map[string]int32{"epsilon: 4": 2, "epsilon: 1.1": 1} {
			overrides := append(staggeredCases(t)["contacts"], "mechanism="+mechanism+"groups: [{first: 2, last: 2, "+group+"}]}", "budget={epsilon: 48, delta: 1e-5, on: spread}")
			s := loadText(t, staggeredText, overrides...)
			_, j := scenariotest.SentBy(t, s, 0, 1)
			rows := scenariotest.FinalRows(t, s.Arms[0], j)[accountant.Peer]
			for node, epsilon := range rows {
				if epsilon > rows[dearest] {
					t.Errorf("%s%s: node %d pays %v, and node %d pays %v", mechanism, group, node, epsilon, dearest, rows[dearest])
				}
			}
			if got := rows[dearest]; !(got <= 48 && got > 48-1e-3) {
				t.Errorf("%s%s: node %d pays %v of 48", mechanism, group, dearest, got)
			}
		}
	}
}

// An audit of groups that send apart, with one budget for a run, refutes nothing.
func TestAuditsOfNodesApart(t *testing.T) {
	s := loadText(t, staggeredText, "horizon=12", "topology.schedule={every: 3, offsets: [0, 1]}", "algorithm={kind: dsgd, learning_rate: 0.2, theta: 1, gradient_bound: clip}",
		"mechanism={kind: independent, epsilon: 8, delta: 1e-5, groups: [{first: 1, last: 2, epsilon: 2}], over_time: {law: inverse-sqrt}}")
	for _, a := range scenariotest.AuditIn(t, s, scenariotest.AuditOptions(256)) {
		if a.Refuted() || !a.NoiseAsStated() {
			t.Errorf("%s, %s: accounted %v, audited %v", a.Mechanism, a.Inputs, a.Accounted, a.Audited)
		}
	}
}

// The time of a mesh whose steps are ticks of clocks is the sum of their times, at every record, for nodes that
// send and for pairs that exchange; other schedules have none.
func TestTimesOfTicks(t *testing.T) {
	const clocks = "{clocks: [1, 2]}"
	for drawn, rates := range map[string][]float64{
		"topology.schedule=" + clocks:                            {1, 2},
		"topology={kind: matching, every: 1, clocks: [1, 2, 4]}": {1, 2, 4},
		"topology.schedule={probability: 0.5, each: true}":       nil,
	} {
		s := scenariotest.LoadText(t, staggeredText, drawn, "mechanism={kind: none}", "measure={every: 7}")
		got := scenariotest.ValuesOf(metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows, "time.elapsed")
		if rates == nil {
			if len(got) > 0 {
				t.Errorf("%s: times %v", drawn, got)
			}
			continue
		}
		gap, sum, records := topology.TickTimes(rates, 16, 1), 0.0, 0
		for step := 1; step <= 100; step++ {
			if sum += gap(step - 1); step%7 != 0 && step != 100 {
				continue
			}
			if math.Abs(got[records]-sum) > 1e-12*sum {
				t.Fatalf("%s: step %d ends at second %v, want %v", drawn, step, got[records], sum)
			}
			records++
		}
		scenariotest.OneDigest(t, s)
	}
}
