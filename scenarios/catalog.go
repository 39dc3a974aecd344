package scenarios

import (
	"starling/actors/algorithm"
	"starling/actors/algorithm/mirror"
	"starling/mechanisms/robust"
	"starling/messages/compression"
	"starling/scenarios/family/baseline"
	"starling/scenarios/family/choco"
	"starling/scenarios/family/decor"
	"starling/scenarios/family/diging"
	"starling/scenarios/family/dpdonc"
	"starling/scenarios/family/dpfl"
	"starling/scenarios/family/dpftrl"
	"starling/scenarios/family/dpscaffold"
	"starling/scenarios/family/fedbuff"
	"starling/scenarios/family/muffliato"
	"starling/scenarios/family/ofl"
	"starling/scenarios/family/prediction"
	"starling/scenarios/family/pyalgorithm"
	"starling/scenarios/family/randomwalk"
	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/loading"
	"starling/scenarios/metric"
	"starling/scenarios/problem"
	"starling/scenarios/problem/experts"
	"starling/scenarios/problem/vector"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/networks"
	"starling/scenarios/section/problems"
	"starling/scenarios/section/problems/standard"
	"starling/scenarios/section/python"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// builtin is the catalog, with the examples of each kind.
var builtin = kinds.Exemplified(examples)

// kinds are the kinds that scenarios can name. A new algorithm, problem, topology or mechanism
// is one package and one line here; lists, validation, the schema and the help follow from it.
var kinds = kind.Catalog{
	Algorithms: []kind.Kind{
		kind.New("dpdonc", "DPDO-NC: private distributed online mirror descent on time-varying digraphs (Zhou, Li)", dpdonc.Defaults(), dpdonc.Family).Measuring(dpdonc.Metrics()),
		kind.New("ofl", "online federated learning with noise that is correlated over time, on every step or every round (Zhang, Zhu, Fay, Johansson)", ofl.Defaults(), ofl.Family{}).Measuring(ofl.Metrics()),
		kind.New("opestoch", "Fed-DP-OPE-Stoch: federated prediction from experts against a stochastic adversary, by private Frank-Wolfe on trees (Gao, Huang, Yang)", prediction.DefaultOPEStoch(), prediction.OPEStoch{}).Measuring(prediction.Metrics()),
		kind.New("fedsvt", "Fed-SVT: federated prediction from experts against an oblivious adversary, with a nearly perfect expert, by the sparse vector technique (Gao, Huang, Yang)", prediction.DefaultFedSVT(), prediction.FedSVT{}).Measuring(prediction.Metrics()),
		kind.New("dpfl", "DPFL: federated learning with a fixed number of local DP-SGD steps in a round (Ling, Fu, Wang, Liu, Chen)", dpfl.Defaults(), dpfl.DPFL).Measuring(dpfl.Metrics()),
		kind.New("ali-dpfl", "ALI-DPFL: DPFL with a number of local steps that adapts in every round to the remaining rounds and privacy budget", dpfl.Defaults(), dpfl.ALIDPFL).Measuring(dpfl.Metrics()),
		kind.New("fedavg", "FedAvg: the mean of the clients' models after local steps, without noise (McMahan et al.); with mu, FedProx (Li et al.)", dpfl.DefaultFedAvg(), dpfl.FedAvg).Measuring(dpfl.TieredMetrics()),
		kind.New("central", "gradient descent on the data of all clients in one place; with noise, DP-SGD (Abadi et al.)", dpfl.DefaultCentral(), dpfl.Central).Measuring(dpfl.Metrics()),
		dpftrl.Kind(),
		dpscaffold.DPFedAvg(),
		dpscaffold.DPSCAFFOLD(),
		fedbuff.Kind(),
		baseline.DSGD.Kind(),
		baseline.SGP.Kind(),
		diging.Kind(),
		choco.Kind(),
		decor.Kind(),
		muffliato.Kind(),
		randomwalk.Kind(),
		baseline.Local.Kind(),
		pyalgorithm.Algorithm.Kind(),
		pyalgorithm.Server.Kind(),
	},
	Metrics:  metric.Join(ledger.Metrics(), gauge.OwnerMetrics()),
	Measures: gauge.InCatalog(),
	Problems: []kind.Kind{
		kind.New(problem.KindLocalization, "sensors find a moving target from distances (nonconvex)", problems.DefaultProblem(problem.DefaultLocalizationOptions), standard.Localization),
		kind.New(problem.KindLogistic, "logistic regression on FedProx-style synthetic streams (convex)", problems.DefaultProblem(problem.DefaultLogisticOptions), standard.Logistic),
		kind.New(problem.KindRobustRegression, "regression with the Geman-McClure loss and gross outliers (nonconvex)", problems.DefaultProblem(problem.DefaultRobustRegressionOptions), standard.RobustRegression),
		kind.New("synthetic-logistic", "logistic regression on FedProx-style synthetic streams, one client for each learner and step (convex)", standard.DefaultStream(), standard.ForStream()),
		kind.New("images", "images of a data set (MNIST, Fashion-MNIST, CIFAR-10), divided among the nodes, with a softmax, dense or convolutional network", standard.DefaultImages(), standard.Images{}),
		kind.New(standard.KindTable, "rows of a CSV or Parquet file, by party or divided among the nodes, with a linear, logistic, hinge, Huber, softmax or dense model", standard.DefaultTable(), standard.ForTable()),
		kind.New(python.KindPython, "costs computed by a class in a Python file, for all nodes of a shard at once; a sample is the data of one node at one step", python.DefaultProblem(), python.Problem{}),
		kind.New(standard.KindPythonRows, "rows of features and a label from a class in a Python file, with a linear, logistic, hinge, Huber, softmax or dense model", standard.DefaultPythonRows(), standard.ForPythonRows()),
		kind.New(experts.KindUniformZero, "losses of experts uniform on [0, 1]; one expert has no loss", standard.DefaultAdversary(standard.Zero[experts.UniformZeroOptions]), standard.UniformZero),
		kind.New(experts.KindLinear, "random losses of experts; one of them is better by a gap on average", standard.DefaultAdversary(standard.Zero[experts.LinearOptions]), standard.Linear),
		kind.New(experts.KindGaussianSoftmax, "cross-entropy of a prediction and the softmax of Gaussians, in either order", standard.DefaultAdversary(experts.DefaultGaussianSoftmaxOptions), standard.GaussianSoftmax),
		kind.New(experts.KindLowerBound2, "all clients get the same fair coins, so cooperation gains nothing", standard.DefaultAdversary(standard.Zero[struct{}]), standard.LowerBound2),
		kind.New(experts.KindOneSelect, "no losses until a number of informative records at the end, the same for all clients (second half of Theorem 2)", standard.DefaultAdversary(standard.Zero[experts.OneSelectOptions]), standard.OneSelect),
		kind.New(experts.KindLowerBound3, "no losses until the last steps, then losses of all experts but a hidden one", standard.DefaultAdversary(standard.Zero[experts.LowerBound3Options]), standard.LowerBound3),
		kind.New("movielens", "MovieLens 1M: the experts are the 18 genres, a client meets one user a step", standard.DefaultMovieLens(), standard.MovieLens),
		kind.New("from-file", "losses of experts from a CSV or Parquet file", standard.FileSection{}, standard.FromFile),
	},
	Topologies: []kind.Kind{
		kind.Of("printed", "A1, A2, A3 of DPDO-NC, section 5, in turn; 6 nodes", topologies.Default[topologies.Printed](), "{kind: printed}"),
		kind.Of("matrices", "given weight matrices, in turn", topologies.Default[topologies.Matrices](), "{kind: matrices, matrices: [[[1/3, 2/3], [2/3, 1/3]], [[0, 1], [1, 0]]]}"),
		kind.Of("ring", "directed ring, half the weight on the node itself", topologies.Default[topologies.Ring](), "{kind: ring}"),
		kind.Of("complete", "every node to every other, with or without itself", topologies.Default[topologies.Complete](), "{kind: complete, self_loops: true}"),
		kind.Of("circulant", "each node from itself and a given number of predecessors", topologies.Default[topologies.Circulant](), "{kind: circulant, degree: 2}"),
		kind.Of("permutations", "random regular digraph, redrawn every so many steps, drawn for each seed", topologies.Default[topologies.Permutations](), "{kind: permutations, degree: 2, every: 3}"),
		kind.Of("path", "a line: each node with its predecessor and successor", topologies.Default[topologies.Path](), "{kind: path}"),
		kind.Of("torus", "grid of any dimension with joined opposite sides", topologies.Default[topologies.Torus](), "{kind: torus, sides: [2, 3]}"),
		kind.Of("hypercube", "nodes whose numbers differ in one bit", topologies.Default[topologies.Hypercube](), "{kind: hypercube}"),
		kind.Of("exponential", "each node with those 1, 2, 4, ... away around the circle", topologies.Default[topologies.Exponential](), "{kind: exponential}"),
		kind.Of("one-peer", "one distance of the exponential graph in each step, in turn", topologies.Default[topologies.OnePeer](), "{kind: one-peer}"),
		kind.Of("erdos-renyi", "every edge with the same probability", topologies.Default[topologies.ErdosRenyi](), "{kind: erdos-renyi, probability: 0.4, every: 2, weights: unchecked}"),
		kind.Of("k-out", "every node chooses k others", topologies.Default[topologies.KOut](), "{kind: k-out, degree: 2}"),
		kind.Of("random-regular", "random graph of equal degrees", topologies.Default[topologies.RandomRegular](), "{kind: random-regular, degree: 2}"),
		kind.Of("small-world", "a circle with some edges rewired (Watts, Strogatz)", topologies.Default[topologies.SmallWorld](), "{kind: small-world, neighbours: 2, rewire: 0.2, weights: unchecked}"),
		kind.Of("preferential-attachment", "new nodes prefer neighbours of high degree (Barabasi, Albert)", topologies.Default[topologies.PreferentialAttachment](), "{kind: preferential-attachment, edges: 2}"),
		kind.Of("matching", "random pairs exchange, on all edges or on the edges of a base", topologies.Default[topologies.Matching](), "{kind: matching, every: 1, base: {kind: path}, weights: unchecked}"),
		kind.Of("stochastic-block", "random edges inside and between blocks; nodes may change blocks", topologies.Default[topologies.StochasticBlock](), "{kind: stochastic-block, blocks: 2, within: 0.9, between: 0.3, weights: unchecked}"),
		kind.Of("geometric", "nodes in a box with edges to near nodes, fixed or moving by random waypoints", topologies.Default[topologies.Geometric](), "{kind: geometric, radius: 0.5, speed_min: 0.01, speed_max: 0.1, weights: unchecked}"),
		kind.Of("markov-edges", "each edge of a base appears and disappears independently", topologies.Default[topologies.MarkovEdges](), "{kind: markov-edges, on: 0.3, off: 0.3, base: {kind: random-regular, degree: 2}, weights: unchecked}"),
		kind.Of("cycle", "topologies shown in turn", topologies.Default[topologies.Cycle](), "{kind: cycle, every: 2, parts: [{kind: ring}, {kind: path}]}"),
		kind.Of("union", "the union of topologies, each with its own schedule", topologies.Default[topologies.Union](), "{kind: union, parts: [{kind: ring}, {kind: complete, schedule: {every: 5}}], weighting: {scheme: uniform-in, self_loops: true}, weights: unchecked}"),
		kind.Of("clusters", "groups of nodes, each with a topology; in some steps they average through edge servers and a cloud (Lin et al.)", topologies.Default[topologies.Clusters](), "{kind: clusters, clusters: 2, inside: {kind: ring}, edge: {every: 2}, cloud: {every: 3}}"),
		kind.Of("empty", "no edges", topologies.Default[topologies.Edgeless](), "{kind: empty, weights: unchecked}"),
		kind.Of("edge-list", "edges of each step from a CSV file", topologies.Default[topologies.EdgeList](), "{kind: edge-list, file: network.csv, repeat: true, weighting: {scheme: uniform-in, self_loops: true}, weights: unchecked}"),
		kind.Of("graphml", "a graph from a GraphML file", topologies.Default[topologies.GraphML](), "{kind: graphml, file: network.graphml, weighting: {scheme: metropolis}}"),
		kind.Of("star", "a server and its clients", topologies.Star{}, "{kind: star}"),
		kind.Of("tiers", "levels of servers above clients, such as a cloud, edge servers and phones", topologies.Tiers{}, "{kind: tiers, fan: [1, 3], schedule: [{every: 2}]}"),
	},
	Mechanisms: []kind.Kind{
		kind.Of("laplace", "Laplace noise on every message, calibrated to epsilon a step, or none", mechanisms.DefaultLaplace(), "{kind: laplace, epsilon: 2}"),
		kind.Of("gaussian", "Gaussian noise on every message, calibrated to epsilon and delta a step", mechanisms.DefaultGaussian(), "{kind: gaussian, epsilon: 2, delta: 1e-3}"),
		kind.Of(mechanisms.NoNoise, "no noise", mechanisms.None{}, "{kind: none}"),
		kind.Of("independent", "independent Gaussian noise on every input or message, calibrated to epsilon and delta of a run", mechanisms.Independent{Correlated: mechanisms.DefaultCorrelated()}, "{kind: independent, epsilon: 2, delta: 1e-3}"),
		kind.Of("tree", "binary tree over the inputs; a prefix sum adds its maximal complete nodes", mechanisms.DefaultCorrelated(), tree),
		kind.Of("tree-online", "the tree, with each node estimated from its whole subtree (Honaker)", mechanisms.DefaultCorrelated(), "{kind: tree-online, epsilon: 2, delta: 1e-3}"),
		kind.Of("tree-full", "the tree with the best estimate from all nodes, B = A C^+", mechanisms.DefaultCorrelated(), "{kind: tree-full, epsilon: 2, delta: 1e-3}"),
		kind.Of("toeplitz", "square root of the prefix sums", mechanisms.DefaultCorrelated(), "{kind: toeplitz, epsilon: 2, delta: 1e-3}"),
		kind.Of("banded-toeplitz", "the first bands of the square root", mechanisms.DefaultCorrelated(), "{kind: banded-toeplitz, epsilon: 2, delta: 1e-3}"),
		kind.Of("blt", "buffered linear Toeplitz matrix: a few geometric sequences", mechanisms.DefaultCorrelated(), "{kind: blt, epsilon: 2, delta: 1e-3}"),
		kind.Of("optimal", "least mean square error of all factorizations, to a certified gap", mechanisms.DefaultCorrelated(), "{kind: optimal, epsilon: 2, delta: 1e-3}"),
		kind.Of("ar-sum", "the optimum as a sum of a few autoregressive chains, in a few numbers a coordinate", mechanisms.DefaultCorrelated(), "{kind: ar-sum, epsilon: 2, delta: 1e-3}"),
		kind.Of("strategy", "a strategy matrix C of your own, from a file or from Python: its noise is C^-1 Z, and its sensitivity is computed from it", mechanisms.Strategy{Correlated: mechanisms.DefaultCorrelated()}, "{kind: strategy, epsilon: 2, delta: 1e-3, file: library/strategy.csv}"),
		kind.Of("dp-fw", "noise on the inner products of private Frank-Wolfe, in opestoch", mechanisms.FrankWolfe{}, "{kind: dp-fw, epsilon: 2}"),
		kind.Of("sparse-vector", "noisy threshold, and an exponential mechanism for switches, in fedsvt", mechanisms.SparseVector{}, "{kind: sparse-vector, epsilon: 20}"),
		kind.Of("sampled-gaussian", "DP-SGD: Gaussian noise on sums of clipped gradients of sampled data", mechanisms.DefaultSampled(), sampled, ownRates),
	},
	Networks: []kind.Kind{
		kind.Of("ideal", "messages arrive in the next turn, and none is lost", networks.Ideal{}, "{kind: ideal}"),
		kind.Of("effects", "delays, losses, limited bandwidth, churn, and events at given steps: partitions, crashes, joining, leaving, stragglers", networks.Effects{}, "{kind: effects, loss: {probability: 0.2}, delay: {longest: 2}}"),
	},
	Codecs: []kind.Kind{
		kind.Of("top-k", "the entries of largest magnitude, with their indices", networks.CodecSection[compression.TopK]{}, "{kind: top-k, share: 0.25}"),
		kind.Of("random-k", "entries at random indices, sent as a seed", networks.CodecSection[compression.RandomK]{}, "{kind: random-k, share: 0.5, unbiased: true}"),
		kind.Of("dithering", "the norm, and every entry rounded at random to one of a few levels (QSGD)", networks.CodecSection[compression.Dithering]{}, "{kind: dithering, levels: 7}"),
		kind.Of("sign", "the sign of every entry, and the mean of their magnitudes", networks.CodecSection[compression.Sign]{}, "{kind: sign}"),
	},
	Adversaries: []kind.Kind{
		kind.Of("none", "no node is Byzantine", networks.NoAttack{}, "{kind: none}"),
		kind.Of("sign-flip", "Byzantine nodes send their vectors with the opposite sign", networks.AttackSection[algorithm.Flipped]{}, "{kind: sign-flip, share: 0.3}"),
		kind.Of("scaled", "Byzantine nodes send a multiple of their vectors", networks.AttackSection[algorithm.Scaled]{}, "{kind: scaled, factor: 10, nodes: [2]}"),
		kind.Of("little-is-enough", "Byzantine nodes send the mean less a few standard deviations of every coordinate, within the spread of honest nodes (Baruch, Baruch, Goldberg)", networks.AttackSection[algorithm.Little]{}, "{kind: little-is-enough, share: 0.3, omniscient: true}"),
		kind.Of("silent", "Byzantine nodes send nothing", networks.SilentAttack{}, "{kind: silent, nodes: 2}"),
	},
	Combines: []kind.Kind{
		kind.Of("mean", "the weighted mean, or the sum, as without this section", networks.MeanRule{}, "{kind: mean}"),
		kind.Of("median", "the median of every coordinate (Yin et al.)", networks.RuleSection[robust.Median]{}, "{kind: median}"),
		kind.Of("trimmed-mean", "the mean of every coordinate without its smallest and largest entries (Yin et al.)", networks.RuleSection[robust.TrimmedMean]{}, "{kind: trimmed-mean, liars: 0}"),
		kind.Of("krum", "the vector with the smallest sum of squared distances to its nearest others (Blanchard et al.)", networks.RuleSection[robust.Krum]{}, "{kind: krum, liars: 0}"),
		kind.Of("clipped-gossip", "the weighted mean of messages, each clipped to a distance from the node's own release: x_i + sum_j w_ij Clip(x_j - x_i, tau) (He, Karimireddy, Jaggi)", networks.ClippedGossip{}, "{kind: clipped-gossip, tau: 0.5}"),
	},
	Sets: []kind.Kind{
		kind.Of(mirror.KindL1Ball, "points within a radius of the center in the 1-norm", problems.L1Ball{}, "{kind: l1-ball, dimension: 2, radius: 1}"),
		kind.Of(mirror.KindL2Ball, "points within a radius of the center in the 2-norm", problems.L2Ball{}, "{kind: l2-ball, dimension: 2, radius: 1}"),
		kind.Of(mirror.KindBox, "points whose every coordinate is within its own bounds", problems.Box{}, "{kind: box, lower: [-1, -1], upper: [1, 1]}"),
		kind.Of(mirror.KindSimplex, "probability vectors: entries of at least 0 that sum to 1", problems.Simplex{}, "{kind: simplex, dimension: 2}"),
	},
	Divergences: []kind.Kind{
		kind.Of(mirror.KindEuclidean, "phi(x) = scale ||x||^2, on every set", problems.Euclidean{}, "{kind: euclidean, scale: 0.5}"),
		kind.Of(mirror.KindMahalanobis, "phi(x) = x'Qx, on every set", problems.Mahalanobis{}, "{kind: mahalanobis, matrix: [[2, 1], [1, 2]]}"),
		kind.Of(mirror.KindEntropy, "negative entropy, on the simplex: a multiplicative update", problems.Entropy{}, "{kind: entropy}"),
	},
	Models: []kind.Kind{
		kind.Of("linear", "squared loss of a number", vector.Linear{}, "{kind: linear}"),
		kind.Of("logistic", "logistic loss of a label -1 or 1", vector.Logistic{}, "{kind: logistic}"),
		kind.Of("hinge", "loss of a support vector machine, of a label -1 or 1", vector.Hinge{}, "{kind: hinge}"),
		kind.Of("huber", "squared loss of a number with a bound on its slope", vector.DefaultHuber(), "{kind: huber, delta: 0.5}"),
		kind.Of("softmax", "multinomial logistic regression with offsets, of classes", vector.Softmax{}, "{kind: softmax}"),
		kind.Of("mlp", "network of dense layers with ReLU, of classes", vector.DefaultMLP(), "{kind: mlp, hidden: [8]}"),
	},
}

// Catalog returns the kinds that scenarios can name, as a value that the caller owns: With
// adds kinds to it, and the command, or a loader, takes it.
func Catalog() kind.Catalog { return builtin.Clone() }

// NewLoader returns a loader with the kinds of the catalog. data is the folder of data sets,
// with a subfolder for each; empty is none.
func NewLoader(data string) loading.Loader { return loading.Loader{Kinds: &builtin, Data: data} }

// Load reads a scenario without data sets; see loading.Loader.
func Load(nameOrFile string, overrides ...loading.Override) (*study.Scenario, error) {
	return NewLoader("").Load(nameOrFile, overrides...)
}

// Schema returns the JSON Schema of scenario files; see loading.SchemaOf.
func Schema() ([]byte, error) { return loading.SchemaOf(&builtin) }
