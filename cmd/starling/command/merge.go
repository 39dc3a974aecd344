package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/jobs"
	"starling/scenarios/results/runs"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// newMerge is the verb merge.
func (p program) newMerge() *cobra.Command {
	var out, data string
	var quiet, again bool
	var asJSON *bool
	cmd := &cobra.Command{
		Use:   "merge FOLDER...",
		Short: "Put the parts of a run together",
		Long: `Put together the parts that 'starling run --part K/N' has made, on one
machine or on many: each FOLDER is the folder of a part, or has such in it; the name, a tag
or the hash of a run in OUT stands for its folder. The results, in OUT/NAME/HASH,
have the digest and the data files of a run of all on one machine.

All parts have to be there and finished, of one scenario, divided alike, and made by
this build of the program; missing parts are named, with the command that makes them.
The parts stay as they are: once they are together they can be removed.

Exit status: 0 done, 1 it or an arm failed, 2 bad input (nothing is written).`,
		Example: `  starling merge results
  starling merge machine1/results machine2/results --out results`,
		Args: shell.AtLeast(1, "the folder of a part, or one that has parts in it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if *asJSON && quiet {
				return shell.Usage(errors.New("merge prints --json or --quiet"))
			}
			options, err := runOptions(runFlags{out: out, again: again, engine: string(runner.Actors)})
			if err != nil {
				return err
			}
			dirs, err := partFolders(out, args)
			if err != nil {
				return err
			}
			o, err := runner.Merge(cmd.Context(), dirs, p.Loader(data), options)
			if err != nil {
				return err
			}
			return p.writeOutcome(cmd, o, outcomeForm{JSON: *asJSON, Quiet: quiet})
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "the folder of all results")
	shell.AddDataFlag(cmd, &data)
	cmd.Flags().BoolVar(&again, "again", false, "put the parts together even if the results are there, and replace them")
	cmd.Flags().BoolVar(&quiet, "quiet", false, "print nothing but the path of the results folder")
	asJSON = shell.AddJSON(cmd, "folder, digest, existing, resumed, adopted, from, warnings and failures, as 'starling run --json'")
	return cmd
}

// partFolders returns the folders that arguments of merge mean. A path that is there is taken as
// it is, and so is a text that means no run: merging reports the error.
func partFolders(out string, args []string) ([]string, error) {
	dirs := slices.Clone(args)
	for i, text := range dirs {
		if _, err := os.Stat(text); err == nil {
			continue
		}
		r, err := runs.Find(out, text)
		switch {
		case err == nil:
			dirs[i] = r.Dir
		case !errors.Is(err, runs.ErrNone):
			return nil, document.BadInput(err)
		}
	}
	return dirs, nil
}

// printPart prints the outcome of a part of a run.
func printPart(w io.Writer, s *study.Scenario, part jobs.Share, o *runner.Outcome) error {
	count := len(part.Of(s))
	if o.Existing {
		fmt.Fprintln(w, "These results existed already; --again runs the part again.")
	}
	if o.Adopted > 0 {
		shell.Printf(w, "%s of %d existed already.\n", document.Counted(o.Adopted, "run"), count)
	}
	for i := range o.Failures {
		shell.Printf(w, "failed: %s; the arm will be left out\n", o.Failures[i].String())
	}
	_, err := shell.Printf(w, "part %s of %s: %s of %d\npart    %s\n", part, s.Name, document.Counted(count, "run"), jobs.Count(s), o.Dir)
	return err
}
