package pyalgorithm

import (
	_ "embed" // of participants.py
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/scenarios/document"
	"starling/scenarios/gossip"
	"starling/scenarios/metric"
	"starling/scenarios/problem/pyproblem"
	"starling/scenarios/section/python"
	"starling/scenarios/study"
)

// nodeAdapter is the Python program around the user's code.
//
//go:embed participants.py
var nodeAdapter []byte

// options are the keys of the section.
type options struct {
	Source python.Source `yaml:",inline"`
}

// Algorithm is the algorithm of a class in Python.
var Algorithm = gossip.Algorithm[options]{
	Name:     python.KindPython,
	Summary:  "your own algorithm: a class in a Python file",
	Defaults: options{python.DefaultSource()},
	Demands:  demands,
	Resolve:  resolve,
}

// class is a class that was found.
type class struct {
	name    string
	objects *pyproblem.Pool
	code    *python.Code
	pyproblem.Description
}

// classKey names a class with its options, which arms share: the text of the section.
type classKey struct{ section string }

// find returns the class that options name, with an adapter around its objects. The error is by
// document.At.
func find(b *study.Builder, f *study.ArmFile, o *options, adapter []byte) (c *class, err error) {
	return study.Shared(b, classKey{f.Algorithm.Text()}, func() (*class, bool) {
		var code *python.Code
		if code, err = o.Source.ReadWith(b, f.Algorithm, adapter); err != nil {
			return nil, false
		}
		c := &class{name: o.Source.Name, code: code, objects: code.Program.Pool(o.Source.Name, o.Source.Options.Values)}
		if b.Data.Showing {
			return c, true // nothing more is known of it
		}
		defer c.objects.Rest() // the same process looks at other classes of the file
		object := c.objects.Take()
		defer c.objects.Give(object)
		if c.Description, err = object.Describe(); err != nil {
			err = document.At("file", "%v", err)
		}
		return c, err == nil
	}), err
}

// demands returns the demand on weights of the class that options name.
func demands(b *study.Builder, f *study.ArmFile, o *options) (topology.Demand, error) {
	c, err := find(b, f, o, nodeAdapter)
	if err != nil || b.Data.Showing {
		return topology.Demand{}, err
	}
	return c.weights(), nil
}

// weights returns the class's demand on weights.
func (c *class) weights() topology.Demand {
	if c.is("push_sum") {
		return topology.PushSum
	}
	return topology.DoublyStochastic
}

// resolve returns the algorithm of the class that options name.
func resolve(b *study.Builder, f *study.ArmFile, o *options, at *gossip.Setting) (gossip.Algorithm[options], error) {
	a := gossip.Algorithm[options]{Name: python.KindPython, Gathers: true}
	c, err := find(b, f, o, nodeAdapter)
	if err != nil {
		return a, err
	}
	if b.Data.Showing {
		a.Sensitivity = func(_ *options, at *gossip.Setting, _ int) noise.Moves { return noise.MovesL1(1, at.Problem.Dim()) } // no run uses it
		a.Machine = func(_ *options, at *gossip.Setting) algorithm.Machine {
			return newNode(&office{pool: c.objects, class: c.name}, at)
		}
		return a, nil
	}
	if err = c.check(at); err != nil {
		return a, err
	}
	moves, err := c.stated(at)
	if err != nil {
		return a, err
	}
	if a.Metrics, err = c.metrics(); err != nil {
		return a, err
	}
	office := &office{pool: c.objects, class: c.name, inbox: c.is("inbox"), sends: c.sends(), pushes: c.is("push_sum"), twice: b.Data.Twice}
	for _, m := range a.Metrics {
		office.metrics = append(office.metrics, strings.TrimPrefix(m.Name, metric.Own))
	}
	a.Weights, a.Raw = c.weights(), office.inbox // classes without an inbox cannot send raw messages
	if office.inbox {
		a.Apart = "the class " + c.name + " reads its inbox, where a server's mean is no message of a neighbour"
	}
	a.Sensitivity = func(_ *options, _ *gossip.Setting, step int) noise.Moves { return moves[step-1] }
	a.Machine = func(_ *options, at *gossip.Setting) algorithm.Machine { return newNode(office, at) }
	a.Notes, a.Warnings = c.code.Notes, c.code.Warnings
	if at.Private {
		a.Notes = append(slices.Clone(a.Notes), study.Note{Key: "sensitivity", Value: c.word(office.sends)})
	}
	return a, nil
}

// word describes the basis of the sensitivity.
func (c *class) word(sends int) string {
	times := ""
	if sends > 0 {
		times = fmt.Sprintf(" of one vector, of which a node sends %d in a step at most", sends)
	}
	return "as stated by " + c.name + ".sensitivity" + times + "; the ledger takes its word, and starling audit holds it against samples"
}

// has reports whether objects have a method.
func (c *class) has(method string) bool { return slices.Contains(c.Methods, method) }

// is reports whether an attribute is True: inbox, with which turns bring messages in place of
// their sum, or push_sum, with which the sum is by masses.
func (c *class) is(attribute string) bool {
	value, _ := c.Attributes[attribute].(bool)
	return value
}

// sends is the largest number of neighbours that get a vector of their own in a step; 0 means
// none.
func (c *class) sends() int {
	most, _ := c.Attributes["sends"].(float64)
	return int(most)
}

// check refuses settings that the class cannot do.
func (c *class) check(at *gossip.Setting) error {
	one, all := c.has("step"), c.has("step_all")
	sends, several := c.Attributes["sends"]
	most, number := sends.(float64)
	switch {
	case !one && !all:
		return document.At("name", "the class %s has no method step or step_all", c.name)
	case one && all:
		return document.At("name", "the class %s has both step and step_all; want one", c.name)
	case at.Private && !c.has("sensitivity"):
		return document.At("name", "the class %s has no method sensitivity(step, bound), which noise is scaled by; return the largest move of a release by the costs of a node, or take mechanism: {kind: none}", c.name)
	case several && (!number || most != math.Trunc(most) || most < 1 || most > mostSends):
		return document.At("name", "the class %s has sends = %v; want the largest number of neighbours that get a vector of their own in a step, 1 to %d", c.name, sends, mostSends)
	case several && !c.is("inbox"):
		return document.At("name", "the class %s sends vectors to single neighbours, which are no part of a sum: it has to read its inbox, inbox = True", c.name)
	case c.is("push_sum") && c.is("inbox"):
		return document.At("name", "the class %s has both push_sum and inbox; push-sum hands a class the ratio of sums", c.name)
	case c.is("inbox") && at.Rule.Missing != inbox.MissingDrop:
		return document.At("missing", "the class %s reads its inbox itself: missing: %s is for the sum of received messages", c.name, at.Rule.Missing)
	case c.is("inbox") && at.Rule.Combine != nil:
		return document.At("combine", "the class %s reads its inbox itself: a rule is for the sum of received messages", c.name)
	}
	return nil
}

// mostSends bounds the number of vectors that a node may release in a step.
const mostSends = 1 << 20

// stated returns the distances that a release of the class moves, by step from the first. A
// release of vectors to single neighbours is taken as a whole; each vector moves by the
// distance that the class states.
func (c *class) stated(at *gossip.Setting) ([]noise.Moves, error) {
	moves := make([]noise.Moves, at.Horizon)
	if !at.Private { // any release that moves shows all data
		for i := range moves {
			moves[i] = noise.MovesL1(math.MaxFloat64, at.Problem.Dim())
		}
		return moves, nil
	}
	defer c.objects.Rest()
	object := c.objects.Take()
	defer c.objects.Give(object)
	arrays, err := object.Call(&pyproblem.Call{
		Method: "sensitivity", What: "the sensitivity of " + c.name, Integers: []string{"horizon"},
		Arrays: []pyproblem.Array{{Name: "horizon", Values: []float64{float64(at.Horizon)}}, {Name: "bound", Values: []float64{at.Bound.Theta}}},
	})
	if err != nil {
		return nil, document.At("name", "%v", err)
	}
	if len(arrays) != 1 || len(arrays[0].Values) != 2*at.Horizon {
		return nil, errShape
	}
	sends := max(1, c.sends())
	times := float64(sends)
	for i := range moves {
		one := norms(arrays[0].Values[2*i], arrays[0].Values[2*i+1], at.Problem.Dim())
		moves[i] = noise.Moves{L1: times * one.L1, L2: math.Sqrt(times) * one.L2, Entries: sends * one.Entries}
	}
	return moves, nil
}

// norms are moves in both norms; NaN means not stated.
func norms(l1, l2 float64, dim int) noise.Moves {
	switch {
	case math.IsNaN(l1):
		return noise.MovesL2(l2, dim)
	case math.IsNaN(l2):
		return noise.MovesL1(l1, dim)
	}
	return noise.Moves{L1: l1, L2: l2, Entries: dim}
}
