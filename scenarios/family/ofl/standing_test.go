package ofl

import (
	"testing"

	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// counting counts the losses that are taken of a model.
type counting struct {
	stream.Model
	losses *int
}

func (c counting) Loss(x, datum []float64) float64 {
	*c.losses++
	return c.Model.Loss(x, datum)
}

// The work of standing still is that of the losses that are taken.
func TestStandingWorkIsCounted(t *testing.T) {
	const seed = 1
	losses, shape := 0, stream.Shape{Learners: 3, Rounds: 4, Tau: 3}
	p, err := stream.NewSyntheticLogistic(stream.SyntheticOptions{Dimension: 4, L2: 0.5, Normalise: true, TestSamples: 1}, 3)
	if err != nil {
		t.Fatal(err)
	}
	plan := &oflPlan{arm: &study.Arm{}, shape: shape, stream: &problems.Stream{Model: counting{p.Model(), &losses}, Draw: func(seed uint64, _ stream.Shape) (problem.Data, error) { return p.Draw(seed), nil }}}
	plan.standingStill(stream.NewComparator(p.Model(), p.Draw(seed), shape), make([]float64, 4), seed)
	if want := float64(losses) * (datumWork + 4*datumDimWork); losses == 0 || plan.standingWork() != want {
		t.Errorf("%v operations foreseen for %d losses, want %v", plan.standingWork(), losses, want)
	}
}
