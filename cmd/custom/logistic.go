package main

import (
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
	"starling/scenarios/document"
	"starling/scenarios/section/mechanisms"
)

// logisticSection is `mechanism: {kind: logistic, epsilon: 1}`, for all algorithms that take
// noise of its own on every message, or on every sum over all data.
type logisticSection struct {
	Kind    string           `yaml:"kind,required"`
	Epsilon document.Epsilon `yaml:"epsilon,required" unit:"nats" doc:"epsilon of a release, above 0, or none to run without noise"`
}

func (*logisticSection) Law() noise.Law { return logistic{} }

func (s *logisticSection) OnMessages(*document.Node) (mechanisms.Additive, error) {
	return mechanisms.Additive{
		Calibration: noise.Calibration{Law: logistic{}, Level: float64(s.Epsilon)},
		Schedule:    noise.Shifted, Epsilon: float64(s.Epsilon), Accountant: accountant.PLD,
	}, nil
}

func (*logisticSection) Correlates() bool { return false }

func (s *logisticSection) OnSums(*document.Node) (mechanisms.Sums, error) {
	return mechanisms.OwnSums(s.Kind, noise.Calibration{Law: logistic{}, Level: float64(s.Epsilon)}, accountant.AddOrRemove), nil
}

// logistic is the law of the density 1/(4 s cosh(x/2s)^2). The logarithm of the density has a
// slope of at most 1/s. So a release that moves by L1 in 1-norm costs epsilon = L1/s, as one
// with Laplace noise does.
type logistic struct{}

func (logistic) String() string              { return "logistic" }
func (logistic) Norm() noise.Norm            { return noise.L1 }
func (logistic) Validate(s float64) error    { return noise.LaplaceLaw.Validate(s) }
func (logistic) Deviation(s float64) float64 { return s * math.Pi / math.Sqrt(3) }

func (logistic) Fit(epsilon float64, moves noise.Moves) float64 { return moves.L1 / epsilon }

// Loss is pure. The loss of Laplace noise has a part that composes more tightly; this law's
// has none.
func (logistic) Loss(s float64, moves noise.Moves) accountant.Loss {
	loss := noise.LaplaceLaw.Loss(s, moves)
	loss.Laplace = 0
	return loss
}

// Add draws by inversion.
func (logistic) Add(x []float64, s float64, r *rng.Rand) {
	for k := range x {
		u := r.Float64() + 0x1p-54 // in (0, 1)
		x[k] += float64(s * (portable.Log(u) - portable.Log1p(-u)))
	}
}

func (l logistic) AddRows(rows noise.Rows, s float64) {
	rows.Each(func(x []float64, r *rng.Rand) { l.Add(x, s, r) })
}

func (logistic) LogRatio(x, first, second, s float64) float64 {
	log := func(z float64) float64 {
		z = math.Abs(z)
		return -z - float64(2*portable.Log1p(portable.Exp(-z)))
	}
	return log((x-first)/s) - log((x-second)/s)
}

// CutMoments adds up the integral of k y^(k-1) P(|w| > y) up to most, P = 2/(1 + exp(y/s)),
// by Simpson's rule.
func (l logistic) CutMoments(most float64) (second, fourth float64) {
	const parts = 2048
	s, step := 1/l.Deviation(1), most/parts
	for i := range parts + 1 {
		y, weight := float64(float64(i)*step), float64(2+i%2*2)
		if i == 0 || i == parts {
			weight = 1
		}
		tail := float64(weight*step/3*2) / (1 + portable.Exp(y/s))
		second += float64(2 * y * tail)
		fourth += float64(4 * y * y * y * tail)
	}
	return second, fourth
}
