package ofl

import (
	"errors"
	"fmt"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/mechanisms/noise"
	"starling/messages"
)

// The metrics that learners record.
const (
	// Clipped is 1 where the step's gradient was clipped, else 0: a value a
	// step.
	Clipped = "clipped"
	// PrefixNoise is the square of the 2-norm of the noise on the prefix sum
	// after an input of the mechanism: of b^{r,t} xi_i, a value a step, in
	// version 2, and of b^{r+1} xi_i, in the last step of a round, in version 1.
	PrefixNoise = "prefix-noise"
)

// learner learns from one client in every step.
type learner struct {
	shared *shared
	to     messages.NodeID // its server
	x      []float64       // x^r, as received
	z      []float64       // z^{r,t}
	sum    []float64       // version 1: of the round's gradients so far
	prefix []float64       // b^{r,t} xi_i so far; nil without noise
	step   int             // local steps done
	noise  *noise.Stream
	place  place // kept with Effects only
}

func newLearner(s *shared, i int) (*learner, error) {
	l := &learner{
		shared: s, to: s.over(i), x: append([]float64(nil), s.Start...), z: make([]float64, s.dim),
		place: place{round: -1, sent: -1},
	}
	copy(l.z, l.x)
	if s.Version == PerRound {
		l.sum = make([]float64, s.dim)
	}
	if s.Noise.Private() {
		l.prefix = make([]float64, s.dim)
	}
	var err error
	own := s.Noise
	if s.Own != nil {
		own = s.Own[i]
	}
	l.noise, err = own.Stream(s.dim)
	return l, err
}

// Step implements algorithm.Machine: a learner decides, and then learns. With Effects it
// decides in the first hop, because it may be down in the second.
func (l *learner) Step(t *algorithm.Turn) error {
	switch effects := l.shared.Effects; {
	case effects:
		l.catchUp(t)
		if t.Hop == 0 {
			return l.decide(t)
		}
	case t.Hop == 0:
		l.receive(t)
		return nil
	default:
		if err := l.decide(t); err != nil {
			return err
		}
	}
	return l.learn(t)
}

// decide plays x^r: line 6.
func (l *learner) decide(t *algorithm.Turn) error {
	s := l.shared
	if s.Set == nil && !s.Effects && t.Step%s.Tau != 0 {
		return t.PlayAgain(l.x) // x^r changes when a round begins
	}
	return t.Play(s.decision(l.x, t.Scratch(s.projection())))
}

// receive takes the server's model, where there is a new one: line 5 of
// Algorithm 1.
func (l *learner) receive(t *algorithm.Turn) {
	for i := range t.Inbox {
		copy(l.x, t.Inbox[i].Payload.(*messages.Vector).Values)
		copy(l.z, l.x)
		clear(l.sum)
	}
}

// learn takes one local step on the client's datum, and at the end of a round sends the server
// the result of the round: lines 8 to 14.
func (l *learner) learn(t *algorithm.Turn) error {
	s := l.shared
	datum, err := l.datum(t)
	if err != nil {
		return err
	}
	if datum != nil {
		if stopped, err := l.descend(t, datum); stopped || err != nil {
			return err
		}
	}
	if (t.Step+1)%s.Tau != 0 || s.Effects && l.place.taken == 0 {
		return nil
	}
	return l.release(t)
}

// datum is the datum of the step's client. It is nil where learner or client was down in a
// network with effects.
func (l *learner) datum(t *algorithm.Turn) ([]float64, error) {
	if l.shared.Effects {
		return datumInTime(t), nil
	}
	if len(t.Inbox) != 1 {
		return nil, fmt.Errorf("%d clients came, want 1", len(t.Inbox))
	}
	return t.Inbox[0].Payload.(*messages.Vector).Values, nil
}

// descend is a local step: lines 8 to 11.
func (l *learner) descend(t *algorithm.Turn, datum []float64) (stopped bool, _ error) {
	s := l.shared
	work := t.Scratch(2*s.dim + s.projection())
	g, row := work[:s.dim], work[s.dim:2*s.dim]
	if err := s.gradient(t, g, s.decision(l.z, work[2*s.dim:]), datum); err != nil {
		return false, err
	}
	if err := l.bound(t, g); err != nil {
		return false, err
	}
	kernel.Add(l.sum, g[:len(l.sum)])
	if s.Version == PerStep {
		if stopped, err := l.perturb(t, g, row); stopped || err != nil {
			return stopped, err
		}
	}
	kernel.Axpy(l.z, -s.LocalStep, g)
	l.step++
	l.place.taken++
	return false, nil
}

// bound enforces the gradient bound that the sensitivity assumes, B_g.
func (l *learner) bound(t *algorithm.Turn, g []float64) error {
	s := l.shared
	clipped, err := algorithm.Bound{Theta: s.GradientBound, On: algorithm.OnBound(s.Bound), Option: "gradient_bound", OnOption: "on_bound"}.Enforce(g)
	if err != nil {
		return err
	}
	count := 0.0
	if clipped {
		count = 1
	}
	t.Record(Clipped, count)
	return nil
}

// perturb adds the increment (b^{r,t} - b^{r,t-1}) xi_i to v, and before it the increments of
// inputs that the learner has missed: lines 8 to 10. If its budget does not pay for the noise,
// the learner stops.
func (l *learner) perturb(t *algorithm.Turn, v, row []float64) (stopped bool, err error) {
	if !l.shared.Noise.Private() {
		return false, nil
	}
	if stopped, err := spent(t, l.noise.Pay(t.Spend)); stopped || err != nil {
		return stopped, err
	}
	if _, err := l.noise.ReleaseAt(l.shared.input(t.Step), v, row, t.Rand(l.shared.NoisePurpose), t.Spend); err != nil {
		return false, err
	}
	kernel.Add(l.prefix, row)
	t.Record(PrefixNoise, kernel.SquaredNorm(l.prefix))
	return false, nil
}

// spent stops the machine if the error says that the budget does not pay. It returns other
// errors.
func spent(t *algorithm.Turn, err error) (stopped bool, _ error) {
	if errors.Is(err, accountant.ErrBudget) {
		t.Stop(err.Error())
		return true, nil
	}
	return false, err
}

// release sends ghat_i^r: lines 13 and 14. Without noise it shows the round's
// gradients, which nothing pays for.
func (l *learner) release(t *algorithm.Turn) error {
	s := l.shared
	if !s.Noise.Private() {
		if stopped, err := spent(t, t.Spend(accountant.NotPrivate())); stopped || err != nil {
			return err
		}
	}
	sent := t.Vector(s.dim)
	if s.Version == PerStep {
		scale := 1 / (s.LocalStep * float64(s.Tau))
		kernel.ScaledDifference(sent.Values, scale, l.x, l.z)
	} else {
		for k, v := range l.sum {
			sent.Values[k] = v / float64(s.Tau)
		}
		if stopped, err := l.perturb(t, sent.Values, t.Scratch(s.dim)); stopped || err != nil {
			return err
		}
	}
	if !s.Noise.Private() {
		return t.SendRaw(l.to, sent)
	}
	return t.Send(l.to, sent, algorithm.Released(l.noise.Receipt()))
}

// State implements algorithm.Machine.
func (l *learner) State(c *messages.Codec) {
	c.Int("step", &l.step)
	c.Floats("x", l.x)
	c.Floats("z", l.z)
	c.Floats("sum", l.sum)
	if l.prefix != nil {
		c.Floats("b xi", l.prefix)
	}
	if l.shared.Effects {
		c.Int("round", &l.place.round)
		c.Int("taken", &l.place.taken)
		c.Int("sent", &l.place.sent)
	}
	l.noise.State(c)
}
