package inspect

import (
	"slices"
	"testing"

	"starling/scenarios/results/tabular"
)

// TestNarrowComparisons leaves the letters of privacies out of tables that a terminal would wrap.
func TestNarrowComparisons(t *testing.T) {
	table := tabular.Table{Header: []string{"arm", privacyColumn, "value", "verdict"}, Rows: [][]string{{"a,x", "a", "1", ""}, {"b", "b", "2", "~"}, {"c", "a", "3", "~"}}}
	for width, want := range map[int]string{0: "", table.Width(): "", table.Width() - 1: "Arms by privacy: a: a,x; c. b: b."} {
		narrow, line := withoutPrivacy(table, width)
		if line != want || slices.Contains(narrow.Header, privacyColumn) != (want == "") {
			t.Errorf("%d columns: %v, %q", width, narrow.Header, line)
		}
	}
}
