package view

import (
	"strings"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/results/comparison"
	"starling/scenarios/view/plot"
)

// TestAnswersBeside begins with the choice to take in a grid of many columns, and leaves the ratios of private arms to their
// table. The table names arms without noise below it where it has no room.
func TestAnswersBeside(t *testing.T) {
	g := &FindingGrid{Grid: plot.Grid{Of: "combine", RowLabels: []string{"a", "b"}, ColumnLabels: []string{"w", "x", "y", "z"}}, Rows: make([][]*FindingRow, 2)}
	for range g.ColumnLabels {
		worse, best := newRow("a", 1, 8), newRow("b", 1, 4)
		g.Rows[0], g.Rows[1] = append(g.Rows[0], &worse), append(g.Rows[1], &best)
	}
	plain, private := newRow("a rule with a long name, without noise", 1, 4), newRow("a rule with a long name, with noise", 1, 12)
	private.Epsilon = 2
	f := &Finding{Metric: metric.Metric{Better: metric.LowerIsBetter}, Grid: g, Seeds: 2, Rows: []FindingRow{plain, private}, Costs: []PrivateCost{{Private: private, Plain: plain, Ratio: comparison.Ratio{Value: 3}}}}
	f.Sentences = []string{"Best rule: b.", "No arm of the table is private. " + f.costText(), "Last."}
	if got := strings.Join(f.AnswersBeside(true), " "); !strings.HasPrefix(got, "b has the best mean under each of the 4 conditions.") || !strings.Contains(got, "Private arms: 3 times the same arms without noise, at epsilon 2.") || !strings.HasSuffix(got, "Last. Best rule: b.") {
		t.Error(got)
	}
	g.Keys = []string{"adversaries.kind"} // columns of settings have a worst case, which the terminal leaves to notes
	g.Rows[0][3].Value = 1
	f.Sentences = []string{"Best rule: b.", g.worst(f), "Last."}
	if got := strings.Join(f.AnswersBeside(true), " "); g.worst(f) == "" || strings.Contains(got, g.worst(f)) {
		t.Errorf("%q has %q", got, g.worst(f))
	}
	f.Sentences = []string{"Best rule: b.", "No arm of the table is private. " + f.costText(), "Third.", "Fourth.", "Last."}
	page := f.Reported() // opens with a few sentences, and has the others, and the costs, in the part on the finding
	if below := strings.Join(page.Texts, " "); len(page.Answer) != mostAnswers || !strings.Contains(below, "Last.") || strings.Contains(below, page.Answer[0]) {
		t.Errorf("the page opens with %q, and has %q", page.Answer, below)
	}
	if len(page.Costs.Rows) != 1 || page.CostsText == "" {
		t.Errorf("the page has the costs %v: %s", page.Costs, page.CostsText)
	}
	if got := strings.Join(f.AnswersBeside(false), " "); !strings.Contains(got, f.costText()) {
		t.Error(got)
	}
	if table, legend := f.CostTable(); strings.Contains(strings.Join(table.Header, "|"), "without noise") || !strings.HasSuffix(legend, "(a rule with a long name, without noise).") {
		t.Errorf("%v: %s", table.Header, legend)
	}
}
