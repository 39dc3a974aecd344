package auditing

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"starling/mechanisms/audit"
	"starling/scenarios/document"
)

// Budget sets the number of samples of each subject: the number asked for, or the number for
// the power, but no more than the time allows. confidence is the confidence of a bound.
func (o *Options) Budget(ctx context.Context, subjects []*Subject, confidence float64) error {
	list := unshared(subjects)
	for i, s := range list {
		s.Samples = o.Samples
		if o.Power != 0 {
			if o.over() {
				return o.unready(i, len(list))
			}
			// To know how many samples are needed takes a part of the time for them.
			var err error
			if s.Needed, err = s.needed(ctx, o, confidence, o.slice(o.Time.Seconds()/neededPart/float64(len(list)), time.Until(o.end).Seconds())); err != nil {
				return s.named(err)
			}
			if s.Needed > 0 {
				s.Samples = max(FewestAudited, min(s.Needed, o.Samples))
			}
		}
		s.asked = s.Samples
	}
	return o.afford(ctx, list)
}

// begin settles when the time is over.
func (o *Options) begin() {
	if o.Time == 0 {
		return
	}
	if o.Began.IsZero() {
		o.Began = time.Now()
	}
	o.end = o.Began.Add(o.Time)
}

// over reports whether the time is over.
func (o *Options) over() bool { return !o.end.IsZero() && time.Now().After(o.end) }

// slice returns the end of a part's share of the time that is left, given part and whole; zero
// without a limit.
func (o *Options) slice(part, whole float64) time.Time {
	if o.end.IsZero() {
		return time.Time{}
	}
	return time.Now().Add(time.Duration(float64(time.Until(o.end)) * min(1, part/whole)))
}

// unready returns the error of an audit if its time is over before its samples are drawn.
func (o *Options) unready(done, all int) error {
	return document.BadInput(fmt.Errorf("the time limit of %v was over when the first outcomes of %d of %d losses were drawn, which say how long all take", o.Time, done, all))
}

// To know how many samples are needed takes one part in neededPart of the time. The pilot of a
// loss takes one part in pilotPart of the time of that loss.
const (
	neededPart = 4
	pilotPart  = 4
)

// powerSamples is the number of outcomes of each input from which the needed number is
// estimated.
const powerSamples = 4096

// needed returns the number of samples that find the violation by the usual statistic; 0 if so
// few outcomes do not show it. It is for the seed of an audit that is given none.
func (s *Subject) needed(ctx context.Context, o *Options, confidence float64, until time.Time) (int, error) {
	samples := min(powerSamples, o.Samples)
	d := &auditDrawing{a: make([]float64, samples), b: make([]float64, samples)}
	if err := s.draw(ctx, auditSeed, o.Violation, d, until, 0); err != nil {
		return 0, err
	}
	a, b, err := s.scored(d.a, d.b)
	if err != nil {
		return 0, err
	}
	return audit.Needed(s.Loss, s.Delta, a, b, s.Pilot(), confidence, o.Power)
}

// afford lowers the samples of all subjects to those that fit in the time that is left, judged
// by the first outcomes of each; it is an error if hardly any do. The clock ends a subject
// that takes longer than these suggest.
func (o *Options) afford(ctx context.Context, list []*Subject) error {
	if o.end.IsZero() {
		return nil
	}
	var all time.Duration
	for i, s := range list {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if o.over() {
			return o.unready(i, len(list))
		}
		took, err := s.blockTime()
		if err != nil {
			return s.named(err)
		}
		s.weight = took * time.Duration(audit.Blocks(s.Samples)+audit.Blocks(s.pilot()))
		all += s.weight * time.Duration(len(o.seeds()))
	}
	// All subjects give up the same share: one that is slow does not starve the others.
	left := max(0, time.Until(o.end))
	if all /= time.Duration(runtime.GOMAXPROCS(0)); all <= left {
		return nil
	}
	share := float64(left) / float64(all)
	for _, s := range list {
		samples := int(float64(s.Samples) * share)
		if samples < FewestAudited && int(float64(o.Samples)*share) >= FewestAudited {
			samples = FewestAudited
		}
		if samples < FewestAudited {
			return document.BadInput(fmt.Errorf("%d samples would take about %v, and the rest of %v allows %d; want at least %d", s.Samples, all.Round(time.Second), o.Time, samples, FewestAudited))
		}
		s.Samples = samples
	}
	return nil
}

// blockTime returns the time that the first block of outcomes takes.
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
