package machine

import (
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/messages"
)

// longer is the length of the vector that the canary's client computes, over the clipping
// norm. So a part of it that is not clipped moves a sum further than the clip.
const longer = 8

// Canary is a vector that a client computes in place of its own, in audits. The client clips
// it as any other, and sends it.
type Canary struct {
	Client messages.NodeID
	In     Presence
	// Direction, of 2-norm 1 and length Setting.Width, is the direction of the vector.
	// Alternates means that its sign changes from one vector to the next.
	Direction  []float64
	Alternates bool
	// Others sets the vectors of the other clients.
	Others Others
	Coins  *[]float64 // gets 1 or 0 in each round: the client took part or not; nil means no record
}

// Others is a choice of vectors for clients other than the canary's.
type Others int

const (
	OwnOthers  Others = iota // their own, as without a canary
	ZeroOthers               // zeros
	// PolarOthers is the same vector for half of them, and its negative for the rest: the
	// output of a rule then depends on the canary.
	PolarOthers
)

// other is the canary of another client, from 0.
func (c *Canary) other(client int) *Canary {
	of := &Canary{Client: messages.NodeID(client + 1), Direction: slices.Clone(c.Direction)}
	if c.Others == ZeroOthers {
		of.In = Absent
	}
	if client >= int(c.Client) { // numbers are from 1
		client++
	}
	if client%2 == 1 {
		kernel.Scale(of.Direction, -1, of.Direction)
	}
	return of
}

// Presence is the rule for the canary's presence in a sum.
type Presence int

const (
	AsTaken Presence = iota // if its client takes part
	Absent                  // never: the client sends zeros
	Certain                 // always, for the server of a sum that is a sample
)

// Counts reports whether the canary is in a sum, given whether its client, or its sample, was
// taken.
func (p Presence) Counts(taken bool) bool { return p == Certain || taken && p != Absent }

// join records whether the client took part in a round. It adds the canary to a sum if its
// presence is Certain.
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
		length := longer * c.at.clipOf(c.of.Client)
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

// open is the server of an audit: it adds up the means, and so shows every mean. Everything
// that an author's server makes is a function of the means, and shows no more.
type open struct{}

// Adopt implements Server.
func (open) Adopt(said, mean []float64) { kernel.Add(said, mean) }

// State implements messages.Stateful: the server has no state except its message.
func (open) State(*messages.Codec) {}

// Directions lists the canaries that an audit tries, for vectors of a length: the first
// coordinate, the last, and all alike, each also with signs that alternate from one vector to
// the next. The canary's client is the first.
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
