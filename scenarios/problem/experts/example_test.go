package experts_test

import (
	"fmt"

	"starling/scenarios/problem/experts"
)

// Two clients have losses of three experts over two steps. Up to step 1 the first expert
// is best for both together; up to step 2 it is the third, although neither client would
// have chosen it in step 1. Regret at a step is the loss of what was played less this.
func ExampleInstance_Hindsight() {
	table, err := experts.NewTable([][]float64{
		{0.0, 0.5, 0.25}, // client 1, step 1
		{1.0, 0.5, 0.25}, // client 1, step 2
		{0.0, 1.0, 0.25}, // client 2, step 1
		{1.0, 0.0, 0.25}, // client 2, step 2
	}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	losses, err := table.Draw(1, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	best, err := losses.Hindsight([]int{1, 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for k, step := range []int{1, 2} {
		fmt.Printf("up to step %d: expert %d, loss %g\n", step, best.Expert[k], best.Loss[k])
	}
	// Output:
	// up to step 1: expert 1, loss 0
	// up to step 2: expert 3, loss 1
}
