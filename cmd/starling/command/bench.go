package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"starling/bench/workload"
	"starling/cmd/starling/command/shell"
)

// flags are the flags of bench.
type flags struct {
	// only is a regular expression that names of workloads match in a part; empty is all.
	only string
	// count is the number of samples of each workload.
	count int
	// quick does a tenth of the work.
	quick bool
	// json prints the report with all samples.
	json bool
	// baseline is the file of a report to compare with; empty compares with none.
	baseline string
}

// The share of the work that quick leaves, and the default number of samples: the fewest that
// have a finite 95 % confidence interval of a median.
const (
	quickPart    = 10
	usualCount   = 6
	largestCount = 1000
)

// benchVerb returns the verb bench for a program.
func benchVerb(shared shell.Program) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure this program, in ratios to plain loops",
		Long: `Measure this program on this machine. Each workload is run and, in turn with it,
a plain loop in the same process: the same arithmetic over arrays, without
actors, on two goroutines. The ratios of the two separate the program from
the machine, and from other work on it.

Printed are medians over the samples, with 95 % confidence intervals from order
statistics: nanoseconds of the clock and of all cores together (processor), and
allocations and bytes, for each unit, such as a step of a participant; the most
memory that the process held; and the ratios. Of the engine and its loops a second
table has the speed-up: how many times as fast all cores are as one. With
--baseline, the changes since a report that --json printed before, and p of the
Mann-Whitney U test: ~ is no change at 0.05. Compare reports of one machine only.

The groups: run (whole runs with data, noise, metrics and results), engine (the
actor engine alone), algorithms, noise, graphs, models, results, and program
(starts of this program). All take some minutes.

Exit status: 0 done, 1 a workload failed, 2 bad input.`,
		Example: `  starling bench --quick
  starling bench --only '^run/gossip' --count 10
  starling bench --json > before.json
  starling bench --baseline before.json`,
		Args: shell.Exactly(0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd, shared, f) },
	}
	cmd.Flags().StringVar(&f.only, "only", "", "measure the workloads whose names match this regular `PATTERN`")
	cmd.Flags().IntVar(&f.count, "count", usualCount, "samples of each workload")
	cmd.Flags().BoolVar(&f.quick, "quick", false, "do a tenth of the work: for a look, not for reports")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON with all samples")
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "compare with the report in this `FILE`, as --json prints it")
	return cmd
}

// run measures and prints. Bad input is refused before anything is measured.
func run(cmd *cobra.Command, shared shell.Program, f flags) error {
	chosen, err := f.workloads()
	if err != nil {
		return shell.Usage(err)
	}
	part := 1
	if f.quick {
		part = quickPart
	}
	report := workload.NewReport(shell.Version, part)
	var baseline *workload.Report
	if f.baseline != "" {
		if baseline, err = workload.ReadReport(f.baseline); err == nil {
			err = report.Comparable(baseline)
		}
		if err != nil {
			return shell.Usage(fmt.Errorf("--baseline: %w", err))
		}
	}
	for i := range chosen {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d: %s\n", i+1, len(chosen), chosen[i].Summary)
		result, err := measured(cmd.Context(), &chosen[i], shared, part, f.count)
		if err != nil {
			return err
		}
		report.Workloads = append(report.Workloads, result)
	}
	switch {
	case f.json:
		return shell.WriteJSON(cmd.OutOrStdout(), report)
	case baseline != nil:
		return printChanges(cmd.OutOrStdout(), report, baseline)
	}
	return printReport(cmd.OutOrStdout(), report)
}

// workloads returns the workloads that the flags select.
func (f *flags) workloads() (chosen []workload.Workload, err error) {
	if f.count < 1 || f.count > largestCount {
		return nil, fmt.Errorf("--count %d: want 1 to %d", f.count, largestCount)
	}
	if f.json && f.baseline != "" {
		return nil, errors.New("--json prints a report and --baseline a comparison; ask for one")
	}
	pattern, err := regexp.Compile(f.only)
	if err != nil {
		return nil, fmt.Errorf("--only: %w", err)
	}
	var names []string
	for _, w := range workload.All() {
		names = append(names, w.Name)
		if pattern.MatchString(w.Name) {
			chosen = append(chosen, w)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("--only %s: no workload has such a name; there are %s", f.only, strings.Join(names, ", "))
	}
	return chosen, nil
}

// measured measures a workload with a folder of its own, which is removed.
func measured(ctx context.Context, w *workload.Workload, shared shell.Program, part, count int) (r workload.Result, err error) {
	folder, err := os.MkdirTemp("", "starling-bench-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(folder)
	program, err := os.Executable()
	if err != nil {
		return r, err
	}
	return workload.Measure(ctx, w, &workload.Environment{Loader: shared.Loader(""), Program: program, Folder: folder, Part: part}, count)
}
