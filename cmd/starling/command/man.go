package command

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"starling/actors/atomicfile"
	"starling/cmd/starling/command/shell"
)

// newMan is the verb man.
func newMan() *cobra.Command {
	var asJSON *bool
	cmd := &cobra.Command{
		Use:   "man DIR",
		Short: "Write manual pages of all verbs and topics",
		Long: `Write pages for man(1) into a folder: DIR/man1 has one of each verb, and DIR/man7 one of
each topic of help, with the texts that help prints. A folder of the search path of man,
such as ~/.local/share/man, makes 'man starling-run' and 'man starling-privacy' work; so
does 'man -l DIR/man1/starling-run.1'. Files of these names are replaced.`,
		Example: "  starling man ~/.local/share/man",
		Args:    shell.Exactly(1, "the folder to write to"),
		RunE: func(cmd *cobra.Command, args []string) error {
			pages, err := writeManual(cmd.Root(), args[0])
			if err != nil {
				return err
			}
			if *asJSON {
				return shell.WriteJSON(cmd.OutOrStdout(), struct {
					Folder string   `json:"folder"`
					Pages  []string `json:"pages"`
				}{args[0], pages})
			}
			_, err = shell.Printf(cmd.OutOrStdout(), "%d pages in %s; read one with: man -l %s\n", len(pages), args[0], filepath.Join(args[0], "man1", "starling.1"))
			return err
		},
	}
	asJSON = shell.AddJSON(cmd, "folder, and pages, their paths in the folder")
	return cmd
}

// writeManual writes the pages and returns their paths in the folder.
func writeManual(root *cobra.Command, dir string) (pages []string, err error) {
	root.InitDefaultHelpFlag()
	write := func(name string, section int, text string) error {
		path := filepath.Join(fmt.Sprintf("man%d", section), fmt.Sprintf("%s.%d", name, section))
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o755); err != nil {
			return err
		}
		pages = append(pages, filepath.ToSlash(path))
		return atomicfile.Put(filepath.Join(dir, path), []byte(text))
	}
	var verbs func(cmd *cobra.Command) error
	verbs = func(cmd *cobra.Command) error {
		topic := topicsOf[cmd.Name()]
		if topic != "" {
			topic = "starling-" + topic
		}
		if err := write(shell.ManualName(cmd.CommandPath()), shell.VerbSection, shell.ManualVerb(cmd, shell.Version, topic)); err != nil {
			return err
		}
		for _, sub := range cmd.Commands() {
			if !sub.IsAvailableCommand() && sub.Name() != "help" {
				continue
			}
			if err := verbs(sub); err != nil {
				return err
			}
		}
		return nil
	}
	if err := verbs(root); err != nil {
		return nil, err
	}
	for _, name := range topics {
		source, err := topicText(name)
		if err != nil {
			return nil, err
		}
		text, err := shell.ManualTopic("starling-"+name, shell.Version, source)
		if err != nil {
			return nil, err
		}
		if err := write("starling-"+name, shell.TopicSection, text); err != nil {
			return nil, err
		}
	}
	return pages, nil
}
