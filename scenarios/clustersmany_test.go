package scenarios_test

import (
	"strings"
	"testing"

	"starling/messages"
	"starling/scenarios"
	"starling/scenarios/gauge"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/view"
)

// TestClustersOfMany: more nodes than there is memory for the weights of their mean meet at the cloud, and
// uses of these weights are refused.
func TestClustersOfMany(t *testing.T) {
	const nodes, clusters = 8400, 140
	many := []string{"nodes=8400", "horizon=5", "measure={every: 5, nodes: 10}", "topology={kind: clusters, clusters: 140, inside: {kind: ring}, edge: {every: 2}, cloud: {every: 4}}"}
	s := loadText(t, clustered, many...)
	x, j := scenariotest.Decide(t, s)
	for node := range messages.NodeID(nodes) {
		if far := scenariotest.Far(x[0][4], x[node][4]); !(far <= 1e-12) {
			t.Fatalf("node %d is %v away after the cloud", node, far)
		}
		if far := scenariotest.Far(x[node/60*60][2], x[node][2]); !(far <= 1e-12) {
			t.Fatalf("node %d is %v away after edge servers", node, far)
		}
	}
	if far := scenariotest.Far(x[0][2], x[60][2]); far < 1e-6 {
		t.Errorf("nodes of two clusters are %v apart after edge servers", far)
	}
	if window, err := j.Graphs.Close(); err != nil || window != 4 {
		t.Errorf("connected over %d steps, error %v; want 4", window, err)
	}
	rows := map[string]string{}
	for _, o := range []runner.RunOptions{{Engine: runner.Lockstep}, {Engine: runner.Actors, Shards: 3}} {
		m := metricsOf(t, s, o)
		rows[m.Digest] = "seen"
		if sent := scenariotest.Last(scenariotest.ValuesOf(m.Rows, gauge.MessagesSent)); sent != 3*nodes+2*nodes+2*(nodes+clusters) {
			t.Errorf("%v messages", sent)
		}
	}
	if len(rows) != 1 {
		t.Error("runtimes have other digests")
	}
	if _, err := view.DescribeNetwork(s, "", 1); err == nil || !strings.Contains(err.Error(), "want at most 8,192 nodes") {
		t.Errorf("described: %v", err)
	}
	for _, test := range []struct{ want, set string }{
		{"topology.kind: losses to observers in the algorithm decor", "algorithm={kind: decor, correlated: 2, theta: 1, gradient_bound: clip}"},
		{"measure: losses to single nodes", "measure={every: 5, observers: [{node: 2}]}"},
	} {
		sets := append(many[:len(many):len(many)], "mechanism={kind: gaussian, epsilon: 1, delta: 1e-4}", test.set)
		if _, err := scenarios.Load(scenariotest.File(t, clustered), parseSets(t, sets...)...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}
