package model

import (
	"fmt"
	"math"

	"starling/actors/algorithm/batch"
)

// Federated is a model on the data of the clients of federated learning. It is
// immutable and safe for concurrent use.
type Federated struct {
	model   *Model
	clients []*Client
	total   int
}

// NewFederated divides data among clients: parts[i] are the indices of the samples of client i
// from 0. They must exist, and each client has at least one. Neither data nor parts may be
// changed afterwards.
func NewFederated(m *Model, data Samples, parts [][]int) (*Federated, error) {
	if err := m.fits(data); err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("no clients to divide the samples among")
	}
	f := &Federated{model: m}
	label := labels(data)
	for i, indices := range parts {
		if len(indices) == 0 {
			return nil, fmt.Errorf("client %d has no samples", i+1)
		}
		for _, k := range indices {
			if k < 0 || k >= data.Len() {
				return nil, fmt.Errorf("client %d has sample %d, want 0 to %d", i, k, data.Len()-1)
			}
			if l := label(k); l < 0 || l >= m.Classes() {
				return nil, fmt.Errorf("sample %d of client %d has label %d, want 0 to %d", k, i, l, m.Classes()-1)
			}
		}
		f.clients = append(f.clients, &Client{model: m, data: Subset{Samples: data, Indices: indices}})
		f.total += len(indices)
	}
	return f, nil
}

// Dim returns d, the number of parameters.
func (f *Federated) Dim() int { return f.model.dim }

// Clients returns N.
func (f *Federated) Clients() int { return len(f.clients) }

// Client returns a client, 0 .. Clients-1.
func (f *Federated) Client(i int) *Client { return f.clients[i] }

// Evaluate computes the loss F(params), the mean over all clients' data, and the
// number of correct predictions, on as many goroutines as there are cores.
func (f *Federated) Evaluate(params []float64) (Evaluation, error) {
	var all Evaluation
	for i, c := range f.clients {
		e, err := c.Evaluate(params)
		if err != nil {
			return Evaluation{}, fmt.Errorf("client %d: %w", i+1, err)
		}
		all.Samples += e.Samples
		all.Correct += e.Correct
		all.Loss += float64(e.Loss * (float64(e.Samples) / float64(f.total)))
	}
	return all, nil
}

// Losses returns the mean loss at params on the data of each client, NaN where it is not finite.
func (f *Federated) Losses(params []float64) []float64 {
	list := make([]float64, len(f.clients))
	for i, c := range f.clients {
		if e, err := c.Evaluate(params); err != nil {
			list[i] = math.NaN()
		} else {
			list[i] = e.Loss
		}
	}
	return list
}

// Client is a model on the data of one client, in the form that differentially private
// federated learning takes: samples are 0 .. Size-1. It is immutable and safe for concurrent
// use.
//
// Samples out of range and a clip that is not above 0 panic. Parameters at which a loss or a
// gradient is not finite panic with a batch.Failure, which fails the run, since no sum could be
// released then.
type Client struct {
	model *Model
	data  Subset
}

// Size returns |D_i|.
func (c *Client) Size() int { return len(c.data.Indices) }

// Evaluate computes the mean loss at params over the data of the client, and the number of
// correct predictions, as Model.Evaluate does.
func (c *Client) Evaluate(params []float64) (Evaluation, error) {
	return c.model.Evaluate(params, &c.data)
}

// SumClipped overwrites dst with the sum of the clipped gradients of samples at
// params, both len Dim of the model, and returns the number of gradients longer than clip. See
// Model.SumClipped.
func (c *Client) SumClipped(dst, params []float64, samples []int, clip float64) (clipped int) {
	w := c.model.pool.get()
	defer c.model.pool.put(w)
	found, err := c.model.SumClipped(dst, params, &c.data, samples, clip, w)
	if err != nil {
		panic(batch.Failure{Err: err})
	}
	return found.Clipped
}

// SumLossChanges returns the sum over samples of the loss at to minus the loss at from, both
// len Dim of the model. Each change is clipped to [-bound, bound]; a bound of +Inf clips
// nothing.
func (c *Client) SumLossChanges(from, to []float64, samples []int, bound float64) float64 {
	before, after := c.model.pool.get(), c.model.pool.get()
	defer c.model.pool.put(before)
	defer c.model.pool.put(after)
	before.load(from)
	after.load(to)
	sum := 0.0
	for first := 0; first < len(samples); first += blockSize {
		n := min(blockSize, len(samples)-first)
		if err := before.read(&c.data, samples, first, n); err != nil {
			panic(batch.Failure{Err: err})
		}
		// The samples are read once, for both models: for generated or stored images that
		// is a large part of the time.
		copy(after.features, before.features[:n*c.model.Inputs()])
		before.forward(n)
		after.forward(n)
		for slot := range n {
			old, label := before.logits(slot), before.labels[slot]
			change := crossEntropy(nil, after.logits(slot), label) - crossEntropy(nil, old, label)
			if !(math.Abs(change) <= math.MaxFloat64) {
				panic(batch.Failure{Err: fmt.Errorf("the loss of sample %d changes by %v", samples[first+slot]+1, change)})
			}
			sum += max(-bound, min(bound, change))
		}
	}
	return sum
}

// SumChanges is SumClipped at two models, from and to, and SumLossChanges, with
// the same results to the last bit: each sample is read once, and each loss
// computed with its gradient. atFrom and atTo have len Dim and do not overlap.
func (c *Client) SumChanges(atFrom, atTo, from, to []float64, samples []int, clip, bound float64) float64 {
	before, after := c.model.pool.get(), c.model.pool.get()
	defer c.model.pool.put(before)
	defer c.model.pool.put(after)
	sum, err := c.model.sumChanges(pass{atFrom, from, before}, pass{atTo, to, after}, &c.data, samples, clip, bound)
	if err != nil {
		panic(batch.Failure{Err: err})
	}
	return sum
}

// pass is a sum of gradients at a model, in a workspace of its own.
type pass struct {
	dst, params []float64
	w           *Workspace
}

func (m *Model) sumChanges(from, to pass, data Samples, batch []int, clip, bound float64) (sum float64, err error) {
	if err := requireClip(clip); err != nil {
		return 0, err
	}
	both := [2]pass{from, to}
	for _, p := range both {
		if err := p.w.begin(m, p.dst, p.params, data, len(batch)); err != nil {
			return 0, err
		}
	}
	var unused Clipping
	for first := 0; first < len(batch); first += blockSize {
		n := min(blockSize, len(batch)-first)
		if err := from.w.read(data, batch, first, n); err != nil {
			return 0, err
		}
		copy(to.w.features, from.w.features[:n*m.Inputs()])
		to.w.labels = from.w.labels
		for _, p := range both {
			if err := p.w.addClipped(p.dst, &unused, clip, first, n); err != nil {
				return 0, err
			}
		}
		for slot := range n {
			sum += max(-bound, min(bound, to.w.losses[slot]-from.w.losses[slot]))
		}
	}
	return sum, nil
}

// MeanGradient overwrites dst with grad F_i(params), both len Dim of the model,
// and returns F_i(params), the mean loss over all of the client's data; nothing
// is clipped. It is an error if a gradient is not finite.
func (c *Client) MeanGradient(dst, params []float64) (loss float64, err error) {
	w := c.model.pool.get()
	defer c.model.pool.put(w)
	return c.model.MeanGradient(dst, params, &c.data, w)
}
