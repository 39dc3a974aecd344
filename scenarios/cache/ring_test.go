package cache

import "testing"

func TestRing(t *testing.T) {
	r, computed := NewRing[int](4), 0
	get := func(number int) {
		t.Helper()
		if got := r.Get(number, func() int { computed++; return 10 * number }); got != 10*number {
			t.Errorf("%d: %d", number, got)
		}
	}
	for _, number := range []int{0, 1, 2, 3, 0, 3} {
		get(number)
	}
	if computed != 4 {
		t.Errorf("%d computed, want 4", computed)
	}
	for _, number := range []int{4, 0, 1} { // 4 and 0 have one place
		get(number)
	}
	if computed != 6 {
		t.Errorf("%d computed, want 6", computed)
	}
}
