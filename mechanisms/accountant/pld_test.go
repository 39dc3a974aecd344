package accountant_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
)

// Unsampled steps are one Gaussian of noise sigma/sqrt(steps), whose epsilon is
// known: the bounds hold it and the upper one is within a percent.
func TestPLDOfGaussiansIsExact(t *testing.T) {
	for _, test := range []struct {
		sigma float64
		steps int
		delta float64
	}{
		{1, 1, 1e-5}, {5, 10, 1e-5}, {100, 10000, 1e-5}, {100, 3000, 1e-10}, {30, 100, 1e-300},
		{0.05, 1, 1e-5}, {0.5, 3, 0.3}, {2, 4, 0.2},
	} {
		s := accountant.SampledGaussian{Rate: 1, Noise: test.sigma, Steps: test.steps}
		got := must[accountant.Bounds](t)(accountant.PLDEpsilon([]accountant.SampledGaussian{s}, test.delta))
		want := must[float64](t)(accountant.GaussianEpsilon(test.sigma/math.Sqrt(float64(test.steps)), test.delta))
		if got.Low > want*(1+1e-9) || got.High < want*(1-1e-9) || got.High > 1.01*want {
			t.Errorf("sigma %v, %d steps, delta %v: %v, want %v", test.sigma, test.steps, test.delta, got, want)
		}
	}
}

// sampledDelta is the hockey-stick divergence of one step in closed form: the
// set where the loss exceeds epsilon is a half-line, whose probabilities are
// the normal law's.
func sampledDelta(q, sigma, epsilon float64) float64 {
	upper := func(x float64) float64 { return math.Erfc(x/sigma/math.Sqrt2) / 2 }
	at := func(l float64) float64 { return sigma*sigma*math.Log((math.Exp(l)-1+q)/q) + 0.5 }
	x := at(epsilon)
	removing := (1-q)*upper(x) + q*upper(x-1) - math.Exp(epsilon)*upper(x)
	if math.Exp(-epsilon) <= 1-q {
		return removing
	}
	x = at(-epsilon)
	adding := upper(-x) - math.Exp(epsilon)*((1-q)*upper(-x)+q*upper(1-x))
	return max(removing, adding)
}

func TestPLDOfOneStep(t *testing.T) {
	for _, test := range []struct{ q, sigma, epsilon float64 }{
		{0.01, 1, 0.02}, {0.01, 1, 0.3}, {0.1, 0.7, 2}, {0.5, 2, 0.5}, {0.9, 1, 1.5}, {0.001, 0.4, 4},
	} {
		delta := sampledDelta(test.q, test.sigma, test.epsilon)
		s := accountant.SampledGaussian{Rate: test.q, Noise: test.sigma, Steps: 1}
		got := must[accountant.Bounds](t)(accountant.PLDEpsilon([]accountant.SampledGaussian{s}, delta))
		if got.Low > test.epsilon*(1+1e-9) || got.High < test.epsilon*(1-1e-9) || got.High > 1.01*test.epsilon {
			t.Errorf("q %v, sigma %v, delta %v: %v, want %v", test.q, test.sigma, delta, got, test.epsilon)
		}
	}
}

// Two steps by quadrature over the first one's output x: the divergence of both
// at epsilon is the mean of that of the second at epsilon - L(x), in closed form
// for every real number.
func TestPLDOfTwoSteps(t *testing.T) {
	for _, test := range []struct{ q, sigma, epsilon float64 }{{0.05, 0.8, 1}, {0.3, 2, 0.4}, {0.7, 1, 3}} {
		q, sigma := test.q, test.sigma
		upper := func(x float64) float64 { return math.Erfc(x/sigma/math.Sqrt2) / 2 }
		loss := func(x float64) float64 { return math.Log1p(q * math.Expm1((2*x-1)/(2*sigma*sigma))) }
		second := func(epsilon float64) float64 {
			excess := math.Exp(epsilon) - 1 + q
			if excess <= 0 {
				return 1 - math.Exp(epsilon)
			}
			x := sigma*sigma*math.Log(excess/q) + 0.5
			return (1-q)*upper(x) + q*upper(x-1) - math.Exp(epsilon)*upper(x)
		}
		var delta float64
		const panels = 20000 // of the midpoint rule
		low, width := -10*sigma, (20*sigma+1)/panels
		for i := range panels {
			x := low + (float64(i)+0.5)*width
			density := math.Exp(-x*x/(2*sigma*sigma)+loss(x)) / (sigma * math.Sqrt(2*math.Pi))
			delta += width * density * second(test.epsilon-loss(x))
		}
		// Removing is the larger direction here.
		s := accountant.SampledGaussian{Rate: q, Noise: sigma, Steps: 2}
		got := must[accountant.Bounds](t)(accountant.PLDEpsilon([]accountant.SampledGaussian{s}, delta))
		if got.Low > test.epsilon*(1+1e-6) || got.High < test.epsilon*(1-1e-6) || got.High > 1.01*test.epsilon {
			t.Errorf("q %v, sigma %v, delta %v: %v, want %v", q, sigma, delta, got, test.epsilon)
		}
	}
}

// The pessimistic and the optimistic discretisation bracket the truth within a
// percent, also of many steps and at tiny delta, and the Rényi accountants are
// above.
func TestPLDBracket(t *testing.T) {
	for _, test := range []struct {
		q, sigma float64
		steps    int
		delta    float64
	}{
		{0.015, 1.1, 79, 1e-5}, {0.015, 1.1, 1585, 1e-5}, {0.01, 1, 10000, 1e-6}, {0.01, 1, 100000, 1e-6},
		{0.001, 0.5, 1000, 1e-6}, {0.9, 2, 100, 1e-5}, {0.5, 0.5, 10, 1e-5}, {1e-4, 10, 1000, 1e-9}, {0.01, 4, 100000, 1e-300},
		{0.002, 2, 2, 1e-23}, {7e-4, 1.15, 3, 1e-26}, {0.0016, 1.5, 115, 1e-12}, // a rare large loss decides
	} {
		s := accountant.SampledGaussian{Rate: test.q, Noise: test.sigma, Steps: test.steps}
		got := must[accountant.Bounds](t)(accountant.PLDEpsilon([]accountant.SampledGaussian{s}, test.delta))
		if !(got.Low > 0) || got.High > 1.01*got.Low {
			t.Errorf("%+v at %v: %v is wider than a percent", s, test.delta, got)
		}
		tight, _, err := s.Epsilon(test.delta, accountant.RDPCKS)
		if err != nil || tight < got.Low {
			t.Errorf("%+v at %v: %v by RDP is below the lower bound %v, %v", s, test.delta, tight, got.Low, err)
		}
		if plain, _, err := s.Epsilon(test.delta, accountant.RDP); err != nil || plain < tight {
			t.Errorf("%+v at %v: the plain conversion %v is below the tighter %v, %v", s, test.delta, plain, tight, err)
		}
	}
}

// Steps of different noise compose: unsampled ones to one Gaussian, and splitting
// equal steps in two groups changes nothing.
func TestPLDOfDifferentSteps(t *testing.T) {
	of := func(steps ...accountant.SampledGaussian) accountant.Bounds {
		return must[accountant.Bounds](t)(accountant.PLDEpsilon(steps, 1e-6))
	}
	got := of(accountant.SampledGaussian{Rate: 1, Noise: 5, Steps: 9}, accountant.SampledGaussian{Rate: 1, Noise: 2, Steps: 2})
	want := must[float64](t)(accountant.GaussianEpsilon(1/math.Sqrt(9/25.0+2/4.0), 1e-6))
	if got.Low > want || got.High < want || got.High > 1.01*want {
		t.Errorf("Gaussians of noise 5 and 2: %v, want %v", got, want)
	}
	whole := of(accountant.SampledGaussian{Rate: 0.02, Noise: 1, Steps: 500})
	split := of(accountant.SampledGaussian{Rate: 0.02, Noise: 1, Steps: 123}, accountant.SampledGaussian{Rate: 0.02, Noise: 1, Steps: 377})
	if !near(whole.High, split.High, 1e-9) {
		t.Errorf("500 steps are %v, 123 and 377 of them %v", whole, split)
	}
	mixed := of(accountant.SampledGaussian{Rate: 0.02, Noise: 1, Steps: 500}, accountant.SampledGaussian{Rate: 0.1, Noise: 3, Steps: 100})
	if mixed.Low <= whole.High || mixed.High > 1.01*mixed.Low {
		t.Errorf("500 steps are %v, with 100 others %v", whole, mixed)
	}
}

func TestPLDBoundaries(t *testing.T) {
	inf := accountant.Bounds{Low: math.Inf(1), High: math.Inf(1)}
	for _, test := range []struct {
		s    accountant.SampledGaussian
		want accountant.Bounds
	}{
		{accountant.SampledGaussian{}, accountant.Bounds{}},
		{accountant.SampledGaussian{Rate: 0, Noise: 1, Steps: 9}, accountant.Bounds{}},
		{accountant.SampledGaussian{Rate: 0.1, Noise: 0, Steps: 9}, inf},
	} {
		if got, err := accountant.PLDEpsilon([]accountant.SampledGaussian{test.s}, 1e-5); err != nil || got != test.want {
			t.Errorf("%+v: %v, %v, want %v", test.s, got, err, test.want)
		}
	}
	// The total variation of one step is at most q: nothing is left at delta = q.
	got, err := accountant.PLDEpsilon([]accountant.SampledGaussian{{Rate: 0.01, Noise: 1, Steps: 1}}, 0.01)
	if err != nil || got.Low != 0 || got.High > 1e-3 {
		t.Errorf("one step at delta = q: %v, %v", got, err)
	}
	if _, err := accountant.PLDEpsilon([]accountant.SampledGaussian{{Rate: 0.01, Noise: 1e12, Steps: 1}}, 1e-30); !errors.Is(err, accountant.ErrUnresolved) {
		t.Errorf("losses of 1e-14 are resolved: %v", err)
	}
	if _, err := accountant.PLDEpsilon([]accountant.SampledGaussian{{Rate: 2, Noise: 1, Steps: 1}}, 0.1); err == nil {
		t.Error("rate 2 is accepted")
	}
	if _, err := accountant.PLDEpsilon(nil, 0); err == nil {
		t.Error("delta 0 is accepted")
	}
}

// What holds the truth on either side orders with it. The cases are drawn, but
// few: each takes eight transforms and more.
func TestPLDMonotone(t *testing.T) {
	cases := rapid.Custom(func(t *rapid.T) accountant.SampledGaussian {
		return accountant.SampledGaussian{
			Rate:  math.Exp(rapid.Float64Range(-6, -0.1).Draw(t, "ln q")),
			Noise: math.Exp(rapid.Float64Range(-0.5, 1.5).Draw(t, "ln sigma")),
			Steps: rapid.IntRange(1, 200).Draw(t, "steps"),
		}
	})
	of := func(s accountant.SampledGaussian, delta float64) accountant.Bounds {
		return must[accountant.Bounds](t)(accountant.PLDEpsilon([]accountant.SampledGaussian{s}, delta))
	}
	for seed := range 6 {
		s, delta := cases.Example(seed), math.Pow(10, -3-2*float64(seed))
		base := of(s, delta)
		noisier, longer := s, s
		noisier.Noise *= 1.5
		longer.Steps *= 2
		if base.Low > base.High || of(noisier, delta).Low > base.High || of(longer, delta).High < base.Low || of(s, delta*2).Low > base.High {
			t.Errorf("%+v at %v: %v; more noise %v, longer %v, larger delta %v",
				s, delta, base, of(noisier, delta), of(longer, delta), of(s, delta*2))
		}
		if unsampled := must[float64](t)(accountant.GaussianEpsilon(s.Noise/math.Sqrt(float64(s.Steps)), delta)); base.Low > unsampled {
			t.Errorf("%+v at %v: %v, without sampling %v", s, delta, base, unsampled)
		}
	}
}
