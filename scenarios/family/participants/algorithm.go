package participants

import (
	_ "embed" // of participants.py
	"math"
	"slices"
	"strings"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/scenarios/document"
	"starling/scenarios/external"
	"starling/scenarios/gossip"
	"starling/scenarios/metric"
	"starling/scenarios/section/python"
	"starling/scenarios/study"
)

// adapter is what the user's code meets.
//
//go:embed participants.py
var adapter []byte

// options are the keys of the section.
type options struct {
	Source python.Source `yaml:",inline"`
}

// Algorithm is the algorithm of a class in Python.
var Algorithm = gossip.Algorithm[options]{
	Name:     python.KindPython,
	Summary:  "an algorithm of your own: a class in a file in Python",
	Defaults: options{python.DefaultSource()},
	Weights:  topology.DoublyStochastic,
	Resolve:  resolve,
}

// class is one that was found.
type class struct {
	name    string
	objects *external.Pool
	external.Description
}

// resolve is the algorithm of the class that options name.
func resolve(b *study.Builder, f *study.ArmFile, o *options, at *gossip.Setting) (gossip.Algorithm[options], error) {
	a := gossip.Algorithm[options]{Name: python.KindPython, Gathers: true}
	code, err := o.Source.ReadWith(b, f.Algorithm, adapter)
	if err != nil {
		return a, err
	}
	c := &class{name: o.Source.Name, objects: code.Program.Pool(o.Source.Name, o.Source.Options.Values)}
	defer c.objects.Rest()
	moves, err := c.look(at)
	if err != nil {
		return a, err
	}
	if a.Metrics, err = c.metrics(); err != nil {
		return a, err
	}
	office := &office{pool: c.objects, class: c.name, inbox: c.reads(), twice: b.Data.Twice}
	for _, m := range a.Metrics {
		office.metrics = append(office.metrics, strings.TrimPrefix(m.Name, metric.Own))
	}
	a.Sensitivity = func(_ *options, _ *gossip.Setting, step int) noise.Moves { return moves[step-1] }
	a.Machine = func(_ *options, at *gossip.Setting) algorithm.Machine { return newNode(office, at) }
	a.Notes, a.Warnings = code.Notes, code.Warnings
	if at.Private {
		a.Notes = append(slices.Clone(a.Notes), study.Note{Key: "sensitivity", Value: "as stated by " + c.name + ".sensitivity; the ledger takes its word, and starling audit holds it against samples"})
	}
	return a, nil
}

// look makes an object of the class, and finds what it states.
func (c *class) look(at *gossip.Setting) ([]noise.Moves, error) {
	object := c.objects.Take()
	defer c.objects.Give(object)
	var err error
	if c.Description, err = object.Describe(); err != nil {
		return nil, document.At("file", "%v", err)
	}
	if err := c.check(at); err != nil {
		return nil, err
	}
	return c.stated(object, at)
}

// has tells whether objects have a method.
func (c *class) has(method string) bool { return slices.Contains(c.Methods, method) }

// reads tells whether turns bring messages in place of their sum.
func (c *class) reads() bool {
	inbox, _ := c.Attributes["inbox"].(bool)
	return inbox
}

// check refuses what the class cannot do.
func (c *class) check(at *gossip.Setting) error {
	one, all := c.has("step"), c.has("step_all")
	switch {
	case !one && !all:
		return document.At("name", "the class %s has no method step or step_all", c.name)
	case one && all:
		return document.At("name", "the class %s has both step and step_all; want one", c.name)
	case at.Private && !c.has("sensitivity"):
		return document.At("name", "the class %s has no method sensitivity(step, bound), which noise is scaled by; state by how much the costs of a node move what it releases, or take mechanism: {kind: none}", c.name)
	case c.reads() && at.Rule.Missing != algorithm.MissingDrop:
		return document.At("missing", "the class %s reads its inbox itself: missing: %s is for the sum of what is heard", c.name, at.Rule.Missing)
	}
	return nil
}

// stated are the sensitivities of the class, by step from the first.
func (c *class) stated(object *external.Object, at *gossip.Setting) ([]noise.Moves, error) {
	moves := make([]noise.Moves, at.Horizon)
	if !at.Private { // any release that moves shows all
		for i := range moves {
			moves[i] = noise.MovesL1(math.MaxFloat64)
		}
		return moves, nil
	}
	arrays, err := object.Call(&external.Call{
		Method: "sensitivity", What: "the sensitivity of " + c.name, Integers: []string{"horizon"},
		Arrays: []external.Array{{Name: "horizon", Values: []float64{float64(at.Horizon)}}, {Name: "bound", Values: []float64{at.Bound.Theta}}},
	})
	if err != nil {
		return nil, document.At("name", "%v", err)
	}
	if len(arrays) != 1 || len(arrays[0].Values) != 2*at.Horizon {
		return nil, errShape
	}
	for i := range moves {
		moves[i] = norms(arrays[0].Values[2*i], arrays[0].Values[2*i+1], at.Problem.Dim())
	}
	return moves, nil
}

// norms are moves in both norms, of which NaN is not stated.
func norms(l1, l2 float64, dim int) noise.Moves {
	switch {
	case math.IsNaN(l1):
		return noise.MovesL2(l2, dim)
	case math.IsNaN(l2):
		return noise.MovesL1(l1)
	}
	return noise.Moves{L1: l1, L2: l2}
}
