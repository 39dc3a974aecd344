package ofl_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm/ofl"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/messages"
)

// oneStep is one learner's run of version 2 with one local step a round, and with noise
// of its own on each input: what the learner sends is the noisy gradient.
func oneStep(o *ofl.Options) {
	o.Learners, o.Tau, o.Rounds = 1, 1, 5
}

// gradientsAt are the gradients, held to the bound, that data would have had on the way of
// a trajectory: all that follows of what was released.
func gradientsAt(o ofl.Options, tr trajectory) (list [][]float64) {
	p := newPaper(ofl.Options{}, 0)
	p.Options = o
	for r := range o.Rounds {
		list = append(list, p.gradient(0, r, 0, tr.x[r]))
	}
	return list
}

// The likelihood ratio of all that a learner sends, on data of which one datum is
// another, is bounded by the loss that it pays: Laplace noise has the pure epsilon, for
// any data, with a set and without, though later gradients follow what was released.
func TestLaplaceNoiseIsPrivate(t *testing.T) {
	largest := 0.0
	rapid.Check(t, func(t *rapid.T) {
		o := described(factorization.Kind(noise.LaplaceLaw.String()), oneStep)
		if rapid.Bool().Draw(t, "set") {
			o.Set = smallSet()
		}
		changed, key := rapid.IntRange(0, o.Rounds-1).Draw(t, "step"), rapid.SliceOfN(rapid.Float64Range(-2, 2), 3, 3).Draw(t, "features")
		label := float64(2*rapid.IntRange(0, 1).Draw(t, "label") - 1)
		other := o
		other.Data = data{4, func(dst []float64, learner, step int) {
			if o.Data.Datum(dst, messages.NodeID(learner), step+1); step == changed {
				copy(dst, append(key, label))
			}
		}}
		tr := observe(t, o)
		paid := runLockstep(t, o).spent[ofl.Learner(0)]
		if len(paid) != 1 || paid[0].Loss.Epsilon != o.Noise.Sensitivity()/o.Noise.Scale() {
			t.Fatalf("paid %v, want %v once", paid, o.Noise.Sensitivity()/o.Noise.Scale())
		}
		law, ratio := noise.Additive{Law: o.Noise.Law(), Scale: o.Noise.Scale()}, 0.0
		first, second := gradientsAt(o, tr), gradientsAt(other, tr)
		for r := range o.Rounds {
			for k, sent := range tr.sent[0][r] {
				ratio += law.LogRatio(sent, first[r][k], second[r][k])
			}
		}
		if epsilon := paid[0].Loss.Epsilon; math.Abs(ratio) > epsilon*(1+1e-9) {
			t.Fatalf("the logarithm of the ratio is %v, over epsilon = %v", ratio, epsilon)
		}
		largest = max(largest, math.Abs(ratio)/paid[0].Loss.Epsilon)
	})
	if largest < 0.05 {
		t.Errorf("the largest ratio is %v of epsilon, which shows nothing", largest)
	}
}

// Gaussian noise of its own is what the factorization of independent noise draws, and
// costs, to the bit.
func TestGaussianNoiseIsIndependentNoise(t *testing.T) {
	for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
		change := func(o *ofl.Options) { o.Version = version }
		own, independent := described(factorization.Kind(noise.GaussianLaw.String()), change), described(factorization.Independent, change)
		if difference := distance(t, observe(t, own), observe(t, independent)); difference != 0 {
			t.Errorf("version %d: runs differ by %v", version, difference)
		}
		one, two := runLockstep(t, own).spent[ofl.Learner(1)], runLockstep(t, independent).spent[ofl.Learner(1)]
		if len(one) != 1 || len(two) != 1 || one[0] != two[0] {
			t.Errorf("version %d: paid %v and %v", version, one, two)
		}
	}
}

// Noise for less than one gradient can move an input, in the norm of its law, is refused.
func TestOwnNoiseMustBeEnough(t *testing.T) {
	for _, law := range []noise.Law{noise.LaplaceLaw, noise.GaussianLaw} {
		o := described(factorization.Kind(law.String()))
		if err := o.Validate(); err != nil {
			t.Errorf("%s: %v", law, err)
		}
		o.Noise = moved(o.Noise, 0.99)
		if o.Validate() == nil {
			t.Errorf("%s: a sensitivity of %v is accepted", law, o.Noise.Sensitivity())
		}
	}
}
