package gossip

import (
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/messages"
)

// LocalNode is the machine of a node that takes a gradient step in its own costs and says
// nothing: x_{t+1} = P(x_t - alpha_t g_t).
type LocalNode struct {
	rate *Rate
	at   *Setting
	x    []float64 // x_t, len d
	g    []float64 // working memory: no part of the state
}

// NewAlone returns a node at the public start.
func NewAlone(r *Rate, at *Setting) *LocalNode {
	return &LocalNode{rate: r, at: at, x: slices.Clone(at.Start), g: make([]float64, len(at.Start))}
}

// State implements algorithm.Machine.
func (n *LocalNode) State(c *messages.Codec) { c.Floats("x", n.x) }

// Step implements algorithm.Machine.
func (n *LocalNode) Step(t *algorithm.Turn) error {
	if err := t.PlayAndDifferentiate(n.g, n.x, n.at.Bound); err != nil {
		return err
	}
	n.descend(n.x, t.Step)
	n.project(t, n.x)
	return nil
}

// descend subtracts alpha_t g_t from x.
func (n *LocalNode) descend(x []float64, step int) {
	alpha := n.rate.At(step)
	for k, g := range n.g {
		x[k] -= float64(alpha * g)
	}
}

// project makes x_t the point of the set that is nearest to y.
func (n *LocalNode) project(t *algorithm.Turn, y []float64) {
	set := n.at.Set
	set.Project(n.x, y, t.Scratch(set.WorkSize()))
}

// Descender is the machine of a node that adapts, releases, and combines the messages that it hears:
//
//	y_t = x_t - alpha_t g_t + noise,  x_{t+1} = P(sum_j w_ij y_t^j),
//
// g_t the gradient of its own costs at x_t. Setting.Release gives the noise. Data move a
// release by alpha_t times the distance of two gradients. With weights for push-sum the mean
// is over the masses that arrived.
type Descender struct {
	*LocalNode
	inbox.Inbox
	heard []float64 // working memory, as long as a release: no part of the state
}

// NewDescender returns a node at the public start.
func NewDescender(r *Rate, at *Setting) *Descender {
	n := &Descender{LocalNode: NewAlone(r, at), Inbox: inbox.NewInbox(at.Rule), heard: make([]float64, len(at.Rule.Start))}
	n.g = n.heard[:len(at.Start)] // the mean is no longer needed when the gradient is written
	return n
}

// State implements algorithm.Machine.
func (n *Descender) State(c *messages.Codec) {
	n.LocalNode.State(c)
	n.Keep(c)
}

// Sums implements algorithm.Summer.
func (*Descender) Sums() {}

// Step implements algorithm.Machine.
func (n *Descender) Step(t *algorithm.Turn) error {
	if t.Step > 1 { // there is nothing to hear in the first
		if err := t.Receive(&n.Inbox, n.heard); err != nil {
			return err
		}
		n.project(t, n.heard[:len(n.x)])
	}
	n.Weigh(t)
	if err := t.PlayAndDifferentiate(n.g, n.x, n.at.Bound); err != nil {
		return err
	}
	y := n.Vector(t, n.x)
	n.descend(y.Values, t.Step)
	return t.Release(n.at.Release(t.Step), y, &n.Inbox)
}
