package scenarios_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/view"
)

const wrapping = `version: 1
name: wrapping
horizon: 5
nodes: 40
algorithm:
  kind: dp-fedavg
  learning_rate: 1
  clip: 0.5
  aggregation: {kind: secure, survivors: 32, shares: discrete, granularity: 0.01, bits: 8}
problem: {kind: synthetic-logistic, dimension: 10, shared: 1}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 4, delta: 1e-4}
measure: {metrics: [loss.train]}
seeds: {base: 1, count: 2}
`

// Sums that wrap round are told of: before the run where the noise alone makes them so, and
// after it where any did, whether or not the metric is recorded. Noise of 4/0.01 steps of 32
// messages has sqrt(40/32) times the deviation on the sum of 40, which is 447.2, and the share
// of a normal law beyond 128 is 2 (1 - Phi(0.2862)) = 0.775; of 2^11, beyond 1024, 0.022.
func TestWrapsAreTold(t *testing.T) {
	const sums = "its standard deviation on the sum of 40 messages is 447.2 steps of the grid, and sums modulo "
	const hint = " to either side; the clipped vectors add up to 4000 steps; more bits or a coarser grid hold more"
	for _, test := range []struct {
		overrides     []string
		before, after []string
	}{
		{nil,
			[]string{"about 77 % of the entries of sums wrap round by the noise alone: " + sums + "2^8 hold 128" + hint},
			[]string{"74 and 90 % of the entries of sums wrapped round, in 5 of 5 rounds: what was learned there is off by multiples of the modulus (in 2 of 2 seeds)"}},
		{[]string{"algorithm.aggregation.bits=11"},
			[]string{"about 2.2 % of the entries of sums wrap round by the noise alone: " + sums + "2^11 hold 1024" + hint},
			[]string{"2 and 4 % of the entries of sums wrapped round, in 1 and 2 of 5 rounds: what was learned there is off by multiples of the modulus (in 2 of 2 seeds)"}},
		// Vectors that agree, each 50 steps in the unit of the clip, 100 of a grid of 0.01: 40 of
		// them are 4000 steps, sqrt(1/10) of it in each entry.
		{[]string{"algorithm.aggregation.bits=11", "mechanism.sigma=0.6"},
			[]string{"nearly all of the entries of sums wrap round where clipped vectors agree: 40 of them add up to 4000 steps of the grid, 1265 an entry where they are spread evenly over 10, and sums modulo 2^11 hold 1024 to either side; more bits or a coarser grid hold more"},
			nil},
		// Sums that are too large for the modulus nearly always.
		{[]string{"algorithm.aggregation.bits=2", "algorithm.aggregation.granularity=1e-4"},
			[]string{"nearly all of the entries of sums wrap round by the noise alone: its standard deviation on the sum of 40 messages is 4.472e+04 steps of the grid, and sums modulo 2^2 hold 2 to either side; the clipped vectors add up to 4e+05 steps; more bits or a coarser grid hold more"},
			[]string{"100 % of the entries of sums wrapped round, in 5 of 5 rounds: what was learned there is off by multiples of the modulus (in 2 of 2 seeds)"}},
		{[]string{"algorithm.aggregation.bits=12", "mechanism.sigma=0.6"}, nil, nil},
		{[]string{"algorithm.aggregation.bits=24", "algorithm.aggregation.granularity=1e-4"}, nil, nil},
		{[]string{"algorithm.aggregation={kind: secure, survivors: 32}"}, nil, nil},
		{[]string{"mechanism={kind: none}"}, nil, nil},
	} {
		s := loadText(t, wrapping, test.overrides...)
		s.Plots = []study.PlotSection{}
		if diff := cmp.Diff(test.before, view.RemarkLines(s, s.Remarks)); diff != "" {
			t.Errorf("%q, before the run (-want +got):\n%s", test.overrides, diff)
		}
		lines := func(options runner.RunOptions) []string {
			m := runIn(t, s, options).Manifest
			m.Warnings = slices.DeleteFunc(m.Warnings, func(w results.Warning) bool { return w.Code != "wrapped" })
			list, _ := view.WarningLines(m.Warnings, m.Seeds.Count, len(m.Arms))
			return list
		}
		got := lines(runner.RunOptions{Engine: runner.Actors, Shards: 2})
		if other := lines(runner.RunOptions{Engine: runner.Lockstep}); !slices.Equal(got, other) {
			t.Errorf("%q: the runtimes warn otherwise: %q and %q", test.overrides, got, other)
		}
		if diff := cmp.Diff(slices.Concat(test.before, test.after), got); diff != "" {
			t.Errorf("%q, after the run (-want +got):\n%s", test.overrides, diff)
		}
	}
}
