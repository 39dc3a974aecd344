package machine

import (
	"slices"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/federated/aggregation"
)

// Tiers are servers in levels above the clients: hierarchical federated averaging (Liu, Zhang,
// Song, Letaief, Client-Edge-Cloud Hierarchical Federated Learning, ICC 2020). It is immutable.
//
//	the paper                                             here
//	kappa_1 local updates of a client                     tau
//	an edge aggregation, the mean of the clients' models  gather, of the lowest servers
//	the cloud's, every kappa_2 edge aggregations          gather of the top, in the rounds of Takes
//	the model goes down to the clients                    spread
//
// A round has a hop of the clients, then one of each level of servers from the lowest to the top,
// then one of each level below the top from there to the lowest. A server sends up the sum of its
// clients' vectors since its model was last replaced from above. Its own model is that model, moved
// by the mean of the same vectors. Nothing else goes up: the number of clients in a sum is as secret as
// their participation. So the model at the top is the mean over all clients, and the
// rule of the algorithm's server is applied at the top alone.
type Tiers struct {
	topology.Tiers
	// Noise is the level of the servers with the noise of a trusted server, from the top, 0.
	Noise int
	// Takes reports whether the servers of a level take part in a round, from 1. The lowest take
	// part in all rounds, and a level in all rounds of the levels above.
	Takes func(level, round int) bool
}

// SumsOfReleases is the reason why the model of a server below the top shows no more than its own
// releases, or the releases of servers below it.
const SumsOfReleases algorithm.Reason = "the model is made of sums that servers have released"

// Hops is the schedule of a round.
func (of *Tiers) Hops() int { return 2 * of.Levels() }

// gathers is the hop of a level on the way up; on the way down it acts again.
func (of *Tiers) gathers(level int) int { return of.Levels() - level }

// Acts returns the participants that act in a hop, from first and before end.
func (of *Tiers) Acts(_, hop int) (first, end messages.NodeID) {
	switch {
	case hop == 0:
		return 1, messages.NodeID(of.Clients() + 1)
	case hop <= of.Levels():
		return of.Servers(of.Levels() - hop)
	}
	return of.Servers(hop - of.Levels())
}

// Adds returns the servers that add the noise of a trusted server.
func (of *Tiers) Adds() algorithm.Range {
	if of == nil {
		return algorithm.Range{First: 0, End: 1}
	}
	first, end := of.Servers(of.Noise)
	return algorithm.Range{First: first, End: end}
}

// servers makes the machines of the servers below the top, in their order.
func (p *Parts) servers() (list []algorithm.Machine, err error) {
	of := p.At.Tiers
	for level := 1; level < of.Levels(); level++ {
		first, end := of.Servers(level)
		for node := first; node < end; node++ {
			s := &tier{at: p.At, level: level, parent: of.Parent(level, int(node-first)), factor: p.At.factor(level, int(node-first)), model: p.At.said(), above: p.At.said(), sum: make([]float64, p.At.Width)}
			s.first, s.end = of.Below(level, int(node-first))
			if of.Noise == level {
				if s.noise, err = p.Noise.Drawn(); err != nil {
					return nil, err
				}
			}
			if p.Canary != nil && s.first <= p.Canary.Client && p.Canary.Client < s.end && level == of.Levels()-1 {
				s.canary = p.Canary
			}
			list = append(list, s)
		}
	}
	return list, nil
}

// factor is the factor that makes the mean, by the weights of clients, of a sum over the clients of a
// server below the top: a server has as many clients as each other of its level.
func (at *Setting) factor(level, place int) float64 {
	first, end := at.Tiers.Servers(level)
	servers := int(end - first)
	if at.Weights == nil {
		return float64(servers) / at.Expected
	}
	below, total := at.Clients/servers, 0.0
	for _, weight := range at.Weights[place*below : (place+1)*below] {
		total += weight
	}
	return float64(at.Clients) / total / at.Expected
}

// said is the first message of a server.
func (at *Setting) said() []float64 {
	return append(slices.Clone(at.Start), make([]float64, at.Said()-at.Dim)...)
}

// first is said for readers: without numbers beside the model it is the start itself, and no copy.
func (at *Setting) first() []float64 {
	if at.Said() == at.Dim {
		return at.Start
	}
	return at.said()
}

// stoppedBelow is the reason of the stop of a server that hears nobody in a round of its own.
const stoppedBelow = "the servers below have stopped"

// tier is the machine of a server between the top and the clients.
type tier struct {
	at         *Setting
	level      int
	parent     messages.NodeID
	first, end messages.NodeID   // directly below
	factor     float64           // makes a mean of a sum over all clients below
	noise      aggregation.Drawn // of a server that adds none: the zero value
	model      []float64         // w of this server, len Width
	above      []float64         // the model that last came from above, len Width
	sum        []float64         // of the clients' vectors since then
	raw        bool              // the sum, or the model from above, is unprotected
	learned    bool              // the model is no longer the initial one
	canary     *Canary           // of a client directly below, in audits alone
}

// State implements algorithm.Machine.
func (s *tier) State(c *messages.Codec) {
	c.Floats("w", s.model)
	c.Floats("w of the level above", s.above)
	c.Floats("sum", s.sum)
	c.Bool("unprotected", &s.raw)
	c.Bool("learned", &s.learned)
	if s.noise.Trusted != nil {
		s.noise.State(c)
	}
}

// Step implements algorithm.Machine.
func (s *tier) Step(t *algorithm.Turn) error {
	if t.Hop == s.at.Tiers.gathers(s.level) {
		return s.gather(t)
	}
	return s.spread(t)
}

// gather adds up the vectors of the level below. In a round of the level above it sends it the sum.
func (s *tier) gather(t *algorithm.Turn) error {
	of, w := s.at.Tiers, s.at.Width
	if !of.Takes(s.level, t.Step) {
		return nil
	}
	if len(t.Inbox) == 0 && s.level < of.Levels()-1 {
		t.Stop(stoppedBelow)
		return nil
	}
	scratch := t.Scratch(w + s.at.working())
	news, work := scratch[:w], scratch[w:]
	clear(news)
	s.hears(t, news)
	mark, err := s.protect(t, news)
	if err != nil {
		return stopped(t, err)
	}
	kernel.Add(s.sum, news)
	s.raw = s.raw || mark.Exposure() == messages.Raw
	s.learned = s.learned || mark.Exposure() != messages.Public
	copy(s.model, s.above)
	kernel.Axpy(s.model[:w], s.factor, s.sum)
	if model := s.model[:s.at.Dim]; s.at.Set != nil {
		s.at.Set.Project(model, model, work)
	}
	if !of.Takes(s.level-1, t.Step) {
		return nil
	}
	v := t.Vector(w)
	copy(v.Values, s.sum)
	if s.raw {
		mark = algorithm.Raw()
	}
	return t.Send(s.parent, v, mark)
}

// hears adds the vectors of the messages of a turn to news. A server of the lowest level records how
// many there are, and the local steps behind them.
func (s *tier) hears(t *algorithm.Turn, news []float64) {
	if s.level == s.at.Tiers.Levels()-1 {
		steps := 0
		for i := range t.Inbox {
			steps += s.at.Steps.Done(int(t.Inbox[i].From)-1, t.Step)
		}
		t.Record(QuantityClients, float64(len(t.Inbox)))
		t.Record(QuantitySeen, float64(steps))
	}
	c := s.canary
	if c == nil {
		addUp(t.Inbox, news)
		return
	}
	inbox := t.Inbox
	taken := slices.IndexFunc(inbox, func(e messages.Envelope) bool { return e.From == c.Client })
	if taken >= 0 && c.In != AsTaken {
		inbox = slices.Concat(inbox[:taken], inbox[taken+1:])
	}
	addUp(inbox, news)
	c.join(news, taken >= 0, s.at.Clip)
}

// learns reports whether a message is of more than the initial model.
func learns(inbox []messages.Envelope) bool {
	return slices.ContainsFunc(inbox, func(e messages.Envelope) bool { return e.Payload.Kind().Exposure() != messages.Public })
}

// addUp adds the vectors of messages to sum.
func addUp(inbox []messages.Envelope, sum []float64) {
	for i := range inbox {
		kernel.Add(sum, inbox[i].Payload.(*messages.Vector).Values[:len(sum)])
	}
}

// protect adds the server's noise to the sum of a round, and returns the mark of the result.
func (s *tier) protect(t *algorithm.Turn, news []float64) (algorithm.Mark, error) {
	switch {
	case s.noise.Trusted != nil:
		return s.noise.Release(t, news, s.noise.Loss(t.Step) != (accountant.Loss{}))
	case !s.at.Record && s.level > s.at.Tiers.Noise: // noise is added above, or none is
		return algorithm.Raw(), nil
	case !s.learned && !learns(t.Inbox):
		return algorithm.Public(InitialModel), nil
	}
	return t.Follows(s.at.sums()), nil
}

// spread sends the model down: the one of the level above in a round of that level, else its own.
func (s *tier) spread(t *algorithm.Turn) error {
	of := s.at.Tiers
	if of.Takes(s.level-1, t.Step) {
		if len(t.Inbox) == 0 {
			t.Stop("the server above has stopped")
			return nil
		}
		from := t.Inbox[0].Payload.(*messages.Vector)
		copy(s.above, from.Values)
		copy(s.model, from.Values)
		clear(s.sum)
		s.raw = from.Kind().Exposure() == messages.Raw
		s.learned = s.learned || from.Kind().Exposure() != messages.Public
	}
	if !of.Takes(s.level, t.Step) {
		return nil
	}
	v := t.Vector(len(s.model))
	copy(v.Values, s.model)
	mark := algorithm.Public(InitialModel)
	switch {
	case s.raw:
		mark = algorithm.Raw()
	case s.learned:
		mark = t.Follows(SumsOfReleases)
	}
	for node := s.first; node < s.end; node++ {
		if err := t.Send(node, v, mark); err != nil {
			return err
		}
	}
	return nil
}

// top is the machine of participant 0 above other servers.
type top struct{ core }

// State implements algorithm.Machine.
func (s *top) State(c *messages.Codec) {
	s.core.State(c)
	c.Bool("learned", &s.learned)
}

// Step implements algorithm.Machine. In a round without messages from below it plays its model
// again.
func (s *top) Step(t *algorithm.Turn) error {
	w := s.at.Width
	if !s.at.Tiers.Takes(0, t.Step) {
		return t.PlayAgain(s.said[:s.at.Dim])
	}
	if len(t.Inbox) == 0 {
		t.Stop(stoppedBelow)
		return nil
	}
	scratch := t.Scratch(w + s.at.working())
	sum, work := scratch[:w], scratch[w:]
	clear(sum)
	s.learned = s.learned || learns(t.Inbox)
	addUp(t.Inbox, sum)
	return s.adopt(t, sum, s.at.Expected, work)
}
