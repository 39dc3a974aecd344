package experts_test

import (
	"context"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/fedsvt"
	"starling/actors/algorithm/opestoch"
	"starling/actors/lockstep"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/problem/experts"
)

// play is a meter that tallies what clients play, and no more.
type play struct{ *experts.Tally }

func (play) Spent(messages.NodeID, int, accountant.Loss) error { return nil }
func (play) Recorded(messages.NodeID, int, string, float64)    {}
func (play) Stopped(messages.NodeID, int, string)              {}
func (play) Sent(int, int64, int64)                            {}

// regret runs machines against an adversary and returns Reg(T, m).
func regret(t *testing.T, a *experts.Adversary, seed uint64, steps int, machines func(algorithm.Costs) ([]algorithm.Machine, func(int) int, func(int, int) (messages.NodeID, messages.NodeID))) float64 {
	t.Helper()
	drawn := must(a.Draw(seed, steps))
	in := experts.LossesOf(drawn)
	points := []int{steps}
	tally := must(experts.NewTally(in, a.Clients, points))
	run := &algorithm.Run{
		Seed: seed, FirstStep: 1, Steps: steps, Graphs: must(topology.Star{Leaves: a.Clients}.Sequence()),
		Costs: in, Meter: play{tally},
	}
	run.Machines, run.Hops, run.Acts = machines(in)
	if err := lockstep.Run(context.Background(), run); err != nil {
		t.Fatal(err)
	}
	return must(tally.Regret(must(drawn.Hindsight(points))))[0]
}

func stoch(t *testing.T, a *experts.Adversary, seed uint64, steps int, epsilon float64) float64 {
	return regret(t, a, seed, steps, func(costs algorithm.Costs) ([]algorithm.Machine, func(int) int, func(int, int) (messages.NodeID, messages.NodeID)) {
		o := opestoch.Options{
			Clients: a.Clients, Experts: a.Experts, Horizon: steps, Variant: opestoch.Local, Epsilon: epsilon,
			Alpha: a.Alpha, Beta: a.Beta, Batch: opestoch.Theorem1, Trees: 1,
			NoisePurpose: rng.PurposeOf("noise"), SamplePurpose: rng.PurposeOf("samples"),
		}
		if !a.Linear {
			o.Signed, o.Losses = true, costs
		}
		machines, schedule, err := opestoch.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return machines, schedule.Hops, schedule.Acts
	})
}

func svt(t *testing.T, a *experts.Adversary, seed uint64, steps, interval int, epsilon, kappa float64) float64 {
	return regret(t, a, seed, steps, func(algorithm.Costs) ([]algorithm.Machine, func(int) int, func(int, int) (messages.NodeID, messages.NodeID)) {
		machines, schedule, err := fedsvt.New(fedsvt.Options{
			Clients: a.Clients, Experts: a.Experts, Horizon: steps, Interval: interval, Variant: fedsvt.Pure, Epsilon: epsilon, Kappa: kappa,
			NoisePurpose: rng.PurposeOf("noise"), StartPurpose: rng.PurposeOf("start"),
		})
		if err != nil {
			t.Fatal(err)
		}
		return machines, schedule.Hops, schedule.Acts
	})
}

// mean is the mean over ten seeds.
func mean(f func(seed uint64) float64) (sum float64) {
	for seed := range uint64(10) {
		sum += f(seed) / 10
	}
	return sum
}

// Fig. 1 in small: against Gaussian class distributions in the order linear in
// x, regret falls with the clients; in the usual order it grows with the horizon
// at an undiminished rate for any number of clients, for the decisions have few
// vertices and what they leave out costs -log of the floor.
func TestCrossEntropyInBothOrders(t *testing.T) {
	order := func(loss experts.CrossEntropy, clients, steps int) float64 {
		o := experts.DefaultGaussianSoftmaxOptions()
		o.Loss = loss
		return mean(func(seed uint64) float64 {
			return stoch(t, must(experts.NewGaussianSoftmax(o, clients, 20)), seed, steps, 10)
		})
	}
	one, many := order(experts.LinearInDecision, 1, 1023), order(experts.LinearInDecision, 32, 1023)
	t.Logf("linear in the decision: regret %.1f with one client, %.1f with 32", one, many)
	if !(many < 0.6*one) {
		t.Errorf("regret %v with 32 clients, %v with one", many, one)
	}
	short, long := order(experts.Usual, 8, 255), order(experts.Usual, 8, 1023)
	t.Logf("usual order: regret %.1f in 255 steps, %.1f in 1023", short, long)
	if !(long > 3.5*short) {
		t.Errorf("regret %v in 1023 steps, %v in 255", long, short)
	}
}

// Fig. 2 in small: against uniform losses with one expert at zero, ten clients
// pay much less than one, each; with exchanges every 30 steps the first, blind
// block is the largest part of what is left.
func TestSparseVectorAgainstUniformLosses(t *testing.T) {
	order := func(clients, interval int) float64 {
		return mean(func(seed uint64) float64 {
			return svt(t, must(experts.NewUniformZero(experts.UniformZeroOptions{}, clients, 20)), seed, 512, interval, 10, 20)
		})
	}
	one, ten, sparse := order(1, 1), order(10, 1), order(10, 30)
	t.Logf("regret %.1f with one client, %.1f with ten, %.1f with ten and N = 30", one, ten, sparse)
	if !(ten < 0.25*one && sparse < one && sparse > ten) {
		t.Errorf("regret %v with one client, %v with ten, %v with ten and N = 30", one, ten, sparse)
	}
	// A client pays 1/2 in each of the 29 blind steps, unless the zero expert was
	// drawn, with chance 1/20: 13.8 on average, with standard deviation 1.1 over
	// ten seeds, which 10 is more than three of below.
	if !(sparse >= 10) {
		t.Errorf("regret %v with N = 30", sparse)
	}
}
