package results_test

import (
	"fmt"
	"math"
	"os"

	"starling/scenarios/results"
)

// A table fits its terminal: long cells go on in the next line, and numbers stay
// aligned to the right.
func ExampleTable_WriteWithin() {
	table := results.Table{
		Header: []string{"arm", "regret", "what it is"},
		Rows: [][]string{
			{"epsilon=1", "84.31", "Laplace noise on every message, calibrated to epsilon a step"},
			{"none", "7.58", "no noise"},
		},
	}
	if err := table.WriteWithin(os.Stdout, 50); err != nil {
		fmt.Println(err)
	}
	// Output:
	// arm        regret  what it is
	// epsilon=1   84.31  Laplace noise on every message,
	//                    calibrated to epsilon a step
	// none         7.58  no noise
}

// Estimates show as many digits as their standard errors are worth.
func ExampleFormatEstimate() {
	fmt.Println(results.FormatEstimate(0.123456, 0.0012345))
	fmt.Println(results.FormatEstimate(12344567, 123456))
	fmt.Println(results.FormatEstimate(3, 0))
	fmt.Println(results.FormatEstimate(0.123456, math.NaN()))
	// Output:
	// 0.1235 ± 0.0012
	// (1.234 ± 0.012)e+07
	// 3 ± 0
	// 0.1235
}

// Means and standard errors over seeds, taken as the jobs come in.
func ExampleSummarizer() {
	summary := results.NewSummarizer([]string{"epsilon=1"})
	for seed, regret := range []float64{10, 12, 14, 12} {
		job := results.NewJob("epsilon=1", uint64(seed+1))
		job.Add(100, "regret.run", regret)
		if err := summary.AddJob(job); err != nil {
			fmt.Println(err)
			return
		}
	}
	for _, row := range summary.Rows() {
		fmt.Println(row.Arm, row.Step, row.Metric, results.FormatEstimate(row.Mean, row.SE), "over", row.N, "seeds")
	}
	// Output:
	// epsilon=1 100 regret.run 12.00 ± 0.82 over 4 seeds
}

// Text for a terminal, in lines.
func ExampleWrap() {
	for _, line := range results.Wrap("The privacy of a message says nothing without its observer.", 24) {
		fmt.Println(line)
	}
	// Output:
	// The privacy of a message
	// says nothing without its
	// observer.
}
