package inspect

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/export"
)

// newExport is the verb export. It reads the Parquet files of a run and prints them row
// by row, so that a run of any size takes little memory.
func newExport() *cobra.Command {
	var format string
	var summary bool
	cmd := &cobra.Command{
		Use:   "export RUN --format csv",
		Short: "Print the metrics of a run as CSV",
		Long: `Print the metrics of a run, the folder that holds its manifest.json, as
arm,seed,step,node,metric,value. The node is empty for metrics of a whole run.
With --summary, print arm,step,metric,mean,se,n instead: means over the seeds
with their standard errors, and statistics over seeds such as regret.expected.`,
		Example: `  starling export results/dpdonc-localization/0123456789ab --format csv > metrics.csv`,
		Args:    shell.Exactly(1, "the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "csv" {
				return shell.Usage(fmt.Errorf("unknown format %q; known: csv", format))
			}
			run, err := results.Open(args[0])
			if err != nil {
				return document.BadInput(err)
			}
			w := bufio.NewWriter(cmd.OutOrStdout())
			table := export.Rows
			if summary {
				table = export.Summary
			}
			if err := table(w, run); err != nil {
				return err
			}
			return w.Flush()
		},
	}
	cmd.Flags().StringVar(&format, "format", "csv", "the format: csv")
	cmd.Flags().BoolVar(&summary, "summary", false, "means and standard errors over the seeds")
	return cmd
}
