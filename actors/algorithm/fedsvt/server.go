package fedsvt

import (
	"math"

	"starling/actors/algorithm"
	"starling/mechanisms/kernel"
	"starling/mechanisms/selection"
	"starling/messages"
)

// QuantitySwitches is recorded by the server at every exchange: k after it.
const QuantitySwitches = "switches"

// Server is the server's machine: Algorithm 8. It needs the sums over clients
// only, and has the runtime fold them.
type Server struct {
	algorithm.StarSum // of the clients' messages in an exchange
	shared            *shared
	expert            int       // x_t, from 1; 0 before x_0 is drawn
	switches          int       // k
	query             float64   // q: the loss of the expert played since tau, over all clients
	noisy             float64   // Lhat
	total             []float64 // by expert, of all losses so far over all clients
	scalars           int       // sent
}

// Expert is the expert that is played, from 1; 0 before step 1.
func (s *Server) Expert() int { return s.expert }

// Switches is k, how many times the expert has been drawn anew. The draw can
// return the expert that was played.
func (s *Server) Switches() int { return s.switches }

// Scalars is how many scalars the server has sent so far, a broadcast counted
// once a client.
func (s *Server) Scalars() int { return s.scalars }

// Step implements algorithm.Machine.
func (s *Server) Step(t *algorithm.Turn) error {
	if t.Step == 1 && t.Hop == 0 {
		return s.start(t)
	}
	if err := s.Gather(t.Blocks, s.shared.Clients, "sums"); err != nil {
		return err
	}
	s.query += s.StarSum[s.expert-1]
	kernel.Add(s.total, s.StarSum)
	answer, mark := keep, s.exhausted(t) // line 17
	if float64(s.switches) < s.shared.derived.Kappa {
		var err error
		if answer, mark, err = s.decide(t); err != nil {
			return err
		}
	}
	t.Record(QuantitySwitches, float64(s.switches))
	return s.send(t, answer, mark)
}

// Reasons why payloads without a receipt show nothing more.
const (
	PublicStart algorithm.Reason = "x_0 depends on no loss"
	NoSwitches  algorithm.Reason = "no switch is left, whatever the losses are"
)

// exhausted marks the answers after the last switch. They follow from the answers before,
// which are raw without noise.
func (s *Server) exhausted(t *algorithm.Turn) algorithm.Mark {
	if threshold := s.shared.threshold(); !threshold.Standing(sensitivity).Protects() {
		return algorithm.Raw()
	}
	return t.FollowsFrom(NoSwitches, func(*messages.Envelope) bool { return false })
}

// start draws x_0 and the first noisy threshold: line 2.
func (s *Server) start(t *algorithm.Turn) error {
	if s.expert = s.shared.Start; s.expert == 0 {
		s.expert = 1 + t.Rand(s.shared.StartPurpose).IntN(len(s.total))
	}
	if s.shared.schedule.Exchanges() > 0 {
		var err error
		threshold := s.shared.threshold()
		if s.noisy, err = threshold.Arm(t.Rand(s.shared.NoisePurpose), sensitivity, t.Spend); err != nil {
			return err
		}
	}
	return s.send(t, s.expert, algorithm.Public(PublicStart))
}

// decide tests whether the expert is still good enough, and if not draws one by the score
// max(total, m L*): lines 7 to 14. It returns the answer to send. The printed score has the
// loss of the expert played in place of the loss of the expert scored; the proof's potential
// has the latter.
func (s *Server) decide(t *algorithm.Turn) (answer int, mark algorithm.Mark, err error) {
	r := t.Rand(s.shared.NoisePurpose)
	threshold := s.shared.threshold()
	if !threshold.Above(s.noisy, s.query, r) {
		return keep, algorithm.Released(threshold.Standing(sensitivity)), nil
	}
	floor := float64(float64(s.shared.Clients) * s.shared.Lstar)
	utilities := s.StarSum
	for x, v := range s.total {
		utilities[x] = -max(v, floor)
	}
	choice, receipt, err := s.shared.exponential().Select(utilities, r, sensitivity, t.Spend)
	if err != nil {
		return keep, mark, err
	}
	s.expert = choice + 1
	s.switches++
	s.query = 0 // tau = t
	s.noisy, err = threshold.Arm(r, sensitivity, spentBefore)
	return s.expert, algorithm.Released(receipt), err
}

// send broadcasts an expert, or keep.
func (s *Server) send(t *algorithm.Turn, expert int, mark algorithm.Mark) error {
	m := t.Vector(1)
	m.Values[0] = float64(expert)
	s.scalars += s.shared.Clients
	t.Record(algorithm.QuantityScalars, float64(s.shared.Clients))
	return t.Broadcast(m, mark)
}

// State implements algorithm.Machine.
func (s *Server) State(c *messages.Codec) {
	c.Int("expert", &s.expert)
	c.Int("switches", &s.switches)
	c.Int("scalars", &s.scalars)
	c.Float("query", &s.query)
	c.Float("noisy threshold", &s.noisy)
	c.Floats("total", s.total)
	checkExpert(c, s.expert, len(s.total))
}

// sensitivity is how far one loss in [0, 1] moves a query or a score.
const sensitivity = 1

// threshold is the sparse vector technique of lines 2, 8, 9 and 14.
func (s *shared) threshold() selection.AboveThreshold {
	a := selection.AboveThreshold{Threshold: s.derived.Threshold, Cumulative: true}
	if !math.IsInf(s.Epsilon, 1) {
		a.ThresholdScale, a.QueryScale = 4/s.Epsilon, 8/s.Epsilon
	}
	return a
}

// exponential is the mechanism of line 12: probability proportional to
// exp(-eta s/2).
func (s *shared) exponential() selection.Exponential {
	return selection.Exponential{Scale: 2 / s.derived.Eta} // 0 without noise
}
