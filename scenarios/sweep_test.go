package scenarios

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/document"
)

const swept = `
version: 1
name: s
sweep: {grid: {mechanism.epsilon: [1, 2], nodes: [6, 12]}}
`

// An override of a path that the grid sweeps fixes it for all arms, and what is
// stored beside the results says so.
func TestOverrideTakesItsPathOutOfTheGrid(t *testing.T) {
	doc, err := document.Parse("s.yaml", []byte(swept))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		path, want string
	}{
		{"horizon", "{grid:{mechanism.epsilon:[1,2],nodes:[6,12]}}"},
		{"mechanism.epsilon", "{grid:{nodes:[6,12]}}"},
		{"nodes", ""},
	} {
		if doc, err = unsweep(doc, step.path); err != nil {
			t.Fatal(err)
		}
		got := ""
		if sweep, ok := doc.Find("sweep"); ok {
			got = sweep.Text()
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("after %s: (-want +got)\n%s", step.path, diff)
		}
	}
}

// The library's sweeps over epsilon can be replaced by one value.
func TestOverrideOfASweptLibraryScenario(t *testing.T) {
	s, err := Load("dpdonc-localization", Override{Path: "mechanism.epsilon", Text: "2", Source: "--set mechanism.epsilon"})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Arms) != 1 || s.Arms[0].Name != onlyArm {
		t.Errorf("%d arms, the first %q; want one called %q", len(s.Arms), s.Arms[0].Name, onlyArm)
	}
}

// Steps that a scenario names are recorded besides the regular ones, once each.
func TestMeasureAt(t *testing.T) {
	f := &file{Horizon: 100, Measure: Measure{Every: 40, At: []int{7, 80, 1}}}
	if diff := cmp.Diff([]int{1, 7, 40, 80, 100}, pointsOf(f, 1, pointCount(f))); diff != "" {
		t.Errorf("points (-want +got)\n%s", diff)
	}
	_, err := Load("dpdonc-nodes", Override{Path: "measure.at", Text: "[3, 501]", Source: "--set measure.at"})
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
	variants, err := spread(doc, sweep)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range variants {
		names = append(names, v.name)
	}
	if diff := cmp.Diff([]string{"nodes=6,horizon=50", "nodes=12,horizon=1e2"}, names); diff != "" {
		t.Errorf("arms (-want +got)\n%s", diff)
	}
	horizon, _ := variants[1].document.Find("horizon")
	if horizon.Text() != "1e2" {
		t.Errorf("the second arm's horizon is %s", horizon.Text())
	}
}

func TestBadZips(t *testing.T) {
	tests := []struct{ sweep, want string }{
		{"{zip: {nodes: [6, 12], horizon: [50]}}", "s.yaml:1:40: sweep.zip.horizon: 1 values for horizon, and 2 for the path before it; a zip has as many for each"},
		{"{zip: {}}", "s.yaml:1:14: sweep.zip: a zip maps paths to lists of values"},
		{"{zip: {nodes: [1]}, grid: {nodes: [1]}}", "s.yaml:1:8: sweep: a sweep has one of grid, zip and list"},
	}
	for _, test := range tests {
		doc, err := document.Parse("s.yaml", []byte("sweep: "+test.sweep+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		sweep, _ := doc.Find("sweep")
		if _, err := spread(doc, sweep); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.sweep, err, test.want)
		}
	}
}
