// Package inspect has the verbs about finished runs: they print, compare and draw results,
// play a node's turns again, and audit the claims of a scenario. They write nothing into a
// folder of results. Other verbs (FolderVerbs) are about the runs in a folder of results: the
// list of runs with their progress, their tags and notes, their disk space, and their removal.
// The verbs that make runs, and the root of all verbs, are in package command.
package inspect

import (
	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/results"
)

// program is the command with the kinds that its scenarios can name.
type program struct{ shell.Program }

// tellFailed says on standard error which arms the runs are without.
func tellFailed(cmd *cobra.Command, runs ...*results.Run) {
	for _, run := range runs {
		if text := run.Manifest.Failed(); text != "" {
			shell.Printf(cmd.ErrOrStderr(), "warning: %s: %s\n", run.Dir, text)
		}
	}
}

// Verbs returns the verbs of this package for a program.
func Verbs(shared shell.Program) []*cobra.Command {
	p := program{shared}
	return []*cobra.Command{
		newExport(), p.newTable(), p.newCompare(), p.newPlot(), p.newPrivacy(), p.newAudit(), p.newReplay(), p.newReport(),
	}
}
