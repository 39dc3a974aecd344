package gauge_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"starling/actors/algorithm/mirror"
	"starling/messages"
	"starling/scenarios/gauge"
)

// coin are costs on [-1, 1] whose gradient is a sign everywhere.
type coin struct {
	waves
	sign float64
}

func (c *coin) SumGradient(dst []float64, _ int, _ []float64) { dst[0] = c.sign }

// The expectation is inside the maximum over x: a node that plays 0 against the
// gradient +1 in one run and -1 in the other has the regret 1 in both, against
// other points, so their mean is 1; but its mean regret against any one x is 0.
func TestExpectationIsInsideTheMaximumOverX(t *testing.T) {
	set := must(mirror.NewBox([]float64{-1}, []float64{1}))
	o := gauge.RegretOptions{Nodes: 1, FirstStep: 1, Steps: 1, Points: []int{1}, Measured: []messages.NodeID{0}}
	var expected *gauge.ExpectedRegret
	for _, sign := range []float64{1, -1} {
		p := &coin{waves{nodes: 1, set: set}, sign}
		o.Problem, o.Instance = p, p
		if expected == nil {
			expected = gauge.NewExpectedRegret(o)
		}
		m := paying(o)
		m.Played(0, 1, []float64{0})
		if got := finish(m).find(1, -1, gauge.RegretRun); got != 1 {
			t.Errorf("regret %v of the run with the gradient %v, want 1", got, sign)
		}
		expected.Add(partOf(m))
	}
	// x = -1 or 1: the regrets against it are 1 and -1, of variance 2, so the
	// standard error of their mean is sqrt(2)/sqrt(2).
	want := []gauge.RegretEstimate{{Step: 1, Mean: 0, SE: 1, Runs: 2}}
	got, _, err := expected.Estimates(0)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("estimates (-want +got):\n%s", diff)
	}
}

// runsOf draws runs of one arm: the same options, other decisions.
func runsOf(t *rapid.T) []*history {
	runs := []*history{drawHistory(t, ball, false)}
	for range rapid.IntRange(0, 5).Draw(t, "more runs") {
		other := *runs[0]
		other.decisions = make([][][]float64, other.options.Nodes)
		for i := range other.decisions {
			for range other.options.Steps {
				other.decisions[i] = append(other.decisions[i], rapid.SliceOfN(rapid.Float64Range(-3, 3), 2, 2).Draw(t, "x"))
			}
		}
		runs = append(runs, &other)
	}
	return runs
}

// estimate is max_x E[R^i(x)] by trying every vertex, and the standard error of
// R^i(x) there.
func estimate(runs []*history, node, step int) gauge.RegretEstimate {
	best := gauge.RegretEstimate{Step: step, Mean: math.Inf(-1), Runs: len(runs)}
	for _, v := range vertices {
		values := make([]float64, len(runs))
		for r, h := range runs {
			values[r] = h.against(v, node, step)
		}
		if mean := stat.Mean(values, nil); mean > best.Mean {
			best.Mean, best.SE = mean, stat.StdDev(values, nil)/math.Sqrt(float64(len(runs)))
		}
	}
	return best
}

// max_i max_x E[R_T^i(x)], the figure of merit of DPDO-NC, (2), by brute force,
// and what follows from its definition: it is at most the mean over runs of
// max_i R_T^i, and equal to it for one run, where there is no standard error.
func TestExpected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := runsOf(t)
		o := runs[0].options
		expected, forgetful := gauge.NewExpectedRegret(o), gauge.NewExpectedRegret(o)
		var parts []gauge.RegretPart
		forgetful.ReadAgain(rapid.IntRange(0, 300).Draw(t, "bytes"), func(visit func(gauge.RegretPart)) error {
			for _, p := range parts {
				visit(p)
			}
			return nil
		})
		perRun := make([]float64, len(o.Points))
		for _, h := range runs {
			m := h.measure(first)
			r := finish(m)
			for point, step := range o.Points {
				perRun[point] += r.find(step, -1, gauge.RegretRun) / float64(len(runs))
			}
			parts = append(parts, partOf(m))
			expected.Add(parts[len(parts)-1])
			forgetful.Add(parts[len(parts)-1])
		}
		got, byNode, err := expected.Estimates(len(o.Measured))
		again, byNodeAgain, errAgain := forgetful.Estimates(len(o.Measured))
		if err != nil || errAgain != nil || fmt.Sprint(got, byNode) != fmt.Sprint(again, byNodeAgain) {
			t.Fatalf("%v and %v (%v); with parts that are read again %v and %v (%v)", got, byNode, err, again, byNodeAgain, errAgain)
		}
		var largest []gauge.RegretEstimate
		for k, node := range o.Measured {
			var want []gauge.RegretEstimate
			for point, step := range o.Points {
				e := estimate(runs, int(node), step)
				want = append(want, e)
				if k == 0 {
					largest = append(largest, e)
				} else if e.Mean > largest[point].Mean {
					largest[point] = e
				}
			}
			if diff := cmp.Diff(want, byNode[k], approx); diff != "" {
				t.Fatalf("node %d (-want +got):\n%s", node+1, diff)
			}
		}
		if diff := cmp.Diff(largest, got, approx); diff != "" {
			t.Fatalf("largest over nodes (-want +got):\n%s", diff)
		}
		for point, e := range got {
			rounding := 1e-12 * max(1, math.Abs(perRun[point]))
			if e.Mean > perRun[point]+rounding || len(runs) == 1 && e.Mean < perRun[point]-rounding {
				t.Fatalf("step %d, %d runs: %v, the mean of the runs' regrets is %v", e.Step, e.Runs, e.Mean, perRun[point])
			}
			if (len(runs) == 1) != math.IsNaN(e.SE) {
				t.Fatalf("step %d: standard error %v of %d runs", e.Step, e.SE, len(runs))
			}
		}
	})
}

// TestPartsThatCannotBeReadAgain checks that an error of reading is one of the statistics.
func TestPartsThatCannotBeReadAgain(t *testing.T) {
	set := must(mirror.NewBox([]float64{-1}, []float64{1}))
	o := gauge.RegretOptions{Nodes: 1, FirstStep: 1, Steps: 1, Points: []int{1}, Measured: []messages.NodeID{0}}
	p := &coin{waves{nodes: 1, set: set}, 1}
	o.Problem, o.Instance = p, p
	e, broken := gauge.NewExpectedRegret(o), errors.New("broken")
	e.ReadAgain(0, func(func(gauge.RegretPart)) error { return broken })
	for range 2 {
		m := paying(o)
		m.Played(0, 1, []float64{0})
		finish(m)
		e.Add(partOf(m))
	}
	if _, _, err := e.Estimates(0); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}
