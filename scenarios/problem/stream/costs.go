package stream

import (
	"sync"
	"sync/atomic"

	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/problem"
)

// keptSteps is the number of steps for which costs keep data. Nodes without a server are a few
// steps apart at most, and each of them asks for the data of all.
const keptSteps = 4

// Costs are the online costs of nodes without a server, made of a stream of data:
//
//	f_t^i(x) = loss(x, datum(i, t)),
//
// They implement problem.Instance and problem.Data, and are safe for concurrent use.
type Costs struct {
	model  Model
	data   problem.Data
	nodes  int
	window [keptSteps]atomic.Pointer[stepData] // the data of a step are at step mod keptSteps
	pool   sync.Pool                           // of *scratch
}

// stepData are the data of all nodes at a step, immutable.
type stepData struct {
	step int
	data []float64 // nodes x width
}

// scratch is the memory of a sum of gradients.
type scratch struct{ datum, gradient []float64 }

// tested are costs with fresh data. They implement problem.Fresh too.
type tested struct {
	*Costs
	fresh Tester
}

// classified are costs of a model that classifies, with fresh data. They implement
// problem.Classifier and problem.Fresh too.
type classified struct {
	*tested
	model Classifier
}

// NewCosts returns the losses of the model at the data of so many nodes, as costs. They
// implement problem.Fresh where the data are a Tester, and then problem.Classifier where the
// model is a Classifier.
func NewCosts(model Model, data problem.Data, nodes int) problem.Instance {
	costs := newCosts(model, data, nodes)
	tester, fresh := data.(Tester)
	if !fresh {
		return costs
	}
	if classifier, labels := model.(Classifier); labels {
		return &classified{&tested{costs, tester}, classifier}
	}
	return &tested{costs, tester}
}

func newCosts(model Model, data problem.Data, nodes int) *Costs {
	c := &Costs{model: model, data: data, nodes: nodes}
	c.pool.New = func() any {
		return &scratch{datum: make([]float64, data.Width()), gradient: make([]float64, model.Dim())}
	}
	return c
}

// Loss implements problem.Instance.
func (c *Costs) Loss(node messages.NodeID, step int, x []float64) (loss float64) {
	c.one(node, step, func(datum []float64) { loss = c.model.Loss(x, datum) })
	return loss
}

// Gradient implements problem.Instance.
func (c *Costs) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	c.one(node, step, func(datum []float64) { c.model.Gradient(dst, x, datum) })
}

// SumGradient implements problem.Instance.
func (c *Costs) SumGradient(dst []float64, step int, x []float64) {
	s := c.pool.Get().(*scratch)
	defer c.pool.Put(s)
	clear(dst)
	all, width := c.all(step), c.data.Width()
	linear := slopesOnly(c.model)
	for i := range c.nodes {
		datum := s.datum
		if all != nil {
			datum = all.data[i*width : (i+1)*width]
		} else {
			datum = Row(c.data, datum, messages.NodeID(i), step)
		}
		if linear != nil {
			kernel.Axpy(dst, linear.Slope(x, datum), datum)
			continue
		}
		c.model.Gradient(s.gradient, x, datum)
		kernel.Add(dst, s.gradient)
	}
}

// keeps reports whether the data keep rows themselves.
func (c *Costs) keeps() bool {
	k, ok := c.data.(*Kept)
	return ok && k.steps != nil
}

// Width implements problem.Data.
func (c *Costs) Width() int { return c.data.Width() }

// Datum implements problem.Data.
func (c *Costs) Datum(dst []float64, node messages.NodeID, step int) {
	c.data.Datum(dst, node, step)
}

// At implements problem.Timed.
func (c *tested) At(step int) any { return c.at(step) }

func (c *tested) at(step int) *tested {
	in := *c
	in.fresh = problem.At(c.fresh, step)
	return &in
}

// At implements problem.Timed.
func (c *classified) At(step int) any { return &classified{c.tested.at(step), c.model} }

// TestSamples implements problem.Classifier and problem.Fresh.
func (c *tested) TestSamples(node messages.NodeID) int { return c.fresh.TestSamples(node) }

// Correct implements problem.Classifier.
func (c *classified) Correct(node messages.NodeID, index int, x []float64) bool {
	s := c.pool.Get().(*scratch)
	defer c.pool.Put(s)
	return c.model.Correct(x, TestRow(c.fresh, s.datum, node, index))
}

// FreshLoss implements problem.Fresh.
func (c *tested) FreshLoss(node messages.NodeID, index int, x []float64) float64 {
	s := c.pool.Get().(*scratch)
	defer c.pool.Put(s)
	return c.model.Loss(x, TestRow(c.fresh, s.datum, node, index))
}

// one calls use with the datum of a node and step, which is valid during the call.
func (c *Costs) one(node messages.NodeID, step int, use func(datum []float64)) {
	if kept := c.window[step%keptSteps].Load(); kept != nil && kept.step == step {
		width := c.data.Width()
		use(kept.data[int(node)*width : (int(node)+1)*width])
		return
	}
	s := c.pool.Get().(*scratch)
	defer c.pool.Put(s)
	use(Row(c.data, s.datum, node, step))
}

// all returns the data of a step, nil where the data themselves keep rows. Two callers that
// miss the same step both read them.
func (c *Costs) all(step int) *stepData {
	if c.keeps() {
		return nil
	}
	at := &c.window[step%keptSteps]
	if kept := at.Load(); kept != nil && kept.step == step {
		return kept
	}
	width := c.data.Width()
	drawn := &stepData{step: step, data: make([]float64, c.nodes*width)}
	for i := range c.nodes {
		c.data.Datum(drawn.data[i*width:(i+1)*width], messages.NodeID(i), step)
	}
	at.Store(drawn)
	return drawn
}
