package ofl

import (
	"starling/actors/algorithm/batch"
	"starling/actors/algorithm/ofl"
	"starling/mechanisms/factorization"
	"starling/messages"
)

// canaryData marks the datum of one client of a learner by a further number, 1 at the datum
// and 0 elsewhere. The content of the datum is in the model. So the client's message to its
// learner, which no other party sees, is the same on both sides.
type canaryData struct {
	ofl.Data
	learner int // from 0
	// step is the first step, from 0, of the marked datum. met gives the later steps in which
	// the datum comes back, where data are gone through again.
	step int
	met  factorization.Participation
}

// Width implements ofl.Data.
func (c canaryData) Width() int { return c.Data.Width() + 1 }

// Datum implements ofl.Data.
func (c canaryData) Datum(dst []float64, node messages.NodeID, step int) {
	last := len(dst) - 1
	c.Data.Datum(dst[:last:last], node, step)
	dst[last] = 0
	if int(node) == c.learner && c.marks(step-1) {
		dst[last] = 1
	}
}

// marks reports whether the marked datum is met in a step.
func (c canaryData) marks(step int) bool {
	after := step - c.step
	return after >= 0 && after%c.met.Apart == 0 && after/c.met.Apart < c.met.Times
}

// canaryModel has a gradient of its own at the marked datum: side times gradient, of length
// B_g, and so as far apart on the two sides as the bound allows, 2 B_g.
type canaryModel struct {
	ofl.Model
	// gradient has len d and 2-norm B_g, and is shared by both sides.
	gradient []float64
	side     float64 // 1 or -1
	desk     batch.Desk
}

func newCanaryModel(model ofl.Model, gradient []float64, side float64) *canaryModel {
	c := &canaryModel{Model: model, gradient: gradient, side: side}
	if others := batch.OfModel(model); others != nil {
		c.desk = &canaryDesk{c, others}
	}
	return c
}

// Desk implements batch.DeskHolder.
func (c *canaryModel) Desk() batch.Desk { return c.desk }

// canaryDesk answers about the marked datum itself, and asks the desk of the model about
// others.
type canaryDesk struct {
	of     *canaryModel
	others batch.Desk
}

// Answer implements batch.Desk, for questions of type *batch.Datum.
func (c *canaryDesk) Answer(step int, nodes []messages.NodeID, questions []any) error {
	var rest []messages.NodeID
	var theirs []any
	for i, question := range questions {
		q := question.(*batch.Datum)
		if last := len(q.Datum) - 1; q.Datum[last] == 0 {
			rest, theirs = append(rest, nodes[i]), append(theirs, &batch.Datum{X: q.X, Datum: q.Datum[:last], Answer: q.Answer})
			continue
		}
		c.of.Gradient(q.Answer, q.X, q.Datum)
	}
	if len(rest) == 0 {
		return nil
	}
	return c.others.Answer(step, rest, theirs)
}

// Gradient implements ofl.Model.
func (c *canaryModel) Gradient(dst, x, datum []float64) {
	last := len(datum) - 1
	if datum[last] == 0 {
		c.Model.Gradient(dst, x, datum[:last])
		return
	}
	for k, g := range c.gradient {
		dst[k] = c.side * g
	}
}
