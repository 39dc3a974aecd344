package main

import (
	"fmt"
	"io"
	"slices"

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
	fmt.Fprintf(w, "%s: %d seeds, %d steps\n\n", m.Scenario, m.Seeds.Count, m.Horizon)
	for arms := range slices.Chunk(m.Arms, armsPerTable) {
		if err := lastValues(arms, outcome.Summary).Write(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, note := range m.Notes {
		fmt.Fprintf(w, "%s: %s: %s\n", note.Arm, note.Key, note.Value)
	}
	for _, warning := range m.Warnings {
		fmt.Fprintf(w, "warning: %s: %s\n", warning.Arm, warning.Message)
	}
	fmt.Fprintf(w, "\ndigest  %s\nresults %s\n", m.Digest, outcome.Dir)
	return nil
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
				table.Rows[slices.Index(metrics, row.Metric)][1+i] = results.FormatEstimate(row.Mean, row.SE)
			}
		}
	}
	return table
}
