package gossip

import (
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/batch"
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/auditing"
)

// course gives the slopes of a canary, step by step. The slopes of its other side point the
// other way.
type course struct {
	slope []float64 // of 2-norm theta, len d
	// turning, unless nil, is the slope at a step, in place of slope.
	turning func(step int) []float64
	// signs are the signs of slopes by step; nil means 1. Signs that alternate move a message
	// that rests on the difference of two gradients.
	signs []float64
	from  int // the first step with a slope that is not 0
}

// at returns the slope at a step, and its sign; nil is a slope of 0.
func (c *course) at(step int) (slope []float64, sign float64) {
	if step < c.from {
		return nil, 0
	}
	slope, sign = c.slope, 1
	if c.turning != nil {
		slope = c.turning(step)
	}
	if c.signs != nil {
		sign = c.signs[step]
	}
	return slope, sign
}

// directions are a few slopes of 2-norm theta. The decision set determines which of them it
// leaves free.
func (e *Equals) directions() (list [][]float64) {
	for kind := range 4 {
		slope := make([]float64, e.Nodes.Problem.Dim())
		for k := range slope {
			switch sign := float64(1 - 2*(k%2)); {
			case kind == 0:
				slope[k] = 1
			case kind == 1:
				slope[k] = sign
			case kind == 2 && k < 2:
				slope[k] = sign
			case kind == 3 && k == 0:
				slope[k] = 1
			}
		}
		var square float64
		for _, v := range slope {
			square += float64(v * v)
		}
		for k := range slope {
			slope[k] *= e.Theta / math.Sqrt(square)
		}
		list = append(list, slope)
	}
	return list
}

// signs lists the signs that an audit of a node tries, by step: none; signs that change after
// every step in which the node is up; and signs that change after every release, where these
// differ.
func (e *Equals) signs(node messages.NodeID, network algorithm.Network) [][]float64 {
	steps, releases := make([]float64, e.File.Horizon+1), make([]float64, e.File.Horizon+1)
	now, said, h := 1.0, 1.0, e.listening(network)
	for step := range steps {
		steps[step], releases[step] = now, said
		if step == 0 || !up(network, node, step) {
			continue
		}
		if now = -now; e.due(step) && h.makes(node, step) {
			said = -said
		}
	}
	if slices.Equal(steps, releases) {
		return [][]float64{nil, steps}
	}
	return [][]float64{nil, steps, releases}
}

// courses lists the courses that an audit tries, given a canary's course and signs.
func (e *Equals) courses(c *course, signs [][]float64) (list []course) {
	for _, signs := range signs {
		next := *c
		if next.signs = signs; c.turning != nil {
			list = append(list, next)
			continue
		}
		for _, next.slope = range e.directions() {
			list = append(list, next)
		}
	}
	return list
}

// furthest sets a canary's course to the one that moves the node's messages the furthest in
// the norm of the law, without noise.
func (e *Equals) furthest(a *auditing.Run, c *course, network algorithm.Network) error {
	most, best := math.Inf(-1), *c
	for _, *c = range e.courses(c, e.signs(a.Node, network)) {
		moved, err := a.Moved(e.Calibration.Law)
		if err != nil {
			return err
		}
		if c.signs != nil { // on a tie take the plain course
			moved -= float64(1e-9 * moved)
		}
		if moved > most {
			most, best = moved, *c
		}
	}
	*c = best
	return nil
}

// canary replaces the costs of one node by linear ones, <side slope, x>; the other nodes keep
// theirs.
type canary struct {
	algorithm.Costs
	// node is the audited one, and side 1 or -1.
	node   messages.NodeID
	side   float64
	course *course
	// desks is nil where the costs do not answer many questions of the other nodes at once.
	desks *batch.Oracle
}

// newCanary returns a canary of a course, which may change between runs.
func newCanary(costs algorithm.Costs, node messages.NodeID, side float64, way *course) *canary {
	c := &canary{Costs: costs, node: node, side: side, course: way}
	if many, ok := costs.(batch.Costs); ok {
		c.desks = &batch.Oracle{
			Losses: &canaryDesk{node,
				func(step int, q *batch.Point) { q.Answer[0] = c.Loss(node, step, q.X) },
				func() batch.Desk { return batch.NewOracle(many).Losses }},
			Gradients: &canaryDesk{node,
				func(step int, q *batch.Point) { c.Gradient(q.Answer, node, step, q.X) },
				func() batch.Desk { return batch.NewOracle(many).Gradients }},
		}
	}
	return c
}

// Oracle implements batch.OracleHolder.
func (c *canary) Oracle() *batch.Oracle { return c.desks }

// canaryDesk answers for the audited node itself. The desk of the other nodes, which is for
// one call, answers for them.
type canaryDesk struct {
	node   messages.NodeID
	own    func(step int, q *batch.Point)
	others func() batch.Desk
}

// Answer implements batch.Desk.
func (c *canaryDesk) Answer(step int, nodes []messages.NodeID, questions []any) error {
	var rest []messages.NodeID
	var theirs []any
	for i, question := range questions {
		if nodes[i] == c.node {
			c.own(step, question.(*batch.Point))
			continue
		}
		rest, theirs = append(rest, nodes[i]), append(theirs, question)
	}
	if len(rest) == 0 {
		return nil
	}
	return c.others().Answer(step, rest, theirs)
}

// Loss implements algorithm.Costs.
func (c *canary) Loss(node messages.NodeID, step int, x []float64) (sum float64) {
	if node != c.node {
		return c.Costs.Loss(node, step, x)
	}
	slope, sign := c.course.at(step)
	for k, v := range slope {
		sum += float64(float64(c.side*sign*v) * x[k])
	}
	return sum
}

// turning returns the slopes along possible estimates of gradients: theta u. Linear costs of
// slope (theta/d) u have this two-point estimate, and a constant loss of theta delta/d has it
// as one-point estimate, whatever the decision; their negatives have the opposite. Runs of an
// audit belong to one draw, and so have the same directions. The ledger does not rely on
// these.
func (e *Equals) turning(seed uint64, node messages.NodeID) func(step int) []float64 {
	f := e.Feedback.Under(seed)
	return func(step int) []float64 {
		slope := make([]float64, e.Nodes.Problem.Dim())
		f.Direction(slope, node, step)
		kernel.Scale(slope, e.Theta, slope)
		return slope
	}
}

// Gradient implements algorithm.Costs.
func (c *canary) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	if node != c.node {
		c.Costs.Gradient(dst, node, step, x)
		return
	}
	slope, sign := c.course.at(step)
	clear(dst)
	for k, v := range slope {
		dst[k] = c.side * sign * v
	}
}
