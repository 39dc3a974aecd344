package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/forecast"
	"starling/scenarios/jobs"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// estimate states which runs are there already, and the time and memory of the rest.
func estimate(cmd *cobra.Command, s *study.Scenario, options runner.RunOptions, asJSON bool) error {
	missing, err := runner.Missing(s, options)
	if err != nil {
		return err
	}
	settings := options.Forecast()
	settings.Jobs = missing
	stop := shell.ShowWork(cmd, s.Board)
	e, err := forecast.Of(s, cmd.Context(), settings)
	stop()
	if err != nil {
		return err
	}
	if asJSON {
		err = shell.WriteJSON(cmd.OutOrStdout(), forecastOf(s, options.Part, &e))
	} else {
		err = printEstimate(cmd.OutOrStdout(), s, options.Part, &e)
	}
	if err != nil || len(e.Failures) == 0 {
		return err
	}
	return errors.New(results.FailureText("would fail and be left out", e.Failures, len(s.Arms)))
}

// failsText stands in place of the time of an arm that fails.
func failsText(e *forecast.Estimate, arm string) string {
	for _, f := range e.Failures {
		switch {
		case f.Arm == arm && f.Step != nil:
			return fmt.Sprintf("fails in step %d", *f.Step)
		case f.Arm == arm:
			return "fails"
		}
	}
	return ""
}

// printEstimate prints the forecast of a run, or of a part of it: for each arm the time and
// memory of one run, and the claimed and the accounted loss of a node, then all runs together.
func printEstimate(w io.Writer, s *study.Scenario, part jobs.Share, e *forecast.Estimate) error {
	all, what := len(part.Of(s)), s.Name
	if !part.All() {
		what = fmt.Sprintf("part %s of %s", part, s.Name)
	}
	switch {
	case e.Jobs == 0:
		if err := shell.WriteText(w, "", fmt.Sprintf("%s exists already, with all %s; a run would show them, and --again would run them again.", what, document.Counted(all, "run"))); err != nil {
			return err
		}
		_, err := fmt.Fprintln(w, "Nothing was written.")
		return err
	case part.All() && e.Jobs == all:
		shell.WriteText(w, "", fmt.Sprintf("%s would run %s: %s under %s, %s in all", what, document.Counted(e.Jobs, "time"),
			document.Counted(len(e.Arms), "arm"), document.Counted(s.Seeds.Count, "seed"), document.Counted(e.Steps, "step")))
	default:
		shell.WriteText(w, "", fmt.Sprintf("%s would run %s, %s in all; %d of its %s exist already", what, document.Counted(e.Jobs, "time"),
			document.Counted(e.Steps, "step"), all-e.Jobs, document.Counted(all, "run")))
	}
	fmt.Fprintln(w)
	table := tabular.Table{Header: []string{"arm", "steps", "time of a run", "memory of a run", "claimed", "accounted for a node", "neighbours"}}
	labels := plot.ArmLabels(plot.Arms(s))
	for _, arm := range e.Arms {
		table.Rows = append(table.Rows, []string{
			cmp.Or(labels[arm.Name], arm.Name), fmt.Sprint(arm.Steps), cmp.Or(failsText(e, arm.Name), about(arm.JobTime)), forecast.FormatBytes(arm.JobBytes), arm.Claimed, arm.Accounted, arm.Relation,
		})
	}
	if err := shell.WriteTable(w, table); err != nil {
		return err
	}
	if err := outcomeRemarks(w, s); err != nil {
		return err
	}
	first := s.Seeds.Base
	return shell.Wrapped(w, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, `
seeds   %d to %d
time    about %s on %s as busy as now, %s of their time, judged by shorter runs
memory  about %s with %s at a time
Nothing was written.
`, first, first+uint64(s.Seeds.Count)-1, about(e.Time), document.Counted(e.Cores, "core"), about(e.Processor), forecast.FormatBytes(e.Bytes), document.Counted(e.Workers, "run"))
		return err
	})
}

// forecasted is the forecast of a run, for a program.
type forecasted struct {
	Scenario  string          `json:"scenario"`
	Runs      int             `json:"runs"`
	Existing  int             `json:"existing"` // how many of the runs are there already
	Steps     int64           `json:"steps"`
	FirstSeed uint64          `json:"first_seed"`
	Seeds     int             `json:"seeds"`
	Seconds   float64         `json:"seconds"`
	Processor float64         `json:"processor_seconds"`
	Memory    int64           `json:"memory_bytes"`
	Cores     int             `json:"cores"`
	Workers   int             `json:"workers"`
	Arms      []forecastedArm `json:"arms"`
	Warnings  []string        `json:"warnings"`
	// Failures are the arms that fail within the measured steps; absent where none does.
	Failures []results.Failure `json:"failures,omitempty"`
}

// forecastedArm is the forecast of one arm: the time and memory of a run of it.
type forecastedArm struct {
	Arm       string  `json:"arm"`
	Steps     int     `json:"steps"`
	Seconds   float64 `json:"seconds"`
	Memory    int64   `json:"memory_bytes"`
	Claimed   string  `json:"claimed"`
	Accounted string  `json:"accounted"`
	Relation  string  `json:"relation"`
}

func forecastOf(s *study.Scenario, part jobs.Share, e *forecast.Estimate) forecasted {
	all := len(part.Of(s))
	f := forecasted{
		Scenario: s.Name, Runs: all, Existing: all - e.Jobs, Steps: e.Steps, FirstSeed: s.Seeds.Base, Seeds: s.Seeds.Count,
		Seconds: e.Time.Seconds(), Processor: e.Processor.Seconds(), Memory: e.Bytes, Cores: e.Cores, Workers: e.Workers,
		Arms: []forecastedArm{}, Warnings: validated(s).Warnings, Failures: e.Failures,
	}
	if e.Jobs == 0 {
		f.Seconds, f.Processor = 0, 0
	}
	for _, arm := range e.Arms {
		f.Arms = append(f.Arms, forecastedArm{arm.Name, arm.Steps, arm.JobTime.Seconds(), arm.JobBytes, arm.Claimed, arm.Accounted, arm.Relation})
	}
	return f
}

// about returns a duration in two figures or so: the estimate has no more.
func about(d time.Duration) string {
	for _, unit := range []time.Duration{time.Hour, time.Minute, time.Second, time.Millisecond, time.Microsecond} {
		if d >= 10*unit {
			return d.Round(unit).String()
		}
	}
	return d.String()
}
