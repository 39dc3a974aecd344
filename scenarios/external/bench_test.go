package external_test

import (
	"fmt"
	"testing"

	"starling/scenarios/external"
)

// BenchmarkCall is the cost of a call beside what it computes: so many rows of 100 entries go
// to Python, and come back as they are.
func BenchmarkCall(b *testing.B) {
	for _, rows := range []int{1, 100, 1000, 10000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			o := box(b, program(b, nil), nil)
			x := external.Array{Name: "x", Shape: []int{rows, 100}, Values: make([]float64, rows*100)}
			c := external.Call{Method: "itself", Arrays: []external.Array{x}}
			call(b, o, c)
			b.SetBytes(int64(2 * 8 * rows * 100))
			for b.Loop() {
				call(b, o, c)
			}
		})
	}
}
