package opestoch_test

import (
	"fmt"
	"math"
	"testing"

	"starling/actors/algorithm/opestoch"
	"starling/actors/algorithmtest"
	"starling/messages"
)

// Theorem 1: lambda = 4 alpha 2^j/(b eps). Algorithm 5, line 5 (C.4): mu = 4
// alpha 2^j/(b m eps). Lemma 6: lambda = alpha 2^(T1/2) log(2^(p-1)/delta)/(b
// eps), the same for all trees. b is the batch that is drawn.
func TestNoiseOfTheTheorems(t *testing.T) {
	o := convexOptions()
	o.Alpha, o.Epsilon, o.Clients = 3, 0.7, 5
	for _, p := range must(opestoch.NewSchedule(&o)).Phases[1:] {
		for j, scale := range p.Scales {
			want := 4 * 3 * math.Pow(2, float64(j+1)) / (float64(p.Batch) * 0.7)
			algorithmtest.CloseTo(t, fmt.Sprintf("lambda of phase %d, tree %d", p.Number, j+1), scale, want, 1e-14)
		}
	}
	o.Variant = opestoch.Central
	for _, p := range must(opestoch.NewSchedule(&o)).Phases[1:] {
		for j, scale := range p.Scales {
			want := 4 * 3 * math.Pow(2, float64(j+1)) / (float64(p.Batch) * 5 * 0.7)
			algorithmtest.CloseTo(t, fmt.Sprintf("mu of phase %d, tree %d", p.Number, j+1), scale, want, 1e-14)
		}
	}
	o.Variant, o.Delta = opestoch.Approximate, 1e-5
	for _, p := range must(opestoch.NewSchedule(&o)).Phases[1:] {
		for j, scale := range p.Scales {
			want := 3 * math.Pow(2, float64(p.Trees)/2) * math.Log(math.Pow(2, float64(p.Number-1))/1e-5) / (float64(p.Batch) * 0.7)
			algorithmtest.CloseTo(t, fmt.Sprintf("lambda of phase %d, tree %d, approximate", p.Number, j+1), scale, want, 1e-13)
		}
	}
}

// gap are losses in {0, 1}: 1 with chance 0.2 for expert 3 and 0.5 for others.
type gap struct{ vectors }

func (v gap) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	v.vectors.Gradient(dst, node, step, x)
	for n, u := range dst {
		chance := 0.5
		if n == 2 {
			chance = 0.2
		}
		dst[n] = 0
		if u < chance {
			dst[n] = 1
		}
	}
}

// Theorem 1 and Remark 2: averages over m clients have 1/sqrt m of the noise of
// one. At T = 255 the last phase has b = 42 and, at eps = 1, lambda = 8/42: with
// one client the difference of two noises exceeds the gap of 0.3 with chance
// exp(-g)(2+g)/4 = 0.18, g = 0.3/lambda, at each of two leaves; in 40 runs all
// 80 are right with chance below 0.82^80 = 1e-7. With 64 clients a difference has
// standard deviation 0.05 and 6 of them make the gap: 560 comparisons are right
// but with chance 6e-7.
func TestCollaborationFindsTheBestExpert(t *testing.T) {
	right := func(clients int) (runs int) {
		o := linearOptions()
		o.Clients, o.Experts, o.Horizon, o.Epsilon = clients, 8, 255, 1
		for seed := range uint64(40) {
			d := algorithmtest.NewDiary(o.Clients + 1)
			r := spec(o, gap{}, d)
			r.Seed = seed
			if err := algorithmtest.Lockstep(r); err != nil {
				t.Fatal(err)
			}
			if d.Decisions[1][o.Horizon-1][2] == 1 {
				runs++
			}
		}
		return runs
	}
	if one, many := right(1), right(64); one == 40 || many != 40 {
		t.Errorf("one client is right in %d of 40 runs, 64 clients in %d", one, many)
	}
}

// Section C.4: in the central variant one noise of 1/m the scale takes the place
// of the average of m: at the same eps it finds the expert with fewer clients.
func TestCentralNeedsLessNoise(t *testing.T) {
	o := linearOptions()
	local, centralised := must(opestoch.NewSchedule(&o)), central(o)
	schedule := must(opestoch.NewSchedule(&centralised))
	for i, p := range schedule.Phases[1:] {
		algorithmtest.CloseTo(t, fmt.Sprintf("m mu of phase %d", p.Number), float64(o.Clients)*p.Scales[0], local.Phases[i+1].Scales[0], 1e-14)
	}
}

// Corollary 1 (iii): communication of O(m d log T): two leaves a phase, d
// scalars up and one down each, per client.
func TestCommunicationIsLogarithmic(t *testing.T) {
	o := linearOptions()
	for phases := 1; phases <= 24; phases++ {
		o.Horizon = 1<<phases - 1
		up, down := must(opestoch.NewSchedule(&o)).Communication()
		if wantUp, wantDown := 2*(phases-1)*3*4, 3*(4+2*(phases-1)); up != wantUp || down != wantDown {
			t.Errorf("T = %d: %d up and %d down, want %d and %d", o.Horizon, up, down, wantUp, wantDown)
		}
	}
}
