package messages

import (
	"fmt"
	"math"
)

// payload goes through a payload of any kind. Its first byte determines the kind.
func (c *Codec) payload(name string, p *Payload) {
	if c.reads {
		if len(c.src) == 0 {
			c.take(name, 1) // fails
			return
		}
		kind, _ := kindOf(c.src[0])
		if !kind.IsVector() {
			c.fail(name, fmt.Errorf("%w: unknown kind %d", errState, c.src[0]))
			return
		}
		*p = &Vector{}
	}
	c.Part(name, *p)
}

// State implements Stateful: the broadcast of a sealed outbox, if any, and its single messages
// in order. One that is read is sealed.
func (o *Outbox) State(c *Codec) {
	there, position := o.Broadcast != nil, o.BroadcastSeq()
	var list []Single
	if o.single != nil {
		list = o.single.list
	}
	if c.reads {
		*o, list = Outbox{}, nil
	}
	c.Bool("broadcast", &there)
	if there {
		c.payload("broadcast", &o.Broadcast)
	}
	c.Int32("position", &position)
	Slice(c, "single", &list, math.MaxInt32, func(s *Single) {
		c.Int32("to", (*int32)(&s.To))
		c.Int32("position", &s.Seq)
		c.payload("payload", &s.Payload)
	})
	c.Check(len(list) > 0 || position == 0, "%w: a broadcast after %d messages of none", errState, position)
	if c.reads && len(list) > 0 {
		o.single = &singles{broadcastSeq: position, list: list}
	}
}
