// Package diging plans Push-DIGing (Nedic, Olshevsky, Shi, "Achieving Geometric Convergence
// for Distributed Optimization over Time-Varying Graphs", SIAM Journal on Optimization
// 27(4), 2017, Algorithm 2): gradient tracking by push-sum, on digraphs that change. It
// measures nothing, and knows no network: package network decides the fate of messages.
//
//	the paper                                        here
//	C(k), column stochastic                          topology.PushSum
//	u(k+1) = C(k) (u(k) - alpha y(k))                node.hear
//	v(k+1) = C(k) v(k), x(k+1) = V(k+1)^-1 u(k+1)    inbox.Inbox's mass and ratio
//	y(k+1) = C(k) y(k) + grad f(x(k+1)) - grad f(x(k))
//	                                                 node.Step
//	section 4: the y add up to the sum of gradients  TestTheSumOfYIsThatOfTheGradients
//	section 4: geometric convergence                 TestConvergesGeometrically
//
// # Differences from the paper
//
// Costs may change: y then follows the mean of the gradients of the step, as it is met. A
// decision is the point of the problem's set that is nearest to u/v, and u goes on from it;
// the paper has no set.
//
// # Privacy
//
// A message is (y + noise, u, v). Only y needs noise: given all earlier releases, u and v follow
// from these, from public values and from the graphs. The sum of y that a node hears is known as
// well. So other costs of the node move y by the change of two gradients, 4 theta in 2-norm, and
// in the first step by the change of one, 2 theta. The sum of all y keeps the noise of all steps:
// noise adds up in the tracked gradients, which is the price of tracking.
package diging

import (
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/topology"
	"starling/mechanisms/kernel"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/gossip"
	"starling/scenarios/kind"
)

// options are the keys of the section.
type options struct {
	LearningRate float64 `yaml:"learning_rate" role:"rate" over:"0" says:"learning rate %v" unit:"step size" doc:"step size alpha, the same in all steps"`
}

// Kind returns the entry for the catalog.
func Kind() kind.Kind { return described.Kind().Like(example) }

const example = `version: 1
name: example
nodes: 3
horizon: 3
algorithm: {kind: push-diging, theta: 1, gradient_bound: clip}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}
topology: {kind: exponential, weighting: {scheme: uniform-out, self_loops: true}}
mechanism: {kind: laplace, epsilon: 2}
seeds: {base: 1, count: 1}
plots: []
`

// described is Push-DIGing with noise of any law on every message.
var described = gossip.Algorithm[options]{
	Name:      "push-diging",
	Summary:   "Push-DIGing: gradient tracking by push-sum on time-varying digraphs, noise on the tracked vectors (Nedic, Olshevsky, Shi)",
	Defaults:  options{LearningRate: 0.1},
	Scheduled: "u is sent without noise because it follows from releases, and after a step without one it would not",
	Weights:   topology.PushSum,
	Opening: func(_ *options, at *gossip.Setting) (release []float64, clear int) {
		d := len(at.Start)
		return append(make([]float64, d, 2*d), at.Start...), d // y and u
	},
	Sensitivity: func(_ *options, at *gossip.Setting, step int) noise.Moves {
		gradients := 2.0
		if step == 1 {
			gradients = 1
		}
		return noise.MovesL2(gradients*2*at.Bound.Theta, at.Problem.Dim())
	},
	Machine: func(o *options, at *gossip.Setting) algorithm.Machine { return newNode(o, at) },
}

// node is the machine of a node.
type node struct {
	options *options
	at      *gossip.Setting
	x       []float64 // x_t, len d
	g       []float64 // gradient of the last step that the node took part in, len d
	inbox.Inbox
	heard []float64 // working memory, as long as a release: no part of the state
}

func newNode(o *options, at *gossip.Setting) *node {
	return &node{
		options: o, at: at, x: slices.Clone(at.Start), g: make([]float64, len(at.Start)),
		Inbox: inbox.NewInbox(at.Rule), heard: make([]float64, len(at.Rule.Start)),
	}
}

// State implements algorithm.Machine.
func (n *node) State(c *messages.Codec) {
	c.Floats("x", n.x)
	c.Floats("gradient", n.g)
	n.Keep(c)
}

// Sums implements algorithm.Summer.
func (*node) Sums() {}

// Step implements algorithm.Machine.
func (n *node) Step(t *algorithm.Turn) error {
	d := len(n.x)
	tracked := n.heard[:d]
	if t.Step == 1 { // there is nothing to hear
		clear(tracked)
	} else if err := n.hear(t, tracked); err != nil {
		return err
	}
	n.Weigh(t)
	kernel.Axpy(tracked, -1, n.g)
	if err := t.PlayAndDifferentiate(n.g, n.x, n.at.Bound); err != nil {
		return err
	}
	kernel.Axpy(tracked, 1, n.g)
	v := t.Vector(len(n.heard))
	copy(v.Values, tracked)
	kernel.Scale(v.Values[d:2*d], n.Mass(), n.x)
	v.Values[2*d] = n.Mass()
	return t.Release(n.at.Release(t.Step), v, &n.Inbox)
}

// hear makes x_t of the messages of the step before, and leaves the sum of y in tracked,
// the beginning of n.heard.
func (n *node) hear(t *algorithm.Turn, tracked []float64) error {
	if err := t.Receive(&n.Inbox, n.heard); err != nil {
		return err
	}
	d := len(n.x)
	x := n.heard[d : 2*d]
	kernel.Axpy(x, -n.options.LearningRate, tracked) // both are divided by the mass
	set := n.at.Set
	set.Project(n.x, x, t.Scratch(set.WorkSize()))
	kernel.Scale(tracked, n.Mass(), tracked)
	return nil
}
