package machine

import (
	"starling/actors/algorithm"
	"starling/mechanisms/kernel"
	"starling/messages"
)

// Clients may report to a later step than the one in which they began: those that work at their own pace, and
// late ones of rounds. The server sends its model to the clients that begin with it, and a client computes in the
// turn in which it reports.

// paced is the machine of such clients: of one client, or of a seat.
type paced struct {
	at   *Setting
	own  func(client int) Client
	node messages.NodeID // a client, or a seat
	said []float64       // the message of the server that the client began with; empty with the initial one
}

// State implements algorithm.Machine.
func (p *paced) State(c *messages.Codec) { c.List("begun with", &p.said, p.at.Said()) }

// Step implements algorithm.Machine.
func (p *paced) Step(t *algorithm.Turn) error {
	if len(t.Inbox) > 0 {
		p.said = append(p.said[:0], t.Inbox[0].Payload.(*messages.Vector).Values...)
	}
	version, reports := p.at.Arrivals.Version(t.Step, int(p.node))
	if !reports || version > 0 && len(p.said) == 0 { // the server has stopped before the client began
		return nil
	}
	said := p.said
	if p.said = p.said[:0]; version == 0 {
		said = p.at.first()
	}
	node, _ := p.at.Seats.client(p.node, t.Step)
	c := client{at: p.at, own: p.own(int(node) - 1), node: node, said: said}
	return c.answer(t)
}

// pacedServer is the machine of participant 0 for such clients. All messages of a turn are of one step.
type pacedServer struct{ core }

// Step implements algorithm.Machine.
func (s *pacedServer) Step(t *algorithm.Turn) error {
	w := s.at.Width
	scratch := t.Scratch(w + s.at.working())
	sum, work := scratch[:w], scratch[w:]
	clear(sum)
	stale, of := 0, s.at.Arrivals
	for i := range t.Inbox {
		version, _ := of.Version(t.Step, int(t.Inbox[i].From))
		tau := t.Step - 1 - version
		kernel.Axpy(sum, s.at.staleness().weight(tau), t.Inbox[i].Payload.(*messages.Vector).Values[:w])
		stale += tau
	}
	s.count(t, float64(len(t.Inbox)), len(t.Inbox)*s.at.Steps.In(t.Step))
	t.Record(quantityStaleness, float64(stale)/float64(len(t.Inbox)))
	t.Record(QuantitySeconds, of.Seconds(t.Step))
	if of.Zoned() {
		t.Record(QuantityZone, of.Zone(t.Step))
	}
	if s.at.Buffer != nil && s.at.Clock.Powered {
		t.Record(QuantityJoules, of.Joules(t.Step))
	}
	mark, err := s.change(t, sum, s.at.Expected, s.pays(t.Step), work)
	s.noised(t)
	if err != nil {
		return stopped(t, err)
	}
	if err := t.Play(s.said[:s.at.Dim]); err != nil {
		return err
	}
	v := t.Vector(s.at.Said())
	copy(v.Values, s.said)
	for _, seat := range of.Begun(t.Step) {
		if err := t.Send(messages.NodeID(seat), v, mark); err != nil {
			return err
		}
	}
	return nil
}

// staleness is the weight of a report by its age.
func (at *Setting) staleness() Staleness {
	if at.Buffer == nil {
		return StaleSqrt
	}
	return at.Buffer.Staleness
}

// pays reports whether the server pays for its release of a step.
func (s *pacedServer) pays(step int) bool {
	if s.at.Buffer == nil || s.noise.Noise.Once() {
		return s.noise.Charges(step)
	}
	return s.at.Arrivals.Pays(step)
}
