package dpdonc

import (
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/mechanisms/portable"
)

// Totals is the privacy loss of a node over the steps 1 .. horizon by basic composition: as
// the paper claims it, eps a step, and by the releases. The unit is all costs of one node; one
// cost moves every later release too, so the sum is the bound for it as well.
func Totals(o *Options, horizon int) (claimed, accounted accountant.Loss) {
	for t := 1; t <= horizon; t++ {
		mechanism, moves := o.Release(t)
		accounted = accounted.Compose(mechanism.Loss(moves))
	}
	return o.Claimed(horizon), accounted
}

// Claimed is the loss over the steps 1 .. horizon that the paper claims for Laplace noise. For
// other noise it claims nothing.
func (o *Options) Claimed(horizon int) accountant.Loss {
	return accountant.Loss{Epsilon: o.Calibration.Level * float64(horizon)}
}

// Claim is the loss a step that the paper claims for Laplace noise, for tables; see Claimed.
func (o *Options) Claim() accountant.Loss { return accountant.Loss{Epsilon: o.Calibration.Level} }

// BoundConstants are the constants that Theorem 2 needs besides the options.
type BoundConstants struct {
	Beta       float64 // smoothness of the costs
	Smoothness float64 // M, of the divergence
	// C and Lambda are of |Phi(t,s)_ij - 1/N| <= C lambda^(t-s), Lemma 2. The
	// printed C divides by 1 + a^((N-1)B) where its source has 1 - a^((N-1)B);
	// take both from the graphs at hand instead.
	C, Lambda float64
}

// Theorem2 is U_1 + U_2 sqrt T of Theorem 2, (28), for alpha_t = 1/(N sqrt t). The printed
// theorem rests on (11), which fails when z_t is outside the set, and has lost a factor N^2 in
// the term M eta^2/2: a value is the printed formula's, not a proven bound. Without noise the
// terms in 1/eps vanish. The theorem is for Laplace noise.
func Theorem2(o *Options, k BoundConstants, horizon int) float64 {
	var (
		n     = float64(o.Nodes)
		d     = float64(o.Set.Dim())
		eta   = o.Set.Diameter()
		theta = o.Theta
		omega = o.Divergence.StrongConvexity()
		eps   = o.Calibration.Level
		reach = float64(k.Beta*eta) + float64(2*theta)
		rest  = 1 - k.Lambda
	)
	u1 := 2 * portable.Pow(n, 1.5) * math.Sqrt(d) * k.C * reach * stackedNorm(o) / rest
	u2 := 8*math.Sqrt(2*n)*d*theta*theta/(omega*eps) +
		2*math.Sqrt(n)*theta*theta/omega +
		float64(k.Smoothness*eta*eta/2) +
		8*d*d*k.Smoothness*theta*theta/(omega*omega*eps*eps) +
		8*math.Sqrt2*portable.Pow(d, 1.5)*n*k.C*theta*reach/(omega*eps*rest) +
		4*math.Sqrt(d)*n*k.C*theta*reach/(omega*rest)
	return u1 + float64(u2*math.Sqrt(float64(horizon)))
}

// stackedNorm is the 2-norm of X_1, all nodes' starts in one vector.
func stackedNorm(o *Options) float64 {
	square := kernel.SquaredNorm(o.Start)
	return math.Sqrt(float64(o.Nodes) * square)
}

// TrivialBound is N T theta eta, which no algorithm's regret exceeds.
func TrivialBound(o *Options, horizon int) float64 {
	return float64(o.Nodes) * float64(horizon) * o.Theta * o.Set.Diameter()
}
