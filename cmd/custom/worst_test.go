package main

import (
	"math"
	"testing"

	"starling/scenarios"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// The metric is recorded under algorithms of equals and of servers, on both runtimes to the
// same bits, and is at least the mean loss; with one node it is the mean loss.
func TestWorstLoss(t *testing.T) {
	catalog, err := scenarios.Catalog().With(kind.Catalog{Measures: []kind.Measure{&worstLoss}})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range catalog.Algorithms {
		if a.Kind == "python" {
			continue
		}
		t.Run(a.Kind, func(t *testing.T) {
			sets := scenariotest.ParseSets(t, "measure={every: 1, metrics: [loss.largest, loss.mean]}", "plots=[]")
			s, err := loading.Loader{Kinds: &catalog}.Load(scenariotest.File(t, a.Examples[0]), sets...)
			if err != nil {
				t.Fatal(err)
			}
			lockstep := scenariotest.MetricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
			if actors := scenariotest.MetricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 2}); actors.Digest != lockstep.Digest {
				t.Errorf("%s in lockstep and %s with actors", lockstep.Digest, actors.Digest)
			}
			worst, mean := scenariotest.ValuesOf(lockstep.Rows, "loss.largest"), scenariotest.ValuesOf(lockstep.Rows, "loss.mean")
			if len(worst) == 0 || len(mean) == 0 {
				t.Fatalf("%d values of loss.largest, %d of loss.mean", len(worst), len(mean))
			}
			// Servers of local steps take the mean over data at the models that rounds leave.
			if equals := len(s.Arms[0].Measured) > 0; equals && scenariotest.Last(worst) < scenariotest.Last(mean) || math.IsNaN(scenariotest.Last(worst)) {
				t.Errorf("worst %v, mean %v", scenariotest.Last(worst), scenariotest.Last(mean))
			}
		})
	}
}
