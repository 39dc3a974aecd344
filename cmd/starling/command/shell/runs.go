package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/results/runs"
)

// UsualResults is the folder in which runs are made and looked for.
const UsualResults = "results"

// NamesOfRuns is a paragraph for the help of verbs that take a run.
const NamesOfRuns = `A RUN is the path of its folder, the name of its scenario, a tag, the beginning of its
hash, 'last', or the folder directly above. If several runs fit, the newest is taken, and
standard error names it.`

// AddResults adds --results, the folder of runs that are named otherwise than by a path.
func AddResults(cmd *cobra.Command, folder *string) {
	cmd.Flags().StringVar(folder, "results", UsualResults, "the folder of all results, where RUN is no path")
}

// AddResultsAsOut adds --out for the same folder to a verb that writes no file; --results is
// another name for it.
func AddResultsAsOut(cmd *cobra.Command, folder *string) {
	cmd.Flags().StringVar(folder, "out", UsualResults, "the folder of all results, where RUN is no path; also as --results")
	Synonyms(cmd.Flags(), map[string]string{"results": "out"})
}

// FindRun returns the folder of the run that an argument of a reading verb means. If it means
// several, standard error says which of them it is. An argument that means none is bad input.
func FindRun(cmd *cobra.Command, folder, text string) (dir string, err error) {
	r, fit, err := runs.Newest(folder, text)
	switch {
	case errors.Is(err, runs.ErrNone):
		if named := unrun(cmd, folder, text); named != nil {
			return "", document.BadInput(named)
		}
		return missing(text, err)
	case err != nil:
		return "", document.BadInput(err)
	case fit > 1:
		TellNewest(cmd, text, fit, r.Dir)
	case filepath.Clean(text) == r.Dir:
		return text, nil // as it was written
	}
	return r.Dir, nil
}

// TellNewest says on standard error which of several runs an argument is taken to mean.
func TellNewest(cmd *cobra.Command, text string, fit int, dir string) {
	Printf(cmd.ErrOrStderr(), "%s: the newest of %s, %s\n", text, document.Counted(fit, "run"), dir)
}

// MeansRun reports whether an argument means a run.
func MeansRun(folder, text string) bool {
	_, _, err := runs.Newest(folder, text)
	return err == nil
}

// unrun is the error of an argument that names a scenario without a run: the command that makes one and,
// for the verb privacy, the one that accounts for it before. It is nil for other arguments.
func unrun(cmd *cobra.Command, folder, text string) error {
	if info, err := os.Stat(text); !slices.Contains(loading.Library(), text) && (err != nil || !info.Mode().IsRegular()) {
		return nil
	}
	name, hint := document.Word(text), ""
	if cmd.Name() == "privacy" {
		hint = fmt.Sprintf("; account for a run that is planned: starling run %s --dry-run", name)
	}
	return fmt.Errorf("%s has no run in %s; make one: starling run %s%s%s", text, folder, name, OutFlag(folder), hint)
}

// OutFlag is the flag, after a blank, by which a printed command makes a run in a folder; empty for the
// usual folder.
func OutFlag(folder string) string {
	if folder == UsualResults {
		return ""
	}
	return " --out " + document.Word(folder)
}

// missing is the error of an argument that means no run: of its folder, where there is one, and
// of all names.
func missing(text string, none error) (string, error) {
	_, err := results.OpenUnverified(text, -1)
	if err == nil {
		return text, nil // a run, though nothing of it but its seal shows that
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, absent := os.Stat(text); errors.Is(absent, fs.ErrNotExist) {
			return "", document.BadInput(none) // there is no folder to say more of
		}
	}
	if entries, listed := os.ReadDir(text); listed == nil && len(entries) == 0 {
		return "", document.BadInput(fmt.Errorf("%s: an empty folder, which has no run; 'starling runs' lists the runs", text))
	}
	return "", document.BadInput(fmt.Errorf("%w\n%w", err, none))
}

// OpenRun opens the run that an argument of a reading verb means, as FindRun has it.
func OpenRun(cmd *cobra.Command, folder, text string) (*results.Run, error) {
	dir, err := FindRun(cmd, folder, text)
	if err != nil {
		return nil, err
	}
	run, err := results.Open(dir)
	if err != nil {
		return nil, document.BadInput(err)
	}
	return run, nil
}

// OpenRuns opens the runs that arguments mean.
func OpenRuns(cmd *cobra.Command, folder string, texts []string) (list []*results.Run, err error) {
	for _, text := range texts {
		run, err := OpenRun(cmd, folder, text)
		if err != nil {
			return nil, err
		}
		list = append(list, run)
	}
	return list, nil
}

// FindScenario returns the scenario that an argument means: a name of the library or a file as
// it is, or the file of a run's, with the folder of the run. An argument that means none is
// returned as it is: reading it reports the error. No file is read.
func FindScenario(cmd *cobra.Command, folder, text string) (nameOrFile, dir string, err error) {
	if slices.Contains(loading.Library(), text) {
		return text, "", nil
	}
	info, absent := os.Stat(text)
	if absent == nil && !info.IsDir() {
		return text, "", nil
	}
	dir, err = FindRun(cmd, folder, text)
	switch {
	case errors.Is(err, runs.ErrNone) && absent != nil:
		return text, "", nil
	case err != nil:
		return "", "", err
	}
	r := runs.Of(dir)
	return r.ScenarioFile(), dir, nil
}
