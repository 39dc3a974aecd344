package inspect

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results/runs"
)

// runsFlags are the flags of runs.
type runsFlags struct {
	filter   runs.Filter
	statuses []string
	where    []string
	sort     string
	reversed bool
	most     int
	since    string
	json     bool
	// all lists each run, where there are many.
	all bool
}

// grouped reports whether many runs are listed by scenario: nothing on the command line chooses or
// orders them.
func (f *runsFlags) grouped(cmd *cobra.Command, list []runRow) bool {
	chosen := slices.ContainsFunc([]string{"scenario", "where", "search", "status", "tag", "since", "sort", "reverse", "most"}, func(name string) bool { return cmd.Flags().Changed(name) })
	return len(list) > mostRows && !f.all && !chosen
}

// newRuns is the verb runs. known are the metrics of the program.
func newRuns(known metric.List) *cobra.Command {
	var flags runsFlags
	cmd := &cobra.Command{
		Use:   "runs [FOLDER...]",
		Short: "List the runs in a folder of results",
		Long: `List the runs in folders of results ("results" by default), the latest first. A row has the
scenario, the status, the values by which runs of one scenario differ, the best arm by
the headline metric, its privacy loss, the hash, the tags and the note.

status    meaning
running   a process is making it
waiting   interrupted, or its parts are not merged; the same command continues it
failed    its last start ended with an error
damaged   a file of it was deleted or changed
complete  all of it is there

--where takes a condition on a value of the scenario or of an arm, such as
'mechanism.epsilon<=1', with = != < <= > or >=. --search finds a text in the name, the
hash, a tag, the note, an arm or the scenario. --since takes a day, a time, or a span of
weeks, days, hours or minutes before now. It applies to the end of a complete run, and to
the last change of any other.

More than 40 runs are listed by scenario, unless a flag chooses or sorts them; --all
lists each run. --json prints an array with an object for each run. It adds the parameters
of arms, the parts, the digest, the reason for the status, all differing keys and the
headline.`,
		Example: `  starling runs
  starling runs --status running,failed
  starling runs results other --where mechanism.epsilon=1 --sort elapsed
  starling runs --since 3d --tag paper
  starling runs --search laplace --json`,
		RunE: func(cmd *cobra.Command, folders []string) error { return listRuns(cmd, folders, flags, known) },
	}
	cmd.Flags().StringSliceVar(&flags.statuses, "status", nil, "only runs of one of these statuses")
	cmd.Flags().StringVar(&flags.filter.Scenario, "scenario", "", "only runs of scenarios of this name; * and ? stand for others")
	cmd.Flags().StringSliceVar(&flags.filter.Tags, "tag", nil, "only runs with all of these tags")
	cmd.Flags().StringArrayVar(&flags.where, "where", nil, "only runs whose scenario meets this condition, such as horizon>=500; repeatable")
	cmd.Flags().StringVar(&flags.filter.Text, "search", "", "only runs with this text in their names or scenario")
	cmd.Flags().StringVar(&flags.since, "since", "", "only runs since a day such as 2026-11-01, or since a span ago such as 3d or 12h")
	cmd.Flags().StringVar(&flags.sort, "sort", "updated", "the column to sort by: "+strings.Join(runs.Keys(), ", "))
	cmd.Flags().BoolVar(&flags.reversed, "reverse", false, "turn the order around")
	cmd.Flags().IntVar(&flags.most, "most", 0, "print at most this many runs, 0 for all")
	cmd.Flags().BoolVar(&flags.all, "all", false, "list each run, where there are more than 40, and not their scenarios")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print JSON")
	return cmd
}

// listRuns prints the runs in folders.
func listRuns(cmd *cobra.Command, folders []string, flags runsFlags, known metric.List) error {
	for _, s := range flags.statuses {
		flags.filter.Statuses = append(flags.filter.Statuses, runs.Status(s))
	}
	for _, text := range flags.where {
		c, err := runs.ParseCondition(text)
		if err != nil {
			return shell.Usage(err)
		}
		flags.filter.Where = append(flags.filter.Where, c)
	}
	if flags.since != "" {
		var err error
		if flags.filter.Since, err = runs.ParseSince(flags.since, time.Now()); err != nil {
			return shell.Usage(fmt.Errorf("--since: %w", err))
		}
	}
	if err := errors.Join(flags.filter.Validate(), runs.Sort(nil, flags.sort, false)); err != nil {
		return shell.Usage(err)
	}
	list, others := []runs.Run{}, []runs.Run{}
	usual := len(folders) == 0
	if usual {
		folders = []string{shell.UsualResults}
	}
	for _, folder := range folders {
		found, err := runs.List(folder)
		if usual && errors.Is(err, fs.ErrNotExist) {
			err = nil // nothing has run here yet
		}
		if errors.Is(err, fs.ErrNotExist) {
			return document.BadInput(fmt.Errorf("no folder %s; --scenario %s lists the runs of a scenario", folder, filepath.Base(folder)))
		}
		if err != nil {
			return document.BadInput(err)
		}
		for i := range found {
			if flags.filter.Has(&found[i]) {
				list = append(list, found[i])
			} else {
				others = append(others, found[i])
			}
		}
	}
	if len(list) == 0 && len(others) > 0 {
		if err := flags.filter.Unknown(others); err != nil {
			return shell.Usage(fmt.Errorf("--where: %w", err))
		}
	}
	all := len(list) + len(others)
	if err := runs.Sort(list, flags.sort, flags.reversed); err != nil {
		return err
	}
	wanted := len(list)
	if flags.most > 0 {
		list = list[:min(flags.most, wanted)]
	}
	rows := rowsOf(list, known)
	if flags.json {
		return shell.WriteJSON(cmd.OutOrStdout(), rows)
	}
	if groups := grouped(rows); flags.grouped(cmd, rows) && len(groups) < len(rows) {
		return writeGroups(cmd.OutOrStdout(), groups, time.Now())
	}
	return printRuns(cmd, rows, wanted, all, folders, flags.sort)
}

// printRuns prints runs as a table. Remarks state the number of runs that the table leaves
// out, or why there is no table.
func printRuns(cmd *cobra.Command, list []runRow, wanted, all int, folders []string, sorted string) error {
	w, remarks := cmd.OutOrStdout(), cmd.ErrOrStderr()
	switch {
	case all == 0:
		shell.Printf(remarks, "There are no runs in %s; 'starling run SCENARIO' makes one.\n", strings.Join(folders, ", "))
		return nil
	case wanted == 0:
		shell.Printf(remarks, "None of %s matches.\n", document.Counted(all, "run"))
		return nil
	}
	if err := writeRuns(w, list, sorted, time.Now()); err != nil {
		return err
	}
	if len(list) < wanted {
		shell.Printf(remarks, "%d more; --most 0 prints all.\n", wanted-len(list))
	}
	return nil
}

// longestBrief is the number of letters of a note that a table has room for.
const longestBrief = 40

// brief is the beginning of the first line of a note.
func brief(note string) string {
	line, _, more := strings.Cut(note, "\n")
	if letters := []rune(line); len(letters) > longestBrief {
		line, more = strings.TrimSpace(string(letters[:longestBrief])), true
	}
	if more {
		line += "..."
	}
	return line
}

// progressOf states the progress of a run: its share of the steps, or else the number of runs
// under a seed.
func progressOf(r *runs.Run) string {
	switch {
	case r.Status == runs.Complete:
		return "100%"
	case r.Progress != nil && r.Left != nil:
		return fmt.Sprintf("%s, %s left", percent(*r.Progress), duration(*r.Left))
	case r.Progress != nil:
		return percent(*r.Progress)
	case r.Runs.Done > 0:
		return document.Counted(int(r.Runs.Done), "run")
	}
	return ""
}

// percent is a share in whole percents; only a finished share is 100%.
func percent(share float64) string {
	n := int(100 * share)
	if n == 100 && share < 1 {
		n = 99
	}
	return fmt.Sprintf("%d%%", n)
}

// count is a number, empty for 0: it is not known.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func took(seconds *float64) string {
	if seconds == nil {
		return ""
	}
	return duration(*seconds)
}

// duration is a time span, in the two largest units.
func duration(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%ds", int(d.Seconds()+0.5))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%02dh", int(d.Hours())/24, int(d.Hours())%24)
}

// ago is a time: the time of a day that is near, else the date.
func ago(at, now time.Time) string {
	switch age := now.Sub(at); {
	case at.IsZero():
		return ""
	case age < 12*time.Hour:
		return at.Local().Format("15:04")
	}
	return at.Local().Format("2006-01-02")
}
