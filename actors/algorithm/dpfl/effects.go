package dpfl

import (
	"starling/actors/algorithm"
	"starling/messages"
)

// In a network with effects rounds go by the schedule, even where participants are missing:
//
//   - The server averages, by |D_i|, the models that are there in its turn, and with LateUse
//     models of earlier rounds that have come since. Where there are none it keeps its model.
//     It plays and broadcasts its model in any case.
//   - A client that is down when a round begins has no part in it. One that gets no
//     new model begins with the last that it has, and of several it takes the
//     newest; so it is with tau.
//   - Statistics count in the choice that they are sent for only, and missing ones are left
//     out of the weighted means. A client that has not got the round's mean sends no gradient.
//     Where no client's rho_i and beta_i, or no client's gradient, have come, tau stays.
//
// Budget. Every client counts the local steps that it takes itself, whether or not its models
// arrive, and ends its part when the plan's are done: it spends no more than the plan allows,
// for every tau that it heard of. The server knows no client's count. It reckons with a client
// that takes part in every round with the tau that the server sent last, so that the rounds
// and steps it optimises tau for are the rounds and steps of the clients that are furthest; a
// client that has been away has local steps left when these are done, and the run goes on with
// it.
//
// Nodes must not restart: a client that forgot its count would begin the plan anew. New cannot
// see the network; the builder of the run must refuse nodes that forget.

// Participants is a quantity of the server in every round: how many models it averaged. It is
// recorded with Effects only.
const Participants = "participants"

// hopOf is the hop of a turn, from 0, which is the hop of the messages sent in it.
func (o *Options) hopOf(turn int) int {
	if o.Adaptive == nil || turn < 2 {
		return turn % 2
	}
	return (turn - 2) % 4 // rounds 2, 3, .. have four hops, except the last, which has two
}

// heard holds the turns in which the mean and the tau of a client were sent; -1 before the
// first.
type heard struct{ mean, tau int }

// catchUp takes the newest mean and the newest tau. renewed is true if the mean was sent in
// the turn before.
func (c *client) catchUp(t *algorithm.Turn) (renewed bool) {
	of := func(hop int) func(*messages.Envelope) bool {
		return func(e *messages.Envelope) bool { return c.shared.hopOf(int(e.Sent)) == hop }
	}
	if e := messages.Newest(t.Inbox, c.heard.mean, of(1)); e != nil {
		copy(c.mean, e.Payload.(*messages.Vector).Values)
		c.heard.mean, renewed = int(e.Sent), !t.Late(e)
	}
	if e := messages.Newest(t.Inbox, c.heard.tau, of(3)); e != nil {
		c.tau, c.heard.tau = int(e.Payload.(*messages.Vector).Values[0]), int(e.Sent)
	}
	return renewed
}

// gathered are models that the server has got, weighted.
type gathered struct {
	sum    []float64 // len d
	weight float64
	models int
}

// gather adds the models of an inbox that count.
func (s *shared) gather(to *gathered, t *algorithm.Turn) {
	for i := range t.Inbox {
		e := &t.Inbox[i]
		if !s.isModel(e) || !s.Late.Takes(t, e) {
			continue
		}
		weight := s.weight(e.From)
		addWeighted(to.sum, e, weight)
		to.weight += weight
		to.models++
	}
}

// conclude ends a round with the models that have come, possibly none.
func (g *global) conclude(t *algorithm.Turn, got *gathered, tau int) error {
	if got.models > 0 {
		g.round++
		g.adopt(t, got.sum, got.weight)
	}
	g.count(g.last+1, t.Step, tau) // with the rounds in which the server was down
	g.last = t.Step
	t.Record(Participants, float64(got.models))
	return g.leave(t, tau)
}

// tolerantServer is the server of DPFL in a network with effects.
type tolerantServer struct{ global }

// Step implements algorithm.Machine.
func (s *tolerantServer) Step(t *algorithm.Turn) error {
	got := gathered{sum: t.Scratch(s.shared.dim)}
	clear(got.sum)
	s.shared.gather(&got, t)
	return s.conclude(t, &got, s.shared.Tau)
}

// Describe implements algorithm.Describer.
func (s *tolerantServer) Describe() []algorithm.Quantity { return s.shared.describeTau() }

// tolerantAdaptiveServer is the server of ALI-DPFL in a network with effects.
type tolerantAdaptiveServer struct {
	adaptiveServer
	// early are late models that came when the server had none to average: in
	// the last hop of a round. With LateUse they count in the next.
	early gathered
}

func newTolerantAdaptiveServer(s *shared) *tolerantAdaptiveServer {
	return &tolerantAdaptiveServer{adaptiveServer: *newAdaptiveServer(s), early: gathered{sum: make([]float64, s.dim)}}
}

// Step implements algorithm.Machine.
func (s *tolerantAdaptiveServer) Step(t *algorithm.Turn) error {
	s.shared.gather(&s.early, t)
	if t.Hop == 3 {
		t.Inbox = s.ofTurnBefore(t)
		// A round that the server did not average in has no statistics.
		s.estimated = s.estimated && s.last == t.Step && len(t.Inbox) > 0
		return s.decide(t)
	}
	got := s.early
	inbox := s.ofTurnBefore(t)
	s.rate(inbox)
	err := s.conclude(t, &got, s.tau)
	clear(s.early.sum)
	s.early.weight, s.early.models = 0, 0
	return err
}

// ofTurnBefore are the messages of the turn before, in the inbox's own memory.
func (s *tolerantAdaptiveServer) ofTurnBefore(t *algorithm.Turn) []messages.Envelope {
	n := 0
	for i := range t.Inbox {
		if !t.Late(&t.Inbox[i]) {
			t.Inbox[n] = t.Inbox[i]
			n++
		}
	}
	return t.Inbox[:n]
}

// State implements algorithm.Machine.
func (s *tolerantAdaptiveServer) State(c *messages.Codec) {
	c.Frame("", &s.adaptiveServer)
	c.Float("early.weight", &s.early.weight)
	c.Int("early.models", &s.early.models)
	c.Floats("early.sum", s.early.sum)
}
