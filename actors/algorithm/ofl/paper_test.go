package ofl_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"starling/actors/algorithm/ofl"
	"starling/actors/algorithmtest"
	"starling/actors/lockstep"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/messages"
)

// The claims of the paper ("Locally Differentially Private Online Federated
// Learning With Correlated Noise", both versions) on the algorithm itself.

// observe runs the machines and returns what they compute: what the learners
// send, not what they meant to send.
func observe(t algorithmtest.Fataler, o ofl.Options) trajectory {
	t.Helper()
	tr := newTrajectory(o)
	watch(t, newRun(o, newDiary()), 0, func(w *lockstep.Watched) {
		tr.x = append(tr.x, slices.Clone(w.Outbox.Broadcast.(*messages.Vector).Values))
	})
	for i := range o.Learners {
		watch(t, newRun(o, newDiary()), ofl.Learner(i), func(w *lockstep.Watched) {
			if w.Hop != 1 {
				return
			}
			tr.z[i] = append(tr.z[i], algorithmtest.Quantity(w.Machine, "z"))
			for _, single := range w.Outbox.Singles(0) {
				tr.sent[i] = append(tr.sent[i], slices.Clone(single.Payload.(*messages.Vector).Values))
			}
		})
	}
	return tr
}

// distance is the largest difference of two trajectories, relative to entries
// above 1.
func distance(t algorithmtest.Fataler, want, got trajectory) (largest float64) {
	t.Helper()
	pairs := [][2][][]float64{{want.x, got.x}}
	for i := range want.z {
		pairs = append(pairs, [2][][]float64{want.z[i], got.z[i]})
	}
	for i := range want.sent {
		pairs = append(pairs, [2][][]float64{want.sent[i], got.sent[i]})
	}
	for _, pair := range pairs {
		if len(pair[0]) != len(pair[1]) {
			t.Fatalf("%d vectors, want %d", len(pair[1]), len(pair[0]))
		}
		for k, x := range pair[0] {
			for c := range x {
				difference := math.Abs(x[c]-pair[1][k][c]) / max(1, math.Abs(x[c]))
				if math.IsNaN(difference) {
					return difference
				}
				largest = max(largest, difference)
			}
		}
	}
	return largest
}

// kinds are all sorts of noise, and none. The laws are noise of its own on each input.
func kinds() []factorization.Kind {
	own := []factorization.Kind{"", factorization.Kind(noise.LaplaceLaw.String()), factorization.Kind(noise.GaussianLaw.String())}
	return append(own, factorization.Kinds()...)
}

// described are options with noise of a kind, "" for none.
func described(kind factorization.Kind, changes ...func(*ofl.Options)) ofl.Options {
	o := logisticOptions(changes...)
	if kind != "" {
		withNoise(kind)(&o)
	}
	return o
}

// Algorithm 1 (lines 1 to 18), equation (2) and the post-processed prefix sums
// of section III-B are the same trajectory, and the machines' too, on the same
// noise. Version 1 has its own Algorithm 1 (lines 1 to 17) and prefix sums.
func TestAlgorithm1(t *testing.T) {
	for _, kind := range kinds() {
		for i, tau := range []int{1, 4, 1, 4} {
			for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
				set := i > 1
				t.Run(fmt.Sprintf("%s, tau %d, version %d, set %v", kind, tau, version, set), func(t *testing.T) {
					o := described(kind, func(o *ofl.Options) { o.Version, o.Tau = version, tau })
					if set {
						o.Set = smallSet()
					}
					got := observe(t, o)
					p := newPaper(o, newRun(o, nil).Seed)
					forms := map[string]func() trajectory{"algorithm 1": p.algorithm1, "equation (2)": p.equation2, "prefix sums": p.postProcessed}
					if version == ofl.PerRound {
						forms = map[string]func() trajectory{"algorithm 1": p.algorithm1v1, "prefix sums": p.postProcessedV1}
					}
					for name, form := range forms {
						if difference := distance(t, form(), got); !(difference <= 1e-12) {
							t.Errorf("the machines differ from %s by %v", name, difference)
						}
					}
					if moved := norm(minus(got.x[o.Rounds], o.Start)); moved < 0.01 {
						t.Errorf("the model moved by %v only, which shows nothing", moved)
					}
				})
			}
		}
	}
}

// The comparison above sees whatever the two versions do differently: with
// noise they part for every tau above 1, and are the same for tau = 1.
func TestVersionsDiffer(t *testing.T) {
	for _, kind := range kinds() {
		for _, tau := range []int{1, 4} {
			first := described(kind, func(o *ofl.Options) { o.Version, o.Tau = ofl.PerRound, tau })
			second := described(kind, func(o *ofl.Options) { o.Version, o.Tau = ofl.PerStep, tau })
			one, two := observe(t, first), observe(t, second)
			one.z, two.z = nil, nil // never leave the learner in version 1
			difference := distance(t, one, two)
			if same := tau == 1 || kind == ""; same && difference > 1e-12 || !same && difference < 0.01 {
				t.Errorf("%s, tau %d: the versions differ by %v", kind, tau, difference)
			}
		}
	}
}

// Version 1 perturbs the average of a round and nothing else: the local models
// of the first round are those of a run without noise, and what is sent is off
// by b^1 xi_i, undivided.
func TestVersion1PerturbsTheAverageOnly(t *testing.T) {
	version1 := func(o *ofl.Options) { o.Version = ofl.PerRound }
	clean := observe(t, described("", version1))
	for _, kind := range factorization.Kinds() {
		o := described(kind, version1)
		got, p := observe(t, o), newPaper(o, newRun(o, nil).Seed)
		for i := range o.Learners {
			for k := range o.Tau {
				if !slices.Equal(got.z[i][k], clean.z[i][k]) {
					t.Errorf("%s, learner %d: z^{0,%d} is %v, without noise %v", kind, i+1, k+1, got.z[i][k], clean.z[i][k])
				}
			}
			noise := minus(got.sent[i][0], clean.sent[i][0])
			if off := norm(minus(noise, p.noise(i, 0))); off > 1e-13 || norm(noise) < 0.01 {
				t.Errorf("%s, learner %d: sent with noise %v, want %v", kind, i+1, noise, p.noise(i, 0))
			}
		}
	}
}

// In version 2 every local step is perturbed, by b^{r,t} - b^{r,t-1}.
func TestVersion2PerturbsEveryStep(t *testing.T) {
	for _, kind := range factorization.Kinds() {
		o := described(kind, func(o *ofl.Options) {
			o.Model, o.Start, o.Data = given(3), make([]float64, 3), data{3, func(dst []float64, _, _ int) { clear(dst) }}
		})
		got, p := observe(t, o), newPaper(o, newRun(o, nil).Seed)
		for i := range o.Learners {
			z := got.x[0]
			for k, next := range got.z[i] {
				if k%o.Tau == 0 {
					z = got.x[k/o.Tau]
				}
				want := combination(-o.LocalStep, p.noise(i, k), o.LocalStep, p.noise(i, k-1))
				if off := norm(minus(minus(next, z), want)); off > 1e-12 {
					t.Fatalf("%s, learner %d, step %d: moved by %v, want %v", kind, i+1, k, minus(next, z), want)
				}
				z = next
			}
		}
	}
}

// A learner decides by x^r in every step of round r, and the metrics are those
// of the noise and the clipping that were.
func TestWhatTheMeterIsTold(t *testing.T) {
	for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
		o := described(factorization.Tree, func(o *ofl.Options) { o.Version = version })
		d, tr := runLockstep(t, o), observe(t, o)
		p := newPaper(o, newRun(o, nil).Seed)
		clipped := 0.0
		for i := range o.Learners {
			node := ofl.Learner(i)
			for k := range o.Steps() {
				if !slices.Equal(d.played[node][k], tr.x[k/o.Tau]) {
					t.Errorf("version %d, learner %d played %v in step %d, want x^%d = %v", version, i+1, d.played[node][k], k, k/o.Tau, tr.x[k/o.Tau])
				}
			}
			noises := d.values[node][ofl.PrefixNoise]
			if len(noises) != o.Inputs() || len(d.values[node][ofl.Clipped]) != o.Steps() {
				t.Fatalf("version %d, learner %d: %d values of the noise, %d of the clipping", version, i+1, len(noises), len(d.values[node][ofl.Clipped]))
			}
			for k, energy := range noises {
				length := norm(p.noise(i, k))
				if want := length * length; math.Abs(energy-want) > 1e-12*max(1, want) {
					t.Errorf("version %d, learner %d: noise after input %d is %v, want %v", version, i+1, k, energy, want)
				}
			}
			for k, c := range d.values[node][ofl.Clipped] {
				z := tr.x[k/o.Tau]
				if k%o.Tau != 0 {
					z = tr.z[i][k-1]
				}
				if want := p.long(i, k, z); (c == 1) != want || c != 0 && c != 1 {
					t.Errorf("version %d, learner %d, step %d: clipped %v, want %v", version, i+1, k, c, want)
				}
				clipped += c
			}
		}
		if all := float64(o.Learners * o.Steps()); clipped < all/10 || clipped > all*9/10 {
			t.Errorf("version %d: %v of %v gradients were clipped, which shows nothing", version, clipped, all)
		}
	}
}

// long tells whether the gradient of a step at z exceeds B_g.
func (p *paper) long(i, step int, z []float64) bool {
	datum, g := make([]float64, p.Data.Width()), make([]float64, len(z))
	p.Data.Datum(datum, messages.NodeID(i), step+1)
	p.Model.Gradient(g, z, datum)
	return norm(g) > p.GradientBound
}
