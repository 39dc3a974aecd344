package command

import (
	"github.com/spf13/cobra"

	"starling/actors/atomicfile"
	"starling/cmd/starling/command/shell"
	"starling/scenarios/loading"
)

// newSchema is the verb schema. The schema is generated from the same tags by which files
// are decoded, so that an editor and the loader agree.
func (p program) newSchema() *cobra.Command {
	var out string
	var asJSON *bool
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenario files, for editors",
		Long: `Print the JSON Schema (draft 2020-12) of scenario files. An editor that has it
completes keys and kinds, explains them, and marks faults as they are typed:
unknown keys, missing ones, wrong types, and values out of fixed limits. Rules
over several values are left to 'starling validate'.

Editors with the YAML language server (VS Code with the extension "YAML" by Red
Hat, Neovim, Helix) read the schema that the first line of a scenario names, by
its path from the scenario:

  # yaml-language-server: $schema=scenario.schema.json

In VS Code, settings.json can name it for all files of a folder instead:

  "yaml.schemas": {"./scenario.schema.json": "studies/*.yaml"}`,
		Example: `  starling schema --out studies/scenario.schema.json
  starling schema | jq '."$defs".topology.oneOf[].title'`,
		Args: shell.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := loading.SchemaOf(p.Kinds)
			if err != nil {
				return err
			}
			if out != "" {
				if err := atomicfile.Put(out, text); err != nil || !*asJSON {
					return err
				}
				return shell.WriteJSON(cmd.OutOrStdout(), map[string]string{"file": out})
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the file to write; default: print it")
	asJSON = shell.AddJSON(cmd, "the schema, which is JSON without it, too; with --out, file")
	return cmd
}
