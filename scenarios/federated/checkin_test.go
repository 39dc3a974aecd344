package federated_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/messages"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/section/networks"
)

// checkInText is a run of clients that check in, with speeds of their own.
const checkInText = `version: 1
name: check-in
horizon: 8
nodes: 300
algorithm: {kind: dp-fedavg, learning_rate: 0.5, clip: 0.3, samples: 6, tau: 2, batch: 3, apart: 3, draw: server}
problem: {kind: synthetic-logistic, dimension: 5, test_samples: 4}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 0.7, delta: 1e-5}
clock: {compute: {median: 1.6, spread: 1}, jitter: 0.3, check_in: {goal: 20, over: 0.3, deadline: 12, least: 15}}
measure: {every: 1}
seeds: {base: 1, count: 1}
plots: []
`

// TestCheckInRuns: the metrics of a run are those of the protocol, on any runtime, and the clients of a
// round are those whose reports were in time.
func TestCheckInRuns(t *testing.T) {
	s := scenariotest.LoadText(t, checkInText)
	arm := s.Arms[0].File
	rule, err := aggregation.Participation{Rate: 1, Groups: 1, Apart: 3}.WithCheckIn(arm.Clock.CheckIn, 300, 9)
	if err != nil {
		t.Fatal(err)
	}
	come, line, err := rule.Admit(1, 300, 9, nil, func(client messages.NodeID, round int) networks.Effort {
		return arm.Clock.Draw(1).Effort(client, round, networks.Work{Down: 45, Up: 45, Samples: 6})
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]float64{}
	total := 0.0
	for round := 1; round <= 8; round++ {
		total += line.Seconds(round)
		apart := float64(line.Apart(round))
		if apart == 0 {
			apart = math.NaN()
		}
		for name, value := range map[string]float64{
			"time.elapsed": total, "time.wasted": line.Wasted(round), "rounds.abandoned": float64(line.Abandoned(round)), "apart.least": apart,
			"clients.round": float64(len(come.Of(round))), "clients.unique": float64(come.Unique(round)),
		} {
			want[name] = append(want[name], value)
		}
	}
	if line.Abandoned(8) == 0 || line.Apart(8) != 3 || len(come.Of(1)) == 20 && len(come.Of(2)) == 20 {
		t.Errorf("the run is too easy: %d rounds are abandoned, clients are %d apart", line.Abandoned(8), line.Apart(8))
	}
	rows := scenariotest.MeasuredIn(t, checkInText).Rows
	for name, values := range want {
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if got := scenariotest.ValuesOf(rows, name); !slices.EqualFunc(got, values, same) {
			t.Errorf("%s: %v, want %v", name, got, values)
		}
	}
	scenariotest.OneDigest(t, s)
	scenariotest.Resumes(t, s, 3, 0)
}

// TestCheckInKeepsStates: clients that check in and keep state, all of a group in its turn, make the models of
// clients that are held. Where some are late, states are those of the reports that were used, also after a pause.
func TestCheckInKeepsStates(t *testing.T) {
	const scaffold, groups, held = "algorithm.kind=dp-scaffold", "algorithm.groups=3", "mechanism={kind: none}"
	for _, nodes := range []string{"12", "90"} { // every client has a seat; or some share seats
		goal := map[string]string{"12": "4", "90": "30"}[nodes]
		one := []string{scaffold, groups, held, "algorithm.apart=1", "algorithm.times=2", "nodes=" + nodes}
		admitted := scenariotest.WatchServer(t, checkInText, append(one, "clock.check_in={goal: "+goal+", deadline: 1000}", "horizon=5")...).Models
		all := scenariotest.WatchServer(t, checkInText, append(one, "clock=null", "algorithm.draw=clients", "algorithm.rate=1", "horizon=5")...).Models
		if len(all) != 5 || len(admitted) != 5 {
			t.Fatalf("%d and %d models", len(admitted), len(all))
		}
		for round := range all {
			if far := scenariotest.Far(admitted[round], all[round]); far > 1e-12 {
				t.Errorf("%s clients: the model of round %d is %v from that of clients that are held", nodes, round+1, far)
			}
		}
	}
	s := scenariotest.LoadText(t, checkInText, scaffold, "measure.every=8")
	digests := map[string]bool{}
	for _, o := range scenariotest.SomeEngines(s) {
		digests[scenariotest.MetricsOf(t, s, o).Digest] = true
	}
	if len(digests) != 1 {
		t.Errorf("digests %v", digests)
	}
	scenariotest.Resumes(t, s, 4, 0)
}

// TestCheckInUsesLate: late reports that are used make rounds shorter and lose less work, on any runtime. Where no
// client is late, models are those of dropped reports.
func TestCheckInUsesLate(t *testing.T) {
	const use = "clock.check_in.late=use"
	last := func(metric string, more ...string) float64 {
		return scenariotest.Last(scenariotest.ValuesOf(scenariotest.MeasuredIn(t, checkInText, more...).Rows, metric))
	}
	if late := last("reports.late", use); late < 10 || last("time.elapsed", use) >= last("time.elapsed") || last("time.wasted", use) >= last("time.wasted") {
		t.Errorf("%v late reports, %v s and %v s of lost work; without them %v s and %v s", late, last("time.elapsed", use), last("time.wasted", use), last("time.elapsed"), last("time.wasted"))
	}
	none := []string{"clock.check_in={goal: 20, deadline: 1e6}"}
	dropped, used := scenariotest.WatchServer(t, checkInText, none...), scenariotest.WatchServer(t, checkInText, append(none, use)...)
	for round, x := range dropped.Models {
		if far := scenariotest.Far(x, used.Models[round]); far > 1e-12 {
			t.Errorf("the model of round %d is %v from that of dropped reports", round+1, far)
		}
	}
	if len(dropped.Models) != 8 || !slices.Equal(dropped.Paid[0], used.Paid[0]) {
		t.Errorf("%d models, paid %v, want %v", len(dropped.Models), used.Paid, dropped.Paid)
	}
	s := scenariotest.LoadText(t, checkInText, use, "measure.every=8")
	digests := map[string]bool{}
	for _, o := range scenariotest.SomeEngines(s) {
		digests[scenariotest.MetricsOf(t, s, o).Digest] = true
	}
	if len(digests) != 1 {
		t.Errorf("digests %v", digests)
	}
	scenariotest.Resumes(t, s, 4, 0, 1, 2)
}

// TestCheckInPays: the account is that of clients that take part as often as the timers let them, without
// a sample, with independent and with correlated noise.
func TestCheckInPays(t *testing.T) {
	for _, more := range [][]string{
		nil, {"algorithm.times=2"}, {"algorithm.kind=dp-ftrl", "algorithm.tau=1", "mechanism={kind: tree, epsilon: 2, delta: 1e-5}"},
	} {
		checked := scenariotest.MeasuredIn(t, checkInText, more...).Rows
		held := scenariotest.MeasuredIn(t, checkInText, append(slices.Clone(more), "clock=null", "algorithm.draw=clients", "algorithm.rate=1", "nodes=30")...).Rows
		got, want := scenariotest.Last(scenariotest.ValuesOf(checked, "epsilon.total")), scenariotest.Last(scenariotest.ValuesOf(held, "epsilon.total"))
		if !(got > 0 && got < 100) || got != want {
			t.Errorf("%v: epsilon %v, want %v", more, got, want)
		}
	}
	notes := scenariotest.RunIn(t, scenariotest.LoadText(t, checkInText), runner.RunOptions{Engine: runner.Lockstep}).Manifest.Notes
	if note := scenariotest.NoteOf(notes, "neighbours"); !strings.Contains(note, "zeros in their place, at the same times") {
		t.Errorf("note %q", note)
	}
}

// TestCheckInRefuses: protocols without a meaning are refused at their key, and a deadline that drops
// many reports is warned of with their share.
func TestCheckInRefuses(t *testing.T) {
	scenariotest.Refuses(t, checkInText, map[string]string{
		"algorithm.draw=clients":                             "clock.check_in: the server admits clients",
		"algorithm.rate=0.1":                                 "algorithm.rate: devices that check in choose when to come",
		"algorithm.amplified=true":                           "algorithm.amplified: devices that check in choose when to come",
		"algorithm.cohort=10":                                "algorithm.cohort: the goal of check_in is the number of clients of a round",
		"algorithm.level=record":                             "algorithm.level: the account of clients that check in is for all that a client sends",
		"algorithm.aggregation={kind: local}":                "algorithm.aggregation: the server of clients that check in is trusted",
		"clock.check_in.late=use|algorithm.kind=dp-scaffold": "clock.check_in.late: the states of clients of dp-scaffold go on from round to round",
		"clock.check_in.late=use|algorithm.groups=2":         "clock.check_in.late: groups take turns",
		"clock.check_in.late=use|algorithm.stragglers={share: 0.5, steps: 1, update: partial}": "clock.check_in.late: stragglers are drawn for a round",
		"clock.check_in.late=use|algorithm.combine={kind: median}|mechanism={kind: none}":      "clock.check_in.late: rules that combine vectors have no weights of late ones",
		"clock.check_in.least=21":       "clock.check_in.least: at least 21 reports, and 20 end a round",
		"clock.check_in.deadline=0.001": "clock.check_in.deadline: the fastest of 300 clients takes",
		"nodes=40":                      "clock.check_in.least: 15 reports of different clients in each of 3 rounds in a row need 45 clients, and there are 40; want at most 13",
		"nodes=60|algorithm.times=1":    "clock.check_in.least: 15 reports in each of 9 rounds need 135 clients that come 1 time, and there are 60",
		"algorithm.stragglers={share: 0.5, steps: 1, update: drop}": "algorithm.stragglers.update: clients that check in and are late",
	})
	for set, warned := range map[string]bool{"clock.check_in.deadline=4": true, "clock.check_in.deadline=1000": false} {
		found := false
		for _, w := range scenariotest.LoadText(t, checkInText, set).Remarks {
			found = found || w.Code == "deadline" && strings.Contains(w.Message, "take longer than the deadline of 4 s, and their reports are dropped")
		}
		if found != warned {
			t.Errorf("%s: warned %v, want %v", set, found, warned)
		}
	}
}

// TestAvailability: clients of a zone are there in its night alone. A run that is shorter than a day has
// reports of some zones, and one of a day and more of all of them. It has one digest on any runtime.
func TestAvailability(t *testing.T) {
	night := "clock.availability={law: periodic, mean: 0.2, swing: 0.5, zones: [{share: 0.5}, {share: 0.5, hours: 12}]}"
	fewest := func(deadline, rounds string) (last float64, seconds float64) {
		rows := scenariotest.MeasuredIn(t, checkInText, night, "nodes=2000", rounds, "clock.compute.median=1000", deadline).Rows
		return scenariotest.Last(scenariotest.ValuesOf(rows, "zones.fewest")), scenariotest.Last(scenariotest.ValuesOf(rows, "time.elapsed"))
	}
	if share, seconds := fewest("clock.check_in={goal: 20, over: 1, deadline: 3600, least: 1}", "horizon=4"); share != 0 || seconds > 4*3600 {
		t.Errorf("in the %v s after a midnight the zone of noon has %v of its share", seconds, share)
	}
	if share, seconds := fewest("clock.check_in={goal: 60, deadline: 14400, least: 1}", "horizon=12"); share < 0.6 || seconds < 86400 {
		t.Errorf("in %v s the zone with the fewest has %v of its share", seconds, share)
	}
	scenariotest.OneDigest(t, scenariotest.LoadText(t, checkInText, night, "nodes=500", "horizon=3"))
}

// TestAvailabilityRefuses: sections without a meaning are refused at their key, and files at their line.
func TestAvailabilityRefuses(t *testing.T) {
	back := scenariotest.File(t, "trace,on,off\n1,50,70\n1,60,90\n")
	for set, want := range map[string]string{
		"clock.check_in=null|clock.availability={law: on-off, on: 60, off: 60}":  "clock.check_in: clients with availability choose when to come",
		"clock.availability={law: on-off, on: 60}":                               "clock.availability.off: the law on-off needs off",
		"clock.availability={law: on-off, on: 60, off: 60, mean: 0.1}":           "clock.availability.mean: mean is for the law periodic",
		"clock.availability={law: on-off, on: 60, off: 60, zones: [{share: 1}]}": "clock.availability.zones: the law on-off has no hours of a day",
		"clock.availability={law: periodic, mean: 0.1, zones: [{share: 0.5}]}":   "clock.availability.zones: the shares sum to 0.5, want 1",
		"clock.availability={law: traces}":                                       "clock.availability.file: the law traces needs file",
		"clock.availability={law: traces, file: nothing.csv}":                    "clock.availability.file",
		"clock.availability={law: traces, file: " + back + "}":                   ":3: trace 1 goes back: it is on at 60 s, before 70 s, the end of its row before",
	} {
		_, err := scenariotest.LoadError(t, checkInText, strings.Split(set, "|")...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", set, err, want)
		}
	}
	j := scenariotest.LoadText(t, checkInText, "clock.availability={law: periodic, mean: 0.0001}").Arms[0].Algorithm
	if _, err := j.Job(1); err == nil || !strings.Contains(err.Error(), "seed 1: round 1 was abandoned 1000 times") {
		t.Errorf("where nobody is there: %v", err)
	}
}
