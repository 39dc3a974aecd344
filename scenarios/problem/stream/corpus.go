package stream

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"starling/actors/algorithm"
	"starling/actors/algorithm/batch"
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/problem"
)

// Corpus is the beginning of a stream as data that stay: the first data of every learner,
// which may use them any number of times. It is immutable and safe for concurrent use; the
// data of a learner are drawn when they are first asked for, and kept.
type Corpus struct {
	model   Model
	data    problem.Data
	parties []*Samples
	pool    sync.Pool // of *[]float64, len d: the gradient of a sample
	passing sync.Pool // of *Passing
}

// NewCorpus returns the first size data, at steps 1 .. size, of nodes 0 .. parties-1.
func NewCorpus(model Model, data problem.Data, parties, size int) *Corpus {
	return NewUnevenCorpus(model, data, slices.Repeat([]int{size}, parties))
}

// NewUnevenCorpus is NewCorpus with a size for each learner.
func NewUnevenCorpus(model Model, data problem.Data, sizes []int) *Corpus {
	c := &Corpus{model: model, data: data, parties: make([]*Samples, len(sizes))}
	c.pool.New = func() any {
		gradient := make([]float64, model.Dim())
		return &gradient
	}
	c.passing.New = c.newPassing
	for i, size := range sizes {
		c.parties[i] = c.samples(i, size)
	}
	return c
}

// samples returns the data of a party, which are drawn when they are first asked for.
func (c *Corpus) samples(party, size int) *Samples {
	s := &Samples{corpus: c, size: size, rows: sync.OnceValue(func() []float64 { return c.draw(party, size) })}
	s.lengths = sync.OnceValue(s.measure)
	return s
}

// draw returns the data of a party, a row each.
func (c *Corpus) draw(party, size int) []float64 {
	width := c.data.Width()
	rows := make([]float64, size*width)
	if whole, number, ok := wholeOf(c.data, messages.NodeID(party)); ok {
		readWhole(whole, rows, number)
		return rows
	}
	for step := range size {
		c.data.Datum(rows[step*width:(step+1)*width:(step+1)*width], messages.NodeID(party), step+1)
	}
	return rows
}

// norm returns the 2-norm of the features of a datum.
func (c *Corpus) norm(datum []float64) float64 { return kernel.Norm(datum[:c.model.Dim()]) }

// Party returns the data of a learner, from 0.
func (c *Corpus) Party(i int) *Samples { return c.parties[i] }

// Loss returns the mean loss at x, len d, over the data of all parties, party by party.
func (c *Corpus) Loss(x []float64) float64 {
	var sum float64
	samples := 0
	for _, s := range c.parties {
		sum += s.sumLosses(x)
		samples += s.size
	}
	return sum / float64(samples)
}

// Least returns the least mean loss over the data of all parties. It holds the data once more
// while it works, unless the model is a Reader.
func (c *Corpus) Least(m Minimiser) Optimum {
	if reader, ok := m.(Reader); ok {
		parts := make([][]float64, len(c.parties))
		for i, s := range c.parties {
			parts[i] = s.rows()
		}
		return reader.MinimumOf(parts)
	}
	var data []float64
	for _, s := range c.parties {
		data = append(data, s.rows()...)
	}
	return m.Minimum(data)
}

// Accuracy returns the share of the fresh data of all parties of which x, len d, predicts the
// labels. ok is false where there are no fresh data, or no labels.
func (c *Corpus) Accuracy(x []float64) (share float64, ok bool) {
	labels, labelled := c.model.(Classifier)
	if _, tested := c.data.(Tester); !labelled || !tested {
		return 0, false
	}
	return c.overFresh(func(datum []float64) float64 {
		if labels.Correct(x, datum) {
			return 1
		}
		return 0
	}), true
}

// FreshLoss returns the mean loss at x, len d, over the fresh data of all parties, of an
// instance that is a Tester.
func (c *Corpus) FreshLoss(x []float64) float64 {
	return c.overFresh(func(datum []float64) float64 { return c.model.Loss(x, datum) })
}

// freshParties returns the number of parties, from the first, with fresh data to look at: one where
// all parties have the same.
func (c *Corpus) freshParties() int {
	if shared, ok := c.data.(Shared); ok && shared.Shared() {
		return min(1, len(c.parties))
	}
	return len(c.parties)
}

// overFresh returns the mean of a value over the fresh data of all parties.
func (c *Corpus) overFresh(value func(datum []float64) float64) float64 {
	fresh := c.data.(Tester)
	datum := make([]float64, fresh.Width())
	var sum float64
	all := 0
	for party := range c.freshParties() {
		node := messages.NodeID(party)
		for index := range fresh.TestSamples(node) {
			sum += value(TestRow(fresh, datum, node, index))
		}
		all += fresh.TestSamples(node)
	}
	return sum / float64(all)
}

// Samples are the data of one party of a corpus, 0 .. Size-1. It is immutable and safe
// for concurrent use. A gradient or a loss that is not finite panics with a batch.Failure,
// which fails the run, since no sum could be released then. A sample that does not exist
// panics, too.
type Samples struct {
	corpus *Corpus
	size   int
	rows   func() []float64
	// lengths are the 2-norms of the features of samples under a generalized linear model.
	lengths func() []float64
	passing *Passing // in place of rows and lengths; nil for data that stay
}

// Size returns the number of samples.
func (s *Samples) Size() int { return s.size }

// sumLosses returns the sum of the losses of all samples at x, in their order.
func (s *Samples) sumLosses(x []float64) (sum float64) {
	for k := range s.size {
		sum += s.corpus.model.Loss(x, s.datum(k))
	}
	return sum
}

// Loss returns the mean loss at x, len d, over the samples.
func (s *Samples) Loss(x []float64) float64 { return s.sumLosses(x) / float64(s.size) }

// Accuracy returns the share of the samples of which x, len d, predicts the labels, under a
// model that is a Classifier.
func (s *Samples) Accuracy(x []float64) float64 {
	correct, labels := 0, s.corpus.model.(Classifier)
	for k := range s.size {
		if labels.Correct(x, s.datum(k)) {
			correct++
		}
	}
	return float64(correct) / float64(s.size)
}

func (s *Samples) datum(k int) []float64 {
	if s.passing != nil {
		return s.passing.row(k)
	}
	width := s.corpus.data.Width()
	return s.rows()[k*width : (k+1)*width]
}

// measure computes lengths.
func (s *Samples) measure() []float64 {
	lengths := make([]float64, s.size)
	for k := range lengths {
		lengths[k] = s.corpus.norm(s.datum(k))
	}
	return lengths
}

// length returns the 2-norm of the features of a sample.
func (s *Samples) length(k int) float64 {
	if s.passing != nil {
		return s.passing.norm(k)
	}
	return s.lengths()[k]
}

// SumClipped overwrites dst with the sum of the gradients of samples at x, both len d,
// in the order of samples, and returns the number of gradients that were clipped: a gradient
// longer than clip > 0 in the 2-norm is scaled down to it. A clip of +Inf clips nothing, and
// no samples sum to 0. It works for every model: package model has a faster one for networks.
func (s *Samples) SumClipped(dst, x []float64, samples []int, clip float64) (clipped int) {
	gradient := s.corpus.pool.Get().(*[]float64)
	defer s.corpus.pool.Put(gradient)
	clear(dst)
	if linear := slopesOnly(s.corpus.model); linear != nil {
		return s.sumLinear(linear, dst, *gradient, x, samples, clip)
	}
	for _, k := range samples {
		s.corpus.model.Gradient(*gradient, x, s.datum(k))
		if addClipped(dst, *gradient, k, clip) {
			clipped++
		}
	}
	return clipped
}

// sumLinear is SumClipped for a model of slopes only, to the last bit. Gradients that are
// shorter than clip by the lengths of features, whatever rounding does, are neither written
// down nor measured.
func (s *Samples) sumLinear(model problem.GeneralizedLinear, dst, gradient, x []float64, samples []int, clip float64) (clipped int) {
	short := min(clip, math.MaxFloat64) * (1 - 1e-9)
	for _, k := range samples {
		datum := s.datum(k)
		slope := model.Slope(x, datum)
		if math.Abs(slope)*s.length(k) <= short {
			kernel.Axpy(dst, slope, datum)
			continue
		}
		kernel.Scale(gradient, slope, datum)
		if addClipped(dst, gradient, k, clip) {
			clipped++
		}
	}
	return clipped
}

// addClipped adds the clipped gradient of a sample to dst. It may overwrite gradient.
func addClipped(dst, gradient []float64, sample int, clip float64) (clipped bool) {
	clipped, err := algorithm.Add(dst, gradient, clip)
	if err != nil {
		panic(batch.Failure{Err: fmt.Errorf("sample %d: %w", sample+1, err)})
	}
	return clipped
}

// SumLossChanges returns the sum over samples, in their order, of the loss at to minus the
// loss at from, both len d. Each change is clipped to [-bound, bound]; a bound of +Inf clips
// nothing.
func (s *Samples) SumLossChanges(from, to []float64, samples []int, bound float64) (sum float64) {
	for _, k := range samples {
		datum := s.datum(k)
		change := s.corpus.model.Loss(to, datum) - s.corpus.model.Loss(from, datum)
		if !(math.Abs(change) <= math.MaxFloat64) {
			panic(batch.Failure{Err: fmt.Errorf("the loss of sample %d changes by %v", k+1, change)})
		}
		sum += max(-bound, min(bound, change))
	}
	return sum
}
