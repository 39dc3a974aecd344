package inspect

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/forecast"
	"starling/scenarios/results/runs"
	"starling/scenarios/results/tabular"
)

// newTag is the verb tag.
func newTag() *cobra.Command {
	var out string
	var gone []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "tag RUN [TAG...]",
		Short: "Give a run tags, or print those that it has",
		Long: `Give a run tags, words without spaces and commas, or take some away, and print those
that it has then. RUN is the path of a folder, the beginning of a hash, a tag or the
name of a scenario. Nothing of a run depends on its tags: they are in the file tags.txt
of its folder, a line each.`,
		Example: "  starling tag dpdonc-localization paper figure-1\n  starling tag ee14 --remove figure-1\n  starling runs --tag paper",
		Args:    shell.AtLeast(1, "a run and perhaps tags"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := runs.Find(out, args[0])
			if err != nil {
				return document.BadInput(err)
			}
			tags := slices.Concat(r.Tags, args[1:])
			for _, tag := range gone {
				if !slices.Contains(tags, tag) {
					return shell.Usage(fmt.Errorf("the run has no tag %q%s", tag, document.Suggest(tag, r.Tags, "")))
				}
			}
			tags = slices.DeleteFunc(tags, func(tag string) bool { return slices.Contains(gone, tag) })
			for _, tag := range tags {
				if err := runs.CheckTag(tag); err != nil {
					return shell.Usage(err)
				}
			}
			if len(args) > 1 || len(gone) > 0 {
				if err := runs.SetTags(r.Dir, tags); err != nil {
					return err
				}
			}
			if tags, err = runs.Tags(r.Dir); err != nil {
				return err
			}
			if asJSON {
				return shell.WriteJSON(cmd.OutOrStdout(), tags)
			}
			if len(tags) == 0 {
				shell.Printf(cmd.OutOrStdout(), "%s has no tags\n", r.Dir)
			}
			for _, tag := range tags {
				shell.Printf(cmd.OutOrStdout(), "%s\n", tag)
			}
			return nil
		},
	}
	shell.AddResultsAsOut(cmd, &out)
	cmd.Flags().StringSliceVar(&gone, "remove", nil, "take this tag away; repeatable")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the tags as a JSON array")
	return cmd
}

// removeFlags are the flags of rm.
type removeFlags struct {
	out      string
	statuses []string
	yes      bool
	json     bool
}

// newRemove is the verb rm.
func newRemove() *cobra.Command {
	var flags removeFlags
	cmd := &cobra.Command{
		Use:   "rm RUN...",
		Short: "Remove runs from a folder of results",
		Long: `Remove runs. Their folders go, too, but for files that no run has written, which
stay. --status removes all runs of a status instead. The runs to remove are
printed, and on a terminal you are asked; elsewhere nothing is removed without
--yes. A run that a process is at work on is refused, and then none is removed.

` + oneRun + `

Exit status: 0 removed, 1 not removed, 2 bad input.`,
		Example: "  starling rm ee14dffc2182\n  starling rm --status failed,damaged --out results --yes",
		RunE:    func(cmd *cobra.Command, args []string) error { return remove(cmd, args, flags) },
	}
	shell.AddResultsAsOut(cmd, &flags.out)
	cmd.Flags().StringSliceVar(&flags.statuses, "status", nil, "remove all runs of these statuses instead")
	cmd.Flags().BoolVar(&flags.yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print the folders that were removed, as a JSON array; needs --yes")
	return cmd
}

// remove removes runs: all or none of them, as far as their state shows before.
func remove(cmd *cobra.Command, args []string, flags removeFlags) error {
	switch {
	case len(args) > 0 == (len(flags.statuses) > 0):
		return shell.Usage(errors.New("rm takes one or more runs, or --status"))
	case flags.json && !flags.yes:
		return shell.Usage(errors.New("rm --json asks nothing, and needs --yes"))
	}
	list, err := doomed(args, flags)
	if err != nil {
		return err
	}
	dirs := []string{}
	table := tabular.Table{Header: []string{"scenario", "run", "status", "size", "folder"}}
	total := int64(0)
	for i := range list {
		r := &list[i]
		if r.Status == runs.Running {
			return fmt.Errorf("%s: %w; nothing was removed", r.Dir, runs.ErrRunning)
		}
		size := runs.SizeOf(r.Dir).Total
		total += size
		dirs = append(dirs, r.Dir)
		table.Rows = append(table.Rows, []string{r.Scenario, r.Hash, string(r.Status), forecast.FormatBytes(size), r.Dir})
	}
	if !flags.json {
		if err := shell.WriteTable(cmd.OutOrStdout(), table); err != nil {
			return err
		}
	}
	if !flags.yes {
		if err := ask(cmd, fmt.Sprintf("Remove %s, %s?", document.Counted(len(list), "run"), forecast.FormatBytes(total))); err != nil {
			return err
		}
	}
	for _, dir := range dirs {
		kept, err := runs.Remove(dir)
		if err != nil {
			return err
		}
		if len(kept) > 0 {
			shell.Printf(cmd.ErrOrStderr(), "starling: kept %s that no run has written, such as %s\n", document.Counted(len(kept), "file"), kept[0])
		}
	}
	if flags.json {
		return shell.WriteJSON(cmd.OutOrStdout(), dirs)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "removed %s, %s\n", document.Counted(len(list), "run"), forecast.FormatBytes(total))
	return err
}

// doomed are the runs that are to be removed, each once.
func doomed(args []string, flags removeFlags) (list []runs.Run, err error) {
	for _, text := range args {
		r, err := runs.Find(flags.out, text)
		if err != nil {
			return nil, document.BadInput(err)
		}
		if !slices.ContainsFunc(list, func(other runs.Run) bool { return filepath.Clean(other.Dir) == filepath.Clean(r.Dir) }) {
			list = append(list, r)
		}
	}
	if len(args) > 0 {
		return list, nil
	}
	var filter runs.Filter
	for _, s := range flags.statuses {
		filter.Statuses = append(filter.Statuses, runs.Status(s))
	}
	if err := filter.Validate(); err != nil {
		return nil, shell.Usage(err)
	}
	all, err := runs.List(flags.out)
	if err != nil {
		return nil, document.BadInput(err)
	}
	for i := range all {
		if filter.Has(&all[i]) {
			list = append(list, all[i])
		}
	}
	if len(list) == 0 {
		return nil, document.BadInput(fmt.Errorf("there is no run of status %s in %s", strings.Join(flags.statuses, " or "), flags.out))
	}
	return list, nil
}

// errKept is the error of a removal that was not wanted.
var errKept = errors.New("nothing was removed")

// ask asks on a terminal, and takes a y for yes. Where there is no terminal, the command line
// has to give the answer.
func ask(cmd *cobra.Command, question string) error {
	file, ok := cmd.InOrStdin().(*os.File)
	if !ok || !isatty.IsTerminal(file.Fd()) {
		return shell.Usage(errors.New("nobody can be asked here: --yes removes without asking; nothing was removed"))
	}
	shell.Printf(cmd.ErrOrStderr(), "%s [y/N] ", question)
	answer, err := bufio.NewReader(file).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return errKept
	}
	return nil
}

// newUsage is the verb du.
func newUsage() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "du [FOLDER...]",
		Short: "Print the disk space of the runs in a folder of results",
		Long: `Say how many bytes each run takes in folders of results, "results" by default, the
largest first, and the bytes of its folders: jobs keeps what runs with more seeds
or arms take over, and results are complete without it; checkpoints has the states from
which an unfinished run goes on; parts has the parts of a run that was made in parts,
and is of no use once they are together. A file with two names counts once. With --json
sizes are in bytes.`,
		Example: "  starling du\n  starling du results --json",
		RunE:    func(cmd *cobra.Command, folders []string) error { return usage(cmd, folders, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// shares are the folders of a run that usage lists.
var shares = []string{"jobs", "checkpoints", "parts", "models", "plots"}

// usage prints the disk space of runs.
func usage(cmd *cobra.Command, folders []string, asJSON bool) error {
	usual := len(folders) == 0
	if usual {
		folders = []string{shell.UsualResults}
	}
	type used struct {
		Dir      string      `json:"dir"`
		Scenario string      `json:"scenario"`
		Hash     string      `json:"hash"`
		Status   runs.Status `json:"status"`
		runs.Size
	}
	list, total := []used{}, int64(0)
	for _, folder := range folders {
		found, err := runs.List(folder)
		if err != nil && !(usual && errors.Is(err, fs.ErrNotExist)) {
			return document.BadInput(err)
		}
		for i := range found {
			r := &found[i]
			list = append(list, used{r.Dir, r.Scenario, r.Hash, r.Status, runs.SizeOf(r.Dir)})
			total += list[len(list)-1].Total
		}
	}
	slices.SortStableFunc(list, func(a, b used) int { return int(max(-1, min(1, b.Total-a.Total))) })
	if asJSON {
		return shell.WriteJSON(cmd.OutOrStdout(), list)
	}
	table := tabular.Table{Header: slices.Concat([]string{"scenario", "run", "status", "total"}, shares)}
	for _, u := range list {
		row := []string{u.Scenario, u.Hash, string(u.Status), forecast.FormatBytes(u.Total)}
		for _, share := range shares {
			cell := ""
			if u.Of[share] > 0 {
				cell = forecast.FormatBytes(u.Of[share])
			}
			row = append(row, cell)
		}
		table.Rows = append(table.Rows, row)
	}
	for _, share := range shares {
		table.DropEmpty(share)
	}
	if len(list) > 0 {
		if err := shell.WriteTable(cmd.OutOrStdout(), table); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s, %s\n", document.Counted(len(list), "run"), forecast.FormatBytes(total))
	return err
}
