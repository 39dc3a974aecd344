package dpfl_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/actors/algorithm/dpfl"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
)

// theorem3 is (14) with the logarithm that it lacks, straight: the divergences of
// steps at (q, sigma) are added by order and then converted.
func theorem3(parts []accountant.SampledGaussian, delta float64) float64 {
	least := math.Inf(1)
	for a := 2; a <= 64; a++ {
		var divergence float64
		for _, p := range parts {
			var sum float64
			choose := 1.0
			for k := 0; k <= a; k++ {
				if k > 0 {
					choose *= float64(a-k+1) / float64(k)
				}
				sum += choose * math.Pow(1-p.Rate, float64(a-k)) * math.Pow(p.Rate, float64(k)) * math.Exp(float64(k*k-k)/(2*p.Noise*p.Noise))
			}
			divergence += float64(p.Steps) * math.Log(sum) / float64(a-1)
		}
		least = min(least, divergence+math.Log(1/delta)/float64(a-1))
	}
	return least
}

// Theorem 3, and the spec on Algorithm 2's overrun: a run spends at every client
// exactly as many local steps as the budget pays for at the one with the fewest
// samples, whose next step would exceed it; the last round is cut to them.
func TestLastRoundIsCutToTheBudget(t *testing.T) {
	for _, tau := range []int{1, 2, 3, 4, 7} {
		o := fixed(budget(9), func(o *dpfl.Options) { o.Rounds, o.Tau = 60, tau })
		plan := must(dpfl.NewPlan(&o))
		steps := accountant.SampledGaussian{Rate: 6.0 / 24, Noise: 1.1, Steps: plan.Steps}
		within := theorem3([]accountant.SampledGaussian{steps}, 1e-5)
		steps.Steps++
		over := theorem3([]accountant.SampledGaussian{steps}, 1e-5)
		if plan.Client != 3 || !(within <= 9 && 9 < over) || math.Abs(plan.Epsilon-within) > 1e-9 {
			t.Fatalf("plan %+v; its steps cost %v and one more %v", plan, within, over)
		}
		d := runLockstep(t, o)
		for node := messages.NodeID(1); node <= 3; node++ {
			total := d.total(node)
			if epsilon := must(total.Epsilon(1e-5, accountant.RDP)); len(d.spent[node]) != plan.Steps || epsilon > 9 || (node == 3) != (math.Abs(epsilon-within) < 1e-9) {
				t.Errorf("tau %d: client %d paid for %d steps, epsilon %v", tau, node, len(d.spent[node]), epsilon)
			}
		}
		rounds := (plan.Steps + tau - 1) / tau
		taus := slices.Repeat([]float64{float64(tau)}, rounds)
		taus[rounds-1] = float64(plan.Steps - (rounds-1)*tau)
		compare(t, "tau", d.values[0][dpfl.Tau], taus, 0)
		if len(d.models) != rounds || len(d.stopped) != 4 {
			t.Errorf("tau %d: %d models, %v", tau, len(d.models), d.stopped)
		}
		done := fmt.Sprintf("step %d: the privacy budget pays for %d local steps, which are done", rounds+1, plan.Steps)
		if want := fmt.Sprintf("step %d: no client sent a model in round %d", rounds+1, rounds+1); d.stopped[1] != done || d.stopped[0] != want {
			t.Errorf("tau %d: stops %q, want %q and %q", tau, d.stopped, done, want)
		}
	}
}

// In ALI-DPFL too, private statistics counted; where the budget ends with a round
// after which tau would be chosen, clients stop before they send a gradient.
func TestAdaptiveBudgets(t *testing.T) {
	ended := 0
	for epsilon := 8.0; epsilon < 13; epsilon += 0.25 {
		for name, change := range map[string]func(*dpfl.Options){"as printed": func(*dpfl.Options) {}, "private": private, "public": public} {
			// A little noise lets the budget pay for several steps.
			o := adaptive(change, budget(epsilon), func(o *dpfl.Options) { o.Rounds, o.Adaptive.Control = 9, 100 })
			plan := must(dpfl.NewPlan(&o))
			if name == "private" {
				parts := []accountant.SampledGaussian{
					{Rate: 6.0 / 24, Noise: 1.1, Steps: plan.Steps}, {Rate: 1, Noise: 4, Steps: 2 * 7},
				}
				within := theorem3(parts, 1e-5)
				parts[0].Steps++
				if over := theorem3(parts, 1e-5); !(within <= epsilon && epsilon < over) || math.Abs(within-plan.Epsilon) > 1e-9 {
					t.Fatalf("plan %+v of epsilon %v: its steps cost %v, one more %v", plan, epsilon, within, over)
				}
			}
			d := runLockstep(t, o)
			var taken float64
			for _, tau := range d.values[0][dpfl.Tau] {
				taken += tau
			}
			if plan.Steps >= len(d.models) && (taken > float64(plan.Steps) || taken != float64(plan.Steps) && len(d.models) < o.Rounds) {
				t.Errorf("%s, epsilon %v: %v of %d steps in %d rounds", name, epsilon, taken, plan.Steps, len(d.models))
			}
			total := d.total(3)
			if got := must(total.Epsilon(1e-5, accountant.RDP)); name != "as printed" && got > epsilon*(1+1e-12) {
				t.Errorf("%s: client 3 spent %v of %v", name, got, epsilon)
			}
			if strings.Contains(d.stopped[0], "gradient") {
				ended++
				// Nothing is left to choose for, and no statistics are paid for.
				last := 0
				for _, step := range d.steps[3] {
					if step == len(d.models) {
						last++
					}
				}
				if taus := d.values[0][dpfl.Tau]; float64(last) != taus[len(taus)-1] {
					t.Errorf("%s, epsilon %v: %d releases in a last round of taus %v", name, epsilon, last, taus)
				}
			}
		}
	}
	if ended == 0 {
		t.Error("no run ended before a choice")
	}
}

// What each kind of statistics costs, for a choice: two releases.
func TestCostOfStatistics(t *testing.T) {
	step := func(size float64) accountant.Loss {
		return accountant.Loss{Sampled: accountant.SampledGaussian{Rate: 6 / size, Noise: 1.1, Steps: 1}}
	}
	sampled := func(rate float64) []accountant.Loss {
		release := accountant.Loss{Sampled: accountant.SampledGaussian{Rate: rate, Noise: 4, Steps: 1}}
		return []accountant.Loss{release, release}
	}
	raw := []accountant.Loss{accountant.NotPrivate(), accountant.NotPrivate()}
	for _, test := range []struct {
		name    string
		options dpfl.Options
		choice  []accountant.Loss // of client 2
	}{
		{"as printed", adaptive(), raw},
		{"as printed, some", adaptive(someStatistics), raw},
		{"private", adaptive(private), sampled(1)},
		{"private, some", adaptive(private, someStatistics), sampled(15.0 / 40)},
		{"public", adaptive(public), nil},
	} {
		d := runLockstep(t, test.options)
		others := map[int][]accountant.Loss{}
		steps := 0
		for k, loss := range d.spent[2] {
			if loss == step(40) {
				steps++
			} else {
				others[d.steps[2][k]] = append(others[d.steps[2][k]], loss)
			}
		}
		for round := 1; round <= 8; round++ {
			want := test.choice
			if round == 1 || round == 8 {
				want = nil
			}
			if !slices.Equal(others[round], want) {
				t.Errorf("%s: round %d cost %v, want %v", test.name, round, others[round], want)
			}
		}
		account := dpfl.Accounted(&test.options, 1, steps, 6)
		total := d.total(2)
		got, want := must(account.Accounted.Epsilon(1e-5, accountant.RDP)), must(total.Epsilon(1e-5, accountant.RDP))
		if math.Abs(got-want) > 1e-9*want && got != want {
			t.Errorf("%s: accounted %v, spent %v", test.name, got, want)
		}
		claimed := must(account.Claimed.Epsilon(1e-5, accountant.RDP))
		if one := theorem3([]accountant.SampledGaussian{{Rate: 6.0 / 40, Noise: 1.1, Steps: steps}}, 1e-5); math.Abs(claimed-one) > 1e-9 {
			t.Errorf("%s: claimed %v, want %v", test.name, claimed, one)
		}
		if wire := math.IsInf(got, 1); wire != (test.options.Adaptive.Statistics == dpfl.AsPrinted) {
			t.Errorf("%s: accounted %v", test.name, got)
		}
	}
}

// A run without noise is not private, with or without clipping.
func TestNoiselessIsNotPrivate(t *testing.T) {
	for _, clip := range []float64{0.4, math.Inf(1)} {
		o := fixed(func(o *dpfl.Options) { o.Noise, o.Clip = noise.Released{}, clip })
		for _, loss := range runLockstep(t, o).spent[1] {
			if loss.Private() {
				t.Errorf("a step without noise costs %v", loss)
			}
		}
		if account := dpfl.Accounted(&o, 0, 3, 0); !math.IsInf(must(account.Accounted.Epsilon(1e-5, accountant.RDP)), 1) {
			t.Error("a run without noise is accounted for as private")
		}
	}
}

// A meter that refuses to pay ends a client's part: with the steps that are paid
// for, in the middle of a round, and without a word where there are none. The
// others go on, and their models alone are averaged.
func TestRefusedPayments(t *testing.T) {
	o := fixed()
	for pays := range 2 * o.Tau {
		d := runLockstep(t, o, func(d *diary) { d.pays = map[messages.NodeID]int{2: pays} })
		round := pays/o.Tau + 1
		want := fmt.Sprintf("step %d: the privacy budget is spent: %d releases are paid for", round, pays)
		if len(d.models) != o.Rounds || len(d.stopped) != 1 || d.stopped[2] != want {
			t.Errorf("%d paid: %d models, stops %q, want %q", pays, len(d.models), d.stopped, want)
		}
		p := &transcriber{o: o, seed: 7}
		w := o.Start
		for k := 1; k <= round; k++ {
			steps := []int{o.Tau, min(o.Tau, pays-(k-1)*o.Tau), o.Tau}
			mean, weight := make([]float64, len(w)), 0.0
			for i, data := range o.Clients {
				if steps[i] > 0 {
					axpy(mean, float64(data.Size()), p.local(i, k, steps[i], w))
					weight += float64(data.Size())
				}
			}
			for j := range mean {
				mean[j] /= weight
			}
			w = mean
		}
		compare(t, fmt.Sprintf("%d paid: model", pays), d.models[round-1], w, 1e-12)
	}
	everyone := map[messages.NodeID]int{1: 0, 2: 0, 3: 0}
	if d := runLockstep(t, o, func(d *diary) { d.pays = everyone }); len(d.models) != 0 || len(d.stopped) != 4 {
		t.Errorf("nobody pays: %d models, stops %q", len(d.models), d.stopped)
	}
	// With statistics: those of round 2 come after the local step of round 1, and
	// the gradients after that of round 2.
	for pays, step := range map[int]int{1: 2, 2: 2, 3: 2, 4: 3} {
		d := runLockstep(t, adaptive(private), func(d *diary) { d.pays = map[messages.NodeID]int{1: pays} })
		if len(d.models) != 8 || !strings.HasPrefix(d.stopped[1], fmt.Sprintf("step %d: the privacy budget is spent", step)) || len(d.stopped) != 1 {
			t.Errorf("%d paid: %d models, stops %q", pays, len(d.models), d.stopped)
		}
	}
}
