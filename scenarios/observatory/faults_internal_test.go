package observatory

import (
	"slices"
	"testing"
)

// TestFaultsThatFollow marks faults that may follow from a kind, and joins keys that one section lacks.
func TestFaultsThatFollow(t *testing.T) {
	list := ordered([]Issue{
		{Line: 3, Column: 8, Path: "nodes", Message: "-1; it must be at least 1"},
		{Line: 14, Column: 1, Path: "algorithm", Message: `missing required key "local_step"`},
		{Line: 14, Column: 1, Path: "algorithm", Message: `missing required key "tau"`},
		{Line: 16, Column: 3, Path: "algorithm.divergence", Message: `unknown key "divergence" in algorithm`},
		{Line: 22, Column: 18, Path: "topology.kind", Message: `"printed" does not go with the algorithm ofl, which takes star, tiers`},
		{Line: 25, Column: 28, Path: "measure.window", Message: "this arm records no metric that has windows"},
		{Line: 28, Column: 25, Path: "mechanism.epsilon", Message: "Laplace noise of scale +Inf"},
		{Line: 28, Column: 30, Path: "mechanism.epsilon", Message: "Laplace noise of scale +Inf"},
	})
	var shown, later []string
	for _, i := range list {
		if i.Follows {
			later = append(later, i.Path)
		} else {
			shown = append(shown, i.Message)
		}
	}
	if want := []string{"-1; it must be at least 1", `missing required keys "local_step", "tau"`, `unknown key "divergence" in algorithm`}; !slices.Equal(shown, want) {
		t.Errorf("shown %q, want %q", shown, want)
	}
	if want := []string{"topology.kind", "measure.window", "mechanism.epsilon"}; !slices.Equal(later, want) {
		t.Errorf("held back %q, want %q", later, want)
	}
	if alone := ordered([]Issue{{Line: 3, Path: "horizom", Message: `unknown key "horizom"`}, {Line: 5, Path: "mechanism.epsilon", Message: "epsilon = -1"}}); alone[1].Follows {
		t.Error("a value follows from a key that no kind has to do with")
	}
}
