package gauge_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/scenarios/gauge"
)

// A figure of merit of weighted runs is that of a list in which each run comes as often as its
// weight says. The weighted mean of the values of the runs is the figure of merit, and no run has
// a larger mean at another vertex of the set.
func TestResample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := runsOf(t)
		o := runs[0].options
		var parts []gauge.RegretPart
		for _, h := range runs {
			m := h.measure(first)
			finish(m)
			parts = append(parts, partOf(m))
		}
		counts := make([]int, len(runs))
		n := rapid.IntRange(1, 6).Draw(t, "drawn")
		for range n {
			counts[rapid.IntRange(0, len(runs)-1).Draw(t, "run")]++
		}
		drawn := gauge.NewExpectedRegret(o)
		weights, values := make([]float64, len(runs)), make([]float64, len(runs))
		for i, count := range counts {
			weights[i] = float64(count) / float64(n)
			for range count {
				drawn.Add(parts[i])
			}
		}
		want, _, err := drawn.Estimates(0)
		if err != nil {
			t.Fatal(err)
		}
		for point, step := range o.Points {
			r, err := gauge.NewExpectedRegret(o).Resample(step, func(visit func(gauge.RegretPart)) error {
				for _, p := range parts {
					visit(p)
				}
				return nil
			})
			if err != nil || r.Runs() != len(runs) {
				t.Fatal(err)
			}
			got, mean := r.Weighted(weights, values), 0.0
			for i, w := range weights {
				mean += w * values[i]
			}
			scale := 1e-9 * (1 + math.Abs(got))
			if math.Abs(got-want[point].Mean) > scale || math.Abs(got-mean) > scale {
				t.Errorf("step %d: %v, the mean of its values %v, want %v", step, got, mean, want[point].Mean)
			}
			// More weight for a run raises the figure of merit by at least what its value promises:
			// a largest value is convex in the weights.
			for i := range weights {
				const more = 1e-3
				moved := make([]float64, len(weights))
				for k, w := range weights {
					moved[k] = (1 - more) * w
				}
				moved[i] += more
				if after := r.Weighted(moved, make([]float64, len(weights))); after < got+more*(values[i]-got)-scale {
					t.Errorf("step %d: more of run %d gives %v after %v, and its value is %v", step, i, after, got, values[i])
				}
			}
		}
	})
}

// A step that is not recorded, and parts that cannot be read, are errors.
func TestNoResample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := runsOf(t)[0].options
		broken := errors.New("broken")
		if _, err := gauge.NewExpectedRegret(o).Resample(-1, nil); err == nil {
			t.Error("step -1 is recorded")
		}
		if _, err := gauge.NewExpectedRegret(o).Resample(o.Points[0], func(func(gauge.RegretPart)) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
	})
}
