package scenarios

// Sections that several examples share; stream and pictures are without their last brace.
const (
	stream   = "{kind: synthetic-logistic, dimension: 4, test_samples: 5"
	pictures = "{kind: images, data: synthetic, train: 120, test: 30, model: {kind: softmax}, partition: {kind: iid}"
	rows     = "{kind: table, file: library/own-data.csv, party: client, label: y, test: {share: 0.2}, model: {kind: logistic}"
	sampled  = "{kind: sampled-gaussian, sigma: 2, delta: 1e-5}"
	ownRates = "{kind: sampled-gaussian, sigma: 2, delta: 1e-5, by: rate, groups: [{share: 0.5, epsilon: 0.5}]}"
	tree     = "{kind: tree, epsilon: 2, delta: 1e-3}"
)

// examples holds examples of the use of algorithms and problems in a scenario, by section and
// kind: the least that each needs, and several where its users need different options. Lists
// and descriptions print them, the table of pairs runs them, and new scenarios start from
// them. Examples of algorithms are whole scenarios. Other kinds have theirs on their lines.
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
	"algorithm/own-server": {
		example("{kind: own-server, file: library/own-server.py, name: Adam, learning_rate: 0.1, clip: 1, samples: 20, tau: 2}", "star", "{kind: synthetic-logistic, dimension: 4}", "{kind: sampled-gaussian, sigma: 2, delta: 1e-5}"),
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
	"problem/python-rows": {
		"{kind: python-rows, file: library/rows.py, name: Rows, dimension: 4, feature_bound: 1, set: {kind: l2-ball, radius: 2}, model: {kind: logistic}}",
		"{kind: python-rows, file: library/rows.py, name: Rows, dimension: 4, feature_bound: 1, set: {kind: simplex}, model: {kind: logistic}}",
	},
	"problem/from-file": {"{kind: from-file, file: losses.csv}"},
}

// example returns a scenario of three nodes and steps.
func example(algorithm, topology, problem, mechanism string) string {
	return "version: 1\nname: example\nnodes: 3\nhorizon: 3\nalgorithm: " + algorithm + "\nproblem: " + problem +
		"\ntopology: {kind: " + topology + "}\nmechanism: " + mechanism + "\nseeds: {base: 1, count: 1}\nplots: []\n"
}
