package ofl

import (
	"fmt"
	"math"

	"starling/actors/algorithm/ofl"
	"starling/mechanisms/portable"
	"starling/messages"
	"starling/scenarios/problem/stream"
	"starling/scenarios/study"
)

// regretBound holds the constants of the paper's bounds on the regret of a run on
// strongly convex losses, which have points as optima: alpha = 1 and sigma = 0. c has the
// optima of the data, and start is x^0, len d. The noise enters by its scale and by the
// row norms of B: the largest of them, and the sum over the last inputs of rounds.
func (p *oflPlan) regretBound(c *stream.Comparator, start []float64) stream.RegretBound {
	o := &p.options
	b := stream.RegretBound{
		Shape: p.shape, PerRound: o.Version == ofl.PerRound, Dim: p.stream.Model.Dim(),
		LocalStep: o.LocalStep, GlobalStep: o.GlobalStep,
		Smoothness: p.stream.Smoothness, GradientBound: o.GradientBound, Alpha: 1, Mu: p.stream.Convexity,
		Drift: c.Drift(),
	}
	for k, v := range c.Static().X {
		e := start[k] - v
		b.Start += float64(e * e)
	}
	n, err := p.noise()
	if err != nil || !n.Private() { // an error has failed the job
		return b
	}
	b.Scale = n.Scale() * p.strength()
	row := 0
	for norm := range rowNorms(n, o.Inputs()) {
		b.LargestRow = max(b.LargestRow, norm)
		if row++; b.PerRound || row%p.shape.Tau == 0 { // the last of a round
			b.RoundRows += norm
		}
	}
	return b
}

// dynamicBound is the bound of Lemma IV.9, or of Corollary IV.11 where noise is independent.
func (p *oflPlan) dynamicBound(b *stream.RegretBound) (stream.BoundTerms, error) {
	if p.mechanism.independent() {
		return b.Independent()
	}
	return b.Dynamic()
}

// bounded reports whether bounds on regret are known. They are for smooth and strongly convex
// losses on all of R^d with Gaussian noise, on a network that delivers everything in its step.
func (p *oflPlan) bounded() bool {
	return p.mechanism.gaussian() && p.stream.Convexity > 0 && p.stream.Smoothness > 0 && p.stream.Set == nil && p.options.Weights == nil && p.tiers == nil && p.arm.Effects == nil && !p.arm.Wire.Compresses()
}

// bounds computes the bounds on the regret of a run; nil where none is known.
func (p *oflPlan) bounds(c *stream.Comparator, start []float64) func() Bounds {
	if !p.bounded() {
		return nil
	}
	return func() Bounds {
		b := p.regretBound(c, start)
		value := func(terms stream.BoundTerms, err error) float64 {
			if err != nil {
				return math.NaN()
			}
			return terms.Sum()
		}
		return Bounds{Dynamic: value(p.dynamicBound(&b)), Static: value(b.Static())}
	}
}

// boundNotes returns the bounds with their terms and constants, on the data of a seed, or the
// reason why there is none. optima is the work that the optima for them still take. Where the
// budget leaves a note out, the note says so in place of a number.
func (p *oflPlan) boundNotes(c *stream.Comparator, seed uint64, budget *study.Effort, optima float64) []study.Note {
	if !p.bounded() {
		return nil
	}
	// A start that the problem draws belongs to its seed, and may differ from the first
	// seed's.
	start := p.options.Start
	if p.section.Start == nil {
		start = p.stream.Start(seed)
	}
	rates := p.rateNotes()
	if leftOut := budget.Take(optima); leftOut != "" {
		return append([]study.Note{{Key: "bound-dynamic", Value: leftOut}, {Key: "bound-static", Value: leftOut}, {Key: "standing-still", Value: leftOut}}, rates...)
	}
	b := p.regretBound(c, start)
	// A bound has conditions on the step sizes. Where one fails, the note has the reason.
	text := func(terms stream.BoundTerms, err error) string {
		if err != nil {
			return fmt.Sprintf("undefined: %v", err)
		}
		return fmt.Sprintf("%s, on the data of seed %d", terms, seed)
	}
	standing := budget.Take(p.standingWork())
	if standing == "" {
		standing = fmt.Sprintf("%.4g, the dynamic regret per step of x^0 on the same data", p.standingStill(c, start, seed))
	}
	return append([]study.Note{
		{Key: "bound-constants", Value: fmt.Sprintf("eta~ = %.4g, L = %.4g, mu = %.4g, V_i = %.4g, C_R/R = %.4g, ||x^0 - x*||^2 = %.4g",
			b.Step(), b.Smoothness, b.Mu, b.Scale, b.Drift/float64(b.Rounds), b.Start)},
		{Key: "bound-dynamic", Value: text(p.dynamicBound(&b))},
		{Key: "bound-static", Value: text(b.Static())},
		{Key: "standing-still", Value: standing},
	}, rates...)
}

// rateNotes are the orders of Theorem IV.10 and of Corollary IV.12, without their constants
// and C_R.
func (p *oflPlan) rateNotes() []study.Note {
	releases, rounds := p.options.Inputs(), p.shape.Rounds
	share := portable.Log(float64(releases)) / float64(rounds)
	return []study.Note{
		{Key: "rate-dynamic", Value: fmt.Sprintf("%.6g = (ln %d/%d)^(2/3)", portable.Pow(share, 2.0/3), releases, rounds)},
		{Key: "rate-static", Value: fmt.Sprintf("%.6g = (ln %d/%d)^(1/2)", math.Sqrt(share), releases, rounds)},
	}
}

// clipped reports whether a gradient of a job was clipped. The bounds are proven for the
// gradients of the losses themselves.
func clipped(j *study.Job) bool {
	clips, ok := study.GaugeOf[*Clips](j)
	return ok && clips.Any()
}

// standingStill returns the dynamic regret per step of a learner that plays x^0 for ever. It
// puts a bound in proportion: a bound above it says no more than standing still would achieve.
// start has len d. The sum takes data in the order of steps and learners, so that its bits do
// not depend on the runtime. It is NaN where the data cannot be drawn.
func (p *oflPlan) standingStill(c *stream.Comparator, start []float64, seed uint64) float64 {
	instance, err := p.stream.Kept(p.arm.Cache, seed, p.shape, p.reads())
	if err != nil {
		return math.NaN() // the job has drawn the same
	}
	var loss, least float64
	work := make([]float64, instance.Width())
	for step := range p.shape.Steps() {
		for learner := range p.shape.Learners {
			loss += p.stream.Model.Loss(start, stream.Row(instance, work, messages.NodeID(learner), step+1))
		}
	}
	for r := range p.shape.Rounds {
		least += c.Round(r).Value
	}
	return loss/float64(p.shape.Steps()*p.shape.Learners) - least/float64(p.shape.Rounds)
}
