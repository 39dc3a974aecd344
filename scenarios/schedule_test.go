package scenarios_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/scenarios"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
	"starling/scenarios/view"
)

// schedules are sections of schedules, of 12 steps at least.
var schedules = []string{
	"{every: 1}",
	"{every: 5}",
	"{phases: [{from: 1, every: 2}, {from: 7, every: 3}]}",
	"{every: 1, doubling: 3}",
	"{probability: 0.4}",
	"{every: 4, offsets: [0, 1, 3]}",
}

// scheduled is an arm of equals that send at times.
const scheduled = `version: 1
name: scheduled
nodes: 7
horizon: 12
algorithm: {kind: dsgd, learning_rate: 0.3}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 3, radius: 1}}
topology: {kind: complete, weights: unchecked, weighting: {scheme: uniform-in, self_loops: true}, schedule: SCHEDULE}
mechanism: {kind: laplace, epsilon: 1}
seeds: {base: 1, count: 1}
plots: []
`

// accumulating are algorithms that make no release where nobody hears it.
var accumulating = map[string][]string{
	"dsgd":   nil,
	"dpdonc": {"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}"},
	"dpdonc, shifted": {"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}",
		"mechanism={kind: laplace, epsilon: 1, noise: shifted}"},
	"sgp":                {"algorithm.kind=sgp", "topology.weighting.scheme=uniform-out"},
	"dpdonc, push-sum":   {"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}, consensus: push-sum}", "topology.weighting.scheme=uniform-out"},
	"dsgd, one budget":   {"mechanism={kind: independent, epsilon: 4, delta: 1e-5}"},
	"dsgd, losses":       {"algorithm.missing=renormalise", "network={kind: effects, loss: {probability: 0.3}, churn: {fail: 0.1, recover: 0.5, forget: true}}"},
	"dpdonc, nodes gone": {"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}", "network={kind: effects, delay: {longest: 2}, churn: {fail: 0.2, recover: 0.5, forget: true}}"},
	"local":              {"algorithm.kind=local", "mechanism={kind: none}"},
}

// Under every schedule an algorithm has one digest on all runtimes, and its payments are those
// that the plan expects, or its run would fail.
func TestDigestsOfSchedules(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(accumulating)) {
		for j, schedule := range schedules {
			if !testneeds.Some(i+j, 2) {
				continue
			}
			t.Run(name+" "+schedule, func(t *testing.T) {
				t.Parallel()
				s := loadText(t, strings.Replace(scheduled, "SCHEDULE", schedule, 1), accumulating[name]...)
				digests := map[string]string{}
				for _, o := range scenariotest.SomeEngines(s) {
					digests[metricsOf(t, s, o).Digest] = fmt.Sprintf("%+v", o)
				}
				if len(digests) != 1 {
					t.Errorf("digests %v", digests)
				}
			})
		}
	}
}

// "Every 5, then every 20" over 400 steps makes 50 releases, and each node pays for 50. One
// budget for the run has the noise of 50 releases: what is accounted meets it.
func TestReleasesOfASchedule(t *testing.T) {
	text := strings.Replace(scheduled, "SCHEDULE", "{phases: [{from: 1, every: 5}, {from: 201, every: 20}]}", 1)
	for name, want := range map[string]float64{"dsgd": 50, "sgp": 50, "dpdonc, shifted": 50, "dsgd, one budget": 4} {
		s := loadText(t, text, append(slices.Clone(accumulating[name]), "horizon=400")...)
		_, j := scenariotest.SentBy(t, s, 0, 0)
		rows := scenariotest.FinalRows(t, s.Arms[0], j)
		for _, observer := range []accountant.Observer{accountant.Wire, accountant.Peer, accountant.Public} {
			for node, got := range rows[observer] {
				if !(got > want-1e-3*want && got <= want+1e-9) {
					t.Errorf("%s: %s learns %v of node %d, want %v", name, observer, got, node, want)
				}
			}
		}
	}
}

// Algorithms that do not accumulate refuse a schedule and say why, and so do settings.
func TestSchedulesThatAreRefused(t *testing.T) {
	text := strings.Replace(scheduled, "SCHEDULE", "{every: 5}", 1)
	for _, test := range []struct{ override, want string }{
		{"algorithm={kind: dpdonc, divergence: {kind: entropy}}", "only for the Euclidean divergence"},
		{"algorithm={kind: choco, gamma: 0.5}", "weights that must stay"},
		{"algorithm={kind: muffliato, rounds: 2}", "its rounds of gossip are its schedule"},
		{"algorithm={kind: random-walk}", "the walk is its schedule"},
		{"algorithm={kind: decor}", "it cancels where both send"},
		{"algorithm.combine={kind: median}", "without combine"},
		{"adversaries={kind: sign-flip, nodes: 2}", "adversaries, compression"},
		{"network={kind: effects, compression: {kind: top-k, share: 0.5}}", "compression"},
		{"algorithm.missing=hold network={kind: effects, churn: {fail: 0.1, recover: 0.5}}", "hold in a network with effects"},
		{"algorithm.missing=renormalise|topology.weighting={scheme: given}", "that may exceed 1"},
		{"topology.schedule={every: 0}", "every is 0; want at least 1"},
		{"topology.schedule={file: none.csv}", "topology.schedule.file: "},
		{"topology.schedule={probability: 2}", "probability 2; want"},
		{"topology.schedule={phases: [{from: 5, every: 2}, {from: 3, every: 1}]}", "phases[1].from: the phase begins in step 3, and the one before in step 5"},
		{"topology.schedule={every: 2, offsets: [1, 2, 3, 4, 5, 6, 7, 8]}", "8 offsets for 7 nodes"},
		{"topology={kind: complete, schedule: {every: 2, offsets: [0, 1]}}", "nodes that send in different steps leave edges out"},
	} {
		if _, err := scenarios.Load(baseFile(t, text), parseSets(t, strings.Split(strings.ReplaceAll(test.override, " network=", "|network="), "|")...)...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.override, err, test.want)
		}
	}
}

// contacts is a contact network of five nodes and nine steps. By hand: 1 is heard in steps 1,
// 4 and 9, 2 in 2 and 7, 3 in 3, 4 in 5, and 5 never. Something of 1 reaches 3 by the message
// of step 4 to 2 and that of 7 from there; its message of step 9 does not. Of 3 all reaches 1,
// of 4 nothing reaches 3 or 5.
const contacts = "step,from,to\n1,1,2\n2,2,3\n3,3,1\n4,1,2\n5,4,1\n7,2,3\n9,1,4\n9,1,2\n"

func TestContactsAreCountedByMessagesHeard(t *testing.T) {
	list := filepath.Join(t.TempDir(), "contacts.csv")
	if err := os.WriteFile(list, []byte(contacts), 0o644); err != nil {
		t.Fatal(err)
	}
	want := map[accountant.Observer]map[int32]float64{
		accountant.Wire:         {1: 3, 2: 2, 3: 1, 4: 1},
		accountant.Peer:         {1: 3, 2: 2, 3: 1, 4: 1},
		accountant.Coalition(3): {1: 2, 2: 2},
		accountant.Coalition(4): {1: 3, 2: 1, 3: 1},
	}
	for _, algorithm := range []string{"dsgd", "sgp"} {
		scheme := map[string]string{"dsgd": "uniform-in", "sgp": "uniform-out"}[algorithm]
		s := loadText(t, strings.Replace(scheduled, "SCHEDULE", "{every: 1}", 1), "nodes=5", "horizon=9", "algorithm.kind="+algorithm,
			"topology={kind: edge-list, file: "+list+", weights: unchecked, weighting: {scheme: "+scheme+", self_loops: true}}", "measure={observers: [{node: 3}, {node: 4}]}")
		_, j := scenariotest.SentBy(t, s, 0, 0)
		rows := scenariotest.FinalRows(t, s.Arms[0], j)
		for observer, nodes := range want {
			for node := range int32(5) {
				if got := rows[observer][node+1]; got != nodes[node+1] {
					t.Errorf("%s: %s learns %v of node %d, want %v", algorithm, observer, got, node+1, nodes[node+1])
				}
			}
		}
		if digest := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 2}).Digest; digest != metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Digest {
			t.Errorf("%s: two digests", algorithm)
		}
	}
}

// Steps with messages may stand in a file, for all nodes or for each: releases are its rows.
func TestSchedulesOfAFile(t *testing.T) {
	folder := t.TempDir()
	for name, file := range map[string]struct {
		text string
		want map[int32]float64
	}{
		"all.csv":  {"step\n3\n7\n8\n", map[int32]float64{1: 3, 7: 3}},
		"each.csv": {"step,node\n3,1\n7,1\n7,2\n12,7\n", map[int32]float64{1: 2, 2: 1, 3: 0, 7: 1}},
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(file.text), 0o644); err != nil {
			t.Fatal(err)
		}
		s := loadText(t, strings.Replace(scheduled, "SCHEDULE", "{file: "+path+"}", 1))
		_, j := scenariotest.SentBy(t, s, 0, 0)
		for node, want := range file.want {
			if got := scenariotest.FinalRows(t, s.Arms[0], j)[accountant.Wire][node]; got != want {
				t.Errorf("%s: node %d loses %v, want %v", name, node, got, want)
			}
		}
		if digests := s.Arms[0].Topology.Data; len(digests) != 1 {
			t.Errorf("%s: the run depends on %v", name, digests)
		}
	}
}

// The names of nodes are in the notes of a run, with their numbers.
func TestNamesOfNodesAreNoted(t *testing.T) {
	list := filepath.Join(t.TempDir(), "seen.csv")
	if err := os.WriteFile(list, []byte("time,who,whom\n0,ann,P9\n70,P9,10\n130,10,ann\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := loadText(t, strings.Replace(scheduled, "SCHEDULE", "{every: 1}", 1), "nodes=3", "horizon=4",
		"topology={kind: edge-list, file: "+list+", columns: {step: time, from: who, to: whom}, names: true, bin: 1m, weights: unchecked, weighting: {scheme: uniform-in, self_loops: true}}")
	outcome := runIn(t, s, runner.RunOptions{})
	if got := scenariotest.NoteOf(outcome.Manifest.Notes, "nodes"); got != "1 10, 2 P9, 3 ann" {
		t.Errorf("nodes: %q", got)
	}
	if sent := scenariotest.Last(scenariotest.ValuesOf(scenariotest.RowsOf(t, outcome.Dir), "messages.sent")); sent != 3 {
		t.Errorf("%v messages", sent)
	}
}

// A node whose message to itself is lost while it is down holds its own vector before that one. If
// nobody heard that vector it has no noise, and moves the next release beyond the last step. So
// such an arm makes a release in every step, heard or not.
func TestHeldVectorsAreReleases(t *testing.T) {
	list := filepath.Join(t.TempDir(), "net.csv")
	if err := os.WriteFile(list, []byte("step,from,to\n1,1,2\n1,2,1\n2,2,1\n3,1,2\n3,2,1\n5,1,2\n5,2,1\n6,2,1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for missing, want := range map[string]float64{"drop": 3, "renormalise": 3, "hold": 5} { // node 1 is down in step 4
		s := loadText(t, strings.Replace(scheduled, "SCHEDULE", "{every: 1}", 1), "nodes=3", "horizon=6", "algorithm.missing="+missing,
			"topology={kind: edge-list, file: "+list+", weights: unchecked, weighting: {scheme: uniform-in, self_loops: true}}",
			"network={kind: effects, events: [{at: 4, crash: 1}, {at: 5, recover: 1}]}")
		_, j := scenariotest.SentBy(t, s, 0, 0)
		if got := scenariotest.FinalRows(t, s.Arms[0], j)[accountant.Wire][1]; got != want {
			t.Errorf("%s: node 1 loses %v, want %v", missing, got, want)
		}
		for _, a := range scenariotest.AuditIn(t, s, scenariotest.AuditOptions(256)) {
			if a.Beyond > 0 {
				t.Errorf("%s: %s", missing, a.Inputs)
			}
		}
	}
}

// Audits of arms with a schedule and a budget know that nodes stop, on an ideal network too.
func TestAuditsOfSchedulesWithBudgets(t *testing.T) {
	s := loadText(t, strings.Replace(scheduled, "SCHEDULE", "{every: 2}", 1), "budget={epsilon: 3, on: stop}")
	for _, a := range scenariotest.AuditIn(t, s, scenariotest.AuditOptions(256)) {
		if a.Refuted() {
			t.Errorf("%s, %s: refuted", a.Mechanism, a.Inputs)
		}
	}
}

// A schedule that stops before the horizon has a warning with its last step, and one that goes on has
// none. The last step is the one in which the machines of a run last send.
func TestSchedulesThatStop(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return "{file: " + path + "}"
	}
	for schedule, want := range map[string]string{
		"{every: 1}":                  "",
		"{every: 5}":                  "",
		"{probability: 0.01}":         "",
		"{every: 1, doubling: 3}":     "the schedule {every: 1, doubling: 3} has its last messages in step 5 of 12: no later step has any",
		"{every: 1, doubling: 9}":     "",
		"{every: 7, offsets: [0, 1]}": "",
		"{phases: [{from: 1, every: 2}, {from: 7, every: 30}]}": "the schedule {phases: [{from: 1, every: 2}, {from: 7, every: 30}]} has its last messages in step 6 of 12: no later step has any",
		"{every: 13}":                         "the schedule {every: 13} has no messages in 12 steps",
		file("a.csv", "step\n2\n9\n14\n99\n"): "a.csv: 2 of its rows are of steps beyond the horizon of 12, the first of step 14, and have no effect",
	} {
		s := loadText(t, strings.Replace(scheduled, "SCHEDULE", schedule, 1))
		got := ""
		for _, w := range s.Remarks {
			if w.Code == "schedule" {
				got += w.Message
			}
		}
		if !strings.HasSuffix(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", schedule, got, want)
		}
		n, err := view.DescribeNetwork(s, "", 1)
		if err != nil {
			t.Fatal(err)
		}
		if stops := strings.HasPrefix(want, "the schedule"); stops != strings.Contains(n.Schedule, want) && want != "" {
			t.Errorf("%s: the network has the schedule %q", schedule, n.Schedule)
		}
	}
}

// The network of levels of servers has the edges of each step: of the cloud in every third, here.
func TestNetworkOfLevels(t *testing.T) {
	s := loadText(t, `version: 1
name: levels
nodes: 6
horizon: 12
algorithm: {kind: fedavg, learning_rate: 0.3, tau: 2, samples: 20}
problem: {kind: synthetic-logistic, dimension: 3, alpha: 1, beta: 1, test_samples: 20}
topology: {kind: tiers, fan: [2, 3], schedule: [{every: 3}]}
mechanism: {kind: none}
seeds: {base: 1, count: 1}
plots: []
`)
	n, err := view.DescribeNetwork(s, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	d, err := n.Describe(t.Context(), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if d.SmallestB == nil || *d.SmallestB != 3 {
		t.Errorf("the smallest window is %v, want 3", d.SmallestB)
	}
	if e := d.EdgesAStep; e.Min != 12 || e.Max != 16 || !(math.Abs(e.Mean-(12+4./3)) < 1e-9) {
		t.Errorf("edges a step: %+v", e)
	}
}
