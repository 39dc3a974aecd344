package runner_test

import (
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/lockstep"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// told are the scenarios of tests of what is told of a run under way: all families and kinds of
// networks.
var told = []string{
	"dpdonc-entropy", "dpdonc-localization", "ofl-exact-calibration", "ofl-ridge", "svt-realizable", "ope-lower-bounds", "ope-stochastic", "network-churn", "network-delay",
	"network-bandwidth", "network-push-sum", "network-dropout", "network-mobile", "compare-families", "drift", "dp-scaffold", "dp-ftrl", "own-data",
}

// values are numbers by metric and step.
type values map[string]map[int64]float64

func valuesOf(list []runner.Value) values {
	all := values{}
	for _, v := range list {
		if all[v.Metric] == nil {
			all[v.Metric] = map[int64]float64{}
		}
		all[v.Metric][v.Step] = v.Value
	}
	return all
}

// holds reports values that are others than those of a run, bit for bit.
func (want values) holds(t *testing.T, what string, list []runner.Value) {
	t.Helper()
	for _, v := range list {
		if w, ok := want[v.Metric][v.Step]; !ok || math.Float64bits(v.Value) != math.Float64bits(w) && !(math.IsNaN(w) && math.IsNaN(v.Value)) {
			t.Errorf("%s: %s at step %d is %v, and %v of a run that nobody asked", what, v.Metric, v.Step, v.Value, w)
		}
	}
}

// TestLongPreparation has the metrics of a job under way wait until another preparation is a small part of the time.
func TestLongPreparation(t *testing.T) {
	s := scenariotest.Small(t, "dpdonc-localization")
	for _, test := range []struct {
		prepared, ran time.Duration
		want          bool
	}{
		{time.Millisecond, time.Second, false}, {time.Millisecond, 10 * time.Second, true}, {20 * time.Second, time.Minute, false}, {20 * time.Second, 3 * time.Hour, true},
	} {
		if got := runner.Due(s, 0, test.prepared, test.ran); got != test.want {
			t.Errorf("prepared in %v and run for %v: %v", test.prepared, test.ran, got)
		}
	}
}

// TestTold holds what is told of runs while they go on to what runs record that nobody asks,
// and what they record in the end, too. Both runtimes tell the same; the one with actors goes
// on while it is asked.
func TestTold(t *testing.T) {
	host, err := engine.NewHost(engine.HostOptions{Logger: zerolog.Nop()})
	must(t, err)
	defer host.Close()
	list := map[string]*study.Scenario{"a budget that stops nodes": scenariotest.LoadText(t, scenariotest.Base, "budget={epsilon: 20, on: stop}")}
	for i, name := range slices.Sorted(maps.Keys(scenariotest.Families)) {
		if !testneeds.Some(i, 2) {
			continue
		}
		text := scenariotest.Families[name]
		list[name] = scenariotest.LoadText(t, text[0], append(text[1:len(text):len(text)], "seeds.count=1")...)
	}
	for _, name := range told {
		list[name] = scenariotest.Small(t, name)
	}
	for name, s := range list {
		t.Run(name, func(t *testing.T) {
			for number, arm := range s.Arms {
				job := func() *study.Job {
					j, err := arm.Algorithm.Job(s.Seeds.Base)
					must(t, err)
					return j
				}
				straight := job()
				must(t, lockstep.Run(t.Context(), &straight.Run))
				want := valuesOf(runner.InAll(s, number, straight))

				rests := job()
				teller := runner.TellerOf(s, number, rests)
				rests.Run.Pauses = algorithm.Pauses{Every: 1, Save: func(state *algorithm.State) error {
					teller.Advance(state.Offset)
					teller.Tell()
					return nil
				}}
				must(t, lockstep.Run(t.Context(), &rests.Run))
				resting := teller.Values()
				want.holds(t, arm.Name+", told in pauses", resting)
				want.holds(t, arm.Name+", after it told in pauses", runner.InAll(s, number, rests))
				if len(arm.Points) > 4 && len(teller.Early()) > 0 && len(resting) == 0 {
					t.Errorf("arm %s: nothing of %v is told", arm.Name, teller.Early())
				}

				goes := job()
				teller = runner.TellerOf(s, number, goes)
				over, done := make(chan struct{}), make(chan struct{})
				go func() {
					defer close(done)
					for {
						select {
						case <-over:
							return
						case <-time.After(50 * time.Microsecond):
							teller.Tell()
						}
					}
				}()
				err := host.Run(t.Context(), &goes.Run, engine.Options{Shards: 2, Progress: teller.Advance})
				all := runner.InAll(s, number, goes)
				close(over)
				<-done
				must(t, err)
				want.holds(t, arm.Name+", told as it goes", teller.Values())
				want.holds(t, arm.Name+", after it told as it went", all)
			}
		})
	}
}

// TestSpreadRests: of a run that is spread the meter tells nothing, and all that was worked out
// when the run rested is shown, also metrics that other runs tell.
func TestSpreadRests(t *testing.T) {
	s := scenariotest.Small(t, "dpdonc-localization")
	job, err := s.Arms[0].Algorithm.Job(s.Seeds.Base)
	must(t, err)
	teller := runner.TellerOf(s, 0, job)
	early := slices.Sorted(maps.Keys(teller.Early()))
	if len(early) == 0 {
		t.Fatal("nothing is told of a run that is not spread")
	}
	told, rests := teller.Recorded(early[0])
	if len(told) > 0 || rests {
		t.Errorf("of a run in one process %s at a pause counts: %v, rests %v", early[0], told, rests)
	}
	job.Meter.Divide(false)
	teller.Advance(1)
	teller.Tell()
	if told, rests = teller.Recorded(early[0]); len(told) != 1 || !rests {
		t.Errorf("of a spread run %s at a pause is %v, rests %v", early[0], told, rests)
	}
}

// TestPartialMetrics holds what is told of a run under way to what the run has recorded in
// the end, for all families and kinds of networks, and that asking changes nothing: a run
// that was asked records what one that was not does.
func TestPartialMetrics(t *testing.T) {
	for _, name := range told {
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
				for _, v := range runner.InAll(s, number, straight) {
					want[key{v.Metric, v.Step}] = v.Value
				}
				job, err := arm.Algorithm.Job(s.Seeds.Base)
				must(t, err)
				asked, told := 0, 0
				job.Run.Pauses = algorithm.Pauses{Every: max(1, arm.File.Horizon/3), Save: func(state *algorithm.State) error {
					values, err := runner.SoFar(s, number, job, state.Offset)
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
				for _, v := range runner.InAll(s, number, job) {
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
		if got := runner.Schedule(test.workers, test.running, test.waiting); got != test.want {
			t.Errorf("%d workers, %v under way, %v waiting: %v, want %v", test.workers, test.running, test.waiting, got, test.want)
		}
	}
}
