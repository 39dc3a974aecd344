package accountant

import (
	"errors"
	"math"

	"starling/mechanisms/portable"
)

// Stopping is the law of a random number of trials K, of which the best is released. A trial is one
// run of a mechanism Q with options that do not depend on the data, such as random ones.
type Stopping interface {
	// Chance returns P[K = k].
	Chance(k int) float64
	// Mean returns E[K].
	Mean() float64
	// Best returns the Rényi divergences of the best of K trials, at the orders of a curve of
	// one trial.
	Best(q Curve) (Curve, error)
}

var errNoCurve = errors.New("a trial without Rényi divergences")

// NegativeBinomial is the truncated negative binomial law on 1, 2, ...: for eta != 0
//
//	P[K = k] = (1-gamma)^k/(gamma^-eta - 1) prod_{l<k} (l+eta)/(l+1),
//
// and (1-gamma)^k/(k log(1/gamma)) for eta = 0. Eta 1 is the geometric law.
type NegativeBinomial struct{ Eta, Gamma float64 } // eta > -1, gamma in (0, 1)

// NegativeBinomialStopping returns the law of an eta > -1 with a mean above 1. The mean falls in
// gamma, which is found by halving.
func NegativeBinomialStopping(eta, mean float64) NegativeBinomial {
	low, high := -700.0, 0.0 // of log gamma
	for range 200 {
		mid := (low + high) / 2
		if (NegativeBinomial{eta, portable.Exp(mid)}).Mean() > mean {
			low = mid
		} else {
			high = mid
		}
	}
	return NegativeBinomial{eta, portable.Exp((low + high) / 2)}
}

// Mean implements Stopping: eta (1-gamma)/(gamma (1-gamma^eta)), and (1/gamma - 1)/log(1/gamma)
// for eta = 0 (definition 1 of the paper).
func (l NegativeBinomial) Mean() float64 {
	if l.Eta == 0 {
		return (1/l.Gamma - 1) / -portable.Log(l.Gamma)
	}
	return l.Eta * (1 - l.Gamma) / (l.Gamma * (1 - portable.Exp(l.Eta*portable.Log(l.Gamma))))
}

// Chance implements Stopping.
func (l NegativeBinomial) Chance(k int) float64 {
	if k < 1 {
		return 0
	}
	chance := -1 / portable.Log(l.Gamma)
	if l.Eta != 0 {
		chance = l.Eta / (portable.Exp(-l.Eta*portable.Log(l.Gamma)) - 1)
	}
	chance *= 1 - l.Gamma
	for i := 1; i < k; i++ {
		chance *= (1 - l.Gamma) * (float64(i) + l.Eta) / float64(i+1)
	}
	return chance
}

// Best implements Stopping by Theorem 2 of Papernot, Steinke, Hyperparameter Tuning with Rényi
// Differential Privacy, 2022. If a trial has divergence e(a) at order a, then the best of K has at
// order a, for every order b of a trial,
//
//	e(a) + (1+eta) (1 - 1/b) e(b) + (1+eta) log(1/gamma)/b + log(E[K])/(a-1).
//
// The least over the orders b of the curve is taken.
func (l NegativeBinomial) Best(q Curve) (Curve, error) {
	if len(q.Orders) == 0 {
		return Curve{}, errNoCurve
	}
	extra := math.Inf(1)
	for i, b := range q.Orders {
		extra = min(extra, float64((1-1/b)*q.RDP[i])-portable.Log(l.Gamma)/b)
	}
	best := NewCurve(q.Orders)
	for i, a := range q.Orders {
		best.RDP[i] = q.RDP[i] + float64((1+l.Eta)*extra) + portable.Log(l.Mean())/(a-1)
	}
	return best, nil
}

// PoissonStopping is a Poisson number of trials of mean Mu. Where it is 0 nothing is released.
type PoissonStopping struct{ Mu float64 }

// Mean implements Stopping.
func (l PoissonStopping) Mean() float64 { return l.Mu }

// Chance implements Stopping.
func (l PoissonStopping) Chance(k int) float64 {
	log := -l.Mu
	for i := 1; i <= k; i++ {
		log += portable.Log(l.Mu / float64(i))
	}
	return portable.Exp(log)
}

// Best implements Stopping by Theorem 6 of the same paper. If a trial has divergence e(a) at order
// a and is (h, d) differentially private with e^h <= 1 + 1/(a-1), then the best of K has at order a
//
//	e(a) + mu d + log(mu)/(a-1).
//
// h is log(1 + 1/(a-1)), and d is the least that the divergences of a trial give at that h, by
// proposition 12 of Canonne, Kamath, Steinke 2020: over orders b,
// e^((b-1)(e(b)-h)) (1 - 1/b)^b/(b-1).
func (l PoissonStopping) Best(q Curve) (Curve, error) {
	if len(q.Orders) == 0 {
		return Curve{}, errNoCurve
	}
	best := NewCurve(q.Orders)
	for i, a := range q.Orders {
		h, delta := portable.Log1p(1/(a-1)), 1.0
		for k, b := range q.Orders {
			delta = min(delta, portable.Exp(float64((b-1)*(q.RDP[k]-h))+float64(b*portable.Log1p(-1/b)))/(b-1))
		}
		best.RDP[i] = max(0, q.RDP[i]+float64(l.Mu*delta)+portable.Log(l.Mu)/(a-1))
	}
	return best, nil
}

// Curve returns the Rényi divergences of everything added, at ManyOrders. ok is false where there
// are none: where a loss has a delta of its own, and where nothing protects a release.
func (t *Total) Curve() (c Curve, ok bool, err error) {
	if t.delta > 0 || math.IsInf(t.epsilon, 1) || math.IsInf(t.rho, 1) {
		return Curve{}, false, nil
	}
	c = NewCurve(ManyOrders)
	c.AddRho(t.rho + t.concentrated)
	for _, s := range t.sampled {
		if err := c.AddSampled(s); err != nil {
			return Curve{}, false, err
		}
	}
	t.addPureTo(c)
	return c, true, nil
}
