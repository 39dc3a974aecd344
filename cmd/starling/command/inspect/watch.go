package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/results/live"
	"starling/scenarios/results/runs"
)

// watchFlags are the flags of watch.
type watchFlags struct {
	out     string
	every   time.Duration
	once    bool
	json    bool
	metrics []string
}

// newWatch is the verb watch.
func newWatch() *cobra.Command {
	var flags watchFlags
	cmd := &cobra.Command{
		Use:   "watch [RUN]",
		Short: "Watch a run while it is made",
		Long: `Follow a run that another process makes, until it ends: the progress of each arm, steps a
second, the time left, memory, new warnings, and the metrics so far with their means and
standard errors over the seeds. The process may be on another machine that shares the
folder. A RUN is the path of its folder, the name of its scenario, a tag, the beginning of
its hash, or 'last'. If several fit, the latest is watched; without a RUN, the run that was
active last. Over SSH: ssh -t HOST starling watch RUN.

A terminal redraws the picture in place; elsewhere each update is a line. With --json each
line is the content of progress.json (see 'starling help runs').

Exit status: 0 the run is complete, or you ended watching; 1 it failed, was interrupted
or is damaged; 2 bad input.`,
		Example: `  starling watch
  starling watch dpdonc-localization --metric regret.run
  ssh -t cluster starling watch ee14dffc2182 --out scratch/results`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := watched(cmd, flags.out, args)
			if err != nil {
				return err
			}
			return flags.watch(cmd, dir)
		},
	}
	shell.AddResultsAsOut(cmd, &flags.out)
	cmd.Flags().DurationVar(&flags.every, "every", 0, "how often to look; default: each second on a terminal and each 10 seconds elsewhere")
	cmd.Flags().BoolVar(&flags.once, "once", false, "look once")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print the content of progress.json, a line each time; of a run without it scenario, hash, state, reason, digest and folder")
	cmd.Flags().StringSliceVar(&flags.metrics, "metric", nil, "show these metrics, such as regret.run or loss.*; default: as many as there is room for")
	return cmd
}

// watched returns the folder of the run that the arguments name, or else of the run at work, or
// of the last one at work.
func watched(cmd *cobra.Command, out string, args []string) (string, error) {
	name := runs.Last
	if len(args) == 1 {
		name = args[0]
	}
	r, fit, err := runs.AtWork(out, name)
	if errors.Is(err, runs.ErrNone) && len(args) == 0 {
		err = fmt.Errorf("there are no runs in %s", out)
	}
	if err != nil {
		return "", document.BadInput(err)
	}
	if len(args) == 1 && fit > 1 {
		shell.TellNewest(cmd, name, fit, r.Dir)
	}
	return r.Dir, nil
}

// watch looks at a run again and again, until it ends.
func (f *watchFlags) watch(cmd *cobra.Command, dir string) error {
	w, ctx := cmd.OutOrStdout(), cmd.Context()
	width, height := shell.SizeOf(w)
	every := f.every
	if every <= 0 {
		every = time.Second
		if width == 0 && !f.json {
			every = 10 * time.Second
		}
	}
	drawn := 0 // lines of the last picture
	for {
		r := runs.Of(dir)
		now, err := runs.Live(&r)
		if err != nil {
			now = nil // it is being written, or was damaged; the status says the rest
		}
		switch {
		case f.json:
			switch {
			case now != nil:
				err = json.NewEncoder(w).Encode(now)
			case f.once || r.Status != runs.Running:
				err = json.NewEncoder(w).Encode(endedOf(&r))
			}
		case width > 0 || f.once:
			if width > 0 {
				width, height = shell.SizeOf(w)
			}
			lines := picture(&r, now, f.metrics, width, height, shell.Styled(w))
			_, err = io.WriteString(w, redrawn(lines, drawn))
			drawn = len(lines)
		case now != nil:
			_, err = shell.Printf(w, "%s\n", line(&r, now))
		default:
			err = nil
		}
		if err != nil {
			return err
		}
		if f.once || r.Status != runs.Running {
			return ended(w, &r, f)
		}
		select {
		case <-ctx.Done(): // the user has seen enough; the run goes on
			return nil
		case <-time.After(every):
		}
	}
}

// endedRun is a run of which no process writes the progress, for a program.
type endedRun struct {
	Scenario string      `json:"scenario"`
	Hash     string      `json:"hash"`
	State    runs.Status `json:"state"`
	Reason   string      `json:"reason"`
	Digest   string      `json:"digest"`
	Folder   string      `json:"folder"`
}

func endedOf(r *runs.Run) endedRun {
	return endedRun{r.Scenario, r.Hash, r.Status, r.Reason, r.Digest, r.Dir}
}

// ended prints the outcome of a run.
func ended(w io.Writer, r *runs.Run, f *watchFlags) error {
	if f.once || f.json {
		if f.once || r.Status == runs.Complete {
			return nil
		}
		return fmt.Errorf("%s is %s: %s", r.Dir, r.Status, r.Reason)
	}
	if r.Status == runs.Complete {
		_, err := shell.Printf(w, "complete\ndigest  %s\nresults %s\n", r.Digest, r.Dir)
		return err
	}
	return fmt.Errorf("%s is %s: %s", filepath.Join(r.Scenario, r.Hash), r.Status, r.Reason)
}

// redrawn is a picture that replaces one of before lines.
func redrawn(lines []string, before int) string {
	text := strings.Join(lines, "\n") + "\n"
	if before > 0 {
		text = fmt.Sprintf("\x1b[%dA\x1b[J", before) + text
	}
	return text
}

// line is the progress of a run, for a log.
func line(r *runs.Run, now *live.Run) string {
	text := fmt.Sprintf("%s/%s: %s, %d/%d runs, %s", r.Scenario, r.Hash, r.Status, now.Runs.Done, now.Runs.All, percent(now.Fraction()))
	if now.Speed != nil {
		text += fmt.Sprintf(", %s steps/s", thousands(*now.Speed))
	}
	if now.Left != nil {
		text += fmt.Sprintf(", %s left", duration(*now.Left))
	}
	if now.Work != "" {
		text += ", " + shell.Plain(now.Work)
	}
	return text
}
