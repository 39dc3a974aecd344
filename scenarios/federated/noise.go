package federated

import (
	"math"
	"slices"

	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/scenarios/document"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/ledger"
	"starling/scenarios/personal"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/study"
)

// share sets the delta at which losses are stated, and finds the noise multiplier of an epsilon.
// Where clients add noise to their messages, it makes this noise.
func (p *plan) share() error {
	keys := p.common.Aggregation
	if keys != nil && keys.Delta != nil {
		p.mechanism.Delta = *keys.Delta
	}
	p.mechanism.Delta = p.file.Budget.StatedDelta(p.mechanism.Delta)
	if err := p.calibrateSums(); err != nil {
		return err
	}
	if err := p.findValues(); err != nil {
		return err
	}
	return p.shareWith(&p.mechanism)
}

// shareWith makes the noise of clients on their messages by a mechanism, or the payments of clients
// that differ.
func (p *plan) shareWith(m *mechanisms.Sums) (err error) {
	if p.differs() {
		p.at.Individual, err = p.individual(m)
		return err
	}
	if p.common.Aggregation == nil {
		return nil
	}
	of := p.vectors(p.at)
	of.Clips = p.own.clips
	if of.Factors, err = m.Factors(personal.Site{Section: p.file.Mechanism, Data: p.data, Nodes: p.at.Clients, Fewer: p.fewer, Column: p.column}); err != nil {
		return err
	}
	p.at.Sharing, err = aggregation.Share(p.common.Aggregation, m, of)
	return p.file.Algorithm.Resolve(err)
}

// Calibration implements study.Calibrator.
func (p *plan) Calibration() string {
	if p.own.found != "" {
		return p.own.found
	}
	return p.mechanism.Calibration()
}

// calibrateSums finds the noise multiplier of an epsilon of the whole run from the payments of the
// participant that pays the most and from the start. Clients that protect their samples have other
// rates under other seeds.
func (p *plan) calibrateSums() error {
	if !p.mechanism.Calibrated() {
		return nil
	}
	rate := p.sampled()
	if p.at.Record {
		rate = slices.Max(p.at.Steps.Record.Rates)
	}
	if p.rate == rate {
		return nil
	}
	p.rate = rate
	start, least := p.corpus.Before(accountant.AddOrRemove), 0.0
	if p.common.Aggregation != nil {
		least = p.common.Aggregation.LeastMultiplier()
	}
	err := p.mechanism.Calibrate(p.file.Mechanism, start.Open(), func(tried *mechanisms.Sums) (float64, error) {
		if tried.Sigma < least*(1+1e-9) {
			return math.Inf(1), nil
		}
		trial, at := *p, *p.at
		trial.mechanism, trial.at = *tried, &at
		if at.Record {
			steps := *at.Steps
			at.Steps, steps.Record = &steps, trial.records(&at)
		}
		if err := trial.shareWith(tried); err != nil {
			return 0, err
		}
		return trial.stated(start.Added(trial.whole()))
	})
	if p.at.Record {
		p.at.Steps.Record = p.records(p.at)
	}
	return err
}

// whole is the loss in all rounds of the participant that pays the most, in equal payments.
func (p *plan) whole() (total accountant.Total) {
	if n := p.at.Individual; n != nil {
		return n.Total(n.Dearest)
	}
	if p.at.Record && p.at.Calendar != nil { // rounds have as many local steps as their schedule says
		return p.total()
	}
	total.AddTimes(p.planned().Loss(p.at.Calendar.First()), p.most.Times)
	return total
}

// stated is the epsilon of payments at the delta of the mechanism.
func (p *plan) stated(total accountant.Total) (float64, error) {
	return p.statedAt(total, p.mechanism.Delta)
}

// statedAt is the epsilon of payments at a delta. Arms share what takes long.
func (p *plan) statedAt(total accountant.Total, delta float64) (float64, error) {
	a := ledger.Account{Delta: delta, By: p.mechanism.Accountant, Converted: p.converted()}
	by := p.arm.Epsilons.Cache()
	return by.Stated(&a, &total)
}

// vectors describes the vectors of clients in a setting.
func (p *plan) vectors(at *machine.Setting) aggregation.Vectors {
	adds := at.Tiers.Adds()
	of := aggregation.Vectors{
		Clip: at.Clip, Length: at.Width, Expected: at.Expected / float64(adds.End-adds.First), Rule: at.Participation, Most: p.most, Calendar: at.Calendar,
		Open: p.combine != nil || p.arm.Adversaries.Knows(),
	}
	if !p.arm.Adversaries.Silent() { // silent liars are in no sum
		of.Liars = p.arm.Adversaries.IDs(1) // clients are from 1
	}
	return of
}

// noise returns the noise of rounds in a setting: the clients' or else trusted, the server's.
func (p *plan) noise(at *machine.Setting, trusted *aggregation.Trusted) aggregation.Noise {
	switch {
	case at.Record:
		return at.Steps.Record
	case at.Sharing != nil:
		return at.Sharing
	}
	return trusted
}

// planned is the noise of the plan, with a stand-in for a server's. If it cannot be made, the
// server's noise is none, and no job runs.
func (p *plan) planned() aggregation.Noise {
	trusted, err := p.trusted(false)
	if err != nil {
		trusted = aggregation.Trusted{}
	}
	return p.noise(p.at, &trusted)
}

// total is the loss in all rounds of the participant that pays the most.
func (p *plan) total() (total accountant.Total) {
	if p.at.Individual != nil {
		return p.whole()
	}
	of, price, times := p.planned(), accountant.Loss{}, 0
	for step := range p.at.Horizon { // millions, most of which cost the same
		next := of.Loss(step + 1)
		switch next {
		case accountant.Loss{}:
			continue
		case price:
			times++
			continue
		}
		total.AddTimes(price, times)
		price, times = next, 1
	}
	total.AddTimes(price, times)
	return total
}

// correlate sets factorize, sensitivity and calibrate, for correlated noise.
func (p *plan) correlate(b *study.Builder) error {
	c := p.mechanism.Correlated
	if c == nil {
		if p.private() && p.common.Amplified { // a sweep that takes the noise away leaves its other keys
			return document.At("algorithm.amplified", "%s noise counts on sampling by itself where it can; leave this out", p.mechanism.Kind)
		}
		return nil
	}
	var err error
	if p.factorize, err = mechanisms.Factorizer(b, p.file.Mechanism, c, p.rounds, p.most, 1, p.at.Width); err != nil {
		return err
	}
	memo := study.RunMemo[sensitive, sensitivity](b)
	options := c.Options(p.rounds)
	p.sensitivity = func(f *factorization.Factorization, most factorization.Participation) (float64, error) {
		made := memo.Get(sensitive{options, most}, func() (s sensitivity) {
			s.moved, s.err = f.SensitivityOf(most)
			return s
		})
		return made.moved, made.err
	}
	if !p.common.Amplified {
		return p.file.Algorithm.Resolve(factorization.CheckWork(factorization.Kind(c.Kind), p.rounds, p.most))
	}
	return p.amplify(b, c)
}

// sensitive is a factorization and the rounds of a client. The sensitivity of a tree of thousands of
// rounds takes seconds. All seeds, notes and warnings of arms share it.
type sensitive struct {
	options factorization.Options
	most    factorization.Participation
}

// sensitivity is the sensitivity of a factorization, or the error of computing it.
type sensitivity struct {
	moved float64
	err   error
}

// amplify sets calibrate, for correlated noise that counts on a sample of clients in each round.
func (p *plan) amplify(b *study.Builder, c *mechanisms.Correlated) error {
	bands := c.Options(p.rounds).Diagonals()
	q := p.sampled()
	switch {
	case p.common.Participation.Cohort != nil:
		return document.At("algorithm.amplified", "the proof is for clients that come each by itself; leave this out, or want rate in place of cohort")
	case bands > p.common.Participation.Groups:
		return document.At("algorithm.amplified", "the proof is for noise of at most as many bands as there are groups, %d; this has %d", p.common.Participation.Groups, bands)
	case q == 1:
		return document.At("algorithm.amplified", "participation is no secret here: give a rate below 1, without apart beyond groups and without times")
	case p.most.Times > mostAmplified:
		return document.At("algorithm.amplified", "amplified noise is calibrated for at most %d rounds of a client; these are %d", mostAmplified, p.most.Times)
	case c.Multiplier != nil:
		return document.At("mechanism.multiplier", "amplified noise is found for an epsilon; want epsilon in place of this")
	case p.mechanism.Neighbours != accountant.AddOrRemove:
		return document.At("mechanism.neighbours", "amplification is proved for clients that are added or removed")
	}
	type calibrated struct {
		steps accountant.SampledGaussian
		err   error
	}
	type asked struct {
		steps          accountant.SampledGaussian
		epsilon, delta float64
		by             accountant.Method
	}
	memo := study.RunMemo[asked, calibrated](b)
	of := asked{accountant.SampledGaussian{Rate: q, Noise: 1, Steps: p.most.Times}, float64(c.Epsilon), c.Delta, c.Accountant}
	p.calibrate = func() (accountant.SampledGaussian, error) {
		made := memo.Get(of, func() (m calibrated) {
			m.steps, m.err = noise.CalibrateSampled(of.steps, of.epsilon, of.delta, of.by)
			m.steps.Steps = 1
			return m
		})
		return made.steps, p.file.Mechanism.Resolve(made.err)
	}
	return nil
}

// mostAmplified is the largest number of a client's rounds for which amplified noise is
// calibrated: the search for its scale composes them anew at every try.
const mostAmplified = 100_000

// trusted is the noise of the server. exact means the noise of a run; otherwise it is a
// stand-in with the same prices up to rounding, for callers that must not take long.
func (p *plan) trusted(exact bool) (n aggregation.Trusted, err error) {
	n = aggregation.Trusted{Of: p.vectors(p.at), Buffered: p.buffer != nil, Servers: p.at.Tiers.Adds(), Individual: p.at.Individual}
	if p.private() && !p.at.Record && p.at.Sharing == nil {
		n.Noise, err = p.released(&n.Of, exact)
	}
	return n, err
}

// released is the noise on sums of vectors.
func (p *plan) released(of *aggregation.Vectors, exact bool) (noise.Released, error) {
	m := &p.mechanism
	switch {
	case m.Correlated != nil:
		return p.correlated(of.Clip, exact)
	case m.Owned():
		moves := noise.MovesL2(of.Clip, of.Length)
		return noise.OnEach(m.Noise(moves), moves), nil
	case m.Whole:
		return noise.OnSamples(m.Sigma, of.Clip), nil
	}
	sums := noise.OnSamples(m.Sigma, of.Clip)
	if p.common.Participation.Secret() {
		return sums.AtCohort(p.sampled()), nil
	}
	return sums.At(p.sampled()), nil
}

// correlated is correlated noise on sums of vectors of 2-norm clip. The stand-in is for a
// sensitivity of 1, unless the sensitivity decides the price.
func (p *plan) correlated(clip float64, exact bool) (n noise.Released, err error) {
	var step accountant.SampledGaussian
	if p.calibrate != nil {
		if step, err = p.calibrate(); err != nil {
			return n, err
		}
	}
	var f *factorization.Factorization
	moved := 1.0
	if exact || p.mechanism.Correlated.Multiplier != nil {
		if f, err = p.factorize(); err != nil {
			return n, err
		}
		if moved, err = p.moved(f); err != nil {
			return n, err
		}
	}
	unit := p.mechanism.UnitOn(f, moved)
	if exact {
		moved *= clip
	}
	if p.calibrate != nil {
		return noise.OnSampledPrefixes(step, moved, f), nil
	}
	return noise.OnPrefixes(unit*moved, moved, f), nil
}

// moved is the distance that a client moves the release, if each of its vectors moves by 1.
// With amplified noise one of its vectors counts: the sum that a sample of clients adds to the
// bands of a round is one release of the mechanism.
func (p *plan) moved(f *factorization.Factorization) (float64, error) {
	if p.calibrate != nil {
		return f.Sensitivity(), nil
	}
	moved, err := p.sensitivity(f, p.most)
	return moved, p.file.Algorithm.Resolve(err)
}
