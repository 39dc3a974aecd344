package accounts

import (
	"testing"

	"starling/scenarios/results"

	"pgregory.net/rapid"
)

// TestUpperStair holds that a drawn loss is nowhere below the loss after a step, whichever steps
// are recorded, and no higher than the next record.
func TestUpperStair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.IntRange(1, 30).Draw(t, "steps")
		loss, recorded := make([]float64, steps+1), []int{}
		for i := 1; i <= steps; i++ {
			loss[i] = loss[i-1] + rapid.Float64Range(0, 2).Draw(t, "paid")
			if i == steps || rapid.Bool().Draw(t, "recorded") {
				recorded = append(recorded, i)
			}
		}
		var xs, ys []float64
		for _, i := range recorded {
			xs, ys = append(xs, float64(i)), append(ys, loss[i])
		}
		x, y := UpperStair(xs, ys, 0)
		if x[0] != 0 || y[0] != 0 {
			t.Fatalf("the stair begins at %g, %g", x[0], y[0])
		}
		next := 0
		for i := 1; i <= steps; i++ {
			for recorded[next] < i {
				next++
			}
			if got := drawn(x, y, float64(i)); got < loss[i] || got > loss[recorded[next]] {
				t.Fatalf("at step %d the stair is at %g, the loss is %g and the next record %g", i, got, loss[i], loss[recorded[next]])
			}
		}
	})
	if x, _ := UpperStair(nil, nil, 0); x != nil {
		t.Errorf("a stair of nothing: %v", x)
	}
}

// drawn returns the least height of a curve at a place, as a reader sees it.
func drawn(x, y []float64, at float64) float64 {
	least := y[len(y)-1]
	for i := 1; i < len(x); i++ {
		if x[i-1] < at && at <= x[i] {
			least = min(least, y[i-1]+(y[i]-y[i-1])*(at-x[i-1])/(x[i]-x[i-1]))
		}
	}
	return least
}

// TestCurvesBeginAtZero: a curve of steps from 0 on has no step before it.
func TestCurvesBeginAtZero(t *testing.T) {
	run := &results.Run{Manifest: results.Manifest{FirstStep: 0, Horizon: 5}}
	for first, want := range map[int64]float64{0: 0, 1: 0, 3: 2} {
		run.Manifest.FirstStep = first
		f := CurveFigure(run, []PrivacyCurve{{Arm: "a", Observer: "wire", Points: []results.PrivacyRow{{Step: first, Epsilon: 1}, {Step: first + 2, Epsilon: 2}}}})
		if x := f.Series[0].X[0]; x != want {
			t.Errorf("first step %d: the curve begins at %v, want %v", first, x, want)
		}
	}
}
