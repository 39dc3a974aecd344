package main

import (
	"math"

	"starling/messages"
	"starling/scenarios/federated"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/kind"
)

// fedAdamOptions are the keys of `algorithm: {kind: fed-adam}` beside those of all algorithms
// of a server and its clients: local steps, clipping, participation, aggregation.
type fedAdamOptions struct {
	ServerRate float64 `yaml:"server_rate" over:"0" says:"server rate %v" unit:"none" doc:"eta, the step size of the server"`
	Beta1      float64 `yaml:"beta1" min:"0" under:"1" says:"beta1 = %v" unit:"none" doc:"share of the first moment that a round leaves"`
	Beta2      float64 `yaml:"beta2" min:"0" under:"1" says:"beta2 = %v" unit:"none" doc:"share of the second moment that a round leaves"`
	Tau        float64 `yaml:"adaptivity" over:"0" says:"adaptivity %v" unit:"that of the model" doc:"tau, which is added to the root of the second moment"`
}

// fedAdam is FedAdam (Reddi et al., Adaptive Federated Optimization, ICLR 2021, Algorithm 2):
//
//	m <- beta1 m + (1 - beta1) D,  v <- beta2 v + (1 - beta2) D^2,  x <- x + eta m/(sqrt(v) + tau),
//
// D the mean of the clipped changes of clients, with noise. The server computes of noised sums
// alone, which costs no privacy.
var fedAdam = federated.Algorithm[fedAdamOptions]{
	Name: "fed-adam", Summary: "FedAdam: the server takes a step of Adam along the mean clipped change of clients (Reddi et al.)",
	Defaults:      fedAdamOptions{ServerRate: 0.1, Beta1: 0.9, Beta2: 0.99, Tau: 1e-3},
	Participation: aggregation.Everybody(),
	Changes:       true, // a client sends its model after local steps less the server's
	Client: func(_ *fedAdamOptions, at *machine.Setting, client int) machine.Client {
		return machine.Change(at, client)
	},
	Server: func(o *fedAdamOptions, at *machine.Setting) machine.Server {
		s := &adam{o: o, m: make([]float64, at.Dim), v: make([]float64, at.Dim)}
		for k := range s.v {
			s.v[k] = o.Tau * o.Tau
		}
		return s
	},
}

func fedAdamKind() kind.Kind { return fedAdam.Kind().Like(fedAdamFile) }

// fedAdamFile is a scenario of three rounds.
const fedAdamFile = `version: 1
name: example
nodes: 3
horizon: 3
algorithm: {kind: fed-adam, learning_rate: 0.1, clip: 1, samples: 20, tau: 2}
problem: {kind: images, data: synthetic, train: 120, test: 30, model: {kind: softmax}, partition: {kind: iid}}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 2, delta: 1e-5}
seeds: {base: 1, count: 1}
plots: []
`

// adam is the server.
type adam struct {
	o    *fedAdamOptions
	m, v []float64 // the moments, len d
}

// Adopt overwrites said, the model that clients have, with the next.
func (s *adam) Adopt(said, mean []float64) {
	for k, d := range mean {
		s.m[k] = float64(s.o.Beta1*s.m[k]) + float64((1-s.o.Beta1)*d)
		s.v[k] = float64(s.o.Beta2*s.v[k]) + float64((1-s.o.Beta2)*float64(d*d))
		said[k] += float64(s.o.ServerRate * s.m[k] / (math.Sqrt(s.v[k]) + s.o.Tau))
	}
}

// State names what a round leaves for the next.
func (s *adam) State(c *messages.Codec) {
	c.Floats("m", s.m)
	c.Floats("v", s.v)
}
