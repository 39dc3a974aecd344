package dpdonc

import (
	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/algorithm/mirror"
)

// cohort is the machines of consecutive nodes.
type cohort struct {
	*shared
	x, g []float64 // of all of them, count x d
	t    []int32
}

// Join implements algorithm.Joiner. Nodes move together where they keep nothing but x and the
// gradient, sum their messages, and record nothing.
func (n *node) Join(machines []algorithm.Machine) algorithm.Cohort {
	s, d := n.shared, len(n.x)
	if s.rule.PushSum || s.rule.Accumulates || s.Vary != nil || s.Combine != nil || s.Moves || s.dual() || s.Missing != "" && s.Missing != inbox.MissingDrop {
		return nil
	}
	first, end := n.index, n.index+len(machines)
	for i, machine := range machines {
		if other, ok := machine.(*node); !ok || other.all != n.all || other.index != first+i {
			return nil
		}
	}
	return &cohort{shared: s, x: n.all.x[first*d : end*d], g: n.all.g[first*d : end*d], t: n.all.t[first:end]}
}

// Width implements algorithm.Joiner.
func (n *node) Width() int { return len(n.x) }

// Move implements algorithm.Cohort: node.Step of each.
func (c *cohort) Move(t *algorithm.CohortTurn) bool {
	begins, d := c.t[0] == 0, len(c.Start)
	for _, last := range c.t {
		if (last == 0) != begins {
			return false
		}
	}
	size := len(c.x)
	work := t.Scratch(3*size + c.solver.WorkSize())
	x, g, z, work := work[:size], work[size:2*size], work[2*size:3*size], work[3*size:]
	if begins {
		copy(x, c.x)
	} else if !c.update(t, x, z, d, work) {
		return false
	}
	if !t.Differentiate(g, x, algorithm.Bound{Theta: c.Theta, On: c.Bound}) {
		return false
	}
	r := c.releaseAt(0, t.Step, begins)
	if !t.Release(&r, x) {
		return false
	}
	copy(c.x, x)
	copy(c.g, g)
	for i := range c.t {
		c.t[i] = int32(t.Step)
	}
	return true
}

// update is node.update of each, to x; z is working memory.
func (c *cohort) update(t *algorithm.CohortTurn, x, z []float64, d int, work []float64) bool {
	if !t.Receive(&c.rule, z) {
		return false
	}
	c.floor(z)
	return mirror.SolveRows(c.solver, x, z, c.g, d, c.Step.At(t.Step-1, c.Nodes), work)
}
