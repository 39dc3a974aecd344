package noise_test

import (
	"errors"
	"math"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
)

// The greatest value of a cost with a known inverse is that inverse, from below. The costs are a
// power, one that grows in steps, and one that is infinite from a value on.
func TestGreatestInvertsCosts(t *testing.T) {
	for _, test := range []struct {
		name          string
		costs         noise.Costs
		epsilon, most float64
		want, gap     float64
	}{
		{"square", func(v float64) (float64, error) { return v * v, nil }, 9, math.Inf(1), 3, 1e-6},
		{"small", func(v float64) (float64, error) { return v * v, nil }, 1e-8, 1, 1e-4, 1e-10},
		{"at most", func(v float64) (float64, error) { return 5 * v, nil }, 5, 1, 1, 1e-12},
		{"steps", func(v float64) (float64, error) { return math.Ceil(v), nil }, 2.5, math.Inf(1), 2, 1e-11},
		{"infinite", func(v float64) (float64, error) {
			if v > 0.3 {
				return math.Inf(1), nil
			}
			return v, nil
		}, 1, 1, 0.3, 1e-11},
		{"free", func(v float64) (float64, error) { return max(0, v-2), nil }, 1, math.Inf(1), 3, 1e-6},
	} {
		calls := 0
		got, err := noise.Greatest(test.epsilon, test.most, func(v float64) (float64, error) { calls++; return test.costs(v) })
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if cost, _ := test.costs(got); cost > test.epsilon || !(math.Abs(got-test.want) <= test.gap) || calls > 130 {
			t.Errorf("%s: %v in %d calls, want %v", test.name, got, calls, test.want)
		}
	}
	var little noise.TooLittleError
	if _, err := noise.Greatest(2, 1, func(v float64) (float64, error) { return v, nil }); !errors.As(err, &little) || little.Reached != 1 {
		t.Errorf("an epsilon of 2 where 1 is the largest: %v", err)
	}
}

// A rate that is found has the epsilon of so many sampled steps, to 1e-6 from below.
func TestGreatestRates(t *testing.T) {
	for _, by := range accountant.Methods() {
		for _, epsilon := range []float64{0.3, 1, 2} {
			cost := func(rate float64) (float64, error) {
				e, _, err := accountant.SampledGaussian{Rate: rate, Noise: 1.1, Steps: 50}.Epsilon(1e-5, by)
				return e, err
			}
			rate, err := noise.Greatest(epsilon, 1, cost)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := cost(rate); got > epsilon || epsilon-got > 1e-6 {
				t.Errorf("%s: rate %v has epsilon %v, want %v", by, rate, got, epsilon)
			}
		}
	}
}
