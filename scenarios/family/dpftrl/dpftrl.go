// Package dpftrl has DP-FTRL: federated learning by noised sums of all rounds so far, with
// noise that is correlated over the rounds by a matrix mechanism, of clients that come back
// (Kairouz, McMahan, Song, Thakkar, Thakurta, Xu 2021; Choquette-Choo, McMahan, Rush,
// Thakurta 2023; Choquette-Choo et al. 2023; McMahan, Xu, Zhang 2024).
//
//	the papers                                     here
//	x_t = x_0 + eta (A G + B Z)_t                  leader.Adopt, without momentum
//	A = B C, ||C|| by b-min-separation             Factorization.SensitivityOf
//	k participations, at least b apart             the keys apart, groups and times
//	Theorem 4 of banded matrices, cyclic Poisson   the key amplified
//	momentum, a function of noised sums            the key momentum
//
// Losses, participation, clipping and audits are in package federated.
package dpftrl

import (
	"starling/messages"
	"starling/scenarios/federated"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/kind"
)

// options are the keys of the section, without the keys of federated.Common.
type options struct {
	ServerRate float64 `yaml:"server_rate" over:"0" says:"server rate %v" unit:"none" doc:"eta, by which the server multiplies the sum of all mean updates so far"`
	Momentum   float64 `yaml:"momentum" min:"0" under:"1" says:"momentum %v" unit:"none" doc:"gamma, share of the last move of the server that its next move has besides: a function of noised sums, which costs no privacy; absent, 0"`
}

// Kind returns the entry for the catalog.
func Kind() kind.Kind { return described.Kind().Like(example) }

const example = `version: 1
name: example
nodes: 3
horizon: 3
algorithm: {kind: dp-ftrl, learning_rate: 0.1, clip: 1, samples: 20, groups: 2}
problem: {kind: images, data: synthetic, train: 120, test: 30, model: {kind: softmax}, partition: {kind: iid}}
topology: {kind: star}
mechanism: {kind: blt, epsilon: 2, delta: 1e-3}
seeds: {base: 1, count: 1}
plots: []
`

var described = federated.Algorithm[options]{
	Name:          "dp-ftrl",
	Summary:       "DP-FTRL: x_t = x_0 + eta (A G + B Z)_t, with A G the sums of the mean clipped updates, and noise B Z of a trusted server, for clients that take part several times (Kairouz et al.; Choquette-Choo et al.; McMahan et al.)",
	Defaults:      options{ServerRate: 1},
	Participation: aggregation.Everybody(),
	Changes:       true,
	Client: func(_ *options, at *machine.Setting, client int) machine.Client {
		return machine.Change(at, client)
	},
	Server: func(o *options, at *machine.Setting) machine.Server {
		return &leader{o: o, at: at, move: make([]float64, at.Dim), sum: make([]float64, at.Dim)}
	},
}

// leader is the server. It keeps the sum of all rounds without the projection on a set of
// models, so that noise of later rounds can take back the noise of earlier ones.
type leader struct {
	o         *options
	at        *machine.Setting
	move, sum []float64 // len d
}

// Adopt implements machine.Server.
func (s *leader) Adopt(said, mean []float64) {
	for k, v := range mean {
		s.move[k] = float64(s.o.Momentum*s.move[k]) + v
		s.sum[k] += s.move[k]
		said[k] = s.at.Start[k] + float64(s.o.ServerRate*s.sum[k])
	}
}

// State implements messages.Stateful.
func (s *leader) State(c *messages.Codec) {
	c.Floats("move", s.move)
	c.Floats("sum", s.sum)
}
