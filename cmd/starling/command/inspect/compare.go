package inspect

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/declared"
	"starling/scenarios/results/tabular"
	"starling/scenarios/view"
)

// newCompare is the verb compare.
func (p program) newCompare() *cobra.Command {
	var asJSON, across bool
	cmd := &cobra.Command{
		Use:   "compare RUN[:ARM] RUN[:ARM]",
		Short: "Compare the metrics of two runs, or of two arms, paired by seed",
		Long: `Compare two runs, the folders that hold their manifest.json, or two arms, of one
run or of two: say in what their scenarios differ, then, for each arm that both
have by name and each metric of whole runs that both have, the difference second
minus first at the last step both have, averaged over the seeds both have, with
the 95 % confidence interval of Student's t. Arms that budgets stopped at
different steps are compared at the last recorded step that both reached.

Each difference is tested by a paired t-test over the seeds. The p-values are
corrected by Holm's method for all tests of the comparison; of a metric that has a
better side the last column has the run whose side is better, where the corrected
p is at most 0.05, and '~' where the two are not told apart. Privacy losses and
differences that are the same under every seed are not tested.

A single pair has no interval, nor has a metric with an infinite difference, nor one
that is measured and differs by the same under every seed; equal infinities differ
by 0. Statistics over seeds such as regret.expected have no value for a seed and
are not compared. Epsilons that are for different units or neighbouring data in
the two runs are marked, for their difference says nothing. A note says where
runs whose digests differ were made on processors or by builds that round
otherwise.

What learns different things, where problem or data differ, is refused:
their differences say nothing of the rest. --different-problems compares them all
the same.

With --json, print all digits and the difference under each seed; infinities and
NaN, which JSON has not, and intervals that do not exist are null.

Exit status: 0 done, 1 failed, 2 bad input, nothing in common to compare, or
different problems.`,
		Example: `  starling compare results/dpdonc-localization/0123456789ab results/dpdonc-localization/ba9876543210
  starling compare results/dpdonc-noise/0123456789ab:epsilon=1 results/dpdonc-noise/0123456789ab:epsilon=none`,
		Args: shell.Exactly(2, "the folders of two runs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := compare(p.Kinds.AllMetrics(), args[0], args[1], across)
			if err != nil {
				return err
			}
			tellFailed(cmd, c.folders[:]...)
			if asJSON {
				return shell.WriteJSON(cmd.OutOrStdout(), newComparisonJSON(args[0], args[1], c))
			}
			return printComparison(cmd.OutOrStdout(), args[0], args[1], c)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&across, "different-problems", false, "compare runs of different problems or data, too")
	return cmd
}

// compared is the result of compare: the differences of metrics, and the values in which the
// two scenarios differ. Readers need the differing values to understand a difference of
// metrics, so these are printed first.
type compared struct {
	comparison.Comparison
	// scenarios has an entry for each path at which the two scenarios, as they were run,
	// differ.
	scenarios []view.Difference
	// arms means that two arms were compared, and not runs.
	arms bool
	// folders are the folders of the runs.
	folders [2]string
	// known are the metrics of the catalog, and the metrics that the runs have declared.
	known metric.List
}

// openArm opens RUN or RUN:ARM. A folder with a colon in its name is a run.
func openArm(name string) (run *results.Run, arm string, err error) {
	dir := name
	if _, missing := os.Stat(name); missing != nil {
		for i, r := range name {
			if info, err := os.Stat(name[:i]); r == ':' && err == nil && info.IsDir() {
				dir, arm = name[:i], name[i+1:]
				break
			}
		}
	}
	if run, err = results.Open(dir); err != nil {
		return nil, "", err
	}
	var arms []string
	for _, a := range run.Manifest.Arms {
		arms = append(arms, a.Name)
	}
	if dir != name && !slices.Contains(arms, arm) {
		return nil, "", fmt.Errorf("%s has no arm %q%s", dir, arm, document.Suggest(arm, arms, "it has"))
	}
	return run, arm, nil
}

// compare opens two runs and compares them. Unless across is set, runs of different
// problems are bad input. Runs that have no arm, seed and metric in common are bad input,
// too: an empty table would look like equality.
//
// The order of the arguments is the order of the difference: the printed differences are
// second minus first.
func compare(known metric.List, first, second string, across bool) (c compared, err error) {
	var runs [2]*results.Run
	var arms [2]string
	for i, name := range []string{first, second} {
		if runs[i], arms[i], err = openArm(name); err != nil {
			return c, document.BadInput(err)
		}
		c.folders[i] = runs[i].Dir
	}
	if c.arms = arms[0] != ""; c.arms != (arms[1] != "") {
		return c, document.BadInput(errors.New("one of the two names an arm, RUN:ARM; name one of the other, too"))
	}
	if c.known, err = declared.Metrics(known, runs[:]...); err != nil {
		return c, err
	}
	// Scenarios come first: a difference of metrics between different problems is no
	// finding.
	if c.scenarios, err = view.ArmDifferences(runs[0], arms[0], runs[1], arms[1]); err != nil {
		return c, err
	}
	if !across {
		if err := sameProblem(first, second, c.scenarios); err != nil {
			return c, document.BadInput(err)
		}
	}
	if c.arms {
		c.Comparison, err = comparison.CompareArms(runs[0], arms[0], runs[1], arms[1], c.known)
	} else {
		c.Comparison, err = comparison.Compare(runs[0], runs[1], c.known)
	}
	if errors.Is(err, comparison.ErrNothingCommon) {
		err = document.BadInput(fmt.Errorf("%s and %s: %w", first, second, err))
	}
	return c, err
}

// sameProblem refuses runs of different problems, and says in which values these differ.
// The error names the flag that compares them all the same.
func sameProblem(first, second string, list []view.Difference) error {
	var text strings.Builder
	for _, d := range list {
		if d.Problem {
			fmt.Fprintf(&text, "\n  %s: %s, then %s", d.Path, orAbsent(d.First), orAbsent(d.Second))
		}
	}
	if text.Len() == 0 {
		return nil
	}
	return fmt.Errorf("%s and %s are of different problems:%s\n--different-problems compares them all the same", first, second, &text)
}

// orAbsent returns the text of a value that a scenario may not have. The table of
// differences has the word absent where one of the two files lacks a key.
func orAbsent(text string) string {
	if text == "" {
		return "absent"
	}
	return text
}

// printDifferences prints the values in which the scenarios differ, a value a row. Equal
// scenarios are stated to be equal in a sentence: a reader would take a missing table for a
// failure.
func printDifferences(w io.Writer, list []view.Difference) error {
	if len(list) == 0 {
		_, err := fmt.Fprint(w, "the scenarios are the same\n\n")
		return err
	}
	table := tabular.Table{Header: []string{"the scenarios differ in", "first", "second"}}
	for _, d := range list {
		table.Rows = append(table.Rows, []string{d.Path, orAbsent(d.First), orAbsent(d.Second)})
	}
	if err := shell.WriteTable(w, table); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// printComparison prints a row for each metric of each arm: the step, the number of
// pairs, the mean difference, and its confidence interval. The columns of the interval
// are empty where there is no interval, and never 0.
func printComparison(w io.Writer, first, second string, c compared) error {
	shell.Printf(w, "first   %s\nsecond  %s\n\n", first, second)
	if err := printDifferences(w, c.scenarios); err != nil {
		return err
	}
	table := tabular.Table{Header: []string{"arm", "metric", "step", "pairs", "second - first", "95 % from", "to", "p, Holm", "better"}}
	for _, d := range c.Rows {
		low, high := "", ""
		if !math.IsNaN(d.Low) {
			low, high = tabular.FormatValue(d.Low), tabular.FormatValue(d.High)
		}
		metric := d.Metric
		// The mark stands at the name of the metric, where a reader meets it before the
		// number.
		if d.Incomparable {
			metric += " (other neighbours)"
		}
		table.Rows = append(table.Rows, []string{
			d.Arm, metric, strconv.FormatInt(d.Step, 10), strconv.Itoa(len(d.Pairs)),
			tabular.FormatValue(d.Mean), low, high, comparison.FormatP(d.Holm), d.Better(c.known),
		})
	}
	if c.arms {
		for i, row := range append([][]string{table.Header}, table.Rows...) {
			if i == 0 {
				table.Header = row[1:]
			} else {
				table.Rows[i-1] = row[1:]
			}
		}
	}
	if err := shell.WriteTable(w, table); err != nil {
		return err
	}
	if c.Tests > 0 {
		fmt.Fprintln(w)
		if err := shell.WriteText(w, "", testsText(c.Tests)); err != nil {
			return err
		}
	}
	if len(c.Notes) > 0 {
		fmt.Fprintln(w)
	}
	for _, note := range c.Notes {
		if err := shell.WriteText(w, "note: ", note); err != nil {
			return err
		}
	}
	return nil
}

// testsText describes the p-values of a comparison.
func testsText(tests int) string {
	return fmt.Sprintf("p: paired t-test over the seeds, corrected by Holm's method for %s; ~: not told apart at %g", document.Counted(tests, "test"), comparison.Level)
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
func newComparisonJSON(first, second string, c compared) comparisonJSON {
	out := comparisonJSON{First: first, Second: second, Confidence: comparison.Confidence, Correction: "holm", Tests: c.Tests, Notes: []string{}, Scenarios: []scenarioJSON{}}
	for _, d := range c.scenarios {
		out.Scenarios = append(out.Scenarios, scenarioJSON{d.Path, orNull(d.First), orNull(d.Second), d.Problem})
	}
	out.Notes = append(out.Notes, c.Notes...)
	for _, d := range c.Rows {
		row := differenceJSON{
			Arm: d.Arm, Metric: d.Metric, Step: d.Step, PairCount: len(d.Pairs),
			MeanDifference: shell.Number(d.Mean), IntervalLow: shell.Number(d.Low), IntervalHigh: shell.Number(d.High),
			P: shell.Number(d.P), PHolm: shell.Number(d.Holm), Better: d.Better(c.known), Incomparable: d.Incomparable,
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
