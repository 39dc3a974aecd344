package scenarios_test

import (
	"math"
	"slices"
	"testing"

	"starling/scenarios/family/ofl"
	"starling/scenarios/family/prediction"
	"starling/scenarios/gauge"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// askedOf is the last value of every metric of a run's first seed that records what is
// given, by name.
func askedOf(t *testing.T, text string, names string, overrides ...string) map[string]float64 {
	t.Helper()
	s := loadText(t, text, append(overrides, "measure.metrics="+names)...)
	got := map[string]float64{}
	for _, row := range metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows {
		if row.Seed == s.Seeds.Base {
			got[row.Metric] = row.Value
		}
		if !study.RecordsMetric(s.Arms[0], row.Metric) {
			t.Errorf("%s is recorded, which the arm does not say", row.Metric)
		}
	}
	return got
}

// One stream of data has the same metrics, under the same names, whoever learns from
// it; and on what families had before they agree with those.
func TestCommonMetrics(t *testing.T) {
	common := []string{gauge.Travelled, gauge.DataSeen, gauge.LossFresh, gauge.AccuracyTest, gauge.MessagesSent, gauge.BytesSent}
	online := append(slices.Clone(common), gauge.LossMean, gauge.RegretFixed)
	const stream = "problem={kind: synthetic-logistic, dimension: 4}"
	const all = "[distance.travelled, data.seen, loss.fresh, loss.mean, regret.fixed, regret.static, accuracy.test, messages.sent, bytes.sent, consensus.error]"
	for name, test := range map[string]struct {
		text      string
		overrides []string
		want      []string
		seen      float64
	}{
		"ofl":      {learning, nil, append(slices.Clone(online), gauge.Consensus, ofl.RegretStatic), 36},
		"dpdonc":   {learning, []string{"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}", "problem={kind: synthetic-logistic, dimension: 4, set: {kind: l2-ball, dimension: 4, radius: 5}}", "topology={kind: ring}", "mechanism={kind: laplace, epsilon: 1}"}, append(slices.Clone(online), gauge.Consensus), 36},
		"dpfl":     {learning, []string{stream, "algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, batch: 8, clip: 1, samples: 20}", "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, accountant: rdp}"}, append(slices.Clone(online), gauge.Consensus), 12 * 2 * 8 * 3},
		"opestoch": {learning, []string{stream, "algorithm={kind: opestoch, variant: central}", "mechanism={kind: dp-fw, epsilon: 1}"}, append(slices.Clone(online), gauge.Consensus), 36},
	} {
		got := askedOf(t, test.text, all, test.overrides...)
		for _, metric := range test.want {
			if v, ok := got[metric]; !ok || math.IsNaN(v) {
				t.Errorf("%s: %s is %v, recorded %v", name, metric, v, ok)
			}
		}
		if len(got) != len(test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
		if got[gauge.DataSeen] != test.seen || !(got[gauge.Travelled] > 0 && got[gauge.LossFresh] > 0) {
			t.Errorf("%s: %v; want %v data seen", name, got, test.seen)
		}
		if static, ok := got[ofl.RegretStatic]; ok && math.Abs(static-got[gauge.RegretFixed]) > 1e-12 {
			t.Errorf("%s: regret %v against the best fixed point, and %v as it was", name, got[gauge.RegretFixed], static)
		}
	}
	// The best point of the only interval is the best fixed point.
	for name, overrides := range map[string][]string{
		"ofl":  nil,
		"dsgd": {"algorithm={kind: dsgd, theta: 1}", "problem={kind: synthetic-logistic, dimension: 4, set: {kind: l2-ball, dimension: 4, radius: 5}}", "topology={kind: complete, self_loops: true}", "mechanism={kind: none}"},
	} {
		got := askedOf(t, learning, "[regret.fixed, regret.interval]", append(overrides, "measure.every=12", inseparable)...)
		if fixed, interval := got[gauge.RegretFixed], got[gauge.RegretInterval]; math.IsNaN(fixed) || math.Abs(fixed-interval) > 1e-12 {
			t.Errorf("%s: regret %v against the best fixed point, %v against that of the only interval", name, fixed, interval)
		}
		got = askedOf(t, learning, "[regret.fixed, regret.interval]", append(overrides, "measure.every=4", inseparable)...)
		if fixed, interval := got[gauge.RegretFixed], got[gauge.RegretInterval]; !(interval > fixed) {
			t.Errorf("%s: regret %v against the best points of three intervals, %v against one", name, interval, fixed)
		}
	}
	got := askedOf(t, stochastic, "[regret.fixed, regret.client, loss.mean]")
	if math.Abs(20*got[gauge.RegretFixed]-got[prediction.RegretClient]) > 1e-9 || !(got[gauge.LossMean] > 0) {
		t.Errorf("experts: %v", got)
	}
}

// inseparable is a seed whose few data no model tells apart: with the data of one of ten
// seeds one does, and the least loss is 0.
const inseparable = "seeds.base=5"

// The least loss of a fixed decision of the set is that of the data and of the set, whoever
// learned from them; and a smaller set has a larger one.
func TestBestFixedDecisionOfASet(t *testing.T) {
	least := func(problem string, overrides ...string) float64 {
		got := askedOf(t, learning, "[regret.fixed, loss.mean]", append(overrides, inseparable, "problem="+problem)...)
		return got[gauge.LossMean] - got[gauge.RegretFixed]
	}
	equals := []string{"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}", "topology={kind: ring}", "mechanism={kind: none}"}
	last := math.Inf(1)
	for _, radius := range []string{"0.5", "2"} {
		for _, kind := range []string{"logistic", "synthetic-logistic"} {
			problem := "{kind: " + kind + ", set: {kind: l2-ball, dimension: 4, radius: " + radius + "}}"
			if kind != "logistic" {
				problem = "{dimension: 4, " + problem[1:]
			}
			one, two := least(problem), least(problem, equals...)
			if !(one > 0) || !(math.Abs(one-two) < 1e-9) {
				t.Errorf("%s: least losses %v and %v", problem, one, two)
			}
			if kind == "logistic" {
				if !(one < last) {
					t.Errorf("radius %s: least loss %v, and %v in a smaller ball", radius, one, last)
				}
				last = one
			}
		}
	}
	// Data that stay are the same data, a round of which meets all.
	const unbounded = "{kind: synthetic-logistic, dimension: 4}"
	stays := []string{"algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, batch: 8, clip: 1, samples: 12}", "mechanism={kind: none}"}
	if one, two := least(unbounded), least(unbounded, stays...); !(one > 0) || !(math.Abs(one-two) < 1e-9) {
		t.Errorf("least losses %v of a stream and %v of data that stay", one, two)
	}
}

// Without being named no metric is added: neither by all nor by a prefix.
func TestCommonMetricsAreAskedFor(t *testing.T) {
	for _, text := range []string{base, learning, stochastic, trained} {
		plain := measured(t, text)
		for _, row := range plain.Rows {
			if m, ok := catalogMetrics.Find(row.Metric); !ok || m.Asked {
				t.Errorf("%s is recorded, and nobody asked", row.Metric)
			}
		}
	}
	if got := askedOf(t, learning, "[regret.*]"); len(got) != 2 {
		t.Errorf("regret.* records %v", got)
	}
}
