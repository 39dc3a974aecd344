package inspect

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// newCompare is the verb compare.
func (p program) newCompare() *cobra.Command {
	var flags compareFlags
	cmd := &cobra.Command{
		Use:   "compare RUN[:ARM] [RUN[:ARM]...]",
		Short: "Compare two runs, or arms with a baseline, paired by seed",
		Long: `Compare arms with a baseline, or two runs with each other. All comparisons are paired by
seed.

With one RUN of several arms, compare the arms with a baseline. It is --baseline, or
else the arm that 'starling run' names: the first without noise where others have noise,
or else the first. With two RUNs, print the differences of their scenarios, and for each
arm and metric that both have the difference second minus first at the last common step.
Arms that budgets stopped at different steps are compared at the last step that both
recorded.

A difference has a 95 % interval (Student's t) and a paired t-test over the seeds. Holm's
method corrects the p-values for all tests of the comparison. The last column names the
better run where the corrected p is at most 0.05, and has '~' where the two are not
significantly different. Three kinds of values have no test: privacy losses, differences
that are the same under every seed, and differences of a single pair. Statistics over
seeds, such as regret.expected, have no value for a seed, and are compared only with a
baseline.

Runs with different problems or data are refused, because differences of their metrics
mean nothing; --different-problems compares them nevertheless. Epsilons for different
units or neighbouring data are marked: they do not compare. A note says so where runs
were made by processors or builds that round differently.

` + shell.NamesOfRuns + `

` + aboutBaseline + `

--json prints all digits, and the difference under each seed. Infinities, NaN and missing
intervals are null.

Exit status: 0 done, 1 failed, 2 bad input, nothing in common to compare, or
different problems.`,
		Example: `  starling compare dpdonc-localization ba9876543210
  starling compare last:epsilon=1 last:epsilon=none
  starling compare last --baseline central,epsilon=8 --metric accuracy.test,loss.fresh
  starling compare last:ring last:torus last:complete --at rounds=100`,
		Args: func(cmd *cobra.Command, args []string) error {
			if flags.baselined(cmd, args) {
				return nil
			}
			return shell.Exactly(2, "the folders of two runs, or one run of several arms")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.baselined(cmd, args) {
				return p.against(cmd, args, &flags)
			}
			return p.pair(cmd, args, &flags)
		},
	}
	flags.add(cmd)
	return cmd
}

// pair compares two runs, or two arms.
func (p program) pair(cmd *cobra.Command, args []string, flags *compareFlags) error {
	sides, err := openSides(cmd, flags.results, args[0], args[1])
	if err != nil {
		return err
	}
	first, second := sides[0].Shown(), sides[1].Shown()
	c, err := compare(p.Kinds.AllMetrics(), sides, first, second, flags.across)
	if err != nil {
		return err
	}
	tellFailed(cmd, sides[0].Run, sides[1].Run)
	if flags.json {
		return shell.WriteJSON(cmd.OutOrStdout(), newComparisonJSON(sideName(sides[0]), sideName(sides[1]), c))
	}
	return printComparison(cmd.OutOrStdout(), first, second, c, sides[0].Arm != "")
}

// splitArm divides RUN or RUN:ARM. A text that means a run as a whole is a run, whatever
// colons are in it.
func splitArm(folder, text string) (name, arm string, ofArm bool) {
	if shell.MeansRun(folder, text) {
		return text, "", false
	}
	for at := len(text) - 1; at > 0; at-- {
		if text[at] == ':' && shell.MeansRun(folder, text[:at]) {
			return text[:at], text[at+1:], true
		}
	}
	return text, "", false
}

// openArm opens RUN or RUN:ARM.
func openArm(cmd *cobra.Command, folder, text string) (side view.Side, err error) {
	name, arm, ofArm := splitArm(folder, text)
	if side.Run, err = shell.OpenRun(cmd, folder, name); err != nil || !ofArm {
		return side, err
	}
	arms := side.Run.Manifest.Arms
	side.Arm = plot.ArmNamed(arms, arm)
	if !slices.ContainsFunc(arms, func(a results.ArmEntry) bool { return a.Name == side.Arm }) {
		return side, document.BadInput(fmt.Errorf("%s has no arm %q%s", side.Run.Dir, arm, plot.SuggestArm(arms, arm, "it has")))
	}
	return side, nil
}

// sideName is the text by which a program names a run, or an arm of it, again.
func sideName(side view.Side) string {
	if side.Arm == "" {
		return side.Run.Dir
	}
	return side.Run.Dir + ":" + side.Arm
}

// openSides opens two runs, or two arms.
func openSides(cmd *cobra.Command, folder, first, second string) (sides [2]view.Side, err error) {
	for i, text := range []string{first, second} {
		if sides[i], err = openArm(cmd, folder, text); err != nil {
			return sides, err
		}
	}
	if (sides[0].Arm != "") != (sides[1].Arm != "") {
		return sides, document.BadInput(errors.New("one of the two names an arm, RUN:ARM; name one of the other, too"))
	}
	return sides, nil
}

// compare compares two runs, or arms. Unless across is set, runs of different problems are bad
// input. Runs that have no arm, seed and metric in common are bad input, too: an empty table
// would look like equality.
//
// The order of the arguments is the order of the difference: the printed differences are
// second minus first.
func compare(known metric.List, sides [2]view.Side, first, second string, across bool) (*view.Comparison, error) {
	known, err := results.DeclaredMetrics(known, sides[0].Run, sides[1].Run)
	if err != nil {
		return nil, err
	}
	// Scenarios come first: a difference of metrics between different problems is no
	// finding.
	c, err := view.Compare(sides[0], sides[1], known)
	if err != nil {
		return nil, err
	}
	if !across {
		if err := sameProblem(first, second, c.OtherProblem()); err != nil {
			return nil, document.BadInput(err)
		}
	}
	if err = c.Measure(); errors.Is(err, comparison.ErrNothingCommon) {
		err = document.BadInput(fmt.Errorf("%s and %s: %w", first, second, err))
	}
	return c, err
}

// sameProblem refuses runs of different problems, and says in which values these differ.
// The error names the flag that compares them anyway.
func sameProblem(first, second string, list []view.Difference) error {
	var text strings.Builder
	for _, d := range list {
		before, after := d.Texts()
		fmt.Fprintf(&text, "\n  %s: %s, then %s", d.Path, before, after)
	}
	if text.Len() == 0 {
		return nil
	}
	return fmt.Errorf("%s and %s are of different problems:%s\n--different-problems compares them anyway", first, second, &text)
}

// printComparison prints the values in which the scenarios differ, a value a row, then a row
// for each metric of each arm. Equal scenarios are stated to be equal in a sentence: a reader
// would take a missing table for a failure. Of arms the table has no column for the arm.
func printComparison(w io.Writer, first, second string, c *view.Comparison, arms bool) error {
	shell.Printf(w, "first   %s\nsecond  %s\n\n", first, second)
	if len(c.Scenarios) == 0 {
		fmt.Fprintln(w, "the scenarios are the same")
	} else if err := shell.WriteTable(w, c.ScenarioTable()); err != nil {
		return err
	}
	fmt.Fprintln(w)
	table := c.Table()
	if arms {
		table.Header = table.Header[1:]
		for i, row := range table.Rows {
			table.Rows[i] = row[1:]
		}
	}
	if err := shell.WriteTable(w, table); err != nil {
		return err
	}
	if text := c.TestsText(); text != "" {
		fmt.Fprintln(w)
		if err := shell.WriteText(w, "", text); err != nil {
			return err
		}
	}
	return printNotes(w, c.Notes)
}

// printNotes prints the notes of a comparison below it.
func printNotes(w io.Writer, notes []string) error {
	if len(notes) > 0 {
		fmt.Fprintln(w)
	}
	for _, note := range notes {
		if err := shell.WriteText(w, "note: ", note); err != nil {
			return err
		}
	}
	return nil
}

// comparisonJSON is the object that compare --json prints. Numbers have all their digits.
type comparisonJSON struct {
	// First and Second are the folders, as the command line has them.
	First string `json:"first"`
	// Second is the run from which the first is subtracted.
	Second string `json:"second"`
	// Scenarios lists the values in which the scenario files differ; empty, and never
	// null, where they are equal.
	Scenarios []scenarioJSON `json:"scenarios"`
	// Confidence is the confidence of each interval by itself: 0.95. Many intervals do not
	// hold together at that confidence.
	Confidence float64 `json:"confidence"`
	// Correction names the correction of the p-values, for as many tests as Tests.
	Correction string `json:"correction"`
	Tests      int    `json:"tests"`
	// Differences has the rows of the table, in its order.
	Differences []differenceJSON `json:"differences"`
	// Notes are sentences for people, such as on arms that one run alone has.
	Notes []string `json:"notes"`
}

// scenarioJSON is a value in which the scenarios differ. First and Second are its YAML text;
// null where a scenario has not the key. Path is as --set takes it, such as mechanism.epsilon.
type scenarioJSON struct {
	Path   string  `json:"path"`
	First  *string `json:"first"`
	Second *string `json:"second"`
	// Problem means that the value is part of the learning problem or its data: such runs are
	// compared with --different-problems only.
	Problem bool `json:"problem"`
}

// differenceJSON is the difference of one metric of one arm, second run minus first, at
// the last step that both runs have for it. The ends of the interval are null where there
// is a single pair, where a difference is infinite, and where all pairs of a metric that is measured
// differ by the same.
type differenceJSON struct {
	Arm    string `json:"arm"`
	Metric string `json:"metric"`
	Step   int64  `json:"step"`
	// PairCount is the number of seeds that both runs have, the length of Pairs.
	PairCount int `json:"pair_count"`
	// MeanDifference is the mean over the pairs, and the interval is Student's t on PairCount
	// - 1 degrees of freedom.
	MeanDifference shell.Number `json:"mean_difference"`
	IntervalLow    shell.Number `json:"interval_low"`
	IntervalHigh   shell.Number `json:"interval_high"`
	// P is the two-sided p-value of the paired t-test, and PHolm the same corrected; null
	// where there is no test. Better is first, second, ~ or empty, as the table has it.
	P      shell.Number `json:"p"`
	PHolm  shell.Number `json:"p_holm"`
	Better string       `json:"better"`
	// Incomparable marks an epsilon that is for other neighbours or other units in the
	// second run than in the first. Its difference does not say which run is the more
	// private.
	Incomparable bool `json:"incomparable"`
	// Pairs are by ascending seed.
	Pairs []pairJSON `json:"pairs"`
}

// pairJSON is the difference under one seed.
type pairJSON struct {
	Seed       uint64       `json:"seed"`
	Difference shell.Number `json:"difference"`
}

// newComparisonJSON returns a comparison as JSON. first and second are the folders as the
// command line has them. Lists without entries are empty, and never null, so that a
// script can go through them without a check.
func newComparisonJSON(first, second string, c *view.Comparison) comparisonJSON {
	out := comparisonJSON{First: first, Second: second, Confidence: comparison.Confidence, Correction: "holm", Tests: c.Tests, Notes: []string{}, Scenarios: []scenarioJSON{}}
	for _, d := range c.Scenarios {
		out.Scenarios = append(out.Scenarios, scenarioJSON{d.Path, orNull(d.First), orNull(d.Second), d.Problem})
	}
	out.Notes = append(out.Notes, c.Notes...)
	for _, d := range c.Rows {
		row := differenceJSON{
			Arm: d.Arm, Metric: d.Metric, Step: d.Step, PairCount: len(d.Pairs),
			MeanDifference: shell.Number(d.Mean), IntervalLow: shell.Number(d.Low), IntervalHigh: shell.Number(d.High),
			P: shell.Number(d.P), PHolm: shell.Number(d.Holm), Better: d.Better(c.Known), Incomparable: d.Incomparable,
		}
		for _, p := range d.Pairs {
			row.Pairs = append(row.Pairs, pairJSON{p.Seed, shell.Number(p.Difference)})
		}
		out.Differences = append(out.Differences, row)
	}
	return out
}

// orNull is nil for a value that a scenario has not.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
