package view

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/tabular"
	"starling/scenarios/view/plot"
)

// StopsApart warns that budgets have stopped arms at different steps, and names the step at
// which they are compared.
func StopsApart(run *plot.Run) []results.Warning {
	before, apart := comparison.StoppedApart(run.Arms)
	if !apart {
		return nil
	}
	text := fmt.Sprintf("budgets stopped the arms at different steps, the first at step %d", before)
	if at, ok := comparison.CommonStep(run.Arms, stepsOf(run, run.Metrics())); ok {
		text += fmt.Sprintf(": tables, and figures of one step, compare at step %d, which all reached", at)
	} else {
		text += ", and no recorded step was reached by all: values of the last step do not compare"
	}
	return []results.Warning{{Code: "stopped-apart", Message: text}}
}

// stepsOf returns the steps, by arm, of the rows of some metrics. A step may come several times,
// in any order.
func stepsOf(run *plot.Run, metrics []string) map[string][]int64 {
	steps := map[string][]int64{}
	for _, metric := range metrics {
		for _, row := range run.Rows[metric] {
			steps[row.Arm] = append(steps[row.Arm], row.Step)
		}
	}
	return steps
}

// LastSteps returns the steps, by arm, of a table of last values of some metrics, and the head
// of the table's first column, title.
func LastSteps(run *plot.Run, metrics []string) (last map[string]int64, title string) {
	last = map[string]int64{}
	steps := stepsOf(run, metrics)
	at, common := comparison.CommonStep(run.Arms, steps)
	for arm, list := range steps {
		if last[arm] = at; !common {
			last[arm] = slices.Max(list)
		}
	}
	if !common {
		return last, lastTitle
	}
	return last, fmt.Sprintf("at step %d, which all reached", at)
}

// lastTitle is the head of the first column of a table of the last step of each arm.
const lastTitle = "at the last step"

// lastTables makes the tables of the last values of a run.
type lastTables struct {
	*Run
	marks marks
	// found is the finding of the run: its order and intervals stand in the tables; nil for none.
	found *Finding
	// arms are in the order of the finding, and labels their names for people.
	arms   []results.ArmEntry
	labels map[string]string
	// last are the steps of the arms, and title the head of the first column.
	last  map[string]int64
	title string
}

// newLastTables prepares the tables.
func (r *Run) newLastTables(metrics []string, marks marks, f *Finding) *lastTables {
	t := &lastTables{Run: r, marks: marks, found: f, labels: plot.ArmLabels(r.Arms)}
	t.last, t.title = LastSteps(&r.Run, metrics)
	var rows []FindingRow
	if f != nil {
		rows = slices.Clone(f.Rows)
		if better := f.Metric.Better; f.Grid != nil && len(r.Arms) > manyArms && better != "" {
			slices.SortStableFunc(rows, func(a, b FindingRow) int { // many arms: the best first, as in the table of a paper
				switch {
				case math.IsNaN(b.Value) && !math.IsNaN(a.Value) || better.Beats(a.Value, b.Value):
					return -1
				case math.IsNaN(a.Value) && !math.IsNaN(b.Value) || better.Beats(b.Value, a.Value):
					return 1
				}
				return 0
			})
		} else if f.Grid != nil {
			rows = nil // a grid of few arms has its own order, which the study gives
		}
	}
	place := func(arm results.ArmEntry) int {
		if i := slices.IndexFunc(rows, func(row FindingRow) bool { return row.Arm == arm.Name }); i >= 0 {
			return i
		}
		return len(rows)
	}
	t.arms = slices.Clone(r.Arms)
	slices.SortStableFunc(t.arms, func(a, b results.ArmEntry) int { return place(a) - place(b) })
	return t
}

// tables returns tables of the arms of a run, by the options, with a metric a row
// and its 95 % interval over the seeds. They show each arm at its last step, or, if budgets
// stopped arms at different steps, at the last step that all reached. Epsilons name their
// neighbouring relation, from the ledger. A table has a row for each of the metrics that one of
// its arms has, in their order, and words where an arm does not have it. Of many arms each has a row.
func (t *lastTables) tables(metrics []string, o ValuesOptions) (tables []tabular.Table) {
	rows := t.byArm(metrics)
	if len(t.arms) > manyArms {
		return rows
	}
	columns := t.byMetric(metrics, o.PerTable)
	if o.Width > 0 && len(t.arms) > 1 && lines(rows, o.Width) < lines(columns, o.Width) {
		return rows
	}
	return columns
}

// lines is the number of lines that tables take on a terminal of a width.
func lines(tables []tabular.Table, width int) int {
	var text strings.Builder
	for _, table := range tables {
		if err := table.WriteWithin(&text, width); err != nil {
			return math.MaxInt // the writer of the table reports it
		}
		text.WriteString("\n")
	}
	return strings.Count(text.String(), "\n")
}

// byMetric returns tables with a metric a row, and so many arms beside each other.
func (t *lastTables) byMetric(metrics []string, perTable int) (tables []tabular.Table) {
	for arms := range slices.Chunk(t.arms, perTable) {
		table := tabular.Table{Header: []string{t.title}}
		for _, arm := range arms {
			table.Header = append(table.Header, t.labels[arm.Name])
		}
		for _, metric := range metrics {
			if cells, some := t.cells(metric, arms); some {
				table.Rows = append(table.Rows, append([]string{t.row(metric)}, cells...))
			}
		}
		if len(table.Rows) > 0 {
			tables = append(tables, table)
		}
	}
	return tables
}

// first returns so many of the metrics besides the finding's, metrics of the first figures before
// others, and the number of the rest. Where arms end at other steps the finding's is one of them.
func (t *lastTables) first(metrics []string, most int) (first []string, more int, err error) {
	drawn, err := preferred(t.Source, t.Known)
	if err != nil {
		return nil, 0, err
	}
	for _, name := range metrics {
		if _, some := t.cells(name, t.arms); some && (t.found == nil || t.found.Apart || name != t.found.Metric.Name) {
			first = append(first, name)
		}
	}
	place := func(name string) int {
		if i := slices.Index(drawn, name); i >= 0 {
			return i
		}
		return len(drawn)
	}
	slices.SortStableFunc(first, func(a, b string) int { return place(a) - place(b) })
	more = max(0, len(first)-most)
	return first[:len(first)-more], more, nil
}

// cells returns the values of a metric of some arms, and whether any has one.
func (t *lastTables) cells(metric string, arms []results.ArmEntry) (cells []string, some bool) {
	for range arms {
		cells = append(cells, tabular.NoValue)
	}
	for _, row := range t.Rows[metric] {
		i := slices.IndexFunc(arms, func(arm results.ArmEntry) bool { return arm.Name == row.Arm })
		if i >= 0 && row.Step == t.last[row.Arm] {
			some, cells[i] = true, t.marks.on(t.Of.Mark(withEnds(t.unit(metric), row.Mean, t.found.half(row)), metric, row.Arm, t.Arms), metric, row.Arm)
		}
	}
	return cells, some
}

// apartFromEqual returns the metrics whose last values differ, and a sentence on the others.
func (t *lastTables) apartFromEqual(metrics []string) (differing []string, same string) {
	var equal []string
	for _, metric := range metrics {
		values := map[string]string{}
		for _, row := range t.Rows[metric] {
			if row.Step == t.last[row.Arm] {
				values[row.Arm] = t.Of.Mark(withEnds(t.unit(metric), row.Mean, t.found.half(row)), metric, row.Arm, t.Arms)
			}
		}
		first := values[t.Arms[0].Name]
		if len(t.Arms) < 2 || len(values) < len(t.Arms) ||
			slices.ContainsFunc(t.Arms, func(arm results.ArmEntry) bool { return values[arm.Name] != first }) {
			differing = append(differing, metric)
			continue
		}
		equal = append(equal, t.row(metric)+" "+first)
	}
	if len(equal) > 0 {
		same = "equal in all arms: " + strings.Join(equal, "; ")
	}
	return differing, same
}

// manyArms is the number of arms above which each has a row in tables of last values, and no
// column.
const manyArms = 8

// byArm returns a table of last values with an arm a row and a metric a column; none where
// no metric has a value.
func (t *lastTables) byArm(metrics []string) []tabular.Table {
	table := tabular.Table{Header: []string{t.title}}
	for _, arm := range t.arms {
		table.Rows = append(table.Rows, []string{t.labels[arm.Name]})
	}
	for _, metric := range metrics {
		cells, some := t.cells(metric, t.arms)
		if !some {
			continue
		}
		table.Header = append(table.Header, t.row(metric))
		for i, cell := range cells {
			table.Rows[i] = append(table.Rows[i], cell)
		}
	}
	if len(table.Header) < 2 {
		return nil
	}
	return []tabular.Table{table}
}

// unit is the unit of a metric; empty for none, and of a metric that is not known.
func (t *lastTables) unit(metric string) string {
	m, _ := t.Known.Find(metric)
	return m.Unit
}

// row names a metric for people, by its label: an epsilon with its neighbours, if they are the same for
// all. A label that several metrics of the run have is followed by the name.
func (t *lastTables) row(metric string) string {
	m, ok := t.Known.Find(metric)
	if !ok || m.Label == "" {
		return t.Of.Row(metric, t.Arms)
	}
	label := m.Label
	for other := range t.Rows {
		if o, known := t.Known.Find(other); known && o.Label == m.Label && other != metric {
			label = fmt.Sprintf("%s, %s", m.Label, metric)
			break
		}
	}
	return label + strings.TrimPrefix(t.Of.Row(metric, t.Arms), metric)
}

// half is half the width of the 95 % interval of a last value, as the finding has it or by Student's law;
// NaN for one seed, and where a bootstrap of few seeds bounds none.
func (f *Finding) half(row results.SummaryRow) float64 {
	if f == nil {
		return comparison.HalfWidth(row.SE, row.N)
	}
	if half, ok := f.halves[[2]string{row.Arm, row.Metric}]; ok {
		return half
	}
	if row.Metric == f.Metric.Name {
		i := slices.IndexFunc(f.Rows, func(of FindingRow) bool { return of.Arm == row.Arm && of.Step == row.Step })
		if i >= 0 && (f.Bootstrapped || !math.IsNaN(f.Rows[i].Half)) {
			return f.Rows[i].Half
		}
	}
	return comparison.HalfWidth(row.SE, row.N)
}

// errorText explains the intervals in tables of last values; it is empty where none has one.
func (t *lastTables) errorText(seeds int, tables []tabular.Table) string {
	ends := slices.ContainsFunc(tables, hasEnds)
	if !ends && !slices.ContainsFunc(tables, func(table tabular.Table) bool { return hasCell(table, "±") }) {
		return ""
	}
	text := fmt.Sprintf("±: half of the %g %% confidence interval of the mean over %s (Student's t", 100*comparison.Confidence, document.Counted(seeds, "seed"))
	text += t.resampledText() + ")"
	if ends {
		text += endsText
	}
	return text
}

// resampledText names the statistics over the seeds, and their intervals.
func (t *lastTables) resampledText() (text string) {
	f := t.found
	if f == nil {
		return ""
	}
	bounded := map[string]bool{}
	if f.Bootstrapped {
		bounded[f.Metric.Name] = !math.IsNaN(f.Rows[0].Half)
	}
	for key, half := range f.halves {
		bounded[key[1]] = bounded[key[1]] || !math.IsNaN(half)
	}
	for _, name := range slices.Sorted(maps.Keys(bounded)) {
		if bounded[name] {
			text += "; bootstrap for the " + t.row(name)
		} else {
			text += fmt.Sprintf("; none for the %s: the seeds are too few for a bootstrap", t.row(name))
		}
	}
	return text
}

// missingText explains cells without a value; it is empty where none is.
func missingText(tables []tabular.Table) string {
	for _, table := range tables {
		for _, row := range table.Rows {
			if slices.Contains(row, tabular.NoValue) {
				return tabular.NoValue + ": the arm has not recorded it"
			}
		}
	}
	return ""
}

// BesidesFinding returns tables of last values without the headline metric, where a finding that
// prints at most so many arms has its values of the same step; a table of nothing else is left out.
// The given tables stay as they are.
func (r *Run) BesidesFinding(tables []tabular.Table, f *Finding, most int) (list []tabular.Table) {
	if f == nil || len(f.Rows) < 2 || f.Apart || f.Grid == nil && len(f.Rows) > most {
		return tables
	}
	name := (&lastTables{Run: r}).row(f.Metric.Name)
	for _, t := range tables {
		t = t.Without(name) // of many arms
		rows := slices.DeleteFunc(slices.Clone(t.Rows), func(row []string) bool { return row[0] == name })
		if len(rows) > 0 && len(t.Header) > 1 {
			list = append(list, tabular.Table{Header: t.Header, Rows: rows})
		}
	}
	return list
}

// largestWhole is the bound below which whole numbers are printed in full.
const largestWhole = 1e9

// estimate prints a value with half the width of its interval. A value that is the same under all seeds,
// or that has one seed only, has none.
func estimate(value, half float64) string {
	if half > 0 && !math.IsInf(half, 0) {
		return tabular.FormatEstimate(value, half)
	}
	switch {
	case math.IsInf(value, 0) || math.IsNaN(value):
		return tabular.FormatValue(value)
	case value == math.Trunc(value) && math.Abs(value) < largestWhole:
		return strconv.FormatFloat(value, 'f', 0, 64)
	}
	return strconv.FormatFloat(value, 'g', 6, 64)
}

// endsWord stands between the ends of an interval.
const endsWord = " to "

// endsText explains the ends of intervals, after a text on ±.
const endsText = ", or the ends of a wide one in brackets"

// withEnds is estimate where a wide interval has its ends, "596 (8 to 1184)". An interval of a share that goes
// beyond 0 or 1 has its ends too, cut there: no share is outside.
func withEnds(unit string, value, half float64) string {
	return cmp.Or(EndsOf(unit, value, half), estimate(value, half))
}

// EndsOf is a value of a unit with the ends of its interval, of which half is the width; empty where the interval is not wide.
func EndsOf(unit string, value, half float64) string {
	low, high := value-half, value+half
	cut := unit == metric.Share && half > 0 && value >= 0 && value <= 1 && (low < 0 || high > 1)
	if cut {
		low, high = max(0, low), min(1, high)
	}
	if cut && !math.IsInf(half, 0) || tabular.Wide(value, half) {
		return fmt.Sprintf("%s (%s%s%s)", rounded(value, half), rounded(low, half), endsWord, rounded(high, half))
	}
	return ""
}

// hasEnds reports whether a cell of a table has the ends of an interval.
func hasEnds(t tabular.Table) bool { return hasCell(t, endsWord) }

// hasCell reports whether a cell of a table has a text in it.
func hasCell(t tabular.Table, text string) bool {
	return slices.ContainsFunc(t.Rows, func(row []string) bool {
		return slices.ContainsFunc(row, func(cell string) bool { return strings.Contains(cell, text) })
	})
}

// noteTables returns tables of the notes that are derived for the arms. The first has notes
// that are equal for all arms, a note a row. The second has notes that all arms have, an arm a
// row. The third has notes that some of them have, as algorithms of other families do, a note
// of an arm a row. A table without rows is left out. Epsilons name their neighbouring
// relation, as in lastTables. labels are names of arms for people.
func noteTables(arms []results.ArmEntry, notes []results.Note, of accounts.Relations, labels map[string]string) (tables []tabular.Table) {
	values := map[string]map[string]string{} // by key, then arm
	var keys []string
	for _, note := range notes {
		if values[note.Key] == nil {
			values[note.Key] = map[string]string{}
			keys = append(keys, note.Key)
		}
		values[note.Key][note.Arm] = note.Value
	}
	common := tabular.Table{Header: []string{"in all arms", ""}}
	differing := tabular.Table{Header: []string{"arm"}}
	own := tabular.Table{Header: []string{"arm", "note", ""}}
	if len(arms) == 1 {
		common.Header[0] = "derived"
	}
	for _, arm := range arms {
		differing.Rows = append(differing.Rows, []string{labels[arm.Name]})
	}
	for _, key := range keys {
		// A note that all arms have goes to one of two tables: its values are equal or they
		// are not.
		first := values[key][arms[0].Name]
		if len(values[key]) < len(arms) {
			continue
		}
		if !slices.ContainsFunc(arms, func(arm results.ArmEntry) bool { return values[key][arm.Name] != first }) {
			common.Rows = append(common.Rows, []string{of.Row(key, arms), first})
			continue
		}
		differing.Header = append(differing.Header, of.Row(key, arms))
		for i, arm := range arms {
			differing.Rows[i] = append(differing.Rows[i], of.Mark(values[key][arm.Name], key, arm.Name, arms))
		}
	}
	for _, arm := range arms {
		for _, key := range keys {
			if value, ok := values[key][arm.Name]; ok && len(values[key]) < len(arms) {
				own.Rows = append(own.Rows, []string{labels[arm.Name], key, of.Mark(value, key, arm.Name, arms)})
			}
		}
	}
	for _, table := range []tabular.Table{common, differing, own} {
		if len(table.Rows) > 0 && len(table.Header) > 1 {
			tables = append(tables, table)
		}
	}
	return tables
}
