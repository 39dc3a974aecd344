package scenarios_test

import (
	"fmt"
	"strings"
	"testing"

	"starling/mechanisms/rng"
	"starling/scenarios/auditing"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// ofEquals are algorithms without a server, with the needs of each.
var ofEquals = map[string][]string{
	"dsgd":                  {"algorithm={kind: dsgd, learning_rate: 0.5}"},
	"dsgd, estimates":       {"algorithm={kind: dsgd, feedback: {kind: two-point, radius: 0.1}}"},
	"dsgd, a rule":          {"algorithm={kind: dsgd, combine: {kind: trimmed-mean, liars: 1}}", "topology={kind: complete, self_loops: true}", "adversaries={kind: scaled, factor: -3, nodes: [5]}"},
	"sgp":                   {"algorithm={kind: sgp}", directed},
	"sgp, running sums":     {"algorithm={kind: sgp, missing: running-sum}", directed},
	"push-diging":           {"algorithm={kind: push-diging}", directed},
	"push-diging, held":     {"algorithm={kind: push-diging, missing: hold}", directed},
	"choco":                 {"algorithm={kind: choco, gamma: 0.4}"},
	"muffliato":             {"algorithm={kind: muffliato, rounds: 3}"},
	"muffliato, renormals":  {"algorithm={kind: muffliato, rounds: 4, missing: renormalise}"},
	"decor":                 {"algorithm={kind: decor, correlated: 2}"},
	"random-walk":           {"algorithm={kind: random-walk}"},
	"dpdonc":                {"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}", "mechanism={kind: laplace, epsilon: 2}", "mechanism.noise=shifted"},
	"dpdonc, held":          {"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}, missing: hold}"},
	"dpdonc, push-sum":      {"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}, consensus: push-sum, missing: running-sum}", directed},
	"dpdonc, silent liars":  {"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}", "adversaries={kind: silent, nodes: [2]}"},
	"dsgd, a curious crowd": {"algorithm={kind: dsgd, combine: {kind: median}, missing: renormalise}", "topology={kind: complete, self_loops: true}", "adversaries={kind: little-is-enough, nodes: [1, 4]}"},
}

const directed = "topology={kind: exponential, weighting: {scheme: uniform-out, self_loops: true}}"

// among is a scenario of six nodes and 24 steps.
const among = `version: 1
name: among
nodes: 6
horizon: 24
algorithm: {kind: dsgd}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 3, radius: 2}}
topology: {kind: ring}
mechanism: {kind: gaussian, epsilon: 1, delta: 1e-5}
seeds: {base: 1, count: 1}
`

// networkOf draws a network of six nodes for 24 steps. Where messages are running sums, nodes do not
// forget.
func networkOf(r *rng.Rand, sums, forget bool) string {
	text := fmt.Sprintf("network={kind: effects, churn: {fail: %.2f, recover: %.2f", 0.05+0.4*r.Float64(), 0.2+0.7*r.Float64())
	if forget && !sums && r.Float64() < 0.5 {
		text += ", forget: true"
	}
	at := 2 + r.IntN(12)
	text += fmt.Sprintf("}, events: [{at: %d, until: %d, crash: [%d]}]", at, at+1+r.IntN(8), 1+r.IntN(6))
	if r.Float64() < 0.5 {
		text += fmt.Sprintf(", loss: {probability: %.2f}", 0.4*r.Float64())
	}
	switch {
	case sums:
		text += fmt.Sprintf(", delay: {longest: %d}", r.IntN(3))
	case r.Float64() < 0.5:
		text += fmt.Sprintf(", delay: {longest: %d}, patience: %d", 1+r.IntN(3), r.IntN(4))
	}
	return text + "}"
}

// No release of a node moves by more than it is stated to, given all that was released before,
// and nothing else moves, wherever nodes and messages are missing: the audit of an arm looks at 24
// steps of four nodes, exactly, with costs that push in four directions all the time, in turn, and in
// turn of releases.
func TestNoReleaseMovesBeyondWhatIsStated(t *testing.T) {
	networks := 4
	if !testneeds.SlowWanted() {
		networks = 2
	}
	for name, values := range ofEquals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stream rng.Stream
			r := stream.Open(rng.NewKey(1, rng.PurposeOf("networks of equals").Of(name)), 0, 0, 0)
			later := 0
			for range networks {
				algorithm := strings.TrimSuffix(values[0], "}") + ", theta: 1, gradient_bound: clip}"
				overrides := append([]string{algorithm}, values[1:]...)
				if name != "random-walk" { // which wants an ideal network
					overrides = append(overrides, networkOf(r, strings.Contains(algorithm, "running-sum"), name != "choco"))
				}
				for _, run := range auditsOf(t, loadText(t, among, overrides...)) {
					if strings.Contains(run.Inputs, ": they move ") {
						t.Errorf("%v, %s: %s", overrides, run.Mechanism, run.Inputs)
					}
					if run.From > 0 {
						later++
					}
				}
			}
			if later == 0 && name != "random-walk" {
				t.Error("no audit is of a part after an outage")
			}
		})
	}
}

// auditsOf are the audits of the first arm of a scenario.
func auditsOf(t *testing.T, s *study.Scenario) []*auditing.Run {
	t.Helper()
	variants, err := loading.Spread(s.Document, nil)
	if err != nil {
		t.Fatal(err)
	}
	section, _ := variants[0].Document.Find("algorithm")
	audited, err := kind.PieceOf[auditing.Auditable](s.Kinds.Algorithms, section, "the audit")
	if err != nil {
		t.Fatal(err)
	}
	runs, err := audited.Audit(study.NewBuilder(s.Kinds, s.Seeds, s.Folder.Renewed()), variants[0])
	if err != nil || len(runs) == 0 {
		t.Fatal(len(runs), err)
	}
	return runs
}
