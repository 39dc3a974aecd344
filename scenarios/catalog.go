package scenarios

import (
	"starling/actors/algorithm/mirror"
	"starling/actors/topology"
	"starling/scenarios/problem"
	"starling/scenarios/problem/experts"
)

// builtin is the catalog. A new algorithm, problem, topology or mechanism is one
// package and one line here; lists, validation, the schema and the help follow from
// it.
var builtin = catalog{
	algorithms: []kind{
		newKind("dpdonc", "DPDO-NC: private distributed online mirror descent on time-varying digraphs (Zhou, Li)", defaultDPDONC(), algorithmKind{build: buildDPDONC}, auditDPDONC),
		newKind("ofl", "online federated learning with noise that is correlated over time, on every step or every round (Zhang, Zhu, Fay, Johansson)", defaultOFL(), algorithmKind{build: buildOFL, links: oflLinks, tolerant: true}, auditOFL),
		newKind("opestoch", "Fed-DP-OPE-Stoch: federated prediction from experts against a stochastic adversary, by private Frank-Wolfe on trees (Gao, Huang, Yang)", defaultOPEStoch(), algorithmKind{build: buildOPEStoch}, auditOPEStoch),
		newKind("fedsvt", "Fed-SVT: federated prediction from experts against an oblivious adversary, where some expert is nearly perfect, by the sparse vector technique (Gao, Huang, Yang)", defaultFedSVT(), algorithmKind{build: buildFedSVT}, auditFedSVT),
		newKind("dpfl", "DPFL: federated learning with a fixed number of local DP-SGD steps in a round (Ling, Fu, Wang, Liu, Chen)", defaultDPFL(), algorithmKind{build: buildDPFL, links: serverLinks, tolerant: true}, auditDPFL),
		newKind("ali-dpfl", "ALI-DPFL: the same with a number of local steps chosen in every round from what the budgets of rounds and privacy still allow", defaultDPFL(), algorithmKind{build: buildALIDPFL, links: serverLinks, tolerant: true}, auditALIDPFL),
	},
	problems: []kind{
		newKind(problem.KindLocalization, "sensors find a moving target from distances (nonconvex)", defaultProblem(problem.DefaultLocalizationOptions), buildLocalization),
		newKind(problem.KindLogistic, "logistic regression on FedProx-style synthetic streams (convex)", defaultProblem(problem.DefaultLogisticOptions), buildLogistic),
		newKind(problem.KindRobustRegression, "regression with the Geman-McClure loss and gross outliers (nonconvex)", defaultProblem(problem.DefaultRobustRegressionOptions), buildRobustRegression),
		newKind("synthetic-logistic", "logistic regression on FedProx-style synthetic streams, a client for each learner and step (convex)", defaultStream(), buildStream),
		newKind(kindImages, "images of a data set, divided among the nodes, with a softmax, dense or convolutional network", defaultImages(), buildImageStream, picturesBuilder(buildPictures)),
		newKind(experts.KindUniformZero, "losses of experts uniform on [0, 1], but one expert has none", defaultAdversary(zero[experts.UniformZeroOptions]), buildUniformZero),
		newKind(experts.KindLinear, "random losses of experts, one of them better by a gap on average", defaultAdversary(zero[experts.LinearOptions]), buildLinear),
		newKind(experts.KindGaussianSoftmax, "cross-entropy of a prediction and the softmax of Gaussians, in either order", defaultAdversary(experts.DefaultGaussianSoftmaxOptions), buildGaussianSoftmax),
		newKind(experts.KindLowerBound2, "all clients get the same fair coins: there is nothing to learn from each other", defaultAdversary(zero[struct{}]), buildLowerBound2),
		newKind(experts.KindOneSelect, "no losses until so many telling records at the end, of which all clients get the same: the sequence of the second half of Theorem 2", defaultAdversary(zero[experts.OneSelectOptions]), buildOneSelect),
		newKind(experts.KindLowerBound3, "no losses until the last steps, then every expert loses but a hidden one", defaultAdversary(zero[experts.LowerBound3Options]), buildLowerBound3),
		newKind("movielens", "MovieLens 1M: the experts are the 18 genres, a client meets one user a step", defaultMovieLens(), buildMovieLens),
		newKind("from-file", "losses of experts from a CSV or Parquet file", fileSection{}, buildFile),
	},
	topologies: []kind{
		newKind("printed", "A1, A2, A3 of DPDO-NC, section 5, in turn; 6 nodes", defaultTopology[struct{}](), buildPrinted),
		newKind("matrices", "given weight matrices, in turn", defaultTopology[matricesOptions](), buildMatrices),
		newKind("ring", "directed ring, half the weight on the node itself", defaultTopology[struct{}](), buildRing),
		newKind("complete", "every node to every other, with or without itself", defaultTopology[completeOptions](), buildComplete),
		newKind("circulant", "each node from itself and the given number before it", defaultTopology[circulantOptions](), buildCirculant),
		newKind("permutations", "random regular digraph, redrawn every so many steps, drawn for each seed", defaultTopology[permutationsOptions](), buildPermutations),
		newKind("path", "the line of nodes: each with the one before it and the one after", defaultTopology[topology.Path](), buildPath),
		newKind("torus", "grid of any dimension, its opposite sides joined", defaultTopology[topology.Torus](), buildTorus),
		newKind("hypercube", "nodes whose numbers differ in one bit", defaultTopology[struct{}](), buildHypercube),
		newKind("exponential", "each node with those 1, 2, 4, ... away around the circle", defaultTopology[topology.Exponential](), buildExponential),
		newKind("one-peer", "of the exponential graph one distance a step, in turn", defaultTopology[topology.OnePeer](), buildOnePeer),
		newKind("erdos-renyi", "every edge with the same probability", defaultTopology[topology.ErdosRenyi](), buildErdosRenyi),
		newKind("k-out", "every node chooses as many others", defaultTopology[topology.KOut](), buildKOut),
		newKind("random-regular", "random graph of equal degrees", defaultTopology[topology.RandomRegular](), buildRandomRegular),
		newKind("small-world", "a circle with some of its edges led elsewhere (Watts, Strogatz)", defaultTopology[topology.SmallWorld](), buildSmallWorld),
		newKind("preferential-attachment", "nodes join those that have many neighbours (Barabasi, Albert)", defaultTopology[topology.PreferentialAttachment](), buildPreferentialAttachment),
		newKind("matching", "random pairs exchange, on all edges or those of a base", defaultTopology[matchingOptions](), buildMatching),
		newKind("stochastic-block", "edges inside blocks and between them, nodes changing blocks", defaultTopology[topology.StochasticBlock](), buildStochasticBlock),
		newKind("geometric", "nodes in a box hear who is near, standing still or moving by random waypoints", defaultTopology[topology.Geometric](), buildGeometric),
		newKind("markov-edges", "each edge of a base comes and goes on its own", defaultTopology[markovOptions](), buildMarkovEdges),
		newKind("cycle", "topologies shown in turn", defaultTopology[cycleOptions](), buildCycle),
		newKind("edge-list", "edges of each step from a CSV file", defaultTopology[edgeListOptions](), buildEdgeList),
		newKind("graphml", "a graph from a GraphML file", defaultTopology[graphMLOptions](), buildGraphML),
		newKind("star", "a server, and whoever it serves", starSection{}, starBuilder(buildStar)),
	},
	mechanisms: []kind{
		newKind("laplace", "Laplace noise on every message, calibrated to epsilon a step; none runs without", defaultLaplace(), buildLaplace),
		newKind(noNoise, "no noise", defaultCorrelated(), decodeCorrelated, sampledBuilder(buildNoSampling), phaseMechanism(buildNoSelection), thresholdMechanism(buildNoSelection)),
		newKind("independent", "Gaussian noise of its own on every input", defaultCorrelated(), decodeCorrelated),
		newKind("tree", "binary tree over the inputs that are there, its dark nodes summed", defaultCorrelated(), decodeCorrelated),
		newKind("tree-online", "the tree, each node estimated from all of its subtree (Honaker)", defaultCorrelated(), decodeCorrelated),
		newKind("tree-full", "the tree with the best estimate from all nodes, B = A C^+", defaultCorrelated(), decodeCorrelated),
		newKind("toeplitz", "square root of the prefix sums", defaultCorrelated(), decodeCorrelated),
		newKind("banded-toeplitz", "the first bands of the square root", defaultCorrelated(), decodeCorrelated),
		newKind("blt", "buffered linear Toeplitz matrix: a few geometric sequences", defaultCorrelated(), decodeCorrelated),
		newKind("optimal", "least mean square error of all factorizations, to a certified gap", defaultCorrelated(), decodeCorrelated),
		newKind("ar-sum", "the optimum as a sum of a few autoregressive chains, in a few numbers a coordinate", defaultCorrelated(), decodeCorrelated),
		newKind("dp-fw", "noise on the inner products of private Frank-Wolfe, in opestoch", selectionSection{}, phaseMechanism(buildSelection)),
		newKind("sparse-vector", "noisy threshold, and an exponential mechanism for switches, in fedsvt", selectionSection{}, thresholdMechanism(buildSelection)),
		newKind(kindSampledGaussian, "DP-SGD: Gaussian noise on sums of clipped gradients of sampled data", defaultSampled(), sampledBuilder(buildSampled)),
	},
	networks: []kind{
		newKind("ideal", "messages arrive in the next turn, none is lost", networkSection{}, buildIdeal),
		newKind("effects", "delays, losses, limited bandwidth, churn, and events at given steps: partitions, crashes, joining, leaving, stragglers", effectsSection{}, buildEffects),
	},
	sets: []kind{
		newKind(mirror.KindL1Ball, "points within a radius of the center in the 1-norm", ballSection{}, buildL1Ball),
		newKind(mirror.KindL2Ball, "points within a radius of the center in the 2-norm", ballSection{}, buildL2Ball),
		newKind(mirror.KindBox, "points whose every coordinate is within its own bounds", boxSection{}, buildBox),
		newKind(mirror.KindSimplex, "probability vectors: entries of at least 0 that sum to 1", simplexSection{}, buildSimplex),
	},
	divergences: []kind{
		newKind(mirror.KindEuclidean, "phi(x) = scale ||x||^2, on every set", euclideanSection{}, buildEuclidean),
		newKind(mirror.KindMahalanobis, "phi(x) = x'Qx, on every set", mahalanobisSection{}, buildMahalanobis),
		newKind(mirror.KindEntropy, "negative entropy, on the simplex: a multiplicative update", entropySection{}, buildEntropy),
	},
}

// NewLoader reads scenarios with the kinds of the catalog, and data sets from a
// folder, a subfolder each; empty is none.
func NewLoader(data string) Loader { return Loader{Kinds: &builtin, Data: data} }

// Load reads a scenario without data sets; see Loader.
func Load(nameOrFile string, overrides ...Override) (*Scenario, error) {
	return NewLoader("").Load(nameOrFile, overrides...)
}

// Schema returns the JSON Schema of scenario files; see the comment of schemaOf.
func Schema() ([]byte, error) { return schemaOf(&builtin) }

// Algorithms, Problems, Topologies, Mechanisms and Networks list the catalog.
func Algorithms() []Entry { return entries(builtin.algorithms) }

// Problems lists the problems.
func Problems() []Entry { return entries(builtin.problems) }

// Topologies lists the topologies.
func Topologies() []Entry { return entries(builtin.topologies) }

// Mechanisms lists the mechanisms.
func Mechanisms() []Entry { return entries(builtin.mechanisms) }

// Networks lists the networks.
func Networks() []Entry { return entries(builtin.networks) }
