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

// On the simplex the entropy makes the mirror step a product: no projection, and every
// entry stays positive.
func ExampleEntropy() {
	simplex, err := mirror.NewSimplex(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	solver, err := mirror.NewSolver(mirror.Entropy{}, simplex)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, work := []float64{0.2, 0.3, 0.5}, make([]float64, solver.WorkSize())
	loss := []float64{0, 0, 1} // of the third expert alone
	for range 3 {
		if err := solver.Solve(x, x, loss, 1, work); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.3f\n", x)
	}
	// Output:
	// [0.292 0.439 0.269]
	// [0.352 0.528 0.119]
	// [0.381 0.572 0.047]
}

// What a set knows of itself: projections, its diameter, and the best point for a
// linear cost, against which regret is taken.
func ExampleL1Ball() {
	ball, err := mirror.NewL1Ball(2, 3, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, work := make([]float64, 2), make([]float64, ball.WorkSize())
	ball.Project(x, []float64{4, 2}, work)
	fmt.Println("projected:", x, "diameter:", ball.Diameter())
	ball.Maximizer(x, []float64{1, -2}) // of -<g, x>
	fmt.Println("best point:", x, "its gain:", ball.Support([]float64{1, -2}))
	// Output:
	// projected: [2.5 0.5] diameter: 6
	// best point: [0 3] its gain: 6
}
