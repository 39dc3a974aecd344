package scenarios_test

import (
	"strconv"
	"strings"
	"testing"

	"starling/scenarios/auditing"
	"starling/scenarios/testneeds"
)

// Audits accept the noise that is stated where others lie and rules stand against them, and find
// half of it: a rule works on releases, and a lie is made of one.
func TestAuditsOfLies(t *testing.T) {
	testneeds.Slow(t)
	const meshed = `version: 1
name: meshed
horizon: 6
nodes: 5
algorithm: {kind: ALGORITHM, combine: RULE, theta: 1, gradient_bound: clip}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 50}}
topology: {kind: complete, self_loops: true}
mechanism: {kind: gaussian, epsilon: 1, delta: 1e-3}
seeds: {base: 1, count: 1}
`
	star := strings.NewReplacer("clip: none", "clip: 1, aggregation: {kind: local}, combine: RULE", "{kind: none}", "{kind: gaussian, epsilon: 2, delta: 1e-5}").Replace(honestStar)
	for _, test := range []struct{ name, text, algorithm, rule, lie string }{
		{"dsgd", meshed, "dsgd", "{kind: trimmed-mean, liars: 1}", "{kind: sign-flip, nodes: [2]}"},
		{"dsgd, estimates", meshed, "dsgd, feedback: {kind: two-point, radius: 0.1}", "{kind: krum, liars: 1}", "{kind: scaled, factor: 3, nodes: [3]}"},
		{"dpdonc", meshed, "dpdonc, divergence: {kind: euclidean, scale: 0.5}", "{kind: clipped-gossip, liars: 1}", "{kind: little-is-enough, nodes: [2, 3]}"},
		{"dp-fedavg", star, "", "{kind: median}", "{kind: sign-flip, nodes: [2]}"},
	} {
		for _, noise := range []float64{1, 0.5} {
			s := loadText(t, strings.NewReplacer("ALGORITHM", test.algorithm, "RULE", test.rule).Replace(test.text), "adversaries="+test.lie)
			list, err := auditing.Audit(s, t.Context(), auditing.Options{Samples: 1024, Confidence: 0.999, Noise: noise})
			if err != nil || len(list) == 0 {
				t.Fatalf("%s: %v, %v", test.name, list, err)
			}
			found := false
			for _, a := range list {
				t.Logf("%s, noise %v, %s: accounted %.4g, audited %.4g", test.name, noise, a.Mechanism, a.Accounted, a.Audited)
				found = found || a.Audited > a.Accounted || !a.NoiseAsStated()
			}
			if found != (noise < 1) {
				t.Errorf("%s, noise %v: found %v", test.name, noise, found)
			}
		}
	}
}

// An audit has all nodes of a scenario in which the first sixteen lie, and is of one that does
// not.
func TestAuditOfAnHonestNode(t *testing.T) {
	var liars []string
	for node := range 16 {
		liars = append(liars, strconv.Itoa(node+1))
	}
	for _, run := range auditsOf(t, loadText(t, among, "nodes=40", "algorithm={kind: dsgd, theta: 1, gradient_bound: clip}", "adversaries={kind: scaled, factor: 2, nodes: ["+strings.Join(liars, ", ")+"]}")) {
		if run.Node != 16 {
			t.Errorf("%s is of node %d, want 17", run.Mechanism, run.Node+1)
		}
	}
}
