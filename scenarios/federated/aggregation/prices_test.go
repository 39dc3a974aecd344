package aggregation

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/ledger"
)

// Whichever rounds a client takes part in, so far apart and so often at most, it has never
// been in more of them than were paid for.
func TestPaidForBeforehand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := factorization.Participation{Times: rapid.IntRange(1, 6).Draw(t, "times"), Apart: rapid.IntRange(1, 5).Draw(t, "apart")}
		rounds := rapid.IntRange(1, 30).Draw(t, "rounds")
		paid, times, last := 0, 0, -most.Apart
		for round := 1; round <= rounds; round++ {
			if pays(most, nil, round) {
				paid++
			}
			if times < most.Times && round-last >= most.Apart && rapid.Bool().Draw(t, "takes part") {
				times, last = times+1, round
			}
			if times > paid {
				t.Fatalf("in %d rounds of the first %d, of which %d are paid for", times, round, paid)
			}
		}
		if paid > most.Times {
			t.Fatalf("%d rounds are paid for; a client is in %d", paid, most.Times)
		}
	})
}

// prices are what rounds 1 up to cost.
func prices(n Noise, rounds int) (list []accountant.Loss) {
	for round := range rounds {
		list = append(list, n.Loss(round+1))
	}
	return list
}

// The prices of a trusted server, by the formulas of the mechanisms: vectors of 2-norm 3 with
// 4 entries move a sum by 6 in 1-norm.
func TestTrustedPrices(t *testing.T) {
	nothing := accountant.Loss{}
	of := Vectors{Clip: 3, Length: 4, Expected: 10, Most: factorization.Participation{Times: 2, Apart: 2}}
	gaussian := accountant.Loss{Sampled: accountant.SampledGaussian{Rate: 0.5, Noise: 4, Steps: 1}}
	laplace := accountant.Loss{Epsilon: 0.25, Laplace: 0.25}
	for name, test := range map[string]struct {
		noise        Trusted
		want         [6]accountant.Loss
		size, signal float64
	}{
		"none":     {Trusted{Of: of}, [6]accountant.Loss{accountant.NotPrivate(), accountant.NotPrivate(), accountant.NotPrivate(), accountant.NotPrivate(), accountant.NotPrivate(), accountant.NotPrivate()}, 0, 30},
		"gaussian": {Trusted{Of: of, Noise: noise.OnSamples(4, 3).At(0.5)}, [6]accountant.Loss{gaussian, nothing, gaussian, nothing, nothing, nothing}, 24, 30},
		"laplace":  {Trusted{Of: of, Noise: noise.OnEach(noise.Additive{Law: noise.LaplaceLaw, Scale: 24}, noise.MovesL2(3, 4))}, [6]accountant.Loss{laplace, nothing, laplace, nothing, nothing, nothing}, 24 * math.Sqrt(2) * 2, 30},
	} {
		for round, got := range prices(&test.noise, 6) {
			if want := test.want[round]; got != want {
				t.Errorf("%s: round %d costs %v, want %v", name, round+1, got, want)
			}
			bill, want := test.noise.Bill(0, round+1, ledger.Moment{}), ledger.ExpectedPayment{}
			if got != nothing {
				want = ledger.Pays(got, 1, 1)
			}
			if bill != want {
				t.Errorf("%s: the server's bill of round %d is %v, want %v", name, round+1, bill, want)
			}
		}
		if bill := test.noise.Bill(1, 1, ledger.Moment{}); bill != (ledger.ExpectedPayment{}) {
			t.Errorf("%s: a client pays %v", name, bill)
		}
		if size, signal := test.noise.Drowning(); math.Abs(size-test.size) > 1e-12 || signal != test.signal {
			t.Errorf("%s: noise of %v on %v, want %v on %v", name, size, signal, test.size, test.signal)
		}
	}
}

// A server with a buffer pays for buffers, up to as many as a client can have been in.
func TestBufferedPrices(t *testing.T) {
	times := 2
	rule := Everybody()
	rule.Times = &times
	n := Trusted{Of: Vectors{Clip: 3, Length: 4, Rule: &rule, Most: factorization.Participation{Times: 2, Apart: 1}}, Buffered: true, Noise: noise.OnSamples(4, 3)}
	for round, want := range []int{1, 2, 2, 2} {
		bill := n.Bill(0, round+1, ledger.Moment{Payments: 1})
		if bill != ledger.Pays(n.Loss(1), 0, want) {
			t.Errorf("round %d: %v, want %d payments at most", round+1, bill, want)
		}
	}
	if bill := n.Bill(0, 4, ledger.Moment{Payments: 3}); bill != (ledger.ExpectedPayment{}) {
		t.Errorf("after all payments: %v", bill)
	}
}

// Clients with noise in local steps pay for each by their own rate, and the one with the
// fewest samples the most.
func TestRecordPrices(t *testing.T) {
	r := Records{Noise: noise.OnSamples(2, 3), Clip: 3, Steps: 5, Rates: []float64{0.1, 0.4, 0.2}, Most: factorization.Participation{Times: 2, Apart: 3}}
	step := func(rate float64, steps int) accountant.Loss {
		return accountant.Loss{Sampled: accountant.SampledGaussian{Rate: rate, Noise: 2, Steps: steps}}
	}
	for round, got := range prices(&r, 7) {
		want := accountant.Loss{}
		if round == 0 || round == 3 {
			want = step(0.4, 5)
		}
		if got != want {
			t.Errorf("round %d costs %v, want %v", round+1, got, want)
		}
	}
	for client, rate := range r.Rates {
		if bill, want := r.Bill(messages.NodeID(1+client), 2, ledger.Moment{}), ledger.Pays(step(rate, 1), 5, 5); bill != want {
			t.Errorf("client %d: %v, want %v", client, bill, want)
		}
	}
	if bill := r.Bill(0, 1, ledger.Moment{}); bill != (ledger.ExpectedPayment{}) {
		t.Errorf("the server pays %v", bill)
	}
	if none := (&Records{Clip: 3, Steps: 5, Rates: []float64{1}, Most: r.Most}).Of(0).Loss(); none != accountant.NotPrivate() {
		t.Errorf("without noise a step costs %v", none)
	}
}
