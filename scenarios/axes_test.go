package scenarios_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// wrappingArms are sums modulo 4 and 2^24, and those of vectors without noise.
const wrappingArms = wrapping + `sweep:
  list:
    - {name: two, set: {algorithm.aggregation.bits: 2}}
    - {name: most, set: {algorithm.aggregation.bits: 24}}
    - {name: clear, set: {mechanism: {kind: none}}}
`

// fromZero has steps that begin with 0, an arm without anybody there, and one without noise.
const fromZero = `version: 1
name: from-zero
horizon: 12
nodes: 4
algorithm: {kind: ofl, local_step: 1, tau: 2}
problem: {kind: synthetic-logistic, dimension: 4, shared: 1}
topology: {kind: star}
network: {kind: effects}
mechanism: {kind: laplace, epsilon: 1}
seeds: {base: 1, count: 2}
sweep:
  list:
    - {name: all, set: {network: {kind: effects}}}
    - {name: away, set: {network.events: [{at: 1, crash: [1, 2, 3, 4]}]}}
    - {name: clear, set: {mechanism.epsilon: none}}
`

// What axes cannot show of the results of runs is marked, whatever axes, curves and colours
// are asked for: zeros, and values and places that are infinite or undefined. Step 0 has no
// average over the steps. A chart marks a curve that others of its name have gaps in, too.
func TestAxesOfRuns(t *testing.T) {
	wraps := plottedRun(t, wrappingArms, "measure.metrics=[loss.train, aggregation.wrapped, rounds.aborted, epsilon.total]")
	zero, one := plottedRun(t, fromZero), plottedRun(t, fromZero, "horizon=2", "seeds.count=1")
	grid := plottedRun(t, fromZero[:strings.Index(fromZero, "sweep:")]+"sweep:\n  grid: {mechanism.epsilon: [1, none], algorithm.local_step: [0.5, 1]}\n")
	const toOthers = "ε to the observers of the claims; to others more: two (2.613); most (2.613)." // who know their own noise
	const ofTwo = "Mean and standard error over 2 seeds."
	for _, test := range []struct {
		what    string
		run     *results.Run
		options study.PlotOptions
		want    []string
		note    string // or the error, where nothing is wanted
	}{
		{"shares of 0 and 1", wraps, study.PlotOptions{Metric: "aggregation.wrapped"}, []string{"two", "most"}, ofTwo},
		{"a count that stays 0, on a logarithmic axis", wraps, study.PlotOptions{Metric: "rounds.aborted", LogY: true}, nil, "rounds.aborted has no number that these axes can show"},
		{"infinite values", wraps, study.PlotOptions{Metric: "epsilon.total"}, []string{"two", "most", "clear (∞)"}, toOthers},
		{"infinite places", wraps, study.PlotOptions{Metric: "loss.train", X: "epsilon.total"}, []string{"two", "most", "clear (x = ∞)"}, ofTwo},
		{"infinite places on a logarithmic axis", wraps, study.PlotOptions{Metric: "loss.train", X: "epsilon.total", LogX: true}, []string{"two", "most", "clear (x = ∞)"}, ofTwo},
		{"infinite values and places", wraps, study.PlotOptions{Metric: "epsilon.total", X: "epsilon.total"}, []string{"two", "most", "clear (∞) (x = ∞)"}, toOthers},
		{"places of 0", wraps, study.PlotOptions{Metric: "loss.train", X: "rounds.aborted", LogX: true}, nil, "loss.train has no number that these axes can show"},
		{"undefined values", zero, study.PlotOptions{Metric: "accuracy.test"}, []string{"all", "away (?)", "clear"}, ofTwo},
		{"undefined places", zero, study.PlotOptions{Metric: "loss.mean", X: "accuracy.test"}, []string{"all", "away (x = ?)", "clear"}, ofTwo},
		{"step 0 on a logarithmic axis", zero, study.PlotOptions{Metric: "accuracy.test", LogX: true}, []string{"all (x ≤ 0)", "away (?) (x ≤ 0)", "clear (x ≤ 0)"}, ofTwo},
		{"an average over the steps, of which step 0 has none", zero, study.PlotOptions{Metric: "regret.dynamic", PerStep: true}, []string{"all", "away (?)", "clear"}, ofTwo},
		{"no noise on a logarithmic axis", zero, study.PlotOptions{Metric: "noise.prefix", LogY: true}, []string{"all", "away", "clear (≤ 0)"}, ofTwo},
		{"one step and one seed", one, study.PlotOptions{Metric: "accuracy.final"}, []string{"all", "away", "clear"}, ""},
		{"colours and dashes", grid, study.PlotOptions{Metric: "epsilon.total", Hue: "mechanism.epsilon", Dash: "algorithm.local_step", LogY: true}, []string{"epsilon=1,local_step=0.5", "epsilon=1,local_step=1", "epsilon=none,local_step=0.5 (∞)", "epsilon=none,local_step=1 (∞)"}, "Some points are not drawn: no noise (infinite)."},
		{"charts", grid, study.PlotOptions{Metric: "epsilon.total", Facet: "mechanism.epsilon"}, []string{"local_step=0.5 (∞)", "local_step=1 (∞)", "local_step=0.5 (∞)", "local_step=1 (∞)"}, ""},
		{"curves by a key", grid, study.PlotOptions{Metric: "epsilon.total", X: "algorithm.local_step", By: "mechanism.epsilon", LogX: true}, []string{"epsilon=1", "epsilon=none (∞)"}, ""},
	} {
		test.options.Known, test.options.Band = catalogMetrics, study.BandSE
		f, err := plot.Draw([]*results.Run{test.run}, test.options)
		if test.want == nil {
			if err == nil || !strings.HasSuffix(err.Error(), test.note) {
				t.Errorf("%s: %v, want: %s", test.what, err, test.note)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.what, err)
			continue
		}
		var names []string
		for _, panel := range f.Charts() {
			for _, s := range panel.Series {
				names = append(names, s.Name)
				begun := false // zeros that a curve begins with have no mark
				for i, y := range s.Y {
					begun = begun || y != 0
					if lost := math.IsNaN(y+s.X[i]) || math.IsInf(y+s.X[i], 0) || f.LogX && s.X[i] <= 0 || f.LogY && y <= 0 && begun; lost && plot.Unmarked(s.Name) == s.Name {
						t.Errorf("%s: %s has no mark, and no place for (%v, %v)", test.what, s.Name, s.X[i], y)
					}
				}
			}
		}
		if !slices.Equal(names, test.want) || f.Note != test.note {
			t.Errorf("%s: %q, %q; want %q, %q", test.what, names, f.Note, test.want, test.note)
		}
		var svg bytes.Buffer
		if err := figure.WriteSVG(f, &svg); err != nil || bytes.Contains(svg.Bytes(), []byte("NaN")) || bytes.Contains(svg.Bytes(), []byte("Inf")) {
			t.Errorf("%s: %v, %d bytes", test.what, err, svg.Len())
		}
	}
}
