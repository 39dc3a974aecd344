package scenarios

// Sections that several examples share; stream and pictures are without their last brace.
const (
	stream   = "{kind: synthetic-logistic, dimension: 4, test_samples: 5"
	pictures = "{kind: images, data: synthetic, train: 120, test: 30, model: {kind: softmax}, partition: {kind: iid}"
	rows     = "{kind: table, file: library/own-data.csv, party: client, label: y, test: {share: 0.2}, model: {kind: logistic}"
	sampled  = "{kind: sampled-gaussian, sigma: 2, delta: 1e-5}"
	tree     = "{kind: tree, epsilon: 2, delta: 1e-3}"
)

// examples holds examples of the use of each kind in a scenario, by section and kind: the
// least that it needs, and several where its users need different options. Lists and
// descriptions print them, the table of pairs runs them, and new scenarios start from them.
// Examples of algorithms are whole scenarios.
var examples = map[string][]string{
	"algorithm/dpdonc": {
		example("{kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}, theta: 1, gradient_bound: clip}", "ring", "{kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}", "{kind: laplace, epsilon: 2}"),
	},
	"algorithm/ofl":      {example("{kind: ofl, tau: 1, local_step: 0.1, gradient_bound: 1}", "star", stream+"}", tree)},
	"algorithm/opestoch": {example("{kind: opestoch}", "star", "{kind: linear, experts: 4, gap: 0.2}", "{kind: dp-fw, epsilon: 2}")},
	"algorithm/fedsvt": {
		example("{kind: fedsvt, interval: 2, kappa: 3}", "star", "{kind: uniform-zero, experts: 4}", "{kind: sparse-vector, epsilon: 20}"),
	},
	"algorithm/dpfl": {
		example("{kind: dpfl, tau: 2, learning_rate: 0.1, samples: 20, batch: 4, clip: 1}", "star", pictures+"}", sampled),
		example("{kind: dpfl, tau: 2, learning_rate: 0.1, samples: 20, clip: 1}", "star", pictures+"}", tree),
	},
	"algorithm/ali-dpfl": {
		example("{kind: ali-dpfl, learning_rate: 0.5, samples: 20, batch: 8, clip: 0.1, statistics_samples: 20}", "star", pictures+"}", sampled),
		example("{kind: ali-dpfl, learning_rate: 0.5, samples: 20, clip: 0.1, statistics_samples: 20}", "star", pictures+"}", tree),
	},
	"algorithm/fedavg": {example("{kind: fedavg, tau: 2, learning_rate: 0.1, samples: 20, batch: 4}", "star", pictures+"}", "{kind: none}")},
	"algorithm/central": {
		example("{kind: central, learning_rate: 0.1, samples: 20, batch: 8, clip: 1}", "star", pictures+"}", sampled),
		example("{kind: central, learning_rate: 0.1, samples: 20, clip: 1}", "star", pictures+"}", tree),
	},
	"algorithm/dsgd": {
		example("{kind: dsgd, theta: 1, gradient_bound: clip}", "ring", "{kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}", "{kind: laplace, epsilon: 2}"),
	},
	"algorithm/sgp": {
		example("{kind: sgp, theta: 1, gradient_bound: clip}", "exponential, weighting: {scheme: uniform-out, self_loops: true}", "{kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}", "{kind: laplace, epsilon: 2}"),
	},
	"algorithm/local": {example("{kind: local}", "ring", "{kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}", "{kind: none}")},
	"algorithm/python": {
		example("{kind: python, file: library/own-algorithm.py, name: DSGD, theta: 1, gradient_bound: clip}", "ring", "{kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}", "{kind: laplace, epsilon: 2}"),
	},

	"problem/localization":      {"{kind: localization, set: {kind: l1-ball, dimension: 2, radius: 3}, sensors: {circle: {radius: 4}}}"},
	"problem/logistic":          {"{kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}", "{kind: logistic, set: {kind: simplex, dimension: 4}}"},
	"problem/robust-regression": {"{kind: robust-regression, set: {kind: simplex, dimension: 3}}"},
	"problem/synthetic-logistic": {
		stream + "}",
		stream + ", set: {kind: l2-ball, dimension: 4, radius: 2}}",
		stream + ", set: {kind: simplex, dimension: 4}}",
	},
	"problem/images": {
		pictures + "}",
		pictures + ", set: {kind: l2-ball, dimension: 7850, radius: 2}}",
		pictures + ", set: {kind: simplex, dimension: 7850}}",
	},
	"problem/uniform-zero": {"{kind: uniform-zero, experts: 4}"},
	"problem/linear":       {"{kind: linear, experts: 4, gap: 0.2}"},
	"problem/gaussian-softmax": {
		"{kind: gaussian-softmax, experts: 4, loss: cross-entropy, floor: 0.1}",
		"{kind: gaussian-softmax, experts: 4, clip: 1}",
	},
	"problem/lower-bound-theorem-2": {"{kind: lower-bound-theorem-2, experts: 4}"},
	"problem/one-select":            {"{kind: one-select, experts: 4, records: 3}"},
	"problem/lower-bound-theorem-3": {"{kind: lower-bound-theorem-3, experts: 4, epsilon: 0.1}"},
	"problem/movielens":             {"{kind: movielens}"},
	"problem/table": {
		rows + "}",
		rows + ", set: {kind: l2-ball, radius: 2}}",
		rows + ", set: {kind: simplex}, feature_bound: 2}",
	},
	"problem/python": {
		"{kind: python, file: library/logistic.py, name: Logistic, set: {kind: l2-ball, dimension: 4, radius: 2}, gradient_bound: 1}",
		"{kind: python, file: library/logistic.py, name: Logistic, set: {kind: simplex, dimension: 4}, gradient_bound: 1, smoothness: 0.25}",
		"{kind: python, file: library/experts.py, name: Experts, set: {kind: simplex, dimension: 4}, gradient_bound: 1, linear: true}",
	},
	"problem/from-file": {"{kind: from-file, file: losses.csv}"},

	"topology/printed":                 {"{kind: printed}"},
	"topology/matrices":                {"{kind: matrices, matrices: [[[1/3, 2/3], [2/3, 1/3]], [[0, 1], [1, 0]]]}"},
	"topology/ring":                    {"{kind: ring}"},
	"topology/complete":                {"{kind: complete, self_loops: true}"},
	"topology/circulant":               {"{kind: circulant, degree: 2}"},
	"topology/permutations":            {"{kind: permutations, degree: 2, every: 3}"},
	"topology/path":                    {"{kind: path}"},
	"topology/torus":                   {"{kind: torus, sides: [2, 3]}"},
	"topology/hypercube":               {"{kind: hypercube}"},
	"topology/exponential":             {"{kind: exponential}"},
	"topology/one-peer":                {"{kind: one-peer}"},
	"topology/erdos-renyi":             {"{kind: erdos-renyi, probability: 0.4, every: 2, weights: unchecked}"},
	"topology/k-out":                   {"{kind: k-out, degree: 2}"},
	"topology/random-regular":          {"{kind: random-regular, degree: 2}"},
	"topology/small-world":             {"{kind: small-world, neighbours: 2, rewire: 0.2, weights: unchecked}"},
	"topology/preferential-attachment": {"{kind: preferential-attachment, edges: 2}"},
	"topology/matching":                {"{kind: matching, every: 1, base: {kind: path}, weights: unchecked}"},
	"topology/stochastic-block":        {"{kind: stochastic-block, blocks: 2, within: 0.9, between: 0.3, weights: unchecked}"},
	"topology/geometric":               {"{kind: geometric, radius: 0.5, speed_min: 0.01, speed_max: 0.1, weights: unchecked}"},
	"topology/markov-edges":            {"{kind: markov-edges, on: 0.3, off: 0.3, base: {kind: random-regular, degree: 2}, weights: unchecked}"},
	"topology/cycle":                   {"{kind: cycle, every: 2, parts: [{kind: ring}, {kind: path}]}"},
	"topology/edge-list":               {"{kind: edge-list, file: network.csv, repeat: true, weighting: {scheme: uniform-in, self_loops: true}, weights: unchecked}"},
	"topology/graphml":                 {"{kind: graphml, file: network.graphml, weighting: {scheme: metropolis}}"},
	"topology/star":                    {"{kind: star}"},
}

// example returns a scenario of three nodes and steps.
func example(algorithm, topology, problem, mechanism string) string {
	return "version: 1\nname: example\nnodes: 3\nhorizon: 3\nalgorithm: " + algorithm + "\nproblem: " + problem +
		"\ntopology: {kind: " + topology + "}\nmechanism: " + mechanism + "\nseeds: {base: 1, count: 1}\nplots: []\n"
}
