package machine

import (
	"errors"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/federated/aggregation"
)

// Quantities that machines record: the clients that took part in a round; for each of these
// clients whether its vector was clipped, 1 or 0; and the local steps of clients in the round. With
// levels of servers the lowest record counts, each of its own clients.
const (
	QuantityClients = "clients.round"
	QuantityClipped = "clip.updates"
	QuantitySeen    = "local.steps"
)

// MeanOfClients is the reason why the server's message shows no more than the messages of
// clients, which have noise of their own.
const MeanOfClients algorithm.Reason = "the model is made of the sum of vectors that clients have released"

// InitialModel is the reason why a model that no round has changed shows no data.
const InitialModel algorithm.Reason = "the model is the initial one"

// core is the common part of all machines of participant 0.
type core struct {
	at      *Setting
	own     Server
	noise   aggregation.Drawn
	said    []float64 // w, the rest of the server's messages, and the version where there is a buffer
	steps   int       // local steps of all clients so far, of a server of clients
	learned bool      // some client has been heard
	aborts  int       // rounds that were aborted so far
	canary  *Canary   // in audits alone
}

// State implements algorithm.Machine.
func (s *core) State(c *messages.Codec) {
	c.Floats("w", s.said[:s.at.Dim])
	if rest := s.said[s.at.Dim:]; len(rest) > 0 {
		c.Floats("beside", rest)
	}
	c.Int("local steps", &s.steps)
	s.learned = s.learned || s.steps > 0
	if s.at.Sharing != nil {
		c.Int("aborted rounds", &s.aborts)
	}
	s.own.State(c)
	s.noise.State(c)
}

// enough reports whether a round has as many vectors as it needs. It decodes a sum of shares
// on a grid in place; reduced counts, by entry, how many times the modulus was taken off the
// messages.
func (s *core) enough(t *algorithm.Turn, sum, reduced []float64, clients float64) bool {
	of := s.at.Sharing
	if of == nil {
		return true
	}
	if int(clients) < of.Least() {
		return false
	}
	t.Record(aggregation.QuantityAborted, float64(s.aborts))
	if wrapped, ok := of.Decode(sum, reduced); ok {
		t.Record(aggregation.QuantityWrapped, wrapped)
	}
	return true
}

// count records the number of clients with vectors in a round, and their local steps.
func (s *core) count(t *algorithm.Turn, clients float64, steps int) {
	t.Record(QuantityClients, clients)
	s.steps += steps
	s.learned = s.steps > 0
	t.Record(QuantitySeen, float64(steps))
	if s.at.Seats != nil {
		s.at.Seats.record(t)
	}
}

// adopt makes the model of a sum of vectors, divided by by, and sends it. work is working
// memory.
func (s *core) adopt(t *algorithm.Turn, sum []float64, by float64, work []float64) error {
	// A payment in an earlier round covers the clients of this round: no client was in both,
	// or in more rounds than the noise allows.
	mark, err := s.change(t, sum, by, s.noise.Charges(t.Step), work)
	s.noised(t)
	if err != nil {
		return stopped(t, err)
	}
	return s.say(t, mark)
}

// change changes the server's message by a sum of vectors, divided by by, and returns its
// mark. pays reports whether independent noise on the sum is to be paid for. The contents of
// sum are lost.
func (s *core) change(t *algorithm.Turn, sum []float64, by float64, pays bool, work []float64) (algorithm.Mark, error) {
	mark, err := s.protect(t, sum, pays)
	if err != nil {
		return mark, err
	}
	kernel.Scale(sum, 1/by, sum)
	s.own.Adopt(s.said[:s.at.Width], sum)
	model := s.said[:s.at.Dim]
	if s.at.Set != nil {
		s.at.Set.Project(model, model, work)
	}
	if s.at.Said() > s.at.Width {
		s.said[s.at.Width]++
	}
	return mark, nil
}

// stopped ends the part of a participant that has spent its budget. It returns any other error.
func stopped(t *algorithm.Turn, err error) error {
	if errors.Is(err, accountant.ErrBudget) {
		t.Stop(err.Error())
		return nil
	}
	return err
}

// say plays the model, and sends it to all clients.
func (s *core) say(t *algorithm.Turn, mark algorithm.Mark) error {
	if err := t.Play(s.said[:s.at.Dim]); err != nil {
		return err
	}
	v := t.Vector(s.at.Said())
	copy(v.Values, s.said)
	if s.at.Seats != nil {
		return s.at.Seats.say(t, v, mark)
	}
	return t.Broadcast(v, mark)
}

// abort ends a round with a sum that the server must not learn: the server repeats its last
// message.
func (s *core) abort(t *algorithm.Turn) error {
	mark := t.Follows(MeanOfClients)
	if round, _ := s.at.Calendar.Round(t.Step); round-1 == s.aborts { // no round has changed the model
		mark = algorithm.Public(InitialModel)
	}
	s.aborts++
	t.Record(aggregation.QuantityAborted, float64(s.aborts))
	return s.say(t, mark)
}

// server is the machine of participant 0 that needs the sum alone.
type server struct{ core }

// beside is the number of counts after the sum of vectors in a fold.
const beside = 3

// FoldLength implements algorithm.Folder: a sum of vectors, their number, their local steps,
// the number of the canary's vectors among them (0 or 1) and, for entries modulo a number, how
// many times it was taken off.
func (s *server) FoldLength() int {
	if s.at.Sharing.Modular() {
		return 2*s.at.Width + beside
	}
	return s.at.Width + beside
}

// Fold implements algorithm.Folder.
func (s *server) Fold(sum []float64, e *messages.Envelope) {
	w := s.at.Width
	sum[w]++
	sum[w+1] += float64(s.at.sent(e))
	if s.canary != nil && e.From == s.canary.Client {
		if sum[w+2]++; s.canary.In != AsTaken {
			return
		}
	}
	v := e.Payload.(*messages.Vector)
	addWeighted(sum[:w], v.Values, s.at.Sharing.Weight(e.From))
	if s.at.Sharing.Modular() {
		v.AddReduced(sum[w+beside:])
	}
}

// addWeighted adds a vector times its weight.
func addWeighted(sum, v []float64, weight float64) {
	if weight == 1 {
		kernel.Add(sum, v)
		return
	}
	kernel.Axpy(sum, weight, v)
}

// Step implements algorithm.Machine.
func (s *server) Step(t *algorithm.Turn) error {
	if !s.at.Calendar.Has(t.Step) {
		return t.Play(s.said[:s.at.Dim])
	}
	w := s.at.Width
	sum := t.Scratch(s.FoldLength() + s.at.working())
	sum, work := sum[:s.FoldLength()], sum[s.FoldLength():]
	clear(sum)
	for b := range t.Blocks.Len() {
		part, _ := t.Blocks.Block(b)
		kernel.Add(sum, part)
	}
	s.count(t, sum[w], int(sum[w+1]))
	if !s.enough(t, sum[:w], sum[w+beside:], sum[w]) {
		return s.abort(t)
	}
	if s.canary != nil {
		s.canary.join(sum[:w], sum[w+2] > 0, s.at.clipOf(s.canary.Client))
	}
	return s.adopt(t, sum[:w], s.at.Expected, work)
}

// protect adds the server's noise to a sum, or marks it as made of noisy messages of clients.
func (s *core) protect(t *algorithm.Turn, sum []float64, pays bool) (algorithm.Mark, error) {
	switch {
	case !s.at.apart():
	case !s.learned:
		return algorithm.Public(InitialModel), nil
	default:
		return t.Follows(s.at.sums()), nil // raw if clients add none
	}
	return s.noise.Release(t, sum, pays)
}

// noised records a trusted server's noise on the sum of all changes of its model so far.
func (s *core) noised(t *algorithm.Turn) {
	if !s.at.apart() {
		t.Record(aggregation.QuantityNoise, s.noise.Size()/s.at.Expected)
	}
}
