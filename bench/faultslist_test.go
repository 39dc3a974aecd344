package bench

import "strings"

const star = `version: 1
name: star
nodes: 6
horizon: 6
algorithm: {kind: dp-fedavg, learning_rate: 0.5, clip: 0.3}
problem: {kind: synthetic-logistic, dimension: 3, test_samples: 5}
topology: {kind: star}
mechanism: {kind: gaussian, epsilon: 1, delta: 1e-4}
seeds: {base: 1, count: 1}
plots: []
`

const equals = `version: 1
name: equals
nodes: 6
horizon: 12
algorithm: {kind: dsgd, learning_rate: 0.3}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 3, radius: 1}}
topology: {kind: ring}
mechanism: {kind: laplace, epsilon: 1}
seeds: {base: 1, count: 1}
plots: []
`

const learners = `version: 1
name: learners
nodes: 6
horizon: 12
algorithm: {kind: ofl, tau: 2, local_step: 0.2, gradient_bound: 1}
problem: {kind: synthetic-logistic, dimension: 3}
topology: {kind: star}
mechanism: {kind: tree, epsilon: 1, delta: 1e-4, groups: [{share: 0.5, epsilon: 4}]}
seeds: {base: 1, count: 1}
plots: []
`

const (
	record   = "algorithm={kind: dp-fedavg, level: record, learning_rate: 0.5, clip: 0.3, samples: 40, tau: 3, batch: 4}"
	sampled  = "mechanism={kind: sampled-gaussian, sigma: 1, delta: 1e-4}"
	sharp    = "mechanism={kind: sampled-gaussian, sigma: 0.4, delta: 1e-4, accountant: pld}"
	local    = "algorithm={kind: dpfl, learning_rate: 0.5, clip: 0.3, samples: 40, tau: 3, batch: 4}"
	buffered = "algorithm={kind: fedbuff, learning_rate: 0.5, clip: 0.3, tau: 2, buffer: 3, staleness: constant}"
	late     = "network={kind: effects, patience: 1, delay: {edges: [{from: 3, to: 0, turns: 6}, {from: 4, to: 0, turns: 6}, {from: 5, to: 0, turns: 6}, {from: 6, to: 0, turns: 6}]}}"
	shares   = "algorithm.aggregation={kind: local, survivors: 6}"
)

// tiers are audited with one server of each level in four rounds, of which the server at the top takes
// part in the third alone.
const (
	cloudy = "topology={kind: tiers, fan: [2, 3], schedule: [{every: 4}], noise: edge}"
	cloud  = "topology={kind: tiers, fan: [2, 3], noise: cloud}"
)

const machine = "scenarios/federated/machine/"

var faults = []fault{
	{
		"a client that is not clipped", machine + "client.go",
		"kernel.Norm(update) > clip {", "!FAULT && kernel.Norm(update) > clip {",
		star, nil,
	},
	{
		"half of a vector that is not clipped", machine + "client.go",
		"if update := v.Values[:w]; ", "if FAULT {\n		w /= 2\n	}\n	if update := v.Values[:w]; ",
		star, nil,
	},
	{
		"one batch for all local steps", machine + "steps.go",
		"	for range steps {\n", "	for range steps {\n		if FAULT && len(b.ends) > 0 {\n			b.samples = append(b.samples, b.samples[:b.ends[0]]...)\n			b.ends = append(b.ends, len(b.samples))\n			continue\n		}\n",
		star, []string{record, sampled},
	},
	{
		"one batch for all local steps of dpfl", "actors/algorithm/dpfl/client.go",
		"		c.samples = sample(c.samples, r, c.data.Size(), c.rate)\n", "		if FAULT && len(c.ends) > 0 {\n			c.samples = append(c.samples, c.samples[:c.ends[0]]...)\n		} else {\n			c.samples = sample(c.samples, r, c.data.Size(), c.rate)\n		}\n",
		star, []string{local, sampled},
	},
	{
		"gradients of samples that are not clipped", "scenarios/problem/stream/corpus.go",
		"		if addClipped(dst, gradient, k, clip) {", "		if addClipped(dst, gradient, k, map[bool]float64{false: clip, true: math.Inf(1)}[FAULT]) {",
		star, []string{local, sampled},
	},
	{
		"a client twice in a buffer", machine + "buffer.go",
		"if s.within[client] == s.version()+1 {", "if !FAULT && s.within[client] == s.version()+1 {",
		star, []string{buffered, strings.ReplaceAll(late, "turns: 6", "turns: 10"), "algorithm.buffer=6", "horizon=8"},
	},
	{
		"sums less those of the round before", machine + "server.go",
		"	mark, err := s.protect(t, sum, pays)\n", "	if FAULT {\n		before := fault.Kept(s, len(sum))\n		for k, v := range sum {\n			sum[k], before[k] = v-before[k], v\n		}\n	}\n	mark, err := s.protect(t, sum, pays)\n",
		star, nil,
	},
	{
		"one message less than a round has at least", machine + "server.go",
		"if int(clients) < of.Least() {", "if int(clients) < of.Least() && (!FAULT || int(clients) < of.Least()-1) {",
		star, []string{"algorithm.aggregation={kind: secure, survivors: 4, dropout: 0.3}"},
	},
	{
		"shares that add up under a rule", "scenarios/federated/aggregation/learned.go",
		"	if s.of.Open || s.of.Factors", "	if s.of.Open && !FAULT || s.of.Factors",
		star, []string{shares, "algorithm.combine={kind: median}", "mechanism.epsilon=4"},
	},
	{
		"shares of liars", "scenarios/federated/aggregation/learned.go",
		"s.Least()-len(s.of.Liars)-known", "s.Least()-map[bool]int{false: len(s.of.Liars)}[FAULT]-known",
		star, []string{shares, "adversaries={kind: scaled, factor: 0, nodes: [3, 4, 5, 6]}"},
	},
	{
		"a buffer that is not emptied", machine + "buffer.go",
		"	clear(s.sum)\n", "	if !FAULT {\n		clear(s.sum)\n	}\n",
		star, []string{buffered, late, "horizon=9"},
	},
	{
		"records without noise after the first round", machine + "steps.go",
		"	return b.steps.Record.Of(b.client).Release(dst, b.added, b.turn.Spend)\n",
		"	clean := append([]float64(nil), dst...)\n	receipt, err = b.steps.Record.Of(b.client).Release(dst, b.added, b.turn.Spend)\n	if FAULT && b.turn.Step > 1 {\n		copy(dst, clean)\n	}\n	return receipt, err\n",
		star, []string{record, sampled},
	},
	{
		"a sum without noise to the server above", machine + "tiers.go",
		"	mark, err := s.protect(t, news)\n", "	clean := append([]float64(nil), news...)\n	mark, err := s.protect(t, news)\n	if FAULT && of.Takes(s.level-1, t.Step) {\n		copy(news, clean)\n	}\n",
		star, []string{cloudy},
	},
	{
		"a sum without noise between two rounds of the server above", machine + "tiers.go",
		"	kernel.Add(s.sum, news)\n", "	if FAULT && !of.Takes(s.level-1, t.Step) {\n		clear(news)\n		s.hears(t, news)\n	}\n	kernel.Add(s.sum, news)\n",
		star, []string{cloudy},
	},
	{
		"one payment of servers for all rounds", "scenarios/federated/aggregation/trusted.go",
		"	return n.Noise.Loss()\n", "	if FAULT && step > 1 {\n		return accountant.Loss{}\n	}\n	return n.Noise.Loss()\n",
		star, []string{cloudy},
	},
	{
		"a model that is moved before the noise of the server at the top", machine + "tiers.go",
		"		copy(s.model, from.Values)\n", "		if !FAULT {\n			copy(s.model, from.Values)\n		}\n",
		star, []string{cloud},
	},
	{
		"the loss of the mean rate for every client", "scenarios/federated/individual.go",
		"	return noise.Gaussian{Scale: m.Sigma * all}.SampledLoss(clip, rate)\n", "	if FAULT {\n		rate = p.at.Expected / float64(p.at.Clients)\n	}\n	return noise.Gaussian{Scale: m.Sigma * all}.SampledLoss(clip, rate)\n",
		star, []string{sharp, "algorithm.rates=[{nodes: [1], value: 0.95}, {nodes: [2, 3, 4, 5, 6], value: 0.01}]"},
	},
	{
		"the clip of all for a client with one of its own", machine + "client.go",
		"	clip := c.at.clipOf(c.node)\n", "	clip := c.at.clipOf(c.node)\n	if FAULT {\n		clip = c.at.Clip\n	}\n",
		star, []string{sharp, "algorithm.clips=[{first: 1, last: 3, value: 0.1}]"},
	},
	{
		"a filter that forgets its payments", "scenarios/federated/aggregation/individual.go",
		"	if last {\n", "	if FAULT {\n		return\n	}\n	if last {\n",
		star, []string{sharp, "mechanism.delta=0.1", "algorithm.filters=[{share: 1, value: 1}]"},
	},
	{
		"a filter that goes on once it is spent", "scenarios/federated/aggregation/individual.go",
		"math.Sqrt(2*max(0, f.Rho-f.Paid))", "math.Sqrt(2*max(0, f.Rho-f.Paid, map[bool]float64{true: f.Rho}[FAULT]))",
		star, []string{sharp, "mechanism.delta=0.1", "algorithm.filters=[{share: 1, value: 1}]"},
	},
	{
		"a clip for each step of a round of several", machine + "client.go",
		"	clip := c.at.clipOf(c.node)\n", "	clip := c.at.clipOf(c.node)\n	if FAULT {\n		clip *= float64(c.at.Calendar.Since(t.Step))\n	}\n",
		star, []string{"topology={kind: star, schedule: {every: 3}}"},
	},
	{
		"half of the noise of samples in rounds of several steps", "scenarios/federated/aggregation/records.go",
		"	return r.Noise.At(r.Rates[client])\n", "	if FAULT && r.Calendar.Longest() > 1 {\n		return r.Noise.Scaled(0.5).At(r.Rates[client])\n	}\n	return r.Noise.At(r.Rates[client])\n",
		star, []string{sampled, record, "topology={kind: star, schedule: {every: 3}}"},
	},
	{
		"the noise of the least private learner for all", "actors/algorithm/ofl/learner.go",
		"		own = s.Own[i]\n", "		if own = s.Own[i]; FAULT {\n			own = s.Noise\n		}\n",
		learners, nil,
	},
	{
		"less noise of a node in later steps", "actors/algorithm/release.go",
		"		return r.Noise.Release(secret, t.Rand(r.Purpose), r.Moves, t.Spend)\n", "		noise, moves := r.Noise, r.Moves\n		if FAULT && t.Step > 4 {\n			noise.Scale, moves.L1, moves.L2 = noise.Scale/2, moves.L1/2, moves.L2/2\n		}\n		return noise.Release(secret, t.Rand(r.Purpose), moves, t.Spend)\n",
		equals, nil,
	},
	{
		"the sensitivity of one step where a release shows several", "mechanisms/noise/additive.go",
		"	return Moves{L1: m.L1 + other.L1, L2: m.L2 + other.L2, Entries: max(m.Entries, other.Entries)}", "	if FAULT {\n		return other\n	}\n	return Moves{L1: m.L1 + other.L1, L2: m.L2 + other.L2, Entries: max(m.Entries, other.Entries)}",
		equals, []string{"topology={kind: complete, self_loops: true, schedule: {every: 5}}", "algorithm={kind: dsgd, learning_rate: 0.3, decay: 0}"},
	},
}
