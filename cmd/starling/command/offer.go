package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/forecast"
	"starling/scenarios/jobs"
	"starling/scenarios/limits"
	"starling/scenarios/runner"
)

// offered is a scenario with claims and the forecast of its run, for a program.
type offered struct {
	Scenario string `json:"scenario"`
	// Needs is the data set that is not there; then there is no forecast.
	Needs string `json:"needs,omitempty"`
	// Forecast has the time and memory of the run.
	Forecast *forecasted `json:"forecast,omitempty"`
}

// offer prints the forecast of each scenario as it is known, which takes a second or two each,
// and then of all together. Nothing is run or written.
func (p program) offer(cmd *cobra.Command, names []string, flags reproduceFlags) error {
	options, err := runOptions(runFlags{out: flags.out, engine: string(runner.Actors)})
	if err != nil {
		return err
	}
	w, list := cmd.OutOrStdout(), []offered{}
	if !flags.json {
		fmt.Fprintf(w, "%-28s %10s  %s\n", "scenario", "time", "memory")
	}
	for _, name := range names {
		o, err := p.offerOf(cmd, name, flags, options)
		if err != nil {
			return err
		}
		list = append(list, o)
		if flags.json {
			continue
		}
		if _, err := shell.Printf(w, "%-28s %10s  %s\n", o.Scenario, o.time(), o.memory()); err != nil {
			return err
		}
	}
	if flags.json {
		return shell.WriteJSON(w, list)
	}
	return printOffers(w, list)
}

// offerOf forecasts the run of one scenario.
func (p program) offerOf(cmd *cobra.Command, name string, flags reproduceFlags, options runner.RunOptions) (o offered, err error) {
	study, err := runner.NewStudy(name, flags.quick, p.Loader(flags.data))
	var input *document.InputError
	if errors.As(err, &input) && input.Data != "" {
		return offered{Scenario: name, Needs: input.Data}, nil
	}
	if err != nil {
		return o, err
	}
	s := study.Scenario
	settings := options.Forecast()
	if settings.Jobs, err = runner.Missing(s, options); err != nil {
		return o, err
	}
	stop := shell.ShowWork(cmd, s.Board)
	e, err := forecast.Of(s, cmd.Context(), settings)
	stop()
	if err != nil {
		return o, err
	}
	f := forecastOf(s, jobs.Share{}, &e)
	return offered{Scenario: s.Name, Forecast: &f}, nil
}

func (o *offered) time() string {
	switch {
	case o.Needs != "":
		return "needs"
	case o.Forecast.Existing == o.Forecast.Runs:
		return "there"
	}
	return about(o.Forecast.time().Round(100 * time.Millisecond))
}

func (o *offered) memory() string {
	switch {
	case o.Needs != "":
		return o.Needs + " (--data DIR)"
	case o.Forecast.Existing == o.Forecast.Runs:
		return ""
	}
	return forecast.FormatBytes(o.Forecast.Memory)
}

func (f *forecasted) time() time.Duration { return time.Duration(f.Seconds * float64(time.Second)) }

// printOffers prints the cost of all scenarios together.
func printOffers(w io.Writer, list []offered) error {
	total, most, absent := time.Duration(0), int64(0), 0
	for _, o := range list {
		if o.Needs != "" {
			absent++
			continue
		}
		total += o.Forecast.time()
		most = max(most, o.Forecast.Memory)
	}
	text := fmt.Sprintf("\nall of them: about %s, and up to %s of memory", about(total.Round(100*time.Millisecond)), forecast.FormatBytes(most))
	if absent > 0 {
		text += fmt.Sprintf("; %d more lack their data", absent)
	}
	return shell.Wrapped(w, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, text)
		return err
	})
}

// errNoneRun is the error of an offer that was not taken.
var errNoneRun = errors.New("nothing was run")

// choose offers scenarios, which are all that have claims, on a terminal, and returns the names
// that were typed; none are all. Elsewhere nobody can be asked, and the error lists the names.
func (p program) choose(cmd *cobra.Command, claimed []string, flags reproduceFlags) ([]string, error) {
	file, ok := cmd.InOrStdin().(*os.File)
	if !ok || !isatty.IsTerminal(file.Fd()) {
		return nil, shell.Usage(fmt.Errorf("name a scenario or file; all %d that have claims take days at their full size (--all), and minutes at a reduced one (--quick); --dry-run prints the time and memory of each:\n%s",
			len(claimed), strings.Join(claimed, ", ")))
	}
	if err := p.offer(cmd, claimed, flags); err != nil {
		return nil, err
	}
	shell.Printf(cmd.ErrOrStderr(), "\nWhich? Names with spaces between them, or all: ")
	line, err := limits.Within(cmd.Context(), 0, func() (string, error) { return bufio.NewReader(file).ReadString('\n') })
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	names := strings.Fields(strings.ReplaceAll(line, ",", " "))
	switch {
	case len(names) == 0:
		return nil, errNoneRun
	case slices.Equal(names, []string{"all"}):
		return nil, nil
	}
	return names, nil
}
