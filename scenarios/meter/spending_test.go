package meter_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/meter"
)

// payments of all kinds; few kinds, so that they meet again.
var payments = rapid.SampledFrom([]accountant.Loss{
	{}, {Epsilon: 0.1, Laplace: 0.1}, {Epsilon: 0.25}, {Rho: 0.02}, {Epsilon: 0.1, Delta: 1e-9},
	{Sampled: accountant.SampledGaussian{Rate: 0.1, Noise: 2, Steps: 3}}, {Sampled: accountant.SampledGaussian{Rate: 0.02, Noise: 1, Steps: 1}},
})

// spent is one payment.
type spent struct {
	node messages.NodeID
	step int
	loss accountant.Loss
}

// The epsilons at every point are the largest of a participant, by adding all up anew
// with package accountant, also where the run went on from a state.
func TestSpendingOfEverybody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := meter.SpendingOptions{
			Participants: rapid.IntRange(1, 4).Draw(t, "participants"), FirstStep: 1, Points: []int{2, 3, 7, 9},
			Delta: rapid.SampledFrom([]float64{0, 1e-5}).Draw(t, "delta"), Method: accountant.RDP, Growing: rapid.Bool().Draw(t, "growing"),
		}
		s := meter.NewSpending(o)
		var list []spent
		resume := rapid.IntRange(1, 9).Draw(t, "resume")
		for step := 1; step <= 9; step++ {
			if step == resume {
				text := messages.Write(nil, s)
				s = meter.NewSpending(o)
				if err := messages.Read(text, s); err != nil {
					t.Fatal(err)
				}
			}
			for node := range o.Participants {
				for _, loss := range rapid.SliceOfN(payments, 0, 2).Draw(t, "losses") {
					list = append(list, spent{messages.NodeID(node), step, loss})
					if err := s.Spent(messages.NodeID(node), step, loss); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		for point, step := range o.Points {
			total, inStep := largestOf(o, list, 1, step), largestOf(o, list, step, step)
			if got := s.Total(point); math.Abs(got-total) > 1e-9*total {
				t.Fatalf("step %d: %v so far, want %v", step, got, total)
			}
			if got := s.Step(point); o.Delta == 0 && math.Abs(got-inStep) > 1e-9*inStep || got < inStep*(1-1e-9) {
				t.Fatalf("step %d: %v alone, want %v", step, got, inStep)
			}
		}
	})
}

// largestOf is the largest epsilon of what a participant paid in some steps.
func largestOf(o meter.SpendingOptions, list []spent, first, last int) (largest float64) {
	for node := range o.Participants {
		var total accountant.Total
		for _, p := range list {
			switch {
			case int(p.node) != node || p.step < first || p.step > last:
			case o.Growing:
				total.Grow(p.loss)
			default:
				total.Add(p.loss)
			}
		}
		epsilon, err := total.Epsilon(o.Delta, o.Method)
		if err != nil {
			panic(err)
		}
		largest = max(largest, epsilon)
	}
	return largest
}

// Of many who pay each in another way none is forgotten.
func TestSpendingOfManyKinds(t *testing.T) {
	s := meter.NewSpending(meter.SpendingOptions{Participants: 50, FirstStep: 1, Points: []int{1}, Delta: 1e-5, Method: accountant.PLD})
	var want float64
	for i := range 50 {
		loss := accountant.Loss{Epsilon: 0.01 * float64(i), Rho: 0.001 * float64((i*31)%50)}
		if err := s.Spent(messages.NodeID(i), 1, loss); err != nil {
			t.Fatal(err)
		}
		epsilon, err := loss.EpsilonAt(1e-5, accountant.PLD)
		if err != nil {
			t.Fatal(err)
		}
		want = max(want, epsilon)
	}
	if got := s.Total(0); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// A Gaussian release of a decentralised algorithm costs what it costs: by the exact
// conversion at the delta of the run, and more than anything without one.
func TestGaussianReleasesOfNodes(t *testing.T) {
	const rho = 0.1
	for _, delta := range []float64{0, 1e-5} {
		p := &waves{nodes: 2, set: ball}
		m := meter.New(meter.Options{Nodes: 2, FirstStep: 1, Steps: 3, Points: []int{1, 3}, Measured: []messages.NodeID{0}, Problem: p, Instance: p, Delta: delta})
		for _, node := range []messages.NodeID{0, 0, 1} {
			if err := m.Spent(node, 2, accountant.Loss{Rho: rho}); err != nil {
				t.Fatal(err)
			}
		}
		want := math.Inf(1)
		if delta > 0 {
			want = must(accountant.GaussianEpsilon(accountant.SigmaOfRho(2*rho), delta))
		}
		got := finish(m)
		if before, after := got.find(1, -1, meter.EpsilonTotal), got.find(3, -1, meter.EpsilonTotal); before != 0 || after != want {
			t.Errorf("delta %v: %v and %v, want 0 and %v", delta, before, after, want)
		}
	}
}

// A loss that no mechanism has, and a state that is cut or damaged, are refused.
func TestSpendingRefuses(t *testing.T) {
	o := meter.SpendingOptions{Participants: 1, FirstStep: 1, Points: []int{1, 2}, Delta: 1e-5, Method: accountant.PLD}
	s := meter.NewSpending(o)
	if err := s.Spent(0, 1, accountant.Loss{Epsilon: -1}); err == nil {
		t.Error("a negative loss is accepted")
	}
	for step := 1; step <= 2; step++ {
		if err := s.Spent(0, step, accountant.Loss{Rho: 1}); err != nil {
			t.Fatal(err)
		}
	}
	text := messages.Write(nil, s)
	for n := range text {
		if messages.Read(text[:n], meter.NewSpending(o)) == nil {
			t.Errorf("%d of %d bytes are taken", n, len(text))
		}
	}
}
