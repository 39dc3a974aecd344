// Package observe has the verbs about the runs in a folder of results: which there are and
// how far they have come, what people call them, what they take of the disk, and how to be
// rid of one. They read what runs have left and make none.
package observe

import (
	"github.com/spf13/cobra"
)

// Verbs returns the verbs of this package.
func Verbs() []*cobra.Command {
	return []*cobra.Command{newRuns(), newWatch(), newTag(), newRemove(), newUsage()}
}

// usualFolder is where runs are looked for, as it is where run writes them.
const usualFolder = "results"
