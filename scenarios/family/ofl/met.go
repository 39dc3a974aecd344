package ofl

import (
	"fmt"
	"math"

	"starling/actors/algorithm/ofl"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/problem/stream"
)

// met evaluates decisions at the datum of their step, and keeps the data of the metrics that
// follow.
type met struct {
	GaugeOptions
	takesLoss, takesInstant bool
	span                    *gauge.Span
	learners                []metLearner
	decisions               gauge.Counter
	losses                  gauge.ByNode // the sum of a learner's losses so far
	later                   *gauge.Later // nil if each decision is evaluated at once
	// samples and correct are by round: data met before their use.
	samples, correct gauge.Counter

	// The rest are sums up to the point of the rows.
	decided  float64
	ended    int     // rounds
	least    float64 // the sum over steps so far of (f^r)*
	compared int     // steps in least
}

// metLearner is the data of one learner. Its calls are one after the other.
type metLearner struct {
	loss  float64   // the sum of its losses so far
	datum []float64 // scratch, len Width
}

func newMet(o GaugeOptions) *met {
	m := &met{GaugeOptions: o, learners: make([]metLearner, o.Learners)}
	for i := range m.learners {
		m.learners[i].datum = make([]float64, o.Instance.Width())
	}
	if o.Many != nil {
		m.later = &gauge.Later{Most: o.Learners, Width: 1, Ask: o.Many.Losses, Take: func(node messages.NodeID, at gauge.At, _, loss []float64) {
			m.take(m.learnerOf(node), at, loss[0], false)
		}}
	}
	return m
}

// Begin implements gauge.Gauge: the metrics are derived.
func (m *met) Begin(s *gauge.Span) []gauge.Column {
	m.span = s
	m.takesLoss = s.Wanted.Any(gauge.LossMean) || m.Comparator != nil && s.Wanted.Any(RegretDynamic, RegretStatic)
	_, classifies := m.Model.(stream.Classifier)
	m.takesInstant = classifies && s.Wanted.Any(AccuracyInstant)
	m.decisions = make(gauge.Counter, len(s.Points))
	m.samples, m.correct = make(gauge.Counter, m.Rounds), make(gauge.Counter, m.Rounds)
	if m.takesLoss {
		m.losses = gauge.NewByNode(len(s.Points), m.Learners)
	}
	return nil
}

// learnerOf returns the learner of a participant.
func (m *met) learnerOf(node messages.NodeID) int {
	i := int(node - ofl.Learner(0))
	if i < 0 || i >= m.Learners {
		panic(fmt.Sprintf("losses: participant %d is none of %d learners", node, m.Learners))
	}
	return i
}

// Played implements gauge.Decisions. x is x^r, and the learner has not seen the
// step's datum yet.
func (m *met) Played(node messages.NodeID, at gauge.At, x []float64) {
	if node == 0 {
		return
	}
	i := m.learnerOf(node)
	if !m.takesLoss && !m.takesInstant {
		return
	}
	if m.later != nil {
		m.later.Add(node, at, x)
		return
	}
	loss, correct := m.evaluate(x, stream.Row(m.Instance, m.learners[i].datum, messages.NodeID(i), at.Step+1))
	m.take(i, at, loss, correct)
}

// take takes in the result of a learner's decision.
func (m *met) take(i int, at gauge.At, loss float64, correct bool) {
	m.decisions[at.Point].Add(1)
	l := &m.learners[i]
	if m.takesLoss {
		l.loss += loss
		m.losses.Put(at.Point, i, l.loss)
	}
	if m.takesInstant {
		m.samples[at.Step/m.Tau].Add(1)
		if correct {
			m.correct[at.Step/m.Tau].Add(1)
		}
	}
}

// evaluate returns the loss of a datum, and whether it is classified right, as far as they are
// wanted.
func (m *met) evaluate(x, datum []float64) (loss float64, correct bool) {
	if m.takesLoss && m.takesInstant {
		if e, ok := m.Model.(stream.Evaluator); ok {
			return e.Evaluate(x, datum)
		}
	}
	if m.takesLoss {
		loss = m.Model.Loss(x, datum)
	}
	return loss, m.takesInstant && m.Model.(stream.Classifier).Correct(x, datum)
}

// End implements gauge.Ender.
func (m *met) End() { m.later.Flush() }

// Carry implements gauge.Carrier.
func (m *met) Carry(point int) {
	if point == 0 {
		m.decided, m.ended, m.least, m.compared = 0, 0, 0, 0
	}
	m.losses.Carry(point)
	m.decided += float64(m.decisions[point].Load())
}

// Final implements gauge.Early.
func (*met) Final(points int) int { return points }

// endRounds hands over the accuracy of the rounds that end by a point.
func (m *met) endRounds(point int, to gauge.Sheet) {
	share := m.correct.ShareAt(m.samples)
	for ; (m.ended+1)*m.Tau-1 <= m.span.Points[point]; m.ended++ {
		to.Add((m.ended+1)*m.Tau-1, AccuracyInstant, share(m.ended))
	}
}

// mean returns the mean loss so far.
func (m *met) mean(int) float64 { return m.losses.Sum() / m.decided }

// paid returns sum_r sum_t (1/n) sum_i f_i^{r,t}(x^r) up to a step, NaN unless every learner
// has decided in every step of it.
func (m *met) paid(step int) float64 {
	if m.decided != float64(step+1)*float64(m.Learners) {
		return math.NaN()
	}
	return m.losses.Sum() / float64(m.Learners)
}

// dynamic returns the dynamic regret per step up to a point. Optima of rounds take well below
// a millisecond each if their data are separable.
func (m *met) dynamic(point int) float64 {
	step := m.span.Points[point]
	for ; m.compared <= step; m.compared++ {
		m.least += m.Comparator.Round(m.compared / m.Tau).Value
	}
	return (m.paid(step) - m.least) / float64(step+1)
}

// static returns the static regret per step of the run: its optimum takes seconds for 80,000
// data in 100 dimensions.
func (m *met) static(int) float64 {
	steps := m.Steps()
	return m.paid(steps-1)/float64(steps) - m.Comparator.Static().Value
}

// Hand implements gauge.Handing.
func (m *met) Hand(c *messages.Codec, nodes []messages.NodeID) {
	m.later.Flush()
	for _, node := range nodes {
		if i := int(node - ofl.Learner(0)); i >= 0 && i < m.Learners && m.takesLoss {
			c.Float("loss of a learner", &m.learners[i].loss)
			m.losses.Hand(c, i)
		}
	}
	m.decisions.Hand(c, "decisions")
	m.samples.Hand(c, "samples")
	m.correct.Hand(c, "correct")
}

// State implements gauge.Gauge.
func (m *met) State(c *messages.Codec) {
	m.later.Flush()
	for i := range m.learners {
		c.Float("loss of a learner", &m.learners[i].loss)
	}
	c.Part("losses", &m.losses)
	m.decisions.Go(c, "decisions")
	m.samples.Go(c, "samples")
	m.correct.Go(c, "correct")
}
