package workload

import (
	"math"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/messages"
)

// A round of the federated star: the server's model goes to every client; each
// takes localSteps gradient steps of logistic regression on data of its own and
// sends its model; the server averages. In the runtime a round is a step of two
// hops, clients first.
const (
	localSteps = 4
	starDim    = 100
	rate       = 0.1
)

// starClient is a client, and starServer the server.
type (
	starClient struct{ data [][]float64 } // localSteps features
	starServer struct{ model []float64 }
)

func (c *starClient) Step(t *algorithm.Turn) error {
	v := t.Vector(starDim)
	if len(t.Inbox) == 0 {
		clear(v.Values)
	} else {
		copy(v.Values, t.Inbox[0].Payload.(*messages.Vector).Values)
	}
	learn(v.Values, c.data)
	return t.BroadcastRaw(v) // to the server, its one neighbour
}

func (s *starServer) Step(t *algorithm.Turn) error {
	combine(s.model, t.Blocks)
	v := t.Vector(starDim)
	copy(v.Values, s.model)
	return t.BroadcastRaw(v)
}

// combine averages the sums that the blocks hold.
func combine(model []float64, blocks *messages.Blocks) {
	clear(model)
	count := 0
	for b := range blocks.Len() {
		sum, n := blocks.Block(b)
		Axpy(model, 1, sum)
		count += n
	}
	for k := range model {
		model[k] /= float64(count)
	}
}

func (*starServer) FoldLength() int { return starDim }
func (*starServer) Fold(sum []float64, e *messages.Envelope) {
	Axpy(sum, 1, e.Payload.(*messages.Vector).Values)
}

func (*starClient) State(*messages.Codec) {}
func (*starServer) State(*messages.Codec) {}

// learn takes the local steps of a round. It is shared with the plain loop.
func learn(model []float64, data [][]float64) {
	for _, a := range data {
		var margin float64
		for k, v := range a {
			margin += float64(v * model[k])
		}
		Axpy(model, rate/(1+math.Exp(margin)), a)
	}
}

func starRun(n, rounds int) (*algorithm.Run, error) {
	graphs, err := topology.Star{Leaves: n}.Sequence()
	if err != nil {
		return nil, err
	}
	features := start(n*localSteps, starDim)
	clients := make([]starClient, n)
	machines := make([]algorithm.Machine, n+1)
	machines[0] = &starServer{model: make([]float64, starDim)}
	for i := range clients {
		clients[i] = starClient{data: features[i*localSteps : (i+1)*localSteps]}
		machines[i+1] = &clients[i]
	}
	return &algorithm.Run{
		Seed: 1, Steps: rounds, Graphs: graphs, Machines: machines, Meter: NoMeter{},
		Hops: func(int) int { return 2 },
		Acts: func(_, hop int) (first, end messages.NodeID) {
			if hop == 0 {
				return 1, messages.NodeID(n + 1)
			}
			return 0, 1
		},
	}, nil
}

// plainStar is the loop a person would write: two goroutines, half of the
// clients each, sums by blocks of the same size, a barrier before and after the
// server's part.
func plainStar(n, rounds int) func() {
	features := start(n*localSteps, starDim)
	models := zeros(n, starDim)
	global := make([]float64, starDim)
	sums := messages.NewBlocks(n, starDim)
	return func() {
		half := (sums.Len() + 1) / 2
		halves(func(w int, barrier *barrier) {
			for range rounds {
				for block := w * half; block < min((w+1)*half, sums.Len()); block++ {
					sum, _ := sums.Block(block)
					clear(sum)
					first, end := sums.Senders(block)
					for i := int(first); i < min(int(end), n); i++ {
						copy(models[i], global)
						learn(models[i], features[i*localSteps:(i+1)*localSteps])
						Axpy(sum, 1, models[i])
					}
				}
				barrier.wait()
				if w == 0 {
					clear(global)
					for block := range sums.Len() {
						sum, _ := sums.Block(block)
						Axpy(global, 1/float64(n), sum)
					}
				}
				barrier.wait()
			}
		})
	}
}
