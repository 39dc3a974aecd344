package bench

import (
	"math/rand/v2"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// degree is how many neighbours a node of the gossip has besides itself.
const degree = 6

// gossip averages what it receives and sends the result: the arithmetic of
// consensus and nothing else.
type gossip struct {
	x []float64 // len d
}

func (g *gossip) Step(t *algorithm.Turn) error {
	if len(t.Inbox) > 0 {
		clear(g.x)
		for i := range t.Inbox {
			e := &t.Inbox[i]
			axpy(g.x, e.Weight, e.Payload.(*messages.Vector).Values)
		}
	}
	q := t.Vector(len(g.x))
	copy(q.Values, g.x)
	return t.BroadcastRaw(q)
}

func (*gossip) State(*messages.Codec) {}

// axpy computes x += w q. It is shared with the plain loops.
func axpy(x []float64, w float64, q []float64) {
	q = q[:len(x)]
	for k := range x {
		x[k] += float64(w * q[k])
	}
}

// start fills n vectors of length d with numbers that depend on nothing else.
func start(n, d int) [][]float64 {
	r := rand.New(rand.NewPCG(1, 2))
	x := zeros(n, d)
	for i := range x {
		for k := range x[i] {
			x[i][k] = r.Float64()
		}
	}
	return x
}

// zeros is n vectors of length d, side by side.
func zeros(n, d int) [][]float64 {
	x := make([][]float64, n)
	entries := make([]float64, n*d)
	for i := range x {
		x[i] = entries[i*d : (i+1)*d : (i+1)*d]
	}
	return x
}

// noMeter ignores everything.
type noMeter struct{}

func (noMeter) Played(messages.NodeID, int, []float64)            {}
func (noMeter) Spent(messages.NodeID, int, accountant.Loss) error { return nil }
func (noMeter) Recorded(messages.NodeID, int, string, float64)    {}
func (noMeter) Stopped(messages.NodeID, int, string)              {}
func (noMeter) Sent(int, int64, int64)                            {}
