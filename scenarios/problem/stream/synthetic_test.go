package stream

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"starling/mechanisms/rng"
	"starling/messages"
)

// The data drawn again from the definition, by a literal reading of the order of
// the draws.
func TestSyntheticData(t *testing.T) {
	const seed, learners, dim = 5, 12, 3
	for _, o := range []SyntheticOptions{
		{Dimension: dim, Alpha: 0.5, Beta: 2, Normalise: true, TestSamples: 30, ValidationSamples: 30},
		{Dimension: dim, Alpha: 0.5, Beta: 2, TestSamples: 30, ValidationSamples: 30},
	} {
		in := must(NewSyntheticLogistic(o, learners)).Draw(seed)
		if in.Width() != dim+1 || in.TestSamples(0) != 30 {
			t.Fatalf("width %d, %d test samples", in.Width(), in.TestSamples(0))
		}
		chosen := Keep(in.(Drawn), nil, nil).Validation()
		if chosen.TestSamples(0) != 30 || ValidationOf(chosen) != nil {
			t.Fatalf("%d validation rows", chosen.TestSamples(0))
		}
		labels := map[float64]int{}
		for i := range learners {
			var stream rng.Stream
			r := stream.Open(rng.NewKey(seed, rng.PurposeOf("data.node")), i, 0, 0)
			u, b := math.Sqrt(0.5)*r.NormFloat64(), math.Sqrt(2)*r.NormFloat64()
			c := u + r.NormFloat64()
			var w, v [dim]float64
			for j := range w {
				w[j] = u + r.NormFloat64()
			}
			for j := range v {
				v[j] = b + r.NormFloat64()
			}
			for name, draw := range map[string]func([]float64, messages.NodeID, int){"stream.sample": in.Datum, "stream.test": in.Test, "stream.validation": chosen.Test} {
				for step := range 30 { // of the stream; data are numbered from 1
					at := step
					if name == "stream.sample" {
						at++
					}
					r := stream.Open(rng.NewKey(seed, rng.PurposeOf(name)), i, step, 0)
					want := make([]float64, dim, dim+1)
					for j := range want {
						want[j] = v[j] + math.Sqrt(math.Pow(float64(j+1), -1.2))*r.NormFloat64()
					}
					label := math.Copysign(1, floats.Dot(w[:], want)+c)
					if o.Normalise {
						floats.Scale(1/floats.Norm(want, 2), want)
					}
					want = append(want, label)
					labels[label]++
					got := make([]float64, dim+1)
					if draw(got, messages.NodeID(i), at); !floats.EqualApprox(got, want, 1e-12) {
						t.Fatalf("%s, learner %d, step %d: %v, want %v", name, i, step, got, want)
					}
				}
			}
		}
		if labels[1] == 0 || labels[-1] == 0 {
			t.Errorf("labels %v, want some of both", labels)
		}
	}
}

// inChiSquare reports whether the sum of squares of n standard normal numbers
// is in the middle 1 - 1e-7 of its law.
func inChiSquare(sum float64, n int) bool {
	law := distuv.ChiSquared{K: float64(n)}
	return law.CDF(sum) > 5e-8 && law.Survival(sum) > 5e-8
}

// The law of raw features, as seen from outside. The mean entry of learner i's is
// B_i + N(0, 1/d) + N(0, sum_j j^-1.2/d^2), of variance beta + 1/d + ..., alike
// and independent over learners; and a datum minus a fresh one of the same
// learner is N(0, 2 j^-1.2) in entry j. So these sums of squares are chi-square
// (chance of a false failure 1e-7 each, d + 1 times).
func TestSyntheticFeatures(t *testing.T) {
	const learners, dim, beta = 3000, 6, 3.0
	o := SyntheticOptions{Dimension: dim, Alpha: 0.1, Beta: beta, TestSamples: 1}
	in := must(NewSyntheticLogistic(o, learners)).Draw(11)
	variance := beta + 1.0/dim
	for j := 1; j <= dim; j++ {
		variance += math.Pow(float64(j), -1.2) / (dim * dim)
	}
	var means float64
	var squares [dim]float64
	a, fresh := make([]float64, dim+1), make([]float64, dim+1)
	for i := range learners {
		in.Datum(a, messages.NodeID(i), 8)
		in.Test(fresh, messages.NodeID(i), 7)
		mean := floats.Sum(a[:dim]) / dim
		means += mean * mean / variance
		for j := range dim {
			difference := a[j] - fresh[j]
			squares[j] += difference * difference / (2 * math.Pow(float64(j+1), -1.2))
		}
	}
	if !inChiSquare(means, learners) {
		t.Errorf("means of learners: sum of squares %v, want chi-square of %d", means, learners)
	}
	for j, sum := range squares {
		if !inChiSquare(sum, learners) {
			t.Errorf("feature %d: sum of squares %v, want chi-square of %d", j+1, sum, learners)
		}
	}
}

// Data are a function of (seed, learner, step): in any order, from any
// goroutine, and with different numbers for different keys.
func TestDataAreKeyed(t *testing.T) {
	_, in := paper(1)
	_, other := paper(2)
	datum := func(draw func([]float64, messages.NodeID, int), learner messages.NodeID, step int) []float64 {
		dst := make([]float64, in.Width())
		draw(dst, learner, step)
		return dst
	}
	first := datum(in.Datum, 3, 5)
	for name, different := range map[string][]float64{
		"seed": datum(other.Datum, 3, 5), "learner": datum(in.Datum, 4, 5),
		"step": datum(in.Datum, 3, 6), "fresh": datum(in.Test, 3, 4), // both of index 4
	} {
		if slices.Equal(first, different) {
			t.Errorf("another %s has the same datum", name)
		}
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for step := 20; step >= 1; step-- {
				for i := range messages.NodeID(20) {
					datum(in.Test, i, step)
					if got := datum(in.Datum, i, step); i == 3 && step == 5 && !slices.Equal(got, first) {
						t.Errorf("datum %v, was %v", got[:3], first[:3])
					}
				}
			}
		})
	}
	group.Wait()
}

func TestSyntheticOptions(t *testing.T) {
	good := DefaultSyntheticOptions()
	if err := good.Validate(); err != nil {
		t.Errorf("the default: %v", err)
	}
	if _, err := NewSyntheticLogistic(good, 0); err == nil {
		t.Error("no learners are accepted")
	}
	bad := SyntheticOptions{Alpha: -1, Beta: math.Inf(1), TestSamples: 1 << 30}
	_, err := NewSyntheticLogistic(bad, 2)
	want := "dimension: is 0, want 1 to 1048576\n" +
		"test_samples: is 1073741824, want 1 to 1048576\n" +
		"alpha: is -1, want a finite number of at least 0\n" +
		"beta: is +Inf, want a finite number of at least 0"
	if err == nil || strings.TrimSpace(err.Error()) != want {
		t.Errorf("error:\n%v\nwant:\n%s", err, want)
	}
}

func BenchmarkDatum(b *testing.B) {
	_, in := paper(1)
	dst := make([]float64, in.Width())
	for k := range b.N {
		in.Datum(dst, messages.NodeID(k%20), 1+k/20)
	}
}
