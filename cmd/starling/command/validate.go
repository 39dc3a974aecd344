package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/show"
	"starling/scenarios/study"
)

// newValidate is the verb validate. It does all that run does before the first step, and
// looks at more graphs.
func (p program) newValidate() *cobra.Command {
	var set []string
	var data string
	cmd := &cobra.Command{
		Use:   "validate SCENARIO|FILE|-",
		Short: "Check a scenario without running it",
		Long: `Check a scenario with all its arms: its keys, types and ranges, and that its
weights, graphs, set and divergence are what the algorithm needs. Every problem
is printed with its place, file:line:column.

Graphs that are drawn anew in the course of a run are looked at under the first
seed, over as many first steps as have 16 million nodes and edges together. A run
checks every graph of every seed as it comes to it, and fails at the first fault.

For '-' the scenario is read from standard input, as one of a file in this folder.

Exit status: 0 the scenario can run, 2 it cannot.`,
		Example: `  starling validate my.yaml
  starling validate dpdonc-localization --set mechanism.epsilon=2`,
		Args: shell.Exactly(1, "the name of a scenario or a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := shell.Overrides(set)
			if err != nil {
				return err
			}
			scenario, err := shell.Load(cmd, p.Loader(data), args[0], list...)
			if err != nil {
				return err
			}
			if err := study.CheckGraphs(scenario, true); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is valid: %s, %s\n", scenario.Name,
				show.Counted(len(scenario.Arms), "arm"), show.Counted(scenario.Seeds.Count, "seed"))
			if err != nil {
				return err
			}
			return writeRemarks(cmd.OutOrStdout(), scenario)
		},
	}
	shell.AddOverrides(cmd, &set)
	shell.AddDataFlag(cmd, &data)
	return cmd
}
