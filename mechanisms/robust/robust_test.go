package robust_test

import (
	"math"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/robust"
)

// combine is what a rule makes of vectors around an own one, each of the same weight unless
// weights are given.
func combine(r robust.Rule, own []float64, vectors [][]float64, weights ...float64) []float64 {
	list := make([]robust.Vector, len(vectors))
	for i, v := range vectors {
		list[i] = robust.Vector{Values: slices.Clone(v), Weight: 1 / float64(len(vectors))}
		if weights != nil {
			list[i].Weight = weights[i]
		}
	}
	dst := make([]float64, len(vectors[0]))
	r.Combine(dst, own, list, new(robust.Work))
	for i, v := range vectors {
		if !slices.Equal(v, list[i].Values) {
			panic("a rule has changed a vector")
		}
	}
	return dst
}

// drawn draws vectors of one length.
func drawn(t *rapid.T, least int) [][]float64 {
	n, d := rapid.IntRange(least, least+8).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "d")
	return rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(-10, 10), d, d), n, n).Draw(t, "vectors")
}

func far(x, y []float64) (most float64) {
	for k := range x {
		most = max(most, math.Abs(x[k]-y[k]))
	}
	return most
}

// quantile is the k-th least of a column, counted without sorting: as many are below it.
func quantile(vectors [][]float64, column, k int) float64 {
	for _, v := range vectors {
		below, equal := 0, 0
		for _, w := range vectors {
			if w[column] < v[column] {
				below++
			} else if w[column] == v[column] {
				equal++
			}
		}
		if below <= k && k < below+equal {
			return v[column]
		}
	}
	panic("no quantile")
}

// Yin et al. 2018, Definition 1: the usual median of every coordinate; and Definition 2: the
// mean of what is left of every coordinate without beta n of its least and largest entries.
func TestMedianAndTrimmedMeanLiterally(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vectors := drawn(t, 1)
		n := len(vectors)
		median, want := combine(robust.Median{}, nil, vectors), make([]float64, len(vectors[0]))
		for k := range want {
			want[k] = (quantile(vectors, k, (n-1)/2) + quantile(vectors, k, n/2)) / 2
		}
		if d := far(median, want); !(d <= 1e-12) {
			t.Fatalf("median %v, want %v", median, want)
		}
		liars := rapid.IntRange(0, (n-1)/2).Draw(t, "liars")
		trimmed := combine(robust.TrimmedMean{Liars: liars}, nil, vectors)
		for k := range want {
			want[k] = 0
			for rank := liars; rank < n-liars; rank++ {
				want[k] += quantile(vectors, k, rank)
			}
			want[k] /= float64(n - 2*liars)
		}
		if d := far(trimmed, want); !(d <= 1e-12) {
			t.Fatalf("trimmed mean %v, want %v", trimmed, want)
		}
	})
}

// Blanchard et al. 2017, section 4: the score of i is the sum of ||V_i - V_j||^2 over the n -
// f - 2 nearest j, and Krum is the vector of the least.
func TestKrumLiterally(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		liars := rapid.IntRange(0, 2).Draw(t, "liars")
		vectors := drawn(t, 2*liars+3)
		n, scores := len(vectors), []float64{}
		for i := range vectors {
			var squares []float64
			for j := range vectors {
				if j != i {
					var sum float64
					for k := range vectors[i] {
						sum += (vectors[i][k] - vectors[j][k]) * (vectors[i][k] - vectors[j][k])
					}
					squares = append(squares, sum)
				}
			}
			sort.Float64s(squares)
			var score float64
			for _, s := range squares[:n-liars-2] {
				score += s
			}
			scores = append(scores, score)
		}
		got := combine(robust.Krum{Liars: liars}, nil, vectors)
		at := slices.IndexFunc(vectors, func(v []float64) bool { return slices.Equal(v, got) })
		if at < 0 {
			t.Fatalf("%v is none of %v", got, vectors)
		}
		if least := slices.Min(scores); !(scores[at] <= least+1e-9) {
			t.Fatalf("the vector %d has the score %v, the least is %v", at, scores[at], least)
		}
	})
}

// He, Karimireddy, Jaggi 2022, Algorithm 1: x_i + sum_j W_ij Clip(x_j - x_i, tau), Clip(z,
// tau) = min(1, tau/||z||) z.
func TestClippedGossipLiterally(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vectors := drawn(t, 2)
		weights := make([]float64, len(vectors))
		for i := range weights {
			weights[i] = rapid.Float64Range(0.01, 1).Draw(t, "weight") / float64(len(vectors))
		}
		rule := robust.ClippedGossip{Liars: rapid.IntRange(1, 3).Draw(t, "liars")}
		own, distances := vectors[0], []float64{}
		norm := func(j int) (sum float64) {
			for k := range own {
				sum = math.Hypot(sum, vectors[j][k]-own[k])
			}
			return sum
		}
		for j := range vectors {
			distances = append(distances, norm(j))
		}
		sort.Sort(sort.Reverse(sort.Float64Slice(distances)))
		tau := distances[min(rule.Liars, len(distances)-1)]
		if rapid.Bool().Draw(t, "fixed") {
			tau = rapid.Float64Range(0.1, 20).Draw(t, "tau")
			rule.Tau = tau
		}
		want := slices.Clone(own)
		for j := range vectors {
			if size := norm(j); size > 0 {
				for k := range want {
					want[k] += weights[j] * min(1, tau/size) * (vectors[j][k] - own[k])
				}
			}
		}
		if got := combine(rule, own, vectors, weights...); !(far(got, want) <= 1e-11) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// With tau infinite it is the weighted mean of gossip.
func TestClippedGossipWithoutClippingIsGossip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vectors := drawn(t, 1)
		want := make([]float64, len(vectors[0]))
		for _, v := range vectors {
			for k := range v {
				want[k] += v[k] / float64(len(vectors))
			}
		}
		got := combine(robust.ClippedGossip{Tau: math.Inf(1)}, vectors[len(vectors)-1], vectors)
		if !(far(got, want) <= 1e-12) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// rules are all of them for a number of liars.
func rules(liars int) map[string]robust.Rule {
	return map[string]robust.Rule{
		"median": robust.Median{Liars: liars}, "trimmed-mean": robust.TrimmedMean{Liars: liars},
		"krum": robust.Krum{Liars: liars}, "clipped-gossip": robust.ClippedGossip{Liars: liars}, "clipped-gossip, tau": robust.ClippedGossip{Tau: 3, Liars: liars},
	}
}

// Where fewer lie than a rule is for, lies of any size leave what it makes among the honest
// vectors: every entry of median and trimmed mean between two of theirs, and Krum within their
// reach: no further from one of them than they are apart, times a constant. Clipped gossip
// goes no further than tau from its own. One lie moves the mean as far as it is large.
func TestBreakdown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		liars := rapid.IntRange(1, 3).Draw(t, "liars")
		honest := drawn(t, liars+3)
		size := rapid.SampledFrom([]float64{1, 1e3, 1e9, 1e300}).Draw(t, "size")
		vectors := slices.Clone(honest)
		for range liars {
			lie := make([]float64, len(honest[0]))
			for k := range lie {
				lie[k] = size * rapid.Float64Range(-1, 1).Draw(t, "lie")
			}
			vectors = append(vectors, lie)
		}
		apart := 0.0
		for _, v := range honest {
			for _, w := range honest {
				apart = max(apart, far(v, w))
			}
		}
		for name, rule := range rules(liars) {
			if len(vectors) < rule.Least() {
				continue
			}
			got := combine(rule, honest[0], vectors)
			for k, v := range got {
				low, high := math.Inf(1), math.Inf(-1)
				for _, h := range honest {
					low, high = min(low, h[k]), max(high, h[k])
				}
				reach := 0.0
				switch name {
				case "krum": // the score of an honest vector is at most n d apart^2
					reach = apart * math.Sqrt(float64(len(vectors)*len(got)))
				case "clipped-gossip":
					low, high, reach = honest[0][k], honest[0][k], apart*math.Sqrt(float64(len(got)))
				case "clipped-gossip, tau":
					low, high, reach = honest[0][k], honest[0][k], 3
				}
				if !(v >= low-reach*(1+1e-9) && v <= high+reach*(1+1e-9)) {
					t.Fatalf("%s of %v makes %v, beyond %v to %v by more than %v", name, vectors, got, low, high, reach)
				}
			}
		}
	})
	vectors := [][]float64{{0}, {1}, {2}, {3}, {1e30}}
	if mean := combine(robust.ClippedGossip{Tau: math.Inf(1)}, vectors[0], vectors); !(mean[0] > 1e29) {
		t.Errorf("one lie of 1e30 moves the mean to %v", mean)
	}
}

// The order of vectors does not matter, but for Krum where scores are equal.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vectors := drawn(t, 7)
		for name, rule := range rules(2) {
			want := combine(rule, vectors[0], vectors)
			got := combine(rule, vectors[0], rapid.Permutation(vectors).Draw(t, "order"))
			if name == "krum" && !slices.Equal(got, want) {
				continue // of equal scores the first; TestKrumLiterally has the score
			}
			if !(far(got, want) <= 1e-11) {
				t.Fatalf("%s makes %v, and %v in another order", name, want, got)
			}
		}
	})
}

// Of fewer vectors than it takes, a rule makes what it can: of equal ones the same, of one
// that, and nothing that is no number.
func TestFewVectors(t *testing.T) {
	for name, rule := range rules(4) {
		for n := 1; n < rule.Least(); n++ {
			vectors := slices.Repeat([][]float64{{1.1, -2.7}}, n)
			if got := combine(rule, vectors[0], vectors); !(far(got, vectors[0]) <= 1e-15) {
				t.Errorf("%s of %d times %v is %v", name, n, vectors[0], got)
			}
		}
	}
}
