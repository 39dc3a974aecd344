package dpfl

import (
	"errors"
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/algorithm/batch"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

// client is a client's machine.
type client struct {
	shared *shared
	index  int // from 0
	data   Data
	rate   float64   // q
	batch  float64   // B
	mean   []float64 // w(k), as received
	local  []float64 // w_i, of the last local step
	tau    int
	done   int   // local steps taken
	heard  heard // kept with Effects only
	stream *noise.Stream

	samples []int     // working memory: the batches of a turn, one after the other
	ends    []int     // working memory: where each ends
	added   []float64 // working memory of stream, len d
}

func newClient(s *shared, index int) (*client, error) {
	c := &client{shared: s, index: index, data: s.Clients[index], rate: s.rate(index), batch: s.batch(index), tau: 1, heard: heard{-1, -1}}
	var err error
	if c.stream, err = s.Noise.At(c.rate).Stream(s.dim); err != nil {
		return nil, err
	}
	if s.Noise.Once() {
		c.added = make([]float64, s.dim)
	}
	if s.Adaptive == nil {
		c.tau = s.Tau
	}
	c.mean = append([]float64(nil), s.Start...)
	c.local = append([]float64(nil), s.Start...)
	return c, nil
}

// Step implements algorithm.Machine.
func (c *client) Step(t *algorithm.Turn) error {
	renewed := true
	if c.shared.Effects {
		renewed = c.catchUp(t)
	} else if err := c.receive(t); err != nil {
		return err
	}
	if c.done == c.shared.plan.Steps {
		t.Stop(fmt.Sprintf("the privacy budget pays for %d local steps, which are done", c.done))
		return nil
	}
	if t.Hop == 0 {
		return c.train(t)
	}
	if !renewed { // a gradient at another mean does not help the server
		return nil
	}
	return c.answer(t)
}

// receive takes the server's message: nothing in the first turn, because all know the initial
// model; the tau that was chosen after the round before; or a mean.
func (c *client) receive(t *algorithm.Turn) error {
	want := 1
	if t.Step == 1 && t.Hop == 0 {
		want = 0
	}
	if len(t.Inbox) != want {
		return fmt.Errorf("%d messages from the server, want %d", len(t.Inbox), want)
	}
	if want == 0 {
		return nil
	}
	values := t.Inbox[0].Payload.(*messages.Vector).Values
	if t.Hop == 0 && c.shared.chooses(t.Step-1) {
		c.tau = int(values[0])
		return nil
	}
	copy(c.mean, values)
	return nil
}

// train is a round: lines 4 to 12 of Algorithm 2, of which DPFL has all but the first. The
// last round is cut to the local steps that the budget still pays for, which Algorithm 2
// overruns. If its meter refuses to pay for a step, the client sends the model after the steps
// that are paid for, and stops. A straggler that is dropped takes no step, and sends nothing.
func (c *client) train(t *algorithm.Turn) error {
	var estimates *estimates
	steps := min(c.shared.Stragglers.Steps(messages.NodeID(c.index+1), t.Step, c.tau), c.shared.plan.Steps-c.done)
	// With the last local steps that the budget pays for there is nothing left to
	// choose, and no reason to spend on it.
	if c.shared.chooses(t.Step) && c.done+steps < c.shared.plan.Steps {
		var err error
		if estimates, err = c.estimate(t); errors.Is(err, accountant.ErrBudget) {
			t.Stop(err.Error())
			return nil
		} else if err != nil {
			return err
		}
	}
	before, refused := c.done, error(nil)
	receipt, err := c.iterate(t, steps)
	if errors.Is(err, accountant.ErrBudget) {
		refused = err
	} else if err != nil {
		return err
	}
	if c.done > before {
		if err := c.send(t, receipt, estimates); err != nil {
			return err
		}
	}
	if refused != nil {
		t.Stop(refused.Error())
	}
	return nil
}

// iterate takes the given number of local steps from the mean, each paid for before its sum is
// used: lines 5 to 12. The receipt is the last step's.
func (c *client) iterate(t *algorithm.Turn, steps int) (receipt accountant.Receipt, refused error) {
	s := c.shared
	c.draw(t, steps)
	copy(c.local, c.mean)
	work := t.Scratch(s.dim + s.working())
	sum, work := work[:s.dim], work[s.dim:]
	clipped, drawn, first := 0, 0, 0
	r := t.Rand(s.NoisePurpose)
	for _, end := range c.ends {
		chosen := c.samples[first:end]
		first = end
		long, err := batch.Consult(t.Consult).SumClipped(c.data, sum, c.local, chosen, s.Clip)
		if err != nil {
			return receipt, err
		}
		var latest accountant.Receipt
		if latest, refused = c.stream.Release(sum, c.added, r, t.Spend); refused != nil {
			break
		}
		receipt = latest
		c.pull(sum)
		kernel.Axpy(c.local, -s.LearningRate/c.batch, sum)
		s.project(c.local, work)
		clipped, drawn = clipped+long, drawn+len(chosen)
		c.done++
	}
	if drawn > 0 {
		t.Record(Clipped, float64(clipped)/float64(drawn))
	}
	return receipt, refused
}

// pull adds the gradient of the term of FedProx, times B, to the sum of a batch. It depends on
// public values and on releases.
func (c *client) pull(sum []float64) {
	if c.shared.Proximal == 0 {
		return
	}
	for k, v := range c.mean {
		sum[k] += float64(c.batch * c.shared.Proximal * (c.local[k] - v))
	}
}

// draw draws the batches of so many local steps. A turn has one open stream at a time:
// all batches are drawn before the noise.
func (c *client) draw(t *algorithm.Turn, steps int) {
	c.samples, c.ends = c.samples[:0], c.ends[:0]
	r := t.Rand(c.shared.SamplePurpose)
	for range steps {
		c.samples = sample(c.samples, r, c.data.Size(), c.rate)
		c.ends = append(c.ends, len(c.samples))
	}
}

// sample appends a Poisson sample of 0 .. size-1 at a rate, ascending.
func sample(dst []int, r *rng.Rand, size int, rate float64) []int {
	for k := range size {
		if r.Float64() < rate {
			dst = append(dst, k)
		}
	}
	return dst
}

// send sends the model, and after it the estimates, if there are any.
func (c *client) send(t *algorithm.Turn, receipt accountant.Receipt, estimates *estimates) error {
	model := t.Vector(c.shared.dim)
	copy(model.Values, c.local)
	if err := t.Send(server, model, algorithm.Released(receipt)); err != nil || estimates == nil {
		return err
	}
	return t.Send(server, &messages.Vector{Values: estimates.values}, estimates.mark)
}

// protected reports whether a model is perturbed.
func (s *shared) protected() bool { return s.Noise.Private() }

// State implements algorithm.Machine.
func (c *client) State(s *messages.Codec) {
	s.Int("tau", &c.tau)
	s.Int("t", &c.done)
	if c.shared.Effects {
		s.Int("mean sent", &c.heard.mean)
		s.Int("tau sent", &c.heard.tau)
	}
	s.Floats("w", c.mean)
	s.Floats("w_i", c.local)
	c.stream.State(s)
	s.Check(c.tau >= 1 && c.done >= 0 && c.done <= c.shared.plan.Steps,
		"state of client %d with tau = %d after %d local steps; the plan has %d", c.index+1, c.tau, c.done, c.shared.plan.Steps)
}
