package scenarios

import (
	"slices"
	"strings"

	"starling/actors/algorithm/mirror"
	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/problem"
	"starling/scenarios/problem/experts"
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
	topologyBuilder  = func(at site, section *document.Node) (*topologyPlan, error)
	mechanismBuilder = func(section *document.Node) (laplaceSection, error)

	streamBuilder     = func(b *builder, section *document.Node, learners int) (*oflProblem, error)
	adversaryBuilder  = func(b *builder, section *document.Node, a *armFile) (*adversaryPlan, error)
	correlatedBuilder = func(section *document.Node) (correlatedSection, error)

	setBuilder        = func(section *document.Node) (mirror.Set, error)
	divergenceBuilder = func(section *document.Node) (mirror.Divergence, error)
)

// The catalog. A new algorithm, problem, topology or mechanism is one package
// and one line here; lists, validation, the schema and the help follow from it.
var (
	algorithms = []kind[algorithmBuilder]{
		{Entry{"dpdonc", "DPDO-NC: private distributed online mirror descent on time-varying digraphs (Zhou, Li)"}, buildDPDONC, defaultDPDONC()},
		{Entry{"ofl", "online federated learning with noise that is correlated over time, on every step or every round (Zhang, Zhu, Fay, Johansson)"}, buildOFL, defaultOFL()},
		{Entry{"opestoch", "Fed-DP-OPE-Stoch: federated prediction from experts against a stochastic adversary, by private Frank-Wolfe on trees (Gao, Huang, Yang)"}, buildOPEStoch, defaultOPEStoch()},
		{Entry{"fedsvt", "Fed-SVT: federated prediction from experts against an oblivious adversary, where some expert is nearly perfect, by the sparse vector technique (Gao, Huang, Yang)"}, buildFedSVT, defaultFedSVT()},
		{Entry{"dpfl", "DPFL: federated learning with a fixed number of local DP-SGD steps in a round (Ling, Fu, Wang, Liu, Chen)"}, buildDPFL, defaultDPFL()},
		{Entry{"ali-dpfl", "ALI-DPFL: the same with a number of local steps chosen in every round from what the budgets of rounds and privacy still allow"}, buildALIDPFL, defaultDPFL()},
	}
	problems = []kind[problemBuilder]{
		{Entry{problem.KindLocalization, "sensors find a moving target from distances (nonconvex)"}, buildLocalization, defaultProblem(problem.DefaultLocalizationOptions)},
		{Entry{problem.KindLogistic, "logistic regression on FedProx-style synthetic streams (convex)"}, buildLogistic, defaultProblem(problem.DefaultLogisticOptions)},
		{Entry{problem.KindRobustRegression, "regression with the Geman-McClure loss and gross outliers (nonconvex)"}, buildRobustRegression, defaultProblem(problem.DefaultRobustRegressionOptions)},
	}
	streams = []kind[streamBuilder]{
		{Entry{"synthetic-logistic", "logistic regression on FedProx-style synthetic streams, a client for each learner and step (convex)"}, buildStream, defaultStream()},
		{imagesEntry, buildImageStream, defaultImages()},
	}
	imagesEntry = Entry{kindImages, "images of a data set, divided among the nodes, with a softmax, dense or convolutional network"}
	// These are among the streams, and also what dpfl and ali-dpfl take.
	pictures    = []kind[struct{}]{{imagesEntry, struct{}{}, defaultImages()}}
	adversaries = []kind[adversaryBuilder]{
		{Entry{experts.KindUniformZero, "losses of experts uniform on [0, 1], but one expert has none"}, buildUniformZero, defaultAdversary(zero[experts.UniformZeroOptions])},
		{Entry{experts.KindLinear, "random losses of experts, one of them better by a gap on average"}, buildLinear, defaultAdversary(zero[experts.LinearOptions])},
		{Entry{experts.KindGaussianSoftmax, "cross-entropy of a prediction and the softmax of Gaussians, in either order"}, buildGaussianSoftmax, defaultAdversary(experts.DefaultGaussianSoftmaxOptions)},
		{Entry{experts.KindLowerBound2, "all clients get the same fair coins: there is nothing to learn from each other"}, buildLowerBound2, defaultAdversary(zero[struct{}])},
		{Entry{experts.KindOneSelect, "no losses until so many telling records at the end, of which all clients get the same: the sequence of the second half of Theorem 2"}, buildOneSelect, defaultAdversary(zero[experts.OneSelectOptions])},
		{Entry{experts.KindLowerBound3, "no losses until the last steps, then every expert loses but a hidden one"}, buildLowerBound3, defaultAdversary(zero[experts.LowerBound3Options])},
		{Entry{"movielens", "MovieLens 1M: the experts are the 18 genres, a client meets one user a step"}, buildMovieLens, defaultMovieLens()},
		{Entry{"from-file", "losses of experts from a CSV or Parquet file"}, buildFile, fileSection{}},
	}
	topologies = []kind[topologyBuilder]{
		{Entry{"printed", "A1, A2, A3 of DPDO-NC, section 5, in turn; 6 nodes"}, buildPrinted, defaultTopology[struct{}]()},
		{Entry{"matrices", "given weight matrices, in turn"}, buildMatrices, defaultTopology[matricesOptions]()},
		{Entry{"ring", "directed ring, half the weight on the node itself"}, buildRing, defaultTopology[struct{}]()},
		{Entry{"complete", "every node to every other, with or without itself"}, buildComplete, defaultTopology[completeOptions]()},
		{Entry{"circulant", "each node from itself and the given number before it"}, buildCirculant, defaultTopology[circulantOptions]()},
		{Entry{"permutations", "random regular digraph, redrawn every so many steps, drawn for each seed"}, buildPermutations, defaultTopology[permutationsOptions]()},
		{Entry{"path", "the line of nodes: each with the one before it and the one after"}, buildPath, defaultTopology[topology.Path]()},
		{Entry{"torus", "grid of any dimension, its opposite sides joined"}, buildTorus, defaultTopology[topology.Torus]()},
		{Entry{"hypercube", "nodes whose numbers differ in one bit"}, buildHypercube, defaultTopology[struct{}]()},
		{Entry{"exponential", "each node with those 1, 2, 4, ... away around the circle"}, buildExponential, defaultTopology[topology.Exponential]()},
		{Entry{"one-peer", "of the exponential graph one distance a step, in turn"}, buildOnePeer, defaultTopology[topology.OnePeer]()},
		{Entry{"erdos-renyi", "every edge with the same probability"}, buildErdosRenyi, defaultTopology[topology.ErdosRenyi]()},
		{Entry{"k-out", "every node chooses as many others"}, buildKOut, defaultTopology[topology.KOut]()},
		{Entry{"random-regular", "random graph of equal degrees"}, buildRandomRegular, defaultTopology[topology.RandomRegular]()},
		{Entry{"small-world", "a circle with some of its edges led elsewhere (Watts, Strogatz)"}, buildSmallWorld, defaultTopology[topology.SmallWorld]()},
		{Entry{"preferential-attachment", "nodes join those that have many neighbours (Barabasi, Albert)"}, buildPreferentialAttachment, defaultTopology[topology.PreferentialAttachment]()},
		{Entry{"matching", "random pairs exchange, on all edges or those of a base"}, buildMatching, defaultTopology[matchingOptions]()},
		{Entry{"stochastic-block", "edges inside blocks and between them, nodes changing blocks"}, buildStochasticBlock, defaultTopology[topology.StochasticBlock]()},
		{Entry{"geometric", "nodes in a box hear who is near, standing still or moving by random waypoints"}, buildGeometric, defaultTopology[topology.Geometric]()},
		{Entry{"markov-edges", "each edge of a base comes and goes on its own"}, buildMarkovEdges, defaultTopology[markovOptions]()},
		{Entry{"cycle", "topologies shown in turn"}, buildCycle, defaultTopology[cycleOptions]()},
		{Entry{"edge-list", "edges of each step from a CSV file"}, buildEdgeList, defaultTopology[edgeListOptions]()},
		{Entry{"graphml", "a graph from a GraphML file"}, buildGraphML, defaultTopology[graphMLOptions]()},
	}
	mechanisms = []kind[mechanismBuilder]{
		{Entry{"laplace", "Laplace noise on every message, calibrated to epsilon a step; none runs without"}, buildLaplace, defaultLaplace()},
	}
	// What builds these is the algorithm that they are a part of.
	selections = []kind[string]{
		{Entry{"dp-fw", "noise on the inner products of private Frank-Wolfe, in opestoch"}, "opestoch", selectionSection{}},
		{Entry{"sparse-vector", "noisy threshold, and an exponential mechanism for switches, in fedsvt"}, "fedsvt", selectionSection{}},
	}
	sampled = []kind[struct{}]{
		{Entry{kindSampledGaussian, "DP-SGD: Gaussian noise on sums of clipped gradients of sampled data"}, struct{}{}, defaultSampled()},
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
func Problems() []Entry {
	return slices.Concat(entries(problems), entries(streams), entries(adversaries))
}

// Topologies lists the topologies.
func Topologies() []Entry { return append(entries(topologies), entries(stars)...) }

// Mechanisms lists the mechanisms.
func Mechanisms() []Entry {
	return slices.Concat(entries(mechanisms), entries(correlated), entries(selections), entries(sampled))
}

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
