package progress_test

import (
	"math"
	"os"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/scenarios/progress"
	"starling/scenarios/scenariotest"
)

func TestMain(m *testing.M) { os.Exit(scenariotest.Main(m)) }

// TestPartialMetrics holds what is told of a run under way to what the run has recorded in
// the end, for all families and kinds of networks, and that asking changes nothing: a run
// that was asked records what one that was not does.
func TestPartialMetrics(t *testing.T) {
	for _, name := range []string{
		"dpdonc-entropy", "dpdonc-localization", "ofl-exact-calibration", "ofl-ridge", "svt-realizable", "ope-lower-bounds", "ope-stochastic", "network-churn", "network-delay",
		"network-bandwidth", "network-push-sum", "network-dropout", "network-mobile", "compare-families", "drift",
	} {
		t.Run(name, func(t *testing.T) {
			s := scenariotest.Small(t, name)
			for number, arm := range s.Arms {
				type key struct {
					metric string
					step   int64
				}
				straight, err := arm.Algorithm.Job(s.Seeds.Base)
				must(t, err)
				must(t, lockstep.Run(t.Context(), &straight.Run))
				want := map[key]float64{}
				for _, v := range progress.InAll(s, number, straight) {
					want[key{v.Metric, v.Step}] = v.Value
				}
				job, err := arm.Algorithm.Job(s.Seeds.Base)
				must(t, err)
				asked, told := 0, 0
				job.Run.Pauses = algorithm.Pauses{Every: max(1, arm.File.Horizon/3), Save: func(state *algorithm.State) error {
					values, err := progress.SoFar(s, number, job, state.Offset)
					asked, told = asked+1, told+len(values)
					for _, v := range values {
						if w, ok := want[key{v.Metric, v.Step}]; !ok || math.Float64bits(v.Value) != math.Float64bits(w) && !(math.IsNaN(w) && math.IsNaN(v.Value)) {
							t.Errorf("arm %s after %d steps: %s at step %d is told as %v, and is %v", arm.Name, state.Offset, v.Metric, v.Step, v.Value, w)
						}
					}
					return err
				}}
				must(t, lockstep.Run(t.Context(), &job.Run))
				if arm.File.Horizon > 1 && asked == 0 || asked > 0 && told == 0 && len(arm.Points) > 1 {
					t.Errorf("arm %s: asked %d times, told %d values", arm.Name, asked, told)
				}
				for _, v := range progress.InAll(s, number, job) {
					if w := want[key{v.Metric, v.Step}]; math.Float64bits(v.Value) != math.Float64bits(w) && !(math.IsNaN(w) && math.IsNaN(v.Value)) {
						t.Errorf("arm %s: %s at step %d is %v after it was asked for, and %v else", arm.Name, v.Metric, v.Step, v.Value, w)
					}
				}
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestSchedule deals jobs out to workers as the runner does.
func TestSchedule(t *testing.T) {
	for _, test := range []struct {
		workers          int
		running, waiting []float64
		want             float64
	}{
		{1, nil, nil, 0},
		{1, []float64{1}, []float64{2, 3}, 6},
		{2, []float64{1, 4}, []float64{2, 2}, 5},
		{2, []float64{1}, []float64{10, 1, 1}, 10}, // the long one at once, the others one after the other
		{4, []float64{1}, []float64{3}, 3},         // some have nothing to do
	} {
		if got := progress.Schedule(test.workers, test.running, test.waiting); got != test.want {
			t.Errorf("%d workers, %v under way, %v waiting: %v, want %v", test.workers, test.running, test.waiting, got, test.want)
		}
	}
}
