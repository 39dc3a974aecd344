package scenarios_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/scenarios"
	"starling/scenarios/scenariotest"
)

// personal is an arm of equals whose nodes have three epsilons.
var personal = strings.Replace(scheduled, "SCHEDULE", "{every: 1}", 1)

// wireLosses are the losses of nodes to the wire at the end of a run.
func wireLosses(t *testing.T, overrides ...string) map[int32]float64 {
	t.Helper()
	s := loadText(t, personal, overrides...)
	_, j := scenariotest.SentBy(t, s, 0, 0)
	return scenariotest.FinalRows(t, s.Arms[0], j)[accountant.Wire]
}

// The loss of each of three groups is that of an arm in which all nodes have its epsilon, whatever
// the noise, the algorithm and the schedule.
func TestGroupsHaveEpsilonsOfTheirOwn(t *testing.T) {
	const groups = "groups: [{first: 1, last: 2, epsilon: 0.5}, {nodes: [4], epsilon: none}, {first: 6, last: 7, epsilon: 3}]"
	for name, arm := range map[string][]string{
		"dsgd":        nil,
		"sgp":         {"algorithm.kind=sgp", "topology.weighting.scheme=uniform-out"},
		"dpdonc":      accumulating["dpdonc"],
		"push-diging": {"algorithm={kind: push-diging, theta: 1, gradient_bound: clip}", "topology={kind: complete, weighting: {scheme: uniform-out, self_loops: true}}"},
		"lossy":       {"algorithm.missing=hold", "network={kind: effects, loss: {probability: 0.2}, churn: {fail: 0.1, recover: 0.5}}"},
		"seldom":      {"topology.schedule={every: 3}"},
	} {
		for _, mechanism := range []string{"kind: laplace, epsilon: EPS", "kind: gaussian, epsilon: EPS, delta: 1e-5", "kind: independent, epsilon: EPS, delta: 1e-5"} {
			with := func(epsilon string) string {
				return "mechanism={" + strings.Replace(mechanism, "EPS", epsilon, 1) + "}"
			}
			got := wireLosses(t, append([]string{strings.TrimSuffix(with("1"), "}") + ", " + groups + "}"}, arm...)...)
			for node := int32(1); node <= 7; node++ {
				epsilon := map[int32]string{1: "0.5", 2: "0.5", 4: "none", 6: "3", 7: "3"}[node]
				if epsilon == "" {
					epsilon = "1"
				}
				want := wireLosses(t, append([]string{with(epsilon)}, arm...)...)[node]
				if got[node] != want && !(math.Abs(got[node]-want) <= 1e-12*want) {
					t.Errorf("%s, %s: node %d loses %v, and %v where all nodes have its epsilon", name, mechanism, node, got[node], want)
				}
			}
		}
	}
}

// Epsilon over time is paid step by step, and one budget for the run is met.
func TestEpsilonOverTime(t *testing.T) {
	for law, want := range map[string]float64{
		"{law: geometric, to: 0.125}":                    8 * (1 - math.Pow(0.125, 12.0/11)) / (8 * (1 - math.Pow(0.125, 1.0/11))),
		"{law: linear, to: 0.5}":                         9,
		"{law: inverse-sqrt}":                            harmonicRoots(12),
		"{law: list, values: [1,2,3,4,5,6,7,8,9,1,2,3]}": 51,
	} {
		if got := wireLosses(t, "mechanism={kind: laplace, epsilon: 1, over_time: "+law+"}")[3]; !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("%s: %v, want %v", law, got, want)
		}
		for _, schedule := range []string{"{every: 1}", "{every: 5}"} {
			got := wireLosses(t, "topology.schedule="+schedule, "mechanism={kind: independent, epsilon: 4, delta: 1e-5, over_time: "+law+"}")[3]
			if !(got <= 4+1e-9 && got >= 4-1e-6) {
				t.Errorf("%s, %s: one budget of 4 is spent to %v", law, schedule, got)
			}
		}
	}
}

// Gaussian noise has the epsilon of a step that the law names, whose level is not proportional to it:
// as much as an arm of that epsilon pays for one release.
func TestGaussianEpsilonOverTime(t *testing.T) {
	one := func(mechanism string) float64 { // the loss of one release, in the last step
		return wireLosses(t, "topology.schedule={phases: [{from: 12, every: 1}]}", "algorithm.decay=0", mechanism)[3]
	}
	for _, law := range []string{"{law: geometric, to: 4}", "{law: linear, to: 4}", "{law: list, values: [1,1,1,1,1,1,1,1,1,1,1,4]}"} {
		got, want := one("mechanism={kind: gaussian, epsilon: 1, delta: 1e-5, over_time: "+law+"}"), one("mechanism={kind: gaussian, epsilon: 4, delta: 1e-5}")
		if !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("%s: %v, want %v", law, got, want)
		}
	}
}

func harmonicRoots(n int) (sum float64) {
	for t := range n {
		sum += 1 / math.Sqrt(float64(t+1))
	}
	return sum
}

// Noise that varies has one digest on all runtimes.
func TestDigestsOfNoiseThatVaries(t *testing.T) {
	for _, name := range []string{"dsgd", "dpdonc", "sgp"} {
		s := loadText(t, personal, append([]string{"mechanism={kind: laplace, epsilon: 1, over_time: {law: geometric, to: 4}, groups: [{first: 1, last: 3, epsilon: 0.5}]}", "topology.schedule={every: 3, offsets: [0, 1]}"}, accumulating[name]...)...)
		digests := map[string]string{}
		for _, o := range scenariotest.SomeEngines(s) {
			digests[metricsOf(t, s, o).Digest] = fmt.Sprintf("%+v", o)
		}
		if len(digests) != 1 {
			t.Errorf("%s: %v", name, digests)
		}
	}
}

func TestNoiseThatVariesIsRefused(t *testing.T) {
	for _, test := range []struct{ override, want string }{
		{"mechanism={kind: laplace, epsilon: 1, groups: [{first: 3, last: 2, epsilon: 1}]}", "groups[0].last: the group is empty"},
		{"mechanism={kind: laplace, epsilon: 1, groups: [{first: 1, last: 3, epsilon: 1}, {first: 3, last: 4, epsilon: 2}]}", "groups[1]: node 3 is in group 1, too"},
		{"mechanism={kind: laplace, epsilon: 1, groups: [{first: 7, last: 8, epsilon: 1}]}", "groups[0].last: there is no node 8; there are 7"},
		{"mechanism={kind: laplace, epsilon: 1, groups: [{first: 1, last: 2, epsilon: 0}]}", "groups[0].epsilon: epsilon = 0; it must be a finite number > 0, or none"},
		{"mechanism={kind: laplace, epsilon: none, over_time: {law: inverse-sqrt}, groups: [{first: 1, last: 2, epsilon: 1}]}", "there is no noise to vary"},
		{"mechanism={kind: laplace, epsilon: 1, groups: []}", "0 groups; want at least 1"},
		{"mechanism={kind: laplace, epsilon: 1, groups: [{epsilon: 1}]}", "groups[0]: a group has either first and last, or nodes, or share"},
		{"mechanism={kind: laplace, epsilon: 1, groups: [{first: 1, epsilon: 1}]}", "groups[0]: a group has either first and last, or nodes, or share"},
		{"mechanism={kind: laplace, epsilon: 1, groups: [{nodes: [1], share: 0.5, epsilon: 1}]}", "groups[0]: a group has either first and last, or nodes, or share"},
		{"mechanism={kind: laplace, epsilon: 1, groups: [{nodes: [], epsilon: 1}]}", "groups[0].nodes: expected a list of nodes"},
		{"mechanism={kind: laplace, epsilon: 1, groups: [{nodes: [1.5], epsilon: 1}]}", "groups[0].nodes[0]: expected the number or the name of a node"},
		{"mechanism={kind: laplace, epsilon: 1, groups: [{nodes: [1, 8], epsilon: 1}]}", "groups[0].nodes[1]: there is no node 8; there are 7"},
		{"mechanism={kind: laplace, epsilon: 1, groups: [{nodes: [1, 1], epsilon: 1}]}", "groups[0].nodes[1]: node 1 is in the group twice"},
		{"mechanism={kind: laplace, epsilon: 1, groups: [{nodes: [a], epsilon: 1}]}", `groups[0].nodes[0]: node is "a", want a whole number: nodes have no names here`},
		{"mechanism={kind: laplace, epsilon: 1, groups: [{nodes: [3], epsilon: 1}, {first: 2, last: 4, epsilon: 2}]}", "groups[1]: node 3 is in group 1, too"},
		{"mechanism={kind: laplace, epsilon: 1, groups: [{share: 0.6, epsilon: 1}, {share: 0.5, epsilon: 2}]}", "groups[1].share: the shares up to this one sum to 1.1, more than all nodes"},
		{"mechanism={kind: laplace, epsilon: 1, groups: [{share: 0.01, epsilon: 1}]}", "groups[0].share: the group is empty"},
		{"mechanism={kind: laplace, epsilon: 1, groups: [{share: 1, epsilon: 1}, {nodes: [2, 3], epsilon: 2}]}", "groups[0].share: a share of 1 of 7 nodes is 2 more than are in no other group"},
		{"mechanism={kind: laplace, epsilon: 1, groups: {file: nowhere.csv}}", "groups.file: "},
		{"mechanism={kind: laplace, epsilon: 1, groups: {nodes: a}}", `missing required key "file"`},
		{"mechanism={kind: laplace, epsilon: 1, over_time: {law: linear}}", "over_time.to: to is for the laws linear and geometric"},
		{"mechanism={kind: laplace, epsilon: 1, over_time: {law: list, values: [1, 2]}}", "over_time.values: 2 values for 12 steps"},
		{"mechanism={kind: laplace, epsilon: 1, over_time: {law: inverse-sqrt, to: 1}}", "over_time.to"},
	} {
		if _, err := scenarios.Load(baseFile(t, personal), parseSets(t, test.override)...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.override, err, test.want)
		}
	}
	for _, text := range []string{
		strings.Replace(scenariotest.Learning, "kind: toeplitz, epsilon: 2", "kind: independent, over_time: {law: inverse-sqrt}, epsilon: 2", 1),
		strings.Replace(scenariotest.Stochastic, "kind: dp-fw, epsilon: 2", "kind: laplace, groups: [{first: 1, last: 1, epsilon: 1}], epsilon: 2", 1),
	} {
		if _, err := scenarios.Load(baseFile(t, text)); err == nil || !strings.Contains(err.Error(), "noise that differs") {
			t.Errorf("a server: %v", err)
		}
	}
	_, err := scenarios.Load(baseFile(t, personal), parseSets(t, "mechanism={kind: laplace, epsilon: 1, over_time: {law: geometric, values: [1, 0, 2, -1]}}")...)
	for _, want := range []string{"over_time.values: values are for the law list", "over_time.to: to is for the laws", "over_time.values[1]: epsilon = 0", "over_time.values[3]: epsilon = -1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q, too", err, want)
		}
	}
	_, err = scenarios.Load(baseFile(t, personal), parseSets(t, "mechanism={kind: laplace, epsilon: 1, over_time: {law: list, values: [1, 2]}, groups: [{nodes: [8], epsilon: 1}]}")...)
	for _, want := range []string{"over_time.values: 2 values for 12 steps", "groups[0].nodes[0]: there is no node 8"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q, too", err, want)
		}
	}
	shared := []string{"algorithm={kind: decor, correlated: 1, theta: 1, gradient_bound: clip}", "mechanism={kind: gaussian, epsilon: 1, delta: 1e-5, over_time: {law: inverse-sqrt}}", "topology={kind: ring}"}
	if _, err := scenarios.Load(baseFile(t, personal), parseSets(t, shared...)...); err == nil || !strings.Contains(err.Error(), "noise that is the same for all nodes") {
		t.Errorf("decor: %v", err)
	}
}
