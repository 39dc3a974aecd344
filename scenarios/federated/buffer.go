package federated

import (
	"math"

	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/study"
)

// Buffer are the keys of algorithms whose server takes a step when it has vectors of so
// many clients, in place of once a round.
//
// In every round that it takes part in a client computes with the newest model that it has
// heard of, and sends. A vector counts when it arrives, however late. The server adds it to
// the buffer, times its weight. A buffer has one vector of a client at most: a further one
// that arrives before the step is dropped. So a client moves a sum by Clip at most, as
// weights are at most 1. Several steps can be taken in one round, and none. At the end of
// a round in which it has taken a step, and in no other, the server sends all clients its
// model, with its version, which is the number of steps taken. Clients send the version
// that they computed with beside their vectors.
//
// Which vectors meet in a buffer depends on the network and on who takes part, and on no
// data. It does depend on who is there: without one client all later buffers would have
// other vectors. What is protected is therefore what a client sends: neighbours are a run,
// and the same run with zeros in place of all vectors of one client.
//
// A client pays for the buffers that it is in. The server pays for the client that is in
// the most: in a step in which a client comes to be in more buffers than any was before.
type Buffer struct {
	Size      int       `yaml:"buffer,required" min:"1" says:"a buffer of %v" unit:"vectors" doc:"K, vectors of as many clients that the server waits for before it takes a step and sends its model; one that a client sends while another of its own is in the buffer is dropped"`
	Staleness Staleness `yaml:"staleness" oneof:"sqrt constant" doc:"weight of a vector that was computed tau server steps ago: sqrt, 1/sqrt(1 + tau); constant, 1. The sum is divided by K, whatever the weights"`
}

// Staleness is a rule for weights of vectors by how many steps the server has taken since
// it sent the model that they were computed with.
type Staleness string

// The rules.
const (
	StaleSqrt     Staleness = "sqrt"
	StaleConstant Staleness = "constant"
)

// weight of a vector that is so many server steps old, in (0, 1].
func (s Staleness) weight(tau int) float64 {
	if s == StaleConstant {
		return 1
	}
	return 1 / math.Sqrt(1+float64(tau))
}

// What the server with a buffer records.
const (
	quantityVersion   = "buffer.steps"
	quantityStaleness = "buffer.staleness"
	quantityDropped   = "buffer.dropped"
)

var (
	serverSteps    = metric.Metric{Name: quantityVersion, Summary: "steps of a server that waits for a number of vectors, so far", Label: "server steps", Unit: "steps", Level: metric.OfRun}
	meanStaleness  = metric.Metric{Name: quantityStaleness, Summary: "mean age of the vectors that were added to the buffer in the round: server steps since the model that they were computed with", Label: "staleness", Unit: "steps", Better: metric.LowerIsBetter, Level: metric.OfRun}
	droppedVectors = metric.Metric{Name: quantityDropped, Summary: "vectors that were dropped because the buffer had one of the same client, so far", Label: "dropped vectors", Unit: "vectors", Better: metric.LowerIsBetter, Level: metric.OfRun}
)

// bufferMetrics are those of a server with a buffer, beside those of all.
func bufferMetrics() metric.List {
	return metric.List{serverSteps, meanStaleness, droppedVectors}
}

// gauges of a server with a buffer.
func bufferGauges() []gauge.Gauge {
	return []gauge.Gauge{
		&gauge.Latest{Metric: serverSteps, Quantity: quantityVersion},
		&gauge.Latest{Metric: meanStaleness, Quantity: quantityStaleness},
		&gauge.Latest{Metric: droppedVectors, Quantity: quantityDropped},
	}
}

// checkBuffer refuses what a server with a buffer cannot have.
func (p *plan) checkBuffer(found *study.Faults) {
	if p.buffer == nil {
		return
	}
	if p.buffer.Size > p.file.Nodes {
		found.At("algorithm.buffer", "a buffer has one vector of a client at most, and so %d are never in it: there are %d clients", p.buffer.Size, p.file.Nodes)
	}
	if p.common.Level == Record {
		found.At("algorithm.level", "the noise of a server with a buffer protects clients: want %s", User)
	}
	if p.mechanism.Correlated != nil {
		found.At("mechanism.kind", "which client comes back in which buffer is the network's choice, for which correlated noise has no sensitivity; want noise of its own on each buffer, such as %s", mechanisms.KindSampledGaussian)
	}
}

// bufferBill is what the server pays in a round: once for every buffer in which a client
// comes to be in more of them than any was before, in all no more than the rounds that a
// client can have taken part in.
func (p *plan) bufferBill(n *noising, round int, at ledger.Moment) ledger.Bill {
	most := p.common.Participation.most(round).Times
	if at.Payments > most {
		return ledger.Bill{}
	}
	return ledger.Pays(n.price(1), 0, most)
}
