package noise

import (
	"errors"

	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/rng"
)

// Released is the noise on the releases of one party over a run, with the distance by which
// data move them and with the loss of a payment. Only the functions On... make it, each by one
// law from scale and moves, so that the three agree. The zero value is no noise, and releases
// are then not private. It is immutable, and values can be compared.
type Released struct {
	form  form
	law   Law
	scale float64
	// moves is the distance by which data move the releases of one payment.
	moves Moves
	loss  accountant.Loss // of one payment
	// multiplier is the noise multiplier of noise on samples.
	multiplier float64
	// matrix is the factorization of correlated noise; nil for its loss alone.
	matrix *factorization.Factorization
}

// form is the part of a run that one payment covers, and the origin of the noise.
type form int

const (
	none            form = iota
	each                 // one release, of independent noise
	disjoint             // all releases, of independent noise
	samples              // one release, over a secret sample
	prefixes             // all releases, of correlated noise
	sampledPrefixes      // one release of correlated noise, over a secret sample
)

// OnEach returns independent noise on each release, for releases that data move by moves. Each
// is paid for. Noise without a law is no noise.
func OnEach(n Additive, moves Moves) Released { return released(each, n, moves) }

// OnDisjoint returns independent noise on releases of which the data of a unit move one, or a
// few that moves counts together. All cost as much as these (parallel composition: McSherry
// 2009, theorem 4), also where later vectors are chosen in view of earlier outputs: given
// those, the unit moves the conditional laws of its own outputs and no other, so that the ratio
// of the likelihoods of all outputs is the ratio of the likelihoods of its own. They are paid
// for once. Noise without a law is no noise.
func OnDisjoint(n Additive, moves Moves) Released { return released(disjoint, n, moves) }

func released(of form, n Additive, moves Moves) Released {
	if n == (Additive{}) {
		return Released{}
	}
	return Released{form: of, law: n.Law, scale: n.Scale, moves: moves, loss: n.Law.Loss(n.Scale, moves)}
}

// OnSamples returns the noise of DP-SGD on sums over all data, of vectors of 2-norm clip at
// most: N(0, multiplier^2 clip^2 I). Each sum is paid for. At lowers the loss of a sum over a
// sample.
func OnSamples(multiplier, clip float64) Released {
	scale := multiplier * clip
	return Released{
		form: samples, law: GaussianLaw, scale: scale, moves: Moves{L2: clip}, multiplier: multiplier,
		loss: Gaussian{scale}.SampledLoss(clip, 1),
	}
}

// At returns the noise at the loss of sums over secret Poisson samples of a rate. Noise other
// than OnSamples gains nothing by samples.
func (n Released) At(rate float64) Released {
	if n.form == samples && n.loss.Sampled.Steps > 0 {
		n.loss.Sampled.Rate = rate
	}
	return n
}

// AtCohort returns noise OnSamples at the loss of sums over secret samples of a fixed number of
// units, drawn without replacement, of which each unit is one with a probability of rate. A unit
// that is added or removed leaves its place in the sample to another one, drawn uniformly: in the
// samples with the unit the sum moves by 2 clip, and the others are samples without it. So the loss
// is the loss of a Poisson sample at the same rate, of half the multiplier (Zhu, Dong, Wang 2022,
// on samples of a fixed size of a mechanism for replaced data). It also holds for
// a unit that is replaced: around the vector of the other one, both units' vectors have 2 clip at
// most, as in a Poisson sample. Other noise gains nothing by samples.
func (n Released) AtCohort(rate float64) Released {
	if n = n.At(rate); n.form == samples {
		n.moves.L2 *= 2
		n.loss.Sampled.Noise /= 2
	}
	return n
}

// OnPrefixes returns the noise of a Gaussian matrix mechanism A = BC over a whole run: row t of
// B xi, xi of independent N(0, scale^2) entries, is the noise on the sum of the first t
// releases. The data of a unit move C G by sensitivity in 2-norm, G the releases: by the bound
// on one times Factorization.SensitivityOf. All releases together are post-processing of C G +
// xi, one Gaussian mechanism. So they cost one rho = sensitivity^2/(2 scale^2), also where later
// inputs are chosen in view of earlier outputs (Denisov, McMahan, Rush, Smith, Thakurta 2022,
// theorem 2.1: C must be lower triangular for that, or have the noise of such a factor). They
// are paid for once. f is over at least as many releases as the run has; nil gives the loss
// alone, and no stream.
func OnPrefixes(scale, sensitivity float64, f *factorization.Factorization) Released {
	return Released{
		form: prefixes, law: GaussianLaw, scale: scale, moves: Moves{L2: sensitivity}, matrix: f,
		loss: Gaussian{scale}.Loss(sensitivity),
	}
}

// OnSampledPrefixes returns noise as OnPrefixes where a secret sample of the units makes each
// release. A unit that takes part pays for one step of the sampled Gaussian mechanism, of the
// rate and the noise multiplier of step.
func OnSampledPrefixes(step accountant.SampledGaussian, sensitivity float64, f *factorization.Factorization) Released {
	n := OnPrefixes(step.Noise*sensitivity, sensitivity, f)
	step.Steps = 1
	n.form, n.loss = sampledPrefixes, accountant.Loss{Sampled: step}
	return n
}

// Private reports whether there is noise.
func (n Released) Private() bool { return n.form != none }

// Once reports whether one payment covers all releases of a run.
func (n Released) Once() bool { return n.form == disjoint || n.form == prefixes }

// Correlated reports whether noise is correlated over releases.
func (n Released) Correlated() bool { return n.form == prefixes || n.form == sampledPrefixes }

// Sampled reports whether noise is OnSamples.
func (n Released) Sampled() bool { return n.form == samples }

// Law returns the law of the noise; nil without noise.
func (n Released) Law() Law { return n.law }

// Scale returns the scale of the law: on a release, or of the entries of xi.
func (n Released) Scale() float64 { return n.scale }

// Additive returns the noise on one release, of noise that is not correlated.
func (n Released) Additive() Additive { return Additive{n.law, n.scale} }

// Sensitivity returns the distance by which data move the releases of one payment, in the norm
// of the law; 0 without noise.
func (n Released) Sensitivity() float64 {
	if !n.Private() {
		return 0
	}
	return n.law.Norm().Of(n.moves)
}

// Multiplier returns the noise multiplier of noise OnSamples, and 0 for other noise.
func (n Released) Multiplier() float64 { return n.multiplier }

// Factorization returns the factorization of correlated noise; nil for other noise, and for the
// loss alone.
func (n Released) Factorization() *factorization.Factorization { return n.matrix }

// Loss returns the loss of one payment. Without noise releases are not private.
func (n Released) Loss() accountant.Loss {
	if !n.Private() {
		return accountant.NotPrivate()
	}
	return n.loss
}

// Scaled returns the noise times a factor, at the loss of the noise itself, for audits. Times 0
// it is no noise.
func (n Released) Scaled(by float64) Released {
	if by == 0 {
		return Released{}
	}
	n.scale *= by
	n.multiplier *= by
	return n
}

// Stronger returns the noise times a factor, above 0, at the loss of that noise: for a party with noise
// of its own. It is for noise that is paid for once.
func (n Released) Stronger(by float64) Released {
	if !n.Once() {
		panic("noise: stronger noise is for noise that is paid for once")
	}
	n.scale *= by
	n.loss = n.law.Loss(n.scale, n.moves)
	return n
}

// Release adds noise to x in place, drawn from r, after pay has accepted its loss, and returns
// the receipt. It is for noise of which each release is paid for, without correlation. An error
// of pay is returned as it is, and x is then unchanged.
func (n Released) Release(x []float64, r *rng.Rand, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	return n.Additive().ReleaseAt(x, r, n.Loss(), pay)
}

// errNoMatrix refuses to draw correlated noise that was made for its loss alone.
var errNoMatrix = errors.New("correlated noise without a factorization")

// Stream returns the noise of a party at the beginning of a run, for releases of length d >= 1.
// It returns an error for correlated noise without a factorization.
func (n Released) Stream(d int) (s *Stream, err error) {
	s = &Stream{of: n}
	switch {
	case !n.Correlated():
	case n.matrix == nil:
		err = errNoMatrix
	default:
		s.rows, err = n.matrix.Stream(d)
	}
	return s, err
}
