package gossip

import (
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/desk"
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/auditing"
)

// course is where the slopes of a canary point, step by step: those of its other side point
// the other way.
type course struct {
	slope []float64 // of 2-norm theta, len d
	// turning, unless nil, is the slope at a step, in the place of slope.
	turning func(step int) []float64
	// signs are by step, those of slopes; nil is 1. Signs that alternate move what a node says of
	// the difference of two gradients.
	signs []float64
	from  int // the first step with a slope that is not 0
}

// at is the slope at a step, and its sign; nil is a slope of 0.
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

// directions are a few slopes of 2-norm theta: which of them a decision set leaves free depends
// on the set.
func (e *Equals) directions() (list [][]float64) {
	for kind := range 4 {
		slope := make([]float64, e.Arm.Problem.Dim())
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

// signs are those that an audit of a node tries, by step: none, those that change after every
// step in which the node is up, and those that change after every release, where that is not the
// same.
func (e *Equals) signs(node messages.NodeID, network algorithm.Network) [][]float64 {
	steps, releases := make([]float64, e.File.Horizon+1), make([]float64, e.File.Horizon+1)
	now, said := 1.0, 1.0
	for step := range steps {
		steps[step], releases[step] = now, said
		if step == 0 || !up(network, node, step) {
			continue
		}
		if now = -now; e.due(step) {
			said = -said
		}
	}
	if slices.Equal(steps, releases) {
		return [][]float64{nil, steps}
	}
	return [][]float64{nil, steps, releases}
}

// courses are those that an audit tries, of a canary of a course and of signs.
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

// furthest sets a course of a canary: the one that moves what the node sends the furthest in the
// norm of the law, without noise.
func (e *Equals) furthest(a *auditing.Run, c *course, network algorithm.Network) error {
	most, best := math.Inf(-1), *c
	for _, *c = range e.courses(c, e.signs(a.Node, network)) {
		moved, err := a.Moved(e.Calibration.Law)
		if err != nil {
			return err
		}
		if c.signs != nil { // of courses that do as well the plain one
			moved -= float64(1e-9 * moved)
		}
		if moved > most {
			most, best = moved, *c
		}
	}
	*c = best
	return nil
}

// canary are costs of which those of one node are linear, <side slope, x>; the other
// nodes keep theirs.
type canary struct {
	algorithm.Costs
	// node is the audited one, and side 1 or -1.
	node   messages.NodeID
	side   float64
	course *course
	// desks are nil where the other nodes' costs are not asked for many at once.
	desks *desk.Oracle
}

// newCanary is a canary of a course, which may change between runs.
func newCanary(costs algorithm.Costs, node messages.NodeID, side float64, way *course) *canary {
	c := &canary{Costs: costs, node: node, side: side, course: way}
	if many, ok := costs.(desk.Costs); ok {
		c.desks = &desk.Oracle{
			Losses: &canaryDesk{node,
				func(step int, q *desk.Point) { q.Answer[0] = c.Loss(node, step, q.X) },
				func() desk.Desk { return desk.NewOracle(many).Losses }},
			Gradients: &canaryDesk{node,
				func(step int, q *desk.Point) { c.Gradient(q.Answer, node, step, q.X) },
				func() desk.Desk { return desk.NewOracle(many).Gradients }},
		}
	}
	return c
}

// Oracle implements desk.Rest.
func (c *canary) Oracle() *desk.Oracle { return c.desks }

// canaryDesk answers for the audited node itself, and has the desk of the other nodes, which
// is for one call, answer for those.
type canaryDesk struct {
	node   messages.NodeID
	own    func(step int, q *desk.Point)
	others func() desk.Desk
}

// Answer implements desk.Desk.
func (c *canaryDesk) Answer(step int, nodes []messages.NodeID, questions []any) error {
	var rest []messages.NodeID
	var theirs []any
	for i, question := range questions {
		if nodes[i] == c.node {
			c.own(step, question.(*desk.Point))
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

// turning is where estimates of gradients may point: theta u. Linear costs of slope
// (theta/d) u have that of two points, and a loss of theta delta/d everywhere that of one,
// whatever the decision; their negatives have the opposite. Runs of an audit are of one draw,
// and so of the same directions, which the ledger counts on nowhere.
func (e *Equals) turning(seed uint64, node messages.NodeID) func(step int) []float64 {
	f := e.Feedback.Under(seed)
	return func(step int) []float64 {
		slope := make([]float64, e.Arm.Problem.Dim())
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
