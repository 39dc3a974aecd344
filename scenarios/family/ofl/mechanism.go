package ofl

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"starling/actors/algorithm/ofl"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/personal"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/study"
)

// takes names the mechanisms that the algorithm takes.
var takes = kind.Takes[mechanisms.OnStreams]("noise on the prefix sums of a stream, or on every input of them").Or(kind.Takes[mechanisms.OnMessages](""))

// mechanism is the content of the section mechanism: noise that is correlated over time, or
// independent noise on each input of the prefix sums.
type mechanism struct {
	// kind is the section's kind. epsilon and delta are the privacy that it asks for: for one
	// datum over all inputs where noise is correlated, and for one input where own is not nil.
	// delta is 0 for pure losses.
	kind           string
	epsilon, delta float64
	by             accountant.Method // of turning losses into an epsilon
	correlated     mechanisms.Correlated
	own            *mechanisms.Additive // nil for correlated noise
	// inputs is the participation of a datum in inputs.
	inputs factorization.Participation
	// entries is the length of an input.
	entries int
}

// readMechanism reads the section mechanism. A section may ask for
// correlated noise, or for independent noise on each input; the kind in the catalog decides.
// Without a section the result is the zero value: checks elsewhere have noted that it is
// missing.
func readMechanism(a *study.ArmFile) (m mechanism, err error) {
	if a.Mechanism == nil {
		return m, nil
	}
	section, err := kind.AsAny(a.Kinds.Mechanisms, a.Mechanism, takes, "the algorithm ofl")
	if err != nil {
		return m, err
	}
	switch section := section.(type) {
	case mechanisms.OnStreams:
		m.correlated, err = section.OnStreams(a.Mechanism)
		m.kind, m.epsilon, m.delta, m.by = m.correlated.Kind, float64(m.correlated.Epsilon), m.correlated.Delta, m.correlated.Accountant
	case mechanisms.OnMessages:
		var own mechanisms.Additive
		own, err = mechanisms.VariedOf(section, a.Mechanism)
		if m.own, m.delta, m.by = &own, own.Delta, own.Accountant; own.Calibration.Private() {
			m.epsilon = own.Epsilon
		}
		m.kind, _ = kind.NameOf(a.Mechanism)
		// Mechanisms for additive releases have options that only mirror steps understand.
		// They are refused here and not passed over.
		if node, given := a.Mechanism.Get("noise"); given {
			err = errors.Join(node.Issuef("the key noise is for the step sizes of mirror steps, which this algorithm does not take; leave noise out"), err)
		}
	}
	return m, err
}

// vary gives the mechanism the epsilon of the learner with the largest one, and returns the scales of
// the noise of learners over the scale of that one's; nil where all are alike.
func (m *mechanism) vary(at personal.Site) (factors []float64, err error) {
	if m.own != nil {
		own := *m.own
		own, factors, err = own.OfDearest(at)
		if m.own = &own; factors != nil {
			m.epsilon = own.Epsilon
		}
		return factors, err
	}
	if m.correlated, factors, err = m.correlated.OfDearest(at); factors != nil {
		m.epsilon = float64(m.correlated.Epsilon)
	}
	return factors, err
}

// private reports whether the mechanism adds noise.
func (m *mechanism) private() bool {
	if m.own != nil {
		return m.own.Calibration.Private()
	}
	return m.correlated.Private()
}

// law is the law of independent noise; nil for correlated noise, which is Gaussian.
func (m *mechanism) law() noise.Law {
	if m.own == nil {
		return nil
	}
	return m.own.Calibration.Law
}

// standIn returns noise for inputs that a datum moves by 1, all together where noise is
// correlated. Its loss equals the loss of a run up to rounding: the scale of noise is in proportion to
// the distance that a datum moves an input.
func (m *mechanism) standIn() (noise.Released, error) {
	if m.own != nil {
		return m.disjoint(noise.MovesL1(1, m.entries)), nil
	}
	sigma, err := m.correlated.UnitNoise()
	return noise.OnPrefixes(sigma, 1, nil), err
}

// disjoint returns independent noise on inputs that a datum moves by one each. The loss is over
// all inputs that a datum is in.
func (m *mechanism) disjoint(one noise.Moves) noise.Released {
	return noise.OnDisjoint(m.own.Calibration.Fit(one), m.together(one))
}

// together is the distance that a datum moves all of its inputs, as one vector, where one is
// the distance that it moves each of them.
func (m *mechanism) together(one noise.Moves) noise.Moves {
	times := float64(m.inputs.Times)
	return noise.Moves{L1: times * one.L1, L2: math.Sqrt(times) * one.L2, Entries: m.inputs.Times * one.Entries}
}

// whole is epsilon of the total loss of a datum. Correlated noise is calibrated to it, and
// independent noise to one input. It is +Inf where the losses cannot be converted.
func (m *mechanism) whole() float64 {
	if m.own == nil || m.inputs.Times == 1 {
		return m.epsilon
	}
	n, err := m.standIn()
	if err != nil {
		return math.Inf(1)
	}
	epsilon, err := ledger.EpsilonOf(n.Loss().Total(), m.delta, m.by)
	if err != nil {
		return math.Inf(1)
	}
	return epsilon
}

// prepare returns the function that makes the noise of a run of the options, for inputs that a
// datum moves by perInput in 2-norm. The noise is made at the first call. The returned
// function is safe for concurrent use and gives the same noise each time. Faults of the
// section are errors at once. The function returns those errors that need the factorization
// itself.
func (m *mechanism) prepare(b *study.Builder, a *study.ArmFile, o *ofl.Options, perInput float64) (func() (noise.Released, error), error) {
	dim := o.Model.Dim()
	if m.own != nil { // it needs no search, and so is made here
		n := m.disjoint(noise.MovesL2(perInput, dim))
		return func() (noise.Released, error) { return n, nil }, nil
	}
	unit, err := m.correlated.UnitNoise()
	if err != nil {
		return nil, err
	}
	factorize, err := mechanisms.Factorizer(b, a.Mechanism, &m.correlated, o.Inputs(), m.inputs, o.Learners, dim)
	if err != nil {
		return nil, err
	}
	if err := factorization.CheckWork(factorization.Kind(m.correlated.Kind), o.Inputs(), m.inputs); err != nil {
		return nil, a.Problem.Resolve(document.At("reuse", "%v", err))
	}
	// Arms of one study share sensitivities, which depend on the factorization and on the
	// participation of a datum, and not on the level of noise.
	memo := study.RunMemo[moved, movedBy](b)
	return func() (n noise.Released, err error) {
		f, err := factorize()
		if err != nil {
			return n, err
		}
		by := memo.Get(moved{f, m.inputs}, func() (by movedBy) {
			by.sensitivity, by.err = f.SensitivityOf(m.inputs)
			return by
		})
		if by.err != nil {
			return n, a.Problem.Resolve(document.At("reuse", "%v", by.err))
		}
		sensitivity := perInput * by.sensitivity
		return noise.OnPrefixes(unit*sensitivity, sensitivity, f), nil
	}, nil
}

// moved names a sensitivity of a factorization, and movedBy is one: it may take seconds,
// and bills ask for it in every step.
type (
	moved struct {
		// The factorization is compared by identity: mechanisms.Factorizer gives arms that
		// ask for the same one the same pointer.
		by     *factorization.Factorization
		inputs factorization.Participation
	}
	movedBy struct {
		sensitivity float64
		err         error
	}
)

// held returns the number of numbers that a job holds of the factorization with its streams.
// Independent noise on each input keeps nothing.
func (m *mechanism) held(inputs, learners, dim int) (numbers float64) {
	if m.own != nil || !m.private() {
		return 0
	}
	return m.correlated.Numbers(inputs, learners, dim)
}

// independent reports whether noise is independent from input to input.
func (m *mechanism) independent() bool {
	return m.own != nil || m.kind == string(factorization.Independent)
}

// gaussian reports whether the noise is Gaussian, as correlated noise is.
func (m *mechanism) gaussian() bool { return m.own == nil || m.law() == noise.GaussianLaw }

// rowNorms returns ||b^{r,t}||^2 for each input, the variance of the noise on the sum of the
// inputs so far in units of the scale squared. Independent noise on each input adds up: the
// k-th sum has k of them.
func rowNorms(n noise.Released, inputs int) iter.Seq[float64] {
	if n.Correlated() {
		return n.Factorization().RowNorms()
	}
	return func(yield func(float64) bool) {
		for input := 1; input <= inputs && yield(float64(input)); input++ {
		}
	}
}

// at is an epsilon with its delta, if it has one, as text.
func at(epsilon, delta float64) string {
	if delta == 0 {
		return study.PerDatum(fmt.Sprintf("%.6g", epsilon))
	}
	return study.PerDatum(fmt.Sprintf("%.6g at delta %.6g", epsilon, delta))
}

// notes describes the noise, and its loss for a datum by the accountants: epsilon at a delta,
// and the factorization with its error where there is one. n is the noise of the run, and
// loss.Rho is 0 only where the loss is pure.
func (m *mechanism) notes(n noise.Released, delta float64) []study.Note {
	var r study.Remarks
	loss := n.Loss()
	if loss.Rho == 0 {
		r.Add("epsilon.accounted", "%s", at(loss.Epsilon, delta))
	} else {
		if epsilon, err := ledger.EpsilonOf(loss.Total(), delta, m.by); err != nil {
			r.Add("epsilon.accounted", "%v", err)
		} else {
			r.Add("epsilon.accounted", "%s", at(epsilon, delta))
		}
		r.Notes = append(r.Notes, study.NoteEpsilonPLD(accountant.SampledGaussian{Rate: 1, Noise: n.Scale() / n.Sensitivity(), Steps: 1}, delta))
	}
	// A scale has a meaning only together with the norm in which a datum moves the input.
	if !n.Correlated() {
		over := ""
		if m.inputs.Times > 1 {
			over = fmt.Sprintf(", over the %d that it is in", m.inputs.Times)
		}
		r.Add("noise", "%v noise of scale %.6g on each input, which a datum moves by at most %.6g in %d-norm%s", n.Law(), n.Scale(), n.Sensitivity(), n.Law().Norm(), over)
		return r.Notes
	}
	f := n.Factorization()
	r.Add("noise", "V_i = %.6g, sensitivity %.6g, %s", n.Scale(), n.Sensitivity(), loss)
	r.Add("factorization", "mse %.6g, largest error %.6g, %s a coordinate", f.MSE(), f.MaxError(), document.Counted(f.MemoryPerCoordinate(), "number"))
	if gap := f.Gap(); !math.IsNaN(gap) {
		r.Add("optimality-gap", "%.3g", gap)
	}
	return r.Notes
}
