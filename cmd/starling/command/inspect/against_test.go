package inspect

import (
	"slices"
	"testing"

	"starling/scenarios/results/tabular"
)

// TestNarrowComparisons leaves differences out of tables that a terminal has no room for, where ratios are beside them,
// and then the letters or units of privacies.
func TestNarrowComparisons(t *testing.T) {
	table := tabular.Table{
		Header: []string{"arm", privacyColumn, "value", differenceColumn, ratioColumn},
		Rows:   [][]string{{"a,x", "a", "1", "", ""}, {"b", "b", "2", "1", "2 (1 to 3)"}, {"c", "a", "3", "2", "3 (1 to 5)"}},
	}
	without := table.Without(differenceColumn).Width()
	for width, want := range map[int]string{0: "", table.Width(): "", without: "", 24: "Arms by privacy: a: a,x; c. b: b."} {
		narrow, line := narrowed(table, width)
		if line != want || slices.Contains(narrow.Header, privacyColumn) != (want == "") || slices.Contains(narrow.Header, differenceColumn) != (width == 0 || width >= table.Width()) {
			t.Errorf("%d columns: %v, %q", width, narrow.Header, line)
		}
	}
	alone := tabular.Table{Header: table.Header, Rows: table.Rows[:1]}
	if _, line := narrowed(alone, 20); line != "All arms have privacy a." {
		t.Errorf("one letter: %q", line)
	}
	units := tabular.Table{Header: []string{"arm", unitColumn}, Rows: [][]string{{"a", "record"}, {"b", "participant"}, {"none", ""}}}
	if _, line := narrowed(units, 10); line != "Arms by privacy: per participant: b. per record: a." {
		t.Errorf("units: %q", line)
	}
}
