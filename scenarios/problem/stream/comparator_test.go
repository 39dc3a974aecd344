package stream

import (
	"fmt"
	"math"
	"starling/messages"
	"sync"
	"sync/atomic"
	"testing"
)

// counted are data that count how often they are drawn: of learner i at step k, from 0,
// the feature is i + 1 and the label 1, save where flip says so.
type counted struct {
	draws atomic.Int64
	flip  func(learner, step int) bool
}

func (c *counted) Width() int { return 2 }
func (c *counted) Datum(dst []float64, node messages.NodeID, step int) {
	c.draws.Add(1)
	dst[0], dst[1] = float64(node+1), 1
	if c.flip(int(node), step-1) {
		dst[1] = -1
	}
}
func (c *counted) TestSamples(messages.NodeID) int { return 1 }
func (c *counted) Test(dst []float64, node messages.NodeID, _ int) {
	c.Datum(dst, node, 1)
}

// One learner in one dimension, R = 3 rounds of tau = 4 data (1, b), of which
// the round r has r with b = -1: (f^r)* is the entropy of a coin of r/4, 0 in
// round 0, which is separable, and the static optimum that of 3/12.
func TestComparatorByHand(t *testing.T) {
	in := &counted{flip: func(_, step int) bool { return step%4 < step/4 }}
	c := NewComparator(NewLogistic(1, math.Inf(1)), in, Shape{Learners: 1, Rounds: 3, Tau: 4})
	entropy := func(p float64) float64 { return -p*math.Log(p) - (1-p)*math.Log(1-p) }
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for r, want := range []float64{0, entropy(0.25), entropy(0.5)} {
				got := c.Round(r)
				if math.Abs(got.Value-want) > 2*Tolerance || (got.Status == Separable) != (r == 0) || got.X != nil {
					t.Errorf("round %d: %+v, want %v", r, got, want)
				}
			}
			static := c.Static()
			if math.Abs(static.Value-entropy(0.25)) > 2*Tolerance || math.Abs(static.X[0]-math.Log(3)) > 1e-4 {
				t.Errorf("static: %+v, want %v at log 3", static, entropy(0.25))
			}
		})
	}
	group.Wait()
	if got := in.draws.Load(); got != 24 {
		t.Errorf("%d data were drawn for 12 in rounds and 12 at once: not once each", got)
	}
	if got := c.Rounds(); got.Count != 3 || got.Separable != 1 || got.Undecided != 0 || !(got.LargestGap <= Tolerance) {
		t.Errorf("rounds %+v", got)
	}
}

// A round is (n tau) x (d + 1) numbers of n learners, each in its place: the
// features of learner i alone are i + 1, and only learner 1 contradicts the rest.
func TestRoundHoldsAllLearners(t *testing.T) {
	in := &counted{flip: func(learner, step int) bool { return learner == 1 && step >= 2 }}
	model, shape := NewLogistic(1, math.Inf(1)), Shape{Learners: 3, Rounds: 2, Tau: 2}
	if got := RoundOptimum(model, in, shape, 0); got.Status != Separable {
		t.Errorf("round 0: %+v", got)
	}
	got := RoundOptimum(model, in, shape, 1)
	loss := func(x float64) float64 {
		return (math.Log1p(math.Exp(-x)) + math.Log1p(math.Exp(2*x)) + math.Log1p(math.Exp(-3*x))) / 3
	}
	low, high := -5.0, 5.0 // bisection of the derivative, by differences
	for range 60 {
		if middle := (low + high) / 2; loss(middle+1e-6) > loss(middle-1e-6) {
			high = middle
		} else {
			low = middle
		}
	}
	if got.Status != Solved || math.Abs(got.Value-loss(low)) > 1e-9 {
		t.Errorf("round 1: %+v, want %v", got, loss(low))
	}
}

func TestMemoComputesOnce(t *testing.T) {
	var memo Memo[string, int]
	var computed atomic.Int64
	var group sync.WaitGroup
	for k := range 64 {
		group.Go(func() {
			key := fmt.Sprint(k % 4)
			if got := memo.Get(key, func() int { computed.Add(1); return k % 4 }); got != k%4 {
				t.Errorf("%d under %s", got, key)
			}
		})
	}
	group.Wait()
	if got := computed.Load(); got != 4 {
		t.Errorf("computed %d times, want once for each of 4 keys", got)
	}
}

// Whoever begins all keys before getting any computes those that nobody else has begun: here
// the second finds the first at key 0, and takes the others.
func TestMemoSharesWork(t *testing.T) {
	var memo Memo[int, string]
	var group sync.WaitGroup
	begun, others := make(chan bool), make(chan bool)
	group.Go(func() {
		memo.Begin(0, func() string { close(begun); <-others; return "first" })
	})
	<-begun
	for key := range 3 {
		memo.Begin(key, func() string { return "second" })
	}
	close(others)
	for key, want := range []string{"first", "second", "second"} {
		if got := memo.Get(key, func() string { return "nobody" }); got != want {
			t.Errorf("key %d is of the %s, want the %s", key, got, want)
		}
	}
	group.Wait()
}

// An interval is what IntervalOptimum finds, drawn once whoever asks, and that of all steps
// is the static optimum.
func TestComparatorOfIntervals(t *testing.T) {
	in := &counted{flip: func(learner, step int) bool { return learner == 1 && step%3 == 0 }}
	model, shape := NewLogistic(1, math.Inf(1)), Shape{Learners: 3, Rounds: 3, Tau: 4}
	c := NewComparator(model, in, shape)
	intervals := [][2]int{{1, 12}, {1, 3}, {4, 10}, {11, 12}}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for _, at := range intervals {
				c.Begin(at[0], at[1])
			}
			for _, at := range intervals {
				c.Interval(at[0], at[1])
			}
			c.Static()
		})
	}
	group.Wait()
	if got := in.draws.Load(); got != 2*36 {
		t.Errorf("%d data were drawn for 36 at once and 36 in intervals: not once each", got)
	}
	alone := NewComparator(model, in, shape).Alone()
	for _, at := range intervals {
		want := IntervalOptimum(model, in, shape, at[0], at[1]).Known()
		if got := c.Interval(at[0], at[1]); got != want || math.IsNaN(want) {
			t.Errorf("steps %d to %d: %v, want %v", at[0], at[1], got, want)
		}
		if alone.Begin(at[0], at[1]); alone.Interval(at[0], at[1]) != want {
			t.Errorf("steps %d to %d: the comparator of one run has %v, want %v", at[0], at[1], alone.Interval(at[0], at[1]), want)
		}
	}
	before := in.draws.Load()
	alone.Interval(1, 3)
	if got := in.draws.Load() - before; got != 9 {
		t.Errorf("%d data were drawn for an interval of 9 that is not kept", got)
	}
}

func TestNotes(t *testing.T) {
	in := &counted{flip: func(_, step int) bool { return step == 3 }}
	shape := Shape{Learners: 1, Rounds: 3, Tau: 2}
	const undefined = "undefined: the logistic loss has no mu > 0 on all of R^d (Assumption IV.4), and separable rounds have no set of optima"
	for _, c := range []struct {
		norm float64
		want []Note
	}{
		{1, []Note{
			{"rounds", "2 of 3 rounds are separable: their least loss 0 is not attained, and dynamic regret is plain loss there"},
			{"gradient bound B_g", "1, of the loss itself; nothing is clipped at or above it"},
			{"smoothness L", "0.25"},
			{"bound of Lemma IV.9", undefined},
		}},
		{math.Inf(1), []Note{
			{"rounds", "2 of 3 rounds are separable: their least loss 0 is not attained, and dynamic regret is plain loss there"},
			{"gradient bound B_g", "none of the loss itself: features are not normalised, and gradients need clipping"},
			{"smoothness L", "none: features are not normalised"},
			{"bound of Lemma IV.9", undefined},
		}},
	} {
		model := NewLogistic(1, c.norm)
		got := model.Notes(NewComparator(model, in, shape), "")
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("notes\n%v\nwant\n%v", got, c.want)
		}
	}
	if got, want := (Rounds{Count: 4, Undecided: 1, LargestGap: 0.5}).String(), "0 of 4 rounds are separable; of 1 the least loss is known to 0.5 only"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
