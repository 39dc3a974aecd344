package audit_test

import (
	"math"
	"testing"

	"starling/mechanisms/audit"
)

// All r guesses right have chance (1 + e^-eps)^-r under pure epsilon.
func TestOneRunByHand(t *testing.T) {
	for _, r := range []int{1, 10, 500} {
		got, err := audit.OneRunEpsilon(1000, r, r, 0, 0.95)
		want := max(0, -math.Log(math.Pow(0.05, -1/float64(r))-1))
		if err != nil || math.Abs(got-want) > 1e-6 {
			t.Errorf("%d of %d: %v, %v, want %v", r, r, got, err, want)
		}
	}
}

// Steinke, Nasr, Jagielski 2023, appendix D: at the bound the p-value is the
// error, with binomial chances summed up term by term.
func TestOneRunPValue(t *testing.T) {
	for _, c := range []struct {
		m, guesses, right int
		delta             float64
	}{{100, 50, 45, 0}, {100, 50, 45, 1e-4}, {1000, 100, 96, 1e-5}, {40, 40, 39, 1e-3}} {
		epsilon, err := audit.OneRunEpsilon(c.m, c.guesses, c.right, c.delta, 0.95)
		if err != nil || epsilon == 0 {
			t.Fatalf("%+v: %v, %v", c, epsilon, err)
		}
		q, alpha, sum := 1/(1+math.Exp(-epsilon)), 0.0, 0.0
		for i := 1; i <= c.right; i++ {
			sum += tail(c.guesses, c.right-i, c.right-i, q)
			alpha = max(alpha, sum/float64(i))
		}
		p := tail(c.guesses, c.right, c.guesses, q) + alpha*c.delta*2*float64(c.m)
		if math.Abs(p-0.05) > 1e-6 {
			t.Errorf("%+v: epsilon %v has p-value %v", c, epsilon, p)
		}
	}
}

// The bound holds with its confidence for randomized response on every canary,
// where it is exact: of 200 bounds of confidence 0.9 over 45 exceed epsilon with
// chance 7e-8.
func TestOneRunCoverage(t *testing.T) {
	const repeats, canaries, epsilon = 200, 400, 1.0
	truth, over, mean := 1/(1+math.Exp(-epsilon)), 0, 0.0
	for k := range repeats {
		r := generator(2000 + k)
		coins, statistics := make([]bool, canaries), make([]float64, canaries)
		for i := range coins {
			coins[i] = r.IntN(2) == 0
			statistics[i] = -1
			if (r.Float64() < truth) == coins[i] {
				statistics[i] = 1
			}
		}
		got, err := audit.OneRun(statistics, coins, canaries, 0, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		mean += got / repeats
		if got > epsilon {
			over++
		}
	}
	if over > 45 || mean < 0.7 {
		t.Errorf("%d of %d bounds exceed %v; they are %v on average", over, repeats, epsilon, mean)
	}
}

// One run of the Gaussian mechanisms with many canaries keeps to their loss, and
// shows a quarter of the noise.
func TestOneRunCanaries(t *testing.T) {
	const canaries, guesses = 10_000, 500
	for _, scale := range []float64{1, 0.25} {
		for k, c := range must(audit.OneRunCanaries(scale)) {
			r := generator(3000 + k)
			coins := make([]bool, canaries)
			for i := range coins {
				coins[i] = r.IntN(2) == 0
			}
			statistics, err := c.Run(coins, r)
			if err != nil {
				t.Fatal(err)
			}
			got, err := audit.OneRun(statistics, coins, guesses, c.Delta, 0.999)
			if err != nil {
				t.Fatal(err)
			}
			accounted := must(c.Loss.EpsilonAt(c.Delta, "pld"))
			if got == 0 || (got > accounted) != (scale != 1) {
				t.Errorf("%s with %v of its noise: bound %v, accounted %v", c.Mechanism, scale, got, accounted)
			}
		}
	}
}

// Independent coordinates show half the noise in one run, at confidence 0.999
// each; with all of it the bound stays below mu = 1/4. A side of 5,000 outcomes has
// limits that lie 3.3 standard deviations of 0.0071 from a share that lies 3 of
// them from its mean but with chance 0.003: for both sides 0.09, of a density of
// 0.39 within 0.23 of mu with chance 0.99, were this not a fixed stream.
func TestOneRunMu(t *testing.T) {
	const canaries, mu = 10_000, 0.25
	for _, scale := range []float64{1, 0.5} {
		for k, c := range must(audit.OneRunCanaries(scale)) {
			r := generator(4000 + k)
			coins := make([]bool, canaries)
			for i := range coins {
				coins[i] = r.IntN(2) == 0
			}
			got := must(audit.OneRunMu(must(c.Run(coins, r)), coins, 0.999))
			if got < mu/scale-0.23 || (got > mu) != (scale != 1) {
				t.Errorf("%s with %v of its noise: mu at least %v", c.Mechanism, scale, got)
			}
		}
	}
	if _, err := audit.OneRunMu(make([]float64, 8), make([]bool, 7), 0.9); err == nil {
		t.Error("7 coins for 8 canaries are accepted")
	}
}

func TestOneRunRefuses(t *testing.T) {
	if _, err := audit.OneRun(make([]float64, 3), make([]bool, 2), 1, 0, 0.9); err == nil {
		t.Error("two coins for three canaries are accepted")
	}
	if _, err := audit.OneRun(make([]float64, 3), make([]bool, 3), 4, 0, 0.9); err == nil {
		t.Error("four guesses about three canaries are accepted")
	}
	for _, c := range []struct{ m, guesses, right int }{{10, 11, 5}, {10, 5, 6}, {10, 5, -1}} {
		if _, err := audit.OneRunEpsilon(c.m, c.guesses, c.right, 0, 0.9); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	if _, err := audit.OneRunEpsilon(10, 5, 5, 1, 0.9); err == nil {
		t.Error("delta 1 is accepted")
	}
}
