package stream

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/problem"
)

// What clients compute on the beginning of a stream is what the model says of its data
// one by one: sums of clipped gradients, changes of losses held within a bound, mean
// loss and accuracy.
func TestCorpus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const parties, size, dim, tests = 3, 8, 4, 5
		p := must(NewSyntheticLogistic(SyntheticOptions{Dimension: dim, Alpha: 1, Beta: 1, TestSamples: tests, L2: 0.5}, parties))
		data, model := p.Draw(rapid.Uint64().Draw(t, "seed")), p.Model()
		c := NewCorpus(model, data, parties, size)
		number := rapid.Float64Range(-3, 3)
		x, y := rapid.SliceOfN(number, dim, dim).Draw(t, "x"), rapid.SliceOfN(number, dim, dim).Draw(t, "y")
		clip, bound := rapid.Float64Range(0.01, 20).Draw(t, "clip"), rapid.Float64Range(0.01, 5).Draw(t, "bound")
		party := rapid.IntRange(0, parties-1).Draw(t, "party")
		samples := rapid.SliceOfNDistinct(rapid.IntRange(0, size-1), 0, size, rapid.ID).Draw(t, "samples")
		sum, want := make([]float64, dim), make([]float64, dim)
		gradient, datum := make([]float64, dim), make([]float64, data.Width())
		clipped, change := 0, 0.0
		for _, k := range samples {
			data.Datum(datum, messages.NodeID(party), k+1)
			model.Gradient(gradient, x, datum)
			length := math.Hypot(math.Hypot(gradient[0], gradient[1]), math.Hypot(gradient[2], gradient[3]))
			if length > clip {
				clipped++
			}
			for i, g := range gradient {
				want[i] += g * min(1, clip/length)
			}
			change += max(-bound, min(bound, model.Loss(y, datum)-model.Loss(x, datum)))
		}
		s := c.Party(party)
		if got := s.SumClipped(sum, x, samples, clip); got != clipped || s.Size() != size {
			t.Fatalf("%d of %d gradients clipped, want %d of %d", got, s.Size(), clipped, size)
		}
		for i := range sum {
			if math.Abs(sum[i]-want[i]) > 1e-12*(1+math.Abs(want[i])) {
				t.Fatalf("sum %v, want %v", sum, want)
			}
		}
		if got := s.SumLossChanges(x, y, samples, bound); math.Abs(got-change) > 1e-12*(1+math.Abs(change)) {
			t.Fatalf("losses change by %v, want %v", got, change)
		}
		checkEvaluation(t, c, data, model, x, parties, size)
	})
}

// plain hides what a model is beside a Model.
type plain struct{ Model }

// A generalized linear model sums as any model does, to the last bit: whether gradients are
// clipped or not, or just so, with a ridge and without, and when features overflow.
func TestSumsOfLinearModels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const parties, size, step = 2, 6, 3
		dim := rapid.IntRange(1, 40).Draw(t, "dim")
		l2 := rapid.SampledFrom([]float64{0, 0, 0.5}).Draw(t, "l2")
		p := must(NewSyntheticLogistic(SyntheticOptions{Dimension: dim, Alpha: 1, Beta: 1, TestSamples: 1, L2: l2}, parties))
		data := scaled{p.Draw(rapid.Uint64().Draw(t, "seed")), rapid.SampledFrom([]float64{1, 1, 1e-170, 1e155}).Draw(t, "scale")}
		x := rapid.SliceOfN(rapid.Float64Range(-3, 3), dim, dim).Draw(t, "x")
		one, all := make([]float64, dim), []int{4, 1, 1, 0, 5}
		datum := make([]float64, data.Width())
		data.Datum(datum, 1, all[0]+1)
		p.Model().Gradient(one, x, datum)
		clip := rapid.SampledFrom([]float64{0.1, 3, 1e150, math.Inf(1), kernel.Norm(one), math.Nextafter(kernel.Norm(one), 0)}).Draw(t, "clip")
		sum := func(model Model) (dst []float64, clipped int, said any) {
			defer func() { said = recover() }()
			dst = make([]float64, dim)
			clipped = NewCorpus(model, data, parties, size).Party(1).SumClipped(dst, x, all, clip)
			return dst, clipped, nil
		}
		got, clipped, said := sum(p.Model())
		want, wantClipped, wantSaid := sum(plain{p.Model()})
		if !same(got, want) || clipped != wantClipped || fmt.Sprint(said) != fmt.Sprint(wantSaid) {
			t.Fatalf("%v, %d clipped, %v; want %v, %d, %v", got, clipped, said, want, wantClipped, wantSaid)
		}
		newCosts(p.Model(), data, parties).SumGradient(got, step, x)
		if newCosts(plain{p.Model()}, data, parties).SumGradient(want, step, x); !same(got, want) {
			t.Fatalf("gradients sum to %v, want %v", got, want)
		}
	})
}

// same tells that vectors have the same bits.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
}

// scaled are data with all features times a number.
type scaled struct {
	problem.Data
	by float64
}

func (s scaled) Datum(dst []float64, node messages.NodeID, step int) {
	s.Data.Datum(dst, node, step)
	for k := range len(dst) - 1 {
		dst[k] *= s.by
	}
}

func checkEvaluation(t *rapid.T, c *Corpus, data Tester, model Logistic, x []float64, parties, size int) {
	datum := make([]float64, data.Width())
	var loss float64
	right := 0
	for party := range parties {
		for k := range size {
			data.Datum(datum, messages.NodeID(party), k+1)
			loss += model.Loss(x, datum) / float64(parties*size)
		}
		for k := range data.TestSamples(0) {
			if data.Test(datum, messages.NodeID(party), k); model.Correct(x, datum) {
				right++
			}
		}
	}
	if got := c.Loss(x); math.Abs(got-loss) > 1e-12*(1+loss) {
		t.Fatalf("mean loss %v, want %v", got, loss)
	}
	if got, ok := c.Accuracy(x); !ok || got != float64(right)/float64(parties*data.TestSamples(0)) {
		t.Fatalf("accuracy %v, %v, want %d of %d", got, ok, right, parties*data.TestSamples(0))
	}
}

// A clipped gradient is no longer than the bound that the noise is made for, and
// what is not finite is never summed.
func TestCorpusHoldsTheBound(t *testing.T) {
	p := must(NewSyntheticLogistic(SyntheticOptions{Dimension: 3, Alpha: 1, Beta: 1, TestSamples: 1, L2: 1}, 1))
	c := NewCorpus(p.Model(), p.Draw(1), 1, 4)
	sum := make([]float64, 3)
	for _, scale := range []float64{1e3, 1e150} {
		c.Party(0).SumClipped(sum, []float64{scale, -scale, scale}, []int{2}, 0.5)
		if length := math.Hypot(sum[0], math.Hypot(sum[1], sum[2])); length > 0.5*(1+1e-12) || length < 0.4 {
			t.Errorf("at %v: a gradient of length %v is clipped to 0.5", scale, length)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a gradient without length is summed")
		}
	}()
	c.Party(0).SumClipped(sum, []float64{1e300, 0, 0}, []int{2}, 0.5)
}

// Data of a law without labels have no accuracy.
func TestCorpusWithoutLabels(t *testing.T) {
	p := must(NewSyntheticLogistic(SyntheticOptions{Dimension: 2, TestSamples: 1}, 1))
	if _, ok := NewCorpus(unlabelled{p.Model()}, p.Draw(1), 1, 1).Accuracy([]float64{1, 2}); ok {
		t.Error("a model that predicts nothing has an accuracy")
	}
}

// unlabelled hides that a model classifies.
type unlabelled struct{ logistic Logistic }

func (u unlabelled) Dim() int                         { return u.logistic.Dim() }
func (u unlabelled) Gradient(dst, x, datum []float64) { u.logistic.Gradient(dst, x, datum) }
func (u unlabelled) Loss(x, datum []float64) float64  { return u.logistic.Loss(x, datum) }
