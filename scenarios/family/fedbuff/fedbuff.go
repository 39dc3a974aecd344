// Package fedbuff has FedBuff, asynchronous federated learning of a server that waits for K
// updates and not for clients (Nguyen, Malik, Zhan, Yousefpour, Rabbat, Malek, Huba,
// Federated Learning with Buffered Asynchronous Aggregation, AISTATS 2022, arXiv
// 2106.06639).
//
//	the paper, Algorithms 1 and 2                 here
//	sample available clients, run asynchronously  the key rate, with the network's delays; or the
//	                                              key concurrency, with the section clock
//	y_0 = w, Q local steps, send y_0 - y_Q        machine.Change sends y_Q - y_0
//	Delta <- Delta + s(tau) Delta_i               package machine, the keys of Buffer
//	s(tau) = 1/sqrt(1 + tau)                      the key staleness
//	Delta <- Delta/K, once there are K            package federated, whatever the weights
//	w <- w - eta_g Delta                          server.Adopt, of the opposite sign
//
// The paper leaves open when clients hear of the new model, and the effect of a client's
// second update in a buffer with differential privacy. Here the server sends its model to all
// clients at the end of a round in which it has taken a step. A client computes with the
// newest model that it has, in every round that it takes part in. With a concurrency it sends its model to
// the clients that are admitted, which begin with it. An update is dropped if
// another one of the same client is in the buffer. Noise of the server on every sum hides one
// update of a client; see machine.Buffer for the unit of protection and the payments.
package fedbuff

import (
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/federated"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/kind"
)

// options are the keys of the section, without the keys of federated.Common.
type options struct {
	Buffer     machine.Buffer `yaml:",inline"`
	ServerRate float64        `yaml:"server_rate" over:"0" says:"server rate %v" unit:"none" doc:"eta_g, by which the server multiplies the mean of a buffer"`
}

// Kind returns the entry for the catalog.
func Kind() kind.Kind { return described.Kind().Like(example, rounds) }

const example = `version: 1
name: example
nodes: 3
horizon: 3
algorithm: {kind: fedbuff, learning_rate: 0.1, clip: 1, samples: 20, tau: 2, buffer: 2, concurrency: 2}
problem: {kind: images, data: synthetic, train: 120, test: 30, model: {kind: softmax}, partition: {kind: iid}}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 2, delta: 1e-5}
clock: {compute: {median: 0.01, spread: 1}}
seeds: {base: 1, count: 1}
plots: []
`

// rounds has a network with delays in place of a clock.
const rounds = `version: 1
name: example
nodes: 3
horizon: 3
algorithm: {kind: fedbuff, learning_rate: 0.1, clip: 1, samples: 20, tau: 2, buffer: 2}
problem: {kind: images, data: synthetic, train: 120, test: 30, model: {kind: softmax}, partition: {kind: iid}}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 2, delta: 1e-5}
network: {kind: effects, delay: {longest: 2}, patience: 1}
seeds: {base: 1, count: 1}
plots: []
`

var described = federated.Algorithm[options]{
	Name:          "fedbuff",
	Summary:       "FedBuff: x <- x + eta_g (sum of K clipped updates, weighted by staleness, in order of arrival + noise)/K, with noise of a trusted server (Nguyen et al.)",
	Defaults:      options{ServerRate: 1, Buffer: machine.Buffer{Staleness: machine.StaleSqrt}},
	Participation: aggregation.Everybody(),
	Buffer:        func(o *options) *machine.Buffer { return &o.Buffer },
	Client: func(_ *options, at *machine.Setting, index int) machine.Client {
		return machine.Change(at, index)
	},
	Server: func(o *options, _ *machine.Setting) machine.Server { return &server{o} },
}

// server is the server.
type server struct{ o *options }

// Adopt implements machine.Server.
func (s *server) Adopt(said, mean []float64) { kernel.Axpy(said, s.o.ServerRate, mean) }

// State implements messages.Stateful: the server has no state except its message.
func (*server) State(*messages.Codec) {}
