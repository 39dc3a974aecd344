package forecast

import (
	"math"
	"testing"
)

// TestWhole scales pilots up by hand. A cold pilot takes 3 s more than a warm one; a step
// takes 0.5 s after 1 s at the start, and a record 0.1 s: 1 record is in each sparse pilot,
// and as many as steps in the dense one.
func TestWhole(t *testing.T) {
	job := func(steps, points int, once float64) *pilot {
		p := &pilot{steps: steps, points: points}
		p.start.processor = 1
		p.processor = once + 1 + 0.5*float64(steps) + 0.1*float64(points)
		p.held = 1000 + 10*float64(steps)
		return p
	}
	few := &pilots{cold: job(4, 1, 3), sparse: []*pilot{job(4, 1, 0)}, running: 7}
	all := &pilots{cold: job(4, 1, 3), sparse: []*pilot{job(4, 1, 0), job(16, 1, 0)}, dense: job(16, 16, 0), running: 7}
	for _, test := range []struct {
		name           string
		pilots         *pilots
		steps, points  int
		seconds, bytes float64
	}{
		// What is not at the start is in proportion: (0.5 4 + 0.1) 100/4, and 1, and 3 once.
		{"one size", few, 400, 100, 3 + 1 + 2.1*100, 1040 + 7},
		{"two sizes and a dense one", all, 400, 100, 3 + 1 + 200 + 0.1*100, 1000 + 10*400 + 7},
		{"cold alone", &pilots{cold: job(4, 1, 3)}, 8, 1, 1 + 2*(3+2.1), 1040},
		{"measured as a whole", all, 16, 1, 1 + 8 + 0.1, 1160 + 7},
	} {
		got := test.pilots.whole(test.steps, test.points)
		if math.Abs(got.processor-test.seconds) > 1e-9 || math.Abs(got.held-test.bytes) > 1e-9 {
			t.Errorf("%s: %v s and %v bytes, want %v and %v", test.name, got.processor, got.held, test.seconds, test.bytes)
		}
	}
}

// TestWholeOf scales up what two sizes take by hand: 5 s and 100 bytes, and 2 s and 10 bytes
// more for each of the size. What is held grows no faster than the size.
func TestWholeOf(t *testing.T) {
	of := func(size, perSize float64) sized {
		p := &pilot{steps: 10, points: 1}
		p.processor, p.held = 5+2*size, 100+perSize*size
		return sized{size, pilots{cold: p}}
	}
	for _, test := range []struct {
		list           []sized
		seconds, bytes float64
	}{
		{[]sized{of(40, 10)}, 85, 500},
		{[]sized{of(10, 10), of(40, 10)}, 205, 1100},
		{[]sized{of(10, 2), of(40, 10)}, 205, 1250}, // and not 500 + 2 (500 - 120)
	} {
		if got := wholeOf(test.list, 100, 10, 1); math.Abs(got.processor-test.seconds) > 1e-9 || math.Abs(got.held-test.bytes) > 1e-9 {
			t.Errorf("%d sizes: %v s and %v bytes, want %v and %v", len(test.list), got.processor, got.held, test.seconds, test.bytes)
		}
	}
}
