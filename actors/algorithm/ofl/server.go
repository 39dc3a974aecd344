package ofl

import (
	"fmt"

	"starling/actors/algorithm"
	"starling/messages"
)

// server holds the model x^r and averages what the learners send.
type server struct {
	shared *shared
	x      []float64
	round  int
}

func newServer(s *shared) *server {
	return &server{shared: s, x: append([]float64(nil), s.Start...)}
}

// FoldLength implements algorithm.Folder.
func (s *server) FoldLength() int { return s.shared.dim }

// Fold implements algorithm.Folder.
func (s *server) Fold(sum []float64, e *messages.Envelope) {
	for k, v := range e.Payload.(*messages.Vector).Values {
		sum[k] += v
	}
}

// Step updates x^{r+1} = x^r - eta~ (1/n) sum_i ghat_i^r, eta~ = eta eta_g tau,
// and broadcasts it: line 16 of Algorithm 1.
func (s *server) Step(t *algorithm.Turn) error {
	o := &s.shared.Options
	mean, received := t.Scratch(s.shared.dim), 0
	clear(mean)
	if t.Blocks != nil {
		for b := range t.Blocks.Len() {
			sum, count := t.Blocks.Block(b)
			received += count
			if count == 0 {
				continue
			}
			for k, v := range sum {
				mean[k] += v
			}
		}
	}
	if received == 0 {
		t.Stop(fmt.Sprintf("no learner sent anything in round %d", s.round))
		return nil
	}
	step := o.LocalStep * o.GlobalStep * float64(o.Tau) / float64(received)
	for k, v := range mean {
		s.x[k] -= float64(step * v)
	}
	s.round++
	x := t.Vector(s.shared.dim)
	copy(x.Values, s.x)
	// What the server holds is made of protected gradients and a public start.
	x.Protected = o.Noise != nil
	return t.Broadcast(x)
}

// Describe implements algorithm.Describer.
func (s *server) Describe() []algorithm.Quantity {
	return []algorithm.Quantity{{Name: "x", Values: s.x}}
}

// AppendState implements algorithm.Machine.
func (s *server) AppendState(dst []byte) []byte {
	return messages.AppendFloats(messages.AppendInt(dst, s.round), s.x...)
}

// RestoreState implements algorithm.Machine.
func (s *server) RestoreState(src []byte) error {
	r := messages.NewReader(src)
	s.round = r.Int()
	r.Floats(s.x)
	return r.End()
}
