package ofl

import (
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/mechanisms/kernel"
	"starling/messages"
)

// Tiers are servers in levels above the learners, as in hierarchical federated averaging (Liu, Zhang,
// Song, Letaief 2020). A learner sends its ghat_i^r to the lowest server above it. In every round r,
// from 1, each of the lowest servers moves its model as line 16 of Algorithm 1 moves the one server's,
// over its own n_l learners:
//
//	x_l <- x_l - eta eta_g tau (1/n_l) sum_i ghat_i^r
//
// In the rounds of Takes a server of a level above does the same with the sums that the level below has
// collected since a model last came from above, and its model goes down to the learners and takes the
// place of all models on the way. Rounds are communications of the learners: of the lowest level. With a
// level in every round its model is the mean of the models below, weighted by learners.
//
// Privacy. A learner's messages are as they are with one server: functions of rows of B(CG + Xi), of
// models received and of x^0 (see effects.go). A lowest server sees the messages of its learners, and the
// one server sees the messages of all. Sums and models on all levels are functions of such messages and of
// x^0. So the loss of a learner bounds the loss to any server, to other learners and to readers of any
// link above a learner, whatever the levels and their rounds.
//
// The step in which a round ends has a hop of each level of servers from the lowest to the top, and
// then one of each level below the top back to the lowest.
type Tiers struct {
	topology.Tiers
	// Takes reports whether the servers of a level, from the top, take part in a round, from 1. The
	// lowest take part in all rounds, and a level in all rounds of the levels above.
	Takes func(level, round int) bool
}

// SumsOfReleases is the reason why a sum or a model of a server below the top shows nothing more than
// the learners' messages.
const SumsOfReleases algorithm.Reason = "sums and models of a server are made of the public start and of what learners have released"

// between is the number of servers below the top.
func (of *Tiers) between() int {
	if of == nil {
		return 0
	}
	return of.Nodes() - of.Clients() - 1
}

// levels is the number of levels of servers.
func (of *Tiers) levels() int {
	if of == nil {
		return 1
	}
	return of.Levels()
}

// server returns the participant that is a node of the tree: servers below the top come after the
// clients of learners.
func (o *Options) server(node messages.NodeID) messages.NodeID {
	if n := messages.NodeID(o.Learners); node > n {
		return node + n
	}
	return node
}

// over returns the participant to which a learner, from 0, sends.
func (o *Options) over(learner int) messages.NodeID {
	if o.Tiers == nil {
		return 0
	}
	return o.server(o.Tiers.Parent(o.Tiers.Levels(), learner))
}

// Level returns the level of a participant that is a server or a learner: learners are the level after
// the last of servers. It is -1 for a client of a learner.
func (o *Options) Level(node messages.NodeID) int {
	n := messages.NodeID(o.Learners)
	switch {
	case node > 2*n:
		node -= n
	case node > n:
		return -1
	}
	return o.Tiers.Level(node)
}

// Above returns the servers above a learner, a participant: directly above it first, and the top last.
func (o *Options) Above(learner messages.NodeID) []messages.NodeID {
	list := o.Tiers.Above(learner)
	for i, node := range list {
		list[i] = o.server(node)
	}
	return list
}

// actsAbove returns the servers that act in a hop of the last step of a round.
func (o *Options) actsAbove(hop int) (first, end messages.NodeID) {
	lowest := o.Tiers.levels() - 1
	level := lowest - (hop - 2)
	if level < 0 {
		level = -level
	}
	if level == 0 {
		return 0, 1
	}
	first, end = o.Tiers.Servers(level)
	return o.server(first), o.server(end-1) + 1
}

// servers makes the machines of the servers below the top, in their order.
func (s *shared) servers() (list []algorithm.Machine) {
	for level := 1; level < s.Tiers.levels(); level++ {
		first, end := s.Tiers.Servers(level)
		for place := range int(end - first) {
			below, last := s.Tiers.Below(level, place)
			list = append(list, &tier{
				global: newGlobal(s), level: level, parent: s.server(s.Tiers.Parent(level, place)),
				first: s.server(below), end: s.server(last-1) + 1, learners: s.Learners / int(end-first), sum: make([]float64, s.dim),
			})
		}
	}
	return list
}

// tier is the machine of a server between the top and the learners. Its messages are folded: sums from
// below, or one model from above.
type tier struct {
	global     // x and the rounds of its level done
	level      int
	parent     messages.NodeID
	first, end messages.NodeID // directly below
	learners   int             // below
	sum        []float64       // of learners' vectors since a model last came from above
}

// State implements algorithm.Machine.
func (s *tier) State(c *messages.Codec) {
	s.global.State(c)
	c.Floats("sum", s.sum)
}

// FoldLength implements algorithm.Folder.
func (s *tier) FoldLength() int { return s.shared.dim }

// Fold implements algorithm.Folder.
func (s *tier) Fold(sum []float64, e *messages.Envelope) { add(sum, e) }

// Step implements algorithm.Machine. The level collects sums on the way up, and acts again on the way
// down.
func (s *tier) Step(t *algorithm.Turn) error {
	of, round := s.shared.Tiers, t.Step/s.shared.Tau+1
	if !of.Takes(s.level, round) {
		return nil
	}
	if t.Hop == 2+of.levels()-1-s.level {
		return s.gather(t, of.Takes(s.level-1, round))
	}
	return s.spread(t, of.Takes(s.level-1, round))
}

// gather moves the model by the sum of the level below, and sends the sum so far up in a round of the
// level above. A server that hears nobody stops.
func (s *tier) gather(t *algorithm.Turn, up bool) error {
	news := t.Scratch(s.shared.dim)
	if err := folded(t, news, int(s.end-s.first)); err != nil {
		return stopped(t, err)
	}
	s.descend(news, float64(s.learners))
	kernel.Add(s.sum, news)
	s.round++
	if !up {
		return nil
	}
	v := t.Vector(s.shared.dim)
	copy(v.Values, s.sum)
	return t.Send(s.parent, v, s.mark(t))
}

// spread sends the model down: the model from above in a round of the level above, else its own.
func (s *tier) spread(t *algorithm.Turn, replaced bool) error {
	if replaced {
		from := t.Scratch(s.shared.dim)
		if err := folded(t, from, 1); err != nil {
			return stopped(t, err)
		}
		copy(s.x, from)
		clear(s.sum)
	}
	v, mark := t.Vector(s.shared.dim), s.mark(t)
	copy(v.Values, s.x)
	for node := s.first; node < s.end; node++ {
		if err := t.Send(node, v, mark); err != nil {
			return err
		}
	}
	return nil
}

// mark is the mark of a message of the server. Without noise all are raw, whichever vectors came in
// this turn.
func (s *tier) mark(t *algorithm.Turn) algorithm.Mark {
	if !s.shared.Noise.Private() {
		return algorithm.Raw()
	}
	return t.Follows(SumsOfReleases)
}

// silence is the error of a server that hears nobody.
type silence struct{ step int }

func (e silence) Error() string { return fmt.Sprintf("nothing came in step %d", e.step) }

// stopped ends the part of a server that hears nobody, as all learners have stopped. It returns other
// errors.
func stopped(t *algorithm.Turn, err error) error {
	if silent, ok := err.(silence); ok {
		t.Stop(silent.Error())
		return nil
	}
	return err
}

// folded writes the sum of the vectors of a turn to sum. Learners pay alike, and so all or none of
// them send: want is their number.
func folded(t *algorithm.Turn, sum []float64, want int) error {
	clear(sum)
	received := 0
	if t.Blocks != nil {
		for b := range t.Blocks.Len() {
			if part, count := t.Blocks.Block(b); count > 0 {
				received += count
				kernel.Add(sum, part)
			}
		}
	}
	switch received {
	case want:
		return nil
	case 0:
		return silence{t.Step}
	}
	return fmt.Errorf("%d messages from other levels of servers or learners, want %d", received, want)
}

// top is the machine of participant 0 above other servers.
type top struct{ server }

// Step implements algorithm.Machine. In a round without messages from below it plays its model again.
func (s *top) Step(t *algorithm.Turn) error {
	o := &s.shared.Options
	if !o.Tiers.Takes(0, t.Step/o.Tau+1) {
		return t.Play(s.shared.decision(s.x, t.Scratch(s.shared.projection())))
	}
	sum := t.Scratch(s.shared.dim)
	if err := folded(t, sum, o.Tiers.Fan[0]); err != nil {
		return stopped(t, err)
	}
	s.descend(sum, float64(o.Learners))
	s.round++
	return s.leave(t, true)
}
