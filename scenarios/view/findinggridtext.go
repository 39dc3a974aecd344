package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/metric"
	"starling/scenarios/view/plot"
)

// sentences state the best choice under each condition, and the conditions under which the tests tell no other
// from it; of many conditions their number, and the worst value.
func (g *FindingGrid) sentences(f *Finding) (list []string) {
	many := len(g.ColumnLabels) > mostNamedColumns
	for _, unit := range g.kinds() {
		if text := g.brief(f, unit); many {
			if text != "" {
				list = append(list, text)
			}
			continue
		}
		var winners []string
		of := map[string][]string{} // conditions by the choice that is best
		for k, i := range g.winners(f.Metric.Better, unit) {
			if i < 0 {
				continue
			}
			winner := strings.TrimSuffix(g.RowLabels[i], ", "+unit)
			if of[winner] == nil {
				winners = append(winners, winner)
			}
			of[winner] = append(of[winner], fmt.Sprintf("%s (%s%s%s)", g.condition(k), meanText(g.Rows[i][k]), g.tie(f.Metric.Better, i, k), g.alikeText(i, k)))
		}
		for i, winner := range winners {
			winners[i] = fmt.Sprintf("%s under %s", winner, joined(of[winner]))
		}
		if len(winners) > 0 {
			list = append(list, strings.TrimSuffix("Best "+g.noun()+" "+unit, " ")+": "+strings.Join(winners, "; ")+".")
		}
	}
	if len(g.units) > 0 {
		list = append(list, "Epsilons for different units do not compare: each has its own best.")
	}
	worst, undecided := "", g.undecided()
	if many {
		worst, undecided = g.worst(f), g.alike()
	}
	for _, text := range []string{g.factors(f), g.privacy(f), g.worstCaseText(f), worst, undecided} {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

// tie names the other choices with the best value of a column; empty for none.
func (g *FindingGrid) tie(better metric.Direction, winner, column int) string {
	var names []string
	for i, best := range g.best(better) {
		if i != winner && best[1+column] && g.unit(i) == g.unit(winner) {
			names = append(names, g.RowLabels[i])
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", a tie with " + namesText(names)
}

// alikeText names the other choices that the tests do not tell from the best one of a column; empty for none, and
// where they tell none from it, which undecided states.
func (g *FindingGrid) alikeText(winner, column int) string {
	if _, apart := g.tested(column); apart == 0 {
		return ""
	}
	var names []string
	for i, row := range g.Rows {
		if i != winner && row[column] != nil && row[column].alike(g.Rows[winner][column]) {
			names = append(names, g.RowLabels[i])
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", not distinguishable from " + namesText(names)
}

// mostFactors is the largest number of ratios to the baseline that a sentence states one by one.
const mostFactors = 2

// factors states the ratios of the best values to their baseline with their intervals, of many columns the least and
// the largest; empty where none has an interval, and where rows protect different units.
func (g *FindingGrid) factors(f *Finding) string {
	var rows []*FindingRow
	var columns []int
	for k, i := range g.winners(f.Metric.Better, "") {
		if i < 0 || g.units != nil {
			continue
		}
		if row := g.Rows[i][k]; row.Baseline != "" && row.Ratio.High > row.Ratio.Low && !boundless(row.Ratio) {
			rows, columns = append(rows, row), append(columns, k)
		}
	}
	if len(rows) == 0 {
		return ""
	}
	_, baseline := g.ratios(f, shortRatio)
	part := func(n int) string { return longRatio(rows[n].Ratio) + " under " + g.condition(columns[n]) }
	text := "Best ÷ " + strings.TrimSuffix(baseline, " of the column") + ": "
	if len(rows) > mostFactors {
		least, most := 0, 0
		for n := range rows {
			if rows[n].Ratio.Value < rows[least].Ratio.Value {
				least = n
			}
			if rows[n].Ratio.Value > rows[most].Ratio.Value {
				most = n
			}
		}
		return text + "from " + part(least) + " to " + part(most) + "."
	}
	var parts []string
	for n := range rows {
		parts = append(parts, part(n))
	}
	return text + strings.Join(parts, ", ") + "."
}

// worstCase is the choice with the best worst mean over some columns of a grid.
type worstCase struct {
	row, column int   // the choice, and the column in which it is worst
	columns     []int // those in which each choice has a value
}

// worstCase finds the choice with the best worst mean over the columns. Only columns of settings, in which the
// same problem is learned, have a worst one. Columns in which a choice has no value do not count. There is none where
// one choice is the best of all columns.
func (g *FindingGrid) worstCase(f *Finding) (w worstCase, ok bool) {
	for k := range g.ColumnLabels {
		if !slices.ContainsFunc(g.Rows, func(row []*FindingRow) bool { return row[k] == nil || math.IsNaN(row[k].Value) }) {
			w.columns = append(w.columns, k)
		}
	}
	if f.Metric.Better == "" || len(w.columns) < 2 || g.units != nil || slices.ContainsFunc(g.Keys, func(key string) bool { return !isSetting(key) }) {
		return worstCase{}, false
	}
	w.row = -1
	for i, row := range g.Rows {
		worst := w.columns[0]
		for _, k := range w.columns {
			if f.Metric.Better.Beats(row[worst].Value, row[k].Value) {
				worst = k
			}
		}
		if w.row < 0 || f.Metric.Better.Beats(row[worst].Value, g.Rows[w.row][w.column].Value) {
			w.row, w.column = i, worst
		}
	}
	best := g.best(f.Metric.Better)[w.row]
	return w, slices.ContainsFunc(w.columns, func(k int) bool { return !best[1+k] })
}

// worstCaseText states the worst case; empty for none.
func (g *FindingGrid) worstCaseText(f *Finding) string {
	w, ok := g.worstCase(f)
	if !ok {
		return ""
	}
	text := fmt.Sprintf("Best worst case: %s (%s, under %s)", g.RowLabels[w.row], meanText(g.Rows[w.row][w.column]), g.condition(w.column))
	if len(w.columns) < len(g.ColumnLabels) {
		text += fmt.Sprintf(", over the %d columns that all rows have", len(w.columns))
	}
	return text + "."
}

// isSetting reports whether a key is of the setting in which arms learn.
func isSetting(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return slices.Contains(settings, section) || section == "stragglers"
}

// privacy states that no arm of the grid is private, and the best arm beside it that is; it is empty where one in
// the grid is private, or where none has a statement.
func (g *FindingGrid) privacy(f *Finding) string {
	unbounded := false
	for _, row := range g.Rows {
		for _, cell := range row {
			if cell != nil && !math.IsInf(cell.Epsilon, 1) {
				return ""
			}
			unbounded = unbounded || cell != nil
		}
	}
	if !unbounded {
		return ""
	}
	text := "No arm of the table is private: no finite epsilon bounds its privacy loss."
	if len(f.Costs) > 0 {
		return text + " " + f.costText()
	}
	if best := g.bestBeside(f.Metric.Better); best != nil {
		text += fmt.Sprintf(" Best private arm beside it: %s (%s), with epsilon %s.", f.Name(best.Arm), meanText(best), lossText(best.Epsilon))
	}
	return text
}

// bestBeside is the best private arm that has no cell; nil for none.
func (g *FindingGrid) bestBeside(better metric.Direction) (best *FindingRow) {
	for i := range g.Others {
		if row := &g.Others[i]; row.Private() && !math.IsNaN(row.Value) && better != "" && (best == nil || better.Beats(row.Value, best.Value)) {
			best = row
		}
	}
	return best
}

// condition names a column in a sentence. The table has the accounted loss.
func (g *FindingGrid) condition(column int) string {
	label, _, _ := strings.Cut(g.ColumnLabels[column], " (")
	return label
}

// undecided states the columns in which the tests tell no other choice from the best; empty for none.
func (g *FindingGrid) undecided() string {
	tested := 0
	var all []string
	for k := range g.ColumnLabels {
		alike, apart := g.tested(k)
		if alike+apart > 0 {
			tested++
		}
		if alike > 0 && apart == 0 {
			all = append(all, g.condition(k))
		}
	}
	switch {
	case len(all) == tested && tested > 1:
		return fmt.Sprintf("No other %s is distinguishable from the best in any column.", g.noun())
	case len(all) > 0:
		return fmt.Sprintf("No other %s is distinguishable from the best under %s.", g.noun(), joined(all))
	}
	return ""
}

// tested counts the choices of a column that are tested against a best one: those that are not told apart from it, and
// the others.
func (g *FindingGrid) tested(column int) (alike, apart int) {
	groups := map[int]bool{} // with a best arm in the column
	for _, row := range g.Rows {
		if row[column] != nil && row[column].Mark == strings.TrimSpace(bestMark) {
			groups[row[column].Group] = true
		}
	}
	for _, row := range g.Rows {
		switch cell := row[column]; {
		case cell == nil || !groups[cell.Group] || math.IsNaN(cell.Value):
		case cell.Mark == strings.TrimSpace(alikeMark):
			alike++
		case cell.Mark == "":
			apart++
		}
	}
	return alike, apart
}

// terms explain the baseline, and the epsilons of columns.
func (g *FindingGrid) terms(f *Finding) (parts []string) {
	if _, baseline := g.ratios(f, shortRatio); baseline != "" {
		parts = append(parts, "baseline: "+baseline)
	}
	if g.Epsilon == "" {
		return parts
	}
	text := g.Epsilon
	if slices.ContainsFunc(g.ColumnLabels, func(label string) bool { return strings.HasSuffix(label, plot.InAll) }) {
		text += ", and the accounted one of the run, in all"
	}
	return append(parts, "columns: "+text)
}

// texts state the groups of marks, and the arms beside the grid, without the arms in the table of costs where that is
// printed.
func (g *FindingGrid) texts(f *Finding, costs bool) (list []string) {
	if text := g.groups(); text != "" {
		list = append(list, text)
	}
	var others []string
	for _, row := range g.Others {
		if costs && slices.ContainsFunc(f.Costs, func(c PrivateCost) bool { return c.Private.Arm == row.Arm }) {
			continue
		}
		text := f.Name(row.Arm) + " " + marked(row)
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
	if g.groupedByUnit(of) {
		return "Several * in a column: each is the best of its own unit."
	}
	if len(names) < 2 {
		return "Several * in a column: each is the best of its own group of equal privacy."
	}
	return fmt.Sprintf("Marks are within %d groups of equal privacy, each with its own *: %s.", len(names), strings.Join(names, "; "))
}

// groupedByUnit reports whether choices of the same unit, and only they, are in one group. of has the first choice of
// the group of each.
func (g *FindingGrid) groupedByUnit(of []int) bool {
	if g.units == nil {
		return false
	}
	for i := range of {
		for j := range of {
			if (of[i] == of[j]) != (g.units[i] == g.units[j]) {
				return false
			}
		}
	}
	return true
}

// join puts the members of group b into group a, or a's into b's: the lesser number stays.
func join(of []int, a, b int) {
	for i := range of {
		if of[i] == max(a, b) {
			of[i] = min(a, b)
		}
	}
}
