package auditing

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"starling/mechanisms/audit"
	"starling/scenarios/document"
)

// Budget sets how many samples each subject takes: those asked for, or those that the
// power asks for, but no more than the time allows. confidence is that of a bound.
func (o *Options) Budget(ctx context.Context, subjects []*Subject, confidence float64) error {
	for _, s := range unshared(subjects) {
		s.Samples = o.Samples
		if o.Power == 0 {
			continue
		}
		var err error
		if s.Needed, err = s.needed(ctx, o, confidence); err != nil {
			return s.named(err)
		}
		if s.Needed > 0 {
			s.Samples = max(FewestAudited, min(s.Needed, o.Samples))
		}
	}
	return o.afford(subjects)
}

// powerSamples is how many outcomes of each input tell how many are needed.
const powerSamples = 4096

// needed is how many samples find the violation by the usual statistic; 0 where so
// few outcomes do not tell. It is for the seed of an audit that is given none.
func (s *Subject) needed(ctx context.Context, o *Options, confidence float64) (int, error) {
	samples := min(powerSamples, o.Samples)
	d := &auditDrawing{a: make([]float64, samples), b: make([]float64, samples)}
	if err := s.draw(ctx, auditSeed, o.Violation, d); err != nil {
		return 0, err
	}
	a, b, err := s.scored(d.a, d.b)
	if err != nil {
		return 0, err
	}
	return audit.Needed(s.Loss, s.Delta, a, b, s.Pilot(), confidence, o.Power)
}

// afford lowers the samples to those that fit in the time limit, judged by the
// first outcomes of each subject; it is an error if hardly any do.
func (o *Options) afford(subjects []*Subject) error {
	if o.Time == 0 {
		return nil
	}
	var all time.Duration
	list := unshared(subjects)
	for _, s := range list {
		took, err := s.blockTime()
		if err != nil {
			return s.named(err)
		}
		all += took * time.Duration((audit.Blocks(s.Samples)+audit.Blocks(s.pilot()))*len(o.seeds()))
	}
	// All subjects give up the same share: one that is slow does not starve the others.
	if all /= time.Duration(runtime.GOMAXPROCS(0)); all <= o.Time {
		return nil
	}
	share := float64(o.Time) / float64(all)
	for _, s := range list {
		samples := int(float64(s.Samples) * share)
		if samples < FewestAudited && int(float64(o.Samples)*share) >= FewestAudited {
			samples = FewestAudited
		}
		if samples < FewestAudited {
			return document.BadInput(fmt.Errorf("%d samples would take about %v, and %v allow %d; want at least %d", s.Samples, all.Round(time.Second), o.Time, samples, FewestAudited))
		}
		s.Samples = samples
	}
	return nil
}

// blockTime is how long the first block of outcomes takes.
func (s *Subject) blockTime() (time.Duration, error) {
	sampler, err := s.Sampler(s.Noise)
	if err != nil {
		return 0, err
	}
	if s.second != nil {
		sampler.Moments = s.second.Moments.Empty()
	}
	a, b := make([]float64, FewestAudited), make([]float64, FewestAudited)
	began := time.Now()
	err = sampler.fill(a, b, s.key(auditSeed), 0)
	return time.Since(began), err
}
