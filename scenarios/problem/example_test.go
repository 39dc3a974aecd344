package problem_test

import (
	"fmt"

	"starling/actors/algorithm/mirror"
	"starling/scenarios/problem"
)

// Six sensors on a circle measure their distances from a target that stays. A point
// near the target costs all of them little.
func ExampleNewLocalization() {
	ball, err := mirror.NewL1Ball(2, 3, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	options := problem.DefaultLocalizationOptions()
	options.Sensors.Circle = &problem.CircleOptions{Radius: 4}
	options.Target = problem.TargetOptions{Start: []float64{1, 1}, Motion: "still"}
	localization, err := problem.NewLocalization(options, 6, ball)
	if err != nil {
		fmt.Println(err)
		return
	}
	instance, err := localization.Draw(1, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("no gradient is longer than %.2f\n", localization.GradientBound())
	for _, x := range [][]float64{{1, 1}, {-1, -1}} {
		fmt.Printf("at %v sensor 0 loses %.3f\n", x, instance.Loss(0, 1, x))
	}
	// Output:
	// no gradient is longer than 6.00
	// at [1 1] sensor 0 loses 0.000
	// at [-1 -1] sensor 0 loses 1.874
}

// Options that do not fit are named by their keys, all at once.
func ExampleLocalizationOptions_Validate() {
	options := problem.DefaultLocalizationOptions()
	options.MeasurementNoise = -1
	fmt.Println(options.Validate())
	// Output:
	// sensors: has 0 layouts, want exactly one of positions, circle, same, random, topology
	// measurement_noise: is -1, want a finite number of at least 0
}
