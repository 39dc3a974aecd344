package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"starling/scenarios"
	"starling/scenarios/results"
)

func newCompare() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "compare RUN RUN",
		Short: "Compare the metrics of two runs, paired by seed",
		Long: `Compare two runs, the folders that hold their manifest.json: for each arm that
both have by name and each metric of whole runs that both have, the difference
second minus first at the last step both have, averaged over the seeds both
have, with the 95 % confidence interval of Student's t. A single pair has no
interval, nor has a metric with an infinite difference; equal infinities differ
by 0. Statistics over seeds such as regret.expected have no value for a seed and
are not compared.

With --json, print all digits and the difference under each seed; infinities and
NaN, which JSON has not, and intervals that do not exist are null.

Exit status: 0 done, 1 failed, 2 bad input, or nothing in common to compare.`,
		Example: `  starling compare results/dpdonc-localization/0123456789ab results/dpdonc-localization/ba9876543210`,
		Args:    exactly(2, "the folders of two runs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			comparison, err := compare(args[0], args[1])
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), newComparisonJSON(args[0], args[1], comparison))
			}
			return printComparison(cmd.OutOrStdout(), args[0], args[1], comparison)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func compare(first, second string) (results.Comparison, error) {
	var runs [2]*results.Run
	for i, dir := range []string{first, second} {
		run, err := results.Open(dir)
		if err != nil {
			return results.Comparison{}, scenarios.BadInput(err)
		}
		runs[i] = run
	}
	comparison, err := results.Compare(runs[0], runs[1])
	if errors.Is(err, results.ErrNothingCommon) {
		err = scenarios.BadInput(fmt.Errorf("%s and %s: %w", first, second, err))
	}
	return comparison, err
}

// printComparison prints a metric of an arm a row.
func printComparison(w io.Writer, first, second string, c results.Comparison) error {
	fmt.Fprintf(w, "first   %s\nsecond  %s\n\n", first, second)
	table := results.Table{Header: []string{"arm", "metric", "step", "pairs", "second - first", "95 % from", "to"}}
	for _, d := range c.Rows {
		low, high := "", ""
		if !math.IsNaN(d.Low) {
			low, high = results.FormatValue(d.Low), results.FormatValue(d.High)
		}
		table.Rows = append(table.Rows, []string{
			d.Arm, d.Metric, strconv.FormatInt(d.Step, 10), strconv.Itoa(len(d.Pairs)),
			results.FormatValue(d.Mean), low, high,
		})
	}
	if err := table.Write(w); err != nil {
		return err
	}
	if len(c.Notes) > 0 {
		fmt.Fprintln(w)
	}
	for _, note := range c.Notes {
		if _, err := fmt.Fprintf(w, "note: %s\n", note); err != nil {
			return err
		}
	}
	return nil
}

// comparisonJSON is what compare --json prints.
type comparisonJSON struct {
	First       string           `json:"first"`  // the folder, as given
	Second      string           `json:"second"` // the folder, as given
	Confidence  float64          `json:"confidence"`
	Differences []differenceJSON `json:"differences"`
	Notes       []string         `json:"notes"`
}

type differenceJSON struct {
	Arm            string     `json:"arm"`
	Metric         string     `json:"metric"`
	Step           int64      `json:"step"`
	PairCount      int        `json:"pair_count"`
	MeanDifference number     `json:"mean_difference"`
	IntervalLow    number     `json:"interval_low"`
	IntervalHigh   number     `json:"interval_high"`
	Pairs          []pairJSON `json:"pairs"`
}

type pairJSON struct {
	Seed       uint64 `json:"seed"`
	Difference number `json:"difference"`
}

func newComparisonJSON(first, second string, c results.Comparison) comparisonJSON {
	out := comparisonJSON{First: first, Second: second, Confidence: results.Confidence, Notes: []string{}}
	out.Notes = append(out.Notes, c.Notes...)
	for _, d := range c.Rows {
		row := differenceJSON{
			Arm: d.Arm, Metric: d.Metric, Step: d.Step, PairCount: len(d.Pairs),
			MeanDifference: number(d.Mean), IntervalLow: number(d.Low), IntervalHigh: number(d.High),
		}
		for _, p := range d.Pairs {
			row.Pairs = append(row.Pairs, pairJSON{p.Seed, number(p.Difference)})
		}
		out.Differences = append(out.Differences, row)
	}
	return out
}
