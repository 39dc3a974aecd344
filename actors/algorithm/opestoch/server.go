package opestoch

import (
	"starling/actors/algorithm"
	"starling/mechanisms/selection"
	"starling/messages"
)

// Server is the server's machine: Algorithm 2 or 5. It needs only the sums of the clients'
// messages, and has the runtime fold them.
type Server struct {
	algorithm.StarSum // of the clients' messages; then their mean
	shared            *shared
	vertex            int // the last answer, from 1; 0 before the first
	leaves            int // answered so far
	scalars           int // sent
}

// Vertex is the last answer, an expert from 1; 0 before the first.
func (s *Server) Vertex() int { return s.vertex }

// Leaves is how many leaves the server has answered.
func (s *Server) Leaves() int { return s.leaves }

// Scalars is how many scalars the server has sent so far, a broadcast counted
// once a client.
func (s *Server) Scalars() int { return s.scalars }

// Step implements algorithm.Machine.
func (s *Server) Step(t *algorithm.Turn) error {
	p, _ := s.shared.schedule.phaseOf(t.Step)
	if p.Number == 1 {
		return s.send(t, s.shared.Start, algorithm.Public(PublicStart)) // line 2
	}
	if err := s.Gather(t.Blocks, s.shared.Clients, "inner products"); err != nil {
		return err
	}
	mark, err := s.choose(t, p, t.Hop/2+1)
	if err != nil {
		return err
	}
	s.leaves++
	return s.send(t, []float64{float64(s.vertex)}, mark)
}

// Reasons why payloads without a receipt of their own show nothing more.
const (
	PublicStart algorithm.Reason = "the start z is public"
	NoisySums   algorithm.Reason = "the vertex is the smallest of the sums that clients have released"
)

// choose sets the vertex of leaf k, of the smallest mean: (1), or (6) in the central variant,
// where the noise is the server's. Ties go to the lowest index.
func (s *Server) choose(t *algorithm.Turn, p *Phase, k int) (algorithm.Mark, error) {
	for n, v := range s.StarSum {
		s.StarSum[n] = -(v / float64(s.shared.Clients))
	}
	if s.shared.Variant != Central {
		best, err := selection.Largest(s.StarSum)
		s.vertex = best + 1
		return t.Follows(NoisySums), err
	}
	mechanism := selection.ReportNoisyMax{Law: selection.LaplaceLaw, Scale: p.Scales[treeOf(k)-1]}
	best, receipt, err := mechanism.SelectAt(s.StarSum, t.Rand(s.shared.NoisePurpose), s.shared.charge(p, k), t.Spend)
	s.vertex = best + 1
	return algorithm.Released(receipt), err
}

// send broadcasts values.
func (s *Server) send(t *algorithm.Turn, values []float64, mark algorithm.Mark) error {
	m := t.Vector(len(values))
	copy(m.Values, values)
	s.scalars += len(values) * s.shared.Clients
	t.Record(algorithm.QuantityScalars, float64(len(values)*s.shared.Clients))
	return t.Broadcast(m, mark)
}

// State implements algorithm.Machine.
func (s *Server) State(c *messages.Codec) {
	c.Int("vertex", &s.vertex)
	c.Int("leaves", &s.leaves)
	c.Int("scalars", &s.scalars)
}
