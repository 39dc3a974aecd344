package scenarios_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/view"
)

// suspicions are the codes of warnings of what makes numbers suspicious.
var suspicions = []string{"not-recorded", "unmoved", "clipped", "boundary", "noise", "stopped-apart", "wrapped"}

// Each suspicion has a run that deserves it, says it in one line for all seeds, and says
// the same on both runtimes; runs that do what their reader believes have none.
func TestSuspicions(t *testing.T) {
	texts := federatedTexts()
	texts["dpdonc"] = base
	texts["sweep"] = base + "sweep: {grid: {mechanism.epsilon: [2, 1]}}\n"
	for _, test := range []struct {
		name      string
		overrides []string
		want      []string
	}{
		{"dpdonc", []string{"mechanism.epsilon=50"}, nil},
		{"ofl", []string{"mechanism={kind: none}"}, nil},
		{"dpfl", []string{"algorithm.clip=100"}, nil},
		// A 2-norm of sqrt(2 2) b, b = 2 theta alpha_11/epsilon, is that of two Laplace
		// variables.
		{"dpdonc", []string{"mechanism.epsilon=1e-4"}, []string{
			"noise: The noise (norm 32,700) swamps the signal (norm at most 3): expect no learning.",
			"boundary: 92 % of the recorded decisions lie on the boundary of the l1-ball (in 2 of 2 seeds)",
		}},
		{"ofl", []string{"mechanism={kind: laplace, epsilon: 1e-4}"}, []string{
			"noise: The noise (norm 288,000) swamps the signal (norm at most 6.5): expect no learning.",
		}},
		{"ofl", []string{"network={kind: effects, loss: {probability: 1}}", "measure={every: 1, metrics: [accuracy.test, regret.dynamic]}"}, []string{
			"unmoved: accuracy.test never moved from 0.3333 and 0.58, at 12 recorded steps (in 2 of 2 seeds)",
		}},
		{"ofl", []string{"network={kind: effects, churn: {fail: 0.5, recover: 0.5}}", "measure={metrics: [regret.static]}"}, []string{
			"not-recorded: regret.static was never recorded: there was no number to record (in 2 of 2 seeds)",
		}},
		{"dpfl", []string{"algorithm.clip=1e-3"}, []string{"clipped: 100 % of the gradients were clipped (in 2 of 2 seeds)"}},
		{"sweep", []string{"budget={epsilon: 6, on: stop}", "measure={every: 1}"}, []string{
			"stopped-apart: budgets stopped the arms at different steps, the first at step 4: tables, and figures of one step, compare at step 3, which all reached",
		}},
		{"sweep", []string{"budget={epsilon: 6, on: stop}", "measure={every: 12}"}, []string{
			"stopped-apart: budgets stopped the arms at different steps, the first at step 4, and no recorded step was reached by all: values of the last step do not compare",
		}},
	} {
		s := loadText(t, texts[test.name], test.overrides...)
		s.Plots = []study.PlotSection{} // figures take longer than the runs
		outcome := runIn(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 2})
		var got []string
		for _, code := range suspicions {
			m := outcome.Manifest
			m.Warnings = slices.DeleteFunc(slices.Clone(m.Warnings), func(w results.Warning) bool { return w.Code != code || w.Code == "boundary" && test.name == "sweep" })
			lines, _ := view.WarningLines(m.Warnings, m.Seeds.Count, len(m.Arms))
			for _, line := range lines {
				got = append(got, fmt.Sprintf("%s: %s", code, line))
			}
		}
		slices.Sort(got)
		slices.Sort(test.want)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", test.name, test.overrides, diff)
		}
		if other := runIn(t, s, runner.RunOptions{Engine: runner.Lockstep}); !slices.Equal(other.Manifest.Warnings, outcome.Manifest.Warnings) {
			t.Errorf("%s %q: the runtimes warn otherwise", test.name, test.overrides)
		}
	}
}
