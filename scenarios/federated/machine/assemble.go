package machine

import (
	"starling/actors/algorithm"
	"starling/mechanisms/robust"
	"starling/messages"
	"starling/scenarios/federated/aggregation"
)

// Parts are the parts of the machines of a run.
type Parts struct {
	At     *Setting
	Server Server
	Client func(client int) Client // from 0
	Noise  aggregation.Drawn       // of a trusted server
	// Listens means that the server looks at every vector. Combine, unless nil, combines the
	// vectors, in place of their mean.
	Listens bool
	Combine robust.Rule
	// Canary is for audits alone. Known are clients with noise that the observer of an audit
	// knows: they add none.
	Canary *Canary
	Known  []messages.NodeID
}

// Assemble makes the machines of a run, by participant. An error comes from scaling noise to 0.
func Assemble(p Parts) ([]algorithm.Machine, error) {
	at := p.At
	c := core{at: at, own: p.Server, noise: p.Noise, said: at.said()}
	if p.Canary != nil {
		public := *at
		public.Set = nil // a projection is a function of the model, and shows no more
		c.at, c.own = &public, open{}
		if at.Sharing == nil {
			c.canary = p.Canary
		}
	}
	machines := make([]algorithm.Machine, at.Players()+1)
	switch {
	case at.Arrivals != nil:
		machines[0] = &pacedServer{c}
	case at.Buffer != nil:
		machines[0] = &buffered{core: c, sum: make([]float64, at.Width), within: make([]int, at.Clients), times: make([]int, at.Clients)}
	case at.Tiers != nil:
		machines[0] = &top{core: c}
	case p.Listens:
		machines[0] = &listener{core: c, combine: p.Combine}
	default:
		machines[0] = &server{c}
	}
	for i := range at.Players() {
		if at.Arrivals != nil {
			machines[i+1] = &paced{at: at, own: p.Client, node: messages.NodeID(i + 1)}
			continue
		}
		if at.Seats != nil {
			machines[i+1] = &seat{at: at, own: p.Client, node: messages.NodeID(i + 1)}
			continue
		}
		own := &client{at: at, own: p.Client(i), node: messages.NodeID(i + 1), to: at.over(i), said: at.said()}
		if at.Individual != nil {
			own.filter = at.Individual.FilterOf(i)
		}
		machines[i+1] = own
	}
	if p.At = c.at; at.Tiers != nil {
		servers, err := p.servers()
		if err != nil {
			return nil, err
		}
		machines = append(machines, servers...)
	}
	if p.Canary == nil {
		return machines, nil
	}
	machines[p.Canary.Client].(*client).own = &canaryClient{at: at, of: p.Canary}
	if p.Canary.Others != OwnOthers {
		for i := range at.Clients {
			if node := messages.NodeID(i + 1); node != p.Canary.Client {
				machines[node].(*client).own = &canaryClient{at: at, of: p.Canary.other(i)}
			}
		}
	}
	for _, node := range p.Known {
		open := *at
		var err error
		if open.Sharing, err = at.Sharing.Scaled(0); err != nil {
			return nil, err
		}
		machines[node].(*client).at = &open
	}
	return machines, nil
}

// hops is the number of hops of a round of one server: clients, then the server.
const hops = 2

// over is the server of a client, from 0.
func (at *Setting) over(client int) messages.NodeID {
	if at.Tiers == nil {
		return 0
	}
	return at.Tiers.Parent(at.Tiers.Levels(), client)
}

// Hops is the schedule of a round.
func (at *Setting) Hops(int) int {
	if at.Tiers != nil {
		return at.Tiers.Hops()
	}
	return hops
}

// Acts returns the participants that act in a hop, from first and before end.
func (at *Setting) Acts(offset, hop int) (first, end messages.NodeID) {
	switch {
	case at.Tiers != nil:
		return at.Tiers.Acts(offset, hop)
	case hop == 1:
		return 0, 1
	case at.Arrivals != nil:
		return 1, messages.NodeID(at.Players() + 1)
	case at.Seats != nil:
		return at.Seats.acts(offset + 1)
	case !at.Calendar.Has(offset+1) && !at.Calendar.Has(offset): // nothing to hear, and nothing to send
		return 0, 0
	}
	return 1, messages.NodeID(at.Clients + 1)
}
