// Package observe has the verbs about the runs in a folder of results: the list of runs with
// their progress, their tags, their disk space, and their removal. They read the folders of
// runs and make no run.
package observe

import (
	"github.com/spf13/cobra"
)

// Verbs returns the verbs of this package.
func Verbs() []*cobra.Command {
	return []*cobra.Command{newRuns(), newWatch(), newTag(), newRemove(), newUsage()}
}

// usualFolder is the folder in which runs are looked for: run writes them there.
const usualFolder = "results"
