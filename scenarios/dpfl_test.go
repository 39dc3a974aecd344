package scenarios_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/scenarios/accounts"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// TestBudgetEndsDPFL checks that a run takes the local steps that its budget pays
// for and no more, as the accountant alone has it: q = 8/40, sigma = 2.
func TestBudgetEndsDPFL(t *testing.T) {
	one := accountant.SampledGaussian{Rate: 0.2, Noise: 2}
	most, spent, _, err := one.StepsWithin(2, 1e-5, accountant.RDP)
	if err != nil {
		t.Fatal(err)
	}
	const tau = 3
	if most%tau == 0 || most < 2*tau {
		t.Fatalf("%d steps: the last round is not cut, and the test tests nothing", most)
	}
	rounds := (most + tau - 1) / tau
	for _, algorithm := range []string{"dpfl", "ali-dpfl"} {
		overrides := []string{"horizon=60", "budget={epsilon: 2, on: stop}", "measure.every=1", "algorithm.control=1e9", "algorithm.kind=" + algorithm}
		if algorithm == "dpfl" {
			overrides = append(overrides, "algorithm.tau=3")
		}
		m := measured(t, trained, overrides...)
		if got := last(valuesOf(m.Rows, "epsilon.spent")); got != spent {
			t.Errorf("%s: epsilon.spent %v, want %v after %d steps", algorithm, got, spent, most)
		}
		taus := valuesOf(m.Rows, "tau")
		ended := int(last(valuesOf(m.Rows, "rounds")))
		sum := 0.0
		for _, v := range taus[:ended] {
			sum += v
		}
		if int(sum) != most || algorithm == "dpfl" && ended != rounds {
			t.Errorf("%s: %v local steps in %d rounds, want %d", algorithm, sum, ended, most)
		}
		for _, metric := range []string{"accuracy.test", "loss.train"} {
			if values := valuesOf(m.Rows, metric); len(values) != 60 || values[ended-1] != last(values) {
				t.Errorf("%s: %s of a run that has ended changes: %v", algorithm, metric, values)
			}
		}
	}
}

// TestPointsMissTheEnd checks that a model that is left between two points is
// measured at the next.
func TestPointsMissTheEnd(t *testing.T) {
	overrides := []string{"algorithm.kind=dpfl", "algorithm.tau=3", "horizon=60", "budget={epsilon: 2, on: stop}"}
	every := measured(t, trained, append(overrides, "measure.every=1")...)
	seldom := measured(t, trained, append(overrides, "measure.every=60")...)
	for _, metric := range []string{"accuracy.test", "loss.train", "epsilon.spent", "epsilon.total", "rounds", "tau", "clip.share", "messages.sent", "bytes.sent"} {
		if want, got := last(valuesOf(every.Rows, metric)), last(valuesOf(seldom.Rows, metric)); want != got {
			t.Errorf("%s: %v at the only point, %v where all rounds are points", metric, got, want)
		}
	}
}

// TestStatisticsInTheLedger checks the row of DPFL and ALI-DPFL of what the ledger
// has to find: raw statistics are not private to anybody, whatever is claimed.
func TestStatisticsInTheLedger(t *testing.T) {
	private := "{kind: ali-dpfl, learning_rate: 0.5, batch: 8, clip: 0.1, statistics: private, statistics_samples: 8, statistics_sigma: 4, statistics_lipschitz: 1, statistics_clip: 1}"
	public := "{kind: ali-dpfl, learning_rate: 0.5, batch: 8, clip: 0.1, statistics: public}"
	for _, test := range []struct {
		name, algorithm      string
		private, statistical bool
	}{
		{"fixed", "{kind: dpfl, tau: 2, learning_rate: 0.5, batch: 8, clip: 0.1}", true, false},
		{"as printed", "{kind: ali-dpfl, learning_rate: 0.5, batch: 8, clip: 0.1}", false, true},
		{"private", private, true, true},
		{"public", public, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := loadText(t, trained, "problem.public=30", "problem.partition={kind: iid}", "algorithm="+test.algorithm)
			o := runIn(t, s, runner.RunOptions{})
			run, err := results.Open(o.Dir)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			err = run.Privacy(func(row results.PrivacyRow) error {
				seen[row.Observer] = true
				if finite := !math.IsInf(row.Epsilon, 1); finite != test.private {
					t.Errorf("%s: epsilon %v", row.Observer, row.Epsilon)
				}
				return nil
			})
			if err != nil || len(seen) != len(accountant.Observers()) {
				t.Errorf("%v, %v", seen, err)
			}
			rows := rowsOf(t, o.Dir)
			spent, total := last(valuesOf(rows, "epsilon.spent")), last(valuesOf(rows, "epsilon.total"))
			paid := total // where that is no guarantee of the plan's
			if readings := valuesOf(rows, "epsilon.odometer"); len(readings) > 0 {
				paid = last(readings)
			}
			if math.IsInf(spent, 1) || math.IsInf(total, 1) == test.private || paid > spent != test.statistical || total < paid {
				t.Errorf("epsilon.spent %v, epsilon.total %v, paid %v", spent, total, paid)
			}
			for _, entry := range o.Manifest.Ledger {
				if !strings.Contains(entry.Claimed, "for one sample of a client") {
					t.Errorf("claimed %q", entry.Claimed)
				}
			}
		})
	}
}

// TestBudgetDelta checks that a budget with a delta compares Gaussian noise after
// conversion: online federated learning with noise for (2, 1e-3) is within the
// budget at epsilon 2 and not below what the accountant finds.
func TestBudgetDelta(t *testing.T) {
	for budget, refused := range map[string]bool{
		"{epsilon: 2.001, delta: 1e-3, on: refuse}": false,
		"{epsilon: 1.9, delta: 1e-3, on: refuse}":   true,
		"{epsilon: 2.001, delta: 1e-5, on: refuse}": true,
		"{epsilon: 2.001, on: refuse}":              true,
	} {
		_, err := testLoader(t).Load(baseFile(t, learning), parseSets(t, "budget="+budget)...)
		if (err != nil) != refused {
			t.Errorf("budget %s: %v", budget, err)
		}
	}
	m := measured(t, learning, "budget={epsilon: 2.001, delta: 1e-3, on: stop}")
	if taken := valuesOf(m.Rows, "epsilon.total"); slices.Contains(taken, 0) || math.Abs(last(taken)-2) > 1e-6 {
		t.Errorf("epsilon.total %v", taken)
	}
}

// What ALI-DPFL states is what its plan guarantees, whatever tau the data make the
// server choose: the same under every seed, and at the end within the budget. What a run
// happened to spend is an odometer's reading beside it, below it and another under other
// data.
func TestGuaranteeOfAdaptiveRuns(t *testing.T) {
	const statistics = "learning_rate: 0.5, batch: 8, clip: 0.1, control: 100, "
	for name, algorithm := range map[string]string{
		"private": "{kind: ali-dpfl, " + statistics + "statistics: private, statistics_samples: 8, statistics_sigma: 4, statistics_lipschitz: 1, statistics_clip: 1}",
		"public":  "{kind: ali-dpfl, " + statistics + "statistics: public}",
	} {
		for _, budget := range []string{"budget={epsilon: none, on: stop}", "budget={epsilon: 12, on: stop}"} {
			s := loadText(t, trained, "problem.public=30", "problem.partition={kind: iid}", "algorithm="+algorithm, "measure.every=1", "seeds.count=3", budget)
			checkGuarantee(t, name+" "+budget, s)
		}
	}
}

func checkGuarantee(t *testing.T, name string, s *study.Scenario) {
	t.Helper()
	arm := s.Arms[0]
	run, err := results.Open(runIn(t, s, runner.RunOptions{}).Dir)
	if err != nil {
		t.Fatal(err)
	}
	totals, readings := map[int64]float64{}, map[float64]bool{}
	err = run.PrivacyCurves(func(row results.PrivacyRow) error {
		if row.Observer != "public" {
			return nil
		}
		if row.Odometer == nil || *row.Odometer > row.Epsilon || !(row.Epsilon > 0) {
			t.Errorf("%s, step %d: guaranteed %v, spent %v", name, row.Step, row.Epsilon, row.Odometer)
		}
		if row.Final {
			readings[*row.Odometer] = true
			totals[0] = max(totals[0], row.Epsilon)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if b := arm.File.Budget; b != nil && totals[0] > float64(b.Epsilon) {
		t.Errorf("%s: %v is guaranteed, over the budget", name, totals[0])
	}
	table, err := accounts.LedgerTable(run)
	if err != nil || table.Header[len(table.Header)-1] != "odometer" {
		t.Errorf("%s: table %q, %v", name, table.Header, err)
	}
	checkGuaranteeMetrics(t, name, s, run.Dir, totals[0])
}

// checkGuaranteeMetrics holds the metric to the losses that are planned: one step in each
// of the first two rounds, then twice as many as in the round before at most, until the
// budget is spent. Composed step by step, those of statistics and local steps in one
// round count as of one kind, which is more than they cost.
func checkGuaranteeMetrics(t *testing.T, name string, s *study.Scenario, dir string, last float64) {
	t.Helper()
	p := s.Arms[0].Privacy
	seen, spent := map[int64]float64{}, map[int64]float64{}
	for _, row := range rowsOf(t, dir) {
		switch row.Metric {
		case "epsilon.total":
			if before, ok := seen[row.Step]; ok && before != row.Value {
				t.Errorf("%s, step %d: guaranteed %v under one seed and %v under another", name, row.Step, before, row.Value)
			}
			seen[row.Step] = row.Value
		case "epsilon.odometer":
			spent[row.Step] = max(spent[row.Step], row.Value)
		}
	}
	horizon := int64(s.Arms[0].File.Horizon)
	if len(seen) != int(horizon) || math.Abs(seen[horizon]-last) > 1e-9 {
		t.Errorf("%s: the metric ends with %v, the ledger with %v", name, seen[horizon], last)
	}
	statistics := strings.HasPrefix(name, "private")
	var planned accountant.Total
	for step := int64(1); step <= horizon; step++ {
		planned.Add(p.Loss(int(step)))
		want, err := planned.Epsilon(p.Accounts[0].Delta, p.Accounts[0].By)
		if got := seen[step]; err != nil || got > want*(1+1e-9) || !statistics && got < want*(1-1e-9) || spent[step] > got || !(spent[step] > 0) {
			t.Errorf("%s, step %d: %v is guaranteed, %v spent, the plan's losses come to %v, %v", name, step, got, spent[step], want, err)
		}
	}
}

// TestReplaceOfDPFL checks that neighbours: replace is for the epsilons of a run,
// in metrics, notes and ledger alike, what converts all its steps, and for a budget
// as many steps as still fit, found here one by one: q = 8/40, sigma = 2.
func TestReplaceOfDPFL(t *testing.T) {
	epsilonOf := func(steps int) float64 {
		total := accountant.Loss{Sampled: accountant.SampledGaussian{Rate: 0.2, Noise: 2, Steps: steps}}.Total()
		epsilon, err := total.ReplaceEpsilon(1e-5, accountant.RDP)
		if err != nil {
			t.Fatal(err)
		}
		return epsilon
	}
	most := 0
	for epsilonOf(most+1) <= 5 {
		most++
	}
	m := measured(t, trained, "horizon=60", "budget={epsilon: 5, on: stop}", "measure.every=1", "algorithm.kind=dpfl", "algorithm.tau=1", "mechanism.neighbours=replace")
	if got := int(last(valuesOf(m.Rows, "rounds"))); got != most || most < 3 || most >= 60 {
		t.Errorf("%d rounds of a local step each, want %d", got, most)
	}
	for _, metric := range []string{"epsilon.spent", "epsilon.total"} {
		if got, want := last(valuesOf(m.Rows, metric)), epsilonOf(most); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%s is %v, want %v", metric, got, want)
		}
	}
	s := loadText(t, trained, "algorithm.kind=dpfl", "algorithm.tau=1", "mechanism.neighbours=replace")
	for _, a := range s.Arms[0].Privacy.Accounts {
		total := accountant.Loss{Sampled: accountant.SampledGaussian{Rate: 0.2, Noise: 2, Steps: 7}}.Total()
		var by ledger.EpsilonCache
		if got, err := by.Stated(&a, &total); err != nil || math.Abs(got/epsilonOf(7)-1) > 1e-12 || a.Relation != accountant.Replace || a.Neighbours != "one sample of one client replaced" {
			t.Errorf("%s: %s has %v (%v), neighbours %q", a.Observer, a.Relation, got, err, a.Neighbours)
		}
	}
}
