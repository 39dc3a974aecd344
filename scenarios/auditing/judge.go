package auditing

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"starling/mechanisms/audit"
	"starling/mechanisms/rng"
)

// Sampler makes one goroutine's draws, and collects further statistics on request.
type Sampler struct {
	// Draw belongs to one goroutine.
	Draw audit.Draw
	// Ahead, unless it is nil, prepares the draws of a block of so many samples.
	Ahead func(key rng.Key, block, samples int) error
	// Wanted are the pairs to compute: a draw adds a row of their statistics to Pairs.
	Wanted []int
	Pairs  [][]float64
	// Moments collects the noise of draws; nil if they collect none.
	Moments *audit.Residuals
}

// fill draws a block, as audit.Draw.Fill does.
func (s *Sampler) fill(a, b []float64, key rng.Key, block int) error {
	if s.Ahead != nil {
		if err := s.Ahead(key, block, len(a)); err != nil {
			return err
		}
	}
	return s.Draw.Fill(a, b, key, block)
}

// bounds returns the number of statements in an audit of the subject: a bound by the usual
// statistic, one by the best of the pairs, and one on the moments of the noise.
func (s *Subject) bounds() int {
	switch {
	case s.second == nil:
		return 1
	case len(s.second.Pairs) == 0:
		return 2
	}
	return 3
}

// boundsIn returns the number of statements that share the error.
func boundsIn(subjects []*Subject, o *Options) (bounds int) {
	for _, s := range unshared(subjects) {
		bounds += s.bounds()
	}
	return bounds * len(o.seeds())
}

// judge draws outcomes of all subjects and judges them; bounds is the number of statements
// that share the error.
func (o *Options) judge(ctx context.Context, subjects []*Subject, bounds int) ([]Audited, error) {
	if err := o.Budget(ctx, subjects, o.share(bounds)); err != nil {
		return nil, err
	}
	var list []Audited
	var rest time.Duration // the sum of the weights that are still to be drawn
	for _, s := range unshared(subjects) {
		rest += s.weight * time.Duration(len(o.seeds()))
	}
	for _, seed := range o.seeds() {
		shared := map[string]Audited{}
		for _, s := range subjects {
			found := s.Audited
			if s.Sampler == nil {
				found.Accounted, found.Delta, found.Confidence, found.Seed = math.Inf(1), s.Delta, o.Confidence, seed
				list = append(list, found)
				continue
			}
			judged, ok := shared[s.shared]
			if !ok || s.shared == "" {
				var err error
				if judged, err = s.judge(ctx, seed, o.share(bounds), o.slice(float64(s.weight), float64(rest))); err != nil {
					return nil, s.named(err)
				}
				rest -= s.weight
				shared[s.shared] = judged
			}
			found.Finding, found.Statistic, found.Noise, found.Seed = judged.Finding, judged.Statistic, judged.Noise, seed
			found.Needed, found.Asked = judged.Needed, judged.Asked
			list = append(list, found)
		}
	}
	return list, nil
}

// pilotSamples is the largest number of outcomes of each input that pick the pair.
const pilotSamples = 2048

// judge draws outcomes of one subject until its time is over, zero for no limit, and judges
// them, each statement at the confidence.
func (s *Subject) judge(ctx context.Context, seed uint64, confidence float64, until time.Time) (found Audited, err error) {
	found.Needed = s.Needed
	d := &auditDrawing{a: make([]float64, s.Samples), b: make([]float64, s.Samples)}
	best, least := -1, 0
	// The pair is picked by outcomes of the pilot, and bounded by all: those that picked it
	// are among those that choose the event, so the bound keeps its confidence.
	if s.bounds() == 3 {
		pilot := 0
		if best, pilot, err = s.pick(ctx, seed, confidence, until); err != nil {
			return found, err
		}
		least = 2 * pilot
		d.wanted = []int{best}
	}
	if err := s.draw(ctx, seed, s.Noise, d, until, least); err != nil {
		return found, err
	}
	a, b := d.a, d.b
	if len(a) < s.asked {
		found.Asked = s.asked
	}
	if a, b, err = s.scored(a, b); err != nil {
		return found, err
	}
	if found.Finding, err = audit.Judge(s.Loss, s.Delta, a, b, s.Pilot(), confidence); err != nil || s.second == nil {
		return found, err
	}
	noise := d.moments.Judge(1 - confidence)
	found.Noise = &noise
	if best < 0 {
		return found, nil
	}
	first := func(rows [][]float64) (list []float64) {
		for _, row := range rows {
			list = append(list, row[0])
		}
		return list
	}
	second, err := audit.Judge(s.Loss, s.Delta, first(d.pairs[0]), first(d.pairs[1]), audit.HalfPilot, confidence)
	if err == nil && second.Audited > found.Audited {
		found.Finding, found.Statistic = second, s.second.name(best)
	}
	return found, err
}

// pilot returns the number of outcomes of each input that pick the pair; 0 if there is none to
// pick.
func (s *Subject) pilot() int {
	if s.bounds() < 3 {
		return 0
	}
	return min(pilotSamples, s.Samples/2)
}

// pick returns the pair that tells the two inputs apart best, by the first outcomes, and the
// number of these of each input: they have to be in those halves of the samples that choose an
// event. It takes a part of the time until then.
func (s *Subject) pick(ctx context.Context, seed uint64, confidence float64, until time.Time) (best, pilot int, err error) {
	pilot = s.pilot()
	if !until.IsZero() {
		until = time.Now().Add(time.Until(until) / pilotPart)
	}
	d := &auditDrawing{a: make([]float64, pilot), b: make([]float64, pilot)}
	for pair := range s.second.Pairs {
		d.wanted = append(d.wanted, pair)
	}
	if err := s.draw(ctx, seed, s.Noise, d, until, 0); err != nil {
		return 0, 0, err
	}
	best, err = audit.Pick(d.pairs[0], d.pairs[1], audit.MeasureOf(s.Loss, s.Delta), confidence)
	return best, len(d.a), err
}

// auditDrawing is outcomes of both inputs.
type auditDrawing struct {
	// a and b are the usual statistic, of the first input and of the second.
	a, b   []float64 // the usual statistic
	wanted []int     // pairs
	// pairs has the statistics of the wanted pairs: by input, a row an outcome.
	pairs [2][][]float64
	// moments are of the noise of all outcomes.
	moments *audit.Residuals
}

// scored returns statistics of outcomes. Outcomes are statistics already unless they are
// classes.
func (s *Subject) scored(a, b []float64) (x, y []float64, err error) {
	if s.Classes == 0 {
		return a, b, nil
	}
	return audit.Scores(ClassesOf(a), ClassesOf(b), s.Classes, s.Pilot())
}

// fewClasses is the largest number of classes of outcomes that counts as few.
const fewClasses = 8

// Pilot returns the part of the outcomes that chooses an event.
func (s *Subject) Pilot() audit.Pilot {
	if 0 < s.Classes && s.Classes <= fewClasses {
		return audit.ClassPilot
	}
	return audit.HalfPilot
}

// draw fills d on all cores; the result does not depend on their number. Once the time is
// over, zero for no limit, it takes no more blocks, and cuts d to those before: at least the
// first, and at least the number of samples in least.
func (s *Subject) draw(ctx context.Context, seed uint64, noise float64, d *auditDrawing, until time.Time, least int) error {
	// Blocks, not workers, have streams of their own. Their results are merged in their order,
	// so that sums have the same bits on any number of cores.
	blocks, drawn := make([]Sampler, audit.Blocks(len(d.a))), make([]bool, audit.Blocks(len(d.a)))
	var next atomic.Int64
	var group sync.WaitGroup
	failed := make([]error, runtime.GOMAXPROCS(0))
	for worker := range failed {
		group.Go(func() {
			sampler, err := s.Sampler(noise)
			for err == nil {
				block := int(next.Add(1)) - 1
				if block >= len(blocks) {
					return
				}
				if err = context.Cause(ctx); err != nil {
					break
				}
				if block >= max(1, audit.Blocks(least)) && !until.IsZero() && time.Now().After(until) {
					return
				}
				sampler.Wanted, sampler.Pairs = d.wanted, nil
				if s.second != nil {
					sampler.Moments = s.second.Moments.Empty()
				}
				err = sampler.fill(d.a, d.b, s.key(seed), block)
				blocks[block], drawn[block] = *sampler, true
			}
			failed[worker] = err
		})
	}
	group.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	if missing := slices.Index(drawn, false); missing >= 0 {
		blocks = blocks[:missing]
		d.a, d.b = d.a[:missing*audit.BlockSamples], d.b[:missing*audit.BlockSamples]
	}
	if s.second == nil {
		return nil
	}
	d.moments = s.second.Moments.Empty()
	for i := range blocks {
		d.moments.Merge(blocks[i].Moments)
		half := len(blocks[i].Pairs) / 2 // the first input's are first
		d.pairs[0] = append(d.pairs[0], blocks[i].Pairs[:half]...)
		d.pairs[1] = append(d.pairs[1], blocks[i].Pairs[half:]...)
	}
	return nil
}
