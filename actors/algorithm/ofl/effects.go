package ofl

import (
	"starling/actors/algorithm"
	"starling/messages"
)

// In a network with effects rounds begin and end by the schedule, even where participants are
// missing:
//
//   - The server averages the ghat_i^r that are there in its turn, and with LateUse vectors of
//     earlier rounds that have come since. Where there are none it keeps its model. It
//     broadcasts its model in any case.
//   - The datum that a client hands its learner crosses no network (Local): no loss or delay
//     of messages affects it. A learner takes no local step in a step in which it is down, or
//     its client is: that client has left. At the end of the round it sends the sum of the
//     local steps that it took, still over tau, so that missing steps count as zero gradients;
//     if it took none, it sends nothing, and if it is down then, the round's local steps are
//     gone.
//   - A learner that gets no new model goes on from the last that it has, at the beginning of
//     a round with z = x; of several it takes the newest. One that comes in the middle of a
//     round replaces x at once, and z moves along: x - z, the sum of the round so far, stays.
//
// Delay. A round has 2 tau + 1 turns, and the server's comes right after the learners' last. A
// vector that is d >= 1 turns late misses it, waits for the server's turn of a later round,
// and is ceil(d/(2 tau + 1)) rounds late: Late says whether it counts. With LateDrop the
// server never averages if every vector is late. A model that is late meets its learner in the
// middle of the next round.
//
// Privacy. The mechanism's inputs follow the schedule: one for every step (version 2) or every
// round (version 1), zero where there is no local step or no round to send. Which inputs are
// zero depends on the network alone, never on data. Let G be the matrix of inputs. A learner's
// messages are functions of rows of B(CG + Xi), of models received, which are functions of
// earlier messages, and of x^0: each is post-processing of the mechanism that the noise was
// calibrated for, run on G. B and C are lower triangular, so that later inputs may depend on
// earlier messages. After zeros the next increment covers all prefix sums since the last one
// that was used. A client's datum enters the inputs of the steps in which it is met, or some
// of them: sums of a round that is not sent reach none. So inputs of one datum are as far
// apart as the data say, even if a learner misses some, which the sensitivity to a datum that
// is met several times rests on: inputs numbered as they come would bring them together. No
// entry of the matrix A'(BB')^(-1)A is negative, and a datum that misses some of its inputs
// moves no more. In version 2 it moves an input by at most 2 B_g. In version 1 it may move
// every local gradient of its round, of which there are at most tau, over tau: 2 B_g again;
// and where local steps are non-expansive 2 B_g/tau for each time that it is met in the round,
// for a model that comes in the middle of a round moves both of two neighbouring trajectories
// by the same vector. C moves such a difference to at most the sensitivity of the Noise. Rows
// are drawn once, in the turn that uses them or the next, from the generator of (learner,
// step); the learner keeps its stream while it is down. One that lost it would draw Xi anew
// beside outputs of the old one, which nothing pays for: New cannot see the network, and the
// builder of the run must refuse nodes that forget.

// Participants is a quantity of the server in every round: how many vectors it averaged. It is
// recorded with Effects only.
const Participants = "participants"

// tolerantServer is the server in a network with effects.
type tolerantServer struct {
	global
	learned bool // it has averaged a vector: its model is no longer the start
}

// Step implements algorithm.Machine.
func (s *tolerantServer) Step(t *algorithm.Turn) error {
	sum, received, weight := t.Scratch(s.shared.dim), 0, 0.0
	clear(sum)
	for i := range t.Inbox {
		if e := &t.Inbox[i]; s.shared.Late.Takes(t, e) {
			weight += s.shared.add(sum, e)
			received++
		}
	}
	if received > 0 {
		s.descend(sum, weight)
		s.learned = true
	}
	s.round = t.Step/s.shared.Tau + 1
	t.Record(Participants, float64(received))
	return s.leave(t, s.learned)
}

// State implements algorithm.Machine.
func (s *tolerantServer) State(c *messages.Codec) {
	c.Bool("learned", &s.learned)
	s.global.State(c)
}

// place is the progress of a learner in a network with effects.
type place struct {
	round int // from 0; -1 before the first
	taken int // local steps in it
	sent  int // turn in which x was sent; -1 for x^0
}

// catchUp begins a round where a new one is due, and takes the newest model.
func (l *learner) catchUp(t *algorithm.Turn) {
	p := &l.place
	if round := t.Step / l.shared.Tau; round != p.round {
		p.round, p.taken = round, 0
		copy(l.z, l.x)
		clear(l.sum)
	}
	e := messages.Newest(t.Inbox, p.sent, func(e *messages.Envelope) bool { return e.From == 0 })
	if e == nil {
		return
	}
	p.sent = int(e.Sent)
	for k, v := range e.Payload.(*messages.Vector).Values {
		l.z[k] = v - (l.x[k] - l.z[k])
		l.x[k] = v
	}
}

// datumInTime is the datum of the step's client; nil if it is not there. A datum that waited
// for a learner that was down is of an earlier step.
func datumInTime(t *algorithm.Turn) []float64 {
	for i := range t.Inbox {
		if e := &t.Inbox[i]; e.From != 0 && !t.Late(e) {
			return e.Payload.(*messages.Vector).Values
		}
	}
	return nil
}
