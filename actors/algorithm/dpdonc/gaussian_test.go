package dpdonc_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/mirror"
	"starling/actors/algorithmtest"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
)

// gaussianOptions are printedOptions with Gaussian noise.
func gaussianOptions(mu float64) dpdonc.Options {
	o := printedOptions()
	o.Calibration, o.Noise = noise.Calibration{Law: noise.GaussianLaw, Level: mu}, dpdonc.Shifted
	return o
}

// Every release but the first, of a public point, costs mu^2/2, and its noise is by the
// printed sizes: sigma_t = 2 alpha_{t-1} theta/(omega mu), 2 alpha_{t-1} theta/omega
// being what Lemma 1 bounds in 2-norm.
func TestGaussianReleases(t *testing.T) {
	const mu, horizon = 0.4, 50
	o := gaussianOptions(mu)
	omega := o.Divergence.StrongConvexity()
	if mechanism, moves := o.Release(1); mechanism.Scale != 0 || moves != (noise.Moves{}) || mechanism.Loss(moves) != (accountant.Loss{}) {
		t.Errorf("step 1: %v by %v", mechanism, moves)
	}
	for step := 2; step <= horizon; step++ {
		mechanism, moves := o.Release(step)
		alpha := 1 / (6 * math.Sqrt(float64(step-1)))
		algorithmtest.CloseTo(t, fmt.Sprintf("sigma_%d", step), mechanism.Scale, 2*alpha*7/(omega*mu), 1e-14)
		algorithmtest.CloseTo(t, fmt.Sprintf("1-norm at step %d", step), moves.L1, math.Sqrt2*moves.L2, 1e-14)
		algorithmtest.CloseTo(t, fmt.Sprintf("rho of step %d", step), mechanism.Loss(moves).Rho, mu*mu/2, 1e-14)
	}
	_, total := dpdonc.Totals(&o, horizon)
	algorithmtest.CloseTo(t, "rho in all", total.Rho, (horizon-1)*mu*mu/2, 1e-13)
	if total.Epsilon != 0 || total.Delta != 0 {
		t.Errorf("in all %v", total)
	}
}

// Two gradients of length theta at most move x_2 by no more in 2-norm than the noise is
// calibrated to, whatever was received.
func TestGaussianSensitivity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := gaussianOptions(math.Inf(1))
		o.Nodes = 1
		if rapid.Bool().Draw(t, "entropy") {
			o = entropyOptions(dpdonc.DualAverage)
			o.Nodes, o.Calibration, o.Noise = 1, noise.Calibration{Law: noise.GaussianLaw, Level: math.Inf(1)}, dpdonc.Shifted
		} else {
			o.Set = must(mirror.NewL1Ball(2, rapid.Float64Range(0.1, 5).Draw(t, "radius"), nil))
		}
		d := o.Set.Dim()
		inbox := inboxOf([]float64{0.5, 0.5}, entries(d, 10).Draw(t, "q_1"), entries(d, 10).Draw(t, "q_2"))
		next := func(name string) []float64 {
			g := entries(d, o.Theta/math.Sqrt(float64(d))).Draw(t, name)
			return solo(t, must(dpdonc.New(o))[0], constant(g...), [][]messages.Envelope{nil, inbox})[1]
		}
		moved := norm(2, minus(next("g"), next("g'")))
		if _, bound := o.Release(2); moved > bound.L2*(1+1e-9) {
			t.Fatalf("x_2 moves by %v, over %v", moved, bound.L2)
		}
	})
}
