package decor

import (
	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/scenarios/gossip"
	"starling/scenarios/kind"
)

// options are the keys of the section.
type options struct {
	gossip.Rate `yaml:",inline"`
	Correlated  float64 `yaml:"correlated,required" min:"0" says:"correlated %v" unit:"deviations of a node's own noise" doc:"sigma_cor over sigma_cdp: the deviation of the noise shared with each neighbour, relative to the deviation of a node's own noise; 0 is dsgd with Gaussian noise, and the larger it is the less own noise is needed, and the more noise has to be averaged away"`
}

// Kind returns the entry for the catalog.
func Kind() kind.Kind { return described().Kind().Like(example) }

// example is a scenario with the algorithm.
const example = `version: 1
name: example
horizon: 3
nodes: 3
algorithm: {kind: decor, correlated: 2, theta: 1, gradient_bound: clip}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}
topology: {kind: ring}
mechanism: {kind: gaussian, epsilon: 2, delta: 1e-3}
seeds: {base: 1, count: 1}
`

// described is the algorithm.
func described() gossip.Algorithm[options] {
	return gossip.Algorithm[options]{
		Name:      "decor",
		Summary:   "DECOR: decentralised gradient descent with Gaussian noise that neighbours share and that cancels in the mean, x_i = sum_j w_ij (x_j - eta (g_j + v_j + sum_k v_jk)), v_jk = -v_kj (Allouah, Koloskova, El Firdoussi, Jaggi, Guerraoui)",
		Defaults:  options{Rate: gossip.Rate{LearningRate: 0.5, Decay: 0.5}},
		Scheduled: "nodes share noise with those they send to, and it cancels where both send",
		Weights:   topology.DoublyStochastic,
		Sensitivity: func(o *options, at *gossip.Setting, step int) noise.Moves {
			return noise.MovesL2(2*o.At(step)*at.Bound.Theta, at.Problem.Dim())
		},
		Claimed: func(*options, *gossip.Setting) string {
			return "what its Algorithm 2 comes to, with the same covariance"
		},
		Shared:  func(o *options) float64 { return o.Correlated },
		Machine: func(o *options, at *gossip.Setting) algorithm.Machine { return gossip.NewDescender(&o.Rate, at) },
	}
}
