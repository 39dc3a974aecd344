package inspect

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/results"
)

// newExport is the verb export. It reads the Parquet files of a run and prints them row
// by row, so that a run of any size takes little memory.
func newExport() *cobra.Command {
	var format, folder string
	var summary bool
	var asJSON *bool
	cmd := &cobra.Command{
		Use:   "export RUN --format csv",
		Short: "Print the metrics of a run as CSV or JSON",
		Long: `Print the metrics of a run as arm,seed,step,node,metric,value. The node is empty for metrics of a whole run.
With --summary, print arm,step,metric,mean,se,n instead: means over the seeds
with their standard errors, and statistics over seeds such as regret.expected.

With --json, or --format json, print an array of objects whose fields are the same
words; the node of a metric of the whole run is null, and so are numbers that are
infinite or undefined, which CSV tells apart.

` + shell.NamesOfRuns,
		Example: `  starling export dpdonc-localization --format csv > metrics.csv`,
		Args:    shell.Exactly(1, "the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if *asJSON {
				format = "json"
			}
			form, ok := exports[format]
			if !ok {
				return shell.Usage(fmt.Errorf("unknown format %q; known: csv, json", format))
			}
			run, err := shell.OpenRun(cmd, folder, args[0])
			if err != nil {
				return err
			}
			tellFailed(cmd, run)
			w := bufio.NewWriter(cmd.OutOrStdout())
			write := form.rows
			if summary {
				write = form.summary
			}
			if err := write(w, run); err != nil {
				return err
			}
			return w.Flush()
		},
	}
	cmd.Flags().StringVar(&format, "format", "csv", "the format: csv or json")
	cmd.Flags().BoolVar(&summary, "summary", false, "means and standard errors over the seeds")
	shell.AddResults(cmd, &folder)
	asJSON = shell.AddJSON(cmd, "an array of objects with arm, seed, step, node, metric and value; with --summary arm, step, metric, mean, se and n")
	return cmd
}

// exports write the metrics of a run, by format.
var exports = map[string]struct {
	rows, summary func(io.Writer, *results.Run) error
}{
	"csv":  {results.ExportRows, results.ExportSummary},
	"json": {exportRows, exportSummary},
}

// exportRows writes the rows of a run as an array, a row a line.
func exportRows(w io.Writer, run *results.Run) error {
	list := array{w: w}
	err := run.Rows(func(row results.Row) error {
		return list.add(struct {
			Arm    string       `json:"arm"`
			Seed   uint64       `json:"seed"`
			Step   int64        `json:"step"`
			Node   *int32       `json:"node"`
			Metric string       `json:"metric"`
			Value  shell.Number `json:"value"`
		}{row.Arm, row.Seed, row.Step, row.Node, row.Metric, shell.Number(row.Value)})
	})
	return errors.Join(err, list.end())
}

// exportSummary writes the summary of a run as an array.
func exportSummary(w io.Writer, run *results.Run) error {
	list := array{w: w}
	err := run.Summary(func(row results.SummaryRow) error {
		return list.add(struct {
			Arm    string       `json:"arm"`
			Step   int64        `json:"step"`
			Metric string       `json:"metric"`
			Mean   shell.Number `json:"mean"`
			SE     shell.Number `json:"se"`
			N      int64        `json:"n"`
		}{row.Arm, row.Step, row.Metric, shell.Number(row.Mean), shell.Number(row.SE), row.N})
	})
	return errors.Join(err, list.end())
}

// array is a JSON array that is written value by value, a value a line: a run may be larger
// than memory.
type array struct {
	w     io.Writer
	count int
}

func (a *array) add(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	before := "["
	if a.count > 0 {
		before = ","
	}
	a.count++
	_, err = fmt.Fprintf(a.w, "%s\n%s", before, text)
	return err
}

func (a *array) end() error {
	text := "\n]\n"
	if a.count == 0 {
		text = "[]\n"
	}
	_, err := io.WriteString(a.w, text)
	return err
}
