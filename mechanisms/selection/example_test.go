package selection_test

import (
	"fmt"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/mechanisms/selection"
)

// pay writes down what a release costs; to refuse it, return an error.
func pay(loss accountant.Loss) error {
	fmt.Println("pays", loss)
	return nil
}

func exampleStream() *rng.Stream { return new(rng.Stream) }

var exampleKey = rng.NewKey(1, rng.PurposeOf("example.selection"))

// Choose the best of four privately: counts of votes, of which one person moves one
// by 1.
func ExampleExponential_Select() {
	votes := []float64{12, 30, 28, 3}
	mechanism := selection.Exponential{Scale: 2}
	chosen, receipt, err := mechanism.Select(votes, exampleStream().Open(exampleKey, 0, 1, 0), 1, pay)
	fmt.Println(chosen, receipt.Protects(), err)
	// Output:
	// pays 1
	// 1 true <nil>
}

// Report noisy max costs half as much where a person moves all votes the same way.
func ExampleReportNoisyMax_Loss() {
	fmt.Println(selection.ReportNoisyMax{Law: selection.LaplaceLaw, Scale: 2}.Loss(1))
	fmt.Println(selection.ReportNoisyMax{Law: selection.LaplaceLaw, Scale: 2, Monotone: true}.Loss(1))
	// Output:
	// 1
	// 0.5
}

// The sparse vector technique: many questions for the price of the one whose answer
// is yes.
func ExampleAboveThreshold() {
	mechanism := selection.AboveThreshold{Threshold: 50, ThresholdScale: 2, QueryScale: 4}
	r := exampleStream().Open(exampleKey, 0, 2, 0)
	noisy, err := mechanism.Arm(r, 1, pay)
	if err != nil {
		fmt.Println(err)
		return
	}
	for query, value := range []float64{3, 10, 20, 90, 40} {
		above := mechanism.Above(noisy, value, r)
		fmt.Println("query", query, above)
		if above {
			break
		}
	}
	// Output:
	// pays 1
	// query 0 false
	// query 1 false
	// query 2 false
	// query 3 true
}
