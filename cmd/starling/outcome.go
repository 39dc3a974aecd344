package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"starling/scenarios"
	"starling/scenarios/results"
)

// printOutcome prints what a run found: the metrics at the last step, an arm a
// row, what must be known to read them, and where everything is.
func printOutcome(w io.Writer, outcome *scenarios.Outcome) error {
	m := &outcome.Manifest
	if outcome.Existing {
		fmt.Fprintln(w, "These results were there already; --again runs the scenario again.")
	}
	fmt.Fprintf(w, "%s: %s, %s\n\n", m.Scenario, counted(m.Seeds.Count, "seed"), counted(m.Horizon, "step"))
	for arms := range slices.Chunk(m.Arms, armsPerTable) {
		if err := lastValues(arms, outcome.Summary).Write(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if err := writeNotes(w, m); err != nil {
		return err
	}
	for _, warning := range m.Warnings {
		about := ""
		if warning.Arm != "" && len(m.Arms) > 1 {
			about = warning.Arm + ": "
		}
		fmt.Fprintf(w, "warning: %s%s\n", about, warning.Message)
	}
	if len(m.Warnings) > 0 {
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprintf(w, "digest  %s\nresults %s\n", m.Digest, outcome.Dir)
	return err
}

// counted is a number with what it counts.
func counted[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// armsPerTable is how many columns of numbers a terminal holds.
const armsPerTable = 4

// lastValues is a table of the arms' summaries at their last steps: a metric a
// row, with its standard error over the seeds.
func lastValues(arms []results.Arm, summary []results.SummaryRow) results.Table {
	table := results.Table{Header: []string{"at the last step"}}
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
		table.Rows = append(table.Rows, append([]string{metric}, make([]string, len(arms))...))
	}
	for i, arm := range arms {
		table.Header = append(table.Header, arm.Name)
		for _, row := range summary {
			if row.Arm == arm.Name && row.Step == last[arm.Name] {
				table.Rows[slices.Index(metrics, row.Metric)][1+i] = estimate(row.Mean, row.SE)
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
		return results.FormatEstimate(value, se)
	}
	switch {
	case math.IsInf(value, 0) || math.IsNaN(value):
		return results.FormatValue(value)
	case value == math.Trunc(value) && math.Abs(value) < largestWhole:
		return strconv.FormatFloat(value, 'f', 0, 64)
	}
	return strconv.FormatFloat(value, 'g', 6, 64)
}

// writeNotes prints what is derived for the arms: first what is the same for
// all of them, a note a line, then the rest, an arm a row.
func writeNotes(w io.Writer, m *results.Manifest) error {
	values := map[string]map[string]string{} // by key, then arm
	var keys []string
	for _, note := range m.Notes {
		if values[note.Key] == nil {
			values[note.Key] = map[string]string{}
			keys = append(keys, note.Key)
		}
		values[note.Key][note.Arm] = note.Value
	}
	common := results.Table{Header: []string{"in all arms", ""}}
	differing := results.Table{Header: []string{"arm"}}
	if len(m.Arms) == 1 {
		common.Header[0] = "derived"
	}
	for _, arm := range m.Arms {
		differing.Rows = append(differing.Rows, []string{arm.Name})
	}
	for _, key := range keys {
		first := values[key][m.Arms[0].Name]
		if !slices.ContainsFunc(m.Arms, func(arm results.Arm) bool { return values[key][arm.Name] != first }) {
			common.Rows = append(common.Rows, []string{key, first})
			continue
		}
		differing.Header = append(differing.Header, key)
		for i, arm := range m.Arms {
			differing.Rows[i] = append(differing.Rows[i], values[key][arm.Name])
		}
	}
	for _, table := range []results.Table{common, differing} {
		if len(table.Rows) == 0 || len(table.Header) == 1 {
			continue
		}
		if err := table.Write(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}
