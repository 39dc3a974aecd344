package algorithm

import (
	"starling/actors/algorithm/batch"
	"starling/mechanisms/kernel"
	"starling/mechanisms/rng"
	"starling/messages"
)

// feedbackDirections keys the streams of u, one for each node and step.
var feedbackDirections = rng.PurposeOf("feedback.direction")

// Feedback is the feedback of nodes on their costs where they get no gradient: the losses at
// the points that they play, bandit feedback. It makes an estimate of the gradient of them:
//
//	one point   g = (d/delta) f(x + delta u) u                          Flaxman, Kalai, McMahan 2005
//	two points  g = (d/(2 delta)) (f(x + delta u) - f(x - delta u)) u   Agarwal, Dekel, Xiao 2010; Shamir 2017
//
// u is uniform on the unit sphere of R^d. The mean of either is the gradient of F at x, F(x) =
// E f(x + delta v), v uniform in the unit ball: the gradient of f itself, where f is linear or
// quadratic.
//
// Directions are a pure function of seed, node and step, as data are, so that meters of a run
// know the points that were played. Estimates are the gradients of costs: an algorithm that
// asks for gradients does not know the difference, and its bound on gradients is enforced on
// estimates. Nothing is projected here: x has to be as far from the border of the decision set
// as the radius; see mirror.Inner.
//
// A Feedback is the feedback of a run. Its methods do not change it, and are safe for concurrent
// use.
type Feedback struct {
	Points int     // that a node plays in a step: 1 or 2
	Radius float64 // delta > 0, how far they are from x in 2-norm
	Seed   uint64
}

// Under returns the feedback with another seed.
func (f *Feedback) Under(seed uint64) *Feedback {
	other := *f
	other.Seed = seed
	return &other
}

// Factor is d/delta, or d/(2 delta) of two points: a loss, or the difference of two, times the
// factor is the estimate along u. d is the length of decisions.
func (f *Feedback) Factor(d int) float64 { return float64(d) / (float64(f.Points) * f.Radius) }

// Bound is the largest 2-norm of an estimate for decisions of length d: with one point d/delta
// times the largest absolute loss, with two points d times the largest slope.
func (f *Feedback) Bound(d int, loss, slope float64) float64 {
	if f.Points == 1 {
		return f.Factor(d) * loss
	}
	return float64(d) * slope
}

// Direction writes u of a node at a step to u, len d.
func (f *Feedback) Direction(u []float64, node messages.NodeID, step int) {
	var stream rng.Stream
	r := stream.Open(rng.NewKey(f.Seed, feedbackDirections), int(node), step, 0)
	for {
		r.FillNormal(u)
		if length := kernel.Norm(u); length > 0 {
			kernel.Scale(u, 1/length, u)
			return
		}
	}
}

// Played calls visit with the points that a node plays about x: x + delta u, and then, of
// two, x - delta u. y has the length of x, and is valid during the call only.
func (f *Feedback) Played(node messages.NodeID, step int, x []float64, visit func(y []float64)) {
	memory := make([]float64, 2*len(x))
	u, y := memory[:len(x)], memory[len(x):]
	f.Direction(u, node, step)
	f.along(u, x, y, visit)
}

// along is Played in a direction; y is working memory.
func (f *Feedback) along(u, x, y []float64, visit func(y []float64)) {
	copy(y, x)
	kernel.Axpy(y, f.Radius, u)
	visit(y)
	if f.Points == 2 {
		copy(y, x)
		kernel.Axpy(y, -f.Radius, u)
		visit(y)
	}
}

// WithFeedback returns costs with the feedback f: Gradient is the estimate, and Loss the mean loss at
// the points played. They are computed for many nodes at once if the given costs are. A nil f
// means feedback by gradients.
func WithFeedback(costs Costs, f *Feedback) Costs {
	if f == nil {
		return costs
	}
	estimated := withFeedback{costs, f}
	if ask, ok := costs.(batch.Costs); ok {
		return &withFeedbackOfMany{estimated, ask}
	}
	return &estimated
}

// withFeedback are costs that are computed one by one.
type withFeedback struct {
	costs Costs
	f     *Feedback
}

// Loss implements Costs.
func (c *withFeedback) Loss(node messages.NodeID, step int, x []float64) (mean float64) {
	c.f.Played(node, step, x, func(y []float64) { mean += c.costs.Loss(node, step, y) / float64(c.f.Points) })
	return mean
}

// Gradient implements Costs.
func (c *withFeedback) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	c.f.Direction(dst, node, step)
	losses := make([]float64, 0, 2)
	c.f.along(dst, x, make([]float64, len(x)), func(y []float64) { losses = append(losses, c.costs.Loss(node, step, y)) })
	c.f.estimate(dst, losses)
}

// estimate multiplies a direction by the factor that follows from the losses.
func (f *Feedback) estimate(u, losses []float64) {
	along := losses[0]
	if f.Points == 2 {
		along -= losses[1]
	}
	kernel.Scale(u, f.Factor(len(u))*along, u)
}

// withFeedbackOfMany are costs that are computed for many nodes at once: batch.Costs.
type withFeedbackOfMany struct {
	withFeedback
	ask batch.Costs
}

// losses returns the losses at all points played, of each node side by side.
func (c *withFeedbackOfMany) losses(nodes []messages.NodeID, step int, x []float64) ([]float64, error) {
	d := len(x) / len(nodes)
	var who []messages.NodeID
	points := make([]float64, 0, c.f.Points*len(x))
	for i, node := range nodes {
		c.f.Played(node, step, x[i*d:(i+1)*d], func(y []float64) { who, points = append(who, node), append(points, y...) })
	}
	losses := make([]float64, len(who))
	return losses, c.ask.Losses(losses, who, step, points)
}

// Losses implements batch.Costs.
func (c *withFeedbackOfMany) Losses(dst []float64, nodes []messages.NodeID, step int, x []float64) error {
	losses, err := c.losses(nodes, step, x)
	if err != nil {
		return err
	}
	for i := range dst {
		dst[i] = 0
		for _, loss := range losses[i*c.f.Points : (i+1)*c.f.Points] {
			dst[i] += loss / float64(c.f.Points)
		}
	}
	return nil
}

// Gradients implements batch.Costs.
func (c *withFeedbackOfMany) Gradients(dst []float64, nodes []messages.NodeID, step int, x []float64) error {
	losses, err := c.losses(nodes, step, x)
	if err != nil {
		return err
	}
	d := len(x) / len(nodes)
	for i, node := range nodes {
		u := dst[i*d : (i+1)*d]
		c.f.Direction(u, node, step)
		c.f.estimate(u, losses[i*c.f.Points:(i+1)*c.f.Points])
	}
	return nil
}
