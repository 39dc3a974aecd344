package pyalgorithm

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/gossip"
	"starling/scenarios/metric"
)

// streams is the purpose of the draws of classes. It is the same for all classes, so that two
// classes are compared on the same draws.
var streams = rng.PurposeOf("python.random")

// node is the machine of a participant.
type node struct {
	office *office
	at     *gossip.Setting
	begun  bool
	state  state
	inbox.Inbox
	// The rest is working memory: no part of the state.
	question question
	heard, g []float64
}

// newNode returns the machine of a participant that has not begun.
func newNode(o *office, at *gossip.Setting) algorithm.Machine {
	n := &node{office: o, at: at, Inbox: inbox.NewInbox(at.Rule), heard: make([]float64, len(at.Rule.Start)), g: make([]float64, len(at.Start))}
	if o.inbox {
		return n
	}
	return &summer{n}
}

// summer is a node that hears only the sum of its messages.
type summer struct{ *node }

// Sums implements algorithm.Summer.
func (summer) Sums() {}

// State implements algorithm.Machine.
func (n *node) State(c *messages.Codec) {
	c.Bool("begun", &n.begun)
	c.Part("", &n.state)
	n.Keep(c)
}

// Step implements algorithm.Machine.
func (n *node) Step(t *algorithm.Turn) error {
	q := &n.question
	*q = question{fresh: !n.begun, start: n.at.Start, state: &n.state, seed: n.at.Seed, labels: gossip.FirstLabel, inbox: q.inbox[:0], neighbours: q.neighbours[:0], to: q.to[:0], records: q.records[:0]}
	if err := n.hear(t, q); err != nil {
		return err
	}
	n.Weigh(t)
	r := t.Rand(streams)
	for i := 0; i < len(q.key); i += 2 {
		word := r.Uint64()
		q.key[i], q.key[i+1] = float64(word&math.MaxUint32), float64(word>>32)
	}
	for {
		if err := t.Consult(n.office, q); err != nil || q.over {
			return err // an error of another node where the batch has broken up
		}
		if q.action >= release {
			break
		}
		if err := n.meet(t, q); err != nil {
			return fmt.Errorf("%s: %w", n.office.class, err)
		}
	}
	n.begun = true
	for i, value := range q.records {
		if !math.IsNaN(value) {
			t.Record(metric.Own+n.office.metrics[i], value)
		}
	}
	return n.say(t, q)
}

// hear takes the messages of the node. In the first step there are none.
func (n *node) hear(t *algorithm.Turn, q *question) error {
	switch {
	case n.office.inbox:
		for _, to := range t.View.Out() {
			if to != t.View.Self() {
				q.neighbours = append(q.neighbours, to)
			}
		}
		for i := range t.Inbox {
			e := &t.Inbox[i]
			late := t.Late(e)
			if !late || n.at.Rule.Late {
				shown := e.Payload.Kind().Exposure() == messages.Raw
				q.inbox = append(q.inbox, message{e.From, e.Weight, late, shown, e.Payload.(*messages.Vector).Values})
			}
		}
	case t.Step > 1:
		q.heard = n.heard[:len(n.g)]
		err := t.Receive(&n.Inbox, n.heard)
		q.mass = n.Mass()
		return err
	}
	q.mass = n.Mass()
	return nil
}

// meet carries out a request of the class.
func (n *node) meet(t *algorithm.Turn, q *question) (err error) {
	q.answer = n.g
	if n.at.Bandit && (q.action == gradient || q.action == loss) {
		return errBandit
	}
	switch q.action {
	case play:
		return t.PlayAndDifferentiate(n.g, q.values, n.at.Bound)
	case gradient:
		if err = t.Gradient(n.g, q.values); err == nil {
			_, err = n.at.Bound.Enforce(n.g)
		}
	case loss:
		q.answer = n.g[:1]
		q.answer[0], err = t.Loss(q.values)
	case project:
		set := n.at.Set
		set.Project(n.g, q.values, t.Scratch(set.WorkSize()))
	case raw:
		q.answer = nil
		err = n.sendRaw(t, q)
	}
	return err
}

// errBandit is for feedback that nodes do not get.
var errBandit = errors.New("with algorithm.feedback a node learns only values at points that it plays: turn.play(x) gives the estimate of the gradient, and turn.gradient and turn.loss are of points that are not played")

// errSums is for raw messages that would be summed with releases.
var errSums = errors.New("turn.raw is for classes that read their inbox: inbox = True")

// sendRaw sends raw messages in addition to the release: one to all nodes that hear the node,
// or one of its own to each of some nodes.
func (n *node) sendRaw(t *algorithm.Turn, q *question) error {
	if !n.office.inbox {
		return errSums
	}
	if !q.single {
		v := n.Vector(t, q.values)
		for _, to := range t.View.Out() {
			if err := t.SendRaw(to, v); err != nil {
				return err
			}
		}
		return nil
	}
	d := len(n.g)
	for i, to := range q.to {
		if err := t.SendRaw(to, &messages.Vector{Values: slices.Clone(q.values[i*d : (i+1)*d])}); err != nil {
			return err
		}
	}
	return nil
}

// errSends is for vectors for single neighbours without noise that is scaled to them.
var errSends = errors.New("it returned vectors for single neighbours; the class has to set sends = N, their largest number in a step")

// errMass is for push-sum: masses go along with releases.
var errMass = errors.New("it has push_sum and returned nothing to release: the node's mass would be lost")

// say sends the result of the class.
func (n *node) say(t *algorithm.Turn, q *question) error {
	var err error
	switch most := n.office.sends; {
	case q.single && most == 0:
		err = errSends
	case q.single && len(q.to) > most:
		err = fmt.Errorf("it returned vectors for %d neighbours; the class states sends = %d in a step at most, which its noise is scaled by", len(q.to), most)
	case q.single:
		err = t.ReleaseEach(q.to, n.at.Release(t.Step), slices.Clone(q.values))
	case q.action == nothing && n.office.pushes:
		err = errMass
	case q.action == nothing:
	case n.office.pushes: // the result has been multiplied by the mass
		v := t.Vector(len(n.heard))
		copy(v.Values, q.values)
		v.Values[len(q.values)] = n.Mass()
		return t.Release(n.at.Release(t.Step), v, &n.Inbox)
	default:
		return t.Release(n.at.Release(t.Step), n.Vector(t, q.values), &n.Inbox)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", n.office.class, err)
	}
	return nil
}
