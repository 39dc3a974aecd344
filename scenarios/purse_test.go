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
	"starling/scenarios/ledger"
	"starling/scenarios/meter"
	dpflmeter "starling/scenarios/meter/dpfl"
	expertsmeter "starling/scenarios/meter/experts"
	"starling/scenarios/meter/federated"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/watch"
)

// metersAt are the meters of all families, of arms that are none of theirs: what is
// paid are releases, stated at a delta.
func metersAt(t *testing.T, delta float64) map[string]watch.Meter {
	t.Helper()
	privacy := func(metric string) bool { return metric == meter.EpsilonTotal }
	list := map[string]watch.Meter{}
	for name, text := range map[string]string{"decentralized": base, "federated": learning, "dpfl": trained, "experts": stochastic} {
		switch m := jobOf(t, loadText(t, text)).Meter.Meter.(type) {
		case *meter.Meter:
			o := m.Options
			o.Delta, o.Method = delta, accountant.PLD
			list[name] = meter.New(o)
		case *federated.Meter:
			o := m.Options
			o.Delta, o.Wanted = delta, privacy
			list[name] = federated.New(o)
		case *dpflmeter.Meter:
			o := m.Options
			o.Delta, o.Method, o.Wanted = delta, accountant.PLD, privacy
			list[name] = dpflmeter.New(o)
		case *expertsmeter.Meter:
			o := m.Options
			o.Delta, o.Epsilon, o.Growing, o.Wanted = delta, nil, false, privacy
			list[name] = expertsmeter.New(o)
		default:
			t.Fatalf("%s: a meter of type %T", name, m)
		}
	}
	return list
}

// toyArm is an arm of an algorithm of somebody's own, which pays by releases.
func toyArm(budget accountant.Loss, points []int) *study.Arm {
	arm := &study.Arm{Name: "toy", Points: points}
	arm.File.Nodes = 1
	arm.File.Budget = &ledger.BudgetSection{Epsilon: document.Epsilon(budget.Epsilon), Delta: budget.Delta, On: ledger.BudgetStop}
	arm.Algorithm = study.Plan{
		Participants: 2, Server: true,
		Accounts: ledger.Everywhere(ledger.Account{Delta: budget.Delta, By: accountant.PLD}, accountant.Public),
	}
	arm.Purse = study.PurseOf(arm)
	return arm
}

// A toy machine that pays for equal releases, of whatever kind, stops at the same one
// in every meter: the last of which the accountant's own calculators say that it is
// within the budget. The metric, the ledger and the accountant state one number.
func TestBudgetInEveryMeter(t *testing.T) {
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
		for name, m := range metersAt(t, test.budget.Delta) {
			spent, ledger := payUntilRefused(t, m, test.budget, test.loss, test.want)
			if spent != ledger || spent > 5*(1+1e-9) || test.want > 0 && spent < 4.5 {
				t.Errorf("%s in the meter %s: the metric says %v, the ledger %v", test.name, name, spent, ledger)
			}
		}
	}
}

// payUntilRefused pays through the ledger, and returns what the metric and the ledger
// say of it.
func payUntilRefused(t *testing.T, m watch.Meter, budget, loss accountant.Loss, want int) (spent, inLedger float64) {
	t.Helper()
	const node = messages.NodeID(1)
	points := pointsOfMeter(t, m)
	arm := toyArm(budget, points)
	l := ledger.New(m, study.LedgerOptionsOf(arm))
	for n := 0; ; n++ {
		err := l.Spent(node, points[min(n, len(points)-1)], loss)
		switch {
		case err == nil && n < want:
			continue
		case !errors.Is(err, accountant.ErrBudget) || n != want:
			t.Fatalf("%T: release %d of %d of %s: %v", m, n+1, want, loss, err)
		}
		break
	}
	job := results.NewJob("toy", 1)
	m.Finish(runner.Recorder{Job: job, Measure: &arm.File.Measure})
	for row := range job.Rows() {
		if row.Metric == meter.EpsilonTotal {
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

func pointsOfMeter(t *testing.T, m watch.Meter) []int {
	switch m := m.(type) {
	case *meter.Meter:
		return m.Points
	case *federated.Meter:
		return m.Points
	case *dpflmeter.Meter:
		return m.Points
	case *expertsmeter.Meter:
		return m.Points
	}
	t.Fatalf("a meter of type %T", m)
	return nil
}
