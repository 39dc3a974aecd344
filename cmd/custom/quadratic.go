package main

import (
	"math"

	"starling/actors/algorithm/mirror"
	"starling/mechanisms/kernel"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/kind"
	"starling/scenarios/problem"
	"starling/scenarios/section/problems"
)

// quadraticOptions are the keys of `problem: {kind: quadratic}` beside kind and set.
type quadraticOptions struct {
	Spread float64 `yaml:"spread" min:"0" max:"1000" says:"a spread of %v" doc:"the minima of costs are within so much of the origin, in every coordinate"`
}

func quadraticDefaults() quadraticOptions { return quadraticOptions{Spread: 1} }

// quadraticKind is the problem's entry in the catalog.
var quadraticKind = kind.New("quadratic", "every node has a new minimum in every step (convex)", problems.DefaultProblem(quadraticDefaults),
	problems.Of(quadraticDefaults, func(o quadraticOptions, nodes int, set mirror.Set) (*quadratic, error) {
		return &quadratic{quadraticOptions: o, nodes: nodes, set: set}, nil
	})).Like("{kind: quadratic, set: {kind: l2-ball, dimension: 2, radius: 1}}")

// quadratic has the costs f_t^i(x) = ||x - b||^2/2, b uniform for each node and step.
type quadratic struct {
	quadraticOptions
	nodes int
	set   mirror.Set
	key   rng.Key // of a seed
}

func (*quadratic) Kind() string                { return "quadratic" }
func (q *quadratic) Dim() int                  { return q.set.Dim() }
func (q *quadratic) Nodes() int                { return q.nodes }
func (q *quadratic) Set() mirror.Set           { return q.set }
func (*quadratic) Smoothness() (float64, bool) { return 1, true } // of the gradient x - b
func (q *quadratic) GradientBound() float64 { // the largest ||x - b||, on which privacy rests
	return q.set.MaxDistance(make([]float64, q.Dim())) + float64(q.Spread*math.Sqrt(float64(q.Dim())))
}
func (q quadratic) Draw(seed uint64, _ int) (problem.Instance, error) { // functions of node, step and x alone
	q.key = rng.NewKey(seed, rng.PurposeOf("quadratic"))
	return &q, nil
}
func (q *quadratic) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	for k := range dst { // entry k of x - b
		dst[k] = x[k] - float64(q.Spread*(float64(2*q.key.Uniform(int(node), step, k))-1))
	}
}
func (q *quadratic) Loss(node messages.NodeID, step int, x []float64) float64 {
	away := make([]float64, len(x))
	q.Gradient(away, node, step, x)
	return kernel.SquaredNorm(away) / 2
}
func (q *quadratic) SumGradient(dst []float64, step int, x []float64) {
	problem.SumGradients(dst, q, q.nodes, step, x)
}
