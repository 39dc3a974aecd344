package numeric

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A jump is as many single steps.
func TestJump(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := math.Exp(rapid.Float64Range(-30, 6).Draw(t, "log a"))
		if rapid.Bool().Draw(t, "a = 0") {
			a = 0
		}
		length := rapid.IntRange(0, 300).Draw(t, "length")
		q := math.Exp(rapid.Float64Range(-20, 5).Draw(t, "log q"))
		forward, backward := q, q
		for range length {
			forward = a + forward/(1+forward)
			backward = (a + backward) / (1 + a + backward)
		}
		j := NewJump(a, length)
		if got := j.Forward(q); math.Abs(got-forward) > 1e-12*forward {
			t.Fatalf("forward %v, want %v", got, forward)
		}
		if got := j.Backward(q); math.Abs(got-backward) > 1e-12*backward {
			t.Fatalf("backward %v, want %v", got, backward)
		}
	})
}
