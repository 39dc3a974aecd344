package scenarios_test

import (
	"fmt"
	"strings"
	"testing"

	"starling/messages"
	"starling/scenarios"
	"starling/scenarios/gauge"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// clustered is an arm of two clusters of three nodes on rings, which meet in steps 2, 4, .. through edge
// servers and in steps 6 and 12 through the cloud.
const clustered = `version: 1
name: clustered
nodes: 6
horizon: 14
algorithm: {kind: dsgd, learning_rate: 0.3}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 3, radius: 1}}
topology: {kind: clusters, clusters: 2, inside: {kind: ring}, edge: {every: 2}, cloud: {every: 6}}
mechanism: {kind: laplace, epsilon: 1}
measure: {every: 1}
seeds: {base: 1, count: 1}
plots: []
`

// TestClustersAgree: after a step of the cloud all nodes have one point, and after a step of edge servers
// the nodes of a cluster have, and in other steps none do. Weights are checked as they come.
func TestClustersAgree(t *testing.T) {
	x, _ := scenariotest.Decide(t, loadText(t, clustered))
	apart := func(step int, nodes ...messages.NodeID) (most float64) {
		for _, node := range nodes[1:] {
			most = max(most, scenariotest.Far(x[nodes[0]][step], x[node][step]))
		}
		return most
	}
	for step := 1; step <= 12; step++ { // the decision of the next step is after the exchange of this one
		all, first, second := apart(step, 0, 1, 2, 3, 4, 5), apart(step, 0, 1, 2), apart(step, 3, 4, 5)
		switch {
		case step%6 == 0 && all > 1e-12:
			t.Errorf("nodes are %v apart after the cloud in step %d", all, step)
		case step%6 == 0:
		case step%2 == 0 && (first > 1e-12 || second > 1e-12 || all < 1e-6):
			t.Errorf("nodes of clusters are %v and %v apart, and all %v, after edge servers in step %d", first, second, all, step)
		case step%2 == 1 && (first < 1e-6 || second < 1e-6):
			t.Errorf("nodes of clusters are %v and %v apart after the rings in step %d", first, second, step)
		}
	}
}

// TestClustersCount: a vector goes up and a mean down on each link that a step of servers takes, and on
// all runtimes as many bytes. A vector of three numbers has 5 + 3 8 bytes.
func TestClustersCount(t *testing.T) {
	for topology, want := range map[string][3]int{ // messages of a step inside, of edge servers, of the cloud
		"clusters: 2, inside: {kind: ring}":                         {6, 2 * (3 + 3), 2 * (6 + 2)},
		"sizes: [4, 2], inside: {kind: complete, self_loops: true}": {12 + 2, 2 * (4 + 2), 2 * (6 + 2)},
		"clusters: 1, inside: {kind: path}":                         {10, 2 * 6, 2 * (6 + 1)},
	} {
		s := loadText(t, clustered, "topology={kind: clusters, "+topology+", edge: {every: 2}, cloud: {every: 6}}")
		for _, o := range scenariotest.SomeEngines(s) {
			rows := metricsOf(t, s, o).Rows
			sent, bytes := scenariotest.ValuesOf(rows, gauge.MessagesSent), scenariotest.ValuesOf(rows, gauge.BytesSent)
			sofar := 0
			for step := 1; step <= 14; step++ {
				switch {
				case step%6 == 0:
					sofar += want[2]
				case step%2 == 0:
					sofar += want[1]
				default:
					sofar += want[0]
				}
				if sent[step-1] != float64(sofar) || bytes[step-1] != float64(sofar*(5+3*8)) {
					t.Errorf("%s on %+v: %v messages of %v bytes by step %d, want %d", topology, o, sent[step-1], bytes[step-1], step, sofar)
				}
			}
		}
	}
}

// TestClustersRun: what is sent when is told, every algorithm of equals that takes changing graphs
// takes clusters, and all runtimes leave one digest, resumed too.
func TestClustersRun(t *testing.T) {
	s := loadText(t, clustered)
	if got, want := study.ScheduleOf(s.Arms[0]), "cloud {every: 6}; edge {every: 2}; nodes {every: 1}"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for name, overrides := range map[string][]string{
		"dsgd":     nil,
		"drawn":    {"topology={kind: clusters, clusters: 2, inside: {kind: k-out, degree: 1, every: 2}, edge: {probability: 0.3}, cloud: {phases: [{from: 1, every: 2}, {from: 7, every: 3}]}}"},
		"weighted": {"topology={kind: clusters, clusters: 3, inside: {kind: path}, cloud: {every: 5}, weighting: {scheme: metropolis}}"},
		"dpdonc":   {"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}", "topology={kind: clusters, clusters: 1, inside: {kind: exponential}, edge: {every: 3}, cloud: {every: 4}}"},
		"sgp":      {"algorithm.kind=sgp"},
		"push":     {"algorithm.kind=sgp", "topology={kind: clusters, clusters: 2, inside: {kind: path, weighting: {scheme: uniform-out, self_loops: true}}, edge: {every: 2}, cloud: {every: 6}}"},
		"idle":     {"topology={kind: clusters, clusters: 2, inside: {kind: empty}, edge: {every: 2}, cloud: {every: 4}}"},
		"sizes":    {"topology={kind: clusters, sizes: [1, 3, 2], inside: {kind: complete, self_loops: true}, cloud: {every: 2}, schedule: {every: 3}}"},
		"hold":     {"algorithm.missing=hold"},
		"renewed":  {"algorithm={kind: sgp, missing: renormalise}", "budget={epsilon: 9, on: stop}"},
		"silent":   {"adversaries={kind: silent, nodes: 2}", "algorithm.missing=renormalise"},
		"sign":     {"network={kind: ideal, compression: {kind: dithering, levels: 7}}"},
		"entropy":  {"algorithm={kind: dpdonc, divergence: {kind: entropy}, positivity: dual-average}", "problem.set={kind: simplex, dimension: 3}"},
		"tracked":  {"algorithm={kind: push-diging, theta: 1, gradient_bound: clip}"},
		"rounds":   {"algorithm={kind: muffliato, rounds: 3, theta: 1, gradient_bound: clip}", "mechanism={kind: gaussian, epsilon: 1, delta: 1e-4}"},
		"shared":   {"algorithm={kind: decor, correlated: 2, theta: 1, gradient_bound: clip}", "mechanism={kind: gaussian, epsilon: 1, delta: 1e-4}"},
	} {
		t.Run(name, func(t *testing.T) {
			s := loadText(t, clustered, overrides...)
			digests := map[string]string{}
			for _, o := range scenariotest.SomeEngines(s) {
				digests[metricsOf(t, s, o).Digest] = fmt.Sprintf("%+v", o)
			}
			if len(digests) != 1 {
				t.Errorf("digests %v", digests)
			}
			for _, pause := range []int{5, 6, 7} { // in the middle, and around a step of the cloud
				sent, _ := scenariotest.SentBy(t, s, 0, 0, 5, 6, 8)
				resumed, _ := scenariotest.SentBy(t, s, pause, 0, 5, 6, 8)
				if fmt.Sprint(sent) != fmt.Sprint(resumed) {
					t.Errorf("other messages after the run is resumed after step %d", pause)
				}
			}
		})
	}
}

// TestClustersRefuse: faults are told where they stand, all at once.
func TestClustersRefuse(t *testing.T) {
	for _, test := range []struct{ topology, want string }{
		{"clusters: 4, inside: {kind: ring}, cloud: {every: 5}", "topology.clusters: 4 clusters of equal size have no 6 nodes together"},
		{"clusters: 2, inside: {kind: ring}", `missing required key "cloud"`},
		{"clusters: 2, inside: {kind: star}, cloud: {every: 5}", "topology.inside.kind"},
		{"clusters: 2, inside: {kind: circulant, degree: 7}, cloud: {every: 5}", "topology.inside"},
		{"clusters: 2, inside: {kind: ring, window: 3}, cloud: {every: 5}", "window is for the whole network"},
		{"clusters: 2, inside: {kind: path, directed: true}, cloud: {every: 5}", "topology.inside: missing required key \"weighting\""},
		{"clusters: 4, inside: {kind: ring}, edge: {every: 2, offsets: [0, 1]}, cloud: {probability: 0.5, each: true}", "topology.edge.offsets|topology.cloud.each|topology.clusters: 4 clusters"},
		{"clusters: 2, inside: {kind: ring}, cloud: {every: 50}", "strongly connected"},
		{"clusters: 2, sizes: [3, 3], inside: {kind: ring}, cloud: {every: 5}", "clusters and sizes: want one of them"},
		{"inside: {kind: ring}, cloud: {every: 5}", "clusters and sizes: want one of them"},
		{"sizes: [3, 2], inside: {kind: ring}, cloud: {every: 5}", "topology.sizes: the clusters have 5 nodes together, and there are 6"},
		{"sizes: [3, 0, 3], inside: {kind: ring}, cloud: {every: 5}", "topology.sizes[1]"},
		{"sizes: [5, 1], inside: {kind: complete}, edge: {every: 2}, cloud: {every: 5}", "topology.sizes[1]"},
		{"clusters: 6, inside: {kind: empty}, edge: {every: 2}, cloud: {every: 5}", "topology.clusters: a cluster of one node"},
		{"clusters: 2, inside: {kind: clusters, clusters: 3, inside: {kind: empty}, cloud: {every: 2}}, cloud: {every: 5}", "topology.inside.kind: clusters have servers above their nodes"},
		{"clusters: 2, inside: {kind: ring}, cloud: {every: 5}, events: [{at: 3, crash: 1}]", "topology.events"},
		{"clusters: 2, inside: {kind: ring}, cloud: {every: 5}, schedule: {every: 2, offsets: [0, 1]}", "topology.schedule"},
		{"clusters: 2, inside: {kind: ring}, cloud: {every: 5}, weighting: {scheme: lazy-metropolis}", "topology.weighting.scheme"},
	} {
		_, err := scenarios.Load(scenariotest.File(t, clustered), parseSets(t, "topology={kind: clusters, "+test.topology+"}")...)
		for _, want := range strings.Split(test.want, "|") {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", test.topology, err, want)
			}
		}
	}
	for _, test := range []struct{ want, set string }{
		{"algorithm.combine: servers return the mean", "algorithm.combine={kind: median}"},
		{"algorithm.missing: sums run along the link", "algorithm={kind: sgp, missing: running-sum}"},
		{"a token goes from node to node", "algorithm={kind: random-walk, theta: 1, gradient_bound: clip}"},
		{"goes with one that stays", "algorithm={kind: choco, gamma: 0.4}"},
	} {
		_, err := scenarios.Load(scenariotest.File(t, clustered), parseSets(t, test.set)...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.set, err, test.want)
		}
	}
}
