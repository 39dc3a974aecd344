package loading_test

import (
	"strings"
	"testing"

	"starling/scenarios"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// The library's sweeps over epsilon can be replaced by one value.
func TestOverrideOfASweptLibraryScenario(t *testing.T) {
	s, err := scenarios.Load("dpdonc-localization", loading.Override{Path: "mechanism.epsilon", Text: "2", Source: "--set mechanism.epsilon"})
	if err != nil {
		t.Fatal(err)
	}
	const only = "base"
	if len(s.Arms) != 1 || s.Arms[0].Name != only {
		t.Errorf("%d arms, the first %q; want one called %q", len(s.Arms), s.Arms[0].Name, only)
	}
}

// An override of a key that figures have as x or by leaves out those that would
// show one point, and says so in the results.
func TestOverrideOfTheAxisOfAPlot(t *testing.T) {
	const text = "sweep: {grid: {mechanism.epsilon: [1, 2], nodes: [3, 6]}}\nplots:\n" +
		"  - {name: epsilons, y: regret.run, x: mechanism.epsilon, by: nodes}\n" +
		"  - {name: nodes, y: regret.run, x: nodes, by: mechanism.epsilon}\n" +
		"  - {name: steps, y: regret.run}\n"
	scenario := scenariotest.Edited(t, scenariotest.Base, "  kind: matrices\n  matrices:\n    - [[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]]", "  kind: ring") + text
	left := "plot nodes is left out: --set nodes fixes the key of its x axis"
	for _, test := range []struct {
		set   []string
		plots []study.PlotSection
		warns []string
	}{
		{nil, []study.PlotSection{{Name: "epsilons", Y: "regret.run", X: "mechanism.epsilon", By: "nodes"}, {Name: "nodes", Y: "regret.run", X: "nodes", By: "mechanism.epsilon"}, {Name: "steps", Y: "regret.run"}}, nil},
		{[]string{"nodes=3"}, []study.PlotSection{{Name: "epsilons", Y: "regret.run", X: "mechanism.epsilon"}, {Name: "steps", Y: "regret.run"}}, []string{left}},
		{[]string{"nodes=3", "mechanism.epsilon=1"}, []study.PlotSection{{Name: "steps", Y: "regret.run"}}, []string{left, "plot epsilons is left out: --set mechanism.epsilon fixes the key of its x axis"}},
		{[]string{"nodes=6", "seeds.count=3"}, []study.PlotSection{{Name: "epsilons", Y: "regret.run", X: "mechanism.epsilon"}, {Name: "steps", Y: "regret.run"}}, []string{left}},
	} {
		s := scenariotest.LoadText(t, scenario, test.set...)
		if diff := cmp.Diff(test.plots, s.Plots); diff != "" {
			t.Errorf("%v: plots (-want +got)\n%s", test.set, diff)
		}
		var warns []string
		for _, w := range runner.NewCollector(s, nil).Warnings {
			warns = append(warns, w.Message)
		}
		if diff := cmp.Diff(test.warns, warns); diff != "" {
			t.Errorf("%v: warnings (-want +got)\n%s", test.set, diff)
		}
	}
	// Where no figure is left, the usual ones are drawn.
	only := scenariotest.Edited(t, scenario, "  - {name: steps, y: regret.run}\n", "", "  - {name: epsilons, y: regret.run, x: mechanism.epsilon, by: nodes}\n", "")
	if s := scenariotest.LoadText(t, only, "nodes=3"); s.Plots != nil {
		t.Errorf("plots %v", s.Plots)
	}
	if _, err := scenarios.Load("svt-speedup", scenariotest.ParseSets(t, "nodes=4")...); err != nil {
		t.Error(err)
	}
}

// Steps that a scenario names are those of its run.
func TestMeasureAt(t *testing.T) {
	_, err := scenarios.Load("dpdonc-nodes", loading.Override{Path: "measure.at", Text: "[3, 501]", Source: "--set measure.at"})
	want := "--set measure.at:1:5: measure.at[1]: step 501 is not one of the run's, 1 to 500"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A zip takes the values of all paths side by side, and each path is named.
func TestZip(t *testing.T) {
	doc, err := document.Parse("s.yaml", []byte("nodes: 1\nhorizon: 1\nsweep:\n  zip:\n    nodes: [6, 12]\n    horizon: [50, 1e2]\n"))
	if err != nil {
		t.Fatal(err)
	}
	sweep, _ := doc.Find("sweep")
	variants, err := loading.Spread(doc, sweep)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range variants {
		names = append(names, v.Name)
	}
	if diff := cmp.Diff([]string{"nodes=6,horizon=50", "nodes=12,horizon=1e2"}, names); diff != "" {
		t.Errorf("arms (-want +got)\n%s", diff)
	}
	horizon, _ := variants[1].Document.Find("horizon")
	if horizon.Text() != "1e2" {
		t.Errorf("the second arm's horizon is %s", horizon.Text())
	}
}

// A list beside a grid or a zip has each of its arms with each of theirs. Names are short, and an
// override of the path of the grid leaves the list.
func TestListBesideGrid(t *testing.T) {
	const list = "list: [{name: ring, set: {topology: {kind: ring}}}, {set: {topology: {kind: complete}}}, {name: as it is, set: {}}]"
	for _, test := range []struct {
		lists    string
		override []string
		want     []string
	}{
		{"grid: {mechanism.epsilon: [1, none], algorithm.step.scale: [2]}", nil, []string{"ring,epsilon=1,scale=2", "ring,epsilon=none,scale=2", "topology={kind:complete},epsilon=1,scale=2", "topology={kind:complete},epsilon=none,scale=2", "as it is,epsilon=1,scale=2", "as it is,epsilon=none,scale=2"}},
		{"zip: {mechanism.epsilon: [1, 2], horizon: [5, 6]}", nil, []string{"ring,epsilon=1,horizon=5", "ring,epsilon=2,horizon=6", "topology={kind:complete},epsilon=1,horizon=5", "topology={kind:complete},epsilon=2,horizon=6", "as it is,epsilon=1,horizon=5", "as it is,epsilon=2,horizon=6"}},
		{"grid: {mechanism.epsilon: [1, 2]}", []string{"mechanism.epsilon=3"}, []string{"ring", "topology={kind:complete}", "as it is"}},
	} {
		s := scenariotest.LoadText(t, scenariotest.Base+"sweep: {"+list+", "+test.lists+"}\n", test.override...)
		var names []string
		for _, arm := range s.Arms {
			names = append(names, arm.Name)
		}
		if diff := cmp.Diff(test.want, names); diff != "" {
			t.Errorf("%s %v: arms (-want +got)\n%s", test.lists, test.override, diff)
		}
	}
}

func TestBadZips(t *testing.T) {
	tests := []struct{ sweep, want string }{
		{"{zip: {nodes: [6, 12], horizon: [50]}}", "s.yaml:1:40: sweep.zip.horizon: 1 values for horizon, and 2 for the path before it; a zip has as many for each"},
		{"{zip: {}}", "s.yaml:1:14: sweep.zip: a zip maps paths to lists of values"},
		{"{list: [{name: a, set: {nodes: 2}}], grid: {nodes: [1]}}", "s.yaml:1:39: sweep.list[0].set.nodes: the arm sets nodes again after this"},
		{"{list: [{name: a, set: {horizon: 2}}], grid: {}}", "s.yaml:1:53: sweep.grid: a grid maps paths to lists of values"},
		{"{zip: {nodes: [1]}, grid: {nodes: [1]}}", "s.yaml:1:8: sweep: a sweep has a grid, a zip or a list, or a list with one of the others"},
	}
	for _, test := range tests {
		doc, err := document.Parse("s.yaml", []byte("sweep: "+test.sweep+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		sweep, _ := doc.Find("sweep")
		if _, err := loading.Spread(doc, sweep); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.sweep, err, test.want)
		}
	}
}

// An override of a path that the grid sweeps fixes it for all arms, and what is
// stored beside the results says so.
func TestOverrideTakesItsPathOutOfTheGrid(t *testing.T) {
	const swept = scenariotest.Base + "sweep: {grid: {mechanism.epsilon: [1, 2], algorithm.step.scale: [1, 2]}}\n"
	overrides := []string{}
	for _, step := range []struct{ override, want string }{
		{"horizon=5", "{grid:{mechanism.epsilon:[1,2],algorithm.step.scale:[1,2]}}"},
		{"mechanism.epsilon=3", "{grid:{algorithm.step.scale:[1,2]}}"},
		{"algorithm.step.scale=1", ""},
	} {
		overrides = append(overrides, step.override)
		got := ""
		if sweep, ok := scenariotest.LoadText(t, swept, overrides...).Document.Find("sweep"); ok {
			got = sweep.Text()
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("after %s: (-want +got)\n%s", step.override, diff)
		}
	}
}

// Algorithms are a list, and epsilon is the key of each arm: of match, where the arm has that section,
// and else of its mechanism. An override of that key takes it out of the grid.
func TestAlgorithmsByEpsilon(t *testing.T) {
	for _, test := range []struct {
		text      string
		overrides []string
		want      []string // the arms with their epsilons
	}{
		{"sweep: {algorithms: [{name: a, set: {}}, {name: b, set: {mechanism: {kind: gaussian, epsilon: 9, delta: 1e-5}}}], grid: {epsilon: [1, 2]}}", nil,
			[]string{"a,epsilon=1 mechanism.epsilon=1", "a,epsilon=2 mechanism.epsilon=2", "b,epsilon=1 mechanism.epsilon=1", "b,epsilon=2 mechanism.epsilon=2"}},
		{"match: {epsilon: 3, delta: 1e-5, unit: node, neighbours: replace}\nsweep: {list: [{name: a, set: {}}, {name: b, set: {match: null}}], grid: {epsilon: [1, 2]}}", nil,
			[]string{"a,epsilon=1 match.epsilon=1", "a,epsilon=2 match.epsilon=2", "b,epsilon=1 mechanism.epsilon=1", "b,epsilon=2 mechanism.epsilon=2"}},
		{"sweep: {algorithms: [{name: a, set: {epsilon: 4}}, {name: b, set: {}}]}", nil, []string{"a mechanism.epsilon=4", "b "}},
		{"sweep: {algorithms: [{name: a, set: {}}, {name: b, set: {horizon: 20}}], grid: {epsilon: [1, 2]}}", []string{"mechanism.epsilon=5"}, []string{"a ", "b "}},
		{"sweep: {zip: {epsilon: [1, 2], horizon: [20, 30]}}", nil, []string{"epsilon=1,horizon=20 mechanism.epsilon=1", "epsilon=2,horizon=30 mechanism.epsilon=2"}},
	} {
		s := scenariotest.LoadText(t, "version: 1\nname: by-epsilon\nextends: dpdonc-localization\nplots: []\n"+test.text+"\n", test.overrides...)
		var got []string
		for _, arm := range s.Arms {
			set := ""
			for _, v := range arm.Values {
				if strings.HasSuffix(v.Path, ".epsilon") {
					set = v.Path + "=" + v.Value
				}
			}
			got = append(got, arm.Name+" "+set)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.text, diff)
		}
	}
	for text, want := range map[string]string{
		"sweep: {algorithms: [{name: a, set: {}}], list: [{name: b, set: {}}]}":               "sweep: algorithms is another name of list; give one of them",
		"sweep: {algorithms: [{name: a, set: {mechanism.epsilon: 2}}], grid: {epsilon: [1]}}": "the arm sets mechanism.epsilon again after this",
	} {
		_, err := scenariotest.LoadError(t, "version: 1\nname: by-epsilon\nextends: dpdonc-localization\nplots: []\n"+text+"\n")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
