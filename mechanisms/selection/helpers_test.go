package selection_test

import (
	"errors"
	"math"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
)

// generator returns the generator of a fixed stream: a test that has passed
// passes for ever, until streams or mechanism change.
func generator(node int) *rng.Rand {
	return new(rng.Stream).Open(rng.NewKey(7, rng.PurposeOf("selection test")), node, 0, 0)
}

func accept(accountant.Loss) error { return nil }

var errRefused = errors.New("budget spent")

// till is a pay that writes down what it was asked for.
type till struct {
	refuse bool
	paid   []float64
}

func (p *till) pay(loss accountant.Loss) error {
	p.paid = append(p.paid, loss.Epsilon)
	if p.refuse {
		return errRefused
	}
	return nil
}

const samples = 200_000

// checkFrequencies compares how often each outcome came up in samples draws
// with its probability. A binomial frequency deviates by more than six of its
// standard errors, plus 9/samples for the skew of rare outcomes (Bernstein:
// exp(-18/(1+2)) each side at the worst), with chance below 2e-8 for outcomes
// that are not rare; all tests together make fewer than 100 comparisons.
func checkFrequencies(t *testing.T, name string, probabilities []float64, draw func(r *rng.Rand) int) {
	t.Helper()
	counts := make([]int, len(probabilities))
	r := generator(len(name))
	for range samples {
		counts[draw(r)]++
	}
	var total float64
	for i, p := range probabilities {
		total += p
		got := float64(counts[i]) / samples
		if tolerance := 6*math.Sqrt(p*(1-p)/samples) + 9.0/samples; math.Abs(got-p) > tolerance {
			t.Errorf("%s: outcome %d has frequency %v, probability %v, tolerance %v", name, i, got, p, tolerance)
		}
	}
	if math.Abs(total-1) > 1e-7 { // the error of the integration
		t.Errorf("%s: the reference probabilities sum to %v", name, total)
	}
}

// worstRatio is the largest |log p_i/q_i|: the pure loss between two laws on
// finitely many outcomes.
func worstRatio(p, q []float64) (worst float64) {
	for i := range p {
		worst = max(worst, math.Abs(math.Log(p[i]/q[i])))
	}
	return worst
}

// integrate is Simpson's rule from a to b, with kinks at the given places: the
// densities are smooth between them.
func integrate(f func(float64) float64, a, b float64, kinks ...float64) (sum float64) {
	places := append([]float64{a, b}, kinks...)
	for i := range places { // insertion sort: there are few
		for j := i; j > 0 && places[j] < places[j-1]; j-- {
			places[j], places[j-1] = places[j-1], places[j]
		}
	}
	const cells = 2000
	for i := 1; i < len(places); i++ {
		from, h := places[i-1], (places[i]-places[i-1])/(2*cells)
		if h == 0 {
			continue
		}
		// The one-sided limits count at a kink or jump.
		value := func(k int) float64 {
			x := from + float64(k)*h
			switch k {
			case 0:
				x += 1e-9 * h
			case 2 * cells:
				x -= 1e-9 * h
			}
			return f(x)
		}
		for c := range cells {
			sum += h / 3 * (value(2*c) + 4*value(2*c+1) + value(2*c+2))
		}
	}
	return sum
}

func laplaceDensity(x, b float64) float64 { return math.Exp(-math.Abs(x)/b) / (2 * b) }

func laplaceBelow(x, b float64) float64 {
	if x < 0 {
		return math.Exp(x/b) / 2
	}
	return 1 - math.Exp(-x/b)/2
}
