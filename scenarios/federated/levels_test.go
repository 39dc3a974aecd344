package federated_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/accounts"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// counted has, by observer of a level, the numbers of raw and of other messages that it sees in a run,
// counted from the messages themselves. level gives the level of a participant, from the top, -1 for none,
// and names those of the levels.
func counted(t *testing.T, j *study.Job, names []string, level func(messages.NodeID) int) (raw, noisy map[accountant.Observer]int) {
	t.Helper()
	raw, noisy = map[accountant.Observer]int{}, map[accountant.Observer]int{}
	var others []messages.NodeID
	for node := range j.Run.Machines[1:] {
		others = append(others, messages.NodeID(node+1))
	}
	visit := func(w *lockstep.Watched) error {
		for _, m := range w.Inbox {
			from, to := level(m.From), level(w.Node)
			if from < 0 || to < 0 {
				continue
			}
			in := noisy
			if m.Payload.Kind().Exposure() == messages.Raw {
				in = raw
			}
			if to < len(names)-1 {
				in[accountant.OfLevel(names[to])]++
			}
			in[accountant.WireBelow(names[min(from, to)])]++
		}
		return nil
	}
	if err := lockstep.Watch(t.Context(), &j.Run, &lockstep.Watcher{Others: others, Visit: visit}); err != nil {
		t.Fatal(err)
	}
	return raw, noisy
}

// renyi is the epsilon at delta of releases with Gaussian noise of a multiplier, by the conversion of
// Canonne, Kamath and Steinke 2020 of Renyi divergences, on a fine grid of orders.
func renyi(releases, multiplier, delta float64) float64 {
	best := math.Inf(1)
	for order := 1.001; order < 200; order *= 1.0001 {
		best = min(best, releases*order/(2*multiplier*multiplier)+math.Log1p(-1/order)-math.Log(delta*order)/(order-1))
	}
	return best
}

// TestLevelsByHand: the loss to the servers of a level, and to readers of the links below it, is infinite
// where they see a raw message, and else the sum of the payments, by hand: Laplace noise of epsilon 0.5 in
// each of nine rounds, or Gaussian noise on each of 27 local steps.
func TestLevelsByHand(t *testing.T) {
	edge := func(node messages.NodeID) int { // of fan: [2, 3]
		return map[bool]int{node == 0: 0, node > 6: 1, node >= 1 && node <= 6: 2}[true]
	}
	region := func(node messages.NodeID) int { // of fan: [1, 2, 3]
		return map[bool]int{node == 0: 0, node == 7: 1, node > 7: 2, node >= 1 && node <= 6: 3}[true]
	}
	three, four := []string{"cloud", "edge", "client"}, []string{"cloud", "region", "edge", "client"}
	for _, test := range []struct {
		levels, keys string
		names        []string
		level        func(messages.NodeID) int
		finite       string  // the observers that see no raw message
		loss         float64 // to them
	}{
		{"fan: [2, 3], schedule: [{every: 4}], noise: edge", "", three, edge, "level cloud, wire below cloud", 4.5},
		{"fan: [2, 3], noise: cloud", "", three, edge, "", 0},
		{"fan: [1, 2, 3], schedule: [{every: 4}, {every: 1}], noise: region", "", four, region, "level cloud, wire below cloud", 4.5},
		{"fan: [1, 2, 3], schedule: [{every: 4}, {every: 2}], noise: edge", "", four, region, "level cloud, wire below cloud, level region, wire below region", 4.5},
		{"fan: [2, 3], schedule: [{every: 4}]", "algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 1, tau: 3, level: record}|mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-4, accountant: rdp-cks}", three, edge, "level cloud, wire below cloud, level edge, wire below edge", renyi(27, 2, 1e-4)},
		{"fan: [2, 3], levels: [ministry, school, pupil], noise: school", "", []string{"ministry", "school", "pupil"}, edge, "level ministry, wire below ministry", 4.5},
		{"fan: [2, 3], schedule: [{every: 4}]", "mechanism={kind: none}", three, edge, "", 0},
	} {
		overrides := []string{"mechanism={kind: laplace, epsilon: 0.5}", levels(test.levels), "measure.levels=true"}
		if test.keys != "" {
			overrides = append(overrides, strings.Split(test.keys, "|")...)
		}
		within := 1e-9
		if strings.Contains(test.keys, "rdp-cks") { // on other orders
			within = 1e-3
		}
		s := scenariotest.LoadText(t, tiersText(t), overrides...)
		raw, noisy := counted(t, scenariotest.JobOf(t, s), test.names, test.level)
		_, j := scenariotest.SentBy(t, s, 0, 1)
		rows := scenariotest.FinalRows(t, s.Arms[0], j)
		for _, name := range test.names[:len(test.names)-1] {
			for _, o := range []accountant.Observer{accountant.OfLevel(name), accountant.WireBelow(name)} {
				finite := strings.Contains(", "+test.finite+",", ", "+string(o)+",")
				if (raw[o] == 0) != finite || raw[o]+noisy[o] == 0 {
					t.Errorf("%s %s: %s sees %d raw messages and %d others", test.levels, test.keys, o, raw[o], noisy[o])
				}
				if len(rows[o]) != 6 {
					t.Errorf("%s %s: %d rows of %s", test.levels, test.keys, len(rows[o]), o)
				}
				for client, epsilon := range rows[o] {
					if finite && !(math.Abs(epsilon-test.loss) <= within*test.loss) || !finite && !math.IsInf(epsilon, 1) {
						t.Errorf("%s %s: client %d loses %v to %s", test.levels, test.keys, client, epsilon, o)
					}
				}
			}
		}
		if list, err := accounts.Contradictions(s.Arms[0], j.Meter); err != nil || list != nil {
			t.Errorf("%s %s: %v, %v", test.levels, test.keys, list, err)
		}
	}
}

// TestLevelsAreAdditions: the rows of levels come beside all others, which stay, and the digest too.
func TestLevelsAreAdditions(t *testing.T) {
	const noise = "mechanism={kind: sampled-gaussian, sigma: 0.7, delta: 1e-4}"
	of := levels("fan: [2, 3], schedule: [{every: 4}], noise: edge")
	with, without := scenariotest.LoadText(t, tiersText(t), of, noise, "measure.levels=true"), scenariotest.LoadText(t, tiersText(t), of, noise)
	if a, b := scenariotest.MetricsOf(t, with, runner.RunOptions{}).Digest, scenariotest.MetricsOf(t, without, runner.RunOptions{}).Digest; a != b {
		t.Errorf("digest %s with rows of levels, and %s without", a, b)
	}
	_, j := scenariotest.SentBy(t, with, 0, 1)
	_, k := scenariotest.SentBy(t, without, 0, 1)
	all, old := scenariotest.FinalRows(t, with.Arms[0], j), scenariotest.FinalRows(t, without.Arms[0], k)
	if len(all) != len(old)+4 {
		t.Errorf("observers %v", all)
	}
	for o, rows := range old {
		if fmt.Sprint(rows) != fmt.Sprint(all[o]) {
			t.Errorf("%s: %v with rows of levels, and %v without", o, all[o], rows)
		}
	}
	entries := map[string]string{}
	for _, e := range accounts.LedgerEntries(with) {
		entries[e.Observer] = e.Claimed + ": " + e.Remark
	}
	if text := entries["level edge"]; !strings.HasPrefix(text, "trusted: a server of the level edge is trusted") {
		t.Errorf("level edge is %q", text)
	}
	star := scenariotest.LoadText(t, tiersText(t), noise, "measure.levels=true")
	if n := len(star.Arms[0].Privacy.Accounts); n != 4 {
		t.Errorf("%d accounts of one server", n)
	}
	resumed, paused := scenariotest.SentBy(t, with, 3, 1)
	if got := scenariotest.FinalRows(t, with.Arms[0], paused); fmt.Sprint(got) != fmt.Sprint(all) || len(resumed) == 0 {
		t.Errorf("losses after the run is resumed: %v, want %v", got, all)
	}
}
