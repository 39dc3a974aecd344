package scenarios

import (
	"testing"

	"starling/scenarios/meter"
)

// A network in which learners and clients of the federated algorithms drop out.
const (
	dropouts = "network: {kind: effects, churn: {fail: 0.3, recover: 0.5}, loss: {probability: 0.1}, delay: {longest: 2}}\n"
	dropping = learning + dropouts
)

// TestFederatedEffects checks that federated runs with effects leave the same bits
// on both runtimes, and record who took part and what was lost.
func TestFederatedEffects(t *testing.T) {
	for name, text := range map[string]string{"ofl": dropping, "ali-dpfl": trained + dropouts} {
		for _, late := range []string{"drop", "use"} {
			s := loadText(t, text, "algorithm.late="+late)
			want := metricsOf(t, s, RunOptions{Engine: Lockstep})
			if got := metricsOf(t, s, RunOptions{Engine: Actors, Shards: 3}); got.digest != want.digest {
				t.Errorf("%s, %s: actors %s, lockstep %s", name, late, got.digest, want.digest)
			}
			last := map[string]float64{}
			for _, row := range want.rows {
				last[row.Metric] = row.Value
			}
			nodes := float64(s.Arms[0].file.Nodes)
			if p := last[meter.Participants]; !(p > 0 && p < nodes) {
				t.Errorf("%s, %s: %v participants of %v", name, late, p, nodes)
			}
			if last[meter.MessagesLost] == 0 || last[meter.MessagesLate] == 0 {
				t.Errorf("%s, %s: %v messages lost, %v late", name, late, last[meter.MessagesLost], last[meter.MessagesLate])
			}
		}
	}
}
