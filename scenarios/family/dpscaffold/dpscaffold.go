// Package dpscaffold has DP-FedAvg and DP-SCAFFOLD, with noise of a trusted server or of
// clients (McMahan, Ramage, Talwar, Zhang, Learning Differentially Private Recurrent Language
// Models, ICLR 2018; Noble, Bellet, Dieuleveut, Differentially Private Federated Learning on
// Heterogeneous Data, AISTATS 2022; SCAFFOLD is by Karimireddy et al., ICML 2020).
//
//	the papers                                        here
//	user level: Poisson samples of clients at rate q  the key rate
//	f~_f, the sum over q W, with noise sigma S        package federated, level: user
//	record level: noise on every local gradient       package federated, level: record
//	y_i <- y_i - eta_l (H~ - c_i + c)                 client.Update
//	c_i+ = the mean of H~ over the local steps        client.Update, from the distance of y_i,
//	                                                  and keeper.Keep
//	x <- x + eta_g mean (y_i - x)                     server.Adopt
//	c <- c + l/M mean (c_i+ - c_i)                    server.Adopt
//
// DP-FedAvg is DP-SCAFFOLD with all control variates 0.
//
// A straggler divides by the local steps that it has taken, so that c_i+ is the mean of its
// gradients still. Option II of SCAFFOLD has one K for all clients. A straggler without an
// update keeps its c_i.
//
// At the level of users the paper has no DP-SCAFFOLD. Here a client clips its change of
// the model and of its control variate together, the latter in units of the former, K
// eta_l (c_i+ - c_i). So one noise hides both, and neither is protected twice. The client applies
// to its own control variate the change that it has sent, clipped and before noise, and none of a
// round that was aborted: c stays the mean of all c_i, except for the noise of the sum.
package dpscaffold

import (
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/federated"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/kind"
)

// options are the keys of both sections, without the keys of federated.Common.
type options struct {
	ServerRate float64 `yaml:"server_rate" over:"0" says:"server rate %v" unit:"none" doc:"eta_g, by which the server multiplies the mean update"`
}

// DPFedAvg is the entry of DP-FedAvg for the catalog.
func DPFedAvg() kind.Kind { return averaging.Kind().Like(exampleOf("dp-fedavg")) }

// DPSCAFFOLD is the entry of DP-SCAFFOLD for the catalog.
func DPSCAFFOLD() kind.Kind { return scaffold.Kind().Like(exampleOf("dp-scaffold")) }

func exampleOf(name string) string {
	return `version: 1
name: example
nodes: 3
horizon: 3
algorithm: {kind: ` + name + `, learning_rate: 0.1, clip: 1, samples: 20, tau: 2, rate: 0.5}
problem: {kind: images, data: synthetic, train: 120, test: 30, model: {kind: softmax}, partition: {kind: iid}}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 2, delta: 1e-5}
seeds: {base: 1, count: 1}
plots: []
`
}

var averaging = federated.Algorithm[options]{
	Name:          "dp-fedavg",
	Summary:       "DP-FedAvg: x <- x + eta_g (sum of clipped updates of sampled clients + noise)/(q N), with noise of a trusted server or of clients (McMahan et al.; Noble et al.)",
	Defaults:      options{ServerRate: 1},
	Participation: aggregation.Everybody(),
	Changes:       true,
	Client: func(_ *options, at *machine.Setting, index int) machine.Client {
		return &client{at: at, index: index, kept: at.NewKept()}
	},
	Server: func(o *options, at *machine.Setting) machine.Server { return &server{o, at} },
}

var scaffold = federated.Algorithm[options]{
	Name:          "dp-scaffold",
	Summary:       "DP-SCAFFOLD: local steps y <- y - eta_l (g - c_i + c), with control variates for different clients, and noise of clients or of a trusted server (Noble, Bellet, Dieuleveut)",
	Defaults:      options{ServerRate: 1},
	Participation: aggregation.Everybody(),
	Parts:         2,
	Keeps:         true,
	Client: func(_ *options, at *machine.Setting, index int) machine.Client {
		return &keeper{client{at: at, index: index, own: make([]float64, at.Dim)}}
	},
	Server: func(o *options, at *machine.Setting) machine.Server { return &server{o, at} },
}

// client is a client of both; own is c_i, nil in DP-FedAvg.
type client struct {
	at    *machine.Setting
	index int
	own   []float64
	kept  machine.Kept
}

// span is K eta_l, the distance that local steps go by a gradient of 1. Control variates are
// sent in its units, whatever the number of steps taken.
func span(at *machine.Setting) float64 { return spanOf(at, at.Steps.Tau) }

// spanOf is span for a number of local steps.
func spanOf(at *machine.Setting, steps int) float64 { return float64(steps) * at.Steps.LearningRate }

// Update implements machine.Client.
func (c *client) Update(t *algorithm.Turn, dst, said []float64) (accountant.Receipt, error) {
	d := c.at.Dim
	y := dst[:d]
	copy(y, said)
	var shift []float64
	if c.own != nil {
		shift = slices.Clone(said[d:])
		kernel.Axpy(shift, -1, c.own)
	}
	receipt, err := c.at.Steps.Take(t, c.index, y, shift, c.kept)
	if err != nil {
		return receipt, err
	}
	kernel.Axpy(y, -1, said[:d])
	if c.own == nil {
		return receipt, nil
	}
	// The mean gradient is the distance that y went, without the shift: c_i+ - c_i = -c + (x -
	// y)/(K eta_l), K the steps taken.
	taken := spanOf(c.at, c.at.Steps.Done(c.index, t.Step))
	for k, v := range dst[:d] {
		change := float64(-v/taken) - said[d+k]
		dst[d+k] = float64(span(c.at) * change)
	}
	return receipt, nil
}

// keeper is a client of DP-SCAFFOLD. It changes its control variate by the clipped change that
// it has sent, so that the server's stays the mean of all clients', except for noise.
type keeper struct{ client }

// Keep implements machine.Keeper.
func (c *keeper) Keep(sent []float64) { kernel.Axpy(c.own, 1/span(c.at), sent[c.at.Dim:]) }

// State implements messages.Stateful.
func (c *client) State(codec *messages.Codec) {
	if c.own != nil {
		codec.Floats("c_i", c.own)
	}
	c.kept.State(codec)
}

// server is the server of both.
type server struct {
	o  *options
	at *machine.Setting
}

// Adopt implements machine.Server.
func (s *server) Adopt(said, mean []float64) {
	d := s.at.Dim
	kernel.Axpy(said[:d], s.o.ServerRate, mean[:d])
	if len(mean) > d {
		kernel.Axpy(said[d:], s.at.Expected/float64(s.at.Clients)/span(s.at), mean[d:])
	}
}

// State implements messages.Stateful: the server has no state except its message.
func (*server) State(*messages.Codec) {}
