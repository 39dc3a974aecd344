package algorithm_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
)

func TestScaled(t *testing.T) {
	truths := [][]float64{{1, -2}, {0.5, 0}}
	algorithm.Scaled{Factor: -3}.Lie(truths, nil)
	if !slices.Equal(truths[0], []float64{-3, 6}) || truths[1][0] != -1.5 {
		t.Errorf("%v", truths)
	}
	algorithm.Flipped{}.Lie(truths, nil)
	if !slices.Equal(truths[0], []float64{3, -6}) || truths[1][0] != 1.5 {
		t.Errorf("%v", truths)
	}
}

// Baruch et al. 2019, section 4.3: of n = 50 workers with m = 24 liars, s = 2 are needed,
// and z_max = 1.43, the quantile of 24/26; the paper takes 1.5. The quantile is found by
// bisection of the distribution function.
func TestMostDeviations(t *testing.T) {
	for _, test := range []struct {
		n, m int
		part float64 // (n - m - s)/(n - m)
	}{{50, 24, 24.0 / 26}, {20, 8, 9.0 / 12}, {11, 5, 5.0 / 6}, {10, 4, 4.0 / 6}, {4, 3, 0.5}} {
		low, high := 0.0, 10.0
		for range 100 {
			if mid := (low + high) / 2; math.Erfc(-mid/math.Sqrt2)/2 < test.part {
				low = mid
			} else {
				high = mid
			}
		}
		if test.part <= 0.5 {
			low = 0
		}
		if z := algorithm.MostDeviations(test.n, test.m); !(math.Abs(z-low) < 1e-12) {
			t.Errorf("z_max of %d with %d liars is %v, want %v", test.n, test.m, z, low)
		}
	}
}

// All liars say one thing: mean - z deviation of the sample that they know, which is what
// they would have said, or what honest nodes say. Within the honest, of any law, at most a
// part 1/(1 + z^2) is below that (Cantelli).
func TestLittle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(2, 8).Draw(t, "honest"), rapid.IntRange(2, 4).Draw(t, "liars")
		vectors := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(-5, 5), 2, 2), n+m, n+m).Draw(t, "vectors")
		attack := algorithm.Little{Z: rapid.Float64Range(0.1, 2).Draw(t, "z"), Omniscient: rapid.Bool().Draw(t, "omniscient")}
		sample := vectors[:m]
		if attack.Omniscient {
			sample = vectors[m:]
		}
		want := make([]float64, 2)
		for k := range want {
			var first, second float64
			for _, x := range sample {
				first += x[k]
				second += x[k] * x[k]
			}
			first, second = first/float64(len(sample)), second/float64(len(sample))
			want[k] = first - attack.Z*math.Sqrt(max(second-first*first, 0))
		}
		truths := make([][]float64, m)
		for i := range truths {
			truths[i] = slices.Clone(vectors[i])
		}
		honest := slices.Clone(vectors[m:])
		attack.Lie(truths, honest)
		for _, lie := range truths {
			for k := range want {
				// The root of a variance that is a difference is off by the root of its rounding.
				if !slices.Equal(lie, truths[0]) || !(math.Abs(lie[k]-want[k]) < 1e-6) {
					t.Fatalf("liars say %v, want %v of all", truths, want)
				}
				below := 0
				for _, x := range sample {
					if x[k] < lie[k]-1e-6 {
						below++
					}
				}
				if float64(below) > float64(len(sample))/(1+attack.Z*attack.Z)+1e-9 {
					t.Fatalf("%d of %d are below %v", below, len(sample), lie[k])
				}
			}
		}
	})
}

// Who knows of nobody else says what is so.
func TestLittleOfOne(t *testing.T) {
	truths := [][]float64{{1, 2}}
	algorithm.Little{Z: 1.5}.Lie(truths, [][]float64{{7, 7}, {9, 9}})
	if !slices.Equal(truths[0], []float64{1, 2}) {
		t.Errorf("one liar says %v", truths[0])
	}
	algorithm.Little{Z: 1.5, Omniscient: true}.Lie(truths, nil)
	if !slices.Equal(truths[0], []float64{1, 2}) {
		t.Errorf("with nobody to know of a liar says %v", truths[0])
	}
	for _, a := range []algorithm.Attack{algorithm.Flipped{}, algorithm.Scaled{}, algorithm.Little{}, algorithm.Little{Omniscient: true}} {
		if want := a == (algorithm.Little{Omniscient: true}); a.Knows() != want {
			t.Errorf("%v knows: %v", a, a.Knows())
		}
	}
}
