package spread

import (
	"starling/actors/algorithm"
	"starling/messages"
)

// Part is the part of a run's state that belongs to some nodes: the states of their machines
// and whether these have ended their part. Where sent is set it has the messages of the nodes
// in the last turn before a turn, and in those before, and the messages in line before the
// nodes. The results that the meter hands over come after them. The same function writes a
// state and reads one into the machines and the tables of s.
func Part(run *algorithm.Run, s *algorithm.State, turn int, nodes []messages.NodeID, sent bool) messages.Stateful {
	past := algorithm.Past{Now: turn, Nodes: len(run.Machines)}
	return messages.StateFunc(func(c *messages.Codec) {
		c.Same("nodes", len(nodes))
		c.Same("earlier turns", len(s.Earlier))
		for _, node := range nodes {
			if c.Failed() {
				return
			}
			c.Enter("node", run.Label(node))
			c.Bool("stopped", &s.Stopped[node])
			c.Frame("", run.Machines[node])
			if sent {
				c.Part("sent", &s.Sent[node])
				for k := range s.Earlier {
					c.Part("earlier", &s.Earlier[k].Outboxes[node])
				}
				if s.Queues != nil {
					c.Enter("queue", -1)
					s.Queues[node].State(c, node, &past)
					c.Leave()
				}
			}
			c.Leave()
		}
		if keeper, ok := run.Meter.(Keeper); ok && !c.Failed() {
			c.Enter("measured", -1)
			keeper.Hand(c, nodes)
			c.Leave()
		}
	})
}
