package ofl_test

import (
	"slices"

	"starling/actors/algorithm/ofl"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

// trajectory is all that a run computes.
type trajectory struct {
	x    [][]float64   // x^0 .. x^R
	z    [][][]float64 // by learner: z^{r,t+1} at r tau + t
	sent [][][]float64 // by learner: ghat_i^r
}

func newTrajectory(o ofl.Options) trajectory {
	return trajectory{
		x: [][]float64{slices.Clone(o.Start)}, z: make([][][]float64, o.Learners), sent: make([][][]float64, o.Learners),
	}
}

// paper is the algorithm as printed, with all of its noise drawn beforehand.
type paper struct {
	ofl.Options
	bxi [][][]float64 // by learner: b^{r,t} xi_i at r tau + t, or b^{r+1} xi_i at r
}

// newPaper draws the noise from streams of its own, with the generators that the
// machines are given: those of (learner, step, hop 1).
func newPaper(o ofl.Options, seed uint64) *paper {
	p := &paper{Options: o, bxi: make([][][]float64, o.Learners)}
	d := len(o.Start)
	for i := range p.bxi {
		sum := make([]float64, d)
		for input := range o.Inputs() {
			if o.Noise.Private() {
				p.increment(sum, seed, i, input)
			}
			p.bxi[i] = append(p.bxi[i], slices.Clone(sum))
		}
	}
	return p
}

// increment adds the increment of an input to a prefix noise. The stream is
// drawn anew from its beginning each time, so its state is not relied upon.
func (p *paper) increment(sum []float64, seed uint64, i, input int) {
	if !p.Noise.Correlated() {
		step := input
		if p.Version == ofl.PerRound {
			step = input*p.Tau + p.Tau - 1
		}
		r := new(rng.Stream).Open(rng.NewKey(seed, p.NoisePurpose), 1+i, step, 1)
		for k := range sum {
			if p.Noise.Law() == noise.GaussianLaw {
				sum[k] += p.Noise.Scale() * r.NormFloat64()
			} else {
				sum[k] += p.Noise.Scale() * r.Laplace()
			}
		}
		return
	}
	stream, row := must(p.Noise.Factorization().Stream(len(sum))), make([]float64, len(sum))
	var draws rng.Stream
	for k := range input + 1 {
		step := k
		if p.Version == ofl.PerRound {
			step = k*p.Tau + p.Tau - 1
		}
		if err := stream.Next(row, draws.Open(rng.NewKey(seed, p.NoisePurpose), 1+i, step, 1)); err != nil {
			panic(err)
		}
	}
	axpy(sum, p.Noise.Scale(), row)
}

// noise is b xi_i after an input, and 0 before the first: b^{0,-1} = 0.
func (p *paper) noise(i, input int) []float64 {
	if input < 0 {
		return make([]float64, len(p.Start))
	}
	return p.bxi[i][input]
}

// gradient is grad f_i^{r,t}(P(z)), scaled down to B_g where it is longer.
func (p *paper) gradient(i, r, t int, z []float64) []float64 {
	datum, g := make([]float64, p.Data.Width()), make([]float64, len(z))
	p.Data.Datum(datum, messages.NodeID(i), r*p.Tau+t+1)
	p.Model.Gradient(g, projected(p.Options, z), datum)
	if length := norm(g); length > p.GradientBound {
		return combination(p.GradientBound/length, g, 0, g)
	}
	return g
}

// algorithm1 is Algorithm 1 of the second version, line by line.
func (p *paper) algorithm1() trajectory {
	tr, tau, d := newTrajectory(p.Options), float64(p.Tau), len(p.Start)
	etaTilde := p.LocalStep * p.GlobalStep * tau // line 2
	gradients := make([][]float64, p.Learners)   // grad f_i^{0,0} + .. + grad f_i^{r,t}
	before := make([][]float64, p.Learners)      // S_i^{r,t-1}
	for i := range gradients {
		gradients[i], before[i] = make([]float64, d), make([]float64, d)
	}
	for r := range p.Rounds { // line 3
		sum := make([]float64, d)
		for i := range p.Learners {
			z := slices.Clone(tr.x[r]) // lines 5 and 6
			for t := range p.Tau {     // line 7
				axpy(gradients[i], 1, p.gradient(i, r, t, z))               // line 8
				s := combination(1, gradients[i], 1, p.noise(i, r*p.Tau+t)) // line 9
				axpy(z, -p.LocalStep, minus(s, before[i]))                  // lines 10 and 11
				before[i] = s
				tr.z[i] = append(tr.z[i], slices.Clone(z))
			}
			scale := 1 / (p.LocalStep * tau)
			ghat := combination(scale, tr.x[r], -scale, z) // line 13
			tr.sent[i] = append(tr.sent[i], ghat)          // line 14
			axpy(sum, 1, ghat)
		}
		tr.x = append(tr.x, combination(1, tr.x[r], -etaTilde/float64(p.Learners), sum)) // line 16
	}
	return tr
}

// equation2 is (2) of the second version.
func (p *paper) equation2() trajectory {
	tr, tau, d := newTrajectory(p.Options), float64(p.Tau), len(p.Start)
	for r := range p.Rounds {
		g, xi := make([]float64, d), make([]float64, d) // g^r, (b^{r,tau-1} - b^{r-1,tau-1}) xi
		for i := range p.Learners {
			z, gi := slices.Clone(tr.x[r]), make([]float64, d)
			for t := range p.Tau {
				gradient := p.gradient(i, r, t, z)
				k := r*p.Tau + t
				axpy(z, -p.LocalStep, combination(1, gradient, 1, minus(p.noise(i, k), p.noise(i, k-1))))
				axpy(gi, 1/tau, gradient)
				tr.z[i] = append(tr.z[i], slices.Clone(z))
			}
			moved := minus(p.noise(i, (r+1)*p.Tau-1), p.noise(i, r*p.Tau-1))
			tr.z[i][(r+1)*p.Tau-1] = combination(1, tr.x[r], -p.LocalStep*tau, combination(1, gi, 1/tau, moved))
			tr.sent[i] = append(tr.sent[i], combination(1, gi, 1/tau, moved))
			axpy(g, 1/float64(p.Learners), gi)
			axpy(xi, 1/float64(p.Learners), moved)
		}
		tr.x = append(tr.x, combination(1, tr.x[r], -p.LocalStep*p.GlobalStep*tau, combination(1, g, 1/tau, xi)))
	}
	return tr
}

// postProcessed is the trajectory from noisy prefix sums alone, which is what
// makes everything that is sent post-processing of them (v2, section III-B):
// x^r = x^0 - eta~ (1/n) sum_i (1/tau) (grad f_i^{0,0} + .. + grad f_i^{r-1,tau-1} +
// b^{r-1,tau-1} xi_i), z_i^{r,t} = x^r - eta (S_i^{r,t-1} - S_i^{r-1,tau-1}).
func (p *paper) postProcessed() trajectory {
	tr, tau, d := newTrajectory(p.Options), float64(p.Tau), len(p.Start)
	prefix := make([][][]float64, p.Learners) // S_i, that of no step first
	gradients := make([][]float64, p.Learners)
	for i := range prefix {
		prefix[i], gradients[i] = [][]float64{make([]float64, d)}, make([]float64, d)
	}
	for r := range p.Rounds {
		x := slices.Clone(p.Start)
		for i := range p.Learners {
			start := prefix[i][r*p.Tau]
			for t := range p.Tau {
				z := combination(1, tr.x[r], -p.LocalStep, minus(prefix[i][r*p.Tau+t], start))
				axpy(gradients[i], 1, p.gradient(i, r, t, z))
				s := combination(1, gradients[i], 1, p.noise(i, r*p.Tau+t))
				prefix[i] = append(prefix[i], s)
				tr.z[i] = append(tr.z[i], combination(1, tr.x[r], -p.LocalStep, minus(s, start)))
			}
			end := prefix[i][(r+1)*p.Tau]
			tr.sent[i] = append(tr.sent[i], combination(1/tau, end, -1/tau, start))
			axpy(x, -p.LocalStep*p.GlobalStep*tau/(float64(p.Learners)*tau), end)
		}
		tr.x = append(tr.x, x)
	}
	return tr
}

// algorithm1v1 is Algorithm 1 of the first version, line by line. There is no
// 1/tau on the noise: it is added to an average.
func (p *paper) algorithm1v1() trajectory {
	tr, tau, d := newTrajectory(p.Options), float64(p.Tau), len(p.Start)
	etaTilde := p.LocalStep * p.GlobalStep * tau // line 2
	averages := make([][]float64, p.Learners)    // g_i^0 + .. + g_i^r
	before := make([][]float64, p.Learners)      // S_{g_i}^r
	for i := range averages {
		averages[i], before[i] = make([]float64, d), make([]float64, d)
	}
	for r := range p.Rounds { // line 3
		sum := make([]float64, d)
		for i := range p.Learners {
			z := slices.Clone(tr.x[r]) // lines 5 and 6
			for t := range p.Tau {     // lines 7 and 8
				axpy(z, -p.LocalStep, p.gradient(i, r, t, z))
				tr.z[i] = append(tr.z[i], slices.Clone(z))
			}
			scale := 1 / (p.LocalStep * tau)
			axpy(averages[i], 1, combination(scale, tr.x[r], -scale, z)) // line 10
			s := combination(1, averages[i], 1, p.noise(i, r))           // line 11
			ghat := minus(s, before[i])                                  // line 12
			before[i] = s
			tr.sent[i] = append(tr.sent[i], ghat) // line 13
			axpy(sum, 1, ghat)
		}
		tr.x = append(tr.x, combination(1, tr.x[r], -etaTilde/float64(p.Learners), sum)) // line 15
	}
	return tr
}

// postProcessedV1 is x^r = x^0 - eta~ (1/n) sum_i (g_i^0 + .. + g_i^{r-1} + b^r xi_i)
// with g_i^r the average of the gradients themselves, and (2) of the first
// version within a round.
func (p *paper) postProcessedV1() trajectory {
	tr, tau, d := newTrajectory(p.Options), float64(p.Tau), len(p.Start)
	averages := make([][]float64, p.Learners)
	for i := range averages {
		averages[i] = make([]float64, d)
	}
	for r := range p.Rounds {
		x := slices.Clone(p.Start)
		for i := range p.Learners {
			g := make([]float64, d)
			for t := range p.Tau {
				z := combination(1, tr.x[r], -p.LocalStep*tau, g)
				axpy(g, 1/tau, p.gradient(i, r, t, z))
				tr.z[i] = append(tr.z[i], combination(1, tr.x[r], -p.LocalStep*tau, g))
			}
			axpy(averages[i], 1, g)
			tr.sent[i] = append(tr.sent[i], combination(1, g, 1, minus(p.noise(i, r), p.noise(i, r-1))))
			axpy(x, -p.LocalStep*p.GlobalStep*tau/float64(p.Learners), combination(1, averages[i], 1, p.noise(i, r)))
		}
		tr.x = append(tr.x, x)
	}
	return tr
}
