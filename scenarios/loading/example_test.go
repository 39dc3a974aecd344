package loading_test

import (
	"fmt"

	"starling/scenarios/document"
	"starling/scenarios/loading"
)

// A grid of two paths makes an arm of every combination, the last path varying fastest.
// Each arm is a document of its own, in which the values stand as if they were written
// there, and is named by them.
func ExampleSpread() {
	doc, err := document.Parse("study.yaml", []byte(`nodes: 10
mechanism: {kind: laplace, epsilon: 1}
sweep:
  grid:
    nodes: [10, 20]
    mechanism.epsilon: [0.5, none]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	sweep, _ := doc.Find("sweep")
	arms, err := loading.Spread(doc, sweep)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, arm := range arms {
		nodes, _ := arm.Document.Find("nodes")
		fmt.Println(arm.Name, "has nodes:", nodes.Text())
	}
	// Output:
	// nodes=10,epsilon=0.5 has nodes: 10
	// nodes=10,epsilon=none has nodes: 10
	// nodes=20,epsilon=0.5 has nodes: 20
	// nodes=20,epsilon=none has nodes: 20
}
