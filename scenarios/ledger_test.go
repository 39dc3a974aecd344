package scenarios_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"starling/mechanisms/accountant"
	"starling/scenarios/accounts"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// privacyOf runs a scenario and returns its rows of privacy.parquet, and its
// ledger as a table.
func privacyOf(t *testing.T, s *study.Scenario) (rows []results.PrivacyRow, table tabular.Table) {
	t.Helper()
	run, err := results.Open(runIn(t, s, runner.RunOptions{}).Dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Privacy(func(row results.PrivacyRow) error { rows = append(rows, row); return nil }); err != nil {
		t.Fatal(err)
	}
	if table, err = accounts.LedgerTable(run); err != nil {
		t.Fatal(err)
	}
	return rows, table
}

// The ledger of DPDO-NC: the sum over the steps of what each costs as run,
// sqrt(t/(t-1)) of what is claimed and nothing at t = 1, for every observer.
func TestLedgerOfDPDONC(t *testing.T) {
	rows, table := privacyOf(t, loadText(t, base, "seeds.count=1"))
	total := 0.0
	for step := 2; step <= 12; step++ {
		total += math.Sqrt(float64(step) / float64(step-1))
	}
	var want []results.PrivacyRow
	for _, observer := range []accountant.Observer{accountant.Wire, accountant.Peer, accountant.Public} {
		want = append(want, results.PrivacyRow{
			Arm: "base", Seed: 1, Observer: string(observer), Unit: 1, Units: 3, Step: 12, Definition: "pure", Epsilon: total, Final: true,
		})
	}
	if diff := cmp.Diff(want, rows, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if len(table.Rows) != 1 || table.Rows[0][1] != "wire, peer, public" || table.Rows[0][2] != "1 a step, 12 in all" || table.Rows[0][7] != "replace" || table.Rows[0][8] != "1 to 3" {
		t.Errorf("table %q", table.Rows)
	}
}

// The ledger of online federated learning: the whole stream of noise costs what
// it was calibrated to, once, whatever the calibration; without noise nothing is
// private.
func TestLedgerOfOnlineLearning(t *testing.T) {
	for set, want := range map[string]float64{
		"mechanism.calibration=exact": 2,
		"mechanism.calibration=zcdp":  1.3649896, // computed by bisection of the exact delta in high precision
		"mechanism.kind=none":         math.Inf(1),
	} {
		rows, _ := privacyOf(t, loadText(t, learning, "seeds.count=1", set))
		if len(rows) != 4 {
			t.Fatalf("%s: %d rows, want one for each observer", set, len(rows))
		}
		for _, row := range rows {
			if math.Abs(row.Epsilon-want) > 1e-5 && row.Epsilon != want || row.Delta != 1e-3 || row.Unit != 1 || row.Units != 3 {
				t.Errorf("%s: %+v, want epsilon %v of learners 1 to 3", set, row, want)
			}
		}
	}
}

// A budget that ends what nodes send ends what they pay.
func TestLedgerUnderABudget(t *testing.T) {
	rows, _ := privacyOf(t, loadText(t, base, "seeds.count=1", "budget={epsilon: 5, on: stop}"))
	for _, row := range rows {
		if row.Epsilon > 5 || row.Epsilon < 3.8 || row.Step != 5 {
			t.Errorf("%+v, want at most 5, after step 5", row)
		}
	}
	if len(rows) == 0 {
		t.Error("nobody paid")
	}
}
