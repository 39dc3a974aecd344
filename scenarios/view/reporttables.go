package view

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"starling/scenarios/results/tabular"
	"starling/scenarios/view/plot"
)

// The measures of a page, in letters of a table: its width, the space between columns, and the width
// up to which a heading is one line.
const (
	pageLetters  = 138
	columnSpace  = 4
	headingWidth = 12
)

// paged returns the table of last values of many arms as a page has it: a column for each factor of the
// arms, the headline metric first, and beside it the epsilon of the run where arms differ in it. Metrics that a page has no room for are in the table more, which
// has the factors too; it has no rows where there are none. Tables of few arms stay as they are.
func (r *Run) paged(tables []tabular.Table, f *Finding) (shown []tabular.Table, more tabular.Table) {
	if len(r.Arms) <= manyArms || len(tables) != 1 {
		return tables, more
	}
	t, last := tables[0], len(tables[0].Header)
	if f != nil {
		at := slices.Index(t.Header, (&lastTables{Run: r}).row(f.Metric.Name))
		if at > 1 {
			t = t.Columns(0, 1).Beside(t.Columns(at, at+1)).Beside(t.Columns(1, at)).Beside(t.Columns(at+1, last))
		}
		if losses, differ := f.losses(t); differ && at > 0 {
			t, last = t.Columns(0, 2).Beside(losses).Beside(t.Columns(2, last)), last+1
		}
	}
	arms, wide, end := r.factored(t.Columns(0, 1)), 0, 1
	for k := range arms.Header {
		wide += letters(arms, k)
	}
	for ; end < last; end++ {
		if wide += letters(t, end); wide > pageLetters && end > 1 {
			break
		}
	}
	if end < last {
		more = arms.Beside(t.Columns(end, last))
	}
	return []tabular.Table{arms.Beside(t.Columns(1, end))}, more
}

// losses is a column with the accounted epsilon of the arm of each row of a table; differ is false where all have one.
func (f *Finding) losses(t tabular.Table) (column tabular.Table, differ bool) {
	column.Header = []string{epsilonHead}
	for _, row := range t.Rows {
		text := ""
		if i := slices.IndexFunc(f.Rows, func(of FindingRow) bool { return f.Name(of.Arm) == row[0] }); i >= 0 {
			text = lossText(f.Rows[i].Epsilon)
		}
		column.Rows = append(column.Rows, []string{text})
		differ = differ || text != column.Rows[0][0]
	}
	return column.ForPeople(), differ
}

// factored returns a table with the factors of arms in place of their labels; the table itself where the
// arms have no factors.
func (r *Run) factored(labels tabular.Table) tabular.Table {
	factors, ok := plot.FactorsOf(r.Arms)
	if !ok {
		return labels
	}
	cells := map[string][]string{}
	for arm, label := range plot.ArmLabels(r.Arms) {
		cells[label] = factors.Cells[arm]
	}
	t := tabular.Table{Header: factors.Heads}
	for _, row := range labels.Rows {
		t.Rows = append(t.Rows, cells[row[0]])
	}
	return t
}

// letters is the width of a column on a page, in letters: its longest cell, or its heading in lines.
func letters(t tabular.Table, column int) int {
	most := 0
	for _, word := range strings.Fields(t.Header[column]) {
		most = max(most, utf8.RuneCountInString(word))
	}
	most = max(most, min(headingWidth, utf8.RuneCountInString(t.Header[column])))
	for _, row := range t.Rows {
		most = max(most, utf8.RuneCountInString(row[column]))
	}
	return most + columnSpace
}

// beginningsOnce returns a table in which the beginning of the cells of a column, up to a colon, stands
// in the heading, where all of several rows have the same. The given table stays as it is.
func beginningsOnce(t tabular.Table) tabular.Table {
	if len(t.Rows) < 2 {
		return t
	}
	once := tabular.Table{Header: slices.Clone(t.Header)}
	for _, row := range t.Rows {
		once.Rows = append(once.Rows, slices.Clone(row))
	}
	for k := 1; k < len(t.Header); k++ {
		begin, _, found := strings.Cut(t.Rows[0][k], ": ")
		other := func(row []string) bool { return !strings.HasPrefix(row[k], begin+": ") }
		if t.Header[k] == "" || !found || slices.ContainsFunc(t.Rows, other) {
			continue
		}
		once.Header[k] += " " + begin
		for i := range once.Rows {
			once.Rows[i][k] = once.Rows[i][k][len(begin)+len(": "):]
		}
	}
	return once
}

// allRuns returns the last values of all arms of several runs by their headline metric, with a heading. Runs with other
// headline metrics than the first have a table of their own alone.
func allRuns(list []*reported, findings []*Finding) (heading string, t tabular.Table) {
	if len(list) < 2 || findings[0] == nil {
		return "", t
	}
	m, names := findings[0].Metric, runNames(list)
	t.Header = []string{"run", "arm", "mean (95 % CI)", "epsilon of the run", "seeds"}
	for i, f := range findings {
		if f == nil || f.Metric.Name != m.Name {
			continue
		}
		for k, row := range f.Rows[:min(len(f.Rows), MostRows)] {
			name := names[i]
			if k > 0 {
				name = ""
			}
			t.Rows = append(t.Rows, []string{name, f.Name(row.Arm), withEnds(m.Unit, row.Value, halfOf(row.Half, row.Ratio)), lossText(row.Epsilon), fmt.Sprint(f.Seeds)})
		}
	}
	heading = m.Label
	if m.Better != "" {
		heading += fmt.Sprintf(" (%s is better)", m.Better)
	}
	t.DropEmpty("epsilon of the run")
	return heading + " at the last step of each arm", t.ForPeople()
}
