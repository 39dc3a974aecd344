package accounts_test

import (
	"testing"

	"starling/scenarios/accounts"
	"starling/scenarios/results"
)

// Readers of figures see signs and whole words; names of curves and rows of tables keep the word of the file.
func TestRelationsOnFigures(t *testing.T) {
	arms := []results.ArmEntry{{Name: "a"}, {Name: "b"}}
	of := accounts.Relations{"a": "replace", "b": "add-or-remove"}
	for _, c := range []struct{ got, want string }{
		{accounts.EpsilonAxis("epsilon so far", "epsilon.total", []string{"replace"}), "ε so far (replace-one)"},
		{accounts.EpsilonAxis("ε of the run", "match.epsilon", []string{"add-or-remove"}), "ε of the run (add-or-remove)"},
		{accounts.EpsilonAxis("step t", "step", []string{"replace"}), "step t"},
		{of.MarkLabel("a", "epsilon.total", "a", arms), "a (replace-one)"},
		{of.Mark("a", "epsilon.total", "a", arms), "a (replace)"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
