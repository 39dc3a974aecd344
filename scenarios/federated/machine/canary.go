package machine

import "starling/messages"

// CanaryNode is the first client.
const CanaryNode messages.NodeID = 1

// Canary is a vector in place of that of the first client.
type Canary struct {
	In        Presence
	Direction []float64  // of the length that vectors are clipped to
	Coins     *[]float64 // told of whether the client took part in a round; nil where nobody asks
}

// Presence says when the canary is in a sum.
type Presence int

const (
	AsTaken Presence = iota // where its client takes part
	Absent                  // never
	Certain                 // always
)

// Counts tells whether the canary is in a sum, by whether its client, or its sample, was taken.
func (p Presence) Counts(taken bool) bool { return p == Certain || taken && p != Absent }

// join adds the canary to a sum, if it is in it.
func (c *Canary) join(sum []float64, taken bool) {
	if c.Coins != nil {
		coin := 0.0
		if taken {
			coin = 1
		}
		*c.Coins = append(*c.Coins, coin)
	}
	if c.In.Counts(taken) {
		for k, v := range c.Direction {
			sum[k] += v
		}
	}
}

// newest is a server that says the newest mean alone, all that anybody learns in a round.
type newest struct{}

// Adopt implements Server.
func (newest) Adopt(said, mean []float64) { copy(said, mean) }

// State implements messages.Stateful.
func (newest) State(*messages.Codec) {}
