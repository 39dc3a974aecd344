package standard

import (
	"errors"
	"math"

	"starling/actors/algorithm/mirror"
	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/problems"
	"starling/scenarios/section/sets"
	"starling/scenarios/study"
)

// costs presents data or losses of any kind as a problem of nodes that are equals: the cost of
// node i at step t is the loss of a model at the datum that the node meets. It implements
// problem.Problem. Through it an algorithm of equals takes a problem that was made for another
// family.
type costs struct {
	// kind is the section's own, and nodes the number of nodes.
	kind  string
	model problem.Model
	nodes int
	set   mirror.Set
	// bound is the largest 2-norm of gradients on the set; +Inf where there is none.
	bound float64
	// smoothness is the smoothness in 2-norm; +Inf where it is not known.
	smoothness float64
	draw       func(seed uint64, horizon int) (problem.Instance, error)
	stream     *problems.Stream // nodes meet its data; nil where there is no stream
	// start returns the initial model of a seed; nil leaves the start to the algorithm.
	start      func(seed uint64) []float64
	tests      bool // instances implement problem.Fresh
	classifies bool
	held       float64
	notes      []study.Note
	warnings   []study.Warning
}

// Kind implements problem.Problem.
func (c *costs) Kind() string { return c.kind }

// Model implements problem.Modelled.
func (c *costs) Model() problem.Model { return c.model }

// Dim implements problem.Problem.
func (c *costs) Dim() int { return c.model.Dim() }

// Nodes implements problem.Problem.
func (c *costs) Nodes() int { return c.nodes }

// Set implements problem.Problem.
func (c *costs) Set() mirror.Set { return c.set }

// GradientBound implements problem.Problem: +Inf where gradients have no bound.
func (c *costs) GradientBound() float64 { return c.bound }

// Smoothness implements problem.Problem.
func (c *costs) Smoothness() (beta float64, finite bool) {
	if math.IsInf(c.smoothness, 1) {
		return 0, false
	}
	return c.smoothness, true
}

// Draw implements problem.Problem.
func (c *costs) Draw(seed uint64, horizon int) (problem.Instance, error) {
	return c.draw(seed, horizon)
}

// shape returns the extent of a run as the shape of a stream.
func (c *costs) shape(horizon int) stream.Shape {
	return stream.Shape{Learners: c.nodes, Rounds: horizon, Tau: 1}
}

// Needs implements Shared.
func (c *costs) Needs(seed uint64, horizon int, reads stream.Reads) []cache.Need {
	if c.stream == nil {
		return nil
	}
	return c.stream.Source.Needs(seed, c.shape(horizon), reads)
}

// DrawShared implements Shared.
func (c *costs) DrawShared(kept *cache.Cache, seed uint64, horizon int, reads stream.Reads) (problem.Instance, error) {
	if c.stream == nil {
		return c.draw(seed, horizon)
	}
	data, err := c.stream.Kept(kept, seed, c.shape(horizon), reads)
	if err != nil {
		return nil, err
	}
	return stream.NewCosts(c.model, data, c.nodes), nil
}

// Tracks reports whether there is a target, without drawing. There is none.
func (c *costs) Tracks() bool { return false }

// Classifies reports whether instances implement problem.Classifier, without drawing.
func (c *costs) Classifies() bool { return c.classifies }

// Tests reports whether instances implement problem.Fresh, without drawing.
func (c *costs) Tests() bool { return c.tests }

// Held returns about the number of bytes of data that all jobs share.
func (c *costs) Held() float64 { return c.held }

// Start returns the initial model of a seed, or nil where any point will do.
func (c *costs) Start(seed uint64) []float64 {
	if c.start == nil {
		return nil
	}
	return c.start(seed)
}

// Remarks implements study.Remarked.
func (c *costs) Remarks() ([]study.Note, []study.Warning) { return c.notes, c.warnings }

// setIn returns the section of the set that a problem names. A sweep can remove the set by
// null, which counts as absent.
func setIn(section *document.Node) (*document.Node, bool) {
	node, ok := section.Get("set")
	return node, ok && node.Kind() != document.Null
}

// setOf returns the set of decisions that a section names, or nil where it names none. A set
// without a dimension has dimension dim. It refuses a set that does not fit a model of dim
// parameters. dim is 0 where faults elsewhere leave the number of parameters open.
func setOf(b *study.Builder, section *document.Node, dim int) (mirror.Set, error) {
	node, ok := setIn(section)
	if !ok {
		return nil, nil
	}
	set, err := sets.Build(b.Kinds, node, max(1, dim))
	if err == nil && dim > 0 && set.Dim() != dim {
		err = document.At("set", "the set has dimension %d; the model has %d parameters", set.Dim(), dim)
	}
	return set, section.Resolve(err)
}

// streamCosts makes costs of a stream: nodes that are equals meet its data, a datum a step;
// node i is learner i, and a round has one step. Errors of the stream and of the set are
// returned together.
func streamCosts(b *study.Builder, section *document.Node, a *study.ArmFile, build problems.StreamBuilder) (*costs, *problems.Stream, error) {
	p, err := inSet(build)(b, section, a)
	if err != nil {
		return nil, nil, err
	}
	// A node meets a datum a step, and so a run needs as many data as it has steps.
	err = section.Resolve(p.Check(stream.Shape{Learners: a.Nodes, Rounds: a.Horizon, Tau: 1}))
	if p.Set == nil {
		missing := section.Issuef("nodes that are equals decide in a compact set, which is missing: give problem.set, such as {kind: l2-ball, dimension: %d, radius: 2}", p.Model.Dim())
		err = errors.Join(err, missing)
	}
	if err != nil {
		return nil, nil, err
	}
	name, err := kind.NameOf(section)
	if err != nil {
		return nil, nil, err
	}
	c := &costs{
		kind: name, model: p.Model, nodes: a.Nodes, set: p.Set, bound: p.GradientBound, smoothness: math.Inf(1),
		tests: p.Tests, classifies: p.Classifies(), held: p.Held, notes: p.Hard, warnings: p.Warnings,
		stream: p,
	}
	if p.Smoothness > 0 {
		c.smoothness = p.Smoothness
	}
	// A start that is drawn may be outside the set, to which all decisions are held.
	if p.Random {
		c.start = func(seed uint64) []float64 {
			x := p.Start(seed)
			p.Set.Project(x, x, make([]float64, p.Set.WorkSize()))
			return x
		}
	}
	c.draw = func(seed uint64, horizon int) (problem.Instance, error) {
		return c.DrawShared(nil, seed, horizon, stream.Reads{Again: true})
	}
	return c, p, nil
}

// Costs implements study.AsCosts. A file of weights would have shown data
// that the ledger of a node's costs does not know how to count.
func (Images) Costs(b *study.Builder, section *document.Node, a *study.ArmFile) (problem.Problem, error) {
	if weights, ok := weightsNode(section); ok && weights.Kind() != document.Null {
		return nil, weights.Issuef("the ledger of dpdonc is of all costs of a node, and what a file of weights cost is of one datum; leave weights out")
	}
	c, _, err := streamCosts(b, section, a, newImageStream)
	if err != nil {
		return nil, err
	}
	p, err := newPictures(b, section)
	if err != nil {
		return nil, err
	}
	c.notes = p.Notes
	return c, nil
}

// adversaryCosts makes costs of an adversary of prediction from experts: the costs of nodes
// that are equals are its losses, with decisions on the simplex.
func adversaryCosts(build problems.AdversaryBuilder) study.ProblemBuilder {
	return func(b *study.Builder, section *document.Node, a *study.ArmFile) (problem.Problem, error) {
		p, err := build(b, section, a)
		if err != nil {
			return nil, err
		}
		name, err := kind.NameOf(section)
		if err != nil {
			return nil, err
		}
		simplex, err := mirror.NewSimplex(p.Experts)
		if err != nil {
			return nil, section.Resolve(err)
		}
		// Entries of gradients are within alpha, and the gradient is beta-Lipschitz from
		// the 1-norm to the largest entry: in the 2-norm sqrt(d) of it, twice.
		d := float64(p.Experts)
		c := &costs{
			kind: name, model: p.Model, nodes: a.Nodes, set: simplex, bound: math.Sqrt(d) * p.Alpha, smoothness: d * p.Beta,
			held: p.Held, notes: p.Notes, warnings: p.Warnings,
		}
		if p.Owners != nil {
			c.warnings = append(c.warnings[:len(c.warnings):len(c.warnings)], study.Warning{Code: "data", Message: p.Owners.Remark()})
		}
		c.draw = p.Draw
		return c, nil
	}
}
