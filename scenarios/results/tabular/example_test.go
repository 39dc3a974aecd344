package tabular_test

import (
	"fmt"
	"math"
	"os"

	"starling/scenarios/results/tabular"
)

// A table fits its terminal: long cells go on in the next line, and numbers stay
// aligned to the right.
func ExampleTable_WriteWithin() {
	table := tabular.Table{
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
	fmt.Println(tabular.FormatEstimate(0.123456, 0.0012345))
	fmt.Println(tabular.FormatEstimate(12344567, 123456))
	fmt.Println(tabular.FormatEstimate(3, 0))
	fmt.Println(tabular.FormatEstimate(0.123456, math.NaN()))
	// Output:
	// 0.1235 ± 0.0012
	// (1.234 ± 0.012)e+07
	// 3 ± 0
	// 0.1235
}

// Text for a terminal, in lines.
func ExampleWrap() {
	for _, line := range tabular.Wrap("The privacy of a message says nothing without its observer.", 24) {
		fmt.Println(line)
	}
	// Output:
	// The privacy of a message
	// says nothing without its
	// observer.
}
