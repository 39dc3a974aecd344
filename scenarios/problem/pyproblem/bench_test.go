package pyproblem_test

import (
	"fmt"
	"testing"

	"starling/scenarios/problem/pyproblem"
)

// BenchmarkCall is the cost of a call beside what it computes: so many rows of 100 entries go
// to Python, and come back as they are, through memory that is shared, and through pipes.
func BenchmarkCall(b *testing.B) {
	for _, pipes := range []bool{false, true} {
		for _, rows := range []int{1, 100, 1000, 10000} {
			b.Run(fmt.Sprintf("pipes=%v/%d", pipes, rows), func(b *testing.B) {
				o := box(b, program(b, func(o *pyproblem.Options) { o.Pipes = pipes }), nil)
				x := pyproblem.Array{Name: "x", Shape: []int{rows, 100}, Values: make([]float64, rows*100)}
				c := pyproblem.Call{Method: "itself", Arrays: []pyproblem.Array{x}, Shape: []int{rows, 100}, Into: make([]float64, rows*100)}
				call(b, o, c)
				b.SetBytes(int64(2 * 8 * rows * 100))
				for b.Loop() {
					call(b, o, c)
				}
			})
		}
	}
}
