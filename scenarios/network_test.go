package scenarios_test

import (
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/gauge"
	"starling/scenarios/runner"
)

// TestNetworkRefuses checks what is wrong with the section of a network, under
// its place.
func TestNetworkRefuses(t *testing.T) {
	for section, want := range map[string]string{
		"{kind: lossy}":                                                                                  `unknown kind "lossy"; known: ideal, effects`,
		"{kind: effects, loss: 3}":                                                                       "network.loss: expected a mapping",
		"{kind: effects, loss: {probability: 2}}":                                                        "network.loss",
		"{kind: effects, loss: {probability: 0.1, enter: 0.1}}":                                          "network.loss: losses are independent (probability) or in bursts (enter, leave, good, bad)",
		"{kind: effects, delay: {turns: 1, longest: 3}}":                                                 "network.delay: a delay is constant (turns), uniform (least, longest), geometric (arrive, longest), by edge (edges or file, rest) or in seconds (seconds, longest)",
		"{kind: effects, delay: {turns: -1}}":                                                            "network.delay",
		"{kind: effects, patience: -1}":                                                                  "network.patience",
		"{kind: effects, churn: {fail: 2, recover: 1}}":                                                  "network.churn",
		"{kind: effects, events: [{at: 0, crash: [1]}]}":                                                 "network.events[0].at: step 0; want at least 1",
		"{kind: effects, events: [{at: 3, until: 3, crash: [1]}]}":                                       "network.events[0].until: step 3 is not after step 3, at which it begins",
		"{kind: effects, events: [{at: 3, crash: [4]}]}":                                                 "network.events[0].crash: node 4 is not one of 1 to 3",
		"{kind: effects, events: [{at: 3, straggle: [1]}]}":                                              "network.events[0].turns: 0 turns; stragglers are late by at least 1",
		"{kind: effects, events: [{at: 3, partition: [[1], [1, 2]]}]}":                                   "network.events",
		"{kind: effects, events: [{at: 3, explode: [1]}]}":                                               `unknown key "explode"`,
		"{kind: effects, events: [{at: 3, rewire: {add: [[1, 2]]}}]}":                                    "network.events[0].rewire: edges belong to the graph: want the event under topology.events",
		"{kind: effects, events: [{at: 3, crash: 4}]}":                                                   "network.events[0].crash: node 4 is not one of 1 to 3",
		"{kind: effects, events: [{at: 3, crash: 1, recover: 1}]}":                                       "network.events[0].recover: node 1 crashes and recovers in one event",
		"{kind: effects, events: [{at: 3, crash: 1, until: 5}, {at: 5, recover: 1}]}":                    "network.events[1].recover: node 1 is not crashed at step 5",
		"{kind: effects, events: [{at: 3, heal: true}]}":                                                 "network.events[0].heal: there is no partition to heal at step 3",
		"{kind: effects, events: [{at: 3, partition: [[1]], name: a}, {at: 4, heal: true, name: b}]}":    "network.events[1].heal: there is no partition b to heal at step 4",
		"{kind: effects, events: [{at: 3, partition: [[1]]}, {at: 4, heal: true}, {at: 5, heal: true}]}": "network.events[2].heal: there is no partition to heal at step 5",
		"{kind: effects, events: [{at: 3, partition: [[1]], heal: true}]}":                               "network.events[0].heal: the event heals and partitions; want two events",
		"{kind: effects, events: [{at: 3, crash: 1, name: a}]}":                                          "network.events[0].name: names nothing",
		"{kind: effects, delay: {rest: 2}}":                                                              "network.delay.rest: rest is of a delay by edge",
		"{kind: effects, delay: {least: 2}}":                                                             "network.delay: longest is 0 turns",
		"{kind: effects, delay: {turns: 1, edges: [{from: 1, to: 2, turns: 3}]}}":                        "network.delay: a delay is constant",
		"{kind: effects, delay: {edges: [{from: 1, to: 4, turns: 3}]}}":                                  "network.delay.edges[0].to: node 4 is not one of 1 to 3",
		"{kind: effects, delay: {edges: [{from: 1, to: 2, turns: 3}, {from: 1, to: 2, turns: 4}]}}":      "network.delay.edges[1]: the edge from 1 to 2 is given already",
		"{kind: effects, bandwidth: {queue: 4}}":                                                         "network.bandwidth: no limit; want bytes, edges or file",
		"{kind: effects, bandwidth: {bytes: 4}}":                                                         "network.bandwidth: neither queue nor longest",
		"{kind: effects, bandwidth: {bytes: -4, queue: 1}}":                                              "network.bandwidth.bytes: -4; want 0 to 1099511627776",
		"{kind: effects, bandwidth: {edges: [{from: 2, to: 2, bytes: 3}], queue: 1}}":                    "network.bandwidth.edges[0]: the edge from 2 to itself crosses no wire",
	} {
		_, err := scenarios.Load(baseFile(t, base), parseSets(t, "network="+section)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", section, err, want)
		}
	}
	for section, want := range map[string]string{
		"{kind: effects, churn: {fail: 0.1, recover: 0.5, forget: true}}":              "network: nodes that forget their state would repeat releases that ofl pays for once; leave forget out",
		"{kind: effects, churn: {fail: 0.1, recover: 0.5, nodes: [99]}}":               "network.churn.nodes: node 99 is not one of 0 to ",
		"{kind: effects, delay: {edges: [{from: 4, to: 1, turns: 3}]}}":                "network.delay.edges[0]: data that a client hands its learner cross no network: nothing delays or limits messages of 4 to 1",
		"{kind: effects, bandwidth: {queue: 4, edges: [{from: 5, to: 2, bytes: 30}]}}": "network.bandwidth.edges[0]: data that a client hands its learner cross no network",
		"{kind: effects, events: [{at: 3, straggle: [6], turns: 2}]}":                  "network.events[0].straggle: node 6 is a client, and data that it hands its learner cross no network",
	} {
		_, err := scenarios.Load(baseFile(t, learning), parseSets(t, "network="+section)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a federated algorithm: %v, want %q", err, want)
		}
	}
	_, err := scenarios.Load(baseFile(t, stochastic), parseSets(t, "network={kind: effects}")...)
	if err == nil || !strings.Contains(err.Error(), "network.kind: the server of opestoch waits for every client; its network is ideal") {
		t.Errorf("experts: %v", err)
	}
}

// TestNetworkExtremes runs what must be defined, finite and reported.
func TestNetworkExtremes(t *testing.T) {
	const sent = 3 * 12 // an edge out of every node that is no loop, in every step
	for section, lost := range map[string]float64{
		"{kind: effects, loss: {probability: 1}}":                                sent,
		"{kind: effects, delay: {turns: 1000}}":                                  0,
		"{kind: effects, events: [{at: 1, crash: [1, 2, 3]}]}":                   0,
		"{kind: effects, events: [{at: 12, join: [3]}]}":                         -1,
		"{kind: effects, events: [{at: 1, partition: [[1], [2], [3]]}]}":         sent,
		"{kind: effects, events: [{at: 500, crash: [1]}]}":                       0,
		"{kind: effects, events: [{at: 2, until: 5, crash: [1], forget: true}]}": -1,
	} {
		for _, missing := range []string{"drop", "renormalise", "hold"} {
			s := loadText(t, base, "seeds.count=1", "network="+section, "algorithm.missing="+missing, "topology.weights=unchecked")
			a, b := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}), metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 2})
			if a.Digest != b.Digest {
				t.Errorf("%s, %s: lockstep %s, actors %s", section, missing, a.Digest, b.Digest)
			}
			got := 0.0
			for _, row := range a.Rows {
				if row.Metric == gauge.MessagesLost {
					got = row.Value
				}
			}
			if lost >= 0 && got != lost {
				t.Errorf("%s, %s: %v messages lost, want %v", section, missing, got, lost)
			}
		}
	}
}

// TestIdealNetworkIsNone checks that a network without effects is no network: the
// digest is that of the ideal one but for the two metrics that it records.
func TestIdealNetworkIsNone(t *testing.T) {
	value := func(network string) map[string]float64 {
		values := map[string]float64{}
		for _, row := range metricsOf(t, loadText(t, base, network), runner.RunOptions{Engine: runner.Lockstep}).Rows {
			if row.Node == nil && row.Step == 12 && !strings.HasPrefix(row.Metric, "messages.l") {
				values[row.Metric] += row.Value
			}
		}
		return values
	}
	want, got := value("network={kind: ideal}"), value("network={kind: effects}")
	for metric, v := range want {
		if got[metric] != v {
			t.Errorf("%s is %v, on the ideal network %v", metric, got[metric], v)
		}
	}
}
