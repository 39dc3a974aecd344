package scenarios_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/scenariotest"
)

// ownBudgets are arms whose nodes have budgets of their own, with the epsilon of a release of each
// node, nil where losses do not add up, and the budgets.
var ownBudgets = map[string]struct {
	text      string
	overrides []string
	release   []float64
	budgets   []float64
	groups    string
	delta     string
}{ // losses are to peers: some servers, and the wire to them, are trusted
	"equals": {personal, []string{"mechanism={kind: laplace, epsilon: 1}"}, []float64{1, 1, 1, 1, 1, 1, 1}, []float64{3.5, 3.5, 5, 8, 2, 8, 8},
		"[{first: 1, last: 2, epsilon: 3.5}, {nodes: [3], epsilon: 5}, {nodes: [5], epsilon: 2}]", ""},
	"equals, epsilons of their own": {personal, []string{"mechanism={kind: laplace, epsilon: 1, groups: [{nodes: [1, 3], epsilon: 0.25}]}"}, []float64{0.25, 1, 0.25, 1, 1, 1, 1}, []float64{1.1, 1.1, 8, 8, 8, 8, math.Inf(1)},
		"[{first: 1, last: 2, epsilon: 1.1}, {nodes: [7], epsilon: none}]", ""},
	"equals, gaussian": {personal, []string{"mechanism={kind: gaussian, epsilon: 1, delta: 1e-5}"}, nil, []float64{3, 3, 3, 8, 8, 8, 8},
		"[{first: 1, last: 3, epsilon: 3}]", "delta: 1e-5, "},
	"equals, compositions": {personal, []string{"mechanism={kind: laplace, epsilon: 0.1}", "horizon=120"}, nil, []float64{1, 3, 3, 8, 8, 8, 8},
		"[{nodes: [1], epsilon: 1}, {nodes: [2, 3], epsilon: 3}]", "delta: 1e-6, "},
	"push-sum": {personal, []string{"algorithm={kind: sgp, learning_rate: 0.1, gradient_bound: clip, theta: 1}", "topology={kind: exponential, weighting: {scheme: uniform-out, self_loops: true}}", "mechanism={kind: laplace, epsilon: 1}"},
		[]float64{1, 1, 1, 1, 1, 1, 1}, []float64{2, 8, 8, 8, 8, 8, 4}, "[{nodes: [1], epsilon: 2}, {nodes: [7], epsilon: 4}]", ""},
	"clients": {noisyStar, []string{"mechanism={kind: laplace, epsilon: 1}", "horizon=9"}, []float64{1, 1, 1, 1, 1}, []float64{2, 8, 8, 8, 4.5},
		"[{nodes: [1], epsilon: 2}, {nodes: [5], epsilon: 4.5}]", ""},
	"clients, epsilons of their own": {noisyStar, []string{"mechanism={kind: laplace, epsilon: 1, groups: [{nodes: [1], epsilon: 0.5}]}", "horizon=9"}, []float64{0.5, 1, 1, 1, 1}, []float64{2, 8, 8, 8, 4.5},
		"[{nodes: [1], epsilon: 2}, {nodes: [5], epsilon: 4.5}]", ""},
	"clients, of a trusted server": {noisyStar, []string{"algorithm.aggregation=null", "algorithm.rates=[{first: 1, last: 3, value: 0.5}]", "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5}", "horizon=9"}, nil, []float64{3, 8, 8, 5, 8},
		"[{nodes: [1], epsilon: 3}, {nodes: [4], epsilon: 5}]", "delta: 1e-5, "},
	"records": {calibrated, []string{"algorithm.level=record", "algorithm.batch=4", "algorithm.rate=1", "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5}", "seeds.count=1"}, nil, []float64{2, 2, 8, 8, 8, 8},
		"[{first: 1, last: 2, epsilon: 2}]", "delta: 1e-5, "},
}

// Each participant stops at its own budget: the ledger's total is never above it, it is within one
// release of it where losses add up, and it is the total of an arm in which all have that budget.
func TestBudgetsOfTheirOwn(t *testing.T) {
	for name, test := range ownBudgets {
		t.Run(name, func(t *testing.T) {
			totals := func(keys string) map[int32]float64 {
				s := loadText(t, test.text, append(slices.Clone(test.overrides), "budget={"+test.delta+keys+", on: stop}")...)
				_, j := scenariotest.SentBy(t, s, 0, 0)
				return scenariotest.FinalRows(t, s.Arms[0], j)[accountant.Peer]
			}
			got, full := totals("epsilon: 8, groups: "+test.groups), totals("epsilon: none")
			alone := map[float64]map[int32]float64{8: totals("epsilon: 8"), math.Inf(1): full}
			stopped := 0
			for k, budget := range test.budgets {
				node := int32(k + 1)
				total := got[node]
				if total > budget*(1+1e-9) || !(total > 0) {
					t.Errorf("node %d loses %v, over its budget of %v", node, total, budget)
				}
				if total < full[node] {
					stopped++
				}
				if test.release != nil && total+test.release[k] <= budget*(1-1e-9) && total < full[node]*(1-1e-9) {
					t.Errorf("node %d stops at %v, though its budget of %v pays for %v more", node, total, budget, test.release[k])
				}
				if alone[budget] == nil {
					alone[budget] = totals("epsilon: " + fmt.Sprint(budget))
				}
				if want := alone[budget][node]; !(math.Abs(total-want) <= 1e-12*want) {
					t.Errorf("node %d loses %v, and %v where all have its budget of %v", node, total, want, budget)
				}
			}
			if stopped == 0 {
				t.Error("nobody stops")
			}
		})
	}
}

// Runs with budgets of their own have one digest on all runtimes, and resumed runs end as others do.
func TestRunsOfBudgetsOfTheirOwn(t *testing.T) {
	for name, test := range ownBudgets {
		t.Run(name, func(t *testing.T) {
			s := loadText(t, test.text, append(slices.Clone(test.overrides), "budget={epsilon: 8, "+test.delta+"on: stop, groups: "+test.groups+"}")...)
			digests := map[string]bool{}
			for _, o := range scenariotest.SomeEngines(s) {
				digests[metricsOf(t, s, o).Digest] = true
			}
			if len(digests) != 1 {
				t.Errorf("digests %v", digests)
			}
			whole, j := sentBy(t, s, 0, 0, 1, 2)
			for _, pause := range []int{2, 5} {
				parts, resumed := sentBy(t, s, pause, 0, 1, 2)
				if !bytes.Equal(messages.Write(nil, resumed.Meter), messages.Write(nil, j.Meter)) {
					t.Errorf("after %d steps: a run that is resumed measures another", pause)
				}
				for node := range whole {
					if !slices.Equal(whole[node], parts[node]) {
						t.Errorf("after %d steps: node %d sends %v, resumed %v", pause, node, whole[node], parts[node])
					}
				}
			}
		})
	}
}

// An audit of a node states the loss at which its own budget stops it.
func TestAuditsOfBudgetsOfTheirOwn(t *testing.T) {
	accounted := func(budget string) (most float64) {
		s := loadText(t, personal, "mechanism={kind: laplace, epsilon: 1}", "budget="+budget, "algorithm={kind: dsgd, theta: 1, gradient_bound: clip}")
		for _, a := range scenariotest.AuditIn(t, s, scenariotest.AuditOptions(256)) {
			most = max(most, a.Accounted)
		}
		return most
	}
	one, own := accounted("{epsilon: 3, on: stop}"), accounted("{epsilon: 8, on: stop, groups: [{nodes: [1], epsilon: 3}]}")
	if !(own == one && one <= 3) || accounted("{epsilon: 8, on: stop}") <= 3 {
		t.Errorf("audits state %v, and %v of one budget", own, one)
	}
}

// Budgets are drawn from a law or read from a file as epsilons of a mechanism are.
func TestBudgetsOfALaw(t *testing.T) {
	file := strings.TrimSuffix(strings.TrimPrefix(groupFile(t, "node,epsilon\n1,2\n2,3\n3,4\n4,5\n5,none\n6,7\n7,8\n", ""), "mechanism={kind: laplace, epsilon: 1, groups: "), "}")
	for groups, want := range map[string]func(node int) (least, most float64){
		"{law: uniform, from: 2, to: 6}": func(int) (least, most float64) { return 1, 6 },
		file: func(node int) (least, most float64) {
			if node == 5 {
				return 12, 12
			}
			return float64(node + 1), float64(node + 1)
		},
	} {
		s := loadText(t, personal, "mechanism={kind: laplace, epsilon: 1}", "budget={epsilon: 8, on: stop, groups: "+groups+"}")
		_, j := scenariotest.SentBy(t, s, 0, 0)
		losses := map[float64]bool{}
		for node, loss := range scenariotest.FinalRows(t, s.Arms[0], j)[accountant.Wire] {
			if least, most := want(int(node)); !(loss >= least && loss <= most) {
				t.Errorf("%s: node %d loses %v, want %v to %v", groups, node, loss, least, most)
			}
			losses[loss] = true
		}
		if len(losses) < 2 {
			t.Errorf("%s: all lose %v", groups, losses)
		}
	}
}

func TestBudgetsOfTheirOwnAreRefused(t *testing.T) {
	trusted := []string{"algorithm.aggregation=null", "mechanism={kind: gaussian, epsilon: 1, delta: 1e-5}"}
	for _, test := range []struct {
		text      string
		overrides []string
		budget    string
		want      string
	}{
		{personal, nil, "{epsilon: 8, on: refuse, groups: [{nodes: [1], epsilon: 2}]}", "budget.groups: budgets of their own end the part of nodes one by one; want on: stop"},
		{personal, nil, "{epsilon: 8, on: spread, groups: [{nodes: [1], epsilon: 2}]}", "budget.groups: budgets of their own end the part of nodes one by one; want on: stop"},
		{personal, nil, "{epsilon: 8, on: stop, groups: [{nodes: [8], epsilon: 2}]}", "budget.groups[0].nodes[0]: there is no node 8; there are 7"},
		{personal, nil, "{epsilon: 8, on: stop, groups: [{nodes: [1], epsilon: 0}]}", "budget.groups[0].epsilon: epsilon = 0"},
		{personal, nil, "{epsilon: 8, on: stop, groups: [{epsilon: 1}]}", "budget.groups[0]: a group has either first and last, or nodes, or share"},
		{personal, nil, "{epsilon: 8, on: stop, groups: {file: none.csv}}", "budget.groups.file: "},
		{personal, nil, "{epsilon: 8, on: stop, groups: {law: uniform, from: 2, to: 1}}", "budget.groups.to: the law ends at 1"},
		{noisyStar, trusted, "{epsilon: 8, delta: 1e-5, on: stop, groups: [{nodes: [1], epsilon: 2}]}", "budget.groups: a server adds the noise, and pays for all clients at once"},
		{noisyStar, append(slices.Clone(trusted), "algorithm.rates=[{nodes: [1], value: 0.5}]"), "{epsilon: 8, delta: 1e-5, on: stop, groups: [{first: 1, last: 5, epsilon: 1e-3}]}", "budget: it pays for no client in the first round"},
		{noisyStar, append(slices.Clone(trusted), "algorithm.rates=[{nodes: [1], value: 0.5}]"), "{epsilon: 8, delta: 1e-5, on: stop, groups: [{nodes: [9], epsilon: 1}]}", "budget.groups[0].nodes[0]: there is no node 9; there are 5"},
		{calibrated, []string{"algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, clip: 0.3, samples: 9, batch: 4}"}, "{epsilon: 8, on: stop, groups: [{nodes: [1], epsilon: 2}]}", "budget.groups: this algorithm plans its releases with the budget by itself"},
	} {
		_, err := loadError(t, test.text, append(slices.Clone(test.overrides), "budget="+test.budget)...)
		if err == nil || !strings.Contains(err.Error(), "budget:1:") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.budget, err, test.want)
		}
	}
}
