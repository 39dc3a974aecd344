package machine

import (
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/messages"
)

// longer is by how many times the vector that the canary's client computes is longer than what
// vectors are clipped to. So a part of it that is not clipped moves a sum further than the clip.
const longer = 8

// Canary is a vector that a client computes in place of its own, in audits. The client clips it
// as any other, and sends it.
type Canary struct {
	Client messages.NodeID
	In     Presence
	// Direction, of 2-norm 1 and length Setting.Width, is that of the vector. Alternates has it
	// turn round from one vector to the next.
	Direction  []float64
	Alternates bool
	// Others is what the other clients compute.
	Others Others
	Coins  *[]float64 // told of whether the client took part in a round; nil where nobody asks
}

// Others is what other clients than that of a canary compute.
type Others int

const (
	OwnOthers  Others = iota // what they do without one
	ZeroOthers               // zeros
	// PolarOthers is the same vector or its negative, every second one: a rule that makes one
	// vector of theirs then hangs on the canary.
	PolarOthers
)

// other is what another client, from 0, computes.
func (c *Canary) other(client int) *Canary {
	of := &Canary{Direction: slices.Clone(c.Direction)}
	if c.Others == ZeroOthers {
		of.In = Absent
	}
	if client >= int(c.Client) { // whose number is from 1
		client++
	}
	if client%2 == 1 {
		kernel.Scale(of.Direction, -1, of.Direction)
	}
	return of
}

// Presence says when the canary is in a sum.
type Presence int

const (
	AsTaken Presence = iota // where its client takes part
	Absent                  // never: the client sends zeros
	Certain                 // always, for the server of a sum that is a sample
)

// Counts tells whether the canary is in a sum, by whether its client, or its sample, was taken.
func (p Presence) Counts(taken bool) bool { return p == Certain || taken && p != Absent }

// join records whether the client took part in a round, and adds the canary to a sum that it is
// in for certain.
func (c *Canary) join(sum []float64, taken bool, clip float64) {
	if c.Coins != nil {
		coin := 0.0
		if taken {
			coin = 1
		}
		*c.Coins = append(*c.Coins, coin)
	}
	if c.In == Certain {
		kernel.Axpy(sum, clip, c.Direction)
	}
}

// canaryClient is the client that computes the canary.
type canaryClient struct {
	at    *Setting
	of    *Canary
	times int // vectors so far
}

// Update implements Client.
func (c *canaryClient) Update(_ *algorithm.Turn, dst, _ []float64) (accountant.Receipt, error) {
	clear(dst)
	if c.of.In != Absent {
		length := longer * c.at.Clip
		if c.of.Alternates && c.times%2 == 1 {
			length = -length
		}
		kernel.Axpy(dst, length, c.of.Direction)
	}
	c.times++
	return accountant.Receipt{}, nil
}

// State implements messages.Stateful.
func (c *canaryClient) State(codec *messages.Codec) { codec.Int("vectors", &c.times) }

// open is the server of an audit: it adds up the means, and so shows every mean. All that an
// author's server makes is made of these, and shows no more.
type open struct{}

// Adopt implements Server.
func (open) Adopt(said, mean []float64) { kernel.Add(said, mean) }

// State implements messages.Stateful: all that the server has is what it said.
func (open) State(*messages.Codec) {}

// Directions are those in which an audit tries a canary of a length: the first coordinate, the
// last, and all alike, each also with signs that alternate from one vector to the next. Its client
// is the first.
func Directions(length int) (list []Canary) {
	for _, entries := range [][]int{{0}, {length - 1}, nil} {
		v := make([]float64, length)
		for k := range v {
			if entries == nil || slices.Contains(entries, k) {
				v[k] = 1
			}
		}
		kernel.Scale(v, 1/kernel.Norm(v), v)
		list = append(list, Canary{Client: 1, Direction: v}, Canary{Client: 1, Direction: v, Alternates: true})
	}
	return list
}
