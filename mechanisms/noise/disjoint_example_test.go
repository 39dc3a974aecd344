package noise_test

import (
	"fmt"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
)

// Three gradients, each of other people's data: whoever gave the data of one pays for
// one release.
func ExampleDisjoint() {
	d := noise.Disjoint{Additive: noise.Additive{Law: noise.LaplaceLaw, Scale: 4}, Moves: noise.Moves{L1: 2}}
	pay := func(l accountant.Loss) error { fmt.Println("pays epsilon", l.Epsilon); return nil }
	var stream rng.Stream
	for t := range 3 {
		gradient, drawn := []float64{1, 0}, make([]float64, 2)
		r := stream.Open(rng.NewKey(1, rng.PurposeOf("example")), 0, t, 0)
		if _, err := d.Release(gradient, drawn, r, pay); err != nil {
			panic(err)
		}
	}
	fmt.Println("in all", d.Loss().Epsilon)
	// Output:
	// pays epsilon 0.5
	// in all 0.5
}
