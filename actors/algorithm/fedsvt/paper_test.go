package fedsvt_test

import (
	"math"
	"strings"
	"testing"

	"starling/actors/algorithm/fedsvt"
	"starling/actors/algorithmtest"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// Theorem 4 (restated as Theorem 10): eta = eps/(2 kappa), kappa from (7)'s
// budget, L = m L* + 8 log(2 T^2/(N^2 rho))/eps + 4/eta, at the size of Fig. 2:
// m = 10, T = 2^9, d = 100, eps = 10, N = 50. The numbers are worked out by
// hand: kappa = 3*7 + 24*2.302585 = 76.262042, eta = 10/152.524084 = 0.0655634,
// L = 0.8 ln(2*104.8576/0.1) + 61.0096 = 0.8*7.648336 + 61.009634.
func TestParametersOfTheorem4(t *testing.T) {
	o := options()
	o.Clients, o.Experts, o.Horizon, o.Interval, o.Epsilon, o.Kappa = 10, 100, 512, 50, 10, 0
	p := o.Parameters()
	algorithmtest.CloseTo(t, "kappa", p.Kappa, 76.262042, 1e-7)
	algorithmtest.CloseTo(t, "eta", p.Eta, 0.0655634, 1e-6)
	algorithmtest.CloseTo(t, "L", p.Threshold, 0.8*7.648336+61.009634, 1e-6)
	o.Lstar = 3
	algorithmtest.CloseTo(t, "L with L* = 3", o.Parameters().Threshold-p.Threshold, 30, 1e-9)
	o.Variant, o.Delta = fedsvt.Approximate, math.Exp(-9)
	algorithmtest.CloseTo(t, "eta, approximate", o.Parameters().Eta, 10/(3*math.Sqrt(76.262042)), 1e-7)
}

// Theorem 4, DP guarantee: eps/2 + kappa eta = eps where kappa is whole, and by the
// account, which has eps/4 for the threshold, 3 eps/4; one switch more where it is
// not, which for small kappa takes more than eps; the messages of the clients are
// raw.
func TestPureClaim(t *testing.T) {
	o := options()
	o.Epsilon, o.Horizon, o.Interval = 2, 1000, 1
	for _, test := range []struct{ kappa, want float64 }{{4, 1.5}, {3.5, 0.5 + 4*2/7.0}, {1.25, 0.5 + 2*2/2.5}} {
		o.Kappa = test.kappa
		a := must(fedsvt.Accounted(&o))
		algorithmtest.CloseTo(t, "public", a.Public.Epsilon, test.want, 1e-12)
		if a.Wire.Private() || a.Claimed != (accountant.Loss{Epsilon: 2}) {
			t.Errorf("account %+v", a)
		}
		warnings := must(fedsvt.Warnings(&o))
		if holds := test.kappa > 2; holds != (len(warnings) == 0) {
			t.Errorf("kappa %v: warnings %q", test.kappa, warnings)
		}
	}
	o.Kappa, o.Interval = 3.5, 500 // two exchanges, fewer than kappa
	algorithmtest.CloseTo(t, "public with two exchanges", must(fedsvt.Accounted(&o)).Public.Epsilon, 0.5+2*2/7.0, 1e-12)
	o.Interval = 1001
	if a := must(fedsvt.Accounted(&o)); a.Public != (accountant.Loss{}) || a.Wire != (accountant.Loss{}) {
		t.Errorf("without exchanges %+v", a)
	}
}

// Theorem 4, approximate: eta = eps/sqrt(kappa log(1/delta)) gives, in the
// paper's own sum, (1/2 + sqrt 2) eps + kappa eta (e^eta - 1), which is more than
// eps. The composition that the account computes is less than that sum and
// still more than eps.
func TestApproximateClaimFails(t *testing.T) {
	o := options()
	o.Variant, o.Delta, o.Epsilon, o.Horizon, o.Interval, o.Experts, o.Kappa = fedsvt.Approximate, 1e-5, 1, 1000, 1, 100, 77
	eta := o.Parameters().Eta
	sum := (0.5+math.Sqrt2)*o.Epsilon + 77*eta*math.Expm1(eta)
	a := must(fedsvt.Accounted(&o))
	if !(a.Public.Epsilon > o.Epsilon && a.Public.Epsilon < sum) || a.Public.Delta != o.Delta {
		t.Errorf("accounted %v, claimed %v, the paper's sum is %v", a.Public, o.Epsilon, sum)
	}
	warnings := must(fedsvt.Warnings(&o))
	if len(warnings) != 1 || !strings.Contains(warnings[0], "more than the 1 that is claimed: eta = eps/sqrt") {
		t.Errorf("warnings %q", warnings)
	}
}

// Section 5.2 and Theorem 4: with a zero-loss expert the server finds it. The
// noise at eps = 50, m = 4 is a few losses, so after the first switches the
// decision is the good expert: the regret of the second half of the run is
// small against the quarter that a bad expert costs. A draw is a bad expert with
// chance below 4 exp(-eta s/2), s > 100 the losses of the others by then.
func TestFindsTheGoodExpert(t *testing.T) {
	o := options()
	o.Clients, o.Horizon, o.Interval, o.Epsilon, o.Kappa, o.Start = 4, 400, 10, 50, 10, 1
	_, d := run(t, o, near{})
	for step := o.Horizon / 2; step < o.Horizon; step++ {
		if d.Decisions[1][step][o.Experts-1] != 1 {
			t.Fatalf("step %d plays %v", step+1, d.Decisions[1][step])
		}
	}
}

// Section 5.2: collaboration divides what a client pays before the switch: the
// server needs a total loss of about L, which m clients gather in 1/m of the
// time. With no loss but the good expert's below 1/2, the first switch of m = 16
// comes before that of m = 1, at N = 1.
func TestSpeedUp(t *testing.T) {
	first := func(clients int) int {
		o := options()
		o.Clients, o.Horizon, o.Interval, o.Epsilon, o.Kappa, o.Start = clients, 600, 1, 2, 10, 1
		_, d := run(t, o, near{})
		for step, x := range d.Decisions[1] {
			if x[0] != 1 {
				return step + 1
			}
		}
		return o.Horizon + 1
	}
	one, many := first(1), first(16)
	// L = 8 ln(2*600^2/0.1)/2 + 40 = 103.2; noise of scales 2 and 4 is beyond
	// 80 with chance below 1e-8. A loss is 1/2 on average.
	if !(one >= 46 && many <= 40 && many < one) {
		t.Errorf("the first switch comes in step %d with one client and %d with 16", one, many)
	}
}

// Line 9: keep if and only if q + Lap(8/eps) <= Lhat; without noise and with
// L* = 3 the expert stays while its loss is at most m L*, whatever eps.
func TestThresholdIsInclusive(t *testing.T) {
	o := options()
	o.Epsilon, o.Lstar, o.Clients, o.Interval, o.Horizon, o.Start = math.Inf(1), 3, 2, 1, 8, 1
	_, d := run(t, o, firstExpertPays{})
	for step, x := range d.Decisions[1] {
		// By step t the expert has lost t - 1 a client; 2(t-1) > 6 from t = 5 on.
		if want := step+1 < 5; (x[0] == 1) != want {
			t.Errorf("step %d plays %v", step+1, x)
		}
	}
}

// firstExpertPays are losses of 1 for expert 1 and 0 for the others.
type firstExpertPays struct{ vectors }

func (firstExpertPays) Gradient(dst []float64, _ messages.NodeID, _ int, _ []float64) {
	clear(dst)
	dst[0] = 1
}
