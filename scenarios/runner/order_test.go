package runner_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/cache"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// seedKey is what arms of a test share under a seed.
type seedKey uint64

// sharing has the jobs of a scenario share a value under each seed, and returns the jobs
// in the order in which they are made, and how often a value is.
func sharing(s *study.Scenario, t *testing.T) (jobs func() []string, made map[seedKey]int) {
	var mu sync.Mutex
	var list []string
	made = map[seedKey]int{}
	for _, arm := range s.Arms {
		shares := func(seed uint64) []cache.Need { return []cache.Need{{Key: seedKey(seed), Bytes: 8}} }
		scenariotest.Rig(arm, shares, func(seed uint64, own func(uint64) (*study.Job, error)) (*study.Job, error) {
			mu.Lock()
			defer mu.Unlock()
			list = append(list, fmt.Sprintf("%s, seed %d", arm.Name, seed))
			_, kept, err := cache.Get(arm.Cache, seedKey(seed), func() (int, error) { made[seedKey(seed)]++; return 0, nil })
			if !kept || err != nil {
				t.Errorf("%s, seed %d: kept %v, %v", arm.Name, seed, kept, err)
			}
			return own(seed)
		})
	}
	return func() []string { return list }, made
}

// Arms that share values run seed by seed, each value is made once and then forgotten, and
// the files of the run are those of arms that run one after the other.
func TestArmsThatShareRunBySeed(t *testing.T) {
	load := func() *study.Scenario {
		return scenariotest.LoadText(t, scenariotest.Base, "seeds.count=3", "horizon=6", "sweep={grid: {mechanism.epsilon: [1, 2]}}")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one job at a time
	want := manifestOf(t, scenariotest.RunIn(t, load(), runner.RunOptions{Engine: runner.Lockstep}))
	for _, memory := range []int64{0, 4 << 30} {
		s := load()
		jobs, made := sharing(s, t)
		if diff := cmp.Diff(want, manifestOf(t, scenariotest.RunIn(t, s, runner.RunOptions{Engine: runner.Lockstep, Memory: memory}))); diff != "" {
			t.Errorf("(-by arm +by seed):\n%s", diff)
		}
		if diff := cmp.Diff(map[seedKey]int{1: 1, 2: 1, 3: 1}, made); diff != "" {
			t.Errorf("values made (-want +got):\n%s", diff)
		}
		if s.Cache.Used() != 0 {
			t.Errorf("%d bytes are kept after the run", s.Cache.Used())
		}
		order := []string{"epsilon=1, seed 1", "epsilon=2, seed 1", "epsilon=1, seed 2", "epsilon=2, seed 2", "epsilon=1, seed 3", "epsilon=2, seed 3"}
		if diff := cmp.Diff(order, jobs()); diff != "" {
			t.Errorf("jobs (-want +got):\n%s", diff)
		}
	}
}

// Arms that share nothing run seed by seed, so that all are compared soon, and one after the other where
// one keeps a value from seed to seed. The files are the same.
func TestArmsThatShareNothing(t *testing.T) {
	load := func() *study.Scenario {
		return scenariotest.LoadText(t, scenariotest.Base, "seeds.count=2", "horizon=6", "sweep={grid: {mechanism.epsilon: [1, 2]}}")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one job at a time
	want := manifestOf(t, scenariotest.RunIn(t, load(), runner.RunOptions{Engine: runner.Lockstep}))
	own := func(key func(arm int, seed uint64) any) func(arm int) func(seed uint64) []cache.Need {
		return func(arm int) func(seed uint64) []cache.Need {
			return func(seed uint64) []cache.Need { return []cache.Need{{Key: key(arm, seed), Bytes: 8}} }
		}
	}
	for name, test := range map[string]struct {
		shares func(arm int) func(seed uint64) []cache.Need
		order  []string
	}{
		"nothing":         {func(int) func(uint64) []cache.Need { return func(uint64) []cache.Need { return nil } }, []string{"1 1", "2 1", "1 2", "2 2"}},
		"data of a seed":  {own(func(arm int, seed uint64) any { return [2]uint64{uint64(arm), seed} }), []string{"1 1", "2 1", "1 2", "2 2"}},
		"data of an arm":  {own(func(arm int, _ uint64) any { return arm }), []string{"1 1", "1 2", "2 1", "2 2"}},
		"data of a study": {own(func(int, uint64) any { return 0 }), []string{"1 1", "2 1", "1 2", "2 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := load()
			var mu sync.Mutex
			var order []string
			for i, arm := range s.Arms {
				scenariotest.Rig(arm, test.shares(i), func(seed uint64, own func(uint64) (*study.Job, error)) (*study.Job, error) {
					mu.Lock()
					order = append(order, fmt.Sprintf("%d %d", 1+i, seed))
					mu.Unlock()
					return own(seed)
				})
			}
			if diff := cmp.Diff(want, manifestOf(t, scenariotest.RunIn(t, s, runner.RunOptions{Engine: runner.Lockstep}))); diff != "" {
				t.Errorf("(-as loaded +as rigged):\n%s", diff)
			}
			if diff := cmp.Diff(test.order, order); diff != "" {
				t.Errorf("jobs (-want +got):\n%s", diff)
			}
		})
	}
}

// Results are the same whether jobs keep and share data or draw them whenever they need
// them, in every family; and where they may, they share something.
func TestSharingChangesNoResult(t *testing.T) {
	for _, name := range []string{"drift", "ofl-logistic", "dpdonc-gaussian", "compare-families"} {
		t.Run(name, func(t *testing.T) {
			s := scenariotest.Undrawn(scenariotest.Small(t, name))
			needs := 0
			for _, arm := range s.Arms {
				needs += len(study.NeedsOf(arm, s.Seeds.Base))
			}
			shared := scenariotest.MetricsOf(t, s, runner.RunOptions{}).Digest
			if needs == 0 || s.Cache.Used() != 0 {
				t.Errorf("%d needs, and %d bytes are kept after the run", needs, s.Cache.Used())
			}
			for _, arm := range s.Arms {
				none := func(uint64) []cache.Need { return nil }
				scenariotest.Rig(arm, none, func(seed uint64, own func(uint64) (*study.Job, error)) (*study.Job, error) { return own(seed) })
			}
			if drawn := scenariotest.MetricsOf(t, s, runner.RunOptions{Again: true}).Digest; drawn != shared {
				t.Errorf("digest %s where data are shared, and %s where they are drawn", shared, drawn)
			}
		})
	}
}
