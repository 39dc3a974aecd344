package accountant

import (
	"math"
	"testing"
)

// The delta of a group is what k steps between neighbours add up to: each step
// multiplies what it has by e^eps and adds delta.
func TestGroup(t *testing.T) {
	for _, l := range []Loss{{Epsilon: 0.3}, {Epsilon: 0.3, Delta: 1e-6}, {Delta: 1e-3}, {Rho: 0.2}, {}} {
		for _, k := range []int{1, 2, 5, 9} {
			want := Loss{Epsilon: float64(k) * l.Epsilon, Rho: float64(k*k) * l.Rho}
			for range k {
				want.Delta = want.Delta*math.Exp(l.Epsilon) + l.Delta
			}
			got, err := l.Group(k)
			if err != nil || math.Abs(got.Epsilon-want.Epsilon) > 1e-12 || math.Abs(got.Delta-want.Delta) > 1e-12 || math.Abs(got.Rho-want.Rho) > 1e-12 {
				t.Errorf("%v, group of %d: %v, %v; want %v", l, k, got, err, want)
			}
		}
	}
}

func TestGroupRefuses(t *testing.T) {
	if _, err := (Loss{Epsilon: 1}).Group(0); err == nil {
		t.Error("a group of 0 records was accepted")
	}
	if _, err := (Loss{Sampled: SampledGaussian{Rate: 0.1, Noise: 1, Steps: 1}}).Group(2); err == nil {
		t.Error("group privacy of sampled steps was accepted")
	}
	if l, err := (Loss{Epsilon: 2, Delta: 1e-3}).Group(100); err != nil || l.Private() {
		t.Errorf("a delta of 1 is private: %v, %v", l, err)
	}
}
