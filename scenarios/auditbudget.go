package scenarios

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"starling/mechanisms/audit"
)

// budget sets how many samples each subject takes: those asked for, or those that the
// power asks for, but no more than the time allows. confidence is that of a bound.
func (o *AuditOptions) budget(ctx context.Context, subjects []*auditSubject, confidence float64) error {
	for _, s := range unshared(subjects) {
		s.samples = o.Samples
		if o.Power == 0 {
			continue
		}
		var err error
		if s.Needed, err = s.needed(ctx, o, confidence); err != nil {
			return s.named(err)
		}
		if s.Needed > 0 {
			s.samples = max(fewestAudited, min(s.Needed, o.Samples))
		}
	}
	return o.afford(subjects)
}

// powerSamples is how many outcomes of each input tell how many are needed.
const powerSamples = 4096

// needed is how many samples find the violation by the usual statistic; 0 where so
// few outcomes do not tell. It is for the seed of an audit that is given none.
func (s *auditSubject) needed(ctx context.Context, o *AuditOptions, confidence float64) (int, error) {
	samples := min(powerSamples, o.Samples)
	d := &auditDrawing{a: make([]float64, samples), b: make([]float64, samples)}
	if err := s.draw(ctx, auditSeed, o.Violation, d); err != nil {
		return 0, err
	}
	a, b, err := s.scored(d.a, d.b)
	if err != nil {
		return 0, err
	}
	return audit.Needed(s.loss, s.delta, a, b, s.pilot(), confidence, o.Power)
}

// afford lowers the samples to those that fit in the time limit, judged by the
// first outcomes of each subject; it is an error if hardly any do.
func (o *AuditOptions) afford(subjects []*auditSubject) error {
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
		all += took * time.Duration(audit.Blocks(s.samples)*len(o.seeds()))
	}
	if all /= time.Duration(runtime.GOMAXPROCS(0)); all <= o.Time {
		return nil
	}
	share := float64(o.Time) / float64(all)
	for _, s := range list {
		samples := int(float64(s.samples) * share)
		if samples < fewestAudited && int(float64(o.Samples)*share) >= fewestAudited {
			samples = fewestAudited
		}
		if samples < fewestAudited {
			return BadInput(fmt.Errorf("%d samples would take about %v, and %v allow %d; want at least %d", s.samples, all.Round(time.Second), o.Time, samples, fewestAudited))
		}
		s.samples = samples
	}
	return nil
}

// blockTime is how long the first block of outcomes takes.
func (s *auditSubject) blockTime() (time.Duration, error) {
	sampler, err := s.sampler(s.noise)
	if err != nil {
		return 0, err
	}
	if s.second != nil {
		sampler.moments = s.second.moments.Empty()
	}
	a, b := make([]float64, fewestAudited), make([]float64, fewestAudited)
	began := time.Now()
	err = sampler.draw.Fill(a, b, s.key(auditSeed), 0)
	return time.Since(began), err
}
