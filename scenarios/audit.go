package scenarios

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/mechanisms/rng"
)

// AuditOptions say how hard to look.
type AuditOptions struct {
	// Samples is how many outcomes of each of two neighbouring inputs are drawn
	// for every loss.
	Samples int
	// Confidence is that of all lower bounds of the audit together: each has
	// its share of the error, by the union bound.
	Confidence float64
	// Noise scales the noise that is drawn, not the loss that it is held
	// against: 1 audits what runs. It is a field of the audit and of nothing
	// that a run is made of.
	Noise float64
	// Time limits the audit: where the samples would take longer, fewer are
	// drawn. 0 is no limit.
	Time time.Duration
	// Data is the folder of data sets; see Loader.
	Data string
}

// Validate refuses options with which nothing can be found.
func (o *AuditOptions) Validate() error {
	switch {
	case o.Samples < fewestAudited:
		return fmt.Errorf("%d samples; want at least %d", o.Samples, fewestAudited)
	case !(o.Confidence > 0 && o.Confidence < 1):
		return fmt.Errorf("confidence %v; want a number between 0 and 1", o.Confidence)
	case !(o.Noise > 0) || math.IsInf(o.Noise, 1):
		return fmt.Errorf("noise scaled by %v; want a finite number above 0", o.Noise)
	case o.Time < 0:
		return fmt.Errorf("a time limit of %v; want at least 0", o.Time)
	}
	return nil
}

// fewestAudited is how many samples of an input are worth judging.
const fewestAudited = 256

// Audited is the verdict on one loss. Findings without samples are of what has
// no noise.
type Audited struct {
	Arm       string // empty in an audit of mechanisms
	Mechanism string
	Inputs    string // the neighbouring inputs
	Claimed   string // what the paper says of what was audited; empty for a mechanism
	// Claim is Claimed as an epsilon at Delta, 0 where it is not one.
	Claim float64
	audit.Finding
	// Canaries is how many were told apart in one run, in place of samples; 0
	// elsewhere.
	Canaries int
}

// Private tells whether there is a loss to audit.
func (a *Audited) Private() bool { return !math.IsInf(a.Accounted, 1) }

// BeyondClaim tells whether the outcomes refute what the paper claims.
func (a *Audited) BeyondClaim() bool { return a.Claim > 0 && a.Audited > a.Claim }

// auditSubject is something with a loss whose outcomes can be drawn.
type auditSubject struct {
	Audited
	loss  accountant.Loss
	delta float64
	// sampler makes one goroutine's draws; nil where nothing protects.
	sampler func() (audit.Draw, error)
	// classes is how many outcomes there are, where what is drawn is the number of
	// one; 0 where it is a statistic.
	classes int
	// shared is the same for subjects whose outcomes have the same law: they are
	// drawn once. Nothing is shared if it is empty.
	shared string
}

// auditPurpose keys the randomness of audits.
var auditPurpose = rng.PurposeOf("audit")

// AuditMechanisms audits every mechanism on its canary, and the Gaussian ones by
// many canaries in one run, too.
func AuditMechanisms(ctx context.Context, o AuditOptions) ([]Audited, error) {
	if err := o.Validate(); err != nil {
		return nil, BadInput(err)
	}
	canaries, err := audit.Canaries(o.Noise)
	if err != nil {
		return nil, err
	}
	many, err := audit.OneRunCanaries(o.Noise)
	if err != nil {
		return nil, err
	}
	var subjects []*auditSubject
	for _, c := range canaries {
		subjects = append(subjects, &auditSubject{
			Audited: Audited{Mechanism: c.Mechanism, Inputs: c.Inputs}, loss: c.Loss, delta: c.Delta,
			sampler: func() (audit.Draw, error) { return c.Sampler(), nil },
		})
	}
	all := len(subjects) + 2*len(many)
	list, err := o.judge(ctx, subjects, all)
	if err != nil {
		return nil, err
	}
	for _, c := range many {
		both, err := o.oneRun(c, all)
		if err != nil {
			return nil, err
		}
		list = append(list, both...)
	}
	return list, nil
}

// share is the confidence of one of a number of bounds.
func (o *AuditOptions) share(bounds int) float64 {
	return 1 - (1-o.Confidence)/float64(bounds)
}

// In one run there are so many canaries, of which the clearest are guessed.
const (
	oneRunCanaries = 10_000
	oneRunGuesses  = 500
)

// oneRun audits a mechanism by one release of many canaries: by guesses, which
// rest on nothing but the coins, and as one canary each, since they are
// coordinates of independent noise.
func (o *AuditOptions) oneRun(c audit.ManyCanaries, bounds int) ([]Audited, error) {
	guessed := Audited{Mechanism: c.Mechanism + ", one run", Inputs: fmt.Sprintf("%d canaries, of which %d are guessed", oneRunCanaries, oneRunGuesses), Canaries: oneRunCanaries}
	guessed.Delta, guessed.Confidence, guessed.Samples = c.Delta, o.share(bounds), 1
	var stream rng.Stream
	r := stream.Open(rng.NewKey(auditSeed, auditPurpose.Arm(guessed.Mechanism)), 0, 0, 0)
	coins := make([]bool, oneRunCanaries)
	for i := range coins {
		coins[i] = r.Uint64()&1 == 1
	}
	statistics, err := c.Run(coins, r)
	if err != nil {
		return nil, fmt.Errorf("audit of %s: %w", guessed.Mechanism, err)
	}
	if guessed.Accounted, err = c.Loss.EpsilonAt(c.Delta, accountant.PLD); err != nil {
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

// auditSeed is the seed of every audit: an audit that is made again draws the
// same outcomes.
const auditSeed = 1

// Audit audits the private arms of the scenario, each at a small size, by what
// crosses the wire.
func (s *Scenario) Audit(ctx context.Context, o AuditOptions) ([]Audited, error) {
	if err := o.Validate(); err != nil {
		return nil, BadInput(err)
	}
	var subjects []*auditSubject
	f, issues := decodeFile(s.document)
	if err := issues.Err(); err != nil {
		return nil, err
	}
	variants, err := spread(s.document, f.Sweep)
	if err != nil {
		return nil, err
	}
	for _, v := range variants {
		list, err := auditArm(v, s.Seeds, &o)
		if err != nil {
			return nil, fmt.Errorf("scenario %s, arm %s: %w", s.Name, v.name, err)
		}
		subjects = append(subjects, list...)
	}
	return o.judge(ctx, subjects, len(unshared(subjects)))
}

// unshared are the subjects whose outcomes must be drawn: of those that share them
// the first.
func unshared(subjects []*auditSubject) (list []*auditSubject) {
	known := map[string]bool{}
	for _, s := range subjects {
		if s.sampler == nil || s.shared != "" && known[s.shared] {
			continue
		}
		known[s.shared] = true
		list = append(list, s)
	}
	return list
}

// judge draws outcomes of all subjects and judges them; bounds is how many share
// the error.
func (o *AuditOptions) judge(ctx context.Context, subjects []*auditSubject, bounds int) ([]Audited, error) {
	samples, err := o.affordable(subjects)
	if err != nil {
		return nil, err
	}
	var list []Audited
	shared := map[string]audit.Finding{}
	for _, s := range subjects {
		found := s.Audited
		if s.sampler == nil {
			found.Accounted, found.Delta, found.Confidence = math.Inf(1), s.delta, o.Confidence
			list = append(list, found)
			continue
		}
		finding, ok := shared[s.shared]
		if !ok || s.shared == "" {
			if finding, err = s.judge(ctx, samples, o.share(bounds)); err != nil {
				return nil, s.named(err)
			}
			shared[s.shared] = finding
		}
		found.Finding = finding
		list = append(list, found)
	}
	return list, nil
}

// judge draws outcomes of one subject and judges them.
func (s *auditSubject) judge(ctx context.Context, samples int, confidence float64) (audit.Finding, error) {
	a, b := make([]float64, samples), make([]float64, samples)
	err := s.draw(ctx, a, b)
	if err == nil && s.classes > 0 {
		a, b, err = audit.Scores(classesOf(a), classesOf(b), s.classes)
	}
	if err != nil {
		return audit.Finding{}, err
	}
	return audit.Judge(s.loss, s.delta, a, b, confidence)
}

func classesOf(x []float64) []int {
	list := make([]int, len(x))
	for i, v := range x {
		list[i] = int(v)
	}
	return list
}

func (s *auditSubject) named(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	if s.Arm == "" {
		return fmt.Errorf("audit of %s: %w", s.Mechanism, err)
	}
	return fmt.Errorf("audit of arm %s, %s: %w", s.Arm, s.Mechanism, err)
}

// affordable is the number of samples that fit in the time limit, judged by the
// first outcomes of each subject; it is an error if hardly any do.
func (o *AuditOptions) affordable(subjects []*auditSubject) (int, error) {
	if o.Time == 0 {
		return o.Samples, nil
	}
	var block time.Duration
	for _, s := range unshared(subjects) {
		draw, err := s.sampler()
		if err != nil {
			return 0, s.named(err)
		}
		a, b := make([]float64, fewestAudited), make([]float64, fewestAudited)
		began := time.Now()
		if err := draw.Fill(a, b, s.key(), 0); err != nil {
			return 0, s.named(err)
		}
		block += time.Since(began)
	}
	all := block * time.Duration(audit.Blocks(o.Samples)) / time.Duration(runtime.GOMAXPROCS(0))
	if all <= o.Time {
		return o.Samples, nil
	}
	samples := int(float64(o.Samples) * float64(o.Time) / float64(all))
	if samples < fewestAudited {
		return 0, BadInput(fmt.Errorf("%d samples would take about %v, and %v allow %d; want at least %d", o.Samples, all.Round(time.Second), o.Time, samples, fewestAudited))
	}
	return samples, nil
}

func (s *auditSubject) key() rng.Key {
	return rng.NewKey(auditSeed, auditPurpose.Arm(s.Arm+"/"+s.Mechanism))
}

// draw fills a and b on all cores; what they hold does not depend on their
// number.
func (s *auditSubject) draw(ctx context.Context, a, b []float64) error {
	var next atomic.Int64
	var group sync.WaitGroup
	failed := make([]error, runtime.GOMAXPROCS(0))
	for worker := range failed {
		group.Go(func() {
			draw, err := s.sampler()
			for err == nil {
				block := int(next.Add(1)) - 1
				if block >= audit.Blocks(len(a)) {
					return
				}
				if err = context.Cause(ctx); err == nil {
					err = draw.Fill(a, b, s.key(), block)
				}
			}
			failed[worker] = err
		})
	}
	group.Wait()
	return errors.Join(failed...)
}
