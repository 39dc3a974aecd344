package inspect

import (
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/runs"
)

// newNote is the verb note.
func newNote() *cobra.Command {
	var out string
	var asJSON *bool
	cmd := &cobra.Command{
		Use:   "note RUN [TEXT]",
		Short: "Give a run a note, or print the one that it has",
		Long: `Give a run a note of a sentence or more, in place of the one that it has, or print it.
An empty TEXT, "", takes the note away. Nothing of a run depends on its note: it is in
the file ` + results.NoteFile + ` of its folder. 'starling runs', 'show' and 'report' show it.

` + oneRun,
		Example: "  starling note last 'epsilon 1 is too little for a ring'\n  starling note dpdonc-localization\n  starling runs --search ring",
		Args:    shell.AtLeast(1, "a run and perhaps a text"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := runs.Find(out, args[0])
			if err != nil {
				return document.BadInput(err)
			}
			note, err := runs.Note(r.Dir)
			if len(args) > 1 { // a note that cannot be read is replaced
				note = strings.TrimSpace(strings.Join(args[1:], " "))
				if err := runs.CheckNote(note); err != nil {
					return shell.Usage(err)
				}
				err = runs.SetNote(r.Dir, note)
			}
			if err != nil {
				return err
			}
			if *asJSON {
				return shell.WriteJSON(cmd.OutOrStdout(), struct {
					Folder string `json:"folder"`
					Note   string `json:"note"`
				}{r.Dir, note})
			}
			switch w := cmd.OutOrStdout(); {
			case note != "":
				return shell.WriteText(w, "", note)
			case len(args) > 1:
				return shell.WriteText(cmd.ErrOrStderr(), "starling: ", r.Dir+": the note is taken away")
			default:
				return shell.WriteText(cmd.ErrOrStderr(), "starling: ", r.Dir+" has no note. starling note "+document.Word(args[0])+" TEXT gives it one")
			}
		},
	}
	shell.AddResultsAsOut(cmd, &out)
	asJSON = shell.AddJSON(cmd, "folder and note, empty for none")
	return cmd
}
