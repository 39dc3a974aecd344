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
	"starling/scenarios/study"
)

// costs presents a stream with decisions from a set as a problem of nodes without a server: the
// cost of node i at step t is the loss of the model at the datum that the node meets. It
// implements problem.Problem. Through it an algorithm of equals takes a problem that was made
// for another family.
type costs struct {
	stream *problems.Stream
	kind   string // the section's own
	nodes  int
	// smoothness is the smoothness in 2-norm; +Inf where it is not known.
	smoothness float64
	notes      []study.Note
}

// costsOf returns the costs of a stream for the nodes of an arm.
func costsOf(p *problems.Stream, section *document.Node, a *study.ArmFile) (*costs, error) {
	name, err := kind.NameOf(section)
	if err != nil {
		return nil, err
	}
	c := &costs{stream: p, kind: name, nodes: a.Nodes, smoothness: math.Inf(1), notes: p.Hard}
	if p.Smoothness > 0 {
		c.smoothness = p.Smoothness
	}
	return c, nil
}

// Kind implements problem.Problem.
func (c *costs) Kind() string { return c.kind }

// Model implements problem.Modelled.
func (c *costs) Model() problem.Model { return c.stream.Model }

// Dim implements problem.Problem.
func (c *costs) Dim() int { return c.stream.Model.Dim() }

// Nodes implements problem.Problem.
func (c *costs) Nodes() int { return c.nodes }

// Set implements problem.Problem.
func (c *costs) Set() mirror.Set { return c.stream.Set }

// GradientBound implements problem.Problem: +Inf where gradients have no bound.
func (c *costs) GradientBound() float64 { return c.stream.GradientBound }

// Smoothness implements problem.Problem.
func (c *costs) Smoothness() (beta float64, finite bool) {
	if math.IsInf(c.smoothness, 1) {
		return 0, false
	}
	return c.smoothness, true
}

// Draw implements problem.Problem.
func (c *costs) Draw(seed uint64, horizon int) (problem.Instance, error) {
	return c.DrawShared(nil, seed, horizon, stream.Reads{Again: true})
}

// shape returns the extent of a run as the shape of a stream.
func (c *costs) shape(horizon int) stream.Shape {
	return stream.Shape{Learners: c.nodes, Rounds: horizon, Tau: 1}
}

// Needs implements Shared.
func (c *costs) Needs(seed uint64, horizon int, reads stream.Reads) []cache.Need {
	return c.stream.Source.Needs(seed, c.shape(horizon), reads)
}

// DrawShared implements Shared.
func (c *costs) DrawShared(kept *cache.Cache, seed uint64, horizon int, reads stream.Reads) (problem.Instance, error) {
	data, err := c.stream.Kept(kept, seed, c.shape(horizon), reads)
	if err != nil {
		return nil, err
	}
	return stream.NewCosts(c.stream.Model, data, c.nodes), nil
}

// Tracks reports whether there is a target, without drawing. There is none.
func (c *costs) Tracks() bool { return false }

// Classifies reports whether instances implement problem.Classifier, without drawing.
func (c *costs) Classifies() bool { return c.stream.Classifies() }

// Tests reports whether instances implement problem.Fresh, without drawing.
func (c *costs) Tests() bool { return c.stream.Tests }

// Validates reports whether instances have validation rows, without drawing.
func (c *costs) Validates() bool { return c.stream.Validates }

// Held returns about the number of bytes of data that all jobs share.
func (c *costs) Held() float64 { return c.stream.Held }

// Start returns the initial model of a seed, or nil where any point will do. A start that is
// drawn may be outside the set, to which all decisions are held.
func (c *costs) Start(seed uint64) []float64 {
	if !c.stream.Random {
		return nil
	}
	x, set := c.stream.Start(seed), c.stream.Set
	set.Project(x, x, make([]float64, set.WorkSize()))
	return x
}

// Remarks implements study.Remarked.
func (c *costs) Remarks() ([]study.Note, []study.Warning) { return c.notes, c.stream.Warnings }

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
	set, err := problems.Build(b.Kinds, node, max(1, dim))
	if err == nil && dim > 0 && set.Dim() != dim {
		err = document.At("set", "the set has dimension %d; the model has %d parameters", set.Dim(), dim)
	}
	return set, section.Resolve(err)
}

// streamCosts makes costs of a stream: nodes without a server meet its data, a datum a step;
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
		missing := section.Issuef("nodes without a server decide in a compact set, which is missing: give problem.set, such as {kind: l2-ball, dimension: %d, radius: 2}", p.Model.Dim())
		err = errors.Join(err, missing)
	}
	if err != nil {
		return nil, nil, err
	}
	c, err := costsOf(p, section, a)
	return c, p, err
}

// Costs implements study.AsCosts. A file of weights would have shown data
// that the ledger of a node's costs does not know how to count.
func (Images) Costs(b *study.Builder, section *document.Node, a *study.ArmFile) (problem.Problem, error) {
	if weights, ok := weightsNode(section); ok && weights.Kind() != document.Null {
		return nil, weights.Issuef("the ledger of dpdonc is of all costs of a node, and the loss of a file of weights is of one datum; leave weights out")
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

// adversaryStream makes a stream of an adversary of prediction from experts: learners meet the
// data of its losses, and decide on the simplex.
func adversaryStream(build problems.AdversaryBuilder) problems.StreamBuilder {
	return func(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Stream, error) {
		s, _, err := simplexStream(build, b, section, a)
		if err == nil {
			knowBest(s)
		}
		return s, err
	}
}

// simplexStream returns the stream of an adversary, without notes on regret, and its smoothness
// in 2-norm.
func simplexStream(build problems.AdversaryBuilder, b *study.Builder, section *document.Node, a *study.ArmFile) (s *problems.Stream, smoothness float64, err error) {
	p, err := build(b, section, a)
	if err != nil {
		return nil, 0, err
	}
	simplex, err := mirror.NewSimplex(p.Experts)
	if err != nil {
		return nil, 0, section.Resolve(err)
	}
	// Entries of gradients are within alpha, and the gradient is beta-Lipschitz from the 1-norm
	// to the largest entry: in the 2-norm sqrt(d) of it, twice.
	d := float64(p.Experts)
	s = &problems.Stream{
		Model: p.Model, Set: simplex, GradientBound: math.Sqrt(d) * p.Alpha, Start: centreOf(simplex), Held: p.Held,
		Notes: p.Notes[:len(p.Notes):len(p.Notes)], Warnings: p.Warnings[:len(p.Warnings):len(p.Warnings)],
		Check: func(stream.Shape) error { return nil },
		Draw: func(seed uint64, shape stream.Shape) (problem.Data, error) {
			in, err := p.Draw(seed, shape.Steps())
			if err != nil {
				return nil, err
			}
			return in.(problem.Data), nil
		},
	}
	if p.Owners != nil {
		s.Warnings = append(s.Warnings, study.Warning{Code: "data", Message: p.Owners.Remark()})
	}
	return s, d * p.Beta, nil
}

// adversaryCosts makes costs of an adversary of prediction from experts.
func adversaryCosts(build problems.AdversaryBuilder) study.ProblemBuilder {
	return func(b *study.Builder, section *document.Node, a *study.ArmFile) (problem.Problem, error) {
		s, smoothness, err := simplexStream(build, b, section, a)
		if err != nil {
			return nil, err
		}
		c, err := costsOf(s, section, a)
		if err != nil {
			return nil, err
		}
		c.smoothness, c.notes = smoothness, s.Notes
		return c, nil
	}
}
