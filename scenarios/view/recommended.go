package view

import (
	"fmt"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/results/comparison"
)

// mostTaken is the largest number of choices that a recommendation names together.
const mostTaken = 3

// recommended names the choice with the most best means, and the verdict of the tests on it, a sentence each; none where no
// value is better, where choices protect different units, and where no choice leads. It is the choice to take only
// where the tests tell all others from it.
func (g *FindingGrid) recommended(f *Finding) []string {
	leaders, columns, of := g.leaders(f)
	if len(leaders) == 0 || len(leaders) > mostTaken {
		return nil
	}
	var names []string
	for _, i := range leaders {
		names = append(names, g.RowLabels[i])
	}
	reason := fmt.Sprintf("the best mean under %d of %d conditions", len(columns), of)
	if len(columns) == of {
		reason = fmt.Sprintf("the best mean under each of the %d conditions", of)
	}
	reason += g.worstCaseOf(f, leaders)
	verdict, decided := g.certainty(f, columns)
	lead := "%s has %s."
	switch {
	case len(leaders) > 1:
		lead = "%s each have %s."
	case decided:
		lead = "Take %s: %s."
	}
	return []string{fmt.Sprintf(lead, joined(names), reason), verdict}
}

// worstCaseOf ends the reason for some leaders with the choice that has the best worst case; empty for none.
func (g *FindingGrid) worstCaseOf(f *Finding, leaders []int) string {
	w, ok := g.worstCase(f)
	if !ok {
		return ""
	}
	part := ""
	if len(w.columns) < len(g.ColumnLabels) {
		part = " where all choices were run"
	}
	if len(leaders) == 1 && leaders[0] == w.row {
		return ", and the best worst case" + part
	}
	return fmt.Sprintf(" (best worst case%s: %s)", part, g.RowLabels[w.row])
}

// leaders are the rows with the best value of the most columns, those columns, and the number of all columns with a best value.
// A tie counts for each.
func (g *FindingGrid) leaders(f *Finding) (rows, columns []int, of int) {
	if f.Metric.Better == "" || g.units != nil {
		return nil, nil, 0
	}
	best, counts := g.best(f.Metric.Better), make([]int, len(g.Rows))
	for k := range g.ColumnLabels {
		found := false
		for i := range g.Rows {
			if best[i][1+k] {
				counts[i]++
				found = true
			}
		}
		if found {
			of++
		}
	}
	most := slices.Max(counts)
	if most < 2 {
		return nil, nil, of
	}
	for i, n := range counts {
		if n == most {
			rows = append(rows, i)
		}
	}
	for k := range g.ColumnLabels {
		if best[rows[0]][1+k] {
			columns = append(columns, k)
		}
	}
	return rows, columns, of
}

// certainty is the verdict of the tests on the best values of some columns; decided means that they tell all others from
// them.
func (g *FindingGrid) certainty(f *Finding, columns []int) (verdict string, decided bool) {
	same, others := 0, 0
	for _, k := range columns {
		alike, apart := g.tested(k)
		same, others = same+alike, others+alike+apart
	}
	switch {
	case others == 0 && comparison.TooFew(f.Seeds) != "":
		return meansOf(f.Seeds), false
	case others == 0:
		return "These are means, without tests.", false
	case same == 0:
		return "All others there are significantly worse.", true
	case same == others:
		return "No other is significantly different there.", false
	case same == 1:
		return fmt.Sprintf("Of the %d others there, 1 is not significantly different.", others), false
	}
	return fmt.Sprintf("Of the %d others there, %d are not significantly different.", others, same), false
}

// meansOf says that a result rests on means of so few seeds that no test is made.
func meansOf(seeds int) string {
	return fmt.Sprintf("These are means of %s, too few for tests.", document.Counted(seeds, "seed"))
}
