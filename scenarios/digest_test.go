package scenarios_test

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// engine is what executes a scenario, with a number of cores.
type engine struct {
	runner.RunOptions
	cores int
}

// enginesOf are all engines with every number of cores.
func enginesOf(s *study.Scenario, cores []int) (list []engine) {
	for _, options := range scenariotest.Engines(s) {
		for _, c := range cores {
			list = append(list, engine{options, c})
		}
	}
	return list
}

// someEnginesOf are some engines in quick tests, and all in others, with the cores that there are.
func someEnginesOf(s *study.Scenario) (list []engine) {
	for _, options := range scenariotest.SomeEngines(s) {
		list = append(list, engine{options, runtime.GOMAXPROCS(0)})
	}
	return list
}

// coresOf are the numbers of cores that runs take turns with.
func coresOf() []int {
	if testing.Short() {
		return []int{runtime.GOMAXPROCS(0)}
	}
	return []int{1, 2, 8}
}

// digestOn returns the digest of a scenario on an engine.
func digestOn(t *testing.T, s *study.Scenario, e engine) string {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(e.cores))
	return metricsOf(t, s, e.RunOptions).Digest
}

// TestDigestInvariance checks that what executes a scenario leaves no trace in
// its results: same scenario, seeds and build, same digest. Small scenarios of every
// algorithm run in lockstep and on actors with every number of shards, a fifth of them in
// quick tests, and the numbers of cores take turns. One on a network with effects and one of many nodes run on all of them, or a fourth.
// Scenarios of the library are in TestResolvedRunsTheSame.
func TestDigestInvariance(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(families)) {
		text := families[name]
		s := loadText(t, text[0], text[1:]...)
		cores := coresOf()
		var engines []engine
		for k, options := range scenariotest.Engines(s)[1:] { // the first is lockstep
			if !testneeds.Some(i+k, 5) {
				continue
			}
			engines = append(engines, engine{options, cores[(i+k)%len(cores)]})
		}
		invariant(t, name, s, engines)
	}
	for name, text := range map[string]string{"network": lossy, "large": large} {
		s := loadText(t, text)
		var engines []engine
		for k, e := range enginesOf(s, coresOf()) {
			if testneeds.Some(k, 4) {
				engines = append(engines, e)
			}
		}
		invariant(t, name, s, engines)
	}
}

// invariant runs a scenario on engines and checks that the digest is that of the
// lockstep runtime.
func invariant(t *testing.T, name string, s *study.Scenario, engines []engine) {
	t.Run(name, func(t *testing.T) {
		if testing.Short() {
			t.Parallel() // the number of cores stays what it is
		}
		want := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Digest
		for _, e := range engines {
			if got := digestOn(t, s, e); got != want {
				t.Fatalf("%s, %d shards, GOMAXPROCS %d: digest %s, want %s", e.Engine, e.Shards, e.cores, got, want)
			}
		}
	})
}

// TestDigestSensitivity checks that whatever changes what is computed changes
// the digest.
func TestDigestSensitivity(t *testing.T) {
	changes := []string{
		"", "seeds.base=2", "seeds.count=3", "mechanism.epsilon=1.0000001", "mechanism.epsilon=none", "mechanism.noise=shifted",
		"horizon=13", "algorithm.step.scale=1.5", "algorithm.start=[0, 0.1]", "problem.sensors.circle.radius=5",
		"problem.measurement_noise=0.002", "topology={kind: complete}", "measure.every=6", "measure.moves=true", "measure.interval=3",
	}
	seen := map[string]string{}
	for _, change := range changes {
		var overrides []string
		if change != "" {
			overrides = []string{change}
		}
		digest := metricsOf(t, loadText(t, base, overrides...), runner.RunOptions{Engine: runner.Lockstep}).Digest
		if before, ok := seen[digest]; ok {
			t.Errorf("%q and %q have the digest %s", before, change, digest)
		}
		seen[digest] = change
	}
	// What is said about a scenario but not computed changes nothing.
	for _, change := range []string{"name=other", "description=words", "algorithm.theta=null", "topology.window=2", "measure={headline: consensus.error}"} {
		digest := metricsOf(t, loadText(t, base, change), runner.RunOptions{Engine: runner.Lockstep}).Digest
		if before, ok := seen[digest]; !ok || before != "" {
			t.Errorf("%s gives another digest", change)
		}
	}
}

// TestArmsShareStreams checks that random streams are keyed by the seed and by what they
// are for, and not by the name of an arm: two arms of any algorithm that say the same
// give the same, noise and all, and an arm of another name gives the same alone.
func TestArmsShareStreams(t *testing.T) {
	for _, a := range scenarios.Catalog().Algorithms {
		t.Run(a.Kind, func(t *testing.T) {
			if scenariotest.InPython(a) {
				testneeds.Python(t)
			}
			values := map[string]string{}
			for _, names := range [][]string{{"a", "b"}, {"other"}} {
				arms := make([]string, len(names))
				for i, arm := range names {
					arms[i] = "{name: " + arm + ", set: {}}"
				}
				s := loadText(t, a.Examples[0], "sweep={list: ["+strings.Join(arms, ", ")+"]}")
				for _, row := range metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows {
					values[row.Arm] += fmt.Sprintln(row.Seed, row.Step, row.Metric, row.Value)
				}
			}
			if values["a"] == "" || values["a"] != values["b"] || values["a"] != values["other"] {
				t.Errorf("arms that say the same differ:\n%s\nand\n%s\nand\n%s", values["a"], values["b"], values["other"])
			}
		})
	}
}
