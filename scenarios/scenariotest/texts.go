package scenariotest

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"starling/scenarios"
	"starling/scenarios/kind"
)

// Base is a small scenario without faults. Tests change a few words of it.
const Base = `version: 1
name: base
horizon: 12
nodes: 3
algorithm:
  kind: dpdonc
  divergence: {kind: euclidean, scale: 0.5}
  start: [0, 0]
problem:
  kind: localization
  set: {kind: l1-ball, dimension: 2, radius: 3}
  sensors: {circle: {radius: 4}}
topology:
  kind: matrices
  matrices:
    - [[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]]
mechanism: {kind: laplace, epsilon: 1}
seeds: {base: 1, count: 2}
`

// Lossy is Base on a network with effects.
const Lossy = Base + "network: {kind: effects, loss: {probability: 0.3}, delay: {turns: 1}}\n"

// Narrow is Base on a network of limited bandwidth.
const Narrow = Base + "network: {kind: effects, bandwidth: {bytes: 30, queue: 100}}\n"

// Learning is a small scenario of online federated learning.
const Learning = `version: 1
name: learning
horizon: 12
nodes: 3
algorithm: {kind: ofl, tau: 3, local_step: 0.1}
problem: {kind: synthetic-logistic, dimension: 4}
topology: {kind: star}
mechanism: {kind: toeplitz, epsilon: 2, delta: 1e-3}
seeds: {base: 1, count: 2}
`

// Stochastic is a small scenario of Fed-DP-OPE-Stoch, and Realizable a small scenario of
// Fed-SVT.
const (
	Stochastic = `version: 1
name: stochastic
horizon: 20
nodes: 3
algorithm: {kind: opestoch}
problem: {kind: linear, experts: 4, gap: 0.2}
topology: {kind: star}
mechanism: {kind: dp-fw, epsilon: 2}
seeds: {base: 1, count: 2}
`
	Realizable = `version: 1
name: realizable
horizon: 20
nodes: 3
algorithm: {kind: fedsvt, interval: 2, kappa: 3}
problem: {kind: uniform-zero, experts: 4}
topology: {kind: star}
mechanism: {kind: sparse-vector, epsilon: 20}
seeds: {base: 1, count: 2}
`
)

// Untrusted changes Trained to a server that sees sums of messages alone.
const Untrusted = "algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.1, tau: 2, aggregation: {kind: secure, survivors: 2, dropout: 0.3, shares: discrete, granularity: 0.01, bits: 16}}"

// Large is a scenario of the size at which the actor runtime has several
// shards: random graphs that change at every step, on a ball in 4 dimensions. Two arms,
// with and without noise, share its graphs and data.
const Large = `version: 1
name: large
horizon: 12
nodes: 60
algorithm:
  kind: dpdonc
  divergence: {kind: euclidean, scale: 0.5}
  step: {scale: 2, per_node: false}
problem:
  kind: logistic
  set: {kind: l2-ball, dimension: 4, radius: 2}
topology: {kind: permutations, degree: 3, every: 1}
mechanism: {kind: laplace, epsilon: 2, noise: shifted}
seeds: {base: 7, count: 1}
sweep:
  grid:
    mechanism.epsilon: [2, none]
`

// Trained is a small scenario of ALI-DPFL.
const Trained = `version: 1
name: trained
horizon: 12
nodes: 3
algorithm: {kind: ali-dpfl, learning_rate: 0.5, batch: 8, clip: 0.1, statistics_samples: 20}
problem:
  kind: images
  data: synthetic
  train: 120
  test: 30
  model: {kind: softmax}
  partition: {kind: shards, shards: 12, per_client: 4}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 2, delta: 1e-5}
seeds: {base: 1, count: 2}
`

// Adaptive is Trained with private statistics, so that the plan's guarantee is stated.
var Adaptive = strings.Replace(Trained, "statistics_samples: 20", "statistics_samples: 20, statistics: private, statistics_sigma: 4, statistics_lipschitz: 1, statistics_clip: 1", 1)

// Modelling is a small scenario that writes the models of two networks under two seeds.
// Its two arms have models of different sizes.
const Modelling = `version: 1

name: modelling
horizon: 4
nodes: 3
algorithm: {kind: dpfl, tau: 2, learning_rate: 0.1, batch: 8, clip: none}
problem:
  kind: images
  data: synthetic
  train: 120
  test: 40
  model: {kind: softmax, filters: 2, hidden: [4]}
  partition: {kind: iid}
topology: {kind: star}
mechanism: {kind: none}
seeds: {base: 1, count: 2}
sweep: {grid: {problem.model.kind: [softmax, cnn]}}
measure: {every: 2, model: true}
`

// splitRows is the beginning of a problem with rows that each seed splits, of which numbers are
// computed: it ends with the split.
const splitRows = "{kind: table, file: library/own-data.csv, party: client, step: step, label: y, standardise: rows, validation: 0.2, feature_bound: 3, set: {kind: l2-ball, radius: 4}, model: {kind: logistic}, test: "

// Families are small scenarios of all families, and of variants of the privacy charges. Tests
// that hold for every algorithm range over it. A key is the name of a subtest. Algorithms of
// the catalog that no text here names are there with their example.
var Families = map[string][]string{ // text and overrides
	"dpdonc":               {Base},
	"dsgd, splits":         {Base, "algorithm={kind: dsgd, learning_rate: 0.5}", "problem=" + splitRows + "{share: 0.3, draw: seed, stratified: true, common: true}}"},
	"ofl, splits":          {Learning, "problem=" + splitRows + "{folds: 2, draw: seed}}"},
	"fedavg, splits":       {Learning, "algorithm={kind: fedavg, tau: 2, learning_rate: 0.5}", "mechanism={kind: none}", "problem=" + splitRows + "{parties: 0.3, draw: seed}}"},
	"dpdonc, no noise":     {Base, "mechanism.epsilon=none"},
	"dpdonc, effects":      {Lossy},
	"dpdonc, float32":      {Base, "network={kind: ideal, precision: float32}"},
	"effects, float32":     {Narrow, "network.precision=float32"},
	"dpdonc, top-k":        {Base, "network={kind: ideal, compression: {kind: top-k, share: 0.5}}"},
	"effects, dithering":   {Lossy, "network.precision=float32", "network.compression={kind: dithering, levels: 7}"},
	"ofl, sign":            {Learning, "network={kind: ideal, compression: {kind: sign}}"},
	"sgp":                  {Base, "algorithm={kind: sgp, learning_rate: 0.2}"},
	"push-diging":          {Lossy, "algorithm={kind: push-diging, missing: running-sum}", "topology={kind: k-out, degree: 1, directed: true, every: 1, weighting: {scheme: uniform-out, self_loops: true}}"},
	"sgp, running sums":    {Lossy, "algorithm={kind: sgp, learning_rate: 0.2, missing: running-sum}"},
	"choco":                {Base, "algorithm={kind: choco, gamma: 0.4}", "network={kind: ideal, compression: {kind: random-k, share: 0.5}}"},
	"dpdonc, one point":    {Base, "algorithm.feedback={kind: one-point, radius: 0.5}", "measure.interval=4"},
	"dsgd, two points":     {Lossy, "algorithm={kind: dsgd, learning_rate: 0.2, feedback: {kind: two-point, radius: 0.1}}"},
	"muffliato":            {Base, "algorithm={kind: muffliato, rounds: 5}"},
	"choco, effects":       {Lossy, "algorithm={kind: choco, gamma: 0.4}", "network.compression={kind: dithering, levels: 7}"},
	"decor, effects":       {Lossy, "algorithm={kind: decor, correlated: 3}", "mechanism={kind: gaussian, epsilon: 1, delta: 1e-3}", "measure={every: 3, observers: [{node: 1}]}"},
	"ofl":                  {Learning},
	"ofl, float32":         {Learning, "network={kind: ideal, precision: float32}"},
	"ofl, groups":          {Learning, "mechanism.groups=[{first: 1, last: 1, epsilon: 0.7}]", "algorithm.weights=inverse-variance"},
	"ofl, no noise":        {Learning, "mechanism.kind=none"},
	"opestoch":             {Stochastic},
	"opestoch, float32":    {Stochastic, "network={kind: ideal, precision: float32}"},
	"opestoch central":     {Stochastic, "algorithm.variant=central"},
	"opestoch, raw":        {Stochastic, "mechanism.epsilon=none"},
	"opestoch, data":       {Stochastic, "problem={kind: synthetic-logistic, dimension: 4, test_samples: 5}"},
	"opestoch, laplace":    {Stochastic, "mechanism={kind: laplace, epsilon: 2}"},
	"opestoch, gaussian":   {Stochastic, "mechanism={kind: gaussian, epsilon: 2, delta: 1e-3}", "problem={kind: gaussian-softmax, experts: 4, loss: cross-entropy, floor: 0.1}"},
	"fedsvt":               {Realizable},
	"fedsvt, float32":      {Realizable, "network={kind: ideal, precision: float32}"},
	"fedsvt, raw":          {Realizable, "mechanism.epsilon=none"},
	"fedsvt, every one":    {Realizable, "algorithm.interval=1"},
	"fedsvt, never":        {Realizable, "algorithm.interval=30"},
	"dpfl":                 {Trained, "algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, batch: 8, clip: 0.1}"},
	"dpfl, float32":        {Trained, "algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, batch: 8, clip: 0.1}", "network={kind: ideal, precision: float32}"},
	"dpfl, random-k":       {Trained, "algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, batch: 8, clip: 0.1}", "network={kind: ideal, compression: {kind: random-k, share: 0.1, unbiased: true}}"},
	"dpfl, tree":           {Trained, "algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, clip: 0.1}", "mechanism={kind: tree, epsilon: 2, delta: 1e-5}"},
	"dpfl, laplace":        {Trained, "algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, clip: 0.1}", "mechanism={kind: laplace, epsilon: 0.5}"},
	"ali-dpfl, blt":        {Trained, "problem.public=30", "problem.partition={kind: iid}", "algorithm={kind: ali-dpfl, learning_rate: 0.5, clip: 0.1, statistics: public}", "mechanism={kind: blt, epsilon: 2, delta: 1e-5}"},
	"dpdonc, clusters":     {Base, "nodes=6", "topology={kind: clusters, clusters: 2, inside: {kind: ring}, edge: {every: 2}, cloud: {every: 5}}", "network={kind: ideal, precision: float32}"},
	"sgp, clusters":        {Base, "nodes=5", "topology={kind: clusters, sizes: [3, 2], inside: {kind: complete, weighting: {scheme: uniform-out, self_loops: true}}, edge: {probability: 0.4}, cloud: {every: 3}}", "algorithm={kind: sgp, learning_rate: 0.2}", "budget={epsilon: 7, on: stop}"},
	"dsgd, clusters, lies": {Base, "nodes=6", "topology={kind: clusters, sizes: [4, 2], inside: {kind: complete}, edge: {every: 2}, cloud: {every: 5}}", "algorithm={kind: dsgd, learning_rate: 0.2}", "adversaries={kind: sign-flip, nodes: 1}"},
	"clusters, lossy":      {Base, "nodes=6", "topology={kind: clusters, sizes: [4, 2], inside: {kind: complete}, edge: {every: 2}, cloud: {every: 5}}", "algorithm={kind: dsgd, learning_rate: 0.2, missing: renormalise}", "network={kind: effects, loss: {probability: 0.2}, delay: {longest: 2}, patience: 1, churn: {fail: 0.1, recover: 0.6, forget: true}}"},
	"clusters, late":       {Base, "nodes=6", "topology={kind: clusters, clusters: 2, inside: {kind: complete, weighting: {scheme: uniform-out, self_loops: true}}, edge: {every: 3}, cloud: {probability: 0.3}}", "algorithm={kind: sgp, learning_rate: 0.2, missing: renormalise}", "network={kind: effects, delay: {arrive: 0.6, longest: 3}, events: [{at: 2, until: 6, crash: [7, 2]}, {at: 5, partition: [[3, 4, 8]], until: 9}]}"},
	"dpdonc, lies":         {Base, "topology={kind: complete, self_loops: true}", "adversaries={kind: scaled, factor: 3, nodes: 2}", "algorithm.combine={kind: median}"},
	"dsgd, lies":           {Lossy, "nodes=7", "topology={kind: complete, self_loops: true}", "algorithm={kind: dsgd, learning_rate: 0.2, missing: hold, combine: {kind: clipped-gossip, liars: 2}}", "adversaries={kind: little-is-enough, share: 0.3, z: 1.5, omniscient: true}"},
	"dsgd, scheduled":      {Lossy, "topology={kind: complete, self_loops: true, schedule: {every: 3}}", "algorithm={kind: dsgd, learning_rate: 0.2, missing: renormalise}"},
	"sgp, staggered":       {Base, "topology={kind: complete, weighting: {scheme: uniform-out, self_loops: true}, schedule: {every: 3, offsets: [0, 1]}}", "algorithm={kind: sgp, learning_rate: 0.2}"},
	"dpdonc, scheduled":    {Lossy, "topology={kind: complete, self_loops: true, schedule: {phases: [{from: 1, every: 2}, {from: 7, every: 3}]}}"},
	"dsgd, silent":         {Lossy, "nodes=7", "topology={kind: complete, self_loops: true}", "algorithm={kind: dsgd, learning_rate: 0.2, combine: {kind: krum, liars: 2}}", "adversaries={kind: silent, share: 0.3}"},
	"sgp, lies":            {Lossy, "algorithm={kind: sgp, learning_rate: 0.2, missing: renormalise}", "adversaries={kind: sign-flip, nodes: 2}"},
	"dp-fedavg, lies":      {Trained, "nodes=5", "algorithm={kind: dp-fedavg, learning_rate: 0.5, batch: 8, clip: 0.1, level: record, combine: {kind: trimmed-mean, liars: 2}}", "problem.partition={kind: iid}", "adversaries={kind: little-is-enough, nodes: [2, 4]}"},
	"dp-fedavg, silent":    {Trained, "algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.1, tau: 2}", "adversaries={kind: silent, nodes: 3}"},
	"dp-fedavg, clock":     {Trained, "algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.1, tau: 2, rate: 0.6, stragglers: {share: 0.4}}", "clock={compute: {median: 0.01, spread: 1}, upload: {median: 100}, jitter: 0.5}"},
	"dp-ftrl, checking in": {Trained, "nodes=900", "problem={kind: synthetic-logistic, dimension: 4, test_samples: 5}", "algorithm={kind: dp-ftrl, learning_rate: 0.5, clip: 0.1, samples: 5, apart: 2, times: 3, draw: server, panel: 20}", "mechanism={kind: tree, epsilon: 2, delta: 1e-5}", "clock={compute: {median: 1, spread: 1}, check_in: {goal: 20, over: 0.5, deadline: 6, least: 15}}"},
	"fedbuff, lies":        {Trained, "algorithm={kind: fedbuff, learning_rate: 0.5, clip: 0.1, tau: 2, buffer: 2}", "adversaries={kind: sign-flip, nodes: 1}"},
	"fedbuff, own pace":    {Trained, "algorithm={kind: fedbuff, learning_rate: 0.5, clip: 0.1, tau: 2, buffer: 2, concurrency: 3}", "clock={compute: {median: 0.01, spread: 1}, upload: {median: 100}, jitter: 0.5}"},
	"nodes by node":        {Lossy, "measure={by: node, at: [4, 7]}"},
	"nodes, by group":      {Large, "sweep=null", "measure={every: 4, by: group, groups: [{first: 11, last: 30}, {first: 41, last: 60}]}"},
	"learners, by node":    {Learning, "measure={by: node, at: [6]}"},
	"clients by group":     {Trained, "algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.1, tau: 2}", "measure={by: group, groups: [{first: 1, last: 2}]}"},
	"experts, by node":     {Stochastic, "measure={by: node}"},
	"lies, by node":        {Base, "topology={kind: complete, self_loops: true}", "adversaries={kind: scaled, factor: 3, nodes: 2}", "algorithm.combine={kind: median}", "measure={by: node}"},
	"dp-scaffold":          {Trained, "algorithm={kind: dp-scaffold, learning_rate: 0.5, clip: 0.1, tau: 2, rate: 0.5}"},
	"dp-scaffold, records": {Trained, "algorithm={kind: dp-scaffold, learning_rate: 0.5, batch: 8, clip: 0.1, level: record, rate: 0.5}"},
	"dp-fedavg, records":   {Trained, "algorithm={kind: dp-fedavg, learning_rate: 0.5, batch: 8, clip: 0.1, level: record, rate: 0.5}"},
	"dp-fedavg, secure":    {Trained, Untrusted},
	"fedbuff":              {Trained, "algorithm={kind: fedbuff, learning_rate: 0.5, clip: 0.1, tau: 2, buffer: 2}"},
	"fedbuff, effects":     {Trained, "algorithm={kind: fedbuff, learning_rate: 0.5, clip: 0.1, tau: 2, buffer: 2, rate: 0.7}", "network={kind: effects, delay: {longest: 5}, patience: 1, loss: {probability: 0.1}, churn: {fail: 0.1, recover: 0.5}}"},
	"dp-ftrl":              {Trained, "algorithm={kind: dp-ftrl, learning_rate: 0.5, clip: 0.1, apart: 2, times: 3, rate: 0.5}", "mechanism={kind: blt, fit: true, epsilon: 2, delta: 1e-5}"},
	"dp-ftrl, scheduled":   {Trained, "algorithm={kind: dp-ftrl, learning_rate: 0.5, clip: 0.1, groups: 3, rate: 0.5}", "mechanism={kind: tree, epsilon: 2, delta: 1e-5}", "topology.schedule={phases: [{from: 1, every: 2}, {from: 7, every: 3}]}"},
	"dp-scaffold, drawn":   {Trained, "algorithm={kind: dp-scaffold, learning_rate: 0.5, batch: 8, clip: 0.1, level: record, stragglers: {share: 0.4}}", "topology.schedule={probability: 0.4}"},
	"dp-ftrl, records":     {Trained, "algorithm={kind: dp-ftrl, learning_rate: 0.5, batch: 8, clip: 0.1, level: record, rate: 0.5}"},
	"dp-fedavg, drawn":     {Trained, "nodes=2000", "problem={kind: synthetic-logistic, dimension: 4, test_samples: 5}", "algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.1, tau: 2, samples: 5, batch: 3, rate: 0.04, times: 3, draw: server, panel: 20}"},
	"dp-scaffold, cohort":  {Trained, "nodes=400", "problem={kind: synthetic-logistic, dimension: 4, test_samples: 5}", "algorithm={kind: dp-scaffold, learning_rate: 0.5, clip: 0.1, tau: 2, samples: 5, batch: 3, cohort: 70, times: 3, draw: server, panel: 20}"},
	"dp-fedavg, payers":    {Trained, "nodes=300", "problem={kind: synthetic-logistic, dimension: 4, test_samples: 5}", "algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.1, tau: 2, samples: 5, batch: 3, level: record, stragglers: {share: 0.4}, cohort: 40, times: 3, draw: server, panel: 20}"},
	"dp-ftrl, drawn":       {Trained, "nodes=900", "problem={kind: synthetic-logistic, dimension: 4, test_samples: 5}", "algorithm={kind: dp-ftrl, learning_rate: 0.5, clip: 0.1, samples: 5, groups: 3, rate: 0.2, amplified: true, draw: server}", "mechanism={kind: banded-toeplitz, bands: 3, epsilon: 2, delta: 1e-5}"},
	"dp-fedavg, tiers":     {Trained, "nodes=4", "topology={kind: tiers, fan: [2, 2], schedule: [{every: 2}], noise: edge}", "algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.1, tau: 2, rate: 0.5}", "problem.partition={kind: iid}"},
	"fedavg, tiers":        {Trained, "nodes=4", "topology={kind: tiers, fan: [2, 2], schedule: [{every: 2}]}", "algorithm={kind: fedavg, learning_rate: 0.5, tau: 2, batch: 8, mu: 0.1, stragglers: {share: 0.5}}", "mechanism={kind: none}", "problem.partition={kind: iid}"},
	"ofl, tiers":           {Learning, "nodes=4", "topology={kind: tiers, fan: [1, 2, 2], schedule: [{every: 3}, {every: 2}]}"},
	"ofl, tiers, no noise": {Learning, "nodes=4", "topology={kind: tiers, fan: [2, 2], schedule: [{probability: 0.5}]}", "mechanism.kind=none"},
	"ali-dpfl":             {Trained, "algorithm={kind: ali-dpfl, learning_rate: 0.5, batch: 8, clip: 0.1}"},
	"ali-dpfl, public":     {Trained, "problem.public=30", "problem.partition={kind: iid}", "algorithm={kind: ali-dpfl, learning_rate: 0.5, batch: 8, clip: 0.1, statistics: public}"},
}

// InPython reports whether a kind is a class in a file of Python: its example names one.
func InPython(k kind.Kind) bool { return strings.Contains(k.Examples[0], ".py,") }

func init() {
	for _, a := range scenarios.Catalog().Algorithms {
		name := regexp.MustCompile(`kind: ` + a.Kind + `[,}\n]`)
		named := func(text []string) bool { return name.MatchString(strings.Join(text, "\n")) }
		if !InPython(a) && !slices.ContainsFunc(slices.Collect(maps.Values(Families)), named) {
			Families[a.Kind] = a.Examples[:1]
		}
	}
}
