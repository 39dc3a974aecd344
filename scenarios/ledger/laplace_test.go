package ledger

import (
	"errors"
	"math"
	"testing"

	"starling/mechanisms/accountant"
	"starling/messages"
)

// laplaceEpsilons are the epsilons at delta of 1, 2, .. releases of Laplace noise, by plain
// convolution of the privacy loss on a grid, its values rounded to the nearest point: a loss
// between -e and e has the density e^((l-e)/2)/4, and the ends have e^-e/2 and 1/2.
func laplaceEpsilons(e, delta float64, releases int) (list []float64) {
	const half = 100 // points from 0 to e
	one := make([]float64, 2*half+1)
	below := func(l float64) float64 { return math.Exp((l-e)/2) / 2 } // mass of losses below l, in (-e, e), and at -e
	for i := range one {
		low, high := max(-e, (float64(i-half)-0.5)*e/half), min(e, (float64(i-half)+0.5)*e/half)
		one[i] = below(high) - below(low)
	}
	one[0] += math.Exp(-e) / 2
	one[2*half] += 0.5
	sum := []float64{1}
	for n := 1; n <= releases; n++ {
		next := make([]float64, len(sum)+2*half)
		for i, p := range sum {
			for k, q := range one {
				next[i+k] += p * q
			}
		}
		sum = next
		low, high := 0.0, float64(n)*e
		for range 60 { // delta falls with epsilon
			middle, mass := (low+high)/2, 0.0
			for i, p := range sum {
				if l := float64(i-n*half) * e / half; l > middle {
					mass += p * -math.Expm1(middle-l)
				}
			}
			if mass > delta {
				low = middle
			} else {
				high = middle
			}
		}
		list = append(list, high)
	}
	return list
}

// A budget with a delta pays for as many releases of Laplace noise as compose within it, and the
// ledger tells what they come to, although the mechanism states no delta of its own: 40 of 0.2
// come to 5.8 at 1e-6, where their sum is 8. By convolution, to the thousandth that rounding moves.
func TestLaplaceWithinABudget(t *testing.T) {
	const e, delta, releases = 0.2, 1e-6, 40
	want := laplaceEpsilons(e, delta, releases)
	if last := want[releases-1]; math.Abs(last-5.8) > 0.02 {
		t.Fatalf("by convolution %d releases come to %v", releases, last)
	}
	loss := accountant.Loss{Epsilon: e, Laplace: e}
	for _, of := range []float64{0, delta} { // the delta of the account: a budget keeps releases by itself
		for _, count := range []int{5, 20, 33} {
			limit := (want[count-1] + want[count]) / 2
			a := Account{Observer: accountant.Public, Delta: of, By: accountant.PLD}
			budget := NewBudget(accountant.Loss{Epsilon: limit, Delta: delta}, a)
			l := New(unmeasured(), Options{Participants: 1, Units: 1, Points: []int{releases}, Accounts: []Account{a}, Budget: budget})
			paid := 0
			for step := 1; step <= releases; step++ {
				if err := l.Spent(0, step, loss); err == nil {
					paid++
				} else if !errors.Is(err, accountant.ErrBudget) {
					t.Fatal(err)
				}
			}
			if paid != count {
				t.Errorf("account at delta %v: a budget of %v pays for %d releases, want %d", of, limit, paid, count)
			}
			if got := l.paid[0].sofar().total; of > 0 {
				epsilon, err := EpsilonOf(got, delta, accountant.PLD)
				if err != nil || math.Abs(epsilon-want[count-1]) > 2e-3*want[count-1] {
					t.Errorf("%d releases come to %v, %v; by convolution to %v", count, epsilon, err, want[count-1])
				}
			}
		}
	}
}

// What payments are worth to an observer adds up beside what was paid, and a budget holds that.
func TestWorthOfPayments(t *testing.T) {
	weigh := func(loss accountant.Loss) accountant.Loss { loss.Epsilon *= 3; return loss }
	a := Account{Observer: accountant.Peer, By: accountant.PLD, Worth: &Worth{
		Of: func(seed uint64, _ messages.NodeID, step int, paid accountant.Loss) accountant.Loss {
			if seed != 7 {
				t.Errorf("seed %d", seed)
			}
			if step == 2 {
				return accountant.Loss{}
			}
			return weigh(paid)
		},
	}}
	l := New(unmeasured(), Options{Participants: 1, Units: 1, Points: []int{2, 5}, Accounts: []Account{a}, Budget: NewBudget(accountant.Loss{Epsilon: 7}, a), Seed: 7})
	refused := 0
	for step := 1; step <= 5; step++ { // worth 3, 0, 3, and two that are refused
		if l.Spent(0, step, accountant.Loss{Epsilon: 1}) != nil {
			refused++
		}
	}
	for point, want := range map[int][2]float64{0: {2, 3}, 1: {3, 6}} {
		g := l.Groups(point, true)[0]
		learned, _, err := l.Learned(&a, &g, l.Points[point])
		if paid, _ := g.Total.Pure(); err != nil || paid != want[0] || learned.Loss().Epsilon != want[1] {
			t.Errorf("point %d: paid %v, learned %v, %v; want %v", point, paid, learned.Loss(), err, want)
		}
	}
	if refused != 2 {
		t.Errorf("%d payments are refused", refused)
	}
}
