package plot

import (
	"slices"
	"testing"

	"starling/scenarios/results"
)

// TestArmLabels writes values as figures do, and spaces the names that would be the same text.
func TestArmLabels(t *testing.T) {
	arm := func(name string, values ...string) results.ArmEntry {
		a := results.ArmEntry{Name: name}
		for i := 0; i < len(values); i += 2 {
			a.Values = append(a.Values, results.Value{Path: values[i], Value: values[i+1]})
		}
		return a
	}
	got := ArmLabels([]results.ArmEntry{
		arm("epsilon=0.5", "mechanism.epsilon", "0.5"), arm("epsilon=none", "mechanism.epsilon", "none"),
		arm("kind=tree,epsilon=2", "mechanism.kind", "tree", "mechanism.epsilon", "2"), arm("mechanism.kind=none", "mechanism.kind", "none"),
		arm("kind=none", "mechanism.kind", "none"), arm("central,epsilon=8", "algorithm.kind", "x", "mechanism.epsilon", "8"), arm("private,none", "mechanism", "{kind: x}"), arm("base"), arm("permutations,degree=3", "topology.kind", "permutations"),
		arm("mechanism={kind:laplace,epsilon:2},nodes=3", "mechanism", "{kind:laplace,epsilon:2}", "nodes", "3"),
	})
	for name, want := range map[string]string{
		"epsilon=0.5": "ε = 0.5", "kind=tree,epsilon=2": "tree, ε = 2", "central,epsilon=8": "central, ε = 8", "private,none": "private, none", "base": "base",
		"mechanism={kind:laplace,epsilon:2},nodes=3": "laplace, ε = 2, nodes = 3",
		"mechanism.kind=none":                        "mechanism.kind = none",
		// Two arms would be without noise.
		"epsilon=none": "epsilon = none", "kind=none": "kind = none",
		"permutations,degree=3": "permutations, degree = 3",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	if got := ArmLabels([]results.ArmEntry{arm("epsilon=none", "mechanism.epsilon", "none")})["epsilon=none"]; got != "no noise" {
		t.Error(got)
	}
}

// TestArmNamed finds arms by their names and by their labels; other texts stay.
func TestArmNamed(t *testing.T) {
	arms := []results.ArmEntry{
		{Name: "epsilon=1", Values: []results.Value{{Path: "mechanism.epsilon", Value: "1"}}},
		{Name: "epsilon=none", Values: []results.Value{{Path: "mechanism.epsilon", Value: "none"}}},
	}
	got := ArmsNamed(arms, []string{"ε = 1", "no noise", "epsilon=1", "eps*"})
	want := []string{"epsilon=1", "epsilon=none", "epsilon=1", "eps*"}
	if !slices.Equal(got, want) || ArmsNamed(arms, nil) != nil {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSuggestArm: an unknown arm is told with labels, also where a name is near.
func TestSuggestArm(t *testing.T) {
	arms := []results.ArmEntry{
		{Name: "epsilon=0.5", Values: []results.Value{{Path: "mechanism.epsilon", Value: "0.5"}}},
		{Name: "epsilon=none", Values: []results.Value{{Path: "mechanism.epsilon", Value: "none"}}},
	}
	for text, want := range map[string]string{
		"zzz":         "; it has ε = 0.5, no noise",
		"epsilon=non": `; did you mean "no noise"?`,
		"no nose":     `; did you mean "no noise"?`,
	} {
		if got := SuggestArm(arms, text, "it has"); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
