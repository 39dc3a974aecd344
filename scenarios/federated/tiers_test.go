package federated_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/federated/machine"
	"starling/scenarios/gauge"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

const (
	tiersClip = 0.3
	tiersRate = 0.8 // of the server
)

// tiersText is a scenario of six clients in nine rounds of three local steps.
func tiersText(t *testing.T) string {
	t.Helper()
	return scenariotest.SineText(t, fmt.Sprintf("{kind: dp-fedavg, learning_rate: 0.5, clip: %v, tau: 3, server_rate: %v}", tiersClip, tiersRate))
}

// levels is an override of the topology.
func levels(keys string) string { return "topology={kind: tiers, " + keys + "}" }

// loop is hierarchical federated averaging as a loop over trees of servers, with noise of a
// deviation on the sum of each of the lowest. It returns the model at the top by round.
func loop(rounds int, fan []int, takes func(level, round int) bool, deviation float64) (models [][]float64) {
	const dim = scenariotest.SineDim
	top := make([]float64, dim)
	count := 1
	var at [][]float64                 // models by server, level by level
	var sums [][]float64               // of vectors since then
	servers := make([][]int, len(fan)) // numbers of the servers of a level
	for level, n := range fan {
		for range count {
			servers[level] = append(servers[level], len(at))
			at, sums = append(at, make([]float64, dim)), append(sums, make([]float64, dim))
		}
		count *= n
	}
	share := func(level int) float64 { return float64(count) / float64(len(servers[level])) }
	own := func(level, place int) []float64 {
		x := slices.Clone(at[servers[level][place]])
		for k, v := range sums[servers[level][place]] {
			x[k] += v / share(level)
		}
		return x
	}
	var stream rng.Stream
	lowest := len(fan) - 1
	for round := 1; round <= rounds; round++ {
		for place, server := range servers[lowest] {
			x, sum := own(lowest, place), make([]float64, dim)
			for i := range fan[lowest] {
				for k, v := range scenariotest.SineChange(x, place*fan[lowest]+i, 3, 0.5, tiersClip) {
					sum[k] += v
				}
			}
			if deviation > 0 {
				stream.Open(rng.NewKey(1, rng.PurposeOf("federated.noise")), 1+count+server-servers[1][0], round, 1).AddNormal(sum, deviation)
			}
			for k, v := range sum {
				sums[server][k] += v
			}
		}
		for level := lowest - 1; level >= 0; level-- {
			for place, server := range servers[level] {
				for i := range fan[level] {
					if below := servers[level+1][place*fan[level]+i]; takes(level, round) {
						for k, v := range sums[below] {
							sums[server][k] += v
						}
					}
				}
			}
		}
		if takes(0, round) {
			for k, v := range sums[0] {
				top[k] += tiersRate * v / share(0)
			}
			copy(at[0], top)
			clear(sums[0])
		}
		for level := 1; level <= lowest; level++ {
			for place, server := range servers[level] {
				if takes(level-1, round) {
					copy(at[server], own(level-1, place/fan[level-1]))
					clear(sums[server])
				}
			}
		}
		models = append(models, slices.Clone(top))
	}
	return models
}

// every returns which levels take part, given how often those above the lowest do.
func every(periods ...int) func(level, round int) bool {
	return func(level, round int) bool {
		if level >= len(periods) {
			return true
		}
		return slices.ContainsFunc(periods[:level+1], func(n int) bool { return round%n == 0 })
	}
}

// TestTiersByAPlainLoop: hierarchical federated averaging (Liu et al. 2020, Algorithm 1) is a loop
// over servers, to 1e-12.
func TestTiersByAPlainLoop(t *testing.T) {
	const noised = "|mechanism={kind: sampled-gaussian, sigma: 0.7, delta: 1e-4}"
	for _, test := range []struct {
		overrides string
		fan       []int
		takes     func(level, round int) bool
		deviation float64
	}{
		{levels("fan: [2, 3], schedule: [{every: 4}]"), []int{2, 3}, every(4), 0},
		{levels("fan: [3, 2], schedule: [{phases: [{from: 1, every: 2}, {from: 5, every: 4}]}]"), []int{3, 2}, func(level, round int) bool { return level > 0 || round == 2 || round == 4 || round == 8 }, 0},
		{levels("fan: [1, 6], schedule: [{every: 9}]"), []int{1, 6}, every(9), 0},
		{levels("fan: [6, 1]"), []int{6, 1}, every(1), 0},
		{levels("fan: [1, 2, 3], schedule: [{every: 6}, {every: 2}]"), []int{1, 2, 3}, every(6, 2), 0},
		{levels("fan: [3, 1, 2], schedule: [{every: 3}, {every: 2}]"), []int{3, 1, 2}, every(3, 2), 0},
		{levels("fan: [2, 3], schedule: [{every: 4}], noise: edge") + noised, []int{2, 3}, every(4), 0.7 * tiersClip},
	} {
		w := scenariotest.WatchServer(t, tiersText(t), strings.Split(test.overrides, "|")...)
		want := loop(9, test.fan, test.takes, test.deviation)
		for round, x := range w.Models {
			if far := scenariotest.Far(x, want[round]); far > 1e-12 {
				t.Errorf("%s: round %d is %v from the loop", test.overrides, round+1, far)
			}
		}
		if len(w.Models) != 9 {
			t.Errorf("%s: %d models", test.overrides, len(w.Models))
		}
	}
}

// TestTiersAreAStar: with servers below the top in every round, the model is that of one server;
// with one server below, whatever the schedule of the top, it is the same in the rounds of the top
// where the server's rule is a sum. One server without clipping is fedavg.
func TestTiersAreAStar(t *testing.T) {
	plain := []string{"algorithm.clip=none", "algorithm.server_rate=1"}
	star := scenariotest.WatchServer(t, tiersText(t), plain...).Models
	for _, keys := range []string{"fan: [1, 6]", "fan: [2, 3]", "fan: [6, 1]", "fan: [3, 2], schedule: [{every: 1}]", "fan: [1, 2, 3]"} {
		for round, x := range scenariotest.WatchServer(t, tiersText(t), append(slices.Clone(plain), levels(keys))...).Models {
			if far := scenariotest.Far(x, star[round]); far > 1e-12 {
				t.Errorf("%s: round %d is %v from the star", keys, round+1, far)
			}
		}
	}
	seldom := scenariotest.WatchServer(t, tiersText(t), append(slices.Clone(plain), levels("fan: [1, 6], schedule: [{every: 3}]"))...).Models
	for _, round := range []int{3, 6, 9} {
		if far := scenariotest.Far(seldom[round-1], star[round-1]); far > 1e-12 {
			t.Errorf("round %d of a seldom top is %v from the star", round, far)
		}
	}
	averaging := scenariotest.WatchServer(t, tiersText(t), "algorithm={kind: fedavg, learning_rate: 0.5, tau: 3}").Models
	if far := scenariotest.Far(averaging[8], star[8]); far > 1e-12 {
		t.Errorf("fedavg is %v from the star", far)
	}
}

// TestTiersPay: the servers that add noise pay, each for its own clients, as one server does for
// all; the observers above them see no more.
func TestTiersPay(t *testing.T) {
	const noise = "mechanism={kind: sampled-gaussian, sigma: 0.7, delta: 1e-4}"
	losses := func(overrides ...string) (map[accountant.Observer]float64, *scenariotest.Served) {
		s := scenariotest.LoadText(t, tiersText(t), append(overrides, noise, "algorithm.rate=0.5")...)
		_, j := scenariotest.SentBy(t, s, 0, 1)
		list := map[accountant.Observer]float64{}
		for observer, rows := range scenariotest.FinalRows(t, s.Arms[0], j) {
			for _, epsilon := range rows {
				list[observer] = max(list[observer], epsilon)
			}
		}
		return list, scenariotest.WatchServer(t, tiersText(t), append(overrides, noise, "algorithm.rate=0.5")...)
	}
	star, _ := losses()
	edge, w := losses(levels("fan: [2, 3], schedule: [{every: 4}], noise: edge"))
	if a, b := edge[accountant.Peer], star[accountant.Peer]; !(math.Abs(a-b) <= 1e-12*b) || edge[accountant.Server] != a || !math.IsInf(edge[accountant.Wire], 1) {
		t.Errorf("losses %v, of one server %v", edge, star)
	}
	for node, times := range map[messages.NodeID]int{0: 0, 1: 0, 7: 9, 8: 9} {
		if len(w.Paid[node]) != times {
			t.Errorf("node %d pays %d times, want %d", node, len(w.Paid[node]), times)
		}
	}
	cloud, w := losses(levels("fan: [2, 3], noise: cloud"))
	if a, b := cloud[accountant.Peer], star[accountant.Peer]; a != b || !math.IsInf(cloud[accountant.Server], 1) || len(w.Paid[0]) != 9 || len(w.Paid[7]) != 0 {
		t.Errorf("losses %v, of one server %v", cloud, star)
	}
	record, _ := losses(levels("fan: [2, 3], schedule: [{every: 4}]"), "algorithm.level=record")
	if a := record[accountant.Wire]; math.IsInf(a, 1) || record[accountant.Server] != a || record[accountant.Peer] != a {
		t.Errorf("losses %v where clients add noise", record)
	}
}

// TestTiersSendSumsAlone: servers send each other sums and models, and nothing beside: the number of
// clients in a sum would show who took part. The counts are metrics of the run.
func TestTiersSendSumsAlone(t *testing.T) {
	for _, keys := range []string{"fan: [6, 1], schedule: [{every: 2}], noise: edge", "fan: [1, 2, 3], schedule: [{every: 4}, {every: 1}], noise: region"} {
		s := scenariotest.LoadText(t, tiersText(t), levels(keys), "mechanism={kind: sampled-gaussian, sigma: 0.7, delta: 1e-4}", "algorithm.rate=0.5", "measure={every: 1, metrics: [clients.round, data.seen]}")
		j := scenariotest.JobOf(t, s)
		took := make([]float64, j.Run.Steps)
		visit := func(w *lockstep.Watched) error {
			for _, m := range w.Inbox {
				if n := len(m.Payload.(*messages.Vector).Values); n != scenariotest.SineDim {
					t.Errorf("%s: node %d sends %d numbers, want %d", keys, m.From, n, scenariotest.SineDim)
				}
			}
			if w.Hop == 1 { // of the lowest servers
				took[w.Step-1] += float64(len(w.Inbox))
			}
			return nil
		}
		others := []messages.NodeID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
		if err := lockstep.Watch(t.Context(), &j.Run, &lockstep.Watcher{Others: others[:len(j.Run.Machines)-1], Visit: visit}); err != nil {
			t.Fatal(err)
		}
		rows := scenariotest.MetricsOf(t, s, runner.RunOptions{}).Rows
		if got := scenariotest.ValuesOf(rows, machine.QuantityClients); !slices.Equal(got, took) {
			t.Errorf("%s: %v clients in rounds, want %v", keys, got, took)
		}
		seen := 0.0
		for round, got := range scenariotest.ValuesOf(rows, gauge.DataSeen) {
			if seen += 3 * 5 * took[round]; got != seen { // five samples of a client
				t.Errorf("%s: %v data seen by round %d, want %v", keys, got, round+1, seen)
			}
		}
	}
}

// TestTiersStop: where the budget of the servers with noise is spent, their clients stop, and so does
// each server above in its next round.
func TestTiersStop(t *testing.T) {
	s := scenariotest.LoadText(t, tiersText(t), levels("fan: [1, 2, 3], schedule: [{every: 4}, {every: 2}], noise: edge"), "mechanism={kind: sampled-gaussian, sigma: 1, delta: 1e-4}", "algorithm.rate=0.5", "budget={epsilon: 7, delta: 1e-4, on: stop}")
	j, stops, paid := scenariotest.JobOf(t, s), map[messages.NodeID]int{}, 0
	visit := func(w *lockstep.Watched) error {
		if w.Stopped {
			stops[w.Node] = w.Step
		} else if w.Node == 8 && w.Hop == 1 {
			paid++
		}
		return nil
	}
	if err := lockstep.Watch(t.Context(), &j.Run, &lockstep.Watcher{Others: []messages.NodeID{1, 2, 3, 4, 5, 6, 7, 8, 9}, Visit: visit}); err != nil {
		t.Fatal(err)
	}
	want := map[messages.NodeID]int{8: paid + 1, 9: paid + 1, 7: (paid + 2) / 2 * 2, 0: (paid + 4) / 4 * 4}
	for client := messages.NodeID(1); client <= 6; client++ {
		want[client] = paid + 2
	}
	if !maps.Equal(stops, want) || paid < 2 {
		t.Errorf("nodes stop in rounds %v, want %v", stops, want)
	}
}

// TestTiersRuntimes: all runtimes give the same bits, with any number of shards, and so does a run
// that is saved while the top is silent.
func TestTiersRuntimes(t *testing.T) {
	for _, keys := range []string{"fan: [2, 3], schedule: [{every: 4}], noise: edge", "fan: [1, 2, 3], schedule: [{probability: 0.3}, {every: 2}], noise: edge"} {
		s := scenariotest.LoadText(t, tiersText(t), levels(keys), "mechanism={kind: sampled-gaussian, sigma: 0.7, delta: 1e-4}", "algorithm.rate=0.5", "checkpoint={every: 3}")
		scenariotest.OneDigest(t, s)
		scenariotest.Resumes(t, s, 3, 0, 1, 7)
	}
}

// TestTiersAudit: an audit does not refute the books, and refutes them if half of the noise is
// missing.
func TestTiersAudit(t *testing.T) {
	testneeds.Slow(t)
	for _, keys := range []string{"fan: [2, 3], schedule: [{every: 4}], noise: edge", "fan: [2, 3], noise: cloud", "fan: [1, 2, 3], noise: region, schedule: [{every: 4}, {every: 1}]"} {
		s := scenariotest.LoadText(t, tiersText(t), levels(keys), "mechanism={kind: sampled-gaussian, sigma: 3, delta: 1e-2}")
		scenariotest.AuditTells(t, s, 4000)
	}
}

// TestTiersRefuse: bad levels are refused where they stand, all faults at once.
func TestTiersRefuse(t *testing.T) {
	const noise = "mechanism={kind: sampled-gaussian, sigma: 0.7, delta: 1e-4}"
	for _, test := range []struct{ overrides, want string }{
		{levels("fan: [6]"), "topology.fan: 1 levels of servers"},
		{levels("fan: [2, 2]"), "topology.fan: the servers have 4 clients, and there are 6 nodes"},
		{levels("fan: [2, 2], levels: [cloud, cloud, client]"), "topology.levels[1]: \"cloud\" is empty, or the name of another level"},
		{levels("fan: [2, 0]"), "topology.fan[1]"},
		{levels("fan: [2, 3], schedule: [{every: 2}, {every: 3}]"), "topology.schedule: 2 schedules for 1 levels of servers above the lowest"},
		{levels("fan: [2, 3], schedule: [{probability: 2}]"), "topology.schedule[0].probability: probability 2"},
		{levels("fan: [2, 3], schedule: [{every: 2, offsets: [0, 1]}]"), "topology.schedule[0].offsets: the servers of a level take part together"},
		{levels("fan: [2, 3], schedule: [{phases: [{from: 5, every: 2}, {from: 3, every: 1}]}]"), "topology.schedule[0].phases[1].from"},
		{levels("fan: [2, 3], levels: [cloud, edge]"), "topology.levels"},
		{levels("fan: [2, 3], levels: [cloud, cloud, client]"), "topology.levels[1]"},
		{levels("fan: [1, 1, 2, 3]"), "missing required key \"levels\""},
		{levels("fan: [2, 3], noise: client") + "|" + noise, "topology.noise: \"client\" is no level of servers"},
		{levels("fan: [2, 3], noise: fog, schedule: [{every: 1, each: true}]") + "|" + noise, "topology.schedule[0].each"},
		{levels("fan: [2, 3]") + "|" + noise, "missing required key \"noise\""},
		{levels("fan: [2, 3], noise: cloud, schedule: [{every: 2}]") + "|" + noise, "topology.noise: the level cloud does not take part in round 1"},
		{levels("fan: [2, 3], noise: cloud, schedule: [{probability: 0.5}]") + "|" + noise, "topology.noise: the level cloud takes part in some rounds"},
		{levels("fan: [1, 2, 3], noise: region, schedule: [{probability: 0.999999999}, {every: 2}]") + "|" + noise, "topology.noise: the level region takes part in some rounds"},
		{levels("fan: [2, 3], noise: edge") + "|algorithm.level=record|" + noise, "topology.noise: clients add the noise"},
		{levels("fan: [2, 3]") + "|algorithm={kind: dp-scaffold, learning_rate: 0.5, clip: 1}", "topology.kind"},
		{levels("fan: [2, 3]") + "|algorithm.aggregation={kind: local}", "algorithm.aggregation: shares of noise"},
		{levels("fan: [2, 3]") + "|algorithm.combine={kind: median}", "algorithm.combine: levels of servers add vectors up"},
	} {
		_, err := scenariotest.LoadError(t, tiersText(t), strings.Split(test.overrides, "|")...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.overrides, err, test.want)
		}
	}
}
