package network

import (
	"starling/mechanisms/rng"
	"starling/messages"
)

// Loss is the law of losses on the way. All messages along an edge in one turn share one fate.
type Loss interface {
	// Lost reports whether a message along an edge in a turn is lost.
	Lost(key rng.Key, from, to messages.NodeID, turn int) bool
	// Validate refuses parameters that are out of range.
	Validate() error
}

// Independent loses with the same probability on each edge and in each turn,
// independently.
type Independent struct {
	// Probability is the probability that an edge loses a message in a turn, 0 to 1.
	Probability float64
}

// Lost implements Loss.
func (i Independent) Lost(key rng.Key, from, to messages.NodeID, turn int) bool {
	return key.Uniform(int(from), turn, int(to)) < i.Probability
}

// Validate implements Loss.
func (i Independent) Validate() error { return checkProbability("probability", i.Probability) }

// Bursty loses in bursts (Gilbert 1960, Elliott 1963): each edge is good or bad, a Markov
// chain over the turns that begins in its stationary law, independent of other edges; a
// message is lost with a probability of its edge's state. The mean share lost is
//
//	(Leave LossGood + Enter LossBad) / (Enter + Leave)
//
// and a bad time lasts 1/Leave turns in the mean. Gilbert's model is the case
// LossGood = 0.
type Bursty struct {
	// Enter and Leave are probabilities a turn: from good to bad, and from bad to good.
	Enter, Leave float64
	// LossGood and LossBad are the probabilities that an edge in either state loses a message
	// in a turn.
	LossGood, LossBad float64
}

// Lost implements Loss.
func (b Bursty) Lost(key rng.Key, from, to messages.NodeID, turn int) bool {
	c := chain{key: key, enter: b.Enter, leave: b.Leave, first: b.Enter / (b.Enter + b.Leave)}
	p := b.LossGood
	if c.on(int(from), int(to), turn) {
		p = b.LossBad
	}
	// The state and the loss need numbers that are independent of each other.
	return key.Of(burstPurpose).Uniform(int(from), turn, int(to)) < p
}

// burstPurpose keys the losses of an edge in a state, apart from the state.
var burstPurpose = rng.PurposeOf("network.burst")

// Validate implements Loss.
func (b Bursty) Validate() error {
	if err := checkChain("enter", b.Enter, "leave", b.Leave); err != nil {
		return err
	}
	if err := checkProbability("loss_good", b.LossGood); err != nil {
		return err
	}
	return checkProbability("loss_bad", b.LossBad)
}
