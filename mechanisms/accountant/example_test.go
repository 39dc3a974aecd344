package accountant_test

import (
	"fmt"

	"starling/mechanisms/accountant"
)

// How much Gaussian noise does (epsilon, delta) take? The exact answer is well
// below that of the way by zCDP, which most papers go.
func ExampleGaussianSigma() {
	const epsilon, delta = 1, 1e-5
	exact, err := accountant.GaussianSigma(epsilon, delta)
	if err != nil {
		fmt.Println(err)
		return
	}
	rho, err := accountant.RhoOf(epsilon, delta)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("exact     sigma = %.3f\n", exact)
	fmt.Printf("by zCDP   sigma = %.3f\n", accountant.SigmaOfRho(rho))
	// Output:
	// exact     sigma = 3.731
	// by zCDP   sigma = 4.901
}

// The other way round: what does noise of standard deviation 2 cost, for a sum that
// one person moves by at most 1?
func ExampleGaussianEpsilon() {
	for _, delta := range []float64{1e-3, 1e-6, 1e-9} {
		epsilon, err := accountant.GaussianEpsilon(2, delta)
		fmt.Printf("delta %g: epsilon %.3f, %v\n", delta, epsilon, err)
	}
	// Output:
	// delta 0.001: epsilon 1.352, <nil>
	// delta 1e-06: epsilon 2.254, <nil>
	// delta 1e-09: epsilon 2.910, <nil>
}

// The privacy of many releases with a pure epsilon each. At delta 0 the epsilons add
// up; with a small delta a square root of their number is enough.
func ExampleOptimalComposition() {
	const epsilon, releases, delta = 0.1, 100, 1e-6
	sum, err := accountant.BasicComposition(epsilon, releases)
	fmt.Printf("sum       %.2f %v\n", sum, err)
	advanced, err := accountant.AdvancedComposition(epsilon, releases, delta)
	fmt.Printf("advanced  %.2f %v\n", advanced, err)
	optimal, err := accountant.OptimalComposition(epsilon, releases, delta)
	fmt.Printf("optimal   %.2f %v\n", optimal, err)
	// Output:
	// sum       10.00 <nil>
	// advanced  6.31 <nil>
	// optimal   4.77 <nil>
}

// A thousand steps of DP-SGD on samples of 1 %, accounted in three ways: the sharper
// the way, the smaller the epsilon of the same run.
func ExampleSampledGaussian_Epsilon() {
	run := accountant.SampledGaussian{Rate: 0.01, Noise: 1, Steps: 1000}
	for _, method := range accountant.Methods() {
		epsilon, _, err := run.Epsilon(1e-5, method)
		fmt.Printf("%-8s %.2f %v\n", method, epsilon, err)
	}
	// Output:
	// rdp      2.54 <nil>
	// rdp-cks  2.10 <nil>
	// pld      1.83 <nil>
}

// How many steps does a budget of epsilon 2 at delta 1e-5 pay for?
func ExampleSampledGaussian_StepsWithin() {
	step := accountant.SampledGaussian{Rate: 0.01, Noise: 1}
	steps, epsilon, order, err := step.StepsWithin(2, 1e-5, accountant.RDP)
	fmt.Printf("%d steps, epsilon %.3f by order %.0f, %v\n", steps, epsilon, order, err)
	// Output:
	// 397 steps, epsilon 1.999 by order 8, <nil>
}

// Losses of different kinds stand side by side in a Total until a delta turns them
// into one epsilon.
func ExampleTotal_Add() {
	var total accountant.Total
	for range 10 {
		total.Add(accountant.Loss{Epsilon: 0.1})
	}
	total.Add(accountant.Loss{Rho: accountant.GaussianRho(4)})
	fmt.Println("private:", total.Private(), "rho:", total.Rho())
	epsilon, err := total.Epsilon(1e-6, accountant.PLD)
	fmt.Printf("epsilon %.2f at delta 1e-6, %v\n", epsilon, err)
	// Output:
	// private: true rho: 0.03125
	// epsilon 2.06 at delta 1e-6, <nil>
}

// A hundred releases of Laplace noise. Who knows that the noise is Laplace's, and not only
// that each release has epsilon 0.1, can state less.
func ExampleLoss_laplace() {
	var known, unknown accountant.Total
	for range 100 {
		known.Add(accountant.Loss{Epsilon: 0.1, Laplace: 0.1})
		unknown.Add(accountant.Loss{Epsilon: 0.1})
	}
	for _, total := range []*accountant.Total{&known, &unknown} {
		epsilon, err := total.Epsilon(1e-6, accountant.PLD)
		fmt.Printf("%.3f %v\n", epsilon, err)
	}
	// Output:
	// 4.693 <nil>
	// 4.775 <nil>
}

// The privacy of a family of three, each of whom has a record.
func ExampleLoss_Group() {
	for _, loss := range []accountant.Loss{{Epsilon: 0.5}, {Rho: 0.02}} {
		group, err := loss.Group(3)
		fmt.Println(loss, "of one,", group, "of three;", err)
	}
	// Output:
	// 0.5 of one, 1.5 of three; <nil>
	// rho 0.02 of one, rho 0.18 of three; <nil>
}

// Epsilons for a record added or removed are not those for a record replaced.
func ExampleTotal_ReplaceEpsilon() {
	var total accountant.Total
	total.Add(accountant.Loss{Sampled: accountant.SampledGaussian{Rate: 0.01, Noise: 1, Steps: 100}})
	added, err := total.Epsilon(1e-5, accountant.RDPCKS)
	fmt.Printf("%s: %.2f %v\n", accountant.AddOrRemove, added, err)
	replaced, err := total.ReplaceEpsilon(1e-5, accountant.RDPCKS)
	fmt.Printf("%s: %.2f %v\n", accountant.Replace, replaced, err)
	// Output:
	// add-or-remove: 1.21 <nil>
	// replace: 2.85 <nil>
}

// A budget is asked before a release is made, with the release already in the total.
func ExampleLimit_Allows() {
	limit := accountant.NewLimit(accountant.Loss{Epsilon: 1}, accountant.PLD)
	var spent accountant.Total
	for release := 1; ; release++ {
		next := spent.Clone()
		next.Add(accountant.Loss{Epsilon: 0.3})
		allowed, err := limit.Allows(&next)
		fmt.Println("release", release, allowed, err)
		if err != nil || !allowed {
			return
		}
		spent = next
	}
	// Output:
	// release 1 true <nil>
	// release 2 true <nil>
	// release 3 true <nil>
	// release 4 false <nil>
}
