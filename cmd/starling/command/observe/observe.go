// Package observe has the verbs about the runs in a folder of results: the list of runs with
// their progress, their tags and notes, their disk space, and their removal. They read the folders of
// runs and make no run.
package observe

import (
	"github.com/spf13/cobra"

	"starling/scenarios/metric"
)

// Verbs returns the verbs of this package. known are the metrics of the program.
func Verbs(known metric.List) []*cobra.Command {
	return []*cobra.Command{newRuns(known), newWatch(), newTag(), newNote(), newRemove(), newUsage()}
}

// oneRun is a paragraph for the help of verbs that change a run.
const oneRun = `A RUN is the path of its folder, the name of its scenario, a tag, the beginning of
its hash, 'last', or the folder directly above; what means several runs is refused.`
