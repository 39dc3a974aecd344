package mechanisms

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/noise"
	"starling/mechanisms/portable"
	"starling/scenarios/document"
	"starling/scenarios/personal"
)

// Varied are the keys of noise that differs between nodes, or over time. It is for noise on the
// messages of nodes without a server; groups are also for clients whose messages the server sees.
type Varied struct {
	Groups   personal.Groups `yaml:"groups" doc:"nodes with an epsilon of their own, in place of the mechanism's: a list of groups, a file with a line for each node, a law from which they are drawn, or a column of the problem's own data; absent, all nodes have that one"`
	OverTime *OverTime       `yaml:"over_time" doc:"an epsilon that changes in the course of a run; absent, it stays"`
}

// OverTime is the course of epsilon over the steps of a run.
type OverTime struct {
	Law    string    `yaml:"law,required" oneof:"linear geometric inverse-sqrt list" doc:"how the noise of a release changes: linear and geometric begin with epsilon in step 1 and end with the key to in the last step, inverse-sqrt falls as 1/sqrt(t), list has an epsilon for each step; between the ends of Gaussian noise the inverse of its deviation takes these values"`
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
func (v *Varied) any() bool { return v.Groups.Any() || v.OverTime != nil }

// The refusals of noise that varies.
const (
	onlyOwn    = "noise that differs between nodes is for parties that add it to their own messages or streams; here there is one noise"
	onlyEquals = "noise that differs over time is for nodes without a server, with noise on their messages"
)

// refuse returns an error if noise varies, for algorithms with a server.
func (v *Varied) refuse(section *document.Node) error {
	return section.Resolve(errors.Join(refuseGroups(&v.Groups), v.OverTime.refuse()))
}

// refuseGroups returns an error if there are groups.
func refuseGroups(g *personal.Groups) error {
	if g.Any() {
		return document.At("groups", onlyOwn)
	}
	return nil
}

// refuse returns an error unless c is nil.
func (c *OverTime) refuse() error {
	if c != nil {
		return document.At("over_time", onlyEquals)
	}
	return nil
}

// check returns the faults of keys that go together.
func (v *Varied) check(epsilon float64) error {
	errs := []error{v.Groups.Check()}
	if v.OverTime != nil {
		errs = append(errs, v.OverTime.check())
		if math.IsInf(epsilon, 1) && v.Groups.Any() {
			errs = append(errs, document.At("epsilon", "over_time changes the epsilon of the mechanism, and the epsilon of groups by the same factors: there is no noise to vary"))
		}
	}
	return errors.Join(errs...)
}

// check returns the faults of keys that a law does not have, or lacks.
func (c *OverTime) check() error {
	var errs []error
	if (c.Law == overList) != (c.Values != nil) {
		errs = append(errs, document.At("over_time.values", "values are for the law list, and it needs them"))
	}
	if (c.Law == overLinear || c.Law == overGeometric) != (c.To > 0) {
		errs = append(errs, document.At("over_time.to", "to is for the laws linear and geometric, and they need it"))
	}
	for k, value := range c.Values {
		if !(value > 0) || math.IsInf(value, 1) {
			errs = append(errs, document.At(fmt.Sprintf("over_time.values[%d]", k), "epsilon = %v; want a number above 0", value))
		}
	}
	return errors.Join(errs...)
}

// leveller returns the level of noise of an epsilon, at a delta; a delta of 0 is the section's. Noise
// without a delta has none of its own.
type leveller func(epsilon, delta float64) (float64, error)

// course is the level of noise over the steps of a run, over the level of the mechanism's epsilon.
type course struct {
	law     string
	horizon int
	to      float64   // of the last step, of linear and geometric
	values  []float64 // by step, of list
}

// course returns the course for so many steps. The epsilons that it names become levels, so that
// Gaussian noise, whose level is not proportional to epsilon, has them too.
func (c *OverTime) course(horizon int, level float64, levelOf leveller) (*course, error) {
	if c.Law == overList && len(c.Values) < horizon {
		return nil, document.At("over_time.values", "%d values for %d steps; want one for each", len(c.Values), horizon)
	}
	way := &course{law: c.Law, horizon: horizon}
	var errs []error
	ratio := func(key string, epsilon float64) float64 {
		own, err := levelOf(epsilon, 0)
		if err != nil {
			errs = append(errs, document.At(key, "%v", err))
		}
		return own / level
	}
	if c.To > 0 {
		way.to = ratio("over_time.to", c.To)
	}
	for k, epsilon := range c.Values[:min(len(c.Values), horizon)] {
		way.values = append(way.values, ratio(fmt.Sprintf("over_time.values[%d]", k), epsilon))
	}
	return way, errors.Join(errs...)
}

// weight is the level of a step, from 1. A nil course has 1.
func (c *course) weight(step int) float64 {
	if c == nil {
		return 1
	}
	share := 0.0
	if c.horizon > 1 {
		share = float64(step-1) / float64(c.horizon-1)
	}
	switch c.law {
	case overLinear:
		return 1 + float64(share*(c.to-1))
	case overGeometric:
		return portable.Pow(c.to, share)
	case overInverseSqrt:
		return 1 / math.Sqrt(float64(step))
	}
	return c.values[step-1]
}

// Levels are the levels of noise by node and step.
type Levels struct {
	base   float64 // of a node in no group, in a step of weight 1
	nodes  []float64
	course *course   // nil is a weight of 1
	share  float64   // of its level that a node has in a step of weight 1
	shares []float64 // the same by node; nil where it is one
}

// Site is the run of which the noise varies.
type Site struct {
	personal.Site
	Horizon int
	Sums    ReleaseSums
}

// ReleaseSums returns, by node, a sum of the weights of the steps, from 1, in which the node may make a
// release.
type ReleaseSums func(weight func(step int) float64) (of func(node int) float64)

// Levels returns the levels of the nodes of a run; nil where all are the same. The error has all
// faults of groups, each at its place.
//
// Where the calibration is for a whole run, a node with releases in the steps S, of weights w_s,
// has levels that compose to the square root of the sum of the squares over S. The level of a step
// of weight 1 is the level of the run over the largest such root of the nodes with one level of the run:
// the node that pays the most among them meets that level, and the others stay below it.
func (a *Additive) Levels(at Site) (*Levels, error) {
	if a.varied == nil {
		return nil, nil
	}
	v := a.varied
	l := &Levels{share: 1}
	var err error
	if l.base, err = a.levelOf(a.Epsilon, 0); err != nil {
		return nil, at.Section.Resolve(err)
	}
	var overTime, groups error
	if v.OverTime != nil {
		l.course, overTime = v.OverTime.course(at.Horizon, l.base, a.levelOf)
	}
	if v.Groups.Any() {
		var of personal.Assigned
		if of, groups = v.Groups.Assign(&at.Site, a.Epsilon); groups == nil {
			l.nodes, groups = levelsOf(&of, a.levelOf)
		}
	}
	if err := errors.Join(overTime, groups); err != nil {
		return nil, at.Section.Resolve(err)
	}
	if a.Whole {
		l.divide(&at)
	}
	return l, nil
}

// levelsOf returns the levels of nodes, of which many are alike: each by its own epsilon and delta.
func levelsOf(of *personal.Assigned, levelOf leveller) ([]float64, error) {
	type asked struct{ epsilon, delta float64 }
	known := map[asked]float64{}
	levels := make([]float64, len(of.Epsilons))
	for node, epsilon := range of.Epsilons {
		own := asked{epsilon, of.Delta(node, 0)}
		level, ok := known[own]
		if !ok {
			var err error
			if level, err = levelOf(epsilon, own.delta); err != nil {
				return nil, document.At("groups", "epsilon %v of node %d: %v", epsilon, node+1, err)
			}
			known[own] = level
		}
		levels[node] = level
	}
	return levels, nil
}

// divide sets the shares of levels that are for all releases of a node together.
func (l *Levels) divide(at *Site) {
	of, most := at.Sums(l.Square), map[float64]float64{}
	for node := range at.Nodes {
		level := l.Of(node)
		most[level] = max(most[level], of(node))
	}
	share := func(level float64) float64 {
		if most[level] == 0 { // no node has a release
			return 1
		}
		return 1 / math.Sqrt(most[level])
	}
	if l.share = share(l.base); l.nodes == nil {
		return
	}
	l.shares = make([]float64, len(l.nodes))
	for node, level := range l.nodes {
		l.shares[node] = share(level)
	}
}

// Square is the square of the weight of a step, from 1.
func (l *Levels) Square(step int) float64 {
	w := l.course.weight(step)
	return float64(w * w)
}

// Of returns the level of a node: of all its releases together, or of one of weight 1.
func (l *Levels) Of(node int) float64 {
	if l.nodes == nil {
		return l.base
	}
	return l.nodes[node]
}

// At returns c with the level of a node's release of a step, from 1, of noise that is scaled.
func (l *Levels) At(c noise.Calibration, scaled float64, node, step int) noise.Calibration {
	share := l.share
	if l.shares != nil {
		share = l.shares[node]
	}
	c.Level = l.Of(node) * l.course.weight(step) * share / scaled
	return c
}

// Noiseless reports whether a node has no noise. It is false of nil.
func (l *Levels) Noiseless(node int) bool {
	return l.ByNode() && math.IsInf(l.nodes[node], 1)
}

// ByNode reports whether nodes differ.
func (l *Levels) ByNode() bool { return l != nil && l.nodes != nil }

// Candidates returns nodes of which one pays the most of all for its releases: each has a higher
// level than others, or larger sums of weights over its releases. The first has the highest level.
// That is exact where losses add up by weights, as pure ones, or by their squares, as of Gaussian
// noise, and where levels do not change over time. Of others between these, such as of Laplace noise
// by Rényi divergences, a node with neither sum the largest may pay a little more.
func (l *Levels) Candidates(nodes int, sums ReleaseSums) (list []int) {
	squares := sums(l.Square)
	plain := squares
	if l.course != nil {
		plain = sums(l.course.weight)
	}
	best := map[float64][2]int{} // by level: the nodes with the largest sums
	var levels []float64
	for node := range nodes {
		level := l.level(node)
		most, ok := best[level]
		if !ok {
			levels, most = append(levels, level), [2]int{node, node}
		}
		if plain(node) > plain(most[0]) {
			most[0] = node
		}
		if squares(node) > squares(most[1]) {
			most[1] = node
		}
		best[level] = most
	}
	slices.SortFunc(levels, func(a, b float64) int { return cmp.Compare(b, a) })
	reached := [2]float64{-1, -1}
	for _, level := range levels {
		most := best[level]
		for k, of := range []func(int) float64{plain, squares} {
			if sum := of(most[k]); sum > reached[k] {
				reached[k] = sum
				list = append(list, most[k])
			}
		}
	}
	return slices.Compact(list)
}

// level is the level of a node in a step of weight 1.
func (l *Levels) level(node int) float64 {
	if l.shares != nil {
		return l.Of(node) * l.shares[node]
	}
	return l.Of(node) * l.share
}
