package baseline

import (
	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/scenarios/gossip"
)

// DSGD is decentralised gradient descent with noise of any law on every message:
//
//	y_t = x_t - alpha_t g_t + noise,  x_{t+1} = P(sum_j w_ij y_t^j),
//
// g_t the gradient of the node's own costs at x_t and P the projection to the decision
// set (Nedic, Ozdaglar, Distributed Subgradient Methods for Multi-Agent Optimization,
// 2009; with P: Ram, Nedic, Veeravalli 2010). Nodes adapt before they combine, so that
// a message is one release of the newest gradient. On the complete graph this is
// gradient descent on the mean of all costs.
//
// Given all earlier releases, x_t is known, and other costs of the node move y_t by alpha_t
// times the distance of two gradients: 2 theta in 2-norm.
//
// A node that nobody hears goes on from y_t without noise. Weights of at most 1 and P bring no
// two y_t further apart in 2-norm. So the next release moves by at most the sum of the moves of
// all steps since the last.
var DSGD = gossip.Algorithm[gossip.Rate]{
	Name:        "dsgd",
	Summary:     "decentralised gradient descent on any topology, noise on every message (Nedic, Ozdaglar)",
	Defaults:    gossip.Rate{LearningRate: 0.5, Decay: 0.5},
	Weights:     topology.DoublyStochastic,
	Accumulates: true,
	Sensitivity: func(r *gossip.Rate, at *gossip.Setting, step int) noise.Moves {
		return noise.MovesL2(2*r.At(step)*at.Bound.Theta, at.Problem.Dim())
	},
	Machine: func(r *gossip.Rate, at *gossip.Setting) algorithm.Machine { return gossip.NewDescender(r, at) },
}

// SGP is stochastic gradient push (Assran, Loizou, Ballas, Rabbat, Stochastic Gradient Push
// for Distributed Deep Learning, 2019), Algorithm 1, with noise of any law on every message:
// DSGD by push-sum, for digraphs with weights that are only column stochastic. Node i holds a
// mass w_i besides, 1 at first, and X_i = w_i x_i:
//
//	Y_t = X_t - alpha_t g_t + noise,  w_{t+1} = sum_j p_ij w_t^j,
//	x_{t+1} = P(sum_j p_ij Y_t^j / w_{t+1}).
//
// The paper has no set and no noise. Masses follow from the graphs and from losses of
// messages, so they are public and take no noise. The sensitivity is DSGD's: whatever the
// mass, other costs move Y_t by alpha_t times the distance of two gradients. Without a release
// moves add up as DSGD's do: w P(Y/w) brings no two Y further apart either. The effect of
// noise on a decision grows with 1/w_i.
var SGP = gossip.Algorithm[gossip.Rate]{
	Name:        "sgp",
	Summary:     "stochastic gradient push: gradient descent by push-sum on directed graphs, noise on every message (Assran et al.)",
	Defaults:    DSGD.Defaults,
	Weights:     topology.PushSum,
	Accumulates: true,
	Sensitivity: DSGD.Sensitivity,
	Machine:     DSGD.Machine,
}

// Local has every node take gradient steps in its own costs, and send nothing:
//
//	x_{t+1} = P(x_t - alpha_t g_t).
//
// It is the baseline that learning together has to beat, and costs no privacy.
var Local = gossip.Algorithm[gossip.Rate]{
	Name:     "local",
	Summary:  "gradient descent of each node on its own costs, without messages",
	Defaults: DSGD.Defaults,
	Silent:   true,
	Machine:  func(r *gossip.Rate, at *gossip.Setting) algorithm.Machine { return gossip.NewAlone(r, at) },
}
