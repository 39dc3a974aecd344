package observatory

import (
	"slices"
	"testing"

	"starling/scenarios"
	"starling/scenarios/document"
)

// TestFaultsThatFollow marks faults that may follow from a kind, and joins keys that one section lacks.
func TestFaultsThatFollow(t *testing.T) {
	list := ordered([]Issue{
		{Line: 3, Column: 8, Path: "nodes", Message: "-1; it must be at least 1", fault: document.OutOfBounds},
		{Line: 14, Column: 1, Path: "algorithm", Message: `missing required key "local_step"`, fault: document.MissingKey},
		{Line: 14, Column: 1, Path: "algorithm", Message: `missing required key "tau"`, fault: document.MissingKey},
		{Line: 16, Column: 3, Path: "algorithm.divergence", Message: `unknown key "divergence" in algorithm`, fault: document.UnknownKey},
		{Line: 22, Column: 18, Path: "topology.kind", Message: `"printed" does not go with the algorithm ofl, which takes star, tiers`, fault: document.Misfit},
		{Line: 23, Column: 12, Path: "mechanism.delta", Message: "2; it must be at most 1", fault: document.OutOfBounds},
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
	if want := []string{"-1; it must be at least 1", `missing required keys "local_step", "tau"`, `unknown key "divergence" in algorithm`, "2; it must be at most 1"}; !slices.Equal(shown, want) {
		t.Errorf("shown %q, want %q", shown, want)
	}
	if want := []string{"topology.kind", "measure.window", "mechanism.epsilon"}; !slices.Equal(later, want) {
		t.Errorf("held back %q, want %q", later, want)
	}
	if alone := ordered([]Issue{{Line: 3, Path: "horizom", Message: `unknown key "horizom"`, fault: document.UnknownKey}, {Line: 5, Path: "mechanism.epsilon", Message: "epsilon = -1"}}); alone[1].Follows {
		t.Error("a value follows from a key that no kind has to do with")
	}
}

// TestFaultsOfValuesAlone: a value that its key refuses follows from no kind, however wrong the kinds are.
func TestFaultsOfValuesAlone(t *testing.T) {
	const text = "version: 1\nname: wrong\nhorizon: 10\nnodes: 4\nalgorithm: {kind: ofl, tau: 1}\nproblem: {kind: logisitc}\n" +
		"topology: {kind: rnig}\nmechanism: {kind: laplace, epsilon: -1}\n"
	_, err := scenarios.NewLoader("").LoadText(textName, []byte(text))
	found := false
	for _, i := range issuesOf(err) {
		if i.Path == "mechanism.epsilon" {
			found = true
			if i.Follows {
				t.Errorf("%s: %s follows from another", i.Path, i.Message)
			}
		}
	}
	if !found {
		t.Errorf("%v has no fault of the epsilon", err)
	}
}
