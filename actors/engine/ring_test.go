package engine

import (
	"testing"

	"pgregory.net/rapid"
)

// The ring is a queue, whatever the pattern of pushes and pops.
func TestRingIsAQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ring[int]
		var model []int
		next := 0
		for _, push := range rapid.SliceOfN(rapid.Bool(), 0, 300).Draw(t, "push") {
			if push {
				r.Push(next)
				model = append(model, next)
				next++
			} else if len(model) > 0 {
				if got := r.Pop(); got != model[0] {
					t.Fatalf("popped %v, want %d", got, model[0])
				}
				model = model[1:]
			}
			if r.Empty() != (len(model) == 0) {
				t.Fatalf("empty is %v with %d in the queue", r.Empty(), len(model))
			}
		}
	})
}
