package scenariotest

import (
	"fmt"
	"testing"

	"starling/messages"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// OneDigest runs a scenario on all runtimes, with any number of shards. An error is a digest that is
// not the first one's.
func OneDigest(t *testing.T, s *study.Scenario) {
	t.Helper()
	digest := ""
	for _, o := range append(SomeEngines(s), runner.RunOptions{Engine: runner.Lockstep}) {
		if m := MetricsOf(t, s, o); digest == "" {
			digest = m.Digest
		} else if m.Digest != digest {
			t.Errorf("%+v: digest %s, want %s", o, m.Digest, digest)
		}
	}
}

// Resumes runs a job of the first arm in one piece, and again with a pause after so many steps, from
// whose state another goes on. An error is a node that sends other messages, and a run in which none of
// the nodes sends anything after the pause.
func Resumes(t *testing.T, s *study.Scenario, pause int, nodes ...messages.NodeID) {
	t.Helper()
	whole, j := SentBy(t, s, 0, nodes...)
	parts, _ := SentBy(t, s, pause, nodes...)
	after := 0
	for _, node := range nodes {
		if fmt.Sprint(whole[node]) != fmt.Sprint(parts[node]) {
			t.Errorf("node %d sends %v in one piece, and %v with a pause after %d steps", node, whole[node], parts[node], pause)
		}
		for _, m := range whole[node] {
			if m.Step >= j.Run.FirstStep+pause {
				after++
			}
		}
	}
	if after == 0 {
		t.Errorf("nodes %v send nothing after %d steps", nodes, pause)
	}
}

// AuditTells audits a scenario with so many samples, with its noise and with less. An error is a row
// that is refuted with the noise, or that is not with 0.4 of it.
func AuditTells(t *testing.T, s *study.Scenario, samples int) {
	t.Helper()
	for _, scale := range []float64{1, 0.4} {
		o := AuditOptions(samples)
		o.Noise = scale
		rows := AuditIn(t, s, o)
		for _, a := range rows {
			if a.Refuted() != (scale < 1) {
				t.Errorf("noise %v: %s has at least %v of %v", scale, a.Mechanism, a.Audited, a.Accounted)
			}
		}
		if len(rows) == 0 {
			t.Error("no audit")
		}
	}
}
