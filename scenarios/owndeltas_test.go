package scenarios_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/accounts"
	"starling/scenarios/ledger"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// ownDeltas are groups with deltas of their own, and one without.
const ownDeltas = "groups: [{first: 1, last: 2, epsilon: 0.5, delta: 1e-7}, {nodes: [4], epsilon: 2}, {nodes: [5], epsilon: 2, delta: 1e-3}]"

// deltaArms are arms whose units have noise of their own, with the number of units and the section without
// epsilon, delta and groups.
var deltaArms = map[string]struct {
	text      string
	units     int32
	mechanism string
	more      []string
}{
	"equals, gaussian":    {personal, 7, "kind: gaussian", nil},
	"equals, zcdp":        {personal, 7, "kind: gaussian, calibration: zcdp, accountant: rdp", nil},
	"equals, independent": {personal, 7, "kind: independent", []string{"topology.schedule={every: 3}"}},
	"clients":             {noisyStar, 5, "kind: gaussian", nil},
	"learners":            {scenariotest.Learning, 5, "kind: toeplitz", []string{"nodes=5"}},
	"learners, gaussian":  {scenariotest.Learning, 5, "kind: gaussian", []string{"nodes=5"}},
}

// The loss of each group is that of an arm in which all have its epsilon and its delta, stated at its
// delta, to every observer.
func TestDeltasOfTheirOwn(t *testing.T) {
	for name, arm := range deltaArms {
		with := func(epsilon, delta, more string) map[accountant.Observer]map[int32]float64 {
			return finalLosses(t, arm.text, append(slices.Clone(arm.more), fmt.Sprintf("mechanism={%s, epsilon: %s, delta: %s%s}", arm.mechanism, epsilon, delta, more))...)
		}
		got := with("1", "1e-5", ", "+ownDeltas)
		for unit := int32(1); unit <= arm.units; unit++ {
			asked := [2]string{"1", "1e-5"}
			switch unit {
			case 1, 2:
				asked = [2]string{"0.5", "1e-7"}
			case 4:
				asked[0] = "2"
			case 5:
				asked = [2]string{"2", "1e-3"}
			}
			want := with(asked[0], asked[1], "")
			for _, observer := range []accountant.Observer{accountant.Wire, accountant.Peer} {
				a, b := got[observer][unit], want[observer][unit]
				if b == 0 || a != b && !(math.Abs(a-b) <= 1e-12*b) {
					t.Errorf("%s: unit %d loses %v to %s, and %v where all have its epsilon and delta", name, unit, a, observer, b)
				}
			}
		}
	}
}

// Values are found for the epsilon of each client at its own delta, as the ledger states it.
func TestValuesAreFoundAtOwnDeltas(t *testing.T) {
	for _, by := range []string{"rate", "clip", "filter"} {
		mechanism := "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, by: " + by + ", " + ownDeltas + "}"
		s := loadText(t, trustedStar, "horizon=40", mechanism)
		_, j := scenariotest.SentBy(t, s, 0, 0)
		rows, err := accounts.PrivacyRows(s.Arms[0], 1, j.Meter)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if row.Observer != string(accountant.Peer) || !row.Final {
				continue
			}
			for unit := row.Unit; unit < row.Unit+row.Units; unit++ {
				asked := map[int32][2]float64{1: {0.5, 1e-7}, 2: {0.5, 1e-7}, 4: {2, 1e-5}, 5: {2, 1e-3}}[unit]
				if want, delta := asked[0], asked[1]; unit != 3 && (row.Epsilon > want || want-row.Epsilon > 1e-6 || row.Delta != delta) {
					t.Errorf("by %s: client %d loses %.9g at delta %v, want %v at %v", by, unit, row.Epsilon, row.Delta, want, delta)
				}
			}
		}
	}
}

// A list, a file, a column and a law state the same deltas.
func TestDeltasInFourForms(t *testing.T) {
	problem := strings.Replace(sharedRows(t, func(text string) string {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		for k, line := range lines {
			switch first, _, _ := strings.Cut(line, ","); {
			case k == 0:
				lines[k] += ",d"
			case first == "2", first == "30":
				lines[k] += ",1e-7"
			default:
				lines[k] += ",1e-4"
			}
		}
		return strings.Join(lines, "\n") + "\n"
	}), "parameters: [eps]", "parameters: [eps, d], features: [a, b]", 1)
	file := filepath.Join(t.TempDir(), "own.csv")
	if err := os.WriteFile(file, []byte("node,epsilon,d\n1,0.5,1e-7\n2,2,1e-4\n3,1,1e-4\n4,3,1e-4\n5,0.5,1e-7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	base := []string{"nodes=5", "algorithm={kind: dsgd, learning_rate: 0.1}", "horizon=10", problem}
	losses := func(groups string) map[int32]float64 {
		return finalLosses(t, personal, append(base, "mechanism={kind: gaussian, epsilon: 1, delta: 1e-5, groups: "+groups+"}")...)[accountant.Wire]
	}
	want := losses("[{nodes: [1, 5], epsilon: 0.5, delta: 1e-7}, {nodes: [2], epsilon: 2, delta: 1e-4}, {nodes: [3], epsilon: 1, delta: 1e-4}, {nodes: [4], epsilon: 3, delta: 1e-4}]")
	for _, form := range []string{"{column: eps, delta: d}", "{file: " + file + ", delta: d}"} {
		for unit, loss := range losses(form) {
			if loss != want[unit] || loss == 0 {
				t.Errorf("%s: node %d loses %v, and %v by a list", form, unit, loss, want[unit])
			}
		}
	}
	drawn, all := losses("{law: choice, values: [0.5, 2], deltas: [1e-7, 1e-4]}"), [2]map[int32]float64{losses("{law: choice, values: [0.5], deltas: [1e-7]}"), losses("{law: choice, values: [2], deltas: [1e-4]}")}
	for unit, loss := range drawn {
		if loss != all[0][unit] && loss != all[1][unit] {
			t.Errorf("node %d loses %v by the law, which is none of its values", unit, loss)
		}
	}
}

// Budgets stop each node at its own delta: by the deltas of their own groups, and by those of the mechanism
// where the budget has none.
func TestBudgetsAtOwnDeltas(t *testing.T) {
	for name, test := range map[string]struct {
		mechanism, budget string
		one               func(unit int32) (mechanism, budget string)
	}{
		"of the budget": {"mechanism={kind: gaussian, epsilon: 1, delta: 1e-5}", "budget={epsilon: 2, delta: 1e-5, on: stop, groups: [{nodes: [1, 2], epsilon: 2, delta: 1e-7}]}",
			func(unit int32) (string, string) {
				delta := map[bool]string{true: "1e-7", false: "1e-5"}[unit <= 2]
				return "mechanism={kind: gaussian, epsilon: 1, delta: 1e-5}", "budget={epsilon: 2, delta: " + delta + ", on: stop}"
			}},
		"of the mechanism": {"mechanism={kind: gaussian, epsilon: 1, delta: 1e-5, groups: [{nodes: [1, 2], epsilon: 0.9, delta: 1e-7}]}", "budget={epsilon: 2, on: stop}",
			func(unit int32) (string, string) {
				if unit <= 2 {
					return "mechanism={kind: gaussian, epsilon: 0.9, delta: 1e-7}", "budget={epsilon: 2, delta: 1e-7, on: stop}"
				}
				return "mechanism={kind: gaussian, epsilon: 1, delta: 1e-5}", "budget={epsilon: 2, delta: 1e-5, on: stop}"
			}},
		"of laplace": {"mechanism={kind: laplace, epsilon: 0.2}", "budget={epsilon: 0.9, delta: 1e-5, on: stop, groups: [{nodes: [1, 2], epsilon: 0.9, delta: 0.05}]}",
			func(unit int32) (string, string) {
				delta := map[bool]string{true: "0.05", false: "1e-5"}[unit <= 2]
				return "mechanism={kind: laplace, epsilon: 0.2}", "budget={epsilon: 0.9, delta: " + delta + ", on: stop}"
			}},
	} {
		run := func(mechanism, budget string) (map[int32]float64, map[messages.NodeID]int) {
			s := loadText(t, personal, mechanism, budget)
			sent, j := scenariotest.SentBy(t, s, 0, 0, 1, 2, 3, 4, 5, 6)
			count := map[messages.NodeID]int{}
			for node, list := range sent {
				count[node] = len(list)
			}
			return scenariotest.FinalRows(t, s.Arms[0], j)[accountant.Wire], count
		}
		got, sent := run(test.mechanism, test.budget)
		for unit := int32(1); unit <= 7; unit++ {
			want, wantSent := run(test.one(unit))
			if got[unit] != want[unit] && !(math.Abs(got[unit]-want[unit]) <= 1e-12*want[unit]) || sent[messages.NodeID(unit-1)] != wantSent[messages.NodeID(unit-1)] {
				t.Errorf("%s: node %d loses %v in %d messages, want %v in %d", name, unit, got[unit], sent[messages.NodeID(unit-1)], want[unit], wantSent[messages.NodeID(unit-1)])
			}
		}
	}
}

// The ledger, metrics and notes say that deltas are of units: rows have each its own, the metric of epsilon
// is the largest loss of rows, and the metric of delta the largest delta.
func TestOwnDeltasAreSaid(t *testing.T) {
	for _, text := range []string{personal, noisyStar} {
		s := loadText(t, text, "mechanism={kind: gaussian, epsilon: 1, delta: 1e-5, "+ownDeltas+"}", "measure={by: node}")
		result := runIn(t, s, runner.RunOptions{Engine: runner.Lockstep})
		if note := scenariotest.NoteOf(result.Manifest.Notes, "deltas"); !strings.Contains(note, "at its own delta, from 1e-07 to 0.001") {
			t.Errorf("the note says %q", note)
		}
		for _, entry := range result.Manifest.Ledger {
			if entry.LeastDelta != 1e-7 || entry.LargestDelta != 1e-3 || entry.ClaimedEpsilon != nil {
				t.Errorf("%+v", entry)
			}
		}
		rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
		_, j := scenariotest.SentBy(t, s, 0, 0)
		most := 0.0
		for _, loss := range scenariotest.FinalRows(t, s.Arms[0], j)[accountant.Wire] {
			most = max(most, loss)
		}
		if total := last(valuesOf(rows, ledger.EpsilonTotal)); total != most {
			t.Errorf("metrics state %v, the rows %v at most", total, most)
		}
		if delta := valuesOf(rows, ledger.Delta); text == noisyStar && last(delta) != 1e-3 {
			t.Errorf("the metric delta is %v", delta)
		}
		deltas := map[float64]bool{}
		all, err := accounts.PrivacyRows(s.Arms[0], 1, j.Meter)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range all {
			deltas[row.Delta] = true
		}
		if len(deltas) != 3 {
			t.Errorf("rows have the deltas %v", deltas)
		}
	}
}

// Runs with deltas of their own have one digest on all runtimes, and go on from where they stopped with
// the same metrics.
func TestRunsOfOwnDeltas(t *testing.T) {
	for name, arm := range deltaArms {
		s := loadText(t, arm.text, append(slices.Clone(arm.more), "mechanism={"+arm.mechanism+", epsilon: 1, delta: 1e-5, "+ownDeltas+"}")...)
		digests := map[string]bool{}
		for _, o := range scenariotest.SomeEngines(s) {
			digests[metricsOf(t, s, o).Digest] = true
		}
		if len(digests) != 1 {
			t.Errorf("%s: digests %v", name, digests)
		}
		_, through := scenariotest.SentBy(t, s, 0, 0)
		_, resumed := scenariotest.SentBy(t, s, 2, 0)
		if !slices.Equal(messages.Write(nil, through.Meter), messages.Write(nil, resumed.Meter)) {
			t.Errorf("%s: a run that is resumed measures another", name)
		}
	}
}

// An audit at the delta of each group does not refute it, and refutes half of the noise. Noise that was
// calibrated at another delta costs more at its own than the epsilon that was asked for.
func TestAuditsAtOwnDeltas(t *testing.T) {
	t.Parallel()
	for i, groups := range []string{"groups: [{nodes: [1], epsilon: 2, delta: 1e-4}]", "groups: [{nodes: [1], epsilon: 0.5, delta: 0.05}]"} {
		for j, text := range []string{personal, noisyStar} {
			for k, noise := range []float64{1, 0.5} {
				if !testneeds.Some(i+j+k, 2) {
					continue
				}
				s := loadText(t, text, "horizon=3", "mechanism={kind: gaussian, epsilon: 1, delta: 0.01, "+groups+"}")
				o := scenariotest.AuditOptions(1024)
				o.Noise = noise
				found := false
				for _, a := range scenariotest.AuditIn(t, s, o) {
					found = found || a.Refuted()
				}
				if found != (noise < 1) {
					t.Errorf("%s, noise %v: found %v", groups, noise, found)
				}
			}
		}
	}
	// The fault: noise of (2, 1e-3), stated at 1e-7.
	one := func(delta, more string) float64 {
		return finalLosses(t, personal, "horizon=1", "mechanism={kind: gaussian, epsilon: 2, delta: "+delta+"}", "budget={epsilon: none, delta: 1e-7, on: stop}")[accountant.Wire][1]
	}
	if right, wrong := one("1e-7", ""), one("1e-3", ""); !(right <= 2*(1+1e-9)) || !(wrong > 2.5) {
		t.Errorf("at delta 1e-7 noise of that delta costs %v, and noise of delta 1e-3 %v", right, wrong)
	}
}

func TestOwnDeltasAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own.csv")
	if err := os.WriteFile(file, []byte("node,epsilon,delta\n1,0.5,1e-7\n2,2,0\n3,1,1\n4,3,x\n5,0.5,1e-7\n6,1,1e-5\n7,1,1e-5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const gaussian = "mechanism={kind: gaussian, epsilon: 1, delta: 1e-5, "
	for _, test := range []struct {
		text      string
		overrides []string
		wants     []string
	}{
		{personal, []string{"mechanism={kind: laplace, epsilon: 1, " + ownDeltas + "}"}, []string{"mechanism.groups[0].delta: Laplace noise follows only from epsilon", "mechanism.groups[2].delta: "}},
		{personal, []string{gaussian + "groups: [{nodes: [1], epsilon: 1, delta: 1}, {nodes: [2], epsilon: 1, delta: 0}]}"}, []string{"groups[0].delta: delta = 1", "groups[1].delta: delta = 0"}},
		{personal, []string{gaussian + "groups: {file: " + file + ", delta: delta}}"}, []string{`own.csv:3:5: delta is "0", want a number > 0 and < 1`, `own.csv:4:5: delta is "1"`, `own.csv:5:5: delta is "x"`}},
		{personal, []string{gaussian + "groups: {law: uniform, from: 1, to: 2, deltas: [1e-5]}}"}, []string{"groups.deltas: 1 deltas for 0 values"}},
		{personal, []string{gaussian + "groups: {law: choice, values: [1, 2], deltas: [1e-5, 2]}}"}, []string{"groups.deltas[1]: delta = 2"}},
		{personal, []string{gaussian + ownDeltas + "}", "budget={epsilon: 20, on: refuse}"}, []string{"budget.on: nodes have deltas of their own"}},
		{personal, []string{gaussian + ownDeltas + "}", "match={epsilon: 4, delta: 1e-5, unit: node, neighbours: replace}"}, []string{"mechanism.groups[0].delta: match states the loss of all units at one delta"}},
		{noisyStar, []string{"algorithm.aggregation=null", gaussian + ownDeltas + "}"}, []string{"mechanism.groups: noise that differs between clients"}},
	} {
		_, err := loadError(t, test.text, test.overrides...)
		for _, want := range test.wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v, want %q", test.overrides, err, want)
			}
		}
	}
}
