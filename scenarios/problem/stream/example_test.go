package stream_test

import (
	"fmt"

	"starling/actors/algorithm/mirror"
	"starling/scenarios/problem"
)

// A datum of localization is where a sensor stands and the distance that it measures.
func Example_dataOfEquals() {
	set, err := mirror.NewL1Ball(2, 3, nil)
	if err != nil {
		panic(err)
	}
	o := problem.DefaultLocalizationOptions()
	o.Sensors.Same = &problem.SameOptions{Position: []float64{0.8, 1.95}} // the target begins 1 below
	p, err := problem.NewLocalization(o, 2, set)
	if err != nil {
		panic(err)
	}
	in, err := p.Draw(1, 10)
	if err != nil {
		panic(err)
	}
	data := in.(problem.Data)
	datum := make([]float64, data.Width())
	data.Datum(datum, 0, 1)
	fmt.Printf("sensor (%.2f, %.2f), distance %.2f\n", datum[0], datum[1], datum[2])
	fmt.Printf("loss at (0.80, 0.95): %.3f\n", p.Model().Loss([]float64{0.8, 0.95}, datum))
	// Output:
	// sensor (0.80, 1.95), distance 1.00
	// loss at (0.80, 0.95): 0.000
}
