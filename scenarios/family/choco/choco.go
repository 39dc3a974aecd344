package choco

import (
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/mechanisms/portable"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/gossip"
	"starling/scenarios/kind"
	"starling/scenarios/metric"
	"starling/scenarios/study"
)

// options are the keys of the section.
type options struct {
	Gamma        float64 `yaml:"gamma,required" over:"0" max:"1" says:"gamma %v" unit:"step size" doc:"consensus step size of x_i = x_i + gamma sum_j w_ij (xhat_j - xhat_i): 1 without compression, and the smaller the more a codec loses; too large a one diverges"`
	LearningRate float64 `yaml:"learning_rate" role:"rate" over:"0" says:"learning rate %v" unit:"step size" doc:"step size eta_t = learning_rate/t^decay"`
	Decay        float64 `yaml:"decay" min:"0" max:"1" says:"decay %v" unit:"none" doc:"how fast eta_t falls: 0 keeps it, 1/2 is usual of convex losses, 1 of strongly convex ones"`
}

// rate is eta_t, t from 1.
func (o *options) rate(t int) float64 { return o.LearningRate / portable.Pow(float64(t), o.Decay) }

// compressionError is the distance of a node's vector from its neighbours' copy of it,
// ||x_{t+1/2} - xhat_{t+1}||. The second part of the e_t of Theorem 2 is made of it.
const compressionError = "compression.error"

// Kind returns the entry for the catalog.
func Kind() kind.Kind { return described().Kind().Like(example) }

const example = `version: 1
name: example
nodes: 3
horizon: 3
algorithm: {kind: choco, gamma: 0.5, theta: 1, gradient_bound: clip}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}
topology: {kind: ring}
mechanism: {kind: laplace, epsilon: 2}
seeds: {base: 1, count: 1}
plots: []
`

// described is the algorithm.
func described() gossip.Algorithm[options] {
	a := gossip.Algorithm[options]{
		Name:      "choco",
		Summary:   "CHOCO-SGD: descent with compressed gossip, q_i = Q(x_i - eta g_i - xhat_i), xhat_i += q_i, x_i += gamma sum_j w_ij (xhat_j - xhat_i); Q is network.compression (Koloskova, Stich, Jaggi)",
		Defaults:  options{LearningRate: 0.5, Decay: 0.5},
		Scheduled: "nodes keep sums of the messages of others, with weights that must stay",
		Weights:   topology.Demand{Rows: true, Columns: true, Fixed: true},
		Sensitivity: func(o *options, at *gossip.Setting, step int) noise.Moves {
			return noise.MovesL2(2*o.rate(step)*at.Bound.Theta, at.Problem.Dim())
		},
		Machine: func(o *options, at *gossip.Setting) algorithm.Machine { return newNode(o, at) },
		Metrics: metric.List{{
			Name: compressionError, Summary: "error of compressed gossip: 2-norm distance of a node's point from the copy of it that its neighbours hold, the mean over the nodes. 0 where the copies are exact", Label: "compression error", Unit: "norm of decisions", Better: metric.LowerIsBetter, Level: metric.OfRun, Course: metric.State,
		}},
		Claimed: func(*options, *gossip.Setting) string { return "no claim (the paper has no noise)" },
	}
	resolved := a
	a.Resolve = func(_ *study.Builder, _ *study.ArmFile, _ *options, at *gossip.Setting) (gossip.Algorithm[options], error) {
		if at.Rule.Missing != inbox.MissingDrop {
			return a, document.At("missing", "%s: a message is a change since the last message, and nothing can take the place of a missing one; want drop", at.Rule.Missing)
		}
		return resolved, nil
	}
	return a
}

// node is the machine of a node i. Its vectors have length d, and xhat and s are counted
// from the start.
type node struct {
	options *options
	at      *gossip.Setting
	inbox.Inbox
	x    []float64 // x_t, played: it follows from the state
	half []float64 // xhat_t + r_t: x_{t+1/2} as it was released, before compression
	xhat []float64 // the neighbours' copy of the node's vector
	s    []float64 // sum_j w_ij xhat_j
	g    []float64 // working memory
}

func newNode(o *options, at *gossip.Setting) *node {
	d := len(at.Start)
	memory := make([]float64, 6*d)
	part := func(i int) []float64 { return memory[i*d : (i+1)*d : (i+1)*d] }
	rule := *at.Rule
	rule.Start = part(5) // a missing change is zero
	n := &node{options: o, at: at, Inbox: inbox.NewInbox(&rule), x: part(0), half: part(1), xhat: part(2), s: part(3), g: part(4)}
	copy(n.x, at.Start)
	copy(n.half, at.Start)
	return n
}

// State implements algorithm.Machine.
func (n *node) State(c *messages.Codec) {
	c.Floats("x_half", n.half)
	c.Floats("xhat", n.xhat)
	c.Floats("s", n.s)
	n.Keep(c)
}

// Sums implements algorithm.Summer.
func (*node) Sums() {}

// Step implements algorithm.Machine.
func (n *node) Step(t *algorithm.Turn) error {
	if err := n.combine(t); err != nil {
		return err
	}
	if err := t.PlayAndDifferentiate(n.g, n.x, n.at.Bound); err != nil {
		return err
	}
	// q_t = Q(x_t - eta_t g_t - xhat_t), with noise before Q.
	change := n.Vector(t, n.x)
	eta := n.options.rate(t.Step)
	for k, v := range change.Values {
		change.Values[k] = v - float64(eta*n.g[k]) - n.at.Start[k] - n.xhat[k]
	}
	release := n.at.Release(t.Step)
	release.Kept = n.half
	if err := t.Release(release, change, &n.Inbox); err != nil || t.Stopped() {
		return err
	}
	var lost float64
	for k, q := range change.Values {
		off := n.half[k] - q
		lost += float64(off * off)
		n.half[k] += n.at.Start[k] + n.xhat[k]
		n.xhat[k] += q
	}
	t.Record(compressionError, math.Sqrt(lost))
	return nil
}

// combine makes x_t of the messages: lines 7 and 9 of Algorithm 2.
func (n *node) combine(t *algorithm.Turn) error {
	if t.Step == 1 {
		return nil // there are no messages yet
	}
	heard := n.g // overwritten afterwards
	if err := t.Receive(&n.Inbox, heard); err != nil {
		return err
	}
	var given float64 // 1, except for weights that are declared unchecked
	_, weights := t.Expected()
	for _, w := range weights {
		given += w
	}
	y := n.g
	for k, v := range heard {
		n.s[k] += v
		y[k] = n.half[k] + float64(n.options.Gamma*(n.s[k]-float64(given*n.xhat[k])))
	}
	set := n.at.Set
	set.Project(n.x, y, t.Scratch(set.WorkSize()))
	return nil
}
