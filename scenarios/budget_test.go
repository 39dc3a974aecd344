package scenarios_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/actors/algorithm/dpdonc"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/jobs"
	"starling/scenarios/ledger"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// TestPlannedLoss compares the planned loss with the closed form of the paper's
// algorithm: as printed step t costs eps sqrt(t/(t-1)), shifted eps, and step 1,
// of a public point, nothing.
func TestPlannedLoss(t *testing.T) {
	for noise, cost := range map[noise.Schedule]func(step float64) float64{
		dpdonc.AsPrinted: func(step float64) float64 { return 0.25 * math.Sqrt(step/(step-1)) },
		dpdonc.Shifted:   func(float64) float64 { return 0.25 },
	} {
		arm := loadText(t, base, "mechanism={kind: laplace, epsilon: 0.25, noise: "+string(noise)+"}").Arms[0]
		want := 0.0
		for step := 2; step <= 40; step++ {
			want += cost(float64(step))
			total, within, err := study.PlannedLoss(arm, step, accountant.Loss{Epsilon: want})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(total.Epsilon-want) > 1e-12*want || within != step {
				t.Errorf("%s: %d steps cost %v, %d within the budget; want %v and all", noise, step, total, within, want)
			}
			if _, within, _ := study.PlannedLoss(arm, step, accountant.Loss{Epsilon: want * (1 - 1e-9)}); within != step-1 {
				t.Errorf("%s: a budget just below %v pays for %d steps, want %d", noise, want, within, step-1)
			}
		}
	}
}

// TestBudgetBoundary checks that a budget of the planned total is enough under
// both actions, and that one just below it is not.
func TestBudgetBoundary(t *testing.T) {
	total, _, _ := study.PlannedLoss(loadText(t, base).Arms[0], 12, accountant.NotPrivate())
	enough := fmt.Sprintf("%.17g", total.Epsilon)
	short := fmt.Sprintf("%.17g", total.Epsilon*(1-1e-9))
	unlimited := measured(t, base)
	for _, on := range []string{"stop", "refuse"} {
		got := measured(t, base, "budget={epsilon: "+enough+", on: "+on+"}")
		if got.Digest != unlimited.Digest {
			t.Errorf("on %s: a budget that lasts changes the run", on)
		}
	}
	if none := measured(t, base, "budget={epsilon: none, on: refuse}"); none.Digest != unlimited.Digest {
		t.Error("no limit changes the run")
	}
	var input *document.InputError
	if _, err := loadError(t, base, "budget={epsilon: "+short+", on: refuse}"); !errors.As(err, &input) || !strings.Contains(err.Error(), "step 11 is the last within the budget") {
		t.Errorf("%v, want a refusal", err)
	}
	if stopped := measured(t, base, "budget={epsilon: "+short+", on: stop}"); stopped.Digest == unlimited.Digest {
		t.Error("a budget that is too small changes nothing")
	}
}

// TestBudgetStops runs out of budget on both runtimes: every node makes the
// releases of the steps that the budget pays for and no other, which the ledger
// and the messages show, and the manifest says it once for each arm and seed.
func TestBudgetStops(t *testing.T) {
	// Shifted, steps 2, 3, .. cost 1 each: a budget of 4.5 pays for step 5.
	changes := []string{"mechanism={kind: laplace, epsilon: 1, noise: shifted}", "measure={every: 1}"}
	limited := append(changes, "budget={epsilon: 4.5, on: stop}")
	free, lockstep := measured(t, base, changes...), measured(t, base, limited...)
	actors := metricsOf(t, loadText(t, base, limited...), runner.RunOptions{Engine: runner.Actors, Shards: 3})
	if lockstep.Digest != actors.Digest {
		t.Errorf("lockstep %s, actors %s", lockstep.Digest, actors.Digest)
	}
	for i, row := range lockstep.Rows {
		want := free.Rows[i].Value
		switch row.Metric {
		case ledger.EpsilonTotal:
			want = math.Min(float64(row.Step-1), 4)
		case gauge.MessagesSent: // 3 nodes, each to one other
			want = math.Min(float64(row.Step), 5) * 3
		default:
			if row.Step > 5 {
				continue
			}
		}
		if row.Value != want {
			t.Errorf("%s at step %d is %v, want %v", row.Metric, row.Step, row.Value, want)
		}
	}
	outcome := runIn(t, loadText(t, base, limited...), runner.RunOptions{})
	var got []string
	for _, w := range outcome.Manifest.Warnings {
		got = append(got, w.Code+": "+w.Message)
	}
	want := []string{
		"stopped: seed 1: all 3 nodes ended their part at step 6: the privacy budget is spent: a release of 1 after 4 is over the budget of 4.5",
		"stopped: seed 2: all 3 nodes ended their part at step 6: the privacy budget is spent: a release of 1 after 4 is over the budget of 4.5",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	for _, n := range outcome.Manifest.Notes {
		if n.Key == "budget" && n.Value != "4.5 a node; it pays for 5 of 12 steps" {
			t.Errorf("note %+v", n)
		}
	}
}

// A budget limits what its observer learns, by the account: of the vector of
// noisy numbers that the server sees of Fed-DP-OPE-Stoch, of the decisions that
// others do, or of raw payloads, which no budget limits. Absent, it is what is
// paid.
func TestBudgetObserver(t *testing.T) {
	svt := "budget={epsilon: 25, on: refuse"
	ope := "budget={epsilon: 1.5, on: refuse" // messages cost 2, decisions 1
	raw := "algorithm={kind: ali-dpfl, learning_rate: 0.5, batch: 8, clip: 0.1}"
	fixed := "algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, batch: 8, clip: 0.1}"
	for name, test := range map[string]struct {
		text      string
		overrides []string
		want      string // in the error; empty, there is none
	}{
		"absent":                {stochastic, []string{ope + "}"}, "have a loss of 2 a node, over the budget of 1.5"},
		"server":                {stochastic, []string{ope + ", observer: server}"}, "have a loss of 2 by what observer server sees, a node, over the budget of 1.5; step 1 is the last"},
		"public":                {stochastic, []string{ope + ", observer: public}"}, ""},
		"trusted, absent":       {realizable, []string{svt + "}"}, ""},
		"trusted, peer":         {realizable, []string{svt + ", observer: peer}"}, ""},
		"trusted, server":       {realizable, []string{svt + ", observer: server}"}, "have an infinite loss by what observer server sees"},
		"no server":             {base, []string{"budget={epsilon: 25, on: stop, observer: server}"}, "budget.observer: nobody is server in this algorithm; want one of wire, peer, public"},
		"unknown":               {base, []string{"budget={epsilon: 25, on: stop, observer: wier}"}, `budget.observer: unknown value "wier"; did you mean "wire"?`},
		"unlike any":            {base, []string{"budget={epsilon: none, on: stop, observer: everybody}"}, `budget.observer: unknown value "everybody"; known: wire, server, peer, public`},
		"planned, absent":       {trained, []string{raw, "budget={epsilon: 2, on: stop}"}, ""},
		"planned, wire":         {trained, []string{raw, "budget={epsilon: 2, on: stop, observer: wire}"}, "budget.observer: the view of wire from step 2 on is not private, and no budget limits it"},
		"planned, no statistic": {trained, []string{fixed, "budget={epsilon: 2, on: stop, observer: wire}"}, ""},
	} {
		if _, err := loadError(t, test.text, test.overrides...); err == nil != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// A budget of an observer who sees what is paid is that of what is paid.
func TestBudgetObserverStops(t *testing.T) {
	limit := "budget={epsilon: 5, on: stop"
	if a, b := measured(t, base, limit+"}"), measured(t, base, limit+", observer: peer}"); a.Digest != b.Digest {
		t.Error("peer learns another loss than is paid")
	}
}

// TestStopWarnings checks that stops are told together only where step and
// reason are the same.
func TestStopWarnings(t *testing.T) {
	arm := &study.Arm{Name: "a", File: study.File{Nodes: 4}, Extent: study.Extent{FirstLabel: 1}}
	stop := func(node messages.NodeID, step int, reason string) gauge.Stop {
		return gauge.Stop{Node: node, Step: step, Reason: reason}
	}
	var got []string
	for _, w := range study.WarningsOfStops(arm, 7, []gauge.Stop{stop(1, 3, "x"), stop(2, 3, "y"), stop(3, 3, "x"), stop(0, 4, "x")}) {
		got = append(got, w.Arm+" "+w.Message)
	}
	want := []string{
		"a seed 7: 2 of 4 nodes ended their part at step 3: x",
		"a seed 7: node 3 ended its part at step 3: y",
		"a seed 7: node 1 ended its part at step 4: x",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Servers of a tree are counted apart from the nodes, and by their own number.
func TestStopWarningsOfServers(t *testing.T) {
	all := make([]gauge.Stop, 6)
	for i := range all {
		all[i] = gauge.Stop{Node: messages.NodeID(i), Step: 3, Reason: "x"}
	}
	for name, test := range map[string]struct {
		participants int
		stops        []gauge.Stop
		want         []string
	}{
		"tree": {7, all, []string{"2 of 3 servers ended their part at step 3: x", "all 4 nodes ended their part at step 3: x"}},
		"edge": {7, all[5:], []string{"server 5 ended its part at step 3: x"}},
	} {
		arm := &study.Arm{Name: "a", File: study.File{Nodes: 4}, Extent: study.Extent{Server: true, Participants: test.participants}}
		var got []string
		for _, w := range study.WarningsOfStops(arm, 7, test.stops) {
			got = append(got, strings.TrimPrefix(w.Message, "seed 7: "))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

// A budget with a delta pays for Laplace releases by their privacy loss
// distribution: at delta = 1e-6 for 111 of eps = 0.1 within 5 (counted by direct
// convolution of rounded losses in package accountant's tests), where the sum pays
// for 50. For eps = 1 the composition saves nothing up to 5. The ledger and the
// metrics say the same of what was spent.
func TestBudgetByComposition(t *testing.T) {
	for _, test := range []struct {
		budget, epsilon string
		paid            int
		total           float64
		definition      string
	}{
		{"budget={epsilon: 5, on: stop}", "0.1", 50, 5, "pure"},
		{"budget={epsilon: 5, delta: 1e-6, on: stop}", "0.1", 111, 4.98, "(eps, delta)"},
		{"budget={epsilon: 5, delta: 1e-6, on: stop, observer: peer}", "0.1", 111, 4.98, "(eps, delta)"},
		{"budget={epsilon: 5, delta: 1e-6, on: stop}", "1", 5, 5, "pure"},
	} {
		s := loadText(t, base, "horizon=200", "mechanism={kind: laplace, epsilon: "+test.epsilon+", noise: shifted}", test.budget)
		arm := s.Arms[0]
		var seen []string
		for _, n := range study.NotesOfBudget(arm) {
			seen = append(seen, n.Value)
		}
		if want := fmt.Sprintf("it pays for %d of 200 steps", test.paid+1); len(seen) != 1 || !strings.Contains(seen[0], want) { // the first costs nothing
			t.Errorf("%s: notes %q, want %q", test.budget, seen, want)
		}
		sent, j := sentBy(t, s, 0, 1)
		if n := len(released(sent[1])); n != test.paid {
			t.Errorf("%s: %d releases of %s, want %d", test.budget, n, test.epsilon, test.paid)
		}
		rows, err := accounts.PrivacyRows(arm, 1, j.Meter)
		if err != nil {
			t.Fatal(err)
		}
		last := rows[len(rows)-1]
		if last.Epsilon > 5 || math.Abs(last.Epsilon-test.total) > 0.02 || last.Definition != test.definition {
			t.Errorf("%s: the ledger has %v, %s; want %v, %s", test.budget, last.Epsilon, last.Definition, test.total, test.definition)
		}
		spent := math.NaN()
		for row := range jobs.MetricsOf(j, arm, 1).Rows() {
			if row.Metric == ledger.EpsilonTotal {
				spent = row.Value
			}
		}
		planned, err := study.PlannedLossOf(arm)
		if err != nil || math.Abs(planned.Epsilon-last.Epsilon) > 1e-9 {
			t.Errorf("%s: the plan says %v, %v, the ledger %v", test.budget, planned, err, last.Epsilon)
		}
		if spent != last.Epsilon {
			t.Errorf("%s: the metric says %v, the ledger %v", test.budget, spent, last.Epsilon)
		}
		// A run that is resumed knows what it has spent.
		if resumed, _ := sentBy(t, s, 60, 1); len(released(resumed[1])) != test.paid {
			t.Errorf("%s: %d releases of a run that is resumed after 60 steps, want %d", test.budget, len(released(resumed[1])), test.paid)
		}
	}
	refused := func(steps int) error {
		_, err := loadError(t, base, fmt.Sprintf("horizon=%d", steps), "mechanism={kind: laplace, epsilon: 0.1, noise: shifted}", "budget={epsilon: 5, delta: 1e-6, on: refuse}")
		return err
	}
	if err := refused(112); err != nil {
		t.Error(err)
	}
	if err := refused(113); err == nil || !strings.Contains(err.Error(), "step 112 is the last within the budget") {
		t.Errorf("%v, want a refusal of step 113", err)
	}
}

// What a phase of Fed-DP-OPE-Stoch adds to the bound for a run is no release of its
// own: one loss, of a client that pays most, pays the whole bound. No delta in the
// budget makes it less.
func TestBudgetOfGrowingBounds(t *testing.T) {
	many := []string{"horizon=1000", "problem.experts=2", "mechanism.epsilon=0.01"}
	arm := loadText(t, stochastic, many...).Arms[0]
	total, _, _ := study.PlannedLoss(arm, 1000, accountant.NotPrivate())
	for _, test := range []struct {
		share float64
		want  bool
	}{{1, true}, {0.999, false}} {
		budget := accountant.Loss{Epsilon: test.share * total.Epsilon, Delta: 0.5}
		if _, within, _ := study.PlannedLoss(arm, 1000, budget); (within == 1000) != test.want {
			t.Errorf("a budget of %v at delta 0.5 pays for %d steps of a loss of %v", budget.Epsilon, within, total.Epsilon)
		}
	}
}
