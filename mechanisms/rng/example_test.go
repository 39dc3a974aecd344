package rng_test

import (
	"fmt"

	"starling/mechanisms/rng"
)

// A stream depends on its key alone: whoever opens it, in whatever order, draws the
// same numbers.
func Example() {
	key := rng.NewKey(1, rng.PurposeOf("example"))
	var first, second rng.Stream
	first.Open(key, 7, 100, 0).NormFloat64() // another node's, which changes nothing
	a := first.Open(key, 3, 100, 0).NormFloat64()
	b := second.Open(key, 3, 100, 0).NormFloat64()
	fmt.Println(a == b)
	// Output:
	// true
}

// Purposes keep the uses of one seed apart, and seeds the runs.
func ExampleNewKey() {
	noise, data := rng.PurposeOf("noise"), rng.PurposeOf("data")
	fmt.Println(rng.NewKey(1, noise) == rng.NewKey(1, data))
	fmt.Println(rng.NewKey(1, noise) == rng.NewKey(2, noise))
	fmt.Println(rng.NewKey(1, noise) == rng.NewKey(1, rng.PurposeOf("noise")))
	// Output:
	// false
	// false
	// true
}

// One number for a node and a step, in any order and without a stream: such as
// whether a node is there.
func ExampleKey_Uniform() {
	key := rng.NewKey(42, rng.PurposeOf("example.attendance"))
	for step := 3; step >= 1; step-- {
		for node := range 6 {
			if key.Uniform(node, step, 0) < 0.5 {
				fmt.Print(node, " ")
			}
		}
		fmt.Println("are there in step", step)
	}
	// Output:
	// 1 2 are there in step 3
	// 0 2 3 4 are there in step 2
	// 0 4 are there in step 1
}
