package tabular

import (
	"slices"
	"strings"
	"testing"
)

// TestWithoutEqual takes columns with one value out of tables of several rows, and never all of them.
func TestWithoutEqual(t *testing.T) {
	table := Table{Header: []string{"arm", "delta", "unit", "epsilon", "note"}, Rows: [][]string{{"a", "0", "1 to 6", "1", ""}, {"b", "0 ", "1 to 6", "2", ""}}}
	rest, equal := table.WithoutEqual()
	if strings.Join(rest.Header, "|") != "arm|epsilon|note" || !slices.Equal(equal, []string{"delta 0", "unit 1 to 6"}) || len(table.Header) != 5 {
		t.Errorf("%q, %q", rest.Header, equal)
	}
	for name, table := range map[string]Table{
		"one row":      {Header: []string{"arm", "delta"}, Rows: [][]string{{"a", "0"}}},
		"nothing else": {Header: []string{"arm", "delta"}, Rows: [][]string{{"a", "0"}, {"b", "0"}}},
	} {
		if rest, equal := table.WithoutEqual(); len(rest.Header) != 2 || equal != nil {
			t.Errorf("%s: %q, %q", name, rest.Header, equal)
		}
	}
}
