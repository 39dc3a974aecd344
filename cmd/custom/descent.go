package main

import (
	_ "embed"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/topology"
	"starling/mechanisms/kernel"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/gossip"
	"starling/scenarios/metric"
)

// descentOptions are the keys of `algorithm: {kind: noisy-descent}` beside kind and the keys
// that all algorithms of equals have: start, theta, gradient_bound, missing, late. Each tag
// doc is the text of help and schema; unit and range describe the values in words.
type descentOptions struct {
	Rate float64 `yaml:"rate" unit:"step size" range:"above 0" doc:"step size alpha_t = rate/sqrt(t)"`
}

// exampleFile is the file that `custom describe` prints, and from which `custom init` begins.
//
//go:embed example.yaml
var exampleFile string

// descent is decentralized gradient descent with noise on every message:
//
//	y_t = x_t - alpha_t g_t + noise,  x_{t+1} = P(sum_j w_ij y_t^j),
//
// g_t the gradient at x_t and P the projection to the decision set.
var descent = gossip.Algorithm[descentOptions]{
	Name:     "noisy-descent",
	Summary:  "decentralized gradient descent, noise on every message",
	Defaults: descentOptions{Rate: 0.5}, // the values of keys that a file leaves out
	Weights:  topology.DoublyStochastic, // else the nodes agree on no mean
	// Check sees all options at once, and names the key that is wrong.
	Check: func(o *descentOptions) error {
		if !(o.Rate > 0) || math.IsInf(o.Rate, 1) {
			return document.At("rate", "rate = %v; it must be a finite number > 0", o.Rate)
		}
		return nil
	},
	// Given all that was released before, x_t is known, and other costs of the node move
	// y_t by alpha_t times the distance of two gradients: 2 theta in 2-norm, sqrt(d) times
	// that in 1-norm. Noise of every law, ledger, budget and audit rest on this one line.
	Sensitivity: func(o *descentOptions, at *gossip.Setting, step int) noise.Moves {
		return noise.MovesL2(2*o.at(step)*at.Bound.Theta, at.Problem.Dim())
	},
	// Metrics that machines record under the name are listed, drawn and selected as all
	// metrics are.
	Metrics: metric.List{{
		Name: gradientNorm, Summary: "2-norm of a node's gradient, the mean over nodes",
		Label: "norm of the gradient", Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "gradient", Title: "gradients of the nodes"},
	}},
	// All nodes begin at the same point, which is public.
	Machine: func(o *descentOptions, at *gossip.Setting) algorithm.Machine {
		return &node{options: o, at: at, x: slices.Clone(at.Start), g: make([]float64, len(at.Start)), Inbox: inbox.NewInbox(at.Rule)}
	},
}

const gradientNorm = "gradient.norm"

// at is alpha_t.
func (o *descentOptions) at(step int) float64 { return o.Rate / math.Sqrt(float64(step)) }

// node is the machine of one node.
type node struct {
	options *descentOptions
	at      *gossip.Setting
	x       []float64 // x_t
	g       []float64 // working memory: no part of the state
	// Inbox keeps messages as algorithm.missing says.
	inbox.Inbox
}

// State names all that a turn leaves for the next. Checkpoints, digests, replay and the
// messages of failed tests follow from it.
func (n *node) State(c *messages.Codec) {
	c.Floats("x", n.x)
	n.Keep(c)
}

// Step is the turn of a step: a function of the state and the turn alone.
func (n *node) Step(t *algorithm.Turn) error {
	if t.Step > 1 { // there is nothing to hear in the first
		if err := n.average(t); err != nil {
			return err
		}
	}
	// The decision comes before the gradient. One beyond the bound that Sensitivity rests
	// on fails the run, or is clipped, as algorithm.gradient_bound says.
	if err := t.PlayAndDifferentiate(n.g, n.x, n.at.Bound); err != nil {
		return err
	}
	t.Record(gradientNorm, kernel.Norm(n.g))
	y := n.Vector(t, n.x) // to send: the runtime owns its memory
	for k, g := range n.g {
		y.Values[k] -= float64(n.options.at(t.Step) * g) // float64: the same bits on every machine
	}
	// The mechanism pays, draws its noise, and states the payment on the message. Where the
	// budget is spent no message is sent, and the node's part ends.
	return t.Release(n.at.Release(t.Step), y, &n.Inbox)
}

// average computes x_t from the messages of the neighbours: by weight, and as
// algorithm.missing and algorithm.late say where messages are missing or late.
func (n *node) average(t *algorithm.Turn) error {
	set := n.at.Problem.Set()
	work := t.Scratch(len(n.x) + set.WorkSize())
	mean, work := work[:len(n.x)], work[len(n.x):]
	if err := t.Receive(&n.Inbox, mean); err != nil {
		return err
	}
	set.Project(n.x, mean, work)
	return nil
}
