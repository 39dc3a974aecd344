package noise

import (
	"fmt"
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
)

// Gaussian adds independent noise of the law N(0, Scale^2) to every entry.
type Gaussian struct {
	// Scale is sigma >= 0, in the unit of the entries, the standard deviation of each. 0
	// adds nothing, and a release that moves then is not private.
	Scale float64
}

// Validate refuses a scale that is negative, infinite or NaN.
func (g Gaussian) Validate() error {
	if !(g.Scale >= 0) || math.IsInf(g.Scale, 1) {
		return fmt.Errorf("Gaussian scale %v is not a finite number >= 0", g.Scale)
	}
	return nil
}

// Loss is the cost of one release of a vector with 2-norm sensitivity sensitivity: rho =
// sensitivity^2/(2 sigma^2) (Bun, Steinke 2016, proposition 1.6). A vector that no
// neighbouring input moves costs nothing; one that moves and has no noise is not private.
func (g Gaussian) Loss(sensitivity float64) accountant.Loss {
	switch {
	case sensitivity == 0:
		return accountant.Loss{}
	case g.Scale == 0 || math.IsInf(sensitivity, 1):
		return accountant.NotPrivate()
	case !(sensitivity > 0): // no sensitivity at all, and Validate says so
		return accountant.Loss{Rho: math.NaN()}
	}
	return accountant.Loss{Rho: accountant.GaussianRho(g.Scale / sensitivity)}
}

// SampledLoss is the cost of one release of a sum over a Poisson sample of the
// records, each in it with probability rate, to which one record adds a vector
// of 2-norm at most sensitivity: one step of the sampled Gaussian mechanism
// with noise multiplier sigma/sensitivity. The sample itself must stay secret.
func (g Gaussian) SampledLoss(sensitivity, rate float64) accountant.Loss {
	if loss := g.Loss(sensitivity); loss.Rho == 0 || math.IsNaN(loss.Rho) {
		return loss
	}
	return accountant.Loss{Sampled: accountant.SampledGaussian{Rate: rate, Noise: g.Scale / sensitivity, Steps: 1}}
}

// Release adds noise to every entry of x in place, drawn from r, after pay has
// accepted the loss for the given 2-norm sensitivity of x, and gives the receipt of
// that. An error of pay is returned as it is, and x is then unchanged.
func (g Gaussian) Release(x []float64, r *rng.Rand, sensitivity float64, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	return g.release(x, r, g.Loss(sensitivity), pay)
}

// ReleaseSampled is Release of a sum over a Poisson sample, which costs
// SampledLoss.
func (g Gaussian) ReleaseSampled(x []float64, r *rng.Rand, sensitivity, rate float64, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	return g.release(x, r, g.SampledLoss(sensitivity, rate), pay)
}

func (g Gaussian) release(x []float64, r *rng.Rand, loss accountant.Loss, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	if err := g.Validate(); err != nil {
		return accountant.Receipt{}, err
	}
	if err := pay(loss); err != nil {
		return accountant.Receipt{}, err
	}
	if g.Scale > 0 {
		r.AddNormal(x, g.Scale)
	}
	return accountant.NewReceipt(loss), nil
}

// GaussianLaw is the law of Gaussian: its scale is sigma, and the level of a Calibration mu.
var GaussianLaw Law = gaussianLaw{}

type gaussianLaw struct{}

func (gaussianLaw) String() string                  { return "gaussian" }
func (gaussianLaw) Norm() Norm                      { return L2 }
func (gaussianLaw) Validate(sigma float64) error    { return Gaussian{sigma}.Validate() }
func (gaussianLaw) Deviation(sigma float64) float64 { return sigma }
func (gaussianLaw) AddRows(rows Rows, sigma float64) {
	rows.Key.AddNormalRows(rows.Entries, rows.Width, sigma, rows.First, rows.Step, rows.Hop)
}
func (gaussianLaw) Add(x []float64, sigma float64, r *rng.Rand) { r.AddNormal(x, sigma) }

func (gaussianLaw) Fit(mu float64, moves Moves) float64 { return moves.L2 / mu }

func (gaussianLaw) Loss(sigma float64, moves Moves) accountant.Loss {
	return Gaussian{sigma}.Loss(moves.L2)
}

func (gaussianLaw) LogRatio(x, first, second, sigma float64) float64 {
	x, first, second = float64(x), float64(first), float64(second) // not fused with products of callers
	return (first - second) * (x - float64((first+second)/2)) / (sigma * sigma)
}

// CutMoments: as for Laplace noise, by parts with the distribution function.
func (gaussianLaw) CutMoments(c float64) (second, fourth float64) {
	inside, outside := portable.Erf(c/math.Sqrt2), portable.Erfc(c/math.Sqrt2)
	density := math.Sqrt(2/math.Pi) * portable.Exp(-c*c/2)
	second = inside - float64(c*density) + float64(c*c*outside)
	fourth = float64(3*inside) - float64(density*c*(3+float64(c*c))) + float64(c*c*c*c*outside)
	return second, fourth
}
