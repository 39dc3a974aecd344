package gossip

import (
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/mirror"
	"starling/actors/option"
	"starling/scenarios/document"
	"starling/scenarios/problem"
)

// FeedbackKind is a kind of feedback of a node.
type FeedbackKind string

// The kinds of feedback.
const (
	GradientFeedback FeedbackKind = "gradient"
	OnePointFeedback FeedbackKind = "one-point"
	TwoPointFeedback FeedbackKind = "two-point"
)

// Feedback holds the keys of the feedback that nodes get of their costs in a step.
type Feedback struct {
	Kind   FeedbackKind `yaml:"kind,required" oneof:"gradient one-point two-point" doc:"gradient is the gradient at x_t; one-point is the loss at x_t + delta u, the played point, with u a random direction; two-point has the losses at x_t + delta u and x_t - delta u, which are both played. An estimate from such bandit feedback takes the place of the gradient"`
	Radius *float64     `yaml:"radius" over:"0" says:"radius %v" unit:"2-norm" doc:"delta, the distance of the played points from x_t, which stays inside the set by as much; absent, with gradient, none"`
}

// Bandit returns the bandit feedback of nodes, without a seed. It is nil with gradients, and
// with options that Ready refuses.
func (c *Common) Bandit() *algorithm.Feedback {
	if c.Feedback == nil || c.Feedback.Kind == GradientFeedback || c.Feedback.Radius == nil {
		return nil
	}
	f := &algorithm.Feedback{Points: 1, Radius: *c.Feedback.Radius}
	if c.Feedback.Kind == TwoPointFeedback {
		f.Points = 2
	}
	return f
}

// Ready returns a fault if nodes cannot have their feedback on a set.
func (c *Common) Ready(set mirror.Set) error {
	if c.Feedback == nil {
		return nil
	}
	switch needs, has := c.Feedback.Kind != GradientFeedback, c.Feedback.Radius != nil; {
	case needs && !has:
		return document.At("algorithm.feedback", "%s needs a radius, the distance of played points from the decision", c.Feedback.Kind)
	case has && !needs:
		return document.At("algorithm.feedback.radius", "gradients are told at the decision itself; leave radius out")
	case !needs:
		return nil
	}
	if _, err := mirror.Inner(set, *c.Feedback.Radius); err != nil {
		return document.At("algorithm.feedback.radius", "%v", err)
	}
	return nil
}

// Set returns the set of decisions: the given set, or with bandit feedback an inner set, so
// that every played point lies in the given one. Ready has accepted the options for it.
func (c *Common) Set(set mirror.Set) mirror.Set { return innerOf(set, c.Bandit()) }

// innerOf is Common.Set for a feedback.
func innerOf(set mirror.Set, f *algorithm.Feedback) mirror.Set {
	if f == nil {
		return set
	}
	inner, err := mirror.Inner(set, f.Radius)
	if err != nil {
		panic(err) // Ready has checked it
	}
	return inner
}

// bounded is a problem with a known bound on the size of its losses on its set.
type bounded interface{ LossBound() float64 }

// lossBound is the largest size of a loss of a problem, +Inf where it is not known.
func lossBound(p problem.Problem) float64 {
	if b, ok := p.(bounded); ok {
		return b.LossBound()
	}
	return math.Inf(1)
}

// startIn is mirror.CheckStart; its error says why a point of the problem's set is no start.
func (c *Common) startIn(set mirror.Set, start []float64) error {
	err := mirror.CheckStart(c.Set(set), start)
	if err != nil && c.Bandit() != nil && mirror.CheckStart(set, start) == nil {
		return option.Errorf("start", "start %v is within %v of the border of the %s, so that played points would lie outside", start, *c.Feedback.Radius, set.Kind())
	}
	return err
}
