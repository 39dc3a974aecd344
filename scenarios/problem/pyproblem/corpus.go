package pyproblem

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/batch"
	"starling/messages"
)

// Corpus is the costs of a seed as data that stay with clients: sample k, from 0, of client i, from
// 0, is the cost of node i at step k+1. Fresh data are the fresh data of the last of these steps.
type Corpus struct {
	*Instance
	extent Extent
	judged []int // clients with the data that models are judged on, ascending
	starts []int // by client, of its samples in all of them, and then their number; nil where clients have as many each
	sums, changes,
	training batch.Desk
	trust trust
}

// Extent is the numbers of samples of clients.
type Extent struct {
	Clients int
	Samples int   // of each client, or the most where they differ
	Sizes   []int // by client; nil where all have Samples
	// Panel has the clients, from 0 and ascending, with the data that the models of a population are judged on. nil
	// means all clients.
	Panel []messages.NodeID
}

// size is the number of samples of a client, from 0.
func (e *Extent) size(client int) int {
	if e.Sizes == nil {
		return e.Samples
	}
	return e.Sizes[client]
}

// CorpusOf returns the data of a seed. Nothing is started before Open.
func (p *Problem) CorpusOf(seed uint64, of Extent) *Corpus {
	c := &Corpus{Instance: p.instance(seed, of.Clients, of.Samples), extent: of}
	c.sums, c.changes = &summing{c}, &changing{c}
	if p.Trains() {
		c.training = &training{c}
	}
	for _, node := range of.Panel {
		c.judged = append(c.judged, int(node))
	}
	if of.Panel == nil {
		c.judged = make([]int, of.Clients)
		for i := range c.judged {
			c.judged[i] = i
		}
	}
	if of.Sizes != nil {
		c.starts = make([]int, 1, len(of.Sizes)+1)
		for i, size := range of.Sizes {
			c.starts = append(c.starts, c.starts[i]+size)
		}
	}
	return c
}

// Client returns the data of a client, from 0.
func (c *Corpus) Client(i int) *Samples { return &Samples{c, i, 1} }

// Together returns the data of all clients in one place, client by client.
func (c *Corpus) Together() *Samples { return &Samples{c, 0, c.extent.Clients} }

// Loss returns the mean loss at x, len d, over the data of the clients that judge models, client by
// client.
func (c *Corpus) Loss(x []float64) (float64, error) {
	sums, err := c.sumLosses(x)
	total, samples := 0.0, 0
	for i, sum := range sums {
		total += sum
		samples += c.extent.size(c.judged[i])
	}
	return total / float64(samples), err
}

// Losses returns the mean loss at x, len d, over the data of each of the clients that judge models.
func (c *Corpus) Losses(x []float64) ([]float64, error) {
	means, err := c.sumLosses(x)
	for i := range means {
		means[i] /= float64(c.extent.size(c.judged[i]))
	}
	return means, err
}

// sumLosses returns the sum of the losses at x over the data of each of the clients that judge models.
func (c *Corpus) sumLosses(x []float64) ([]float64, error) {
	r, sums := rows{x: x}, make([]float64, len(c.judged))
	var of []int // by datum
	for i, node := range c.judged {
		for k := range c.extent.size(node) {
			r.add(0, node, k+1)
			of = append(of, i)
		}
	}
	err := c.lossesByModel(&r, func(i int, loss float64) error {
		sums[of[i]] += loss
		return nil
	})
	return sums, err
}

// fresh asks about the fresh data of all clients at x, or about those that all have in common.
// An answer has width numbers for each client, and fresh returns their sums, and over how many.
func (c *Corpus) fresh(ask func(dst []float64, nodes []messages.NodeID, step int, x []float64) error, x []float64, width int) (sums []float64, count int, err error) {
	nodes, err := c.judges()
	if err != nil {
		return nil, 0, err
	}
	all := make([]float64, 0, len(nodes)*len(x))
	for range nodes {
		all = append(all, x...)
	}
	answers, sums := make([]float64, width*len(nodes)), make([]float64, width)
	if err := ask(answers, nodes, c.extent.Samples, all); err != nil {
		return nil, 0, err
	}
	for i, v := range answers {
		sums[i%width] += v
	}
	return sums, len(nodes), nil
}

// Accuracy returns the share of the fresh data of all clients that x classifies right, for a
// class that offers Classify.
func (c *Corpus) Accuracy(x []float64) (float64, error) {
	sums, _, err := c.fresh(c.Tries, x, 2)
	if err != nil {
		return 0, err
	}
	return sums[1] / sums[0], nil
}

// FreshLoss returns the mean loss of x on the fresh data of all clients, for a class that
// offers TestLoss.
func (c *Corpus) FreshLoss(x []float64) (float64, error) {
	sums, count, err := c.fresh(c.FreshLosses, x, 1)
	if err != nil {
		return 0, err
	}
	return sums[0] / float64(count), nil
}

// Least returns the least mean loss over the data of all clients, for a class that offers
// Minimum.
func (c *Corpus) Least() float64 { return c.BestIn(1, c.extent.Samples) }

// Samples are the data of a client, or of all of them in one place. They implement
// batch.ClientData and batch.Trainers. They hold nothing but their numbers.
type Samples struct {
	corpus       *Corpus
	first, nodes int
}

// Size returns the number of samples.
func (s *Samples) Size() int {
	if s.corpus.starts != nil {
		return s.corpus.starts[s.first+s.nodes] - s.corpus.starts[s.first]
	}
	return s.nodes * s.corpus.extent.Samples
}

// Leave ends the use of the data of a client that comes and goes.
func (s *Samples) Leave() {}

// place returns the node of a sample, from 0, and its step, from 1.
func (s *Samples) place(sample int) (node, step int) {
	starts := s.corpus.starts
	if starts == nil {
		return s.first + sample/s.corpus.extent.Samples, sample%s.corpus.extent.Samples + 1
	}
	sample += starts[s.first]
	node, found := slices.BinarySearch(starts, sample)
	if !found {
		node--
	}
	return node, sample - starts[node] + 1
}

// ask adds a sample to a question, at a row of x.
func (s *Samples) ask(r *rows, row, sample int) {
	node, step := s.place(sample)
	r.add(row, node, step)
}

// Sums implements batch.ClientData.
func (s *Samples) Sums() batch.Desk { return s.corpus.sums }

// Changes implements batch.ClientData.
func (s *Samples) Changes() batch.Desk { return s.corpus.changes }

// SumClipped answers a batch.Sum at once, and returns the number of gradients that were scaled
// down. The sum over the data of several clients adds the sums over the data of each.
func (s *Samples) SumClipped(dst, x []float64, samples []int, clip float64) (clipped int) {
	q := &batch.Sum{Data: s, X: x, Samples: samples, Clip: clip, Answer: dst}
	must(batch.Now(s.corpus.sums, 0, 0, q))
	return q.Clipped
}

// SumLossChanges answers a batch.Change at once.
func (s *Samples) SumLossChanges(from, to []float64, samples []int, bound float64) float64 {
	q := &batch.Change{Data: s, From: from, To: to, Samples: samples, Bound: bound}
	must(batch.Now(s.corpus.changes, 0, 0, q))
	return q.Answer
}

// summing is the desk for questions of type *batch.Sum.
type summing struct{ corpus *Corpus }

// Answer implements batch.Desk.
func (s *summing) Answer(_ int, _ []messages.NodeID, questions []any) error {
	if s.corpus.problem.offers(Sums) {
		return s.bySums(questions)
	}
	d, r := s.corpus.problem.Dim(), s.corpus.rows()
	defer s.corpus.asked.Put(r)
	var asked []*adding // by datum
	for row, question := range questions {
		q := question.(*batch.Sum)
		r.x = append(r.x, q.X...)
		clear(q.Answer)
		q.Clipped = 0
		sum, data := &adding{Sum: q, to: q.Answer}, q.Data.(*Samples)
		if data.nodes > 1 {
			sum.to = make([]float64, d)
		}
		for _, sample := range q.Samples {
			data.ask(r, row, sample)
			asked = append(asked, sum)
		}
	}
	return s.corpus.each("gradient", r, []int{d}, func(i int, g []float64) error {
		sum, last := asked[i], i+1 == len(asked) || asked[i+1] != asked[i] || r.nodes[i+1] != r.nodes[i]
		return sum.add(g, last)
	})
}

// adding is a question that is being answered. to is its answer or, for the data of several
// clients, the sum over the data of one.
type adding struct {
	*batch.Sum
	to []float64
}

// add adds a gradient; last is true for the last one of its node.
func (a *adding) add(gradient []float64, last bool) error {
	clipped, err := algorithm.Add(a.to, gradient, a.Clip)
	if clipped {
		a.Clipped++
	}
	if last && &a.to[0] != &a.Answer[0] {
		for k, v := range a.to {
			a.Answer[k] += v
		}
		clear(a.to)
	}
	return err
}

// changing is the desk for questions of type *batch.Change.
type changing struct{ corpus *Corpus }

// Answer implements batch.Desk: the losses of a sample at the two points are asked for one
// after the other.
func (c *changing) Answer(_ int, _ []messages.NodeID, questions []any) error {
	r := c.corpus.rows()
	defer c.corpus.asked.Put(r)
	var asked []*batch.Change // by sample
	for row, question := range questions {
		q := question.(*batch.Change)
		r.x = append(append(r.x, q.From...), q.To...)
		q.Answer = 0
		data := q.Data.(*Samples)
		for _, point := range []int{2 * row, 2*row + 1} {
			for _, sample := range q.Samples {
				data.ask(r, point, sample)
			}
		}
		for range q.Samples {
			asked = append(asked, q)
		}
	}
	losses := make([]float64, 0, len(r.at))
	err := c.corpus.lossesByModel(r, func(_ int, loss float64) error {
		losses = append(losses, loss)
		return nil
	})
	for err == nil && len(asked) > 0 {
		q := asked[0]
		n := len(q.Samples)
		for k := range n {
			change := losses[n+k] - losses[k]
			if math.IsInf(change, 0) {
				return fmt.Errorf("the loss of sample %d of a client changes by %v", q.Samples[k], change)
			}
			q.Answer += max(-q.Bound, min(q.Bound, change))
		}
		asked, losses = asked[n:], losses[2*n:]
	}
	return err
}
