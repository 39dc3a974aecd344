package loading_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/results"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// However a path is written, it is one place: arms are called by it and figures name it in its
// one form, --set takes it out of the sweep, and a key with a point in it stays whole.
func TestPathsAreOneForm(t *testing.T) {
	const figure = "\nplots: [{name: p, y: regret.run, x: 'mechanism[\"epsilon\"]', by: '[\"horizon\"]'}]\n"
	for _, sweep := range []string{
		"mechanism.epsilon: [1, 2], horizon: [4, 5]",
		"'mechanism[\"epsilon\"]': [1, 2], '[\"horizon\"]': [4, 5]",
		"'[\"mechanism\"][\"epsilon\"]': [1, 2], horizon: [4, 5]",
	} {
		text := scenariotest.Base + "sweep: {grid: {" + sweep + "}}" + figure
		s := scenariotest.LoadText(t, text)
		var names, paths []string
		for _, arm := range s.Arms {
			names = append(names, arm.Name)
			for _, a := range arm.Values {
				paths = append(paths, a.Path)
			}
		}
		if want := []string{"epsilon=1,horizon=4", "epsilon=1,horizon=5", "epsilon=2,horizon=4", "epsilon=2,horizon=5"}; !slices.Equal(names, want) {
			t.Errorf("%s: arms %q, want %q", sweep, names, want)
		}
		if slices.Sort(paths); !slices.Equal(slices.Compact(paths), []string{"horizon", "mechanism.epsilon"}) {
			t.Errorf("%s: paths %q", sweep, paths)
		}
		if o := s.Plots[0].Options(nil); o.X != "mechanism.epsilon" || o.By != "horizon" {
			t.Errorf("%s: x %s by %s", sweep, o.X, o.By)
		}
		for _, set := range []string{"mechanism.epsilon=3", `mechanism["epsilon"]=3`} {
			fixed := scenariotest.LoadText(t, text, set)
			if len(fixed.Arms) != 2 || fixed.Arms[0].Name != "horizon=4" {
				t.Errorf("%s, %s: %d arms, of which %s", sweep, set, len(fixed.Arms), fixed.Arms[0].Name)
			}
			if diff := cmp.Diff([]study.PlotSection(nil), fixed.Plots); diff != "" {
				t.Errorf("%s, %s: figures (-want +got)\n%s", sweep, set, diff)
			}
		}
	}
	for _, text := range []string{`{kind: own, "a.b": 4, inside: {c: 5}}`, `{kind:own,"a.b":4,inside:{c:5}}`} { // of a file, and of a manifest
		checkValues(t, results.ArmEntry{Values: []results.Value{{Path: "algorithm", Value: text}, {Path: `problem["x.y"]`, Value: "6"}}})
	}
}

// checkValues checks the values inside of the algorithm of an arm.
func checkValues(t *testing.T, arm results.ArmEntry) {
	t.Helper()
	for path, want := range map[string]string{`algorithm["a.b"]`: "4", "algorithm.inside.c": "5", `problem["x.y"]`: "6", "algorithm.kind": "own", "algorithms": "", `algorithm["b"]`: ""} {
		if got, ok := arm.Value(path); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", path, got, ok, want)
		}
	}
}
