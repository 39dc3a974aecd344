package inspect

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/runner"
	"starling/scenarios/view/plot"
)

// replayFlags are the flags of replay. A replay is of an event that was seen in results: seed,
// node, from and to have no default, and all four are required.
type replayFlags struct {
	// arm is the arm to run again; it can be left out where there is one.
	arm string
	// seed is one of the run's seeds.
	seed uint64
	// node, from and to have the paper's numbers, as output has.
	node     int
	from, to int
	// full prints vectors whole; json does so always.
	full bool
	json bool
	// data is the folder of data sets: the run is made again, and reads them again.
	data string
	// results is the folder of all results.
	results string
	// python allows code that the run names.
	python bool
}

// newReplay is the verb replay.
func (p program) newReplay() *cobra.Command {
	var flags replayFlags
	cmd := &cobra.Command{
		Use:   "replay RUN --seed S --node I --from A --to B",
		Short: "Run a seed again and show one node's messages and state",
		Long: `Run one arm of a finished run again under one seed, and follow one node. For each turn
from step A to step B, print every message that the node received, every message that
it sent, and its state after the turn. Steps and nodes have the paper's numbers.

The metrics of the replay are compared with the recorded ones, bit by bit. Where they
differ, the output says whether the run was made with other arithmetic: on another
processor, or by another build.

A run that names Python classes is refused without --python: replaying it executes that
code, which may be somebody else's.

` + shell.NamesOfRuns + `

Exit status: 0 shown and equal, 1 recorded values came out otherwise, 2 bad
input.`,
		Example: `  starling replay dpdonc-nodes --seed 1 --node 3 --from 1 --to 4
  starling replay results/dpdonc-localization/0123456789ab --arm epsilon=1 --seed 7 --node 1 --from 490 --to 500 --json`,
		Args: shell.Exactly(1, "the folder of one run"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.replay(cmd, args[0], flags) },
	}
	cmd.Flags().StringVar(&flags.arm, "arm", "", "the arm, where the run has several")
	cmd.Flags().Uint64Var(&flags.seed, "seed", 0, "the seed")
	cmd.Flags().IntVar(&flags.node, "node", 0, "the node to follow")
	cmd.Flags().IntVar(&flags.from, "from", 0, "the first step to show")
	cmd.Flags().IntVar(&flags.to, "to", 0, "the last step to show")
	shell.AddResults(cmd, &flags.results)
	shell.AddDataFlag(cmd, &flags.data)
	cmd.Flags().BoolVar(&flags.python, "python", false, "run the code in Python that the run names")
	cmd.Flags().BoolVar(&flags.full, "full", false, "print vectors whole, and not their first entries only")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print a JSON object a turn, vectors whole")
	return cmd
}

// replay runs a seed again, prints the turns of one node, and fails if the recorded metrics
// came out otherwise: then the printed turns are not the turns of the run. The turns go to
// stdout as they are met, in either form; the verdict comes last, on stderr.
func (p program) replay(cmd *cobra.Command, name string, flags replayFlags) error {
	if err := shell.NeedFlags(cmd, "seed", "node", "from", "to"); err != nil {
		return shell.Usage(fmt.Errorf("%w, and of a run of several arms --arm; such as --arm 'no noise' --seed 1 --node 2 --from 1 --to 5", err))
	}
	run, err := shell.OpenRun(cmd, flags.results, name)
	if err != nil {
		return err
	}
	build, err := runner.BuildID()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	emit := func(r *runner.ReplayTurn) error { return writeTurn(out, r, flags.full) }
	if flags.json {
		encoder := json.NewEncoder(out)
		emit = func(r *runner.ReplayTurn) error { return encoder.Encode(r) }
	}
	loader := p.Loader(flags.data)
	loader.Showing = !flags.python
	verdict, err := runner.Replay(cmd.Context(), run, runner.ReplayOptions{
		Arm: plot.ArmNamed(run.Manifest.Arms, flags.arm), Seed: flags.seed, Node: flags.node, From: flags.from, To: flags.to, Build: build, Loader: loader,
	}, emit)
	// The turns that were met are printed also where the replay failed: they may show
	// why. The error of the replay is reported before one of the printing.
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	if err != nil {
		return err
	}
	// Another build may compute the same. The comparison shows whether it did.
	if verdict.Foreign {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning: another build of starling made this run")
	}
	if verdict.Differ > 0 {
		err := fmt.Errorf("%s: %d of %d recorded values up to step %d came out otherwise: the replay differs from the run", run.Dir, verdict.Differ, verdict.Rows, flags.to)
		if verdict.Arithmetic != "" {
			err = fmt.Errorf("%w\n%s", err, verdict.Arithmetic)
		}
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s up to step %d came out as recorded\n", document.Counted(verdict.Rows, "value"), flags.to)
	return nil
}

// writeTurn prints a turn for people: the step, and the hop within it where a step has
// several, then the messages that came in, the messages that went out, and the state of the
// node after the turn.
//
//	step 3
//	  in   from 2, sent at step 2, weight 0.5: model (0.1, -0.25)
//	  out  to 2, weight 0.5: model (0.2, 0.125)
//	  w = (0.2, 0.125)
func writeTurn(w io.Writer, r *runner.ReplayTurn, full bool) error {
	head := fmt.Sprintf("step %d", r.Step)
	if r.Hop > 0 {
		head += fmt.Sprintf(", hop %d", r.Hop)
	}
	lines := []string{head}
	for _, l := range r.In {
		lines = append(lines, fmt.Sprintf("  in   from %d, sent at step %d, weight %s: %s %s", l.From, l.Step, short(l.Weight), l.Kind, vector(l.Values, full)))
	}
	for _, l := range r.Out {
		lines = append(lines, fmt.Sprintf("  out  to %d, weight %s: %s %s", l.To, short(l.Weight), l.Kind, vector(l.Values, full)))
	}
	for _, loss := range r.Paid {
		lines = append(lines, "  paid "+loss)
	}
	for _, q := range r.State {
		lines = append(lines, fmt.Sprintf("  %s = %s", q.Name, vector(q.Values, full)))
	}
	if r.Stopped {
		lines = append(lines, "  ended its part")
	}
	_, err := shell.Printf(w, "%s\n", strings.Join(lines, "\n"))
	return err
}

// short returns a number in six digits, for people. Differences beyond them are seen with
// --json, which has all digits.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// fewEntries is the number of entries of a vector on a line, so that it fits a terminal.
const fewEntries = 6

// vector returns a vector as text, its first entries and their number, or the whole
// vector if full is set.
func vector(values []float64, full bool) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == fewEntries && !full {
			fmt.Fprintf(&b, "... %d entries", len(values))
			break
		}
		b.WriteString(short(v))
	}
	b.WriteByte(')')
	return b.String()
}
