package command

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"starling/scenarios/document"
	"starling/scenarios/reporting"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
)

// newCompare is the verb compare.
func newCompare() *cobra.Command {
	var asJSON, across bool
	cmd := &cobra.Command{
		Use:   "compare RUN RUN",
		Short: "Compare the metrics of two runs, paired by seed",
		Long: `Compare two runs, the folders that hold their manifest.json: say in what their
scenarios differ, then, for each arm that both have by name and each metric of whole runs that both have, the difference
second minus first at the last step both have, averaged over the seeds both
have, with the 95 % confidence interval of Student's t. A single pair has no
interval, nor has a metric with an infinite difference; equal infinities differ
by 0. Statistics over seeds such as regret.expected have no value for a seed and
are not compared. Epsilons that are for different units or neighbouring data in
the two runs are marked, for their difference says nothing. A note says where
runs whose digests differ were made on processors or by builds that round
otherwise.

Runs that learn different things, whose problem or data differ, are refused:
their differences say nothing of the rest. --different-problems compares them all
the same.

With --json, print all digits and the difference under each seed; infinities and
NaN, which JSON has not, and intervals that do not exist are null.

Exit status: 0 done, 1 failed, 2 bad input, nothing in common to compare, or
different problems.`,
		Example: `  starling compare results/dpdonc-localization/0123456789ab results/dpdonc-localization/ba9876543210`,
		Args:    exactly(2, "the folders of two runs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := compare(args[0], args[1], across)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), newComparisonJSON(args[0], args[1], c))
			}
			return printComparison(cmd.OutOrStdout(), args[0], args[1], c)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&across, "different-problems", false, "compare runs of different problems or data, too")
	return cmd
}

// compared is what compare found: the differences of metrics and, before them, in what
// the two scenarios differ. The first mean little without the second.
type compared struct {
	results.Comparison
	scenarios []reporting.Difference
}

// compare opens both runs and compares them. Unless across is set, runs of different
// problems are bad input.
func compare(first, second string, across bool) (c compared, err error) {
	var runs [2]*results.Run
	for i, dir := range []string{first, second} {
		if runs[i], err = results.Open(dir); err != nil {
			return c, document.BadInput(err)
		}
	}
	// Scenarios come first: a difference of metrics between different problems is no
	// finding.
	if c.scenarios, err = reporting.Differences(runs[0], runs[1]); err != nil {
		return c, err
	}
	if !across {
		if err := sameProblem(first, second, c.scenarios); err != nil {
			return c, document.BadInput(err)
		}
	}
	c.Comparison, err = results.Compare(runs[0], runs[1])
	if errors.Is(err, results.ErrNothingCommon) {
		err = document.BadInput(fmt.Errorf("%s and %s: %w", first, second, err))
	}
	return c, err
}

// sameProblem refuses runs of different problems and says in what they differ.
func sameProblem(first, second string, list []reporting.Difference) error {
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

// orAbsent is the text of a value that a scenario may not have.
func orAbsent(text string) string {
	if text == "" {
		return "absent"
	}
	return text
}

// printDifferences prints in what the scenarios differ, a value a row.
func printDifferences(w io.Writer, list []reporting.Difference) error {
	if len(list) == 0 {
		_, err := fmt.Fprint(w, "the scenarios are the same\n\n")
		return err
	}
	table := tabular.Table{Header: []string{"the scenarios differ in", "first", "second"}}
	for _, d := range list {
		table.Rows = append(table.Rows, []string{d.Path, orAbsent(d.First), orAbsent(d.Second)})
	}
	if err := writeTable(w, table); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// printComparison prints a metric of an arm a row.
func printComparison(w io.Writer, first, second string, c compared) error {
	fmt.Fprintf(w, "first   %s\nsecond  %s\n\n", first, second)
	if err := printDifferences(w, c.scenarios); err != nil {
		return err
	}
	table := tabular.Table{Header: []string{"arm", "metric", "step", "pairs", "second - first", "95 % from", "to"}}
	for _, d := range c.Rows {
		low, high := "", ""
		if !math.IsNaN(d.Low) {
			low, high = tabular.FormatValue(d.Low), tabular.FormatValue(d.High)
		}
		metric := d.Metric
		if d.Incomparable {
			metric += " (other neighbours)"
		}
		table.Rows = append(table.Rows, []string{
			d.Arm, metric, strconv.FormatInt(d.Step, 10), strconv.Itoa(len(d.Pairs)),
			tabular.FormatValue(d.Mean), low, high,
		})
	}
	if err := writeTable(w, table); err != nil {
		return err
	}
	if len(c.Notes) > 0 {
		fmt.Fprintln(w)
	}
	for _, note := range c.Notes {
		if err := writeText(w, "note: ", note); err != nil {
			return err
		}
	}
	return nil
}

// comparisonJSON is what compare --json prints.
type comparisonJSON struct {
	First       string           `json:"first"`     // the folder, as given
	Second      string           `json:"second"`    // the folder, as given
	Scenarios   []scenarioJSON   `json:"scenarios"` // in what they differ
	Confidence  float64          `json:"confidence"`
	Differences []differenceJSON `json:"differences"`
	Notes       []string         `json:"notes"`
}

// scenarioJSON is a value in which the scenarios differ; null where it is absent.
type scenarioJSON struct {
	Path    string  `json:"path"`
	First   *string `json:"first"`
	Second  *string `json:"second"`
	Problem bool    `json:"problem"` // the runs learn different things
}

// differenceJSON is the difference of one metric of one arm, second run less first, at
// the last step that both have. The interval is null where there is a single pair.
type differenceJSON struct {
	Arm            string     `json:"arm"`
	Metric         string     `json:"metric"`
	Step           int64      `json:"step"`
	PairCount      int        `json:"pair_count"`
	MeanDifference number     `json:"mean_difference"`
	IntervalLow    number     `json:"interval_low"`
	IntervalHigh   number     `json:"interval_high"`
	Incomparable   bool       `json:"incomparable"` // an epsilon for other neighbours or units
	Pairs          []pairJSON `json:"pairs"`
}

// pairJSON is the difference under one seed.
type pairJSON struct {
	Seed       uint64 `json:"seed"`
	Difference number `json:"difference"`
}

// newComparisonJSON is a comparison as JSON.
func newComparisonJSON(first, second string, c compared) comparisonJSON {
	out := comparisonJSON{First: first, Second: second, Confidence: results.Confidence, Notes: []string{}, Scenarios: []scenarioJSON{}}
	for _, d := range c.scenarios {
		out.Scenarios = append(out.Scenarios, scenarioJSON{d.Path, orNull(d.First), orNull(d.Second), d.Problem})
	}
	out.Notes = append(out.Notes, c.Notes...)
	for _, d := range c.Rows {
		row := differenceJSON{
			Arm: d.Arm, Metric: d.Metric, Step: d.Step, PairCount: len(d.Pairs),
			MeanDifference: number(d.Mean), IntervalLow: number(d.Low), IntervalHigh: number(d.High),
			Incomparable: d.Incomparable,
		}
		for _, p := range d.Pairs {
			row.Pairs = append(row.Pairs, pairJSON{p.Seed, number(p.Difference)})
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
