package runner_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/section/problems/standard"
)

// noisy are overrides that give scenariotest.Modelling noise, one local step a round of a quarter of
// each client's 40 images.
var noisy = []string{"sweep=null", "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5}", "algorithm={kind: dpfl, tau: 1, learning_rate: 0.1, batch: 10, clip: 0.5}", "seeds.count=1"}

func with(list []string, more ...string) []string {
	return append(append([]string(nil), list...), more...)
}

// accountedOf is what a run says that its public observer learns: the ledger's
// definition and epsilon, the metric, and its warnings about the start.
func accountedOf(t *testing.T, o *runner.Outcome) (definition string, epsilon, metric float64, warnings string) {
	t.Helper()
	run, err := results.Open(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Privacy(func(row results.PrivacyRow) error {
		if row.Observer == "public" {
			definition, epsilon = row.Definition, max(epsilon, row.Epsilon)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, w := range o.Manifest.Warnings {
		if w.Code == "start" {
			warnings += w.Message
		}
	}
	return definition, epsilon, scenariotest.Last(scenariotest.ValuesOf(scenariotest.RowsOf(t, o.Dir), "epsilon.total")), warnings
}

// started writes a model of a run, its costs changed, and returns the override that
// starts from it.
func started(t *testing.T, o *runner.Outcome, change func(costs string) string) string {
	t.Helper()
	saved := modelOf(t, o.Dir, "base", 1)
	notes := map[string]string{}
	if costs := change(saved.Notes[ledger.CostKey]); costs != "" {
		notes[ledger.CostKey] = costs
	}
	var file bytes.Buffer
	if err := saved.Model.Write(&file, saved.Params, notes); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "start.safetensors")
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return "problem.model.weights=" + path
}

func asItIs(costs string) string { return costs }

// A run that starts from a model of the same data costs both: as many steps of one kind
// as both have, by the accountant alone. So does the model that it leaves.
func TestStartsAddWhatTheyCost(t *testing.T) {
	first := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, noisy...), runner.RunOptions{})
	second := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, with(noisy, started(t, first, asItIs))...), runner.RunOptions{})
	third := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, with(noisy, started(t, second, asItIs))...), runner.RunOptions{})
	for runs, o := range []*runner.Outcome{first, second, third} {
		definition, epsilon, metric, warnings := accountedOf(t, o)
		want, _, err := accountant.SampledGaussian{Rate: 0.25, Noise: 2, Steps: 4 * (runs + 1)}.Epsilon(1e-5, accountant.RDP)
		if err != nil || math.Abs(epsilon-want) > 1e-9 || metric != epsilon || definition != "RDP" || warnings != "" {
			t.Errorf("run %d: %s, %v in the ledger, %v in the metrics, want %v, %v; warnings %q", runs+1, definition, epsilon, metric, want, err, warnings)
		}
	}
}

// What nothing bounds before a run, nothing bounds after it: a start that was trained
// without noise, one of which nothing is known, and one that began from such a one.
func TestStartsThatAreNotPrivate(t *testing.T) {
	bare := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, "sweep=null", "seeds.count=1"), runner.RunOptions{})
	private := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, noisy...), runner.RunOptions{})
	unknown := started(t, private, func(string) string { return "" })
	second := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, with(noisy, unknown)...), runner.RunOptions{})
	online := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, with(ofOnline, "sweep=null", "seeds.count=1", "mechanism={kind: toeplitz, epsilon: 2, delta: 1e-3}")...), runner.RunOptions{})
	for name, test := range map[string]struct {
		start, definition, warning string
		overrides                  []string
	}{
		"without noise":        {started(t, bare, asItIs), "not private", "without privacy", nil},
		"online":               {started(t, bare, asItIs), "not private", "without privacy", with(ofOnline, "mechanism={kind: toeplitz, epsilon: 2, delta: 1e-3}")},
		"unknown":              {unknown, "unknown", "are unknown; they are not private to the maker of the model", nil},
		"from one of unknown":  {started(t, second, asItIs), "unknown", "not private to its maker", nil},
		"for other neighbours": {started(t, online, asItIs), "not private", "for other neighbours (replace)", nil},
	} {
		o := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, with(noisy, append(test.overrides, test.start)...)...), runner.RunOptions{})
		definition, epsilon, metric, warnings := accountedOf(t, o)
		if !math.IsInf(epsilon, 1) || !math.IsInf(metric, 1) || definition != test.definition || !strings.Contains(warnings, test.warning) {
			t.Errorf("%s: %s, %v in the ledger, %v in the metrics; warnings %q, want %q", name, definition, epsilon, metric, warnings, test.warning)
		}
	}
	_, err := scenariotest.LoadError(t, scenariotest.Modelling, with(noisy, unknown, "budget={epsilon: 1, on: stop}")...)
	if err == nil || !strings.Contains(err.Error(), "the start is not private, and no budget limits it") {
		t.Errorf("a budget: %v", err)
	}
}

// A start of other data adds nothing, says so, and is remembered by the model that comes
// of it.
func TestStartsOfOtherData(t *testing.T) {
	first := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, noisy...), runner.RunOptions{})
	_, alone, _, _ := accountedOf(t, first)
	other := strings.Repeat("ab", 32)
	start := started(t, first, func(costs string) string { return strings.Replace(costs, standard.SyntheticDigest, other, 1) })
	second := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, with(noisy, start)...), runner.RunOptions{})
	if _, epsilon, metric, warnings := accountedOf(t, second); epsilon != alone || metric != alone || !strings.Contains(warnings, "said to be of other data") {
		t.Errorf("%v in the ledger, %v in the metrics, want %v; warnings %q", epsilon, metric, alone, warnings)
	}
	if costs := modelOf(t, second.Dir, "base", 1).Notes[ledger.CostKey]; strings.Count(costs, `"digest"`) != 2 || !strings.Contains(costs, other) {
		t.Errorf("the model forgets what it began from: %s", costs)
	}
}

// A budget pays for the start too.
func TestStartsAndBudgets(t *testing.T) {
	first := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, noisy...), runner.RunOptions{})
	_, spent, _, _ := accountedOf(t, first)
	budget := "budget={epsilon: " + tabular.FormatValue(1.2*spent) + ", on: stop}"
	o := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, with(noisy, "horizon=40", started(t, first, asItIs), budget)...), runner.RunOptions{})
	if _, epsilon, metric, _ := accountedOf(t, o); epsilon > 1.2*spent*1.0001 || epsilon <= spent || metric != epsilon {
		t.Errorf("%v, %v in the metrics, of a budget of %v of which the start took %v", epsilon, metric, 1.2*spent, spent)
	}
}

// Costs that are damaged or contradict themselves are refused with file and place.
func TestDamagedCosts(t *testing.T) {
	first := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, noisy...), runner.RunOptions{})
	for name, test := range map[string]struct {
		change func(string) string
		want   string
	}{
		"no JSON":        {func(costs string) string { return costs[:len(costs)/2] }, "character "},
		"unknown field":  {func(costs string) string { return strings.Replace(costs, `"unit"`, `"unity"`, 1) }, "unity"},
		"version":        {func(costs string) string { return strings.Replace(costs, `"version":1`, `"version":7`, 1) }, "version 7; this build reads version 1"},
		"fewer steps":    {func(costs string) string { return strings.Replace(costs, `"steps":4`, `"steps":3`, 1) }, "its losses come to"},
		"negative rate":  {func(costs string) string { return strings.Replace(costs, `"q":0.25`, `"q":-1`, 1) }, "q = -1"},
		"no digest":      {func(costs string) string { return strings.Replace(costs, standard.SyntheticDigest, "abc", 1) }, `digest "abc" is no SHA-256`},
		"another's view": {func(costs string) string { return strings.Replace(costs, `"public"`, `"server"`, 1) }, `observer "server"; want public`},
	} {
		_, err := scenariotest.LoadError(t, scenariotest.Modelling, with(noisy, started(t, first, test.change))...)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), `start.safetensors: byte `) || !strings.Contains(err.Error(), ledger.CostKey) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// A model of a run whose epsilons are for a sample replaced costs what was paid, which
// is for one added or removed, and says so. A start from it adds that, and converts the
// sum where the run is for samples replaced.
func TestStartsConvertAfterAdding(t *testing.T) {
	replacing := append([]string{noisy[0], "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, neighbours: replace}"}, noisy[2:]...)
	first := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, replacing...), runner.RunOptions{})
	start := started(t, first, func(costs string) string {
		if !strings.Contains(costs, `"relation":"add-or-remove"`) || strings.Contains(costs, "replace") {
			t.Errorf("the model says %s", costs)
		}
		return costs
	})
	second := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, with(replacing, start)...), runner.RunOptions{})
	steps := scenariotest.LoadText(t, scenariotest.Modelling, noisy...).Arms[0].File.Horizon
	both := accountant.Loss{Sampled: accountant.SampledGaussian{Rate: 0.25, Noise: 2, Steps: 2 * steps}}.Total()
	want, err := both.ReplaceEpsilon(1e-5, accountant.RDP)
	if err != nil {
		t.Fatal(err)
	}
	if _, epsilon, metric, _ := accountedOf(t, second); math.Abs(epsilon/want-1) > 1e-9 || math.Abs(metric/want-1) > 1e-9 {
		t.Errorf("the second run costs %v by the ledger and %v by the metric, want %v", epsilon, metric, want)
	}
}
