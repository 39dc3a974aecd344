package scenarios_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/scenarios/gauge"
	"starling/scenarios/runner"
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
			want := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
			if got := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 3}); got.Digest != want.Digest {
				t.Errorf("%s, %s: actors %s, lockstep %s", name, late, got.Digest, want.Digest)
			}
			last := map[string]float64{}
			for _, row := range want.Rows {
				last[row.Metric] = row.Value
			}
			nodes := float64(s.Arms[0].File.Nodes)
			if p := last[gauge.Participants]; !(p > 0 && p < nodes) {
				t.Errorf("%s, %s: %v participants of %v", name, late, p, nodes)
			}
			if last[gauge.MessagesLost] == 0 || last[gauge.MessagesLate] == 0 {
				t.Errorf("%s, %s: %v messages lost, %v late", name, late, last[gauge.MessagesLost], last[gauge.MessagesLate])
			}
		}
	}
}

// federatedTexts are small scenarios of the three algorithms whose rounds go on where
// messages are missing.
func federatedTexts() map[string]string {
	return map[string]string{
		"ofl":      learning,
		"ali-dpfl": trained,
		"dpfl": strings.Replace(trained, "{kind: ali-dpfl, learning_rate: 0.5, batch: 8, clip: 0.1, statistics_samples: 20}",
			"{kind: dpfl, tau: 2, learning_rate: 0.5, batch: 8, clip: 0.1}", 1),
	}
}

// lastOf runs a scenario under both runtimes, which leave the same bits, and returns
// the metrics of the last step of its last run.
func lastOf(t *testing.T, text string, overrides ...string) map[string]float64 {
	t.Helper()
	s := loadText(t, text, overrides...)
	want := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
	if got := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 3}); got.Digest != want.Digest {
		t.Errorf("%q: actors %s, lockstep %s", overrides, got.Digest, want.Digest)
	}
	last := map[string]float64{}
	for _, row := range want.Rows {
		last[row.Metric] = row.Value
	}
	return last
}

// TestDelayedRounds: a delay that every message has makes all of a round's vectors
// late. Dropped, none is ever averaged, and the model stays the start; used, all but
// those of the last round are, and the model moves, if otherwise than without delay.
// What is handed to a learner is not delayed.
func TestDelayedRounds(t *testing.T) {
	t.Parallel()
	delayed := "network={kind: effects, delay: {turns: 1}}"
	for name, text := range federatedTexts() {
		ideal := lastOf(t, text, "network={kind: effects}")
		dropped := lastOf(t, text, delayed, "algorithm.late=drop")
		used := lastOf(t, text, delayed, "algorithm.late=use")
		nodes := ideal[gauge.Participants]
		if dropped[gauge.Participants] != 0 {
			t.Errorf("%s: %v participants, want none", name, dropped[gauge.Participants])
		}
		if p := used[gauge.Participants]; !(p > 0.5*nodes && p < nodes) {
			t.Errorf("%s: %v participants of %v, want all but those of the last round", name, p, nodes)
		}
		for _, metric := range []string{"loss.mean", "loss.train"} {
			want, ok := ideal[metric]
			if !ok {
				continue
			}
			if a, b := dropped[metric], used[metric]; a == b || a == want || b == want || math.IsNaN(a+b) {
				t.Errorf("%s: %s is %v without delay, %v dropped, %v used: a delay that changes nothing", name, metric, want, a, b)
			}
		}
	}
	// The loss of the start, zero, is log 2 whatever the data.
	if loss := lastOf(t, learning, delayed)["loss.mean"]; math.Abs(loss-math.Ln2) > 1e-12 {
		t.Errorf("a model of which nothing was ever averaged has the loss %v, want log 2", loss)
	}
}

// TestHandedOver: without noise, nothing that is on the network can keep a learner
// from its clients' data, and a delay of whole rounds leaves models that learn.
func TestHandedOver(t *testing.T) {
	quiet := []string{"mechanism.kind=none", "horizon=120", "algorithm.late=use", "problem.normalise=true", "measure.metrics=[loss.mean, participants, accuracy.test, messages.late, messages.lost]"}
	learned := func(network string) map[string]float64 {
		return lastOf(t, learning, append(quiet, "network="+network)...)
	}
	ideal := learned("{kind: effects}")
	late := learned("{kind: effects, delay: {least: 1, longest: 5}}")
	later := learned("{kind: effects, delay: {turns: 21}}") // three rounds of 7 turns
	if !(ideal["loss.mean"] < late["loss.mean"] && late["loss.mean"] < later["loss.mean"] && later["loss.mean"] < math.Ln2-0.01) {
		t.Errorf("losses %v, %v and %v by delay, want them to grow and to stay below log 2", ideal["loss.mean"], late["loss.mean"], later["loss.mean"])
	}
	if a := late["accuracy.test"]; !(a > 0.6) {
		t.Errorf("accuracy %v with a delay of a round", a)
	}
	// 40 rounds of 3 vectors, those of the last 3 underway, and as many models, those of
	// the last 4.
	if n := later["messages.late"]; n != 3*(37+36) {
		t.Errorf("%v messages late, want those of the network alone", n)
	}
	cut := learned("{kind: effects, bandwidth: {bytes: 0, queue: 0}}")
	if n := cut["messages.lost"] + cut["participants"]; n != 0 || math.Abs(cut["loss.mean"]-math.Ln2) > 1e-12 {
		t.Errorf("edges that carry nothing: %v", cut)
	}
}

// TestLedgerUnderDelay: what the ledger says of a delayed run is what the learners
// paid, and where nobody released anything it says so.
func TestLedgerUnderDelay(t *testing.T) {
	for network, want := range map[string]float64{
		"{kind: effects}":                                2,
		"{kind: effects, delay: {turns: 1}}":             2,
		"{kind: effects, delay: {least: 1, longest: 5}}": 2,
		"{kind: effects, delay: {turns: 1000}}":          2,
		"{kind: effects, loss: {probability: 1}}":        2,
		"{kind: effects, churn: {fail: 1, recover: 0}}":  0, // before any has learned
	} {
		s := loadText(t, learning, "network="+network)
		arm, j := s.Arms[0], jobOf(t, s)
		if err := lockstep.Run(context.Background(), &j.Run); err != nil {
			t.Fatal(err)
		}
		if list := contradictions(t, arm, j); len(list) > 0 {
			t.Errorf("%s: %q", network, list)
		}
		for observer, units := range finalRows(t, arm, j) {
			for unit, epsilon := range units {
				if math.Abs(epsilon-want) > 1e-9 {
					t.Errorf("%s: %s learns %v of unit %d, want %v", network, observer, epsilon, unit, want)
				}
			}
		}
		rows := finalRows(t, arm, j)[accountant.Server]
		if n := len(rows); (n > 0) != (want > 0) {
			t.Errorf("%s: %d units in the ledger", network, n)
		}
	}
}
