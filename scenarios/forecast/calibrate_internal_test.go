package forecast

import (
	"math"
	"testing"

	"starling/messages"
	"starling/scenarios/cache"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// TestWhole scales pilots up by hand. A cold pilot takes 3 s more than a warm one; a step
// takes 0.5 s after 1 s at the start, and a record 0.1 s: 1 record is in each sparse pilot,
// and as many as steps in the dense one. What is held is that of the last pilot, with what the
// code knows that comes besides.
func TestWhole(t *testing.T) {
	job := func(steps, points int, once float64) *pilot {
		p := &pilot{steps: steps, points: points}
		p.start.processor = 1
		p.processor = once + 1 + 0.5*float64(steps) + 0.1*float64(points)
		p.held, p.more, p.copied = 1000+10*float64(steps), 7, 100
		return p
	}
	few := &pilots{cold: job(4, 1, 3), sparse: []*pilot{job(4, 1, 0)}}
	all := &pilots{cold: job(4, 1, 3), sparse: []*pilot{job(4, 1, 0), job(16, 1, 0)}, dense: job(16, 16, 0)}
	for _, test := range []struct {
		name           string
		pilots         *pilots
		steps, points  int
		seconds, bytes float64
	}{
		// What is not at the start is in proportion: (0.5 4 + 0.1) 100/4, and 1, and 3 once.
		{"one size", few, 400, 100, 3 + 1 + 2.1*100, 1040 + 7},
		{"two sizes and a dense one", all, 400, 100, 3 + 1 + 200 + 0.1*100, 1160 + 7},
		{"cold alone", &pilots{cold: job(4, 1, 3)}, 8, 1, 1 + 2*(3+2.1), 1040 + 7},
		{"measured as a whole", all, 16, 1, 1 + 8 + 0.1, 1160},
	} {
		got := test.pilots.whole(test.steps, test.points)
		if math.Abs(got.processor-test.seconds) > 1e-9 || math.Abs(got.held-test.bytes) > 1e-9 {
			t.Errorf("%s: %v s and %v bytes, want %v and %v", test.name, got.processor, got.held, test.seconds, test.bytes)
		}
	}
}

// TestPlausible leaves out the part of a reading of the heap that cannot be of the job.
func TestPlausible(t *testing.T) {
	arm := &study.Arm{Points: make([]int, 10), Measured: make([]messages.NodeID, 6)}
	arm.Topology = &topologies.Plan{}
	arm.File.Horizon, arm.Extent.Dim, arm.Extent.Participants = 500, 2, 6
	bound := float64(jobBytes(arm))
	needs := []cache.Need{{Bytes: 1 << 20, Own: 3 << 20}}
	for _, test := range []struct{ read, want float64 }{
		{200 << 10, 200 << 10}, {-5, -5}, {11 << 20, 11 << 20}, {400 << 20, 8<<20 + 4*(bound+3<<20)},
	} {
		if got := plausible(test.read, arm, needs); got != test.want {
			t.Errorf("%v bytes were read, %v are of the job, want %v", test.read, got, test.want)
		}
	}
}

// TestGrowing has a step add what three pilots confirm beside what the code knows, and nothing
// where only the beginning of the run does, or the noise of the heap, or two pilots alone.
func TestGrowing(t *testing.T) {
	const mib = 1 << 20
	for _, test := range []struct {
		name  string
		steps []int
		held  []float64 // MiB
		more  []float64 // MiB
		want  float64   // MiB that a job of 316 steps holds
	}{
		{"buffers that grow at the beginning", []int{1, 4, 16}, []float64{60, 67, 67.5}, []float64{0, 0, 0}, 67.5},
		{"two pilots", []int{1, 4}, []float64{60, 67}, []float64{0, 0}, 67},
		{"half a MiB a step", []int{1, 4, 16}, []float64{60, 61.5, 67.5}, []float64{0, 0, 0}, 67.5 + 0.5*300},
		{"half a MiB a step after the beginning", []int{1, 4, 16, 64}, []float64{50, 61.5, 67.5, 91.5}, []float64{0, 0, 0, 0}, 91.5 + 0.5*252},
		{"what the code knows", []int{1, 4, 16}, []float64{60, 61.5, 67.5}, []float64{157.5, 156, 150}, 217.5},
		{"noise", []int{1, 4, 16}, []float64{60, 60.2, 61}, []float64{0, 0, 0}, 61},
		{"a heap that shrinks", []int{1, 4, 16}, []float64{60, 50, 40}, []float64{0, 0, 0}, 40},
	} {
		p := &pilots{}
		for i, steps := range test.steps {
			pilot := &pilot{steps: steps, points: 1, more: test.more[i] * mib}
			pilot.held = test.held[i] * mib
			p.sparse = append(p.sparse, pilot)
		}
		p.cold = p.sparse[0]
		if got := p.whole(316, 1).held / mib; math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %v MiB, want %v", test.name, got, test.want)
		}
	}
}

// TestRecording has a record add what a dense pilot holds more than a sparse one of as many
// steps: (70 - 64)/3 bytes.
func TestRecording(t *testing.T) {
	at := func(points int, held float64) *pilot {
		p := &pilot{steps: 4, points: points}
		p.held, p.copied = held, held/2
		return p
	}
	p := &pilots{cold: at(1, 64), sparse: []*pilot{at(1, 64)}, dense: at(4, 70)}
	if got := p.whole(100, 31); math.Abs(got.held-(64+2*30)) > 1e-9 || math.Abs(got.copied-(32+2*30)) > 1e-9 {
		t.Errorf("%v bytes are held and %v copied, want 124 and 92", got.held, got.copied)
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
