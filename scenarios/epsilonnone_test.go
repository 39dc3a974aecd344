package scenarios_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios"
	"starling/scenarios/guide"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/python"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// rowsBeside are the rows of a run but those of the delta of the section.
func rowsBeside(t *testing.T, s *study.Scenario) []results.Row {
	t.Helper()
	rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
	return slices.DeleteFunc(rows, func(r results.Row) bool { return r.Metric == ledger.Delta || math.IsNaN(r.Value) })
}

// A sweep over epsilons ends with none: every mechanism that has the key takes it, with every
// algorithm, and is then no noise.
func TestEpsilonNone(t *testing.T) {
	t.Chdir("testdata")
	catalog := scenarios.Catalog()
	taken := map[string]bool{}
	for _, p := range guide.Pairs(&catalog) {
		if !p.Fits || p.Section != "mechanism" || p.Algorithm == python.KindPython && testneeds.NoPython() {
			continue
		}
		example := strings.Replace(named(t, catalog.Mechanisms, p.Kind).Examples[0], "sigma: ", "epsilon: ", 1)
		if p.Kind == mechanisms.NoNoise {
			continue
		}
		for _, text := range named(t, catalog.Algorithms, p.Algorithm).Examples {
			s, err := loadError(t, text, "mechanism="+example, "mechanism.epsilon=none")
			if err != nil && !strings.Contains(err.Error(), "algorithm.batch") {
				t.Errorf("%s with %s: %v", p.Algorithm, p.Kind, err)
			}
			if err != nil {
				continue
			}
			taken[p.Kind] = true
			if planned, err := study.PlannedLossOf(s.Arms[0]); err != nil || planned.Private() {
				t.Errorf("%s with %s: a loss of %v, %v", p.Algorithm, p.Kind, planned, err)
			}
			if p.Kind != "independent" && p.Kind != "tree" || p.Algorithm == python.KindPython {
				continue
			}
			none, err := loadError(t, text, "mechanism={kind: none}")
			if err != nil {
				continue // it takes no runs without noise by that name
			}
			if diff := cmp.Diff(rowsBeside(t, none), rowsBeside(t, s)); diff != "" {
				t.Errorf("%s with %s without noise, -want +got:\n%s", p.Algorithm, p.Kind, diff)
			}
		}
	}
	for _, kind := range catalog.Mechanisms {
		if !taken[kind.Kind] && kind.Kind != mechanisms.NoNoise {
			t.Errorf("%s takes no epsilon of none", kind.Kind)
		}
	}
}
