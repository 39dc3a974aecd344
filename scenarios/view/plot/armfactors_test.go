package plot

import (
	"fmt"
	"slices"
	"testing"

	"starling/scenarios/results"
)

// TestFactors has the values of arms in columns, by hand: kinds and numbers without their keys, nothing
// for a key that an arm does not set, and the label of an arm that has the values of another.
func TestFactors(t *testing.T) {
	var arms []results.ArmEntry
	add := func(name string, values ...results.Value) {
		arms = append(arms, results.ArmEntry{Name: name, Values: values})
	}
	add("kind=none", results.Value{Path: "mechanism.kind", Value: "none"})
	for _, kind := range []string{"tree", "blt", "optimal"} {
		for _, epsilon := range []string{"2", "0.5"} {
			add(fmt.Sprintf("kind=%s,epsilon=%s", kind, epsilon), results.Value{Path: "mechanism.kind", Value: kind}, results.Value{Path: "mechanism.epsilon", Value: epsilon})
		}
	}
	add("again", results.Value{Path: "mechanism.kind", Value: "blt"}, results.Value{Path: "mechanism.epsilon", Value: "2"}, results.Value{Path: "nodes", Value: "3"})
	f, ok := FactorsOf(arms)
	if !ok || !slices.Equal(f.Heads, []string{"mechanism", "ε"}) {
		t.Fatalf("heads %q, %v", f.Heads, ok)
	}
	for name, want := range map[string][]string{
		"kind=none": {"no noise", ""}, "kind=tree,epsilon=0.5": {"tree", "0.5"}, "kind=blt,epsilon=2": {"blt", "2"}, "again": {"again", ""},
	} {
		if !slices.Equal(f.Cells[name], want) {
			t.Errorf("%s: %q, want %q", name, f.Cells[name], want)
		}
	}
	if _, ok := FactorsOf(arms[:3]); ok {
		t.Error("three arms have factors")
	}
}
