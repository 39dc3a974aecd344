package fedsvt_test

import (
	"fmt"
	"math"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/fedsvt"
	"starling/actors/algorithmtest"
	"starling/mechanisms/rng"
	"starling/messages"
)

// transcription is Algorithms 7 and 8 typed from the paper, one loop over time
// with all losses at hand, and with l(x) in the score. It shares with the
// machines the keys of the random streams, and sums every query and score anew.
// It returns x_t for t = 1 .. T, from index 1, and k.
func transcription(o fedsvt.Options, costs algorithm.Costs, seed uint64) (x []int, k int) {
	stream := func(purpose rng.Purpose, step, hop int) *rng.Rand {
		return new(rng.Stream).Open(rng.NewKey(seed, purpose), 0, step, hop)
	}
	m, d, T, N := o.Clients, o.Experts, o.Horizon, o.Interval
	rho, kappa := o.Rho, o.Kappa
	if rho == 0 {
		rho = 0.1
	}
	if kappa == 0 {
		kappa = 3*math.Ceil(math.Log2(float64(d))) + 24*math.Log(1/rho)
	}
	eta := o.Epsilon / (2 * kappa)
	if o.Delta > 0 {
		eta = o.Epsilon / math.Sqrt(kappa*math.Log(1/o.Delta))
	}
	ratio := float64(T) * float64(T) / (float64(N) * float64(N))
	L := float64(m)*o.Lstar + 8*math.Log(2*ratio/rho)/o.Epsilon + 4/eta

	l := func(i, t, expert int) float64 {
		g := make([]float64, d)
		costs.Gradient(g, messages.NodeID(i), t, nil)
		return g[expert]
	}
	x = make([]int, T+1)
	x[0] = o.Start - 1
	if o.Start == 0 {
		x[0] = stream(startPurpose, 1, 0).IntN(d)
	}
	tau := 0
	Lhat := L + 4/o.Epsilon*stream(noisePurpose, 1, 0).Laplace()
	for t := 1; t <= T; t++ {
		x[t] = x[t-1]
		if t%N != 0 || float64(k) >= kappa {
			continue
		}
		hop := 1
		if t == 1 {
			hop = 2
		}
		r := stream(noisePurpose, t, hop)
		q := 0.0
		for i := 1; i <= m; i++ {
			for before := max(tau, 1); before <= t-1; before++ {
				q += l(i, before, x[before])
			}
		}
		if q+8/o.Epsilon*r.Laplace() <= Lhat {
			continue
		}
		weights, sum := make([]float64, d), 0.0
		for expert := range d {
			s := 0.0
			for i := 1; i <= m; i++ {
				for before := 1; before <= t-1; before++ {
					s += l(i, before, expert)
				}
			}
			weights[expert] = math.Exp(-eta * max(s, float64(m)*o.Lstar) / 2)
			sum += weights[expert]
		}
		u := rng.Unit(r.Uint64()) * sum
		for x[t] = 0; u >= weights[x[t]]; x[t]++ {
			u -= weights[x[t]]
		}
		k++
		tau = t
		Lhat = L + 4/o.Epsilon*r.Laplace()
	}
	return x, k
}

// The machines play what the algorithms, typed from the paper, play.
func TestMachinesAreTheTranscription(t *testing.T) {
	switched := 0
	for name, change := range map[string]func(*fedsvt.Options){
		"pure":            func(*fedsvt.Options) {},
		"approximate":     func(o *fedsvt.Options) { o.Variant, o.Delta = fedsvt.Approximate, 1e-3 },
		"sparse-vector":   func(o *fedsvt.Options) { o.Clients, o.Interval, o.Kappa = 1, 1, 20 },
		"default kappa":   func(o *fedsvt.Options) { o.Kappa, o.Epsilon = 0, 1000 },
		"one switch":      func(o *fedsvt.Options) { o.Kappa, o.Epsilon = 0.25, 8 },
		"near-realizable": func(o *fedsvt.Options) { o.Lstar, o.Rho, o.Epsilon = 2, 0.3, 50 },
		"start":           func(o *fedsvt.Options) { o.Start = 2 },
		"two experts":     func(o *fedsvt.Options) { o.Experts, o.Epsilon = 2, 40 },
		"N > T":           func(o *fedsvt.Options) { o.Interval = 101 },
		"N = T":           func(o *fedsvt.Options) { o.Interval = 100 },
		// The noise of the threshold is as large as a few steps' losses.
		"noisy threshold": func(o *fedsvt.Options) {
			o.Clients, o.Interval, o.Kappa, o.Horizon, o.Epsilon = 1, 1, 20, 600, 8
		},
		// m L* hides how the experts that are not played differ.
		"low scores": func(o *fedsvt.Options) { o.Lstar, o.Epsilon, o.Start, o.Interval = 2, 50, 1, 2 },
	} {
		t.Run(name, func(t *testing.T) {
			o := options()
			change(&o)
			var costs algorithm.Costs = vectors{}
			if name == "low scores" {
				costs = uneven{}
			}
			r, d := run(t, o, costs)
			want, k := transcription(o, costs, r.Seed)
			switched += k
			if got := r.Machines[0].(*fedsvt.Server).Switches(); got != k {
				t.Errorf("%d switches, want %d", got, k)
			}
			for i := 1; i <= o.Clients; i++ {
				for step := 1; step <= o.Horizon; step++ {
					for n, v := range d.Decisions[i][step-1] {
						unit := 0.0
						if n == want[step] {
							unit = 1
						}
						algorithmtest.CloseTo(t, fmt.Sprintf("client %d, step %d, entry %d", i, step, n+1), v, unit, 0)
					}
				}
				if t.Failed() {
					return
				}
			}
		})
	}
	if switched < 20 {
		t.Errorf("%d switches in all runs test little", switched)
	}
}

// uneven are losses of 1 for expert 1 and smaller ones, rising, for the others.
type uneven struct{ vectors }

func (v uneven) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	v.vectors.Gradient(dst, node, step, x)
	for n := range dst {
		dst[n] *= 0.1 * float64(n)
	}
	dst[0] = 1
}
