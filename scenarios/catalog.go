package scenarios

import (
	"slices"
	"strings"

	"starling/actors/algorithm/mirror"
	"starling/scenarios/document"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
)

// Entry is what the catalog says of one kind.
type Entry struct {
	Kind    string `json:"kind"`
	Summary string `json:"summary"`
}

// kind is an entry with what builds it from its section of a scenario, and the
// struct that the section is decoded into, holding its defaults, for the
// schema.
type kind[B any] struct {
	Entry
	build   B
	section any
}

type (
	algorithmBuilder = func(*builder, *Arm, *armFile, *faults) algorithmPlan
	problemBuilder   = func(section *document.Node, nodes int) (problem.Problem, error)
	topologyBuilder  = func(section *document.Node, nodes int) (*topologyPlan, error)
	mechanismBuilder = func(section *document.Node) (laplaceSection, error)

	streamBuilder     = func(section *document.Node, learners int) (*stream.SyntheticLogistic, error)
	correlatedBuilder = func(section *document.Node) (correlatedSection, error)

	setBuilder        = func(section *document.Node) (mirror.Set, error)
	divergenceBuilder = func(section *document.Node) (mirror.Divergence, error)
)

// The catalog. A new algorithm, problem, topology or mechanism is one package
// and one line here; lists, validation, the schema and the README follow from it.
var (
	algorithms = []kind[algorithmBuilder]{
		{Entry{"dpdonc", "DPDO-NC: private distributed online mirror descent on time-varying digraphs (Zhou, Li)"}, buildDPDONC, defaultDPDONC()},
		{Entry{"ofl", "online federated learning with noise that is correlated over time, on every step or every round (Zhang, Zhu, Fay, Johansson)"}, buildOFL, defaultOFL()},
	}
	problems = []kind[problemBuilder]{
		{Entry{problem.KindLocalization, "sensors find a moving target from distances (nonconvex)"}, buildLocalization, defaultProblem(problem.DefaultLocalizationOptions)},
		{Entry{problem.KindLogistic, "logistic regression on FedProx-style synthetic streams (convex)"}, buildLogistic, defaultProblem(problem.DefaultLogisticOptions)},
		{Entry{problem.KindRobustRegression, "regression with the Geman-McClure loss and gross outliers (nonconvex)"}, buildRobustRegression, defaultProblem(problem.DefaultRobustRegressionOptions)},
	}
	streams = []kind[streamBuilder]{
		{Entry{"synthetic-logistic", "logistic regression on FedProx-style synthetic streams, a client for each learner and step (convex)"}, buildStream, defaultStream()},
	}
	topologies = []kind[topologyBuilder]{
		{Entry{"printed", "A1, A2, A3 of DPDO-NC, section 5, in turn; 6 nodes"}, buildPrinted, defaultTopology[struct{}]()},
		{Entry{"matrices", "given weight matrices, in turn"}, buildMatrices, defaultTopology[matricesOptions]()},
		{Entry{"ring", "directed ring, half the weight on the node itself"}, buildRing, defaultTopology[struct{}]()},
		{Entry{"complete", "every node to every other, with or without itself"}, buildComplete, defaultTopology[completeOptions]()},
		{Entry{"circulant", "each node from itself and the given number before it"}, buildCirculant, defaultTopology[circulantOptions]()},
		{Entry{"permutations", "random regular digraph, redrawn every so many steps, drawn for each seed"}, buildPermutations, defaultTopology[permutationsOptions]()},
	}
	mechanisms = []kind[mechanismBuilder]{
		{Entry{"laplace", "Laplace noise on every message, calibrated to epsilon a step; none runs without"}, buildLaplace, defaultLaplace()},
	}
	stars = []kind[struct{}]{
		{Entry{"star", "a server, and whoever it serves"}, struct{}{}, starSection{}},
	}
	correlated = []kind[correlatedBuilder]{
		{Entry{noNoise, "no noise"}, decodeCorrelated, defaultCorrelated()},
		{Entry{"independent", "Gaussian noise of its own on every input"}, decodeCorrelated, defaultCorrelated()},
		{Entry{"tree", "binary tree over the inputs that are there, its dark nodes summed"}, decodeCorrelated, defaultCorrelated()},
		{Entry{"tree-online", "the tree, each node estimated from all of its subtree (Honaker)"}, decodeCorrelated, defaultCorrelated()},
		{Entry{"tree-full", "the tree with the best estimate from all nodes, B = A C^+"}, decodeCorrelated, defaultCorrelated()},
		{Entry{"toeplitz", "square root of the prefix sums"}, decodeCorrelated, defaultCorrelated()},
		{Entry{"banded-toeplitz", "the first bands of the square root"}, decodeCorrelated, defaultCorrelated()},
		{Entry{"blt", "buffered linear Toeplitz matrix: a few geometric sequences"}, decodeCorrelated, defaultCorrelated()},
		{Entry{"optimal", "least mean square error of all factorizations, to a certified gap"}, decodeCorrelated, defaultCorrelated()},
		{Entry{"ar-sum", "the optimum as a sum of a few autoregressive chains, in a few numbers a coordinate"}, decodeCorrelated, defaultCorrelated()},
	}
	decisionSets = []kind[setBuilder]{
		{Entry{mirror.KindL1Ball, "points within a radius of the center in the 1-norm"}, buildL1Ball, ballSection{}},
		{Entry{mirror.KindL2Ball, "points within a radius of the center in the 2-norm"}, buildL2Ball, ballSection{}},
		{Entry{mirror.KindBox, "points whose every coordinate is within its own bounds"}, buildBox, boxSection{}},
		{Entry{mirror.KindSimplex, "probability vectors: entries of at least 0 that sum to 1"}, buildSimplex, simplexSection{}},
	}
	divergences = []kind[divergenceBuilder]{
		{Entry{mirror.KindEuclidean, "phi(x) = scale ||x||^2, on every set"}, buildEuclidean, euclideanSection{}},
		{Entry{mirror.KindMahalanobis, "phi(x) = x'Qx, on every set"}, buildMahalanobis, mahalanobisSection{}},
		{Entry{mirror.KindEntropy, "negative entropy, on the simplex: a multiplicative update"}, buildEntropy, entropySection{}},
	}
)

// Algorithms, Problems, Topologies and Mechanisms list the catalog.
func Algorithms() []Entry { return entries(algorithms) }

// Problems lists the problems.
func Problems() []Entry { return append(entries(problems), entries(streams)...) }

// Topologies lists the topologies.
func Topologies() []Entry { return append(entries(topologies), entries(stars)...) }

// Mechanisms lists the mechanisms.
func Mechanisms() []Entry { return append(entries(mechanisms), entries(correlated)...) }

func entries[B any](kinds []kind[B]) []Entry {
	list := make([]Entry, len(kinds))
	for i, k := range kinds {
		list[i] = k.Entry
	}
	return list
}

// find returns what builds a section, by the kind that the section names.
func find[B any](kinds []kind[B], section *document.Node) (build B, err error) {
	name, err := kindOf(section)
	if err != nil {
		return build, err
	}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		if names[i] = k.Kind; k.Kind == name {
			return k.build, nil
		}
	}
	return build, unknownKind(section, name, names)
}

// familyKind finds what builds a section among the kinds that go with an
// algorithm. A kind that goes with others only is told from one that is not
// known at all.
func familyKind[B any](kinds []kind[B], all []Entry, section *document.Node, algorithm string) (build B, err error) {
	name, err := kindOf(section)
	if err != nil {
		return build, err
	}
	var fitting []string
	for _, k := range kinds {
		fitting = append(fitting, k.Kind)
	}
	if !slices.Contains(fitting, name) && slices.ContainsFunc(all, func(e Entry) bool { return e.Kind == name }) {
		node, _ := section.Get("kind")
		return build, document.Issues{node.Issuef("%q does not go with the algorithm %s, which takes %s", name, algorithm, strings.Join(fitting, ", "))}
	}
	return find(kinds, section)
}
