package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"starling/scenarios"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/problem"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// The loss is half of the deviance by the likelihoods of gonum, and the slope its difference.
func TestDevianceIsThatOfItsLaw(t *testing.T) {
	for _, z := range []float64{-3, 0, 0.4, 2} {
		for _, y := range []float64{0, 1, 7} {
			saturated := 0.0 // of y = 0
			if y > 0 {
				saturated = distuv.Poisson{Lambda: y}.LogProb(y)
			}
			got, want := deviance{}.Loss(z, y), saturated-distuv.Poisson{Lambda: math.Exp(z)}.LogProb(y)
			const h = 1e-6
			slope := (deviance{}.Loss(z+h, y) - deviance{}.Loss(z-h, y)) / (2 * h)
			if math.Abs(got-want) > 1e-9 || math.Abs(deviance{}.Slope(z, y)-slope) > 1e-4 {
				t.Errorf("at %v of %v: loss %v, want %v; slope %v, want %v", z, y, got, want, deviance{}.Slope(z, y), slope)
			}
		}
	}
}

// The explained deviance agrees with the likelihoods of gonum, too.
func TestDevianceIsExplained(t *testing.T) {
	labels, means := []float64{0, 1, 4, 2, 0, 7}, []float64{0.5, 1.5, 3, 2.5, 0.2, 5}
	s := &problem.Predictions{}
	s.Reset(problem.ScoreForm{Mean: true, Deviance: deviance{}.Deviance})
	var of, least float64 // twice the log likelihoods lost, against the labels themselves
	for k, y := range labels {
		s.Add(nil, means[k], y)
		saturated := 0.0
		if y > 0 {
			saturated = distuv.Poisson{Lambda: y}.LogProb(y)
		}
		of += 2 * (saturated - distuv.Poisson{Lambda: means[k]}.LogProb(y))
		least += 2 * (saturated - distuv.Poisson{Lambda: 14. / 6}.LogProb(y))
	}
	if got, want := problem.D2(s), 1-of/least; math.Abs(got-want) > 1e-12 {
		t.Errorf("D^2 %v, want %v", got, want)
	}
}

// A model of rows that nothing else knows is learned by equals, on streams, by servers and on
// the simplex, and from rows of other sources, on both runtimes to the same bits, and regret is against its least losses.
func TestPoissonUnderEveryKindOfAlgorithm(t *testing.T) {
	catalog, err := scenarios.Catalog().With(kind.Catalog{Models: []kind.Kind{
		kind.Of("poisson", "Poisson regression", poissonSection{}, "{kind: poisson}"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	const table = "kind: table, file: counts.csv, party: shop, label: sold, feature_bound: 1, label_bound: 5"
	for name, c := range map[string]struct{ algorithm, topology, rows, rest, metric string }{
		"dsgd":     {"{kind: dsgd, theta: 5, gradient_bound: clip}", "ring", table, "set: {kind: l2-ball, radius: 2}", "regret.fixed"},
		"ofl":      {"{kind: ofl, tau: 1, local_step: 0.1, gradient_bound: 5}", "star", table, "set: {kind: l2-ball, radius: 2}", "regret.fixed"},
		"dpfl":     {"{kind: dpfl, tau: 2, learning_rate: 0.1, samples: 5, clip: 1, start: [0, 0, 0]}", "star", table, "set: {kind: l2-ball, radius: 2}", "loss.mean"},
		"opestoch": {"{kind: opestoch}", "star", table, "set: {kind: simplex}", "loss.mean"},
		"images":   {"{kind: dsgd, theta: 5, gradient_bound: clip}", "ring", "kind: images, data: synthetic, train: 60, test: 10, partition: {kind: iid}", "set: {kind: l2-ball, radius: 1}", "loss.mean"},
		"stream":   {"{kind: ofl, tau: 1, local_step: 0.1, gradient_bound: 5}", "star", "kind: synthetic-logistic, dimension: 3, test_samples: 2", "set: {kind: l2-ball, radius: 2}", "regret.fixed"},
		"tested":   {"{kind: dsgd, theta: 5, gradient_bound: clip}", "ring", table + ", test: {share: 0.3}", "set: {kind: l2-ball, radius: 2}", "d2"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "version: 1\nname: counts\nnodes: 3\nhorizon: 6\nalgorithm: " + c.algorithm + "\ntopology: {kind: " + c.topology + `}
mechanism: {kind: none}
seeds: {base: 1, count: 1}
problem: {` + c.rows + `, model: {kind: poisson, l2: 0.1}, ` + c.rest + `}
measure: {every: 1, metrics: [` + c.metric + `]}
plots: []
`
			file := filepath.Join(folder, name+".yaml")
			for path, text := range map[string]string{file: text, filepath.Join(folder, "counts.csv"): counts()} {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			s, err := loading.Loader{Kinds: &catalog}.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			lockstep := scenariotest.MetricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
			if actors := scenariotest.MetricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 2}); actors.Digest != lockstep.Digest {
				t.Errorf("%s in lockstep and %s with actors", lockstep.Digest, actors.Digest)
			}
			values := scenariotest.ValuesOf(lockstep.Rows, c.metric)
			if len(values) == 0 || math.IsNaN(scenariotest.Last(values)) {
				t.Errorf("%s: %v", c.metric, values)
			}
		})
	}
}

// counts is a table of counts that grow with a feature.
func counts() string {
	var b strings.Builder
	b.WriteString("shop,open,near,sold\n")
	for i := range 30 {
		open, near := float64(i%5)/5, float64(i%3)/3
		fmt.Fprintf(&b, "%d,%v,%v,%d\n", i%3, open, near, int(math.Exp(open+near)))
	}
	return b.String()
}
