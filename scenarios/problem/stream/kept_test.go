package stream_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"starling/messages"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
)

// drawn are data of a few learners, with laws that stay or change.
func drawn(t *rapid.T, learners int) stream.Drawn {
	o := stream.SyntheticOptions{Dimension: 3, Alpha: 1, Beta: 1, Normalise: true, TestSamples: 4}
	if rapid.Bool().Draw(t, "drift") {
		o.Variation.Drift = &problem.Drift{Kind: problem.DriftAbrupt, Period: 2}
	}
	p, err := stream.NewSyntheticLogistic(o, learners)
	if err != nil {
		t.Fatal(err)
	}
	return p.Draw(rapid.Uint64().Draw(t, "seed")).(stream.Drawn)
}

// What is kept has the bits of what is drawn, whatever is kept, in any order, for readers
// that work side by side, and whatever they write into the memory that they lend.
func TestKeptIsWhatIsDrawn(t *testing.T) {
	const learners, steps, width, tests = 3, 12, 4, 4
	rapid.Check(t, func(t *rapid.T) {
		in := drawn(t, learners)
		rows := rapid.SampledFrom([]*stream.Rows{nil, stream.AllSteps(width, learners, steps), stream.Window(width, learners)}).Draw(t, "steps kept")
		fresh := rapid.SampledFrom([]*stream.Rows{nil, stream.AllTests(width, learners, tests)}).Draw(t, "tests kept")
		kept := stream.Keep(in, rows, fresh)
		order := func() []int { return rapid.SliceOfN(rapid.IntRange(0, learners*steps-1), 30, 30).Draw(t, "order") }
		readers := [][]int{order(), order()}
		var group sync.WaitGroup
		for _, reader := range readers {
			group.Go(func() {
				want, work, copied := make([]float64, width), make([]float64, width), make([]float64, width)
				same := func(what string, got []float64) {
					if !slices.Equal(got, want) {
						t.Errorf("%s is %v, want %v", what, got, want)
					}
				}
				for _, k := range reader {
					learner, step := messages.NodeID(k%learners), 1+k/learners
					in.Datum(want, learner, step)
					same("a row", stream.Row(kept, work, learner, step))
					kept.Datum(copied, learner, step)
					same("a copy", copied)
					now := problem.At(stream.Tester(kept), step)
					problem.At(stream.Tester(in), step).Test(want, learner, step%tests)
					same("a fresh row", stream.TestRow(now, work, learner, step%tests))
					now.Test(copied, learner, step%tests)
					same("a fresh copy", copied)
					clear(work)
					clear(copied)
				}
			})
		}
		group.Wait()
	})
}

// Each datum is drawn once, and a row of a window gives way to that of a later step alone.
func TestKeptDrawsOnce(t *testing.T) {
	c := &counted{}
	all := stream.Keep(c, stream.AllSteps(1, 2, 100), stream.AllTests(1, 2, 5))
	window := stream.Keep(c, stream.Window(1, 2), nil)
	work := make([]float64, 1)
	for range 3 {
		for step := range 100 {
			stream.Row(all, work, messages.NodeID(step%2), step+1)
		}
		for index := range 5 {
			stream.TestRow(all, work, 1, index)
		}
	}
	if c.data != 100 || c.tests != 5 {
		t.Errorf("%d data and %d tests are drawn, want 100 and 5", c.data, c.tests)
	}
	c.data = 0
	for _, step := range []int{50, 50, 51, 50, 99, 99, 51, 51} { // 99 takes the place of 51
		stream.Row(window, work, 0, step+1)
	}
	if c.data != 5 {
		t.Errorf("%d data are drawn, want 5", c.data)
	}
	if stream.Window(1<<20, 1<<20) != nil {
		t.Error("a window of steps that are too large")
	}
}

// counted counts what is drawn of it.
type counted struct{ data, tests int }

func (c *counted) Width() int { return 1 }
func (c *counted) Datum(dst []float64, _ messages.NodeID, step int) {
	c.data++
	dst[0] = float64(step)
}
func (c *counted) TestSamples(messages.NodeID) int { return 5 }
func (c *counted) Test(dst []float64, _ messages.NodeID, index int) {
	c.tests++
	dst[0] = float64(index)
}
func (c *counted) Steady() bool { return true }

// The least losses over data that are kept are those over data that are copied, to the
// bit, whatever is kept, and leave what is kept as it is.
func TestLeastLossesReadWhatIsKept(t *testing.T) {
	const learners, rounds, tau, width = 3, 4, 3, 4
	shape := stream.Shape{Learners: learners, Rounds: rounds, Tau: tau}
	rapid.Check(t, func(t *rapid.T) {
		in := drawn(t, learners)
		model := stream.NewLogistic(width-1, 1)
		for _, rows := range []*stream.Rows{stream.AllSteps(width, learners, rounds*tau), stream.Window(width, learners)} {
			kept := stream.Keep(in, rows, nil)
			for _, interval := range [][2]int{{1, rounds * tau}, {3, 7}, {1, 1}} {
				data := make([]float64, 0, learners*rounds*tau*width)
				for step := interval[0]; step <= interval[1]; step++ {
					for i := range learners {
						data = data[:len(data)+width]
						in.Datum(data[len(data)-width:], messages.NodeID(i), step)
					}
				}
				want := model.Minimum(data)
				for _, from := range []problem.Data{kept, in, kept} {
					got := stream.IntervalOptimum(model, from, shape, interval[0], interval[1])
					if !alike(got, want) {
						t.Fatalf("steps %v: %+v, want %+v", interval, got, want)
					}
				}
			}
		}
	})
}

// alike tells whether two optima have the same bits.
func alike(a, b stream.Optimum) bool {
	return fmt.Sprint(a) == fmt.Sprint(b)
}
