package views_test

import (
	"slices"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/observatory/views"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// TestBestChoice has the list of runs name the choice that the overview names first.
func TestBestChoice(t *testing.T) {
	dir := t.TempDir()
	if _, err := runner.Run(scenariotest.Undrawn(scenariotest.LoadText(t, scenariotest.Base, "horizon=8", "seeds.count=2", "topology={kind: ring}", "sweep={grid: {mechanism.epsilon: [0.5, 4, none], topology.kind: [complete, ring]}}")), t.Context(), runner.RunOptions{Out: dir, Engine: runner.Lockstep, Build: "test"}); err != nil {
		t.Fatal(err)
	}
	f, err := views.NewFolder(dir, scenarios.NewLoader(""))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := f.Runs()
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	id := entries[0].ID
	heads, err := f.Headlines([]string{id})
	if err != nil || heads[id] == nil || heads[id].Choice == nil {
		t.Fatalf("headlines %+v, %v", heads[id], err)
	}
	values, err := f.Values(id)
	if err != nil {
		t.Fatal(err)
	}
	c := heads[id].Choice
	if want := "Best " + c.Of + ": " + c.Name; !strings.HasPrefix(values.Finding.Answer[0], c.Name+" has the best mean under 2 of 3 conditions") || !slices.ContainsFunc(values.Finding.Answer, func(text string) bool { return strings.HasPrefix(text, want) }) || c.Under < 1 || c.Under > c.Columns || !strings.Contains(c.Arm, c.Name) {
		t.Errorf("the list has %+v, the overview %q", c, values.Finding.Answer)
	}
}
