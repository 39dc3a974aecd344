package scenarios_test

import (
	"errors"
	"math"
	"sort"
	"testing"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/jobs"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// toyArm is an arm of an algorithm of somebody's own, which pays by releases.
func toyArm(budget accountant.Loss, points []int) *study.Arm {
	arm := &study.Arm{Name: "toy", Points: points}
	arm.File.Nodes = 1
	arm.File.Budget = &ledger.BudgetSection{Epsilon: document.Epsilon(budget.Epsilon), Delta: budget.Delta, On: ledger.BudgetStop}
	arm.Extent = study.Extent{Participants: 2, Server: true}
	arm.Privacy = study.Privacy{
		Accounts: ledger.Everywhere(ledger.Account{Delta: budget.Delta, By: accountant.PLD}, accountant.Public),
		Stated:   ledger.Statement{Metrics: []string{ledger.EpsilonTotal}},
	}
	arm.Budget = study.BudgetOf(arm)
	return arm
}

// A toy machine that pays for equal releases, of whatever kind, stops at the last of
// which the accountant's own calculators say that it is
// within the budget. The metric, the ledger and the accountant state one number.
func TestBudgetOfEqualReleases(t *testing.T) {
	const delta = 1e-6
	count := func(epsilon func(n int) (float64, error)) int {
		return sort.Search(1000, func(n int) bool { e, err := epsilon(n + 1); return err != nil || e > 5 })
	}
	rho, step := 0.01, accountant.SampledGaussian{Rate: 0.2, Noise: 1, Steps: 1}
	steps, _, _, err := step.StepsWithin(5, delta, accountant.PLD)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		loss   accountant.Loss
		budget accountant.Loss
		want   int
	}{
		{"pure", accountant.Loss{Epsilon: 0.1}, accountant.Loss{Epsilon: 5}, 50},
		{"pure at a delta", accountant.Loss{Epsilon: 0.1}, accountant.Loss{Epsilon: 5, Delta: delta}, count(func(n int) (float64, error) { return accountant.OptimalComposition(0.1, n, delta) })},
		{"Gaussian without a delta", accountant.Loss{Rho: rho}, accountant.Loss{Epsilon: 5}, 0},
		{"Gaussian", accountant.Loss{Rho: rho}, accountant.Loss{Epsilon: 5, Delta: delta}, count(func(n int) (float64, error) {
			return accountant.GaussianEpsilon(accountant.SigmaOfRho(float64(n)*rho), delta)
		})},
		{"sampled Gaussian", accountant.Loss{Sampled: step}, accountant.Loss{Epsilon: 5, Delta: delta}, steps},
	} {
		spent, ledger := payUntilRefused(t, test.budget, test.loss, test.want)
		if spent != ledger || spent > 5*(1+1e-9) || test.want > 0 && spent < 4.5 {
			t.Errorf("%s: the metric says %v, the rows of privacy %v", test.name, spent, ledger)
		}
	}
}

// payUntilRefused pays through the ledger, and returns what the metric and the ledger
// say of it.
func payUntilRefused(t *testing.T, budget, loss accountant.Loss, want int) (spent, inLedger float64) {
	t.Helper()
	const node = messages.NodeID(1)
	points := []int{1, 2, 5, 9}
	arm := toyArm(budget, points)
	l := ledger.New(places(points), study.LedgerOptionsOf(arm))
	for n := 0; ; n++ {
		err := l.Spent(node, points[min(n, len(points)-1)], loss)
		switch {
		case err == nil && n < want:
			continue
		case !errors.Is(err, accountant.ErrBudget) || n != want:
			t.Fatalf("release %d of %d of %s: %v", n+1, want, loss, err)
		}
		break
	}
	job := results.NewJob("toy", 1)
	l.Finish(jobs.Recorder{Job: job, Measure: &arm.File.Measure})
	for row := range job.Rows() {
		if row.Metric == ledger.EpsilonTotal {
			spent = row.Value
		}
	}
	rows, err := accounts.PrivacyRows(arm, 1, l)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		inLedger = math.Max(inLedger, row.Epsilon)
	}
	return spent, inLedger
}

// places is a meter of nothing, with a place for what is paid at every point.
func places(points []int) *gauge.Meter {
	return gauge.New(gauge.Span{Points: points}, []gauge.Gauge{gauge.Paid()})
}
