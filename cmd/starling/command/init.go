package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"starling/actors/atomicfile"
	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/guide"
)

// newInit is the verb init.
func (p program) newInit() *cobra.Command {
	var set []string
	var data string
	var force bool
	var asJSON *bool
	choice := guide.Choice{Kinds: map[string]string{}}
	kinds := map[string]*string{}
	cmd := &cobra.Command{
		Use:   "init FILE --algorithm A --problem P",
		Short: "Write a new scenario with comments on every option",
		Long: `Write a scenario that runs: an algorithm and a problem that go together, with
topology, mechanism and values as in their examples. Comments describe every
option, with unit, limits and default; options that are not needed stand in comments. For
a problem that reads your file, --file names it: of the problem table the
columns of parties and labels are guessed by their names, and comments say so; --set
problem.party=COLUMN and --set problem.label=COLUMN name them.

Exit status: 0 done, 2 bad input, such as kinds that do not go together, or a file that
already exists; then nothing is written.`,
		Example: `  starling init my.yaml --algorithm dpdonc --problem logistic
  starling init my.yaml --algorithm dpfl --problem table --file mine.csv
  starling init my.yaml --algorithm ofl --problem images --mechanism toeplitz --set nodes=5`,
		Args: shell.Exactly(1, "the name of a file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for section, name := range kinds {
				if *name != "" {
					choice.Kinds[section] = *name
				}
			}
			list, err := shell.Overrides(set)
			if err != nil {
				return err
			}
			choice.Path, choice.Values = args[0], list
			return p.begin(cmd, choice, data, force, *asJSON)
		},
	}
	for _, section := range []string{"algorithm", "problem", "topology", "mechanism", "network"} {
		kinds[section] = cmd.Flags().String(section, "", "the kind of the "+section+usualKind(section))
	}
	cmd.Flags().StringVar(&choice.File, "file", "", "the file that the problem reads")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite a file that is there")
	cmd.Flags().StringArrayVar(&set, "set", nil, "another value than the examples have, path=value in YAML; repeatable")
	shell.AddDataFlag(cmd, &data)
	asJSON = shell.AddJSON(cmd, "file, kinds (by section) and command, which runs it")
	return cmd
}

// usualKind describes the default of a flag of init.
func usualKind(section string) string {
	switch section {
	case "topology", "mechanism":
		return "; default: the one of the algorithm's example"
	case "network":
		return "; default: ideal"
	}
	return ""
}

// begin writes a new scenario.
func (p program) begin(cmd *cobra.Command, choice guide.Choice, data string, force, asJSON bool) error {
	if _, err := os.Stat(choice.Path); !force && !errors.Is(err, fs.ErrNotExist) {
		return document.BadInput(fmt.Errorf("%s already exists; --force overwrites it", choice.Path))
	}
	g, err := guide.New(p.Kinds)
	if err != nil {
		return err
	}
	text, err := g.Begin(p.Loader(data), choice)
	if err != nil {
		return document.BadInput(err)
	}
	if err := atomicfile.Put(choice.Path, text); err != nil {
		return err
	}
	if asJSON {
		return shell.WriteJSON(cmd.OutOrStdout(), struct {
			File    string            `json:"file"`
			Kinds   map[string]string `json:"kinds"`
			Command string            `json:"command"`
		}{choice.Path, choice.Kinds, "starling run " + document.Word(choice.Path)})
	}
	_, err = shell.Printf(cmd.OutOrStdout(), "%s is written; run it with: starling run %s\n", choice.Path, document.Word(choice.Path))
	return err
}
