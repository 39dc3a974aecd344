package results_test

import (
	"fmt"

	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
)

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
		fmt.Println(row.Arm, row.Step, row.Metric, tabular.FormatEstimate(row.Mean, row.SE), "over", row.N, "seeds")
	}
	// Output:
	// epsilon=1 100 regret.run 12.00 ± 0.82 over 4 seeds
}
