package show

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"starling/scenarios/accounts"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
)

// LastValues is a table of the arms' summaries at their last steps: a metric a
// row, with its standard error over the seeds. Epsilons say for which neighbours
// they are, which they have from the ledger.
func LastValues(arms []results.Arm, summary []results.SummaryRow, ledger []results.LedgerEntry) tabular.Table {
	of := accounts.RelationsOf(ledger)
	table := tabular.Table{Header: []string{"at the last step"}}
	var metrics []string
	last := map[string]int64{} // by arm
	for _, row := range summary {
		last[row.Arm] = max(last[row.Arm], row.Step)
		if !slices.Contains(metrics, row.Metric) {
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
			if row.Arm == arm.Name && row.Step == last[arm.Name] {
				table.Rows[slices.Index(metrics, row.Metric)][1+i] = of.Mark(estimate(row.Mean, row.SE), row.Metric, arm.Name, arms)
			}
		}
	}
	return table
}

// largestWhole is up to where whole numbers are printed in full.
const largestWhole = 1e9

// estimate prints a value with its standard error. A value that is the same
// under all seeds, or that has one seed only, stands alone.
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

// Counted is a number with what it counts: "1 seed", "20 seeds".
func Counted[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// NoteTables are what is derived for the arms: first what is the same for all
// of them, a note a row, then the rest, an arm a row. A table without rows is
// left out. Epsilons say for which neighbours they are, as in LastValues.
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
	if len(arms) == 1 {
		common.Header[0] = "derived"
	}
	for _, arm := range arms {
		differing.Rows = append(differing.Rows, []string{arm.Name})
	}
	for _, key := range keys {
		first := values[key][arms[0].Name]
		if !slices.ContainsFunc(arms, func(arm results.Arm) bool { return values[key][arm.Name] != first }) {
			common.Rows = append(common.Rows, []string{of.Row(key, arms), first})
			continue
		}
		differing.Header = append(differing.Header, of.Row(key, arms))
		for i, arm := range arms {
			differing.Rows[i] = append(differing.Rows[i], of.Mark(values[key][arm.Name], key, arm.Name, arms))
		}
	}
	for _, table := range []tabular.Table{common, differing} {
		if len(table.Rows) > 0 && len(table.Header) > 1 {
			tables = append(tables, table)
		}
	}
	return tables
}
