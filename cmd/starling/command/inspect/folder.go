package inspect

import (
	"github.com/spf13/cobra"

	"starling/scenarios/metric"
)

// FolderVerbs returns the verbs about folders of runs. known are the metrics of the program.
func FolderVerbs(known metric.List) []*cobra.Command {
	return []*cobra.Command{newRuns(known), newWatch(), newTag(), newNote(), newRemove(), newUsage()}
}

// oneRun is a paragraph for the help of verbs that change a run.
const oneRun = `A RUN is the path of its folder, the name of its scenario, a tag, the beginning of its
hash, 'last', or the folder directly above. A name that fits several runs is refused.`
