package cache_test

import (
	"testing"

	"starling/scenarios/cache"
)

// A key is computed once while it is kept, and the one that was computed first goes first.
func TestRecent(t *testing.T) {
	r := cache.NewRecent[int, int](2)
	computed := 0
	for _, step := range []struct{ key, computed int }{{1, 1}, {2, 2}, {1, 2}, {3, 3}, {2, 3}, {1, 4}, {3, 4}, {2, 5}} {
		if got := r.Get(step.key, func() int { computed++; return 10 * step.key }); got != 10*step.key || computed != step.computed {
			t.Errorf("key %d: %d, %d computed; want %d", step.key, got, computed, step.computed)
		}
	}
}
