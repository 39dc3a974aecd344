package study_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/scenarios/loading"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

func TestMain(m *testing.M) { os.Exit(scenariotest.Main(m)) }

// text is a scenario of a table with validation rows and a section tune.
func text(t *testing.T, tune string) string {
	t.Helper()
	rows := "a,y\n" + strings.Repeat("1,1\n-1,0\n0.5,1\n-0.5,0\n", 8)
	file := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	return `version: 1
name: tuned
horizon: 6
nodes: 3
algorithm: {kind: dsgd, learning_rate: 1, theta: 1}
problem: {kind: table, file: ` + file + `, label: y, partition: {kind: iid}, intercept: false, test: {share: 0.2}, validation: 0.25, feature_bound: 1, model: {kind: logistic}, set: {kind: l2-ball, radius: 9}}
topology: {kind: complete, self_loops: true}
mechanism: {kind: gaussian, epsilon: 3, delta: 1e-4}
seeds: {base: 1, count: 2}
plots: []
tune: ` + tune + "\n"
}

const grid = "{metric: validation.loss, seeds: {base: 7, count: 3}, grid: {rate: [1, 2, 4], problem.model.l2: [0, 0.1]}}"

// planOf is the plan of a scenario, with the scenario.
func planOf(t *testing.T, tune string, overrides ...string) (*study.TuningPlan, *study.Scenario) {
	t.Helper()
	s := scenariotest.LoadText(t, text(t, tune), overrides...)
	p, err := study.NewTuningPlan(s)
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

// made loads a scenario with settings over it.
func made(t *testing.T, of string, settings []study.Setting) *study.Scenario {
	t.Helper()
	var list []loading.Override
	for _, s := range settings {
		list = append(list, loading.Override{Path: s.Path, Text: s.Text, Source: s.Path})
	}
	s, err := scenariotest.Loader(t).Load(scenariotest.File(t, of), list...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The trials of a grid are all combinations; their scenario has an arm of each under the seeds of
// trials, and the study those of its own.
func TestGrid(t *testing.T) {
	p, s := planOf(t, grid)
	var got []string
	for _, trial := range p.Trials {
		got = append(got, strings.Join(trial.Values, "/"))
	}
	if rate := slices.Index(p.Keys(), "rate"); rate < 0 || len(got) != 6 || len(slices.Compact(slices.Sorted(slices.Values(got)))) != 6 {
		t.Fatalf("keys %v, trials %v", p.Keys(), got)
	}
	of := text(t, grid)
	round := made(t, of, p.Round([][]int{{0, 3, 5}}, 4))
	if len(round.Arms) != 3 || round.Seeds.Base != 7 || round.Seeds.Count != 3 || round.Arms[1].File.Horizon != 4 || len(round.Arms[0].Points) != 1 {
		t.Errorf("%d arms, seeds %v, horizon %d, points %v", len(round.Arms), round.Seeds, round.Arms[1].File.Horizon, round.Arms[0].Points)
	}
	chosen, ok := p.Choose(0, []study.TrialResult{{Trial: 2, Mean: 0.5}, {Trial: 5, Mean: 0.25}, {Trial: 1, Mean: 0.25}, {Trial: 0, Mean: math.NaN()}}, 6)
	if !ok || !slices.Equal(chosen.Values, p.Trials[1].Values) || chosen.Failed != 3 || len(chosen.Edges) == 0 {
		t.Errorf("%+v", chosen)
	}
	final := made(t, of, p.Stated([]study.TunedChoice{chosen}, []string{`it "costs"`}))
	if final.Seeds != s.Seeds || len(final.Arms) != 1 || len(final.Remarks) == 0 || final.Remarks[0].Message != `it "costs"` || final.Name != "tuned" {
		t.Errorf("seeds %v, %d arms, remarks %v", final.Seeds, len(final.Arms), final.Remarks)
	}
	for i, key := range p.Keys() {
		path := map[string]string{"rate": "algorithm.learning_rate"}[key]
		if path == "" {
			path = key
		}
		if node, ok := final.Document.Find(path); !ok || node.Text() != chosen.Values[i] {
			t.Errorf("%s is %v, want %s", path, node.Text(), chosen.Values[i])
		}
	}
}

// A grid goes on beyond an edge by its own ratio, and by its difference where it has a 0.
func TestExtend(t *testing.T) {
	p, _ := planOf(t, grid)
	rate, l2 := slices.Index(p.Keys(), "rate"), slices.Index(p.Keys(), "problem.model.l2")
	values := make([]string, 2)
	values[rate], values[l2] = "4", "0.1"
	best := slices.IndexFunc(p.Trials, func(trial study.Trial) bool { return slices.Equal(trial.Values, values) })
	c, _ := p.Choose(0, []study.TrialResult{{Trial: best, Mean: 1}}, 6)
	added := p.Extend([]study.TunedChoice{c})
	rates, ridges := map[string]bool{}, map[string]bool{}
	for _, k := range added {
		rates[p.Trials[k].Values[rate]], ridges[p.Trials[k].Values[l2]] = true, true
	}
	if len(p.Trials) != 12 || len(added) != 6 || !rates["8"] || !ridges["0.2"] || p.Trials[best].Values[rate] != "4" {
		t.Errorf("%d new of %d trials: rates %v, l2 %v", len(added), len(p.Trials), rates, ridges)
	}
	values[rate] = "2"
	inner := slices.IndexFunc(p.Trials, func(trial study.Trial) bool { return slices.Equal(trial.Values, values) })
	c, _ = p.Choose(0, []study.TrialResult{{Trial: inner, Mean: 1}}, 12)
	if len(c.Edges) != 0 || len(p.Extend([]study.TunedChoice{c})) != 0 {
		t.Errorf("edges %v of an inner value", c.Edges)
	}
}

// Values that are drawn are within their bounds, the same whenever they are drawn, and halving has
// fewer and fewer trials of more and more steps, up to the horizon.
func TestDrawn(t *testing.T) {
	const keys = "keys: {rate: {log-uniform: [0.01, 1]}, algorithm.decay: {uniform: [0, 0.5]}}"
	p, _ := planOf(t, "{metric: validation.auc.roc, seeds: {base: 7}, random: {trials: 200, "+keys+"}}")
	again, _ := planOf(t, "{metric: validation.auc.roc, seeds: {base: 7}, random: {trials: 200, "+keys+"}}")
	rate, below := slices.Index(p.Keys(), "rate"), 0
	for k, trial := range p.Trials {
		var v, decay float64
		fmt.Sscan(trial.Values[rate], &v)
		fmt.Sscan(trial.Values[1-rate], &decay)
		if v < 0.01 || v > 1 || decay < 0 || decay > 0.5 || !slices.Equal(trial.Values, again.Trials[k].Values) {
			t.Fatalf("trial %v, and %v", trial, again.Trials[k])
		}
		if v < 0.1 {
			below++
		}
	}
	if below < 70 || below > 130 { // half of 200, up to over four deviations
		t.Errorf("%d of 200 rates are below the geometric mean of their bounds", below)
	}
	h, _ := planOf(t, "{metric: validation.loss, seeds: {base: 7}, halving: {trials: 9, keep: 0.3334, steps: 1, "+keys+"}}")
	if counts, steps := h.Rounds(); !slices.Equal(counts, []int{9, 3}) || !slices.Equal(steps, []int{1, 3}) {
		t.Errorf("rounds of %v trials, %v steps", counts, steps)
	}
	for _, keep := range []float64{0.5, 0.75, 0.81, 0.99} { // of which two trials are two, and one step is one
		h, _ := planOf(t, fmt.Sprintf("{metric: validation.loss, seeds: {base: 7}, halving: {trials: 5, keep: %v, steps: 1, %s}}", keep, keys))
		counts, steps := h.Rounds()
		for k := range counts[1:] {
			if counts[k+1] >= counts[k] || steps[k+1] <= steps[k] {
				t.Errorf("keep %v: rounds of %v trials, %v steps", keep, counts, steps)
			}
		}
	}
}

// The cost of trials is that of all their runs together: of Gaussian noise the conversion of as
// many times the rho of one run.
func TestCostIsOfAllRuns(t *testing.T) {
	p, s := planOf(t, grid)
	round := made(t, text(t, grid), p.Round([][]int{{0, 1, 2, 3, 4, 5}}, 0))
	got, err := p.Cost(round.Arms, s.Arms[0])
	if err != nil {
		t.Fatal(err)
	}
	a := &s.Arms[0].Privacy.Accounts[0]
	var rho float64 // of one run, step by step
	for step := 1; step <= 6; step++ {
		rho += s.Arms[0].Privacy.Loss(step).Rho
	}
	want, err := accountant.GaussianEpsilon(accountant.SigmaOfRho(19*rho), a.Delta)
	if err != nil || !(rho > 0) {
		t.Fatal(rho, err)
	}
	if text := fmt.Sprintf("epsilon %.6g at delta %.6g, of the 18 runs of trials and one run of the study", want, a.Delta); !strings.HasPrefix(got, text) {
		t.Errorf("%s; want %s", got, text)
	}
	bare, of := planOf(t, grid, "mechanism={kind: none}")
	round = made(t, text(t, grid), append(bare.Round([][]int{{0}}, 0), study.Setting{Path: "mechanism", Text: "{kind: none}"}))
	if got, err := bare.Cost(round.Arms, of.Arms[0]); err != nil || !strings.Contains(got, "epsilon inf") {
		t.Errorf("without noise: %s, %v", got, err)
	}
}

// Under a random number of trials the best of them costs what Theorem 2 says, worked out here at
// the order that is stated: with the rho of a trial, and one run of the study.
func TestCostOfTheBest(t *testing.T) {
	const tune = "{metric: validation.loss, validation: public, seeds: {base: 7}, random: {stopping: {kind: truncated-negative-binomial, mean: 5, eta: 1}, keys: {rate: [1, 2]}}}"
	p, s := planOf(t, tune)
	if len(p.Trials) == 0 {
		t.Fatal("no trial")
	}
	all := make([]int, len(p.Trials))
	for k := range all {
		all[k] = k
	}
	round := made(t, text(t, tune), p.Round([][]int{all}, 0))
	got, err := p.Cost(round.Arms, s.Arms[0])
	if err != nil {
		t.Fatal(err)
	}
	var rho float64
	for step := 1; step <= 6; step++ {
		rho += s.Arms[0].Privacy.Loss(step).Rho
	}
	const gamma, delta = 0.2, 1e-4 // of the geometric law with a mean of 5
	extra := math.Inf(1)
	for b := 1.0; b < 500; b += 0.001 {
		extra = min(extra, (1-1/b)*b*rho-math.Log(gamma)/b)
	}
	least := math.Inf(1)
	for a := 1.001; a < 500; a += 0.001 {
		least = min(least, 2*a*rho+2*extra+math.Log(5)/(a-1)+math.Log1p(-1/a)-(math.Log(delta)+math.Log(a))/(a-1))
	}
	var stated float64
	_, rest, _ := strings.Cut(got, "; epsilon ")
	if _, err := fmt.Sscan(rest, &stated); err != nil || stated < least-1e-6 || stated > 1.01*least {
		t.Errorf("%s: %v stated, %v at the best of all orders; %v", got, stated, least, err)
	}
	if p.OfValidation() != "not counted: public validation data" {
		t.Error(p.OfValidation())
	}
}

// Where records are replaced and payments are for adding or removing one, the composition is
// converted as the ledger converts it, and the bound for the best of a random number, which is for
// those other neighbours, is not stated.
func TestCostOfReplacedRecords(t *testing.T) {
	const tune = "{metric: validation.loss, seeds: {base: 7}, random: {stopping: {kind: poisson, mean: 4}, keys: {rate: [1, 2]}}}"
	costOf := func(neighbours string) string {
		t.Helper()
		served := []string{"algorithm={kind: dp-fedavg, learning_rate: 1, clip: 1, tau: 1}", "topology={kind: star}", "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-4, neighbours: " + neighbours + "}"}
		p, s := planOf(t, tune, served...)
		cost, err := p.Cost(s.Arms, s.Arms[0])
		if err != nil {
			t.Fatal(err)
		}
		return cost
	}
	var added, replaced float64
	for text, value := range map[string]*float64{costOf("add-or-remove"): &added, costOf("replace"): &replaced} {
		if _, err := fmt.Sscanf(text, "epsilon %g", value); err != nil {
			t.Fatal(text, err)
		}
		if value == &replaced && !strings.Contains(text, "the bound for a random number of trials is not stated: it is for ") {
			t.Error(text)
		}
		if value == &added && !strings.Contains(text, "where of all trials the chosen values alone are published") {
			t.Error(text)
		}
	}
	if !(replaced > 1.5*added) {
		t.Errorf("epsilon %v of records replaced, %v of records added", replaced, added)
	}
}

// Sections that make no sense are refused at the key that should change.
func TestRefused(t *testing.T) {
	for tune, want := range map[string]string{
		"{metric: loss.fresh, seeds: {base: 7}, grid: {rate: [1]}}":                                                               "tune.metric: loss.fresh is no metric of validation rows",
		"{metric: validation.lass, seeds: {base: 7}, grid: {rate: [1]}}":                                                          `tune.metric: unknown metric "validation.lass"; did you mean "validation.loss"?`,
		"{metric: validation.r2, seeds: {base: 7}, grid: {rate: [1]}}":                                                            "tune.metric: arm base has no validation.r2: its model predicts classes, and this metric is of numbers",
		"{metric: validation.loss, seeds: {base: 2}, grid: {rate: [1]}}":                                                          "tune.seeds.base: seeds 2 to 2 of trials are among the seeds of the scenario, 1 to 2",
		"{metric: validation.loss, grid: {rate: [1]}}":                                                                            `tune: missing required key "seeds"`,
		"{metric: validation.loss, seeds: {base: 7}}":                                                                             "tune: give one of grid, random and halving",
		"{metric: validation.loss, seeds: {base: 7}, grid: {rate: [1, 1]}}":                                                       "tune.grid.rate: a value of rate stands there twice",
		"{metric: validation.loss, seeds: {base: 7}, grid: {pace: [1]}}":                                                          "tune.grid.pace: arm base: the algorithm dsgd has no key of the role pace; it has rate, which is algorithm.learning_rate",
		"{metric: validation.loss, seeds: {base: 7}, grid: {mechanism.epsilon: [1, none]}}":                                       "tune.grid[\"mechanism.epsilon\"]: mechanism.epsilon: less privacy learns better",
		"{metric: validation.loss, seeds: {base: 7}, grid: {problem.validation: [0.1, 0.2]}}":                                     "problem.validation: trials that are judged by different rows do not compare",
		"{metric: validation.loss, seeds: {base: 7}, grid: {seeds.count: [1, 2]}}":                                                "seeds.count: it is no part of the algorithm, the problem or the noise",
		"{metric: validation.loss, seeds: {base: 7}, random: {keys: {rate: [1]}}}":                                                "tune.random: give one of trials and stopping",
		"{metric: validation.loss, seeds: {base: 7}, random: {trials: 2, keys: {rate: {log-uniform: [0, 1]}}}}":                   "tune.random.keys.rate: want {log-uniform: [low, high]} with 0 < low < high",
		"{metric: validation.loss, seeds: {base: 7}, halving: {trials: 4, keep: 0.5, steps: 2, keys: {horizon: [4, 5]}}}":         "tune.halving.keys.horizon: halving changes the horizon by itself",
		"{metric: validation.loss, seeds: {base: 7}, random: {stopping: {kind: poisson, mean: 3, eta: 1}, keys: {rate: [1, 2]}}}": "tune.random.stopping.eta: eta is of truncated-negative-binomial",
	} {
		_, err := scenariotest.LoadError(t, text(t, tune))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "s.yaml:") && !strings.Contains(err.Error(), "s.yaml:1") {
			t.Errorf("%s: %v, want %s", tune, err, want)
		}
	}
	swept := text(t, grid) + "sweep: {grid: {algorithm.learning_rate: [1, 2]}}\n"
	if _, err := scenariotest.LoadError(t, swept); err == nil || !strings.Contains(err.Error(), "the sweep sets algorithm.learning_rate in arm") {
		t.Error(err)
	}
}
