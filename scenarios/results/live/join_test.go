package live_test

import (
	"math"
	"testing"

	"starling/scenarios/results/live"
)

// TestJoin puts two parts of a run together: what is of seeds of both is that of one run of
// all.
func TestJoin(t *testing.T) {
	if live.Join(nil) != nil || live.Join([]*live.Run{nil}) != nil {
		t.Error("something of nothing")
	}
	a, b := whole(), whole()
	if got := live.Join([]*live.Run{nil, a}); got != a {
		t.Errorf("%+v of one part", got)
	}
	a.Arms[0].Seeds, b.Arms[0].Seeds = "d-w-", "-r-d"
	// Seeds with the values 1, 2 and 3, and with 7; of the second step there is one seed.
	a.Curves = []live.Curve{{Arm: "a", Metric: "m", Steps: []int64{1, 2}, Mean: []live.Float{2, 5}, SE: []live.Float{live.Float(1 / math.Sqrt(3)), live.Float(math.NaN())}, N: []int{3, 1}}}
	b.Curves = []live.Curve{{Arm: "a", Metric: "m", Steps: []int64{1}, Mean: []live.Float{7}, SE: []live.Float{live.Float(math.NaN())}, N: []int{1}}}
	left := 40.0
	b.Left, b.Speed = &left, nil
	other := whole()
	other.Hash = "another"
	got := live.Join([]*live.Run{a, b, other})
	if got.Part != "" || got.Runs.Done != 4 || got.Steps.All != 320 || *got.Left != 40 || *got.Speed != 120.5 || got.Workers != 4 || got.Arms[0].Seeds != "drwd" || len(got.Arms[0].Running) != 2 || len(got.Warnings) != 2 {
		t.Errorf("%+v", got)
	}
	c := got.Curves[0]
	// 1, 2, 3, 7: the mean is 3.25, and the squares about it add up to 20.75.
	se := math.Sqrt(20.75 / 3 / 4)
	if len(got.Curves) != 1 || len(c.Steps) != 2 || c.N[0] != 4 || math.Abs(float64(c.Mean[0])-3.25) > 1e-12 || math.Abs(float64(c.SE[0])-se) > 1e-12 || c.N[1] != 1 || !math.IsNaN(float64(c.SE[1])) {
		t.Errorf("%+v, want a mean of 3.25 and an error of %v", c, se)
	}
	if a.Runs.Done != 2 || len(a.Warnings) != 1 || a.Arms[0].Seeds != "d-w-" {
		t.Errorf("the part has changed: %+v", a)
	}
}
