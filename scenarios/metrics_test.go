package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"starling/scenarios"
	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/section/python"
	"starling/scenarios/study"
)

// catalogMetrics are those that scenarios can name.
var catalogMetrics = func() metric.List {
	catalog := scenarios.Catalog()
	return catalog.AllMetrics()
}()

// The catalog is one that kinds can be added to: no metric is declared twice with two
// meanings.
func TestCatalogCanBeExtended(t *testing.T) {
	if _, err := scenarios.Catalog().With(kind.Catalog{}); err != nil {
		t.Error(err)
	}
}

// TestMetricCatalogIsComplete checks that runs record what the catalog has, at
// the levels that it says, and nothing else.
func TestMetricCatalogIsComplete(t *testing.T) {
	levels := map[string]metric.Level{}
	const asked = "measure: {metrics: [loss.fresh, regret.fixed, regret.interval, regret.tracking, distance.travelled, data.seen]}\n"
	var arms [][]string
	for _, a := range scenarios.Catalog().Algorithms {
		if a.Kind != python.KindPython {
			for _, example := range a.Examples {
				arms = append(arms, []string{example})
			}
		}
	}
	const rows = "problem={kind: synthetic-logistic, dimension: 4, model: {kind: linear}}"
	scored := [][]string{{learning, "measure={metrics: [" + scoresOfClasses + "]}"}, {learning, rows, "algorithm.gradient_bound=1", "measure={metrics: [" + scoresOfNumbers + "]}"}}
	for model, names := range map[string]string{"logistic": "loss, accuracy, " + scoresOfClasses, "linear": "loss, " + scoresOfNumbers} {
		text := strings.Replace(onRows("{kind: fedavg, tau: 1, learning_rate: 0.1}", "star", "{kind: none}", unevenRows(t, ", validation: 0.25, model: {kind: "+model+"}")), "nodes: 3", "nodes: 2", 1)
		scored = append(scored, []string{text, "measure={metrics: [validation." + strings.ReplaceAll(names, ", ", ", validation.") + "]}"})
	}
	for _, arm := range scored {
		arms = append(arms, arm)
		arms = append(arms, append(slices.Clone(arm), "measure.by=node"), append(slices.Clone(arm), "measure.by=group", "measure.groups=[{first: 1, last: 2}]"))
	}
	for _, text := range []string{learning + asked, base + "measure: {moves: true, interval: 3}\n", base + "measure: {metrics: [path.length, regret.tracking]}\n", lossy, narrow, learning, ridge, stochastic, realizable, trained, adaptive, dropping, learnt(convexProblems["synthetic-logistic"].section)} {
		arms = append(arms, []string{text})
	}
	const checkedIn = "clock={compute: {median: 1}, power: {compute: 1, network: 1}, check_in: {goal: 30, deadline: 1000, late: use}, availability: {law: periodic, mean: 0.5, zones: [{share: 1}]}}"
	arms = append(arms, []string{trained, untrusted}, families["dp-fedavg, drawn"], append(slices.Clone(families["dp-fedavg, drawn"]), "algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.1, samples: 5, draw: server}", checkedIn))
	for _, by := range []string{"{by: node}", "{by: group, groups: [{first: 1, last: 2}]}"} {
		arms = append(arms, []string{learning, "measure=" + by}, []string{base, "measure=" + by})
	}
	for _, arm := range slices.Clone(arms) {
		arm = append(slices.Clone(arm), "measure.window=true")
		if _, err := testLoader(t).Load(scenariotest.File(t, arm[0]), scenariotest.ParseSets(t, arm[1:]...)...); err == nil {
			arms = append(arms, arm)
		} else if !strings.Contains(err.Error(), "records no metric that has windows") {
			t.Error(err)
		}
	}
	for _, arm := range arms {
		s := loadText(t, arm[0], arm[1:]...)
		m := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
		recorded := map[string]bool{}
		for _, row := range m.Rows {
			recorded[row.Metric] = true
			levels[row.Metric] = metric.OfRun
			if row.Node != nil {
				levels[row.Metric] = metric.OfNode
			}
		}
		for _, row := range m.Summary {
			if !recorded[row.Metric] {
				levels[row.Metric] = metric.OfSummary
			}
		}
		for _, row := range m.Summary {
			recorded[row.Metric] = true
		}
		declared := map[string]bool{}
		for _, metric := range catalogMetrics.Names() {
			if study.RecordsMetric(s.Arms[0], metric) {
				declared[metric] = true
			}
		}
		if diff := cmp.Diff(declared, recorded); diff != "" {
			t.Errorf("%s: -declared +recorded:\n%s", s.Name, diff)
		}
	}
	want := map[string]metric.Level{}
	for _, metric := range catalogMetrics {
		want[metric.Name] = metric.Level
		if metric.Label == "" || metric.Summary == "" || strings.Contains(metric.Summary, "|") {
			t.Errorf("%+v", metric)
		}
	}
	if diff := cmp.Diff(want, levels); diff != "" {
		t.Errorf("-catalog +recorded:\n%s", diff)
	}
}

// TestMeasureMetrics checks that what is not asked for is not recorded, that
// the rest is what it was, and that the digest covers what is recorded.
func TestMeasureMetrics(t *testing.T) {
	all := measured(t, base)
	digests := map[string]string{all.Digest: "all"}
	for patterns, want := range map[string][]string{
		"[regret.run]":                 {gauge.RegretRun},
		"[regret.expected]":            {gauge.RegretExpected},
		"[regret.*]":                   {gauge.RegretExpected, gauge.RegretNode, gauge.RegretRun},
		"[epsilon.*, consensus.error]": {gauge.Consensus, ledger.EpsilonStep, ledger.EpsilonTotal},
		"[bytes.sent, bytes.*]":        {gauge.BytesSent},
	} {
		got := measured(t, base, "measure={metrics: "+patterns+"}")
		var names []string
		for _, row := range got.Rows {
			names = append(names, row.Metric)
		}
		for _, row := range got.Summary {
			names = append(names, row.Metric)
		}
		slices.Sort(names)
		if names = slices.Compact(names); !slices.Equal(names, want) {
			t.Errorf("%s records %v, want %v", patterns, names, want)
		}
		kept := slices.DeleteFunc(slices.Clone(all.Rows), func(row results.Row) bool { return !slices.Contains(want, row.Metric) })
		if diff := cmp.Diff(kept, got.Rows, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: rows (-want +got):\n%s", patterns, diff)
		}
		if before, ok := digests[got.Digest]; ok && patterns != "[regret.expected]" {
			t.Errorf("%s and %s have the same digest", before, patterns)
		}
		digests[got.Digest] = patterns
	}
	if arm := loadText(t, base, "measure.metrics=[epsilon.*]").Arms[0]; len(arm.Measured) != 1 {
		t.Errorf("regret is not recorded, yet taken at %d nodes", len(arm.Measured))
	}
}
