package dpfl

import (
	"math"

	"starling/mechanisms/portable"
)

// mostTau is the largest tau that is ever chosen: section IV.B.
const mostTau = 100

// Bound holds the parameters of the convergence bound of Theorem 2.
type Bound struct {
	Rho, Beta, Xi float64 // of the losses, weighted over clients; >= 0
	// Noise is c = 2 sqrt(d) sigma C/B, the part of (19).
	Noise        float64
	LearningRate float64 // eta
	Control      float64 // c_G = phi lambda^2
}

// H is h(x) of (10), x >= 0, how far the mean of x local steps may be from x central ones. It
// sums (22); h is the closed form of that sum. The sum has no difference of large numbers, and
// is 0 for beta = 0, as the limit is. The printed (11) is a slip: it divides the xi of its
// last term by B too, which (22) does not, and h(1) is then not 0.
func (b Bound) H(x int) float64 {
	var sum float64
	growth := portable.Log1p(b.LearningRate * b.Beta)
	for k := range x {
		sum += portable.Expm1(float64(k) * growth)
	}
	return b.LearningRate * (b.Xi + b.Noise) * sum
}

// share is the bracket of (13) over its value at tau = 1: 1 - rho h(tau)/(tau eta c_G), the
// remaining share of a step's progress.
func (b Bound) share(tau int) float64 {
	return 1 - b.Rho*b.H(tau)/(float64(tau)*b.LearningRate*b.Control)
}

// Progress is X = T (eta - rho h(tau)/(tau c_G)) for T local steps, tau to a round: (12)
// bounds the loss above its least by sqrt(3)/3 + 1/(phi X), and if X is not positive it gives
// no bound. phi is omega (1 - beta eta/2), and omega at most 1/||w_0 - w*||^2; the paper
// prints neither.
//
// As a bound (12) is weak. sqrt(3)/3 stands for the largest x - x^3 on (0, 1), but is the x of
// that maximum, which is 2 sqrt(3)/9 = 0.385. And the proof comes to x^3 by 1/E[x^3] >=
// E[1/x^3], which is Jensen's inequality the wrong way round.
func (b Bound) Progress(tau, T int) float64 {
	return float64(T) * b.LearningRate * b.share(tau)
}

// NoiseTerm is c = 2 sqrt(d) sigma C/B of (19), 0 without noise. The paper has a bound for the
// noise of DP-SGD only. For other noise sigma C is the standard deviation of the noise of one
// local step, as far as there is one number for it. For correlated noise it is the standard
// deviation of independent noise that puts as much on the sum of all inputs. Where B is all
// data of a client it is the mean over clients.
func (o *Options) NoiseTerm() float64 {
	d := 2 * math.Sqrt(float64(len(o.Start)))
	n := o.Noise
	switch {
	case !n.Private():
		return 0 // where C may be infinite
	case n.Once():
		var last float64
		for last = range n.Factorization().RowNorms() {
		}
		return d * n.Scale() * math.Sqrt(last/float64(n.Factorization().N())) / o.meanBatch()
	case n.Sampled():
		return d * n.Multiplier() * o.Clip / o.meanBatch()
	}
	return d * n.Law().Deviation(1) * n.Scale() / o.meanBatch()
}

// meanBatch is B, or the mean of clients' data where it is all of them.
func (o *Options) meanBatch() float64 {
	if o.Batch > 0 {
		return float64(o.Batch)
	}
	var sum float64
	for _, data := range o.Clients {
		sum += float64(data.Size())
	}
	return sum / float64(len(o.Clients))
}

// Choose returns tau*: of 1 .. min(2 last, 100) the one that minimises G(tau) of (13), the
// least of them on ties. G is smallest where its bracket times T is largest, T being the local
// steps that are left with tau: as many as the rounds that are left have, and no more than
// stepsLeft. Where the bracket is not positive Theorem 2 says nothing: such a tau loses to 1,
// which has the largest bracket.
func (b Bound) Choose(last, roundsLeft, stepsLeft int) (tau int) {
	best := math.Inf(-1)
	for candidate := 1; candidate <= min(2*last, mostTau); candidate++ {
		left := float64(min(candidate*roundsLeft, stepsLeft))
		if progress := left * b.share(candidate); progress > best {
			best, tau = progress, candidate
		}
	}
	return tau
}

// Case is the cause that decided the choices of tau in a run.
type Case string

// The cases.
const (
	// BudgetsDecide means that every choice is the choice of the budgets alone: c_G is large,
	// or there is no choice to make.
	BudgetsDecide Case = "the budgets alone decide tau"
	// PenaltyDecides means that every choice is 1 though the budgets alone would choose more
	// at times: c_G is small.
	PenaltyDecides Case = "the penalty on local steps keeps tau at 1"
	// BothDecide means neither of these.
	BothDecide Case = "budgets and the penalty on local steps decide tau"
)

// CaseOf returns the case of a run from the values that its server recorded as TauChosen and
// TauFree, in the same order.
func CaseOf(chosen, free []float64) Case {
	same, one := true, true
	for k := range chosen {
		same = same && chosen[k] == free[k]
		one = one && chosen[k] == 1
	}
	switch {
	case same:
		return BudgetsDecide
	case one:
		return PenaltyDecides
	}
	return BothDecide
}
