package stream

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm/mirror"
)

// The least loss on a set is that of a point of it, no point that is tried is lower by
// more than the gap, and the gap is within the tolerance.
func TestMinimumOnASet(t *testing.T) {
	const d = 3
	sets := []mirror.Set{
		must(mirror.NewL2Ball(d, 0.7, []float64{0.2, 0, 0})), must(mirror.NewL1Ball(d, 1.5, nil)), must(mirror.NewSimplex(d)),
		must(mirror.NewBox([]float64{-1, 0, 0}, []float64{1, 0.5, 0})),
	}
	rapid.Check(t, func(t *rapid.T) {
		set, data := rapid.SampledFrom(sets).Draw(t, "set"), drawIntegers(t, d)
		model := NewLogistic(d, math.Inf(1)).Ridge(rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "l2"))
		mean := func(x []float64) (sum float64) {
			for j := 0; j < len(data); j += d + 1 {
				sum += model.Loss(x, data[j:j+d+1])
			}
			return sum / float64(len(data)/(d+1))
		}
		least := model.On(set).Minimum(slices.Clone(data))
		if least.Status != Solved || least.Gap > SetTolerance || set.Violation(least.X) > 1e-12 || math.Abs(mean(least.X)-least.Value) > 1e-12 {
			t.Fatalf("%s: %+v, loss %v there, outside by %v", set.Kind(), least, mean(least.X), set.Violation(least.X))
		}
		x := rapid.SliceOfN(rapid.Float64Range(-2, 2), d, d).Draw(t, "x")
		set.Project(x, x, make([]float64, set.WorkSize()))
		if other := mean(x); other < least.Value-least.Gap-1e-12 {
			t.Fatalf("%s: loss %v at %v, least %v with gap %v", set.Kind(), other, x, least.Value, least.Gap)
		}
	})
}

// On a set that holds the minimiser of R^d the least loss is that of Newton's method.
func TestMinimumInside(t *testing.T) {
	model, instance := paper(3)
	shape := Shape{Learners: 20, Rounds: 1, Tau: 20}
	ridge := model.Ridge(0.05)
	want := RoundOptimum(ridge, instance, shape, 0)
	got := RoundOptimum(ridge.On(must(mirror.NewL2Ball(100, 50, nil))), instance, shape, 0)
	if math.Abs(got.Value-want.Value) > SetTolerance+Tolerance || got.Status != Solved {
		t.Errorf("least loss %v with gap %v, by Newton's method %v", got.Value, got.Gap, want.Value)
	}
}

// Notes say how well the least losses of a run are known.
func TestNotesOnASet(t *testing.T) {
	model, instance := paper(3)
	on := model.On(must(mirror.NewL2Ball(100, 1, nil)))
	c := NewComparator(on, instance, Shape{Learners: 20, Rounds: 3, Tau: 2})
	notes := on.Notes(c, "")
	if len(notes) != 1 || !strings.HasSuffix(notes[0].Text, "; of 0 of 3 rounds to one above 1e-06") {
		t.Errorf("%+v", notes)
	}
	if left := on.Notes(nil, "left out"); left[0].Text != "left out" {
		t.Errorf("%+v", left)
	}
}
