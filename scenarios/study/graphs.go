package study

import (
	"context"
	"errors"
	"math"

	"starling/actors/algorithm/mirror"
	"starling/actors/topology"
	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
	"starling/scenarios/section/topologies"
)

// BuildNodes returns topology and problem of an arm of nodes without a server, for an algorithm
// with a demand on the weights, and the faults of both. A part with a fault is nil.
func BuildNodes(b *Builder, a *ArmFile, weights topology.Demand) (n Nodes, err error) {
	var found Faults
	n.Weights = weights
	if a.Topology != nil {
		n.Topology, err = buildTopology(b, a, weights)
		found.Note(err)
	}
	if a.Problem != nil {
		n.Problem, err = buildProblem(b, a)
		found.Note(err)
		if p, ok := n.Problem.(problem.Placed); ok && p.Follows() {
			n.Problem, err = following(n.Topology, a, p)
			found.Note(err)
		}
	}
	return n, found.Err()
}

// AsCosts is the capability of a problem of the catalog that nodes without a server can learn.
// Costs reads its section.
type AsCosts interface {
	Costs(b *Builder, section *document.Node, a *ArmFile) (problem.Problem, error)
}

// ProblemBuilder is a function with the capability AsCosts.
type ProblemBuilder func(b *Builder, section *document.Node, a *ArmFile) (problem.Problem, error)

// Costs implements AsCosts.
func (build ProblemBuilder) Costs(b *Builder, section *document.Node, a *ArmFile) (problem.Problem, error) {
	return build(b, section, a)
}

// Remarked is implemented by problems with remarks on their results: which data they read, and
// the limits of the results.
type Remarked interface {
	Remarks() ([]Note, []Warning)
}

// problemKey names a problem.
type problemKey struct {
	// The text of the section, resolved, is part of the key: equal texts build equal
	// problems.
	nodes, horizon int
	text           string
}

// AlgorithmName names the algorithm in errors about kinds that do not go with it.
func (a *ArmFile) AlgorithmName() string {
	if a.Algorithm != nil {
		if name, err := kind.NameOf(a.Algorithm); err == nil {
			return "the algorithm " + name
		}
	}
	return "an algorithm without a server"
}

// buildProblem builds the problem of an arm, unless an earlier arm has the same.
func buildProblem(b *Builder, a *ArmFile) (problem.Problem, error) {
	return TryShared(b, problemKey{a.Nodes, a.Horizon, a.Problem.Text()}, func() (problem.Problem, error) {
		piece, err := kind.PieceOf[AsCosts](b.Kinds.Problems, a.Problem, a.AlgorithmName())
		if err != nil {
			return nil, err
		}
		p, err := piece.Costs(b, a.Problem, a)
		if err != nil {
			return nil, err
		}
		if !b.Usage.Take(&b.Usage.Coordinates, limits.Product(a.Nodes, p.Dim()), limits.Coordinates) {
			err = document.At(a.Problem.Path(), "the decisions of the nodes of all arms have over %d coordinates", limits.Coordinates)
		}
		return p, err
	})
}

// following returns the problem with its nodes at the places of the arm's topology: graphs
// and measurements of a step are of the same places.
func following(plan *topologies.Plan, a *ArmFile, p problem.Placed) (problem.Problem, error) {
	const at = "problem.sensors.topology"
	switch {
	case plan == nil: // which is a fault of its own
	case plan.Places == nil:
		return p, document.At(at, "the nodes of this topology are nowhere; want one of kind geometric")
	case limits.Product(a.Horizon, a.Nodes, p.Dim()) > limits.Places:
		return p, document.At(at, "%d places over %d steps; want at most %d coordinates", a.Nodes, a.Horizon, limits.Places)
	default:
		return p.Following(plan.Places), nil
	}
	return p, nil
}

// buildTopology builds the topology of an arm. Arms share it if they have the same text for
// it, the same demand on its weights, and as many nodes and steps.
func buildTopology(b *Builder, a *ArmFile, weights topology.Demand) (*topologies.Plan, error) {
	at := topologies.Site{Nodes: a.Nodes, Horizon: min(max(a.Horizon, 1), limits.Steps), Weights: weights, Data: b.Data, Usage: &b.Usage, Kinds: b.Kinds.Topologies, Whom: a.AlgorithmName()}
	key := topologyKey{at.Nodes, at.Horizon, weights, a.Topology.Text()}
	return TryShared(b, key, func() (*topologies.Plan, error) {
		plan, err := at.Build(a.Topology)
		if err != nil {
			return nil, err
		}
		if !b.Usage.Take(&b.Usage.Edges, plan.Edges, limits.Edges) {
			err = document.At(a.Topology.Path(), "the graphs of all arms have over %d edges", limits.Edges)
		}
		return plan, err
	})
}

// topologyKey names a topology, and the demand on it.
type topologyKey struct {
	nodes, horizon int
	weights        topology.Demand
	text           string
}

// WatchGraphs returns the graphs of a seed's run, which are checked as they are made.
func WatchGraphs(ctx context.Context, arm *Arm, seed uint64, keep bool) (*topologies.Watched, error) {
	sequence, err := arm.Topology.Sequence(seed)
	if err != nil {
		return nil, err
	}
	return arm.Topology.Watch(ctx, sequence, arm.File.Horizon, arm.Weights, keep)
}

// GraphsOf returns the graphs of a seed's run, which are checked as it comes to them.
// Jobs of one seed share them where the arm's cache keeps them.
func GraphsOf(arm *Arm, seed uint64) (*topologies.Watched, error) {
	need := graphsNeed(arm, seed)
	w, kept, err := cache.Get(arm.Cache, need.Key, func() (*topologies.Watched, error) { return WatchGraphs(context.Background(), arm, seed, true) })
	if kept {
		return w, err
	}
	return WatchGraphs(context.Background(), arm, seed, false)
}

// graphsKey names the graphs of a seed's run.
type graphsKey struct {
	plan    *topologies.Plan
	horizon int
	seed    uint64
}

// The memory of a graph, in bytes: of an entry of both halves with its weight, and of a node.
const (
	entryBytes = 16
	nodeBytes  = 8
	// inFlight is how many graphs a job that keeps none has at a time: those of the turns
	// that are not over.
	inFlight = 4
)

// graphsNeed returns the memory of the graphs of a seed's run if they are all kept.
func graphsNeed(arm *Arm, seed uint64) cache.Need {
	t, f := arm.Topology, &arm.File
	size := float64(entryBytes*t.Edges) + float64(nodeBytes*float64(f.Nodes))
	if t.Redraws {
		size += float64(limits.Product(f.Horizon) * (float64(entryBytes*t.Drawn) + float64(nodeBytes*float64(f.Nodes))))
	}
	own := min(size, float64(inFlight*float64(float64(entryBytes*(t.Edges+t.Drawn))+float64(nodeBytes*float64(f.Nodes)))))
	return cache.Need{Key: graphsKey{t, f.Horizon, seed}, Bytes: int64(min(size, math.MaxInt64/2)), Own: int64(min(own, math.MaxInt64/2))}
}

// Tracks reports whether the instances of a problem hide a position to be found. Problems with
// a method Tracks need not draw an instance for it.
func Tracks(p problem.Problem) bool {
	if says, ok := p.(interface{ Tracks() bool }); ok {
		return says.Tracks()
	}
	// The type of an instance decides; so one is drawn.
	first, err := p.Draw(0, 1) // whatever the seed
	_, tracker := first.(problem.Tracker)
	return err == nil && tracker // a run says why there is an error
}

// Classifies reports whether the data of a problem have labels that decisions predict.
func Classifies(p problem.Problem) bool {
	says, ok := p.(interface{ Classifies() bool })
	return ok && says.Classifies()
}

// Tests reports whether instances of a problem are problem.Fresh.
func Tests(p problem.Problem) bool {
	says, ok := p.(interface{ Tests() bool })
	return ok && says.Tests()
}

// Validates reports whether instances of a problem have validation rows.
func Validates(p problem.Problem) bool {
	says, ok := p.(interface{ Validates() bool })
	return ok && says.Validates()
}

// Predictions returns the form of predictions of the labels of data that are held out, the zero
// value where a problem has none.
func Predictions(p problem.Problem) problem.ScoreForm {
	if m, ok := p.(problem.Modelled); ok && (Tests(p) || Validates(p)) {
		return problem.FormOf(m.Model())
	}
	return problem.ScoreForm{}
}

// ResolveSolver places an error about the pair of divergence and set.
func (a *ArmFile) ResolveSolver(err error) error {
	var pair *mirror.UnsupportedPairError
	if errors.As(err, &pair) {
		return a.Doc.Resolve("algorithm.divergence.kind", err).Err()
	}
	return a.Doc.Resolve("algorithm.divergence", err).Err()
}
