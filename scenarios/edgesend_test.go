package scenarios_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// TestEdgesEnd: a list of edges that ends before the run is warned of, unless it is repeated, its graphs hold, or it is
// long enough.
func TestEdgesEnd(t *testing.T) {
	list := filepath.Join(t.TempDir(), "net.csv")
	if err := os.WriteFile(list, []byte("step,from,to\n1,1,2\n1,2,1\n2,2,1\n2,1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for more, want := range map[string]string{
		"":               "the list of edges ends with step 2 of 4: nodes hear nobody after it; repeat: true begins it again",
		", repeat: true": "",
		", hold: true":   "",
	} {
		s := scenariotest.Load(t, "dpdonc-localization", "horizon=4", "nodes=2", "sweep=null", "seeds.count=1", "mechanism={kind: none}",
			"topology={kind: edge-list, file: "+list+", weights: unchecked, weighting: {scheme: uniform-in, self_loops: true}"+more+"}")
		warnings := scenariotest.RunIn(t, scenariotest.Undrawn(s), runner.RunOptions{Engine: runner.Lockstep}).Manifest.Warnings
		at := slices.IndexFunc(warnings, func(w results.Warning) bool { return w.Code == "edges-end" })
		if (at >= 0) != (want != "") || at >= 0 && warnings[at].Message != want {
			t.Errorf("%q: warnings %v, want %q", more, warnings, want)
		}
	}
}
