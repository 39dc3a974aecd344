package view

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/tabular"
)

// LineWidth is the least number of columns for which tables of findings are made; see Finding.Width.
const LineWidth = 80

// table has a line for each choice, at most so many, and a column for each condition. Where a line would be
// wider than the finding's width, intervals lose the blanks around their ±. A grid that is wider still has means only in a file; a
// terminal has it in parts.
func (g *FindingGrid) table(f *Finding, most int) tabular.Table {
	shown := g.ranked(f.Metric.Better, g.shown(f.Metric.Better, most))
	for _, form := range []func(row FindingRow) string{marked, narrow} {
		if t := g.withRatios(g.cells(shown, form), f, f.fits); f.fits(t) {
			return t
		}
	}
	if f.Wrapped {
		return g.withRatios(g.cells(shown, marked), f, func(wide tabular.Table) bool {
			short := g.withShortRatios(g.cells(shown, marked), f)
			return lines([]tabular.Table{wide}, f.Width) <= lines([]tabular.Table{short}, f.Width)
		})
	}
	return g.withRatios(g.cells(shown, bare), f, f.fits)
}

// fits reports whether a table has lines of the width at most. Where it is wrapped its headings may have several.
func (f *Finding) fits(t tabular.Table) bool {
	if f.Wrapped {
		return t.FitsWhole(f.Width)
	}
	return t.Width() <= f.width()
}

// narrow is marked without blanks around ±.
func narrow(row FindingRow) string { return strings.ReplaceAll(marked(row), " ± ", "±") }

// bare is the mean of a row with its mark.
func bare(row FindingRow) string {
	text := meanText(&row)
	if row.Mark != "" {
		text += " " + row.Mark
	}
	return text
}

// isBare reports whether the table of at most so many lines has means alone, though they have intervals.
func (g *FindingGrid) isBare(f *Finding, most int) bool {
	return f.intervals() && !f.Wrapped && g.narrowWidth(f, most) > f.width()
}

// narrowWidth is the number of columns of the narrowest table of at most so many lines with intervals.
func (g *FindingGrid) narrowWidth(f *Finding, most int) int {
	return g.withRatios(g.cells(g.shown(f.Metric.Better, most), narrow), f, f.fits).Width()
}

// spread writes the least and the largest half of the intervals of the cells. Arms beside the grid have theirs in
// tables of their own.
func (g *FindingGrid) spread() string {
	least, largest := math.Inf(1), 0.0
	for _, row := range slices.Concat(g.Rows...) {
		if row == nil {
			continue
		}
		if half := halfOf(row.Half, row.Ratio); half > 0 {
			least, largest = min(least, half), max(largest, half)
		}
	}
	text := tabular.FormatValue(twoDigits(least))
	if largest > least {
		text += " to " + tabular.FormatValue(twoDigits(largest))
	}
	return text
}

// withRatios returns a table with the lines of ratios below it. The ratios have intervals where the table then fits.
func (g *FindingGrid) withRatios(t tabular.Table, f *Finding, fits func(tabular.Table) bool) tabular.Table {
	lines, _ := g.ratios(f, longRatio)
	if wide := (tabular.Table{Header: t.Header, Rows: slices.Concat(t.Rows, lines)}); fits(wide) {
		return wide
	}
	return g.withShortRatios(t, f)
}

// withShortRatios is withRatios without intervals.
func (g *FindingGrid) withShortRatios(t tabular.Table, f *Finding) tabular.Table {
	lines, _ := g.ratios(f, shortRatio)
	return tabular.Table{Header: t.Header, Rows: slices.Concat(t.Rows, lines)}
}

// shown returns the places of the rows that a table of at most so many shows, in their order: the rows of the best
// mean rank over the columns, and the best row of each column.
func (g *FindingGrid) shown(better metric.Direction, most int) (places []int) {
	for i := range g.Rows {
		places = append(places, i)
	}
	if better == "" || len(places) <= most {
		return places
	}
	best, rank := g.best(better), make([]float64, len(g.Rows))
	for i, row := range g.Rows {
		rank[i] = g.meanRank(row, better)
		if slices.Contains(best[i], true) {
			rank[i] = 0
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	places = places[:most]
	slices.Sort(places)
	return places
}

// ranked puts rows in the order of their mean rank over the columns, rows of one unit together. Rows of numbers stay in
// their order.
func (g *FindingGrid) ranked(better metric.Direction, places []int) []int {
	numeric := !slices.ContainsFunc(g.RowLabels, func(label string) bool {
		_, value, _ := strings.Cut(" "+label, " = ")
		_, err := strconv.ParseFloat(cmp.Or(value, label), 64)
		return err != nil
	})
	if better == "" || numeric {
		return places
	}
	kinds := g.kinds()
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, g.unit(a)), slices.Index(kinds, g.unit(b))), cmp.Compare(g.meanRank(g.Rows[a], better), g.meanRank(g.Rows[b], better)))
	})
	return places
}

// meanRank is the mean place of a row in the columns where it has a value; +Inf for a row without any.
func (g *FindingGrid) meanRank(row []*FindingRow, better metric.Direction) float64 {
	columns, ahead := 0, 0
	for k, cell := range row {
		if cell == nil || math.IsNaN(cell.Value) {
			continue
		}
		columns++
		for _, other := range g.Rows {
			if other[k] != nil && better.Beats(other[k].Value, cell.Value) {
				ahead++
			}
		}
	}
	if columns == 0 {
		return math.Inf(1)
	}
	return 1 + float64(ahead)/float64(columns)
}

// intervals reports whether a value of the finding has an interval.
func (f *Finding) intervals() bool {
	return slices.ContainsFunc(f.Rows, func(row FindingRow) bool { return row.Half > 0 })
}

// nameUnits adds the protected unit to the labels of rows, where they protect different ones.
func (g *FindingGrid) nameUnits(entries []results.LedgerEntry) {
	units := make([]string, len(g.Rows))
	for i, row := range g.Rows {
		for _, entry := range entries {
			if slices.ContainsFunc(row, func(of *FindingRow) bool { return of != nil && of.Private() && of.Arm == entry.Arm }) && entry.Protects != "" {
				units[i] = "per " + entry.Protects
			}
		}
	}
	named := slices.DeleteFunc(slices.Clone(units), func(unit string) bool { return unit == "" })
	if slices.Sort(named); len(slices.Compact(named)) < 2 {
		return
	}
	g.units, g.RowLabels = units, slices.Clone(g.RowLabels)
	for i, unit := range units {
		if unit != "" {
			g.RowLabels[i] += ", " + unit
		}
	}
}

// kinds lists the units of the rows, each once; one without a name where all have one unit.
func (g *FindingGrid) kinds() (list []string) {
	for i := range g.Rows {
		if unit := g.unit(i); !slices.Contains(list, unit) {
			list = append(list, unit)
		}
	}
	return list
}

// unit is the unit of a row; empty where all have one.
func (g *FindingGrid) unit(row int) string {
	if g.units == nil {
		return ""
	}
	return g.units[row]
}

// winners returns the row of the best value of a unit in each column that compares several; -1 for none.
func (g *FindingGrid) winners(better metric.Direction, unit string) (rows []int) {
	best := g.best(better)
	for k := range g.ColumnLabels {
		i := -1
		for at := range g.Rows {
			if i < 0 && best[at][1+k] && g.unit(at) == unit && g.compares(k, unit) {
				i = at
			}
		}
		rows = append(rows, i)
	}
	return rows
}

// ratioRow is the label of the line with the ratio of the best of each column to its baseline, and ratioOfUnit the
// beginning of the label of a line for each unit.
const (
	ratioRow    = "best ÷ baseline"
	ratioOfUnit = "÷ baseline, "
)

// shortRatio is a ratio with two digits, or three beside 1.
func shortRatio(r comparison.Ratio) string {
	if short := twoDigits(r.Value); short != 1 {
		return tabular.FormatValue(short)
	}
	return strconv.FormatFloat(r.Value, 'g', 3, 64)
}

// longRatio is a ratio with its interval, or with two digits where it has none.
func longRatio(r comparison.Ratio) string {
	if math.IsNaN(r.Low) || r.Low == r.High {
		return shortRatio(r)
	}
	return ratioText(r)
}

// ratios returns the lines of the ratios of the best of each column to its baseline in a form, one for each
// unit, and the baseline in words; nil where there are none.
func (g *FindingGrid) ratios(f *Finding, form func(r comparison.Ratio) string) (lines [][]string, baseline string) {
	var bases []string
	for _, unit := range g.kinds() {
		line := []string{ratioRow}
		if unit != "" {
			line[0] = ratioOfUnit + unit
		}
		some := false
		for k, i := range g.winners(f.Metric.Better, unit) {
			text := ""
			if i >= 0 {
				row := g.Rows[i][k]
				switch r := row.Ratio.Value; {
				case g.isBaseline(row.Arm):
					text = "1"
				case !math.IsNaN(r) && !boundless(row.Ratio):
					text, some = form(row.Ratio), true
					bases = append(bases, row.Baseline)
				}
			}
			line = append(line, text)
		}
		if some {
			lines = append(lines, line)
		}
	}
	switch {
	case len(bases) == 0:
		return nil, ""
	case slices.ContainsFunc(bases, func(arm string) bool { return arm != bases[0] }):
		return lines, g.noun() + " " + strconv.Quote(g.rowOf(bases[0])) + " of the column"
	}
	return lines, f.Name(bases[0])
}

// isBaseline reports whether another arm of the grid is compared with an arm.
func (g *FindingGrid) isBaseline(arm string) bool {
	return slices.ContainsFunc(g.Rows, func(row []*FindingRow) bool {
		return slices.ContainsFunc(row, func(of *FindingRow) bool { return of != nil && of.Baseline == arm })
	})
}

// twoDigits rounds a number to two significant digits.
func twoDigits(v float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 2, 64), 64)
	if err != nil { // out of range
		return v
	}
	return rounded
}

// compares reports whether a column has several values of a unit.
func (g *FindingGrid) compares(column int, unit string) bool {
	values := 0
	for i, row := range g.Rows {
		if g.unit(i) == unit && row[column] != nil && !math.IsNaN(row[column].Value) {
			values++
		}
	}
	return values > 1
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

// cells returns the table of some rows with cells of a form.
func (g *FindingGrid) cells(shown []int, form func(row FindingRow) string) tabular.Table {
	t := tabular.Table{Header: append([]string{g.Of}, g.ColumnLabels...)}
	for _, i := range shown {
		line := []string{g.RowLabels[i]}
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

// best marks the best values of each column in the cells of the table, of each unit its own.
func (g *FindingGrid) best(better metric.Direction) [][]bool {
	list := make([][]bool, len(g.Rows))
	for i := range list {
		list[i] = make([]bool, 1+len(g.ColumnLabels))
	}
	for k := range g.ColumnLabels {
		best := map[string]float64{} // by unit
		for i, row := range g.Rows {
			if row[k] == nil || math.IsNaN(row[k].Value) {
				continue
			}
			v, unit := row[k].Value, g.unit(i)
			if least, ok := best[unit]; !ok || better.Beats(v, least) {
				best[unit] = v
			}
		}
		for i, row := range g.Rows {
			if row[k] != nil && better != "" {
				v, ok := best[g.unit(i)]
				list[i][1+k] = ok && row[k].Value == v
			}
		}
	}
	return list
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
