package model_test

import (
	"fmt"
	"math"

	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/model"
)

// brightness has three images of one pixel, and two classes: dark and bright.
type brightness struct{}

func (brightness) Len() int   { return 3 }
func (brightness) Width() int { return 1 }
func (brightness) Sample(i int, features []float32) (label int) {
	features[0] = []float32{0, 1, 0.5}[i]
	return []int{0, 1, 1}[i]
}

// A step of DP-SGD sums the gradients of a batch, each clipped to a 2-norm C. A sample
// moves the sum by at most C, whatever its data: that is the sensitivity to which noise is
// fitted. The norms before clipping have no such bound, and are for nobody else to see.
func ExampleModel_SumClipped() {
	m, err := model.New(model.Logistic(dataset.Shape{Channels: 1, Rows: 1, Columns: 1}, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	const clip = 0.75
	params := make([]float64, m.Dim()) // both classes are as likely
	workspace := m.NewWorkspace()
	show := func(batch ...int) {
		sum := make([]float64, m.Dim())
		clipping, err := m.SumClipped(sum, params, brightness{}, batch, clip, workspace)
		if err != nil {
			fmt.Println(err)
		}
		square := 0.0
		for _, g := range sum {
			square += g * g
		}
		fmt.Printf("samples %v: gradients of norm %.3f, %d clipped, sum of norm %.3f\n", batch, clipping.Norms, clipping.Clipped, math.Sqrt(square))
	}
	show(0)
	show(1)
	show(1, 2)
	// Output:
	// samples [0]: gradients of norm [0.707], 0 clipped, sum of norm 0.707
	// samples [1]: gradients of norm [1.000], 1 clipped, sum of norm 0.750
	// samples [1 2]: gradients of norm [1.000 0.791], 2 clipped, sum of norm 1.481
}
