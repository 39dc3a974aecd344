package federated_test

import (
	"slices"
	"testing"

	"starling/scenarios/scenariotest"
)

// delaysText is a run of rounds with a clock under which a message takes half a second.
const delaysText = `version: 1
name: delays
horizon: 8
nodes: 30
algorithm: {kind: dp-fedavg, learning_rate: 0.5, clip: 1, samples: 5, rate: 0.5}
problem: {kind: synthetic-logistic, dimension: 4, test_samples: 5}
topology: {kind: star}
mechanism: {kind: none}
clock: {latency: {median: 0.5}}
network: {kind: effects, delay: {seconds: {median: 0.25}}}
measure: {every: 1}
seeds: {base: 1, count: 1}
plots: []
`

// delayedWays are the ways in which clients of a server come.
var delayedWays = map[string][]string{
	"rounds":     nil,
	"population": {"algorithm.draw=server", "nodes=1000", "algorithm.rate=0.02"},
	"check-in":   {"algorithm={kind: dp-ftrl, learning_rate: 0.5, clip: 0.1, samples: 5, apart: 2, times: 3, draw: server}", "mechanism={kind: tree, epsilon: 2, delta: 1e-5}", "nodes=900", "clock.check_in={goal: 20, over: 0.5, deadline: 6, least: 15}"},
	"own pace":   {"algorithm={kind: fedbuff, learning_rate: 0.5, clip: 1, samples: 5, buffer: 3, concurrency: 6}"},
}

// TestConstantDelaysOfRounds: a round of constant times has two latencies and two delays, 1.5 seconds, and a delay of
// all messages is a longer latency.
func TestConstantDelaysOfRounds(t *testing.T) {
	for round, seconds := range scenariotest.ValuesOf(scenariotest.MeasuredIn(t, delaysText, "algorithm.rate=1").Rows, "time.elapsed") {
		if want := 1.5 * float64(round+1); seconds != want {
			t.Errorf("round %d ends at %v s, want %v", round+1, seconds, want)
		}
	}
	for name, way := range delayedWays {
		of := func(more ...string) string {
			return scenariotest.MeasuredIn(t, delaysText, append(slices.Clone(way), more...)...).Digest
		}
		if got, want := of(), of("network=null", "clock.latency.median=0.75"); got != want {
			t.Errorf("%s: digest %s, and %s with a longer latency", name, got, want)
		}
	}
}

// TestDelaysOfMessagesDiffer: delays with a spread are drawn for each message: rounds differ, on any runtime alike.
func TestDelaysOfMessagesDiffer(t *testing.T) {
	const spread = "network.delay={seconds: {median: 0.25, spread: 1}}"
	times := scenariotest.ValuesOf(scenariotest.MeasuredIn(t, delaysText, spread).Rows, "time.elapsed")
	for round := 2; round < len(times); round++ {
		if last, before := times[round]-times[round-1], times[round-1]-times[round-2]; last == before || last <= 1 {
			t.Errorf("rounds take %v and %v s", before, last)
		}
	}
	for _, way := range delayedWays {
		scenariotest.OneDigest(t, scenariotest.LoadText(t, delaysText, append(slices.Clone(way), spread)...))
	}
}

// TestDelaysOfRoundsAreRefused: a server with a clock takes delays in seconds, and no other effect.
func TestDelaysOfRoundsAreRefused(t *testing.T) {
	scenariotest.Refuses(t, delaysText, map[string]string{
		"network.loss={probability: 0.1}":                                "network: with the section clock a network has delay: {seconds} alone",
		"network.patience=2":                                             "network: with the section clock a network has delay: {seconds} alone",
		"network.delay={seconds: {median: 0.25, spread: 1}, longest: 5}": "network.delay.longest: the server waits for messages of any delay",
		"network.delay={turns: 1}":                                       "network.kind: the server of dp-fedavg waits for every client",
		"clock=null":                                                     "network.kind: the server of dp-fedavg waits for every client",
		"clock=null|algorithm={kind: fedbuff, learning_rate: 0.5, clip: 1, samples: 5, buffer: 3}": "network.delay.seconds: no clock gives the turns of this network seconds; want the section clock",
		"algorithm.draw=server|network.delay={turns: 1}":                                           "network: draw: server holds",
	})
}
