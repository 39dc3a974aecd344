package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/metric"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/tabular"
)

// LineWidth is the number of columns of a terminal for which tables of two keys are made.
const LineWidth = 80

// table has a line for each choice and a column for each condition. Where a line would be wider
// than a terminal, intervals lose the blanks around their ±; a grid that is wider still is cut.
func (g *FindingGrid) table() tabular.Table {
	narrow := func(row FindingRow) string { return strings.ReplaceAll(marked(row), " ± ", "±") }
	if t := g.cells(marked); t.Fits(LineWidth) {
		return t
	}
	return g.cells(narrow)
}

// intervals reports whether a value of the finding has an interval.
func (f *Finding) intervals() bool {
	return slices.ContainsFunc(f.Rows, func(row FindingRow) bool { return row.Half > 0 })
}

// sentences state the best choice under each condition, and its ratio to the baseline.
func (g *FindingGrid) sentences(f *Finding) (list []string) {
	best := g.best(f.Metric.Better)
	var ratios, winners []string
	of := map[string][]string{} // conditions by the choice that is best
	var bases []string
	for k, label := range g.ColumnLabels {
		i := slices.IndexFunc(best, func(row []bool) bool { return row[1+k] })
		if i < 0 || !g.compares(k) {
			continue
		}
		label, _, _ = strings.Cut(label, " (") // the table has the accounted loss
		winner := g.RowLabels[i]
		if of[winner] == nil {
			winners = append(winners, winner)
		}
		of[winner] = append(of[winner], label)
		row := g.Rows[i][k]
		if text := ratioUnder(row.Ratio, label, len(ratios) == 0); text != "" {
			ratios = append(ratios, text)
			bases = append(bases, row.Baseline)
		}
	}
	for i, winner := range winners {
		winners[i] = fmt.Sprintf("%s under %s", winner, joined(of[winner]))
	}
	if len(winners) > 0 {
		list = append(list, "Best mean: "+strings.Join(winners, "; ")+".")
	}
	if len(ratios) > 0 {
		base := f.name(bases[0])
		if slices.ContainsFunc(bases, func(arm string) bool { return arm != bases[0] }) {
			base = g.rowOf(bases[0]) + " there"
		}
		list = append(list, fmt.Sprintf("The best of each column relative to %s: %s.", base, strings.Join(ratios, "; ")))
	}
	return list
}

// compares reports whether a column has several values.
func (g *FindingGrid) compares(column int) bool {
	values := 0
	for _, row := range g.Rows {
		if row[column] != nil && !math.IsNaN(row[column].Value) {
			values++
		}
	}
	return values > 1
}

// ratioUnder is a ratio under a condition with its interval, which the first of several names; empty
// where there is no ratio.
func ratioUnder(r comparison.Ratio, condition string, first bool) string {
	value, interval, has := strings.Cut(ratioText(r), " (")
	switch {
	case value == "":
		return ""
	case !has:
		return value + " under " + condition
	case first:
		interval = fmt.Sprintf("%g %% interval %s", 100*comparison.Confidence, interval)
	}
	return fmt.Sprintf("%s under %s (%s", value, condition, interval)
}

// rowOf labels the row of an arm; empty for one outside of the grid.
func (g *FindingGrid) rowOf(arm string) string {
	for i, row := range g.Rows {
		if slices.ContainsFunc(row, func(of *FindingRow) bool { return of != nil && of.Arm == arm }) {
			return g.RowLabels[i]
		}
	}
	return ""
}

// texts state the groups of marks, and the arms beside the grid.
func (g *FindingGrid) texts(f *Finding) (list []string) {
	if text := g.groups(); text != "" {
		list = append(list, text)
	}
	var others []string
	for _, row := range g.Others {
		text := f.name(row.Arm) + " " + marked(row)
		if row.Private() {
			text += " (epsilon " + lossText(row.Epsilon) + " over the run)"
		}
		others = append(others, text)
	}
	if len(others) > 0 {
		list = append(list, "Not in the grid: "+strings.Join(others, "; ")+".")
	}
	return list
}

// cells returns the table with cells of a form.
func (g *FindingGrid) cells(form func(row FindingRow) string) tabular.Table {
	t := tabular.Table{Header: append([]string{g.Of}, g.ColumnLabels...)}
	for i, label := range g.RowLabels {
		line := []string{label}
		for _, row := range g.Rows[i] {
			switch {
			case row == nil:
				line = append(line, tabular.NotRun)
			case math.IsNaN(row.Value):
				line = append(line, tabular.NoValue)
			default:
				line = append(line, form(*row))
			}
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// best marks the best values of each column in the cells of the table.
func (g *FindingGrid) best(better metric.Direction) [][]bool {
	list := make([][]bool, len(g.Rows))
	for i := range list {
		list[i] = make([]bool, 1+len(g.ColumnLabels))
	}
	for k := range g.ColumnLabels {
		best := math.NaN()
		for _, row := range g.Rows {
			if row[k] == nil || math.IsNaN(row[k].Value) {
				continue
			}
			if v := row[k].Value; math.IsNaN(best) || better == metric.LowerIsBetter && v < best || better == metric.HigherIsBetter && v > best {
				best = v
			}
		}
		for i, row := range g.Rows {
			list[i][1+k] = better != "" && row[k] != nil && row[k].Value == best
		}
	}
	return list
}

// groups lists the choices that are marked against each other, where a column has several best values;
// else it is empty.
func (g *FindingGrid) groups() string {
	several := false
	of := make([]int, len(g.RowLabels)) // the first choice of each one's group
	for i := range of {
		of[i] = i
	}
	for k := range g.ColumnLabels {
		best := 0
		for _, row := range g.Rows {
			if row[k] != nil && row[k].Mark == strings.TrimSpace(bestMark) {
				best++
			}
		}
		if best < 2 {
			continue
		}
		first := map[int]int{} // by group of the column
		for i, row := range g.Rows {
			if row[k] == nil {
				continue
			}
			if j, ok := first[row[k].Group]; ok {
				join(of, of[i], of[j])
			} else {
				first[row[k].Group] = i
			}
		}
		several = true
	}
	if !several {
		return ""
	}
	var names []string
	for i := range of {
		var group []string
		for j, label := range g.RowLabels {
			if of[j] == i {
				group = append(group, label)
			}
		}
		if len(group) > 0 {
			names = append(names, strings.Join(group, ", "))
		}
	}
	if len(names) < 2 {
		return "Several * in a column: each is the best of its own group of equal privacy."
	}
	return fmt.Sprintf("Marks are within %d groups of equal privacy, each with its own *: %s.", len(names), strings.Join(names, "; "))
}

// join puts the members of group b into group a, or a's into b's: the lesser number stays.
func join(of []int, a, b int) {
	for i := range of {
		if of[i] == max(a, b) {
			of[i] = min(a, b)
		}
	}
}

// Shares returns the darkness of the cells of the grid, as its heat map has them: from 0 to 1, NaN for
// a cell without a value. logarithmic reports whether the scale is.
func (f *Finding) Shares() (shares [][]float64, logarithmic bool) {
	if f.Grid == nil {
		return nil, false
	}
	var list [][]float64
	for _, row := range f.Grid.Rows {
		values := make([]float64, len(f.Grid.ColumnLabels))
		for k := range values {
			if values[k] = math.NaN(); row[k] != nil {
				values[k] = row[k].Value
			}
		}
		list = append(list, values)
	}
	return SharesOf(list, f.Metric.Better)
}

// SharesOf is Finding.Shares for the values of a grid, NaN for a cell without one.
func SharesOf(values [][]float64, better metric.Direction) (shares [][]float64, logarithmic bool) {
	sides := map[metric.Direction]figure.Side{metric.LowerIsBetter: figure.Lower, metric.HigherIsBetter: figure.Higher}
	c := figure.Cells{Better: sides[better], Inside: len(values), Values: values}
	return c.Shares(), c.Logarithmic()
}
