package views_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/observatory/views"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// TestRunNames names runs by the keys in which they differ, in their list, their table and their figure. The only arm
// of a run has no dash, and 2 seeds no bands.
func TestRunNames(t *testing.T) {
	f, _, _ := folderOf(t)
	o := runner.RunOptions{Out: f.Dir(), Engine: runner.Lockstep, Build: "test"}
	var ids, want []string
	for _, horizon := range []string{"9", "90"} {
		s := scenariotest.Undrawn(scenariotest.LoadText(t, scenariotest.Base, "horizon="+horizon, "seeds.count=2"))
		if _, err := runner.Run(s, t.Context(), o); err != nil {
			t.Fatal(err)
		}
		id, err := filepath.Rel(f.Dir(), runner.Dir(s, o))
		if err != nil {
			t.Fatal(err)
		}
		ids, want = append(ids, filepath.ToSlash(id)), append(want, "horizon = "+horizon)
	}
	names, err := f.Names(ids)
	if err != nil || names[ids[0]] != want[0] || names[ids[1]] != want[1] {
		t.Errorf("%q, %v", names, err)
	}
	same, err := f.Names([]string{ids[0], ids[0]})
	if err != nil || !strings.Contains(ids[0], same[ids[0]]) || len(same[ids[0]]) != 8 {
		t.Errorf("equal runs are %q, %v", same, err)
	}
	against, err := f.Against(views.AgainstQuery{IDs: ids})
	if err != nil {
		t.Fatal(err)
	}
	if rows := against.Tables[0].Rows; len(rows) != 2 || rows[0][0] != want[0] || rows[1][0] != want[1] {
		t.Errorf("a table of %q", rows)
	}
	figure, err := f.Overlay(ids, views.Query{PlotOptions: study.PlotOptions{Metric: "regret.run"}})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, key := range figure.Charts[0].Keys {
		keys = append(keys, key.Name)
	}
	if !slices.Equal(keys, want) || figure.Charts[0].Series[0].Low != nil {
		t.Errorf("a legend of %q", keys)
	}
}

// TestArmLabels has the arms of a study of mappings named by their values on all views: in the details of a run, of
// its headline, and in the legend of several runs.
func TestArmLabels(t *testing.T) {
	f, _, _ := folderOf(t)
	o := runner.RunOptions{Out: f.Dir(), Engine: runner.Lockstep, Build: "test"}
	var ids []string
	for _, horizon := range []string{"8", "9"} {
		s := scenariotest.Undrawn(scenariotest.LoadText(t, scenariotest.Base, "horizon="+horizon, "seeds.count=2", "sweep={grid: {mechanism.epsilon: [1, none], topology: [{kind: ring}, {kind: complete}]}}"))
		if _, err := runner.Run(s, t.Context(), o); err != nil {
			t.Fatal(err)
		}
		id, err := filepath.Rel(f.Dir(), runner.Dir(s, o))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, filepath.ToSlash(id))
	}
	want := map[string]string{
		"epsilon=1,topology={kind:ring}": "ε = 1, ring", "epsilon=1,topology={kind:complete}": "ε = 1, complete",
		"epsilon=none,topology={kind:ring}": "no noise, ring", "epsilon=none,topology={kind:complete}": "no noise, complete",
	}
	detail, err := f.Detail(ids[0])
	if err != nil || !maps.Equal(detail.ArmLabels, want) {
		t.Errorf("arms of a run %q, %v", detail.ArmLabels, err)
	}
	heads, err := f.Headlines(ids)
	if err != nil {
		t.Fatal(err)
	}
	if arm := heads[ids[0]].Arm; f.HeadlineLabels(heads)[ids[0]][arm] != want[arm] {
		t.Errorf("the arm of a headline is %q", f.HeadlineLabels(heads)[ids[0]][arm])
	}
	figure, err := f.Overlay(ids, views.Query{PlotOptions: study.PlotOptions{Metric: "regret.run"}})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, key := range figure.Charts[0].Keys {
		keys = append(keys, key.Name)
	}
	for _, label := range want {
		if !slices.Contains(keys, label) {
			t.Errorf("a legend of %q lacks %q", keys, label)
		}
	}
}

// TestPoints has the arms of two runs as points, with the values of their scenarios and their own over them.
func TestPoints(t *testing.T) {
	f, _, _ := folderOf(t)
	o := runner.RunOptions{Out: f.Dir(), Engine: runner.Lockstep, Build: "test"}
	var ids []string
	for _, set := range [][]string{{"horizon=9", "sweep={grid: {mechanism.epsilon: [1, none]}}"}, {"horizon=12", "mechanism.epsilon=2", "sweep=null"}} {
		s := scenariotest.Undrawn(scenariotest.LoadText(t, scenariotest.Base, append(set, "seeds.count=2")...))
		if _, err := runner.Run(s, t.Context(), o); err != nil {
			t.Fatal(err)
		}
		id, err := filepath.Rel(f.Dir(), runner.Dir(s, o))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, filepath.ToSlash(id))
	}
	found, err := f.Points(ids, "regret.run")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(found.Keys, []string{"mechanism.epsilon", "horizon"}) {
		t.Errorf("keys %q", found.Keys)
	}
	last := found.Points[len(found.Points)-1]
	if last.Values["mechanism.epsilon"] != "2" || last.Values["horizon"] != "12" || !(last.Value > 0) || !(last.Epsilon > 0) {
		t.Errorf("a point %+v", last)
	}
	unbounded := 0
	for _, p := range found.Points {
		if p.Unbounded {
			unbounded++
		}
	}
	if unbounded != 1 {
		t.Errorf("%d points without a bound, want 1", unbounded)
	}
}
