package fedsvt

import (
	"fmt"

	"starling/actors/algorithm"
	"starling/messages"
)

// keep is the number that the server sends in place of an expert when the expert stays.
const keep = 0

// Client is a client's machine: Algorithm 7.
type Client struct {
	shared   *shared
	node     messages.NodeID
	expert   int       // x_t, from 1; 0 before the server has sent it
	sums     []float64 // of the losses since the last exchange, len d
	decision []float64 // working memory: the unit vector of expert
	scalars  int       // sent
}

// Expert is the expert that the client plays, from 1; 0 before step 1.
func (c *Client) Expert() int { return c.expert }

// Scalars is how many scalars the client has sent so far.
func (c *Client) Scalars() int { return c.scalars }

// Step implements algorithm.Machine.
func (c *Client) Step(t *algorithm.Turn) error {
	hop, exchange := t.Hop, c.shared.schedule.exchanges(t.Step)
	if t.Step == 1 {
		hop-- // after the server's broadcast of x_0
	}
	if t.Step == 1 && hop == 0 || hop == 2 {
		if err := c.receive(t); err != nil {
			return err
		}
	}
	if exchange && hop == 0 {
		return c.send(t)
	}
	return c.play(t)
}

// receive takes the expert that the server sent, or keeps its own: line 6.
func (c *Client) receive(t *algorithm.Turn) error {
	if len(t.Inbox) != 1 {
		return fmt.Errorf("%d messages from the server, want 1", len(t.Inbox))
	}
	if expert := int(t.Inbox[0].Payload.(*messages.Vector).Values[0]); expert != keep {
		c.expert = expert
	}
	return nil
}

// send sends the sums of the losses since the last exchange: line 5. They carry
// no noise.
func (c *Client) send(t *algorithm.Turn) error {
	m := t.Vector(len(c.sums))
	copy(m.Values, c.sums)
	clear(c.sums)
	c.scalars += len(m.Values)
	t.Record(algorithm.QuantityScalars, float64(len(m.Values)))
	return t.BroadcastRaw(m) // to the server, its one neighbour
}

// play plays the expert and sees the losses of all: line 10.
func (c *Client) play(t *algorithm.Turn) error {
	clear(c.decision)
	c.decision[c.expert-1] = 1
	if err := t.Play(c.decision); err != nil {
		return err
	}
	loss := t.Scratch(len(c.sums))
	if err := t.Gradient(loss, c.decision); err != nil {
		return err
	}
	for x, l := range loss {
		if !(l >= 0 && l <= 1) {
			return fmt.Errorf("client %d, step %d: the loss of expert %d is %v, outside [0, 1]", c.node, t.Step, x+1, l)
		}
		c.sums[x] += l
	}
	return nil
}

// State implements algorithm.Machine.
func (c *Client) State(s *messages.Codec) {
	s.Int("expert", &c.expert)
	s.Int("scalars", &c.scalars)
	s.Floats("sums", c.sums)
	checkExpert(s, c.expert, len(c.sums))
}

// checkExpert refuses a restored expert that does not exist; 0 is none yet.
func checkExpert(c *messages.Codec, expert, experts int) {
	c.Check(expert >= 0 && expert <= experts, "state with expert %d of %d", expert, experts)
}
