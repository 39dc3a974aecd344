package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/metric"
	"starling/scenarios/results/tabular"
)

// lineWidth is the number of columns of a terminal.
const lineWidth = 80

// table has a line for each choice and a column for each condition. Where a line would be wider
// than a terminal, intervals lose the blanks around their ±; a grid of more columns is cut.
func (g *FindingGrid) table() tabular.Table {
	t := g.cells(marked)
	if t.Fits(lineWidth) {
		return t
	}
	return g.cells(func(row FindingRow) string { return strings.ReplaceAll(marked(row), " ± ", "±") })
}

// intervals reports whether a value of the finding has an interval.
func (f *Finding) intervals() bool {
	return slices.ContainsFunc(f.Rows, func(row FindingRow) bool { return row.Half > 0 })
}

// texts states the ratios to the baseline of the best values of the columns, and the arms beside
// the grid.
func (g *FindingGrid) texts(f *Finding) (list []string) {
	var ratios []string
	best := g.best(f.Metric.Better)
	for k, label := range g.ColumnLabels {
		i := slices.IndexFunc(best, func(row []bool) bool { return row[1+k] })
		if i < 0 {
			continue
		}
		row := g.Rows[i][k]
		text := ratioText(row.Ratio)
		if row.Arm == f.Baseline {
			text = "1"
		}
		if text != "" {
			ratios = append(ratios, label+" "+text)
		}
	}
	if len(ratios) > 0 {
		list = append(list, fmt.Sprintf("Best of each column x %s: %s.", f.Baseline, strings.Join(ratios, "; ")))
	}
	var others []string
	for _, row := range g.Others {
		others = append(others, row.Arm+" "+marked(row))
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
			cell := ""
			if row != nil {
				cell = form(*row)
			}
			line = append(line, cell)
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
