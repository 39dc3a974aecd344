package view

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/tabular"
)

// stepsIn returns a function for the steps of an arm in a summary. The rows of an arm are
// ascending in step for each metric, so that a step may come several times; callers compact
// the list.
func stepsIn(summary []results.SummaryRow) func(arm string) []int64 {
	steps := map[string][]int64{}
	for _, row := range summary {
		if n := len(steps[row.Arm]); n == 0 || steps[row.Arm][n-1] != row.Step {
			steps[row.Arm] = append(steps[row.Arm], row.Step)
		}
	}
	return func(arm string) []int64 { return steps[arm] }
}

// StopsApart warns that budgets have stopped arms at different steps, and names the step at
// which they are compared.
func StopsApart(arms []results.Arm, summary []results.SummaryRow) []results.Warning {
	before, apart := comparison.StoppedApart(arms)
	if !apart {
		return nil
	}
	text := fmt.Sprintf("budgets stopped the arms at different steps, the first at step %d", before)
	if at, ok := comparison.CommonStep(arms, stepsIn(summary)); ok {
		text += fmt.Sprintf(": tables, and figures of one step, compare at step %d, which all reached", at)
	} else {
		text += ", and no step is recorded that all reached: what is said of the last step does not compare"
	}
	return []results.Warning{{Code: "stopped-apart", Message: text}}
}

// lastSteps returns the steps, by arm, of a table of last values, and the head of the table's
// first column, title.
func lastSteps(m *results.Manifest, summary []results.SummaryRow) (last map[string]int64, title string) {
	last = map[string]int64{}
	for _, row := range summary {
		last[row.Arm] = max(last[row.Arm], row.Step)
	}
	at, ok := comparison.CommonStep(m.Arms, stepsIn(summary))
	if !ok {
		return last, "at the last step"
	}
	for arm := range last {
		last[arm] = at
	}
	return last, fmt.Sprintf("at step %d, which all reached", at)
}

// LastValues returns tables of the arms of a run, perTable arms in each, with a metric a row
// and its standard error over the seeds. They show the summary of each arm at its last step,
// or, if budgets stopped arms at different steps, at the last step that all reached. Epsilons
// name their neighbouring relation, from the ledger. Marks may be the zero value, for none. A
// table has a row for each metric of one of its arms, by name, and an empty cell where an arm
// does not have it.
func LastValues(m *results.Manifest, summary []results.SummaryRow, marks Marks, perTable int) (tables []tabular.Table) {
	of := accounts.RelationsOf(m.Ledger)
	last, title := lastSteps(m, summary)
	for arms := range slices.Chunk(m.Arms, perTable) {
		table := tabular.Table{Header: []string{title}}
		var metrics []string
		named := func(row results.SummaryRow) bool {
			return row.Step == last[row.Arm] && slices.ContainsFunc(arms, func(arm results.Arm) bool { return arm.Name == row.Arm })
		}
		for _, row := range summary {
			if named(row) && !slices.Contains(metrics, row.Metric) {
				metrics = append(metrics, row.Metric)
			}
		}
		slices.Sort(metrics)
		for _, metric := range metrics {
			table.Rows = append(table.Rows, append([]string{of.Row(metric, arms)}, make([]string, len(arms))...))
		}
		for i, arm := range arms {
			table.Header = append(table.Header, arm.Name)
			for _, row := range summary {
				if row.Arm == arm.Name && named(row) {
					table.Rows[slices.Index(metrics, row.Metric)][1+i] = marks.on(of.Mark(estimate(row.Mean, row.SE), row.Metric, arm.Name, arms), row.Metric, arm.Name)
				}
			}
		}
		tables = append(tables, table)
	}
	return tables
}

// RowsBesideLedger returns the rows of a summary for a table beside the ledger's. Epsilons are
// in the ledger's table, by observer, and are not repeated. The given rows stay as they are.
func RowsBesideLedger(summary []results.SummaryRow) []results.SummaryRow {
	return slices.DeleteFunc(slices.Clone(summary), func(row results.SummaryRow) bool { return strings.HasPrefix(row.Metric, "epsilon.") })
}

// NotesBesideLedger returns the notes for a table beside the ledger's, like RowsBesideLedger:
// claimed and accounted losses are left out.
func NotesBesideLedger(notes []results.Note) []results.Note {
	return slices.DeleteFunc(slices.Clone(notes), func(n results.Note) bool { return n.Key == "epsilon.claimed" || n.Key == "epsilon.accounted" })
}

// ErrorText explains ± in tables of last values; it is empty where none has it.
func ErrorText(m *results.Manifest, tables []tabular.Table) string {
	for _, table := range tables {
		for _, row := range table.Rows {
			if slices.ContainsFunc(row, func(cell string) bool { return strings.Contains(cell, "±") }) {
				return fmt.Sprintf("±: the standard error of the mean over %s", document.Counted(m.Seeds.Count, "seed"))
			}
		}
	}
	return ""
}

// largestWhole is the bound below which whole numbers are printed in full.
const largestWhole = 1e9

// estimate prints a value with its standard error. A value that is the same under all seeds,
// or that has one seed only, has none.
func estimate(value, se float64) string {
	if se > 0 && !math.IsInf(se, 0) {
		return tabular.FormatEstimate(value, se)
	}
	switch {
	case math.IsInf(value, 0) || math.IsNaN(value):
		return tabular.FormatValue(value)
	case value == math.Trunc(value) && math.Abs(value) < largestWhole:
		return strconv.FormatFloat(value, 'f', 0, 64)
	}
	return strconv.FormatFloat(value, 'g', 6, 64)
}

// NoteTables returns tables of the notes that are derived for the arms. The first has notes
// that are equal for all arms, a note a row. The second has notes that all arms have, an arm a
// row. The third has notes that some of them have, as algorithms of other families do, a note
// of an arm a row. A table without rows is left out. Epsilons name their neighbouring
// relation, as in LastValues.
func NoteTables(arms []results.Arm, notes []results.Note, ledger []results.LedgerEntry) (tables []tabular.Table) {
	of := accounts.RelationsOf(ledger)
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
		differing.Rows = append(differing.Rows, []string{arm.Name})
	}
	for _, key := range keys {
		// A note that all arms have goes to one of two tables: its values are equal or they
		// are not.
		first := values[key][arms[0].Name]
		if len(values[key]) < len(arms) {
			continue
		}
		if !slices.ContainsFunc(arms, func(arm results.Arm) bool { return values[key][arm.Name] != first }) {
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
				own.Rows = append(own.Rows, []string{arm.Name, key, of.Mark(value, key, arm.Name, arms)})
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
