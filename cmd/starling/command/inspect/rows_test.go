package inspect

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"starling/scenarios/results/tabular"
)

// TestRunsFit has the table of runs in one piece on terminals of 80 and of 44 columns: it leaves
// out columns, and never scenario, differences, best arm and hash.
func TestRunsFit(t *testing.T) {
	table := tabular.Table{Header: []string{"scenario", "status", "differs in", "best arm", "epsilon", "when", "run", "tags", "note"}}
	for range 3 {
		table.Rows = append(table.Rows, []string{
			"compare-families-of-my-own", "complete", "mechanism.epsilon=0.25 seeds.base=1", "accuracy.test 0.838 central,epsilon=none", "inf", "3 min ago", "0123abcd", "paper, figure-2", "a longer note of a person",
		})
	}
	for _, width := range []int{44, 80, 400} {
		fit := fitting(table, width)
		var text bytes.Buffer
		if err := fit.WriteWithin(&text, width); err != nil {
			t.Fatal(err)
		}
		heads := 0
		for line := range strings.Lines(text.String()) {
			if strings.HasPrefix(line, "scenario ") {
				heads++
			}
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width && width >= 80 {
				t.Errorf("%d columns: a line of %d:\n%s", width, n, text.String())
			}
		}
		for _, name := range []string{"scenario", "differs in", "best arm", "run"} {
			if !strings.Contains(strings.Join(fit.Header, "|"), name) {
				t.Errorf("%d columns: no %s", width, name)
			}
		}
		if width >= 80 && heads != 1 {
			t.Errorf("%d columns: %d tables:\n%s", width, heads, text.String())
		}
		if width == 400 && len(fit.Header) != len(table.Header) {
			t.Errorf("columns are left out of a wide terminal: %q", fit.Header)
		}
	}
}
