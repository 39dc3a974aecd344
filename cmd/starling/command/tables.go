package command

import (
	"fmt"
	"io"
	"strconv"

	"starling/bench/workload"
	"starling/cmd/starling/command/shell"
	"starling/scenarios/forecast"
	"starling/scenarios/results/tabular"
)

// none stands in cells without a value.
const none = "-"

// printReport prints the medians of all workloads.
func printReport(w io.Writer, report *workload.Report) error {
	table := tabular.Table{Header: []string{"workload", "unit", "wall, ns", "processor, ns", "allocations", "bytes", "peak", "ratio of wall", "ratio of processor"}}
	for i := range report.Workloads {
		r := &report.Workloads[i]
		table.Rows = append(table.Rows, []string{
			r.Name, r.Unit, interval(r, workload.Wall), interval(r, workload.Processor),
			median(r, workload.Allocations), median(r, workload.Bytes), peakMemory(r), interval(r, workload.RatioWall), interval(r, workload.RatioProcessor),
		})
	}
	if err := shell.WriteTable(w, table); err != nil {
		return err
	}
	if err := printSpeedups(w, report); err != nil {
		return err
	}
	return printMachine(w, report)
}

// printSpeedups prints how many times as fast all cores are as one, for the workloads where
// that is known.
func printSpeedups(w io.Writer, report *workload.Report) error {
	table := tabular.Table{Header: []string{"workload", workload.Speedup.Name, workload.LoopSpeedup.Name}}
	for i := range report.Workloads {
		r := &report.Workloads[i]
		if _, ok := r.Median(workload.Speedup); ok {
			table.Rows = append(table.Rows, []string{r.Name, interval(r, workload.Speedup), interval(r, workload.LoopSpeedup)})
		}
	}
	if len(table.Rows) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return shell.WriteTable(w, table)
}

// printMachine prints the program that was measured, and the machine.
func printMachine(w io.Writer, report *workload.Report) error {
	m := &report.Machine
	work := "all of the work"
	if report.Part > 1 {
		work = fmt.Sprintf("1/%d of the work", report.Part)
	}
	_, err := fmt.Fprintf(w, "\n%s/%s, GOMAXPROCS=%d, %s, starling %s; %s\n", m.OS, m.Architecture, m.Processors, m.Go, m.Starling, work)
	return err
}

// median is the median of a quantity.
func median(r *workload.Result, q workload.Quantity) string {
	s, ok := r.Median(q)
	if !ok {
		return none
	}
	return threeFigures(s.Center)
}

// interval is the median with the reach of its confidence interval.
func interval(r *workload.Result, q workload.Quantity) string {
	s, ok := r.Median(q)
	if !ok {
		return none
	}
	return threeFigures(s.Center) + " ± " + s.PctRangeString()
}

// peakMemory is the median of the peak memory.
func peakMemory(r *workload.Result) string {
	s, ok := r.Median(workload.Peak)
	if !ok {
		return none
	}
	return forecast.FormatBytes(int64(s.Center))
}

// threeFigures is a number in three figures.
func threeFigures(x float64) string {
	for digits, least := range []float64{100, 10, 1} {
		if x >= least {
			return strconv.FormatFloat(x, 'f', digits, 64)
		}
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// printChanges prints the differences of the report from the baseline, a workload a row.
func printChanges(w io.Writer, report, baseline *workload.Report) error {
	compared := workload.Quantities()
	table := tabular.Table{Header: []string{"workload", "processor before, ns", "now, ns"}}
	for _, q := range compared {
		table.Header = append(table.Header, q.Name)
	}
	for i := range report.Workloads {
		r := &report.Workloads[i]
		before := baseline.Of(r.Name)
		if before == nil {
			row := []string{r.Name, none, median(r, workload.Processor)}
			for range compared {
				row = append(row, none)
			}
			table.Rows = append(table.Rows, row)
			continue
		}
		row := []string{r.Name, median(before, workload.Processor), median(r, workload.Processor)}
		for _, q := range compared {
			text := none
			if change, ok := r.Compare(before, q); ok {
				text = change.Text()
			}
			row = append(row, text)
		}
		table.Rows = append(table.Rows, row)
	}
	if err := shell.WriteTable(w, table); err != nil {
		return err
	}
	return printMachine(w, report)
}
