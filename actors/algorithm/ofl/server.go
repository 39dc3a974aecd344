package ofl

import (
	"fmt"

	"starling/actors/algorithm"
	"starling/mechanisms/kernel"
	"starling/messages"
)

// global is the state of both servers: the model x^r and the rounds done.
type global struct {
	shared *shared
	x      []float64
	round  int
}

func newGlobal(s *shared) global {
	return global{shared: s, x: append([]float64(nil), s.Start...)}
}

// descend updates x^{r+1} = x^r - eta~ (1/n) sum_i ghat_i^r, eta~ = eta eta_g tau,
// given the sum of n vectors, or of vectors by weights that sum to n, n > 0: line 16 of Algorithm 1.
func (g *global) descend(sum []float64, n float64) {
	o := &g.shared.Options
	step := o.LocalStep * o.GlobalStep * float64(o.Tau) / n
	kernel.Axpy(g.x, -step, sum)
}

// Reasons why the model shows nothing more than the learners' messages.
const (
	PublicStart    algorithm.Reason = "the model is the start still, which is public"
	MeanOfReleases algorithm.Reason = "the model is made of the public start and of what learners have released"
)

// leave plays the decision of x^{r+1}, the model after a round, and broadcasts the model. It
// is made of protected gradients and a public start. A model that is still the start is
// public.
func (g *global) leave(t *algorithm.Turn, learned bool) error {
	if err := t.Play(g.shared.decision(g.x, t.Scratch(g.shared.projection()))); err != nil {
		return err
	}
	x := t.Vector(g.shared.dim)
	copy(x.Values, g.x)
	switch {
	case !learned:
		return t.Broadcast(x, algorithm.Public(PublicStart))
	case !g.shared.Noise.Private(): // earlier rounds were raw, no matter which vectors came in this one
		return t.BroadcastRaw(x)
	}
	return t.Broadcast(x, t.Follows(MeanOfReleases))
}

// State implements algorithm.Machine.
func (g *global) State(c *messages.Codec) {
	c.Int("round", &g.round)
	c.Floats("x", g.x)
}

// server averages the learners' messages. It needs the sum only, and has the runtime fold it.
type server struct{ global }

// FoldLength implements algorithm.Folder.
func (s *server) FoldLength() int { return s.shared.dim }

// Fold implements algorithm.Folder.
func (s *server) Fold(sum []float64, e *messages.Envelope) { s.shared.add(sum, e) }

// add adds the message of a learner to a sum, and returns its weight.
func (s *shared) add(sum []float64, e *messages.Envelope) (weight float64) {
	if s.Weights == nil {
		add(sum, e)
		return 1
	}
	weight = s.Weights[e.From-1]
	kernel.Axpy(sum, weight, e.Payload.(*messages.Vector).Values)
	return weight
}

func add(sum []float64, e *messages.Envelope) {
	kernel.Add(sum, e.Payload.(*messages.Vector).Values)
}

// Step implements algorithm.Machine. A server that received nothing stops.
func (s *server) Step(t *algorithm.Turn) error {
	sum, received := t.Scratch(s.shared.dim), 0
	clear(sum)
	if t.Blocks != nil {
		for b := range t.Blocks.Len() {
			part, count := t.Blocks.Block(b)
			received += count
			if count == 0 {
				continue
			}
			kernel.Add(sum, part)
		}
	}
	if received == 0 {
		t.Stop(fmt.Sprintf("no learner sent anything in round %d", s.round))
		return nil
	}
	s.descend(sum, float64(received)) // of all learners, whose weights have the mean 1
	s.round++
	return s.leave(t, true)
}
