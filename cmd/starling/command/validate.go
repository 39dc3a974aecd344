package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/study"
	"starling/scenarios/study/arms"
	"starling/scenarios/view"
)

// newValidate is the verb validate. It does all that run does before the first step, and
// looks at more graphs.
func (p program) newValidate() *cobra.Command {
	var set []string
	var data string
	var asJSON *bool
	cmd := &cobra.Command{
		Use:   "validate SCENARIO|FILE|-",
		Short: "Check a scenario without running it",
		Long: `Check a scenario and all its arms without running it: keys, types and ranges, and whether
weights, graphs, set and divergence fit the algorithm. Every error is printed with its
place, file:line:column.

Random graphs are checked under the first seed, up to 16 million nodes and edges. A run
checks every graph under every seed, and fails at the first error.

SCENARIO can be '-': the scenario is then read from standard input, as if it were a file
in this folder.

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
			if err := checkGraphs(cmd, scenario); err != nil {
				return err
			}
			if *asJSON {
				return shell.WriteJSON(cmd.OutOrStdout(), validated(scenario))
			}
			err = shell.WriteText(cmd.OutOrStdout(), "", fmt.Sprintf("%s is valid: %s, %s", scenario.Name,
				document.Counted(len(scenario.Arms), "arm"), document.Counted(scenario.Seeds.Count, "seed")))
			if err != nil {
				return err
			}
			return outcomeRemarks(cmd.OutOrStdout(), scenario)
		},
	}
	shell.AddOverrides(cmd, &set)
	shell.AddDataFlag(cmd, &data)
	asJSON = shell.AddJSON(cmd, "scenario, arms (names), seeds, steps of the longest arm, and warnings; problems are printed by --errors json")
	return cmd
}

// checkGraphs checks the graphs of a scenario, and shows the work on standard error where that
// takes long.
func checkGraphs(cmd *cobra.Command, s *study.Scenario) error {
	defer shell.ShowWork(cmd, s.Board)()
	return arms.CheckGraphs(cmd.Context(), s, true)
}

// validity describes a scenario that can run, for a program.
type validity struct {
	Scenario string   `json:"scenario"`
	Arms     []string `json:"arms"`
	Seeds    int      `json:"seeds"`
	Steps    int      `json:"steps"`
	Warnings []string `json:"warnings"`
}

func validated(s *study.Scenario) validity {
	v := validity{Scenario: s.Name, Arms: []string{}, Seeds: s.Seeds.Count, Warnings: []string{}}
	for _, arm := range s.Arms {
		v.Arms, v.Steps = append(v.Arms, arm.Name), max(v.Steps, arm.File.Horizon)
	}
	v.Warnings = append(v.Warnings, view.RemarkLines(s, loading.Remarks(s))...)
	return v
}
