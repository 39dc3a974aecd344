package machine

import (
	"cmp"
	"slices"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/federated/aggregation"
)

// Seats are the participants of a run with too many clients for a machine each. In a round
// the seats from the first on are taken by the clients that the server has drawn, in their order.
// The part and the data of a client are made in its turn, from its key, and dropped after. Clients
// that keep state have a seat each for all of their rounds, which holds the state up to the last.
type Seats struct {
	// Count is the number of seats, participants 1 .. Count.
	Count int
	// Attendees are the clients of the rounds of a run, and of the round after its last, which
	// are sent the last model; nil in a plan.
	Attendees *aggregation.Attendees
	// Powered reports whether clients that check in have a power.
	Powered bool
	// Timeline has the seconds of rounds of clients that check in; nil where they are drawn.
	Timeline *aggregation.Timeline
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
	if client, _, taken := s.Attendees.At(step, int(node)); taken {
		return client, true
	}
	return node, false
}

// Stands implements algorithm.Run.Stands: a seat draws the random numbers of its client.
func (s *Seats) Stands(node messages.NodeID, step int) messages.NodeID {
	if s.Attendees == nil { // of a plan
		return node
	}
	client, _ := s.client(node, step)
	return client
}

// acts returns the seats that are taken in a step.
func (s *Seats) acts(step int) (first, end messages.NodeID) {
	last := len(s.Attendees.Of(step)) - 1
	if last < 0 {
		return 1, 1
	}
	return 1, s.Attendees.SeatOf(step, last) + 1
}

// say sends the server's message to the clients of the next round.
func (s *Seats) say(t *algorithm.Turn, v *messages.Vector, mark algorithm.Mark) error {
	for k := range s.Attendees.Of(t.Step + 1) {
		if err := t.Send(s.Attendees.SeatOf(t.Step+1, k), v, mark); err != nil {
			return err
		}
	}
	return nil
}

// record records the different clients so far.
func (s *Seats) record(t *algorithm.Turn) {
	t.Record(QuantityUnique, float64(s.Attendees.Unique(t.Step)))
	t.Record(QuantityMost, float64(s.Attendees.Most(t.Step)))
	if s.Timeline != nil {
		tell(t, s.Timeline, s.Powered)
	}
}

// seat is the machine of a seat. A client that takes part has the model from the server's message of
// the round before.
type seat struct {
	at   *Setting
	own  func(client int) Client
	node messages.NodeID
	kept []keptClient // by client
}

// keptClient is the part of a client that comes again.
type keptClient struct {
	node messages.NodeID
	Client
}

// State implements algorithm.Machine.
func (s *seat) State(c *messages.Codec) {
	if s.at.Seats.Attendees == nil || !s.at.Seats.Attendees.Seated() {
		return
	}
	messages.Slice(c, "client", &s.kept, s.at.Clients, func(of *keptClient) {
		messages.Integer(c, "number", &of.node)
		if c.Check(of.node >= 1 && int(of.node) <= s.at.Clients, "state of client %d of %d", of.node, s.at.Clients); c.Failed() {
			return
		}
		if c.Reading() {
			of.Client = s.own(int(of.node) - 1)
		}
		of.Client.State(c)
	})
}

// take returns the part of a client, which is the beginning of a run where none is kept, and leaves it
// kept if the client comes again.
func (s *seat) take(node messages.NodeID, again bool) Client {
	k, found := slices.BinarySearchFunc(s.kept, node, func(of keptClient, node messages.NodeID) int { return cmp.Compare(of.node, node) })
	switch {
	case !found && !again:
		return s.own(int(node) - 1)
	case !found:
		s.kept = slices.Insert(s.kept, k, keptClient{node, s.own(int(node) - 1)})
	case !again:
		own := s.kept[k].Client
		s.kept = slices.Delete(s.kept, k, k+1)
		return own
	}
	return s.kept[k].Client
}

// Step implements algorithm.Machine.
func (s *seat) Step(t *algorithm.Turn) error {
	node, again, taken := s.at.Seats.Attendees.At(t.Step, int(s.node))
	if !taken {
		return nil
	}
	var said []float64
	switch {
	case t.Step == 1:
		said = s.at.first()
	case len(t.Inbox) == 0: // the server has stopped: no client comes any more
		return nil
	default:
		said = t.Inbox[0].Payload.(*messages.Vector).Values
	}
	c := client{at: s.at, own: s.take(node, again), node: node, said: said}
	return c.answer(t)
}
