package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"starling/scenarios/gauge"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// mixed has three families on one problem.
const mixed = `version: 1
name: mixed
horizon: 12
nodes: 3
problem: {kind: synthetic-logistic, dimension: 4, set: {kind: l2-ball, dimension: 4, radius: 3}}
seeds: {count: 2}
algorithm: {kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}
topology: {kind: complete}
mechanism: {kind: laplace, epsilon: 5}
sweep:
  list:
    - {name: dpdonc, set: {}}
    - {name: ofl, set: {algorithm: {kind: ofl, tau: 3, local_step: 0.1}, topology: {kind: star}, mechanism: {kind: none}}}
    - {name: dpfl, set: {algorithm: {kind: dpfl, tau: 2, learning_rate: 0.3, batch: 8, clip: 1, samples: 50}, topology: {kind: star}, mechanism: {kind: sampled-gaussian, sigma: 1.5, delta: 1e-5}}}
`

// Arms of different families record the data that they have seen, and the usual figures
// show them over it; arms of one family do not.
func TestMixedFamilies(t *testing.T) {
	for name, test := range map[string]struct {
		sets []string
		seen map[string]float64
		x    string
	}{
		// 3 nodes decide in 12 steps; 3 clients take 2 batches of 8 in 12 rounds.
		"three":    {nil, map[string]float64{"dpdonc": 36, "ofl": 36, "dpfl": 576}, "data seen"},
		"selected": {[]string{"measure={metrics: [accuracy.test]}"}, map[string]float64{"dpdonc": 36, "ofl": 36, "dpfl": 576}, "data seen"},
		"one":      {[]string{"sweep={grid: {mechanism.epsilon: [1, 2]}}"}, nil, "step t"},
	} {
		s := loadText(t, mixed, test.sets...)
		var summary []results.SummaryRow
		plain := *s
		plain.Plots = []study.PlotSection{}
		for _, engine := range []runner.RunOptions{{Engine: runner.Lockstep}, {Engine: runner.Actors, Shards: 2}} {
			summary = runIn(t, &plain, engine).Summary
			for _, row := range summary {
				if want, ok := test.seen[row.Arm]; row.Metric == gauge.DataSeen && (!ok || row.Step == 12 && row.Mean != want) {
					t.Errorf("%s: %s has seen %v data, want %v", name, row.Arm, row.Mean, want)
				}
			}
		}
		if recorded := slices.ContainsFunc(summary, func(row results.SummaryRow) bool { return row.Metric == gauge.DataSeen }); recorded != (test.seen != nil) {
			t.Errorf("%s: data.seen is recorded: %v", name, recorded)
		}
		figures := plot.Recorded(s, plot.Arms(s), summary, nil).Usual(s, nil)
		i := slices.IndexFunc(figures, func(f figure.Named) bool { return f.Name == "test" })
		if i < 0 {
			t.Fatalf("%s: no figure of accuracy", name)
		}
		if f := figures[i].Figure; f.XLabel != test.x || f.LogX != (test.seen != nil) || f.LogY || len(f.Series) != len(s.Arms) {
			t.Errorf("%s: x %q, logarithmic %v %v, %d curves", name, f.XLabel, f.LogX, f.LogY, len(f.Series))
		}
	}
}

// What a figure's axis names is recorded without being asked for, by the words of users;
// what is wrong with it is said at its place.
func TestCommonAxes(t *testing.T) {
	for x, want := range map[string]map[string]float64{
		"data.seen": {"dpdonc": 36, "ofl": 36, "dpfl": 576},
		"rounds":    {"dpdonc": 12, "ofl": 4, "dpfl": 12},
		"messages":  {"dpdonc": 72, "ofl": 60, "dpfl": 72},
		"bytes":     {},
		"epsilon":   {},
	} {
		s := loadText(t, mixed, "plots=[{name: p, y: accuracy.test, x: "+x+"}]", "sweep.list[1].set.mechanism={kind: tree, epsilon: 5, delta: 1e-5}")
		summary := runIn(t, s, runner.RunOptions{Engine: runner.Lockstep}).Summary
		figures, warnings := plot.Recorded(s, plot.Arms(s), summary, nil).Own(s)
		if len(figures) != 1 || len(figures[0].Figure.Series) != 3 || len(warnings) > 0 {
			t.Fatalf("%s: %d figures, warnings %v", x, len(figures), warnings)
		}
		for _, series := range figures[0].Figure.Series {
			if last := series.X[len(series.X)-1]; len(want) > 0 && last != want[series.Name] {
				t.Errorf("%s: %s ends at %v, want %v", x, series.Name, last, want[series.Name])
			}
		}
	}
	for plot, want := range map[string]string{
		"{name: p, y: accuracy.test, x: byte}":                    `:1:33: plots[0].x: arm dpdonc does not set "byte"; did you mean "bytes"?`,
		"{name: p, y: accuracy.test, log_y: true}":                "plots[0].log_y: accuracy.test is a share, whose good values lie on top of each other on a logarithmic axis",
		"{name: p, y: epsilon.total, x: clip.share, log_x: true}": "plots[0].log_x: clip.share is a share",
		"{name: p, y: accuracy.tset}":                             `plots[0].y: unknown metric "accuracy.tset"; did you mean "accuracy.test"?`,
		"{name: p, y: target.error}":                              "plots[0].y: no arm records target.error",
	} {
		_, err := scenariotest.Loader(t).Load(scenariotest.File(t, mixed), loading.Override{Path: "plots", Text: "[" + plot + "]", Source: "--set plots"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", plot, err, want)
		}
	}
}
