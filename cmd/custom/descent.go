package main

import (
	"errors"
	"math"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/gossip"
)

// descentOptions are the keys of `algorithm: {kind: noisy-descent}` beside kind. Each tag
// doc is the text of help and schema.
type descentOptions struct {
	Rate float64 `yaml:"rate" doc:"step size alpha_t = rate/sqrt(t)"`
}

// descent is decentralized gradient descent with Laplace noise on every message:
//
//	y_t = x_t - alpha_t g_t + noise,  x_{t+1} = P(x_t + sum_j w_ij (y_t^j - x_t)),
//
// g_t the gradient at x_t and P the projection to the decision set.
var descent = gossip.Algorithm[descentOptions]{
	Name:     "noisy-descent",
	Summary:  "decentralized gradient descent, Laplace noise on every message",
	Defaults: descentOptions{Rate: 0.5}, // what a file that leaves a key out means
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
	// that in 1-norm. Noise, ledger, budget and audit rest on this one line.
	Sensitivity: func(o *descentOptions, at *gossip.Setting, step int) float64 {
		return 2 * o.at(step) * at.Problem.GradientBound() * math.Sqrt(float64(at.Problem.Dim()))
	},
	// All nodes begin at the centre of the set, which is public.
	Machine: func(o *descentOptions, at *gossip.Setting) algorithm.Machine {
		d := at.Problem.Dim()
		n := &node{options: o, at: at, x: make([]float64, d), g: make([]float64, d)}
		at.Problem.Set().Center(n.x)
		return n
	},
}

// at is alpha_t.
func (o *descentOptions) at(step int) float64 { return o.Rate / math.Sqrt(float64(step)) }

// node is the machine of one node.
type node struct {
	options *descentOptions
	at      *gossip.Setting
	x       []float64 // x_t
	g       []float64 // working memory: no part of the state
}

// State names all that a turn leaves for the next. Checkpoints, digests, replay and the
// messages of failed tests follow from it.
func (n *node) State(c *messages.Codec) { c.Floats("x", n.x) }

// Step is the turn of a step: a function of the state and the turn alone.
func (n *node) Step(t *algorithm.Turn) error {
	n.average(t)
	// The decision comes first: whoever asks for the gradient before it fails the run.
	if err := t.Play(n.x); err != nil {
		return err
	}
	if err := n.at.Gradient(t, n.g, n.x); err != nil { // fails beyond the bound that Sensitivity rests on
		return err
	}
	y := t.Vector(len(n.x)) // to send: the runtime owns its memory
	for k, v := range n.x {
		y.Values[k] = v - float64(n.options.at(t.Step)*n.g[k]) // float64: the same bits on every machine
	}
	// The mechanism pays before it adds noise. Where the budget is spent it refuses, and
	// the node's part ends.
	mechanism, sensitivity := n.at.Noise(t.Step)
	receipt, err := mechanism.Release(y.Values, t.Rand(n.at.Purpose), sensitivity, t.Spend)
	if errors.Is(err, accountant.ErrBudget) {
		t.Stop(err.Error())
		return nil
	} else if err != nil {
		return err
	}
	return t.Broadcast(y, algorithm.Released(receipt)) // the receipt says that noise is on it
}

// average computes x_t from what the neighbours sent. A message that is missing counts
// as x_{t-1}.
func (n *node) average(t *algorithm.Turn) {
	set := n.at.Problem.Set()
	work := t.Scratch(len(n.x) + set.WorkSize())
	mean, work := work[:len(n.x)], work[len(n.x):]
	copy(mean, n.x)
	for i := range t.Inbox { // empty in the first turn, else in the order of the senders
		e := &t.Inbox[i]
		for k, y := range e.Payload.(*messages.Vector).Values {
			mean[k] += float64(e.Weight * (y - n.x[k]))
		}
	}
	set.Project(n.x, mean, work)
}
