package mirror_test

import (
	"fmt"

	"starling/actors/algorithm/mirror"
)

// One mirror step in the geometry of Q on the l1 ball of DPDO-NC's experiment.
// Projecting z in the 2-norm instead would give another point, (2.5, 0.5).
func ExampleNewSolver() {
	ball, err := mirror.NewL1Ball(2, 3, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	divergence, err := mirror.NewMahalanobis([][]float64{{1, 0}, {0, 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	solver, err := mirror.NewSolver(divergence, ball)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, work := make([]float64, 2), make([]float64, solver.WorkSize())
	z, gradient, alpha := []float64{4, 2}, []float64{0, 0}, 0.1
	if err := solver.Solve(x, z, gradient, alpha, work); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", x)
	// Output: [1.7500 1.2500]
}
