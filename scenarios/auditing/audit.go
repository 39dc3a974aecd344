package auditing

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/mechanisms/rng"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/study"
)

// Options set the effort of an audit.
type Options struct {
	// Samples is the number of outcomes of each of two neighbouring inputs that are drawn for
	// every loss. With Power it is the most.
	Samples int
	// Power, unless it is 0, sets the samples of every loss: as many as find noise of
	// Violation times the stated scale with this chance.
	Power float64
	// Violation is the scale that Power is about, as a part of the stated one: between 0
	// and 1.
	Violation float64
	// Confidence is the confidence of all lower bounds of the audit together: each has its
	// share of the error, by the union bound.
	Confidence float64
	// Noise scales the noise that is drawn, not the loss that it is compared with: 1 audits
	// the runs as they are. It is a field of the audit and of nothing that a run is made of.
	Noise float64
	// Seeds are of independent audits, each with all samples; none is 1 alone.
	Seeds []uint64
	// Time limits the audit: if the samples would take longer, fewer are drawn. 0 is no limit.
	// It counts from Began on, or from the beginning of the audit if Began is zero.
	Time  time.Duration
	Began time.Time
	// Arm is the name of the arm that is audited alone; empty is all of them.
	Arm string
	// Data is the folder of data sets; empty is the scenario's.
	Data string

	end time.Time // when the time is over; zero without a limit
}

// Validate refuses options with which nothing can be found.
func (o *Options) Validate() error {
	switch {
	case o.Samples < FewestAudited:
		return fmt.Errorf("%d samples; want at least %d", o.Samples, FewestAudited)
	case !(o.Confidence > 0 && o.Confidence < 1):
		return fmt.Errorf("confidence %v; want a number between 0 and 1", o.Confidence)
	case !(o.Noise > 0) || math.IsInf(o.Noise, 1):
		return fmt.Errorf("noise scaled by %v; want a finite number above 0", o.Noise)
	case o.Power != 0 && !(o.Power > 0 && o.Power < 1):
		return fmt.Errorf("power %v; want a number between 0 and 1", o.Power)
	case o.Power != 0 && !(o.Violation > 0 && o.Violation < 1):
		return fmt.Errorf("a violation of %v of the noise; want a number between 0 and 1", o.Violation)
	case o.repeats():
		return fmt.Errorf("seeds %v; want each once", o.Seeds)
	case o.Time < 0:
		return fmt.Errorf("a time limit of %v; want at least 0", o.Time)
	}
	return nil
}

// repeats reports whether a seed is there twice: their outcomes would be the same.
func (o *Options) repeats() bool {
	sorted := slices.Sorted(slices.Values(o.Seeds))
	return len(slices.Compact(sorted)) < len(o.Seeds)
}

// FewestAudited is the smallest number of samples of an input that is worth judging.
const FewestAudited = 256

// Audited is the verdict on one loss. A finding without samples is of an arm or a mechanism
// without noise.
type Audited struct {
	// Arm is empty in an audit of mechanisms.
	Arm string
	// Mechanism names the source of the noise.
	Mechanism string
	// Inputs are the neighbouring inputs, in words.
	Inputs string
	// Beyond is the distance that the inputs move a release, over the stated distance, where it
	// is larger than that; 0 elsewhere. It is exact: the books are wrong whatever samples show.
	Beyond float64
	// Claimed is the paper's statement on the audited loss; empty for a mechanism.
	Claimed string
	// Claim is Claimed as an epsilon at Delta, 0 if it is not one.
	Claim float64
	audit.Finding
	// Statistic names the statistic that gave the bound; empty for the likelihood ratio of the
	// audited node's vectors, or the frequencies of outcomes.
	Statistic string
	// Noise compares the moments of the noise with the stated ones; nil if none are taken.
	Noise *audit.Noise
	// Seed is the seed of the audit.
	Seed uint64
	// Needed is the number of samples that find the violation that was asked for, 0 if the
	// pilot does not show it; see Options.Power.
	Needed int
	// Asked is the number of samples that were to be drawn if the time allowed fewer, 0
	// elsewhere.
	Asked int
	// Canaries is the number of canaries that were told apart in one run, in place of samples;
	// 0 elsewhere.
	Canaries int
}

// Private reports whether there is a loss to audit.
func (a *Audited) Private() bool { return !math.IsInf(a.Accounted, 1) }

// NoiseAsStated reports whether all moments of the noise are as stated, as far as any were
// taken.
func (a *Audited) NoiseAsStated() bool { return a.Noise == nil || a.Noise.AsStated() }

// MovesBeyond reports whether the inputs move a release further than the books state.
func (a *Audited) MovesBeyond() bool { return a.Private() && a.Beyond > 0 }

// Refuted reports whether the audit refutes the books: the outcomes exceed the loss, a release
// moves further than is stated, or the noise is other than stated.
func (a *Audited) Refuted() bool { return a.Exceeded() || a.MovesBeyond() || !a.NoiseAsStated() }

// BeyondClaim reports whether the outcomes refute the paper's claim.
func (a *Audited) BeyondClaim() bool { return a.Claim > 0 && a.Audited > a.Claim }

// Subject is a source of outcomes, with the loss that they are compared with.
type Subject struct {
	Audited
	// Loss is the loss that outcomes are compared with, at Delta.
	Loss  accountant.Loss
	Delta float64
	// Sampler makes one goroutine's draws with the noise scaled; nil if nothing protects.
	Sampler func(noise float64) (*Sampler, error)
	// Noise is the scale of the noise in draws, and Samples is the number of outcomes of each
	// input.
	Noise   float64
	Samples int
	// second makes second statistics from outcomes; nil if there are none.
	second *CrossMoments
	// Classes is the number of different outcomes, if a draw is the number of one; 0 if it is
	// a statistic.
	Classes int
	// shared is the same for subjects with the same law of outcomes: they are drawn once.
	// Nothing is shared if it is empty.
	shared string
	// asked is the number of outcomes of each input that were to be drawn. weight is about the
	// time that the drawn outcomes take, for one seed.
	asked  int
	weight time.Duration
}

// AuditPurpose keys the randomness of audits.
var AuditPurpose = rng.PurposeOf("audit")

// Mechanisms audits every mechanism on its canary, and the Gaussian ones by
// many canaries in one run, too.
func Mechanisms(ctx context.Context, o Options) ([]Audited, error) {
	if err := o.Validate(); err != nil {
		return nil, document.BadInput(err)
	}
	o.begin()
	canaries, err := audit.Canaries(o.Noise)
	if err != nil {
		return nil, err
	}
	many, err := audit.OneRunCanaries(o.Noise)
	if err != nil {
		return nil, err
	}
	var subjects []*Subject
	for i, c := range canaries {
		subjects = append(subjects, &Subject{
			Audited: Audited{Mechanism: c.Mechanism, Inputs: c.Inputs}, Loss: c.Loss, Delta: c.Delta, Noise: o.Noise,
			Sampler: func(noise float64) (*Sampler, error) {
				drawn, err := audit.Canaries(noise)
				if err != nil {
					return nil, err
				}
				return &Sampler{Draw: drawn[i].Sampler()}, nil
			},
		})
	}
	// Every statement of the audit gets its share of the error, so that all hold together.
	all := boundsIn(subjects, &o) + 2*len(many)*len(o.seeds())
	list, err := o.judge(ctx, subjects, all)
	if err != nil {
		return nil, err
	}
	for _, c := range many {
		for _, seed := range o.seeds() {
			both, err := o.oneRun(c, seed, all)
			if err != nil {
				return nil, err
			}
			list = append(list, both...)
		}
	}
	return list, nil
}

// share returns the confidence of one of a number of bounds.
func (o *Options) share(bounds int) float64 {
	return 1 - (1-o.Confidence)/float64(bounds)
}

// In one run there are oneRunCanaries canaries, of which the oneRunGuesses clearest are
// guessed.
const (
	oneRunCanaries = 10_000
	oneRunGuesses  = 500
)

// oneRun audits a mechanism by one release of many canaries: by guesses, which rest on nothing
// but the coins, and as one canary each, since they are coordinates of independent noise.
func (o *Options) oneRun(c audit.ManyCanaries, seed uint64, bounds int) ([]Audited, error) {
	guessed := Audited{Mechanism: c.Mechanism + ", one run", Inputs: fmt.Sprintf("%d canaries, of which %d are guessed", oneRunCanaries, oneRunGuesses), Canaries: oneRunCanaries, Seed: seed}
	guessed.Delta, guessed.Confidence, guessed.Samples = c.Delta, o.share(bounds), 1
	var stream rng.Stream
	r := stream.Open(rng.NewKey(seed, AuditPurpose.Of(guessed.Mechanism)), 0, 0, 0)
	coins := make([]bool, oneRunCanaries)
	for i := range coins {
		coins[i] = r.Uint64()&1 == 1
	}
	statistics, err := c.Run(coins, r)
	if err != nil {
		return nil, fmt.Errorf("audit of %s: %w", guessed.Mechanism, err)
	}
	if guessed.Accounted, err = ledger.EpsilonOf(c.Loss.Total(), c.Delta, accountant.PLD); err != nil {
		return nil, err
	}
	independent := guessed
	independent.Mechanism += ", independent"
	independent.Inputs = fmt.Sprintf("%d canaries, whose noise is independent", oneRunCanaries)
	if guessed.Audited, err = audit.OneRun(statistics, coins, oneRunGuesses, c.Delta, guessed.Confidence); err != nil {
		return nil, err
	}
	mu, err := audit.OneRunMu(statistics, coins, guessed.Confidence)
	if err == nil && mu > 0 {
		independent.Audited, err = accountant.GaussianEpsilon(1/mu, c.Delta)
	}
	return []Audited{guessed, independent}, err
}

// auditSeed is the seed of an audit that is given none: a repeated audit draws the same
// outcomes.
const auditSeed = 1

// seeds returns the seeds of the options, or the usual one.
func (o *Options) seeds() []uint64 {
	if len(o.Seeds) == 0 {
		return []uint64{auditSeed}
	}
	return o.Seeds
}

// Audit audits the private arms of the scenario, each at a small size, by the messages on the
// wire.
func Audit(s *study.Scenario, ctx context.Context, o Options) ([]Audited, error) {
	if err := o.Validate(); err != nil {
		return nil, document.BadInput(err)
	}
	variants, err := o.variants(s)
	if err != nil {
		return nil, document.BadInput(err)
	}
	o.begin()
	var subjects []*Subject
	folder := s.Folder.Renewed()
	if o.Data != "" {
		folder.Path = o.Data
	}
	// One builder, so that arms of one data set read it once.
	b := study.NewBuilder(s.Kinds, s.Seeds, folder)
	for i, v := range variants {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if o.over() {
			return nil, document.BadInput(fmt.Errorf("the time limit of %v was over when %d of %d arms were ready to be audited", o.Time, i, len(variants)))
		}
		b.Usage = limits.Usage{} // arms are audited one after the other
		list, err := auditArm(b, v, &o)
		if err != nil {
			return nil, fmt.Errorf("scenario %s, arm %s: %w", s.Name, v.Name, err)
		}
		subjects = append(subjects, list...)
	}
	return o.judge(ctx, subjects, boundsIn(subjects, &o))
}

// variants returns the arms of the scenario that are audited.
func (o *Options) variants(s *study.Scenario) ([]study.Variant, error) {
	if o.Arm == "" {
		return s.Variants, nil
	}
	var names []string
	for _, v := range s.Variants {
		if v.Name == o.Arm {
			return []study.Variant{v}, nil
		}
		names = append(names, v.Name)
	}
	return nil, errors.New(document.Unknown("arm", o.Arm, names))
}

// unshared returns the subjects that need draws of their own: of subjects that share them, the
// first.
func unshared(subjects []*Subject) (list []*Subject) {
	known := map[string]bool{}
	for _, s := range subjects {
		if s.Sampler == nil || s.shared != "" && known[s.shared] {
			continue
		}
		known[s.shared] = true
		list = append(list, s)
	}
	return list
}

// ClassesOf returns the classes that x holds as numbers, in the order of x; a new
// slice.
func ClassesOf(x []float64) []int {
	list := make([]int, len(x))
	for i, v := range x {
		list[i] = int(v)
	}
	return list
}

// named puts the name of the subject in front of an error.
func (s *Subject) named(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	if s.Arm == "" {
		return fmt.Errorf("audit of %s: %w", s.Mechanism, err)
	}
	return fmt.Errorf("audit of arm %s, %s: %w", s.Arm, s.Mechanism, err)
}

// key returns the key of the subject's randomness: subjects draw independently of each other,
// and of their order.
func (s *Subject) key(seed uint64) rng.Key {
	return rng.NewKey(seed, AuditPurpose.Of(s.Mechanism))
}
