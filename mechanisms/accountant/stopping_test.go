package accountant_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
)

// laws draws a law of the number of trials.
func laws(t *rapid.T) accountant.Stopping {
	mean := rapid.Float64Range(1.1, 20).Draw(t, "mean")
	if rapid.Bool().Draw(t, "poisson") {
		return accountant.PoissonStopping{Mu: mean}
	}
	return accountant.NegativeBinomialStopping(rapid.SampledFrom([]float64{-0.5, 0, 0.5, 1, 3}).Draw(t, "eta"), mean)
}

// chances are P[K = k] for k so large that the rest is below 1e-12.
func chances(t *rapid.T, l accountant.Stopping) (list []float64) {
	total := 0.0
	for k := 0; total < 1-1e-12; k++ {
		if k > 20_000 {
			t.Skip("a heavy tail")
		}
		list = append(list, l.Chance(k))
		total += list[k]
	}
	return list
}

// The chances of a law add up to 1, and their mean is what was asked for.
func TestStoppingLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := laws(t)
		var mean float64
		for k, chance := range chances(t, l) {
			mean += float64(k) * chance
		}
		if math.Abs(mean-l.Mean()) > 1e-6*mean {
			t.Fatalf("%+v: mean %v by its chances, %v as it says", l, mean, l.Mean())
		}
	})
	for eta, want := range map[float64]float64{1: 0.1, 0: 0} {
		l := accountant.NegativeBinomialStopping(eta, 10)
		if math.Abs(l.Mean()-10) > 1e-9 || eta == 1 && math.Abs(l.Gamma-want) > 1e-9 {
			t.Errorf("%+v has the mean %v", l, l.Mean())
		}
	}
}

// The divergence of the best of K trials with outcomes 1 .. n, worked out exactly by the
// distribution of the largest, is within the bounds of Theorems 2 and 6 at every order. It is not
// within the divergence of one trial: the bounds say something.
func TestBestOfManyTrials(t *testing.T) {
	beyond := 0
	rapid.Check(t, func(t *rapid.T) {
		l := laws(t)
		k := chances(t, l)
		n := rapid.IntRange(2, 4).Draw(t, "outcomes")
		p, q := make([]float64, n), make([]float64, n)
		var sums [2]float64
		for i := range n {
			p[i], q[i] = rapid.Float64Range(0.05, 1).Draw(t, "p"), rapid.Float64Range(0.05, 1).Draw(t, "q")
			sums[0], sums[1] = sums[0]+p[i], sums[1]+q[i]
		}
		for i := range n {
			p[i], q[i] = p[i]/sums[0], q[i]/sums[1]
		}
		trial := accountant.NewCurve([]float64{1.25, 1.5, 2, 3, 5, 8, 16, 64})
		for i, a := range trial.Orders {
			trial.RDP[i] = max(renyi(a, p, q), renyi(a, q, p))
		}
		bound, err := l.Best(trial)
		if err != nil {
			t.Fatal(err)
		}
		pBest, qBest := largest(k, p), largest(k, q)
		for i, a := range trial.Orders {
			got := max(renyi(a, pBest, qBest), renyi(a, qBest, pBest))
			if got > bound.RDP[i]+1e-9 {
				t.Fatalf("%+v: order %v of %v and %v: %v of the best, bound %v", l, a, p, q, got, bound.RDP[i])
			}
			if got > trial.RDP[i]+1e-9 {
				beyond++
			}
		}
	})
	if beyond == 0 {
		t.Error("the best of many trials never costs more than one")
	}
}

// renyi is the Rényi divergence of distributions over a finite set.
func renyi(a float64, p, q []float64) float64 {
	var terms []float64
	for i := range p {
		if p[i] > 0 {
			terms = append(terms, a*math.Log(p[i])+(1-a)*math.Log(q[i]))
		}
	}
	return max(0, floats.LogSumExp(terms)/(a-1))
}

// largest is the distribution of the largest of K outcomes, and last of none.
func largest(k, p []float64) (list []float64) {
	below, before := 0.0, 0.0
	for _, chance := range p {
		below += chance
		now := 0.0
		for n, of := range k {
			if n > 0 {
				now += of * math.Pow(min(1, below), float64(n))
			}
		}
		list = append(list, max(0, now-before))
		before = now
	}
	return append(list, k[0])
}

// The divergences of a total are those of its parts: a rho at each order.
func TestCurveOfTotal(t *testing.T) {
	var total accountant.Total
	total.Add(accountant.Loss{Rho: 0.5})
	total.Add(accountant.Loss{Rho: 0.25})
	c, ok, err := total.Curve()
	if err != nil || !ok || len(c.RDP) == 0 {
		t.Fatal(ok, err)
	}
	for i, a := range c.Orders {
		if math.Abs(c.RDP[i]-0.75*a) > 1e-12 {
			t.Errorf("%v at order %v", c.RDP[i], a)
		}
	}
	total.Add(accountant.Loss{Epsilon: 1, Delta: 1e-6})
	if _, ok, _ := total.Curve(); ok {
		t.Error("a loss with a delta of its own has no divergences")
	}
}
