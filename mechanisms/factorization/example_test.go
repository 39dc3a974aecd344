package factorization_test

import (
	"fmt"

	"starling/mechanisms/factorization"
)

// What does noise on 1024 prefix sums cost, at the same privacy? The mean variance
// of a sum, and the numbers that its stream keeps for each coordinate.
func ExampleNew() {
	for _, options := range []factorization.Options{
		{Kind: factorization.Independent, N: 1024},
		{Kind: factorization.Tree, N: 1024},
		{Kind: factorization.Toeplitz, N: 1024},
		{Kind: factorization.ARSum, N: 1024, Chains: 6},
		{Kind: factorization.Optimal, N: 1024, Gap: 1e-6},
	} {
		f, err := factorization.New(options)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-11s mse %6.2f, %2d numbers\n", f.Kind(), f.MSE(), f.MemoryPerCoordinate())
	}
	// Output:
	// independent mse 512.50,  0 numbers
	// tree        mse  55.01, 10 numbers
	// toeplitz    mse   9.67, 36 numbers
	// ar-sum      mse   8.74,  6 numbers
	// optimal     mse   8.73, 21 numbers
}

// The noise of a binary tree on the first prefix sums: sum t adds one node for each
// 1 in the binary representation of t.
func ExampleFactorization_RowNorms() {
	f, err := factorization.New(factorization.Options{Kind: factorization.Tree, N: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("sensitivity squared:", f.Sensitivity()*f.Sensitivity())
	for variance := range f.RowNorms() {
		fmt.Print(variance, " ")
	}
	fmt.Println()
	// Output:
	// sensitivity squared: 4
	// 1 1 2 1 2 2 3 1
}

// How good is the optimum that was found? The gap is certified: no factorization has
// an error that is smaller by more.
func ExampleFactorization_Gap() {
	f, err := factorization.New(factorization.Options{Kind: factorization.Optimal, N: 256, Gap: 1e-6})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("within a millionth:", f.Gap() <= 1e-6)
	few, err := factorization.New(factorization.Options{Kind: factorization.ARSum, N: 256, Chains: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("with two chains: %.1f %% above the optimum\n", 100*(few.MSE()/f.MSE()-1))
	// Output:
	// within a millionth: true
	// with two chains: 14.5 % above the optimum
}

// Memory is known before anything is built, and wrong options have a reason.
func ExampleOptions_MemoryPerCoordinate() {
	options := factorization.Options{Kind: factorization.Tree, N: 1_000_000}
	fmt.Println(options.Validate(), options.MemoryPerCoordinate())
	options = factorization.Options{Kind: factorization.BandedToeplitz, N: 10, Bands: 11}
	fmt.Println(options.Validate())
	// Output:
	// <nil> 19
	// factorization banded-toeplitz has 11 bands, want 1 to 10
}
