package audit_test

import (
	"fmt"

	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
)

// noisyCounts draws outcomes of a count with Laplace noise of a scale, of the counts 0 and
// 1, of which one person makes the difference.
func noisyCounts(scale float64, samples int) (a, b []float64) {
	key := rng.NewKey(1, rng.PurposeOf("example.audit"))
	var stream rng.Stream
	for i := range samples {
		r := stream.Open(key, 0, i, 0)
		a = append(a, scale*(r.ExpFloat64()-r.ExpFloat64()))
		b = append(b, 1+scale*(r.ExpFloat64()-r.ExpFloat64()))
	}
	return a, b
}

// A lower bound on epsilon from outcomes alone: the noise has epsilon 1, and nothing
// about it is assumed.
func ExampleLowerBound() {
	a, b := noisyCounts(1, 20000)
	bound, err := audit.LowerBound(a, b, audit.HalfPilot, audit.Epsilon(0), 0.99)
	fmt.Printf("epsilon is at least %.2f, %v\n", bound.Value, err)
	// Output:
	// epsilon is at least 0.92, <nil>
}

// An account of epsilon 1, first of noise that has it, then of half the noise.
func ExampleJudge() {
	for _, scale := range []float64{1, 0.5} {
		a, b := noisyCounts(scale, 20000)
		f, err := audit.Judge(accountant.Loss{Epsilon: 1}, 0, a, b, audit.HalfPilot, 0.99)
		fmt.Printf("scale %g: audited %.2f, exceeded %v, %v\n", scale, f.Audited, f.Exceeded(), err)
	}
	// Output:
	// scale 1: audited 0.92, exceeded false, <nil>
	// scale 0.5: audited 1.91, exceeded true, <nil>
}

// One run with a thousand canaries, of which half were in by a fair coin: how much
// privacy do 80 right of 100 guesses leave?
func ExampleOneRunEpsilon() {
	for _, right := range []int{50, 65, 80, 95} {
		epsilon, err := audit.OneRunEpsilon(1000, 100, right, 0, 0.95)
		fmt.Printf("%d right: epsilon at least %.2f, %v\n", right, epsilon, err)
	}
	// Output:
	// 50 right: epsilon at least 0.00, <nil>
	// 65 right: epsilon at least 0.26, <nil>
	// 80 right: epsilon at least 0.96, <nil>
	// 95 right: epsilon at least 2.17, <nil>
}

// What do 3 of 1000 trials say of a probability? Clopper-Pearson limits at 99 %.
func ExampleUpperLimit() {
	fmt.Printf("%.4f to %.4f\n", audit.LowerLimit(3, 1000, 0.005), audit.UpperLimit(3, 1000, 0.005))
	// Output:
	// 0.0003 to 0.0109
}

// Two numbers of a run that ought to be independent noise, and are the same number.
func ExampleResiduals() {
	test := audit.NewResiduals([]audit.Residual{
		{Name: "noise of step 1", Law: noise.GaussianLaw},
		{Name: "noise of step 2", Law: noise.GaussianLaw},
	})
	key := rng.NewKey(1, rng.PurposeOf("example.residuals"))
	var stream rng.Stream
	for run := range 500 {
		number := stream.Open(key, 0, run, 0).NormFloat64()
		if err := test.Add([]float64{number, number}); err != nil {
			fmt.Println(err)
			return
		}
	}
	noise := test.Judge(0.01)
	fmt.Println("as stated:", noise.AsStated())
	fmt.Println("clearest:", noise.Deviations[0].Residuals)
	// Output:
	// as stated: false
	// clearest: noise of step 1 with noise of step 2
}
