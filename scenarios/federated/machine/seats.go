package machine

import (
	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/federated/aggregation"
)

// Seats are the participants of a run with too many clients for a machine each. In a round
// the seats from the first on are taken by the clients that the server has drawn, in their order.
// The part and the data of a client are made in its turn, from its key, and dropped after.
type Seats struct {
	// Count is the number of seats, participants 1 .. Count.
	Count int
	// Attendees are the clients of the rounds of a run, and of the round after its last, which
	// are sent the last model; nil in a plan.
	Attendees *aggregation.Attendees
}

// Quantities that a server with seats records: how many different clients have taken part so far, and
// how often the one that has most often.
const (
	QuantityUnique = "clients.unique"
	QuantityMost   = "clients.most"
)

// client returns the client that a participant plays in a step. A nil Seats means that
// participants are clients.
func (s *Seats) client(node messages.NodeID, step int) (of messages.NodeID, taken bool) {
	if s == nil {
		return node, true
	}
	list := s.Attendees.Of(step)
	if node < 1 || int(node) > len(list) {
		return node, false
	}
	return list[node-1], true
}

// Stands implements algorithm.Run.Stands: a seat draws the random numbers of its client.
func (s *Seats) Stands(node messages.NodeID, step int) messages.NodeID {
	client, _ := s.client(node, step)
	return client
}

// acts returns the seats that are taken in a step.
func (s *Seats) acts(step int) (first, end messages.NodeID) {
	return 1, messages.NodeID(len(s.Attendees.Of(step)) + 1)
}

// say sends the server's message to the clients of the next round.
func (s *Seats) say(t *algorithm.Turn, v *messages.Vector, mark algorithm.Mark) error {
	for seat := range s.Attendees.Of(t.Step + 1) {
		if err := t.Send(messages.NodeID(seat+1), v, mark); err != nil {
			return err
		}
	}
	return nil
}

// record records the different clients so far.
func (s *Seats) record(t *algorithm.Turn) {
	t.Record(QuantityUnique, float64(s.Attendees.Unique(t.Step)))
	t.Record(QuantityMost, float64(s.Attendees.Most(t.Step)))
}

// seat is the machine of a seat. It remembers nothing: a client that takes part has the model from
// the server's message of the round before.
type seat struct {
	at   *Setting
	own  func(client int) Client
	node messages.NodeID
}

// State implements algorithm.Machine.
func (*seat) State(*messages.Codec) {}

// Step implements algorithm.Machine.
func (s *seat) Step(t *algorithm.Turn) error {
	node, taken := s.at.Seats.client(s.node, t.Step)
	if !taken {
		return nil
	}
	said := s.at.said()
	if t.Step > 1 {
		if len(t.Inbox) == 0 { // the server has stopped: no client comes any more
			return nil
		}
		said = t.Inbox[0].Payload.(*messages.Vector).Values
	}
	c := client{at: s.at, own: s.own(int(node) - 1), node: node, said: said}
	return c.answer(t)
}
