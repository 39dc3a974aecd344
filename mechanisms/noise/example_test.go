package noise_test

import (
	"errors"
	"fmt"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
)

// Ten people tell a number of [0, 1] each, and their mean is released twice. One person
// moves the mean by at most 1/10: the noise is fitted to that, and the loss of a release
// is paid before the noise is drawn. The second release is more than the budget pays for,
// and leaves the mean unchanged, so that nobody sends it by mistake.
func ExampleCalibration() {
	moves := noise.MovesL1(0.1, 1)
	laplace := noise.Calibration{Law: noise.LaplaceLaw, Level: 0.5}.Fit(moves)
	fmt.Printf("scale %g, epsilon %g\n", laplace.Scale, laplace.Loss(moves).Epsilon)

	left := 0.8
	pay := func(loss accountant.Loss) error {
		if loss.Epsilon > left {
			return errors.New("the budget is spent")
		}
		left -= loss.Epsilon
		return nil
	}
	generator := rng.New(1)
	for range 2 {
		mean := []float64{0.4}
		_, err := laplace.Release(mean, generator, moves, pay)
		fmt.Printf("noise was added: %v, left %.1f, %v\n", mean[0] != 0.4, left, err)
	}
	// Output:
	// scale 0.2, epsilon 0.5
	// noise was added: true, left 0.3, <nil>
	// noise was added: false, left 0.3, the budget is spent
}
