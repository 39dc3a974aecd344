package muffliato

import (
	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/gossip"
	"starling/scenarios/kind"
)

// options are the keys of the section.
type options struct {
	Rounds int         `yaml:"rounds,required" min:"1" max:"10000000" says:"%v rounds" unit:"steps" doc:"K: a noisy step of all nodes is followed by so many rounds of gossip, one a step, before the next; as many as the horizon are one release, private averaging"`
	Rate   gossip.Rate `yaml:",inline"`
}

// noisy reports whether nodes take a noisy step in step t, from 1.
func (o *options) noisy(t int) bool { return (t-1)%o.Rounds == 0 }

// follows is the reason why messages between noisy steps are not paid for.
const follows algorithm.Reason = "it is the weighted sum of what neighbours have sent"

// Kind returns the entry for the catalog.
func Kind() kind.Kind { return muffliato.Kind().Like(example) }

const example = `version: 1
name: example
nodes: 3
horizon: 4
algorithm: {kind: muffliato, rounds: 2, theta: 1, gradient_bound: clip}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}
topology: {kind: ring}
mechanism: {kind: gaussian, epsilon: 2, delta: 1e-5}
seeds: {base: 1, count: 1}
plots: []
`

var muffliato = gossip.Algorithm[options]{
	Name:      "muffliato",
	Summary:   "Muffliato: y = z - eta (mean gradient) + noise once in K steps, and gossip z = sum_j w_ij y_j in every step; distant nodes learn less (Cyffers, Even, Bellet, Massoulie)",
	Defaults:  options{Rate: gossip.Rate{LearningRate: 0.5, Decay: 0.5}},
	Scheduled: "its rounds of gossip are its schedule: rounds is the number of steps after a release",
	Weights:   topology.DoublyStochastic,
	Sensitivity: func(o *options, at *gossip.Setting, step int) noise.Moves {
		if !o.noisy(step) {
			return noise.Moves{}
		}
		return noise.MovesL2(2*o.Rate.At(step)*at.Bound.Theta, at.Problem.Dim())
	},
	Releases:  func(o *options, at *gossip.Setting) int { return (at.Horizon + o.Rounds - 1) / o.Rounds },
	Follows:   follows,
	Machine:   func(o *options, at *gossip.Setting) algorithm.Machine { return newNode(o, at) },
	Learns:    learns,
	LearnsWhy: "of a first release with Gaussian noise a coalition learns by the joint law of all that it received; of later ones what was paid, once something of them can have reached it",
	Claimed: func(*options, *gossip.Setting) string {
		return "by pairs of nodes: Theorem 1 of the paper, which is no bound"
	},
}

// node is the machine of one node. Its vectors have length d.
type node struct {
	options *options
	at      *gossip.Setting
	inbox.Inbox
	sum     []float64 // of the gradients since the node's last noisy step
	count   int32     // number of these gradients
	z, x, g []float64 // working memory
}

func newNode(o *options, at *gossip.Setting) *node {
	d := len(at.Start)
	memory := make([]float64, 4*d)
	part := func(i int) []float64 { return memory[i*d : (i+1)*d : (i+1)*d] }
	return &node{options: o, at: at, Inbox: inbox.NewInbox(at.Rule), sum: part(0), z: part(1), x: part(2), g: part(3)}
}

// State implements algorithm.Machine.
func (n *node) State(c *messages.Codec) {
	c.Floats("sum", n.sum)
	c.Int32("count", &n.count)
	n.Keep(c)
}

// Sums implements algorithm.Summer.
func (*node) Sums() {}

// Step implements algorithm.Machine.
func (n *node) Step(t *algorithm.Turn) error {
	copy(n.z, n.at.Start)
	if t.Step > 1 { // there is nothing to hear in the first
		if err := t.Receive(&n.Inbox, n.z); err != nil {
			return err
		}
	}
	set := n.at.Set
	set.Project(n.x, n.z, t.Scratch(set.WorkSize()))
	if err := t.PlayAndDifferentiate(n.g, n.x, n.at.Bound); err != nil {
		return err
	}
	for k, g := range n.g {
		n.sum[k] += g
	}
	n.count++
	y := n.Vector(t, n.z)
	if !n.options.noisy(t.Step) {
		return t.Forward(follows, y, &n.Inbox)
	}
	// The mean of count gradients has the sensitivity of one gradient. A node that was down
	// has fewer than K gradients, or more, where it was down in a noisy step.
	eta := n.options.Rate.At(t.Step) / float64(n.count)
	for k, g := range n.sum {
		y.Values[k] -= float64(eta * g)
	}
	clear(n.sum)
	n.count = 0
	return t.Release(n.at.Release(t.Step), y, &n.Inbox)
}
