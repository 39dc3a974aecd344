package federated

import (
	"math"

	"starling/actors/algorithm"
	"starling/mechanisms/kernel"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/kind"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/study"
)

// Averaging is federated averaging without noise and clipping, for an algorithm that reads a section
// of its own. All clients take part in every round. A client has the weight of its number of samples:
// with levels of servers, each takes the mean of its clients' models by these weights (Liu et al. 2020).
type Averaging struct {
	Name       string
	Local      machine.Local
	Samples    *int      // samples of each client; nil is the problem's number
	Start      []float64 // initial model; nil is the problem's
	Stragglers *algorithm.Stragglers
	// Proximal is mu of FedProx, at least 0, and Batches the purpose of the draws of batches.
	Proximal float64
	Batches  rng.Purpose
}

// Build builds the plan of an arm; see study.Algorithm.
func (of Averaging) Build(b *study.Builder, arm *study.Arm, a *study.ArmFile) (study.Plan, study.Nodes, error) {
	var found study.Faults
	if a.Mechanism != nil && !found.Note(kind.Check(a.Kinds.Mechanisms, a.Mechanism, mechanisms.TakesNone, "the algorithm "+of.Name)) {
		others := *a
		others.Mechanism, a = nil, &others
	}
	plan, nodes, err := reader(of.read).Build(b, arm, a)
	found.Note(err)
	return plan, nodes, found.Err()
}

// read is a reader.
func (of Averaging) read(*study.Builder, *study.ArmFile) (parts, error) {
	return parts{
		name: of.Name, count: 1, changes: true, averaging: &of,
		common: Common{
			Level: User, Clip: document.Epsilon(math.Inf(1)), Local: of.Local, Participation: aggregation.Everybody(),
			Stragglers: of.Stragglers, Samples: of.Samples, Start: of.Start,
		},
		client: func(at *machine.Setting, client int) machine.Client { return machine.Change(at, client) },
		server: func(*machine.Setting) machine.Server { return mover{} },
	}, nil
}

// set sets the parts of a setting that other algorithms do not have: weights of clients, and local
// steps within the set of models.
func (of *Averaging) set(at *machine.Setting) {
	if of == nil {
		return
	}
	at.Steps.Proximal, at.Steps.Batches, at.Steps.Set = of.Proximal, of.Batches, at.Set
	total := 0.0
	for _, samples := range at.Steps.Data {
		total += float64(samples.Size())
	}
	at.Weights = make([]float64, at.Clients)
	for i, samples := range at.Steps.Data {
		at.Weights[i] = float64(samples.Size()) * float64(at.Clients) / total
	}
}

// mover is a server that moves its model by the mean change.
type mover struct{}

// Adopt implements machine.Server.
func (mover) Adopt(said, mean []float64) { kernel.Add(said, mean) }

// State implements messages.Stateful: such a server remembers its model alone.
func (mover) State(*messages.Codec) {}
