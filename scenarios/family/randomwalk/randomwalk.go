package randomwalk

import (
	"errors"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/gossip"
	"starling/scenarios/kind"
)

// Kind returns the entry for the catalog.
func Kind() kind.Kind { return randomWalk.Kind().Like(example) }

const example = `version: 1
name: example
nodes: 3
horizon: 6
algorithm: {kind: random-walk, theta: 1, gradient_bound: clip}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}
topology: {kind: complete}
mechanism: {kind: gaussian, epsilon: 2, delta: 1e-5}
seeds: {base: 1, count: 1}
plots: []
`

// walking keys the draws of the token's walk.
var walking = rng.PurposeOf("random-walk.next")

var randomWalk = gossip.Algorithm[gossip.Rate]{
	Name:      "random-walk",
	Summary:   "private random walk: a model walks the graph, x = P(x - alpha_t (gradient of the current node) + noise); a node learns of others when the model arrives (Cyffers, Bellet, Upadhyay)",
	Defaults:  gossip.Rate{LearningRate: 0.5, Decay: 0.5},
	Scheduled: "the walk is its schedule: one node sends in a step",
	Weights:   topology.DoublyStochastic,
	Ideal:     true,
	Apart:     "a token goes from node to node, and a mean is no token",
	Sensitivity: func(r *gossip.Rate, at *gossip.Setting, step int) noise.Moves {
		return noise.MovesL2(2*r.At(step)*at.Bound.Theta, at.Problem.Dim())
	},
	Machine: func(r *gossip.Rate, at *gossip.Setting) algorithm.Machine {
		d := len(at.Start)
		return &node{rate: r, at: at, x: slices.Clone(at.Start), g: make([]float64, d)}
	},
	Learns:    learns,
	LearnsWhy: "a coalition learns of a node when the token comes from there, by the noise of all steps since, of contractions, and the walk is known",
	Claimed: func(*gossip.Rate, *gossip.Setting) string {
		return "by pairs of nodes, in the mean over walks: Theorem 1 of the paper"
	},
}

// node is the machine of one node.
type node struct {
	rate *gossip.Rate
	at   *gossip.Setting
	x    []float64 // its last model, len d
	g    []float64 // working memory
}

// State implements algorithm.Machine.
func (n *node) State(c *messages.Codec) { c.Floats("x", n.x) }

// Step implements algorithm.Machine.
func (n *node) Step(t *algorithm.Turn) error {
	holds := t.Step == 1 && t.View.Self() == 0
	for i := range t.Inbox {
		token, ok := t.Inbox[i].Payload.(*messages.Vector)
		if !ok {
			return errors.New("the message received is no token")
		}
		holds = true
		n.take(t, token.Values)
	}
	if !holds {
		return t.Play(n.x)
	}
	if err := t.PlayAndDifferentiate(n.g, n.x, n.at.Bound); err != nil {
		return err
	}
	y := t.Vector(len(n.x))
	alpha := n.rate.At(t.Step)
	for k, g := range n.g {
		y.Values[k] = n.x[k] - float64(alpha*g)
	}
	to, err := next(n.at.Seed, t.Step, t.View)
	if err != nil {
		return err
	}
	if err := t.ReleaseTo(to, n.at.Release(t.Step), y, nil); err != nil || t.Stopped() {
		return err
	}
	n.take(t, y.Values)
	return nil
}

// take makes x_t from a token.
func (n *node) take(t *algorithm.Turn, token []float64) {
	set := n.at.Set
	set.Project(n.x, token, t.Scratch(set.WorkSize()))
}

// next draws the receiver of the token from a node in a step. The candidates are the nodes
// that hear the node, by the weights with which they hear it. The walk depends on the seed, as
// random graphs do, and is public.
func next(seed uint64, step int, v topology.View) (messages.NodeID, error) {
	var stream rng.Stream
	r := stream.Open(rng.NewKey(seed, walking), int(v.Self()), step, 0)
	out := v.Out()
	var sum float64
	for _, to := range out {
		sum += v.Weight(to)
	}
	if !(sum > 0) {
		return 0, errors.New("the token is at a node without out-neighbours")
	}
	left := float64(r.Float64() * sum)
	for _, to := range out {
		if left -= v.Weight(to); left < 0 {
			return to, nil
		}
	}
	return out[len(out)-1], nil // in case of rounding in the sum
}
