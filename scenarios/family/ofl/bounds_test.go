package ofl_test

import (
	"math"
	"testing"

	"starling/actors/algorithm/ofl"
	family "starling/scenarios/family/ofl"
	"starling/scenarios/problem/stream"
)

// Bounds are recorded at the last step, those that there are, and none where a
// gradient was clipped: then the algorithm is not the one they are proven for.
func TestBounds(t *testing.T) {
	shape := stream.Shape{Learners: 2, Rounds: 2, Tau: 1}
	p := must(stream.NewSyntheticLogistic(stream.SyntheticOptions{Dimension: dim, Alpha: 1, Beta: 1, Normalise: true, TestSamples: 1}, shape.Learners))
	in := p.Draw(3)
	for _, test := range []struct {
		name    string
		clipped float64
		bounds  family.Bounds
		want    map[string]float64
	}{
		{"both", 0, family.Bounds{Dynamic: 3, Static: 2}, map[string]float64{family.BoundDynamic: 3, family.BoundStatic: 2}},
		{"one", 0, family.Bounds{Dynamic: 3, Static: math.NaN()}, map[string]float64{family.BoundDynamic: 3}},
		{"clipped", 1, family.Bounds{Dynamic: 3, Static: 2}, nil},
	} {
		m := paying(options{GaugeOptions: family.GaugeOptions{
			Shape: shape, Model: p.Model(), Instance: in, Comparator: stream.NewComparator(p.Model(), in, shape),
			Bounds: func() family.Bounds { return test.bounds },
		}, points: []int{0, 1}})
		for step := range shape.Steps() {
			for i := range shape.Learners {
				m.Played(ofl.Learner(i), step, make([]float64, dim))
				m.Recorded(ofl.Learner(i), step, ofl.Clipped, test.clipped)
				test.clipped = 0 // one of all is enough
			}
		}
		got := map[string]float64{}
		for key, value := range finish(m).values {
			if key.metric == family.BoundDynamic || key.metric == family.BoundStatic {
				got[key.metric] = value
				if key.step != shape.Steps()-1 {
					t.Errorf("%s: %s at step %d", test.name, key.metric, key.step)
				}
			}
		}
		if len(got) != len(test.want) || got[family.BoundDynamic] != test.want[family.BoundDynamic] || got[family.BoundStatic] != test.want[family.BoundStatic] {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
