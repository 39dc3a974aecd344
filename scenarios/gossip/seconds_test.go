package gossip_test

import (
	"strings"
	"testing"

	"starling/messages"
	"starling/scenarios/scenariotest"
)

// ticksText is a mesh whose nodes have Poisson clocks, and messages that take seconds.
const ticksText = `version: 1
name: ticks
horizon: 60
nodes: 6
algorithm: {kind: dsgd, learning_rate: 0.5, decay: 0, missing: drop, late: use}
problem: {kind: synthetic-logistic, dimension: 3, test_samples: 2, set: {kind: l2-ball, dimension: 3, radius: 20}}
topology: {kind: complete, weights: unchecked, weighting: {scheme: uniform-in, self_loops: true}, schedule: {clocks: [1, 3]}}
mechanism: {kind: none}
network: {kind: effects, delay: {seconds: {median: 0.4}}}
measure: {every: 1, metrics: [time.elapsed, messages.late, messages.sent, loss.mean]}
seeds: {base: 1, count: 1}
plots: []
`

// ticksSpread has delays that differ between messages.
const ticksSpread = "network.delay={seconds: {median: 0.4, spread: 1}, longest: 30}"

// TestSecondsOfMessages: a message that takes 0.4 seconds arrives at the first tick at or after its time, by the times
// that the run records.
func TestSecondsOfMessages(t *testing.T) {
	rows := scenariotest.MeasuredIn(t, ticksText).Rows
	times := scenariotest.ValuesOf(rows, "time.elapsed")
	j := scenariotest.JobOf(t, scenariotest.LoadText(t, ticksText))
	late := 0.0
	for turn, now := range times {
		due := turn + 1
		for due < len(times) && times[due] < now+0.4 {
			due++
		}
		for to := range messages.NodeID(6) {
			if got, lost := j.Run.Network.Fate((to+1)%6, to, turn); got != due-turn-1 || lost {
				t.Errorf("sent at tick %d: %d ticks later, want %d", turn+1, got, due-turn-1)
			}
		}
		if due > turn+1 && due < len(times) {
			late += 5 // to all other nodes, of those that arrive
		}
	}
	if got := scenariotest.Last(scenariotest.ValuesOf(rows, "messages.late")); got != late || late == 0 || late == 300 {
		t.Errorf("%v messages are late, want %v", got, late)
	}
}

// TestSecondsOnAnyRuntime: a run has one digest on either runtime, of any number of shards, and goes on from its state
// with the same messages.
func TestSecondsOnAnyRuntime(t *testing.T) {
	for _, set := range []string{"horizon=60", ticksSpread, "topology={kind: matching, every: 1, clocks: [1]}"} {
		s := scenariotest.LoadText(t, ticksText, set)
		digest := ""
		for _, o := range scenariotest.Engines(s) {
			if m := scenariotest.MetricsOf(t, s, o); digest == "" {
				digest = m.Digest
			} else if m.Digest != digest {
				t.Errorf("%s, %+v: digest %s, want %s", set, o, m.Digest, digest)
			}
		}
		scenariotest.Resumes(t, s, 25, 0, 1, 2, 3, 4, 5)
	}
}

// TestSecondsAreRefused: delays in seconds need clocks, and a longest one where they differ.
func TestSecondsAreRefused(t *testing.T) {
	const clocks = "network.delay.seconds: no clock gives the turns of this network seconds; want the section clock of a server"
	scenariotest.Refuses(t, ticksText, map[string]string{
		"topology={kind: complete, self_loops: true}":                                       "s.yaml:9:43: " + clocks,
		"topology={kind: star}|algorithm={kind: dpfl, tau: 1, learning_rate: 0.5, clip: 1}": clocks,
		"network.delay={seconds: {median: 0.4, spread: 1}}":                                 "network.delay.longest: delays with a spread have no longest",
		"network.delay={seconds: {median: 0.4}, longest: 3}":                                "network.delay.longest: a delay in seconds without a spread is constant",
		"network.delay={seconds: {median: 0.4}, turns: 3}":                                  "network.delay: a delay is constant (turns), uniform",
		"network.delay={seconds: {median: 0}}":                                              "network.delay.seconds.median: ",
		strings.Replace(ticksSpread, "longest", "arrive: 0.5, longest", 1):                  "network.delay: a delay is constant (turns), uniform",
	})
}
