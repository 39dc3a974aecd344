package stream

import (
	"math"
	"slices"

	"starling/actors/algorithm/batch"
	"starling/messages"
	"starling/scenarios/problem"
)

// Panel is the data of some nodes of many: its node i is Nodes[i]. A panel judges models where the
// data of all nodes are too many.
type Panel struct {
	Tester
	Nodes []messages.NodeID
}

// Steady implements Drawn.
func (p *Panel) Steady() bool {
	drawn, ok := p.Tester.(Drawn)
	return ok && drawn.Steady()
}

// Datum implements problem.Data.
func (p *Panel) Datum(dst []float64, node messages.NodeID, step int) {
	p.Tester.Datum(dst, p.Nodes[node], step)
}

// TestSamples implements Tester.
func (p *Panel) TestSamples(node messages.NodeID) int { return p.Tester.TestSamples(p.Nodes[node]) }

// Test implements Tester.
func (p *Panel) Test(dst []float64, node messages.NodeID, index int) {
	p.Tester.Test(dst, p.Nodes[node], index)
}

// Shared implements Shared.
func (p *Panel) Shared() bool {
	shared, ok := p.Tester.(Shared)
	return ok && shared.Shared()
}

// Validation implements Validated.
func (p *Panel) Validation() Tester {
	v := ValidationOf(p.Tester)
	if v == nil {
		return nil
	}
	return &Panel{v, p.Nodes}
}

var _ Drawn = (*Panel)(nil)

// Whole is data that are read for a node together, of which nodes have numbers of their own.
type Whole interface {
	Tester
	// Size is the number of data of a node. Rows overwrites dst with the first of them, as many as it holds.
	Size(node messages.NodeID) int
	Rows(dst []float64, node messages.NodeID) error
}

// OneOf overwrites dst with the datum of a node at a step, of data that are read together. A node that has met
// all begins again.
func OneOf(data Whole, dst []float64, node messages.NodeID, step int) {
	width := len(dst)
	rows := make([]float64, data.Size(node)*width)
	readWhole(data, rows, node)
	copy(dst, rows[(step-1)%data.Size(node)*width:])
}

// wholeOf returns the data of a node of a corpus that are read together, with its number in them; ok is false for
// other data.
func wholeOf(data problem.Data, node messages.NodeID) (whole Whole, number messages.NodeID, ok bool) {
	if p, panel := data.(*Panel); panel {
		return wholeOf(p.Tester, p.Nodes[node])
	}
	whole, ok = data.(Whole)
	return whole, node, ok
}

// readWhole reads the first data of a node. Data that cannot be read end the run.
func readWhole(data Whole, dst []float64, node messages.NodeID) {
	if err := data.Rows(dst, node); err != nil {
		panic(batch.Failure{Err: err})
	}
}

// Passing are the data of a node that comes and goes. They are for one user at a time.
type Passing struct {
	Samples
	node  int
	data  []float64 // rows
	drawn []bool    // by row
	norms []float64 // of features; -1 is not known yet
}

// Passing returns the first size data of a node that comes and goes. Each is drawn as for Party when it
// is first asked for, and kept in the result alone. The corpus keeps nothing for the node.
func (c *Corpus) Passing(node, size int) *Passing {
	p := c.passing.Get().(*Passing)
	p.node, p.size = node, size
	p.data = slices.Grow(p.data[:0], size*c.data.Width())[:size*c.data.Width()]
	p.drawn, p.norms = slices.Grow(p.drawn[:0], size)[:size], slices.Grow(p.norms[:0], size)[:size]
	clear(p.drawn)
	for k := range p.norms {
		p.norms[k] = -1
	}
	return p
}

// newPassing returns data of no node yet.
func (c *Corpus) newPassing() any {
	p := &Passing{}
	p.corpus, p.passing = c, p
	return p
}

// Leave gives the memory of the data back to the corpus. They must not be used after.
func (p *Passing) Leave() { p.corpus.passing.Put(p) }

// row returns a datum, which is drawn at the first call.
func (p *Passing) row(k int) []float64 {
	width := p.corpus.data.Width()
	row := p.data[k*width : (k+1)*width : (k+1)*width]
	if whole, number, ok := wholeOf(p.corpus.data, messages.NodeID(p.node)); ok && !p.drawn[k] {
		readWhole(whole, p.data, number)
		for i := range p.drawn {
			p.drawn[i] = true
		}
	}
	if !p.drawn[k] {
		p.corpus.data.Datum(row, messages.NodeID(p.node), k+1)
		p.drawn[k] = true
	}
	return row
}

// norm returns the 2-norm of the features of a datum, which is computed at the first call.
func (p *Passing) norm(k int) float64 {
	if p.norms[k] < 0 {
		p.norms[k] = p.corpus.norm(p.row(k))
	}
	return p.norms[k]
}

// Losses returns the mean loss at x, len d, on the data of each party.
func (c *Corpus) Losses(x []float64) []float64 {
	list := make([]float64, len(c.parties))
	for i, s := range c.parties {
		list[i] = s.Loss(x)
	}
	return list
}

// Accuracies returns the share of the fresh data of each party of which x, len d, predicts the
// labels. The data must be a Tester, each party must have fresh data, and the model must be a
// Classifier.
func (c *Corpus) Accuracies(x []float64) []float64 {
	fresh, labels := c.data.(Tester), c.model.(Classifier)
	list, datum := make([]float64, len(c.parties)), make([]float64, fresh.Width())
	for i := range list {
		node := messages.NodeID(i)
		correct := 0
		for index := range fresh.TestSamples(node) {
			if labels.Correct(x, TestRow(fresh, datum, node, index)) {
				correct++
			}
		}
		list[i] = float64(correct) / float64(fresh.TestSamples(node))
	}
	return list
}

// RatioError returns the standard error of the mean over all data of n nodes, which is estimated by the mean over
// the data of a simple random sample of nodes: values are the means of the nodes in the sample, and sizes their
// numbers of data (Cochran 1977, "Sampling techniques", section 6.4).
func RatioError(values []float64, sizes []int, n int) float64 {
	var sum, all float64
	for i, v := range values {
		sum += float64(v * float64(sizes[i]))
		all += float64(sizes[i])
	}
	residuals := make([]float64, len(values))
	for i, v := range values {
		residuals[i] = (v - sum/all) * float64(sizes[i]) * float64(len(values)) / all
	}
	return StandardError(residuals, n)
}

// StandardError returns the standard error of the mean of the values of a simple random sample
// from all of n, drawn without replacement: sqrt((1 - k/n) s^2/k), s^2 the sample's variance
// (Cochran 1977, "Sampling techniques", theorem 2.2). It is NaN for a single value of several.
func StandardError(values []float64, n int) float64 {
	k, mean, squares := float64(len(values)), 0.0, 0.0
	if len(values) == n {
		return 0
	}
	for _, v := range values {
		mean += v
	}
	mean /= k
	for _, v := range values {
		squares += float64((v - mean) * (v - mean))
	}
	return math.Sqrt((1 - k/float64(n)) * (squares / (k - 1)) / k)
}
