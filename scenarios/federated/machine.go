package federated

import (
	"errors"
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/gauge"
)

// Client is the part of a client's machine that its author describes.
type Client interface {
	// Update writes what the client sends in this round to dst, given what the server
	// said last: both of Setting.Width numbers, of which the first Dim the server says are
	// its model. It draws and pays as Steps.Take does, whose receipt and error it returns
	// as they are.
	Update(t *algorithm.Turn, dst, said []float64) (accountant.Receipt, error)
	messages.Stateful
}

// Server is the part of the server's machine that its author describes.
type Server interface {
	// Adopt changes what the server said last, in place, by the mean of what clients have
	// sent, with its noise: both of Setting.Width numbers.
	Adopt(said, mean []float64)
	messages.Stateful
}

// What machines record: the clients that took part in a round; of one of them whether its
// vector was clipped, 1 or 0; and the noise on the sum of all rounds so far.
const (
	QuantityClients = "clients.round"
	QuantityClipped = "clip.updates"
	QuantityNoise   = "noise.rounds"
)

// meanOfClients is why what the server sends shows no more than what clients sent with
// noise of their own.
const meanOfClients algorithm.Reason = "the model is made of the sum of vectors that clients have released"

// initialModel is why a model that no round has changed shows no data.
const initialModel algorithm.Reason = "the model is the initial one"

// core is what every machine of participant 0 has that takes a step in every round.
type core struct {
	at     *Setting
	own    Server
	noise  noisy
	said   []float64 // w, and what else clients are told
	steps  int       // local steps of all clients so far
	aborts int       // rounds that were aborted so far
	canary *canary   // in audits alone
}

// State implements algorithm.Machine.
func (s *core) State(c *messages.Codec) {
	c.Floats("w", s.said[:s.at.Dim])
	if rest := s.said[s.at.Dim:]; len(rest) > 0 {
		c.Floats("beside", rest)
	}
	c.Int("local steps", &s.steps)
	if s.at.sharing != nil {
		c.Int("aborted rounds", &s.aborts)
	}
	s.own.State(c)
	s.noise.state(c)
}

// enough tells whether a round has as many vectors as it needs. A sum of shares on a grid is
// decoded in place.
func (s *core) enough(t *algorithm.Turn, sum []float64, clients float64) bool {
	of := s.at.sharing
	if of == nil {
		return true
	}
	if int(clients) < of.least() {
		return false
	}
	t.Record(quantityAborted, float64(s.aborts))
	if of.discrete != nil {
		t.Record(quantityWrapped, float64(of.discrete.Decode(sum))/float64(len(sum)))
	}
	return true
}

// count records that so many clients took part in a round.
func (s *core) count(t *algorithm.Turn, clients float64) {
	t.Record(QuantityClients, clients)
	s.steps += int(clients) * s.at.Steps.Tau
	t.Record(quantitySeen, float64(s.steps))
}

// adopt makes the model of a sum of vectors, divided by a number, and sends it. work is
// working memory.
func (s *core) adopt(t *algorithm.Turn, sum []float64, by float64, work []float64) error {
	mark, err := s.protect(t, sum)
	if errors.Is(err, accountant.ErrBudget) {
		t.Stop(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	kernel.Scale(sum, 1/by, sum)
	s.own.Adopt(s.said, sum)
	model := s.said[:s.at.Dim]
	if s.at.Set != nil {
		s.at.Set.Project(model, model, work)
	}
	return s.say(t, mark)
}

// say plays the model, and sends it to all clients.
func (s *core) say(t *algorithm.Turn, mark algorithm.Mark) error {
	if err := t.Play(s.said[:s.at.Dim]); err != nil {
		return err
	}
	v := t.Vector(s.at.Width)
	copy(v.Values, s.said)
	return t.Broadcast(v, mark)
}

// abort ends a round of which the server must not learn the sum: it says what it said before.
func (s *core) abort(t *algorithm.Turn) error {
	mark := t.Follows(meanOfClients)
	if t.Step-1 == s.aborts { // no round has changed the model
		mark = algorithm.Public(initialModel)
	}
	s.aborts++
	t.Record(quantityAborted, float64(s.aborts))
	return s.say(t, mark)
}

// server is the machine of participant 0 that needs the sum alone.
type server struct{ core }

// FoldLength implements algorithm.Folder: a sum of vectors, how many there are, and
// whether one is that of the canary.
func (s *server) FoldLength() int { return s.at.Width + 2 }

// Fold implements algorithm.Folder.
func (s *server) Fold(sum []float64, e *messages.Envelope) {
	w := s.at.Width
	sum[w]++
	if s.canary != nil && e.From == canaryNode {
		sum[w+1]++
		return
	}
	kernel.Add(sum[:w], e.Payload.(*messages.Vector).Values)
}

// Step implements algorithm.Machine.
func (s *server) Step(t *algorithm.Turn) error {
	w := s.at.Width
	sum := t.Scratch(s.FoldLength() + s.at.working())
	sum, work := sum[:s.FoldLength()], sum[s.FoldLength():]
	clear(sum)
	for b := range t.Blocks.Len() {
		part, _ := t.Blocks.Block(b)
		kernel.Add(sum, part)
	}
	s.count(t, sum[w])
	if !s.enough(t, sum[:w], sum[w]) {
		return s.abort(t)
	}
	if s.canary != nil {
		s.canary.join(sum[:w], sum[w+1] > 0)
	}
	return s.adopt(t, sum[:w], s.at.Expected, work)
}

// protect adds the server's noise to a sum, or says that clients have added theirs.
func (s *core) protect(t *algorithm.Turn, sum []float64) (algorithm.Mark, error) {
	if s.at.Record || s.at.sharing != nil {
		return t.Follows(meanOfClients), nil // and raw where they have not
	}
	// What was paid for in an earlier round is so for the clients of this one: none was in
	// both, or in more than so many.
	mark, err := s.noise.release(t, sum, s.noise.price(t.Step) != (accountant.Loss{}))
	t.Record(QuantityNoise, kernel.Norm(s.noise.total)/math.Sqrt(float64(s.at.Width))/s.at.Expected)
	return mark, err
}

// buffered is the machine of participant 0 that takes a step when its buffer is full.
type buffered struct {
	at     *Setting
	own    Server
	noise  noisy
	said   []float64 // w, what else clients are told, and the version
	sum    []float64 // of the vectors in the buffer
	count  int       // of them
	within []int     // by client: the number of the latest buffer that it is in, from 1
	times  []int     // by client: how many buffers it is in
	paid   int       // the most of times among buffers that were released
	steps  int       // local steps of all clients so far
	drops  int
	canary *canary // in audits alone
}

// State implements algorithm.Machine.
func (s *buffered) State(c *messages.Codec) {
	c.Floats("w and version", s.said)
	c.Floats("buffer", s.sum)
	c.Int("in the buffer", &s.count)
	messages.Integers(c, "latest buffers", &s.within, s.at.Clients)
	messages.Integers(c, "buffers", &s.times, s.at.Clients)
	c.Check(len(s.within) == s.at.Clients && len(s.times) == s.at.Clients, "buffers of %d and %d clients, want %d", len(s.within), len(s.times), s.at.Clients)
	c.Int("paid", &s.paid)
	c.Int("local steps", &s.steps)
	c.Int("dropped", &s.drops)
	s.own.State(c)
	s.noise.state(c)
}

// version is the number of steps taken.
func (s *buffered) version() int { return int(s.said[s.at.Width]) }

// Step implements algorithm.Machine.
func (s *buffered) Step(t *algorithm.Turn) error {
	before, added, stale := s.version(), 0, 0
	var mark algorithm.Mark
	for i := range t.Inbox {
		tau, ok := s.add(&t.Inbox[i])
		if !ok {
			continue
		}
		added++
		stale += tau
		if s.count < s.at.Buffer.Size {
			continue
		}
		var err error
		if mark, err = s.take(t); errors.Is(err, accountant.ErrBudget) {
			t.Stop(err.Error())
			return nil
		} else if err != nil {
			return err
		}
	}
	s.record(t, added, stale)
	if err := t.Play(s.said[:s.at.Dim]); err != nil || s.version() == before {
		return err
	}
	v := t.Vector(len(s.said))
	copy(v.Values, s.said)
	return t.Broadcast(v, mark)
}

// add adds the vector of a client to the buffer, if none of the client is in it. tau is how
// old it is.
func (s *buffered) add(e *messages.Envelope) (tau int, ok bool) {
	w, client := s.at.Width, int(e.From)-1
	values := e.Payload.(*messages.Vector).Values
	s.steps += s.at.Steps.Tau
	if s.within[client] == s.version()+1 {
		s.drops++
		return 0, false
	}
	s.within[client] = s.version() + 1
	s.times[client]++
	tau = s.version() - int(values[w])
	values = values[:w]
	if s.canary != nil && e.From == canaryNode {
		values = make([]float64, w)
		s.canary.join(values, true)
	}
	kernel.Axpy(s.sum, s.at.Buffer.Staleness.weight(tau), values)
	s.count++
	return tau, true
}

// take takes a server step with a full buffer, and begins another buffer. The mark is that
// of the model.
func (s *buffered) take(t *algorithm.Turn) (algorithm.Mark, error) {
	most := 0
	for client, latest := range s.within {
		if latest == s.version()+1 {
			most = max(most, s.times[client])
		}
	}
	if of := s.at.Participation.most(t.Step); most > of.Times {
		panic(fmt.Sprintf("a client is in %d buffers by round %d, in which it can have taken part %d times", most, t.Step, of.Times))
	}
	mark, err := s.noise.release(t, s.sum, most > s.paid)
	if err != nil {
		return mark, err
	}
	s.paid = max(s.paid, most)
	t.Record(QuantityNoise, kernel.Norm(s.noise.total)/math.Sqrt(float64(s.at.Width))/s.at.Expected)
	mean := s.sum
	kernel.Scale(mean, 1/s.at.Expected, mean)
	s.own.Adopt(s.said[:s.at.Width], mean)
	if s.at.Set != nil {
		model := s.said[:s.at.Dim]
		s.at.Set.Project(model, model, t.Scratch(s.at.working()))
	}
	clear(s.sum)
	s.count = 0
	s.said[s.at.Width]++
	return mark, nil
}

// record records what a round brought: so many vectors in buffers, of that age in all.
func (s *buffered) record(t *algorithm.Turn, added, stale int) {
	t.Record(QuantityClients, float64(added))
	t.Record(gauge.Participants, float64(added))
	t.Record(quantitySeen, float64(s.steps))
	t.Record(quantityVersion, float64(s.version()))
	t.Record(quantityDropped, float64(s.drops))
	if added > 0 {
		t.Record(quantityStaleness, float64(stale)/float64(added))
	}
}

// client is the machine of a client.
type client struct {
	at   *Setting
	own  Client
	node messages.NodeID
	part part
	said []float64 // what the server said last
	// canary, in audits of clients that add noise themselves, takes the place of what this one
	// computes.
	canary *canary
}

// State implements algorithm.Machine.
func (c *client) State(codec *messages.Codec) {
	c.part.state(codec)
	codec.Floats("w", c.said)
	c.own.State(codec)
}

// Step implements algorithm.Machine.
func (c *client) Step(t *algorithm.Turn) error {
	if !c.hear(t) {
		t.Stop("the server has stopped")
		return nil
	}
	if !c.at.Participation.takes(t, c.node, &c.part) {
		return nil
	}
	of := c.at.sharing
	if of != nil && of.Dropout > 0 && t.Rand(dropPurpose).Float64() < of.Dropout {
		return nil
	}
	w := c.at.Width
	v := t.Vector(c.at.sent())
	copy(v.Values[w:], c.said[w:]) // the version
	receipt, err := c.own.Update(t, v.Values[:w], c.said[:w])
	if errors.Is(err, accountant.ErrBudget) {
		t.Stop(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	if c.at.Record {
		return t.Send(0, v, algorithm.Released(receipt))
	}
	clipped := 0.0
	if update := v.Values[:w]; kernel.Norm(update) > c.at.Clip {
		kernel.Scale(update, c.at.Clip/kernel.Norm(update), update)
		clipped = 1
	}
	t.Record(QuantityClipped, clipped)
	if of == nil || !of.private() {
		return t.SendRaw(0, v)
	}
	return c.share(t, v)
}

// share sends a vector with the client's own noise.
func (c *client) share(t *algorithm.Turn, v *messages.Vector) error {
	if c.canary != nil {
		clear(v.Values)
		c.canary.join(v.Values, true)
	}
	receipt, err := c.at.sharing.release(v.Values, t.Rand(sharePurpose), t.Spend)
	if errors.Is(err, accountant.ErrBudget) {
		t.Stop(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	return t.Send(0, v, algorithm.Released(receipt))
}

// hear takes what the server says; false if the server says nothing any more. A server with
// a buffer says nothing in many rounds, and what it says can come late: the newest counts.
func (c *client) hear(t *algorithm.Turn) bool {
	if c.at.Buffer == nil {
		if len(t.Inbox) > 0 {
			copy(c.said, t.Inbox[len(t.Inbox)-1].Payload.(*messages.Vector).Values)
		}
		return len(t.Inbox) > 0 || t.Step == 1
	}
	for i := range t.Inbox {
		if said := t.Inbox[i].Payload.(*messages.Vector).Values; said[c.at.Width] > c.said[c.at.Width] {
			copy(c.said, said)
		}
	}
	return true
}
