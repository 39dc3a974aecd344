package aggregation

import (
	"testing"

	"pgregory.net/rapid"
)

// TestOrderIsAShuffle compares orders, one after the other, with the shuffle of Fisher and Yates in a list.
func TestOrderIsAShuffle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o order
		for range rapid.IntRange(1, 4).Draw(t, "orders") {
			n := rapid.IntRange(1, 3000).Draw(t, "n")
			list := make([]int, n)
			for i := range list {
				list[i] = i
			}
			step := rapid.IntRange(0, 1<<20).Draw(t, "step")
			o.begin()
			for i := range list {
				j := i + (i*step+step)%(n-i)
				list[i], list[j] = list[j], list[i]
				if got := o.next(i, j); got != list[i] {
					t.Fatalf("number %d of %d: %d, want %d", i, n, got, list[i])
				}
			}
		}
	})
}
