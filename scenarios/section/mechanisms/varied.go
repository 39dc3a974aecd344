package mechanisms

import (
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/noise"
	"starling/mechanisms/portable"
	"starling/scenarios/document"
	"starling/scenarios/limits"
)

// Varied are the keys of noise that differs between nodes, or over time. It is for noise on the
// messages of nodes that are equals.
type Varied struct {
	Groups   []Group   `yaml:"groups" min:"1" says:"%v groups" doc:"nodes with an epsilon of their own, in place of the mechanism's; absent, all nodes have that one"`
	OverTime *OverTime `yaml:"over_time" doc:"an epsilon that changes in the course of a run; absent, it stays"`
}

// Group is an epsilon of some nodes.
type Group struct {
	First   int     `yaml:"first,required" min:"1" says:"first is %v" unit:"node number" doc:"the first node of the group, from 1"`
	Last    int     `yaml:"last,required" min:"1" says:"last is %v" unit:"node number" doc:"the last node of the group"`
	Epsilon float64 `yaml:"epsilon,required" over:"0" says:"epsilon = %v" unit:"nats" doc:"privacy parameter of its nodes"`
}

// OverTime is the course of epsilon over the steps of a run.
type OverTime struct {
	Law    string    `yaml:"law,required" oneof:"linear geometric inverse-sqrt list" doc:"linear and geometric go from epsilon in step 1 to to in the last step, inverse-sqrt is epsilon/sqrt(t), list has a number for each step"`
	To     float64   `yaml:"to" over:"0" says:"to = %v" unit:"nats" doc:"epsilon of the last step, of linear and geometric; absent, for other laws"`
	Values []float64 `yaml:"values" min:"1" says:"%v values" unit:"nats" range:"above 0" doc:"epsilon of each step, of list; those beyond the horizon have no effect; absent, for other laws"`
}

// The laws of OverTime.
const (
	overLinear      = "linear"
	overGeometric   = "geometric"
	overInverseSqrt = "inverse-sqrt"
	overList        = "list"
)

// any reports whether noise varies.
func (v *Varied) any() bool { return v.Groups != nil || v.OverTime != nil }

// refuse returns an error if noise varies, for algorithms with a server.
func (v *Varied) refuse(section *document.Node) error {
	for key, given := range map[string]bool{"groups": v.Groups != nil, "over_time": v.OverTime != nil} {
		if given {
			return section.Resolve(document.At(key, "noise that differs between nodes or over time is for nodes that are equals, with noise on their messages"))
		}
	}
	return nil
}

// check returns the faults of keys that go together.
func (v *Varied) check(epsilon float64) error {
	if v.any() && math.IsInf(epsilon, 1) {
		return document.At("epsilon", "there is no noise to vary")
	}
	for k, g := range v.Groups {
		at := fmt.Sprintf("groups[%d]", k)
		if g.Last < g.First {
			return document.At(at+".last", "the group is empty: it ends at node %d, before node %d", g.Last, g.First)
		}
		for other := range k {
			if o := v.Groups[other]; g.First <= o.Last && o.First <= g.Last {
				return document.At(at, "node %d is in group %d, too", max(g.First, o.First), other+1)
			}
		}
	}
	c := v.OverTime
	switch {
	case c == nil:
	case (c.Law == overList) != (c.Values != nil):
		return document.At("over_time.values", "values are for the law list, and it needs them")
	case (c.Law == overLinear || c.Law == overGeometric) != (c.To > 0):
		return document.At("over_time.to", "to is for the laws linear and geometric, and they need it")
	}
	if c != nil {
		if k := slices.IndexFunc(c.Values, func(value float64) bool { return !(value > 0) || math.IsInf(value, 1) }); k >= 0 {
			return document.At(fmt.Sprintf("over_time.values[%d]", k), "epsilon = %v; want a number above 0", c.Values[k])
		}
	}
	return nil
}

// weight is the epsilon of a step of so many over the mechanism's epsilon.
func (c *OverTime) weight(step, horizon int, epsilon float64) float64 {
	share := 0.0
	if horizon > 1 {
		share = float64(step-1) / float64(horizon-1)
	}
	switch c.Law {
	case overLinear:
		return 1 + float64(share*(c.To/epsilon-1))
	case overGeometric:
		return portable.Pow(c.To/epsilon, share)
	case overInverseSqrt:
		return 1 / math.Sqrt(float64(step))
	}
	return c.Values[step-1] / epsilon
}

// Levels are the levels of noise by node and step.
type Levels struct {
	base    float64 // of a node in no group, in a step of weight 1
	nodes   []float64
	course  *OverTime // nil is a weight of 1
	epsilon float64   // the mechanism's
	horizon int
	share   float64 // of the base that a step of weight 1 has
}

// weight returns the weight of a step, from 1.
func (l *Levels) weight(step int) float64 {
	if l.course == nil {
		return 1
	}
	return l.course.weight(step, l.horizon, l.epsilon)
}

// Levels returns the levels of the nodes of a run of so many steps, with so many releases of a
// node; nil where all are the same. Where the calibration is for a whole run, the levels of the
// steps compose to it: a square root of the sum of squares. releases reports whether a node may
// make one in a step. The error has a key of the section.
func (a *Additive) Levels(nodes, horizon int, releases func(step int) bool) (*Levels, error) {
	if a.varied == nil {
		return nil, nil
	}
	v := a.varied
	if v.OverTime != nil && len(v.OverTime.Values) > 0 && len(v.OverTime.Values) < horizon {
		return nil, document.At("over_time.values", "%d values for %d steps; want one for each", len(v.OverTime.Values), horizon)
	}
	l := &Levels{base: a.Calibration.Level, course: v.OverTime, epsilon: a.Epsilon, horizon: horizon, share: 1}
	if v.Groups != nil {
		l.nodes = slices.Repeat([]float64{l.base}, nodes)
	}
	for k, g := range v.Groups {
		if g.Last > nodes {
			return nil, document.At(fmt.Sprintf("groups[%d].last", k), "there is no node %d; there are %d", g.Last, nodes)
		}
		level, err := a.levelOf(g.Epsilon)
		if err != nil {
			return nil, document.At(fmt.Sprintf("groups[%d].epsilon", k), "%v", err)
		}
		for i := g.First; i <= g.Last; i++ {
			l.nodes[i-1] = level
		}
	}
	if a.Whole {
		l.share = 1 / math.Sqrt(l.squares(releases))
	}
	return l, nil
}

// squares returns the sum of the squares of the weights of the steps with releases, 1 where there
// are none. A file with
// more steps than a run may have is refused elsewhere.
func (l *Levels) squares(releases func(step int) bool) (sum float64) {
	for step := 1; step <= min(l.horizon, limits.Steps); step++ {
		if releases(step) {
			w := l.weight(step)
			sum += float64(w * w)
		}
	}
	if sum == 0 {
		return 1
	}
	return sum
}

// At returns c with the level of a node's release of a step, from 1, of noise that is scaled.
func (l *Levels) At(c noise.Calibration, scaled float64, node, step int) noise.Calibration {
	level := l.base
	if l.nodes != nil {
		level = l.nodes[node]
	}
	c.Level = level * l.weight(step) * l.share / scaled
	return c
}

// ByNode reports whether nodes differ.
func (l *Levels) ByNode() bool { return l != nil && l.nodes != nil }

// Dearest returns a node with the highest level.
func (l *Levels) Dearest() (node int) {
	for i, level := range l.nodes {
		if level > l.nodes[node] {
			node = i
		}
	}
	return node
}
