package loading_test

import (
	"errors"
	"os"
	"runtime"
	"testing"

	"starling/scenarios"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/document"
	"starling/scenarios/scenariotest"
)

// invalidCases are scenarios that are wrong in one way, or in several, with the
// whole message: it is read by people, and every place in it counts.
var invalidCases = []struct {
	name  string
	edits []string // pairs of old and new text in base
	sets  []string // as --set takes them
	want  string
}{
	{name: "unknown key", edits: []string{"horizon: 12", "horizont: 12"},
		want: `s.yaml:3:1: unknown key "horizont"; did you mean "horizon"?`},
	{name: "misspelt section", edits: []string{"mechanism: {kind: laplace, epsilon: 1}", "mechanizm: {kind: laplace, epsilon: -1}", "count: 2}", "count: 2}\nsweep: {grid: {mechanism.epsilon: [-2, -3]}}"},
		want: "s.yaml:17:1: unknown key \"mechanizm\"; did you mean \"mechanism\"?\n" +
			"s.yaml:17:37: mechanism.epsilon: epsilon = -1; it must be a finite number > 0, or none\n" +
			"s.yaml:19:36: mechanism.epsilon: epsilon = -2; it must be a finite number > 0, or none\n" +
			"s.yaml:19:40: mechanism.epsilon: epsilon = -3; it must be a finite number > 0, or none"},
	{name: "unknown key in a section", edits: []string{"epsilon: 1", "epsilom: 1"},
		want: `s.yaml:17:28: unknown key "epsilom" in mechanism; did you mean "epsilon"?`},
	{name: "unknown key like no other", edits: []string{"seeds: {base: 1, count: 2}", "colour: red"},
		want: `s.yaml:18:1: unknown key "colour"; none of 23 is near; starling describe scenario has all`},
	{name: "wrong type", edits: []string{"nodes: 3", "nodes: three"},
		want: `s.yaml:4:8: nodes: expected an integer, got the string "three"`},
	{name: "wrong type of a kind", edits: []string{"kind: dpdonc", "kind: 7"},
		want: `s.yaml:6:9: algorithm.kind: expected a string, got the number 7`},
	{name: "wrong type of a section", edits: []string{"mechanism: {kind: laplace, epsilon: 1}", "mechanism: laplace"},
		want: `s.yaml:17:12: mechanism: expected a mapping, got the string "laplace"; write {kind: laplace}`},
	{name: "wrong type in a list", edits: []string{"start: [0, 0]", "start: [0, zero]"},
		want: `s.yaml:8:14: algorithm.start[1]: expected a number, got the string "zero"`},
	{name: "missing sections", edits: []string{"mechanism: {kind: laplace, epsilon: 1}\n", "", "nodes: 3\n", ""},
		want: "s.yaml:1:1: missing required key \"mechanism\"\n" +
			"s.yaml:1:1: missing required key \"nodes\""},
	{name: "missing keys of sections", edits: []string{"epsilon: 1", "noise: shifted", "dimension: 2, ", "", "  divergence: {kind: euclidean, scale: 0.5}\n", ""},
		want: "s.yaml:5:1: algorithm: missing required key \"divergence\"\n" +
			"s.yaml:10:3: problem.set: missing required key \"dimension\"\n" +
			"s.yaml:16:1: mechanism: missing required key \"epsilon\""},
	{name: "null sections", edits: []string{"mechanism: {kind: laplace, epsilon: 1}", "mechanism:"},
		want: `s.yaml:17:1: mechanism: missing required key "mechanism"`},
	{name: "required set taken away", sets: []string{"problem.set=null"},
		want: `--set problem.set:1:1: problem.set: missing required key "set"`},
	{name: "version", edits: []string{"version: 1", "version: 2", "horizon: 12", "horizonte: 0"},
		want: `s.yaml:1:10: version: version 2; this build reads version 1`},
	{name: "name", edits: []string{"name: base", "name: Base case"},
		want: `s.yaml:2:7: name: "Base case" is no name: lower-case letters, digits, '.', '_' and '-', at most 100`},
	{name: "horizon 0", edits: []string{"horizon: 12", "horizon: 0"},
		want: `s.yaml:3:10: horizon: 0 steps; want 1 to 10000000`},
	{name: "nodes 0", edits: []string{"nodes: 3", "nodes: 0"},
		want: `s.yaml:4:8: nodes: 0 nodes; want 1 to 1000000000`},
	{name: "seeds 0", edits: []string{"count: 2", "count: 0"},
		want: `s.yaml:18:25: seeds.count: 0 seeds; want 1 to 1000000`},
	{name: "seeds base", edits: []string{"base: 1,", "base: 9223372036854775807,"},
		want: `s.yaml:18:15: seeds.base: base 9223372036854775807; want at most 9223372036853775807`},
	{name: "seeds negative", edits: []string{"base: 1,", "base: -1,"},
		want: `s.yaml:18:15: seeds.base: expected an integer from 0 to 18446744073709551615, got the number -1`},
	{name: "measure 0", edits: []string{"count: 2}", "count: 2}\nmeasure: {every: 0, nodes: 0}"},
		want: "s.yaml:19:18: measure.every: 0 steps; want 1 to 10000000\n" +
			"s.yaml:19:28: measure.nodes: 0 nodes; want 1 to 100000"},

	// Values that the sweep replaces in every arm are read by their types.
	{name: "swept number", edits: []string{"epsilon: 1", "epsilon: 1x", "horizon: 12", "horizon: 12s", "count: 2}", "count: 2}\nsweep: {grid: {mechanism.epsilon: [1, 2], horizon: [12, 24]}}"},
		want: "s.yaml:3:10: horizon: expected an integer, got the string \"12s\"\n" +
			"s.yaml:17:37: mechanism.epsilon: expected a number > 0 or none, got 1x"},
	{name: "swept section", edits: []string{"epsilon: 1", "epsilon: -1", "radius: 3", "radius: wide", "count: 2}", "count: 2}\nsweep: {list: [{set: {mechanism: {kind: none}, problem.set.radius: 2}}, {set: {mechanism.epsilon: 2, problem.set.radius: 3}}]}"},
		want: "s.yaml:11:46: problem.set.radius: expected a number, got the string \"wide\"\n" +
			"s.yaml:17:37: mechanism.epsilon: epsilon = -1; it must be a finite number > 0, or none"},
	{name: "swept word", edits: []string{"epsilon: 1}", "epsilon: 1, noise: loud}", "count: 2}", "count: 2}\nsweep: {grid: {mechanism.noise: [as-printed, shifted]}}"},
		want: `s.yaml:17:47: mechanism.noise: unknown value "loud"; known: as-printed, shifted`},
	{name: "swept kind", edits: []string{"kind: laplace, epsilon: 1", "kind: none, epsilon: some", "count: 2}", "count: 2}\nsweep: {grid: {mechanism.kind: [none, laplace], mechanism.epsilon: [1]}}"},
		want: `s.yaml:17:34: mechanism.epsilon: expected a number > 0 or none, got some`},

	{name: "unknown algorithm", edits: []string{"kind: dpdonc", "kind: dpdon"},
		want: `s.yaml:6:9: algorithm.kind: unknown kind "dpdon"; did you mean "dpdonc"?`},
	{name: "unknown problem", edits: []string{"kind: localization", "kind: localisation"},
		want: `s.yaml:10:9: problem.kind: unknown kind "localisation"; did you mean "localization"?`},
	{name: "unknown topology", edits: []string{"kind: matrices", "kind: matrix"},
		want: `s.yaml:14:9: topology.kind: unknown kind "matrix"; the nearest of 26: matrices; starling help topology has all`},
	{name: "unknown mechanism", edits: []string{"kind: laplace", "kind: cauchy"},
		want: `s.yaml:17:19: mechanism.kind: unknown kind "cauchy"; known: laplace, gaussian, none, independent`},
	{name: "unknown set", edits: []string{"kind: l1-ball", "kind: l1ball"},
		want: `s.yaml:11:15: problem.set.kind: unknown kind "l1ball"; did you mean "l1-ball"?`},
	{name: "unknown divergence", edits: []string{"kind: euclidean", "kind: euclid"},
		want: `s.yaml:7:22: algorithm.divergence.kind: unknown kind "euclid"; did you mean "euclidean"?`},
	{name: "unknown noise", edits: []string{"epsilon: 1", "epsilon: 1, noise: printed"},
		want: `s.yaml:17:47: mechanism.noise: unknown value "printed"; known: as-printed, shifted`},
	{name: "unknown weights", edits: []string{"kind: matrices", "kind: matrices\n  weights: none"},
		want: `s.yaml:15:12: topology.weights: unknown value "none"; known: checked, unchecked`},
	{name: "unknown value", edits: []string{"start: [0, 0]", "gradient_bound: cut"},
		want: `s.yaml:8:19: algorithm.gradient_bound: unknown value "cut"; known: error, clip`},
	{name: "unknown motion", edits: []string{"  sensors:", "  target: {start: [0, 0], motion: fast}\n  sensors:"},
		want: `s.yaml:12:35: problem.target.motion: unknown value "fast"; known: printed, still`},

	{name: "row sum", edits: []string{"[0, 0.5, 0.5]", "[0, 0.5, 0.4]"},
		want: `s.yaml:16:23: topology.matrices[0][1]: row 2 sums to 0.9, want 1 within 1e-09 (what node 2 gives those it hears)`},
	{name: "column sum", edits: []string{"[0, 0.5, 0.5]", "[0.5, 0, 0.5]"},
		want: `s.yaml:16:7: topology.matrices[0]: column 1 sums to 1.5, want 1 within 1e-09 (what node 1 is given by those that hear it)`},
	{name: "negative weight", edits: []string{"[0, 0.5, 0.5]", "[-0.5, 1, 0.5]"},
		want: `s.yaml:16:24: topology.matrices[0][1][0]: row 2, column 1 is -0.5: negative (what node 2 gives node 1)`},
	{name: "infinite weight", edits: []string{"[0, 0.5, 0.5]", "[.inf, 0.5, 0.5]"},
		want: `s.yaml:16:24: topology.matrices[0][1][0]: expected a finite number, got .inf`},
	{name: "bad fraction", edits: []string{"[0, 0.5, 0.5]", "[1/0, a/b, 0.5]"},
		want: "s.yaml:16:24: topology.matrices[0][1][0]: 1/0 divides by zero\n" +
			"s.yaml:16:29: topology.matrices[0][1][1]: expected a number or a fraction such as 1/3, got a/b"},
	{name: "matrix of another size", edits: []string{"nodes: 3", "nodes: 2"},
		want: `s.yaml:16:7: topology.matrices[0]: the matrix has 3 rows; the scenario has 2 nodes`},
	{name: "ragged matrix", edits: []string{"[0, 0.5, 0.5]", "[0, 0.5]"},
		want: `s.yaml:16:23: topology.matrices[0][1]: row 2 has 2 entries; the scenario has 3 nodes`},
	{name: "no matrices", edits: []string{"\n    - [[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]]", " []"},
		want: `s.yaml:15:13: topology.matrices: 0 matrices; want at least 1`},
	{name: "disconnected", edits: []string{"[[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]]", "[[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]]"},
		want: `s.yaml:14:3: topology: the union of the graphs over steps [1..12] is not strongly connected: node 1 does not reach node 3; node 1 is not reached from node 3`},
	{name: "window too small", edits: []string{
		"- [[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]]", "- [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]]\n    - [[1, 0, 0], [0, 0.5, 0.5], [0, 0.5, 0.5]]",
		"kind: matrices", "kind: matrices\n  window: 1"},
		want: `s.yaml:15:11: topology.window: the union of the graphs over steps [1..1] is not strongly connected: node 1 does not reach node 3; node 1 is not reached from node 3`},
	{name: "window 0", edits: []string{"kind: matrices", "kind: matrices\n  window: 0"},
		want: `s.yaml:15:11: topology.window: 0 steps; want at least 1`},
	{name: "window over the horizon", edits: []string{"kind: matrices", "kind: matrices\n  window: 13"},
		want: `s.yaml:15:11: topology.window: 13 steps; want at most 12, the horizon`},
	{name: "printed for other nodes", sets: []string{"topology={kind: printed}"},
		want: `--set topology:1:8: topology.kind: the printed matrices are for 6 nodes; the scenario has 3`},
	{name: "degree", sets: []string{"topology={kind: circulant, degree: 3}"},
		want: `--set topology:1:27: topology.degree: degree is 3, want 1 to 2: the nodes less one`},
	{name: "complete with a degree", sets: []string{"topology={kind: complete, degree: 3}"},
		want: `--set topology:1:18: unknown key "degree" in topology; valid keys: kind, weights, window, weighting, schedule, events, self_loops`},
	// The kinds of topologies and what goes on top of them.
	{name: "directed without weighting", sets: []string{"topology={kind: k-out, degree: 1, directed: true}"},
		want: `--set topology:1:1: topology: missing required key "weighting": the graph is directed: sinkhorn makes weights doubly stochastic where there are such, uniform-in with self_loops where all degrees are equal; other graphs need uniform-out and an algorithm with consensus: push-sum, or weights: unchecked`},
	{name: "unknown scheme", sets: []string{"topology={kind: path, weighting: {scheme: metropols}}"},
		want: `--set topology:1:34: topology.weighting.scheme: unknown value "metropols"; did you mean "metropolis"?`},
	{name: "metropolis on a directed graph", sets: []string{"topology={kind: path, directed: true, weighting: {scheme: metropolis}}"},
		want: `--set topology:1:41: topology.weighting: step 1: metropolis weights need an undirected graph: node 2 hears node 1, but not the other way round`},
	{name: "uniform weights that are checked", sets: []string{"topology={kind: path, weighting: {scheme: uniform-in, self_loops: true}}"},
		want: `--set topology:1:1: topology: step 1: column 1 sums to 0.8333333333333333, want 1 within 1e-09 (what node 1 is given by those that hear it)`},
	{name: "events on weights", sets: []string{"topology={kind: ring, events: [{at: 2, crash: 1}]}"},
		want: `--set topology:1:1: topology: missing required key "weighting": events change the edges, and the weights of the kind do not fit the remaining ones`},
	{name: "crash of no node", sets: []string{"topology={kind: path, events: [{at: 2, crash: 4}]}"},
		want: `--set topology:1:38: topology.events[0].crash: node 4, want 1 to 3`},
	{name: "recovery without a crash", sets: []string{"topology={kind: path, events: [{at: 2, recover: 1}]}"},
		want: `--set topology:1:40: topology.events[0].recover: node 1 is not crashed at step 2`},
	{name: "events of a part", sets: []string{"topology={kind: cycle, every: 1, parts: [{kind: path, window: 2, events: []}]}"},
		want: `--set topology:1:54: topology.parts[0].window: window is for the whole network to say, not for a part of it` + "\n" +
			`--set topology:1:65: topology.parts[0].events: events is for the whole network to say, not for a part of it`},
	{name: "weighting of a base", sets: []string{"topology={kind: markov-edges, on: 1, off: 0, base: {kind: path, weighting: {scheme: given}}}"},
		want: `--set topology:1:67: topology.base.weighting: weighting is for the whole network to say, not for a part of it`},
	{name: "base that changes", sets: []string{"topology={kind: markov-edges, on: 1, off: 0, base: {kind: one-peer, directed: true}}"},
		want: `--set topology:1:43: topology.base: the graphs of this topology change with time; want one that stays`},
	{name: "directed base", sets: []string{"topology={kind: markov-edges, on: 1, off: 0, base: {kind: ring}}"},
		want: `--set topology:1:1: topology.directed: the base graph is directed, want directed: true or an undirected base`},
	{name: "cycle of nothing", sets: []string{"topology={kind: cycle, every: 0, parts: []}"},
		want: `--set topology:1:22: topology.every: 0 steps; want at least 1` + "\n" +
			`--set topology:1:32: topology.parts: 0 topologies; want at least 1`},
	{name: "sides of another size", sets: []string{"topology={kind: torus, sides: [2, 2]}"},
		want: `--set topology:1:22: topology.sides: a torus of sides [2 2] has more than 3 nodes`},
	{name: "hypercube of three", sets: []string{"topology={kind: hypercube}"},
		want: `--set topology:1:1: topology: nodes is 3, want a power of two for a hypercube`},
	{name: "no such file", sets: []string{"topology={kind: edge-list, file: none.csv, weighting: {scheme: given}}"},
		want: `--set topology:1:25: topology.file: stat none.csv: no such file or directory`},
	{name: "graphs that are disconnected", sets: []string{"topology={kind: erdos-renyi, probability: 0}"},
		want: `--set topology:1:1: topology: the union of the graphs over steps [1..12] is not strongly connected: node 1 does not reach nodes 2, 3; node 1 is not reached from nodes 2, 3`},
	{name: "one node", sets: []string{"topology={kind: ring}", "nodes=1"},
		want: `--set topology:1:1: topology: nodes is 1, want at least 2`},

	{name: "epsilon 0", edits: []string{"epsilon: 1", "epsilon: 0"},
		want: `s.yaml:17:37: mechanism.epsilon: epsilon = 0; it must be a finite number > 0, or none`},
	{name: "epsilon negative", edits: []string{"epsilon: 1", "epsilon: -0.5"},
		want: `s.yaml:17:37: mechanism.epsilon: epsilon = -0.5; it must be a finite number > 0, or none`},
	{name: "epsilon infinite", edits: []string{"epsilon: 1", "epsilon: .inf"},
		want: `s.yaml:17:37: mechanism.epsilon: epsilon = .inf; it must be a finite number > 0, or none`},
	{name: "epsilon text", edits: []string{"epsilon: 1", "epsilon: low"},
		want: `s.yaml:17:37: mechanism.epsilon: expected a number > 0 or none, got low`},
	{name: "epsilon list", edits: []string{"epsilon: 1", "epsilon: [1]"},
		want: `s.yaml:17:37: mechanism.epsilon: expected a number, got a sequence; sweep.grid varies a number over a list`},
	{name: "nodes list", sets: []string{"nodes=[2, 3]"},
		want: `--set nodes:1:1: nodes: expected an integer, got a sequence; sweep.grid varies a number over a list`},
	{name: "seeds list", sets: []string{"seeds.count=[2, 3]"},
		want: `--set seeds.count:1:1: seeds.count: expected an integer, got a sequence`},
	{name: "no solver", edits: []string{"{kind: euclidean, scale: 0.5}", "{kind: entropy}"},
		want: `s.yaml:7:22: algorithm.divergence.kind: no solver for the divergence entropy on the set l1-ball; these work: euclidean on l1-ball, euclidean on l2-ball, euclidean on box, euclidean on simplex, mahalanobis on l1-ball, mahalanobis on l2-ball, mahalanobis on box, mahalanobis on simplex, entropy on simplex`},
	{name: "matrix not symmetric", edits: []string{"{kind: euclidean, scale: 0.5}", "{kind: mahalanobis, matrix: [[1, 0.3], [0.2, 1]]}"},
		want: `s.yaml:7:55: algorithm.divergence.matrix[1][0]: mahalanobis: Q is not symmetric: Q[1][0] is 0.2, Q[0][1] is 0.3`},
	{name: "matrix not positive", edits: []string{"{kind: euclidean, scale: 0.5}", "{kind: mahalanobis, matrix: [[1, 2], [2, 1]]}"},
		want: `s.yaml:7:43: algorithm.divergence.matrix: mahalanobis: Q is not positive definite: its smallest eigenvalue is -1`},
	{name: "matrix of another dimension", edits: []string{"{kind: euclidean, scale: 0.5}", "{kind: mahalanobis, matrix: [[1]]}"},
		want: `s.yaml:7:15: algorithm.divergence: mahalanobis: Q is of order 1, the set l1-ball has dimension 2`},
	{name: "scale", edits: []string{"scale: 0.5", "scale: 0"},
		want: `s.yaml:7:40: algorithm.divergence.scale: scale 0; want a finite number > 0`},
	{name: "start outside", edits: []string{"start: [0, 0]", "start: [2, -2]"},
		want: `s.yaml:8:10: algorithm.start: start [2 -2] lies outside the l1-ball, by 1`},
	{name: "start dimension", edits: []string{"start: [0, 0]", "start: [0, 0, 0]"},
		want: `s.yaml:8:10: algorithm.start: start has 3 entries; the set l1-ball has dimension 2`},
	{name: "theta", edits: []string{"start: [0, 0]", "theta: 0"},
		want: `s.yaml:8:10: algorithm.theta: theta = 0; want a finite number > 0`},
	{name: "radius", edits: []string{"radius: 3}", "radius: -3}"},
		want: `s.yaml:11:46: problem.set.radius: radius -3; want a finite number > 0`},
	{name: "points of a set without a radius", edits: []string{"radius: 3}", "radius: 3m}", "start: [0, 0]", "start: [2, 1]"}, sets: []string{"problem.target={start: [1, 0.5]}"},
		want: `s.yaml:11:46: problem.set.radius: expected a number, got the string "3m"`},
	{name: "dimension", edits: []string{"dimension: 2", "dimension: 0"},
		want: `s.yaml:11:35: problem.set.dimension: dimension 0; want 1 to 1000000`},
	{name: "sensors", edits: []string{"{circle: {radius: 4}}", "{circle: {radius: 4}, same: {position: [1]}}"},
		want: `s.yaml:12:12: problem.sensors: has 2 layouts, want exactly one of positions, circle, same, random, topology`},
	{name: "target outside", edits: []string{"  sensors:", "  target: {start: [3, 3], motion: still}\n  sensors:"},
		want: `s.yaml:12:19: problem.target.start: [3 3] lies outside the l1-ball by 3, want a point of the decision set`},

	{name: "sweep of both", edits: []string{"count: 2}", "count: 2}\nsweep: {grid: {mechanism.epsilon: [1]}, zip: {nodes: [3]}}"},
		want: `s.yaml:19:8: sweep: a sweep has a grid, a zip or a list, or a list with one of the others`},
	{name: "sweep of neither", edits: []string{"count: 2}", "count: 2}\nsweep: {}"},
		want: `s.yaml:19:8: sweep: a sweep has a grid, a zip or a list, or a list with one of the others`},
	{name: "sweep without a form", edits: []string{"count: 2}", "count: 2}\nsweep: {mechanism.epsilon: [1, 2]}"},
		want: `s.yaml:19:9: a sweep has its keys in a form, such as grid: {mechanism.epsilon: [1, 2]}`},
	{name: "fault of an arm", edits: []string{"count: 2}", "count: 2}\nsweep: {grid: {nodes: [3, 4]}}"},
		want: `s.yaml:16:7: topology.matrices[0]: the matrix has 3 rows; the scenario has 4 nodes; in arm "nodes=4"`},
	{name: "misspelt form", edits: []string{"count: 2}", "count: 2}\nsweep: {lists: [{name: a, set: {}}]}"},
		want: `s.yaml:19:9: unknown key "lists" in sweep; did you mean "list"?`},
	{name: "empty grid", edits: []string{"count: 2}", "count: 2}\nsweep: {grid: {}}"},
		want: `s.yaml:19:15: sweep.grid: a grid maps paths to lists of values`},
	{name: "empty values", edits: []string{"count: 2}", "count: 2}\nsweep: {grid: {mechanism.epsilon: []}}"},
		want: `s.yaml:19:35: sweep.grid["mechanism.epsilon"]: want a list of values for mechanism.epsilon`},
	{name: "values no list", edits: []string{"count: 2}", "count: 2}\nsweep: {grid: {mechanism.epsilon: 1}}"},
		want: `s.yaml:19:35: sweep.grid["mechanism.epsilon"]: want a list of values for mechanism.epsilon`},
	{name: "empty list", edits: []string{"count: 2}", "count: 2}\nsweep: {list: []}"},
		want: `s.yaml:19:15: sweep.list: 0 arms; want 1 to 1000`},
	{name: "nameless arm", edits: []string{"count: 2}", "count: 2}\nsweep: {list: [{set: {}}]}"},
		want: `s.yaml:19:22: sweep.list[0].set: an arm that sets nothing needs a name`},
	{name: "unknown swept path", edits: []string{"count: 2}", "count: 2}\nsweep:\n  grid:\n    mechanism.epsilonn: [1, 2]"},
		want: `s.yaml:21:5: unknown key "epsilonn" in mechanism; did you mean "epsilon"?`},
	{name: "swept path through a number", edits: []string{"count: 2}", "count: 2}\nsweep:\n  grid:\n    nodes.all: [1, 2]"},
		want: "s.yaml:21:17: sweep.grid[\"nodes.all\"][0]: sweep of nodes.all: nodes is the number 3, not a mapping\n" +
			"s.yaml:21:20: sweep.grid[\"nodes.all\"][1]: sweep of nodes.all: nodes is the number 3, not a mapping"},
	{name: "no path", edits: []string{"count: 2}", "count: 2}\nsweep:\n  grid:\n    nodes[: [1, 2]"},
		want: `s.yaml:21:5: sweep.grid["nodes["]: sweep of "nodes[": invalid path "nodes[": a bracket is not closed`},
	{name: "no paths in a list", edits: []string{"count: 2}", "count: 2}\nsweep:\n  list:\n    - {name: a, set: {'\"mechanism\".epsilon': 1, mechanism.: 2, ' horizon': 3}}\n    - {name: b, set: {'': 1}}"},
		want: `s.yaml:21:23: sweep.list[0].set["\"mechanism\".epsilon"]: sweep of "\"mechanism\".epsilon": invalid path "\"mechanism\".epsilon": a key is empty or needs quotes in brackets` + "\n" +
			`s.yaml:21:49: sweep.list[0].set["mechanism."]: sweep of "mechanism.": invalid path "mechanism.": a key is empty or needs quotes in brackets` + "\n" +
			`s.yaml:21:64: sweep.list[0].set[" horizon"]: sweep of " horizon": invalid path " horizon": a key is empty or needs quotes in brackets` + "\n" +
			`s.yaml:22:23: sweep.list[1].set[""]: sweep of "": the path is empty`},
	{name: "names of arms that nobody tells apart", edits: []string{"count: 2}", "count: 2}\nsweep:\n  list:\n    - {name: a, set: {horizon: 5}}\n    - {name: ' a', set: {horizon: 6}}\n    - {set: {horizon: 7}, name: \"a\\u200b\"}\n    - {name: \"a\\nb\", set: {}}\n    - {name: ' ', set: {}}"},
		want: "s.yaml:22:14: sweep.list[1].name: the name of an arm begins or ends with a blank, which nobody sees\n" +
			"s.yaml:23:33: sweep.list[2].name: the name of an arm has U+200B, which nobody sees\n" +
			"s.yaml:24:14: sweep.list[3].name: the name of an arm has U+000A, which nobody sees\n" +
			"s.yaml:25:14: sweep.list[4].name: the name of an arm begins or ends with a blank, which nobody sees"},
	{name: "bad value in a grid", edits: []string{"count: 2}", "count: 2}\nsweep:\n  grid:\n    mechanism.epsilon: [1, -2, low]"},
		want: "s.yaml:21:28: mechanism.epsilon: epsilon = -2; it must be a finite number > 0, or none\n" +
			"s.yaml:21:32: mechanism.epsilon: expected a number > 0 or none, got low"},
	{name: "two arms of one name", edits: []string{"count: 2}", "count: 2}\nsweep:\n  grid:\n    mechanism.epsilon: [1, 2, 1]"},
		want: `s.yaml:21:31: sweep.grid["mechanism.epsilon"][2]: two arms are called "epsilon=1"`},
	{name: "two listed arms of one name", edits: []string{"count: 2}", "count: 2}\nsweep:\n  list:\n    - {name: a, set: {horizon: 5}}\n    - {name: a, set: {horizon: 6}}"},
		want: `s.yaml:22:22: sweep.list[1].set: two arms are called "a"`},
	{name: "sweep of the name", edits: []string{"count: 2}", "count: 2}\nsweep:\n  grid:\n    name: [a, b]"},
		want: "s.yaml:21:12: sweep.grid.name[0]: name is the same for all arms and cannot be swept\n" +
			"s.yaml:21:15: sweep.grid.name[1]: name is the same for all arms and cannot be swept"},
	{name: "sweep of seeds", edits: []string{"count: 2}", "count: 2}\nsweep:\n  grid:\n    seeds.count: [1, 2]"},
		want: "s.yaml:21:19: sweep.grid[\"seeds.count\"][0]: seeds is the same for all arms and cannot be swept\n" +
			"s.yaml:21:22: sweep.grid[\"seeds.count\"][1]: seeds is the same for all arms and cannot be swept"},
	{name: "sweep of seeds in brackets", edits: []string{"count: 2}", "count: 2}\nsweep:\n  grid:\n    'seeds[\"count\"]': [1, 2]"},
		want: "s.yaml:21:24: sweep.grid[\"seeds[\\\"count\\\"]\"][0]: seeds is the same for all arms and cannot be swept\n" +
			"s.yaml:21:27: sweep.grid[\"seeds[\\\"count\\\"]\"][1]: seeds is the same for all arms and cannot be swept"},
	{name: "value set again", edits: []string{"count: 2}", "count: 2}\nsweep:\n  grid:\n    mechanism.epsilon: [1, 2]\n    mechanism: [{kind: laplace, epsilon: 3}]"},
		want: "s.yaml:21:25: sweep.grid[\"mechanism.epsilon\"][0]: the arm sets mechanism.epsilon again after this\n" +
			"s.yaml:21:28: sweep.grid[\"mechanism.epsilon\"][1]: the arm sets mechanism.epsilon again after this"},

	{name: "set around a swept key", edits: []string{"count: 2}", "count: 2}\nsweep: {grid: {mechanism.epsilon: [1]}}"}, sets: []string{"mechanism={kind: laplace, epsilon: 3}"},
		want: `--set mechanism:1:1: mechanism: the sweep sets mechanism.epsilon in its arms, so this would do nothing; change the sweep, or drop it with --set sweep=null`},
	{name: "set within a swept key", edits: []string{"count: 2}", "count: 2}\nsweep: {grid: {algorithm.divergence: [{kind: euclidean, scale: 1}]}}"}, sets: []string{"algorithm.divergence.scale=2"},
		want: `--set algorithm.divergence.scale:1:1: algorithm.divergence.scale: the sweep sets algorithm.divergence in its arms, so this would do nothing; change the sweep, or drop it with --set sweep=null`},
	{name: "set of an unknown path", sets: []string{"mechanism.epsilonn=2"},
		want: `--set mechanism.epsilonn:1:1: unknown key "epsilonn" in mechanism; did you mean "epsilon"?`},
	{name: "set of an unknown section", sets: []string{"mechanisms.epsilon=2"},
		want: `--set mechanisms.epsilon:1:1: unknown key "mechanisms"; did you mean "mechanism"?`},
	{name: "set through a number", sets: []string{"nodes.all=2"},
		want: `--set nodes.all:1:1: nodes.all: nodes is the number 3, not a mapping`},
	{name: "set of an item too far", sets: []string{"algorithm.start[5]=2"},
		want: `--set algorithm.start[5]:1:1: algorithm.start[5]: algorithm.start has 2 items, so there is no item 5`},
	{name: "set of no path", sets: []string{"a..b=2"},
		want: `--set a..b:1:1: invalid path "a..b": a key is empty or needs quotes in brackets`},
	{name: "set of no YAML", sets: []string{"algorithm.start=[1, 2"},
		want: `--set algorithm.start:1:1: this [ is never closed`},
	{name: "set of a bad value", sets: []string{"algorithm.start=[1, high]"},
		want: `--set algorithm.start:1:5: algorithm.start[1]: expected a number, got the string "high"`},
	{name: "huge horizon", edits: []string{"horizon: 12", "horizon: 1000000000"},
		want: `s.yaml:3:10: horizon: 1000000000 steps; want 1 to 10000000`},
	{name: "huge horizon as text", edits: []string{"horizon: 12", "horizon: 1e9"},
		want: `s.yaml:3:10: horizon: 1000000000 steps; want 1 to 10000000`},
	{name: "huge nodes", edits: []string{"nodes: 3", "nodes: 1000000001"},
		want: `s.yaml:4:8: nodes: 1000000001 nodes; want 1 to 1000000000`},
	{name: "nodes of a population", edits: []string{"nodes: 3", "nodes: 10000001"},
		want: `s.yaml:4:8: nodes: 10000001 nodes, each with a state of its own; want at most 10000000, or an algorithm of a server that draws the clients of a round, with draw: server`},
	{name: "beyond integers", edits: []string{"nodes: 3", "nodes: 1e30", "count: 2", "count: 99999999999999999999"},
		want: "s.yaml:4:8: nodes: expected an integer, got the number 1e30\n" +
			"s.yaml:18:25: seeds.count: expected an integer from -9223372036854775808 to 9223372036854775807, got the number 99999999999999999999"},
	{name: "huge dimension", edits: []string{"dimension: 2", "dimension: 1000000000"},
		want: `s.yaml:11:35: problem.set.dimension: dimension 1000000000; want 1 to 1000000`},
	{name: "huge degree", sets: []string{"topology={kind: circulant, degree: 1000000000}"},
		want: `--set topology:1:27: topology.degree: degree is 1000000000, want 1 to 2: the nodes less one`},
	{name: "huge redrawn degree", sets: []string{"topology={kind: permutations, degree: 999999, every: 1}", "nodes=1000000"},
		want: `--set topology:1:30: topology.degree: 1000000 nodes of degree 999999 need more than 2147483647 edges`},
	{name: "huge complete graph", sets: []string{"topology={kind: complete}", "nodes=100000"},
		want: `--set topology:1:1: topology: the complete graph of 100000 nodes needs more than 2147483647 edges`},
	{name: "large complete graph", sets: []string{"topology={kind: complete}", "nodes=10000"},
		want: `--set topology:1:1: topology: a graph of 1e+08 edges; want at most 67108864`},
	{name: "large random graph", sets: []string{"topology={kind: permutations, degree: 99}", "nodes=1000000"},
		want: `--set topology:1:1: topology: a graph of 1e+08 edges; want at most 67108864`},
	{name: "huge nodes times dimension", sets: []string{"topology={kind: ring}", "nodes=1000000", "problem.set.dimension=1000"},
		want: `s.yaml:11:8: problem.set: 1000000 nodes in 1000 dimensions; want at most 134217728 coordinates in all`},
	{name: "huge horizon times dimension", sets: []string{"topology={kind: ring}", "problem={kind: logistic, set: {kind: l2-ball, dimension: 1000, radius: 1}}", "horizon=1000000", "algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 1}}"},
		want: `--set horizon:1:1: horizon: 1000000 steps in 1000 dimensions; want at most 268435456 coordinates over the horizon`},
	{name: "huge seeds", edits: []string{"count: 2", "count: 1000000000"},
		want: `s.yaml:18:25: seeds.count: 1000000000 seeds; want 1 to 1000000`},
	{name: "huge memory of metrics", edits: []string{"count: 2}", "count: 1000000}\nmeasure: {every: 1}"}, sets: []string{"topology={kind: ring}", "nodes=500"},
		want: `s.yaml:19:10: measure: the regret of 500 nodes at 12 steps under 1000000 seeds takes 134 GiB; want at most 4; raise measure.every, lower measure.nodes, or run fewer seeds`},
	{name: "huge number of records", edits: []string{"count: 2}", "count: 2}\nmeasure: {every: 1}", "horizon: 12", "horizon: 1000000"},
		want: `s.yaml:19:18: measure.every: metrics are recorded at 1000000 steps; want at most 100000`},
	{name: "huge sample", edits: []string{"count: 2}", "count: 2}\nmeasure: {nodes: 1000000000}"},
		want: `s.yaml:19:18: measure.nodes: 1000000000 nodes; want 1 to 100000`},
	{name: "huge grid", edits: []string{"count: 2}", "count: 2}\nsweep:\n  grid:\n    mechanism.epsilon: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]\n    horizon: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n    algorithm.step.scale: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"},
		want: `s.yaml:23:27: sweep.grid["algorithm.step.scale"]: 1100 arms or more; want at most 1000`},

	{name: "paper", edits: []string{"name: base\n", "name: base\npaper: {figure: Fig. 1, authors: [A, 2], link: x}\n"},
		want: "s.yaml:3:1: paper: missing required key \"title\"\n" +
			"s.yaml:3:38: paper.authors[1]: expected a string, got the number 2\n" +
			"s.yaml:3:42: unknown key \"link\" in paper; valid keys: title, figure, authors, url"},
	{name: "paper without words", edits: []string{"name: base\n", "name: base\npaper: {title: ''}\n"},
		want: `s.yaml:3:16: paper.title: a title of 0 characters; want at least 1`},
	{name: "metrics", edits: []string{"count: 2}", "count: 2}\nmeasure: {metrics: [regret.*, regret.rnu, regrets.*, target, 7]}"},
		want: "s.yaml:19:31: measure.metrics[1]: unknown metric \"regret.rnu\"; did you mean \"regret.run\"?\n" +
			"s.yaml:19:43: measure.metrics[2]: unknown metric \"regrets.*\"; did you mean \"regret.*\"?\n" +
			"s.yaml:19:54: measure.metrics[3]: unknown metric \"target\"; did you mean \"target.*\"?\n" +
			"s.yaml:19:62: measure.metrics[4]: expected a string, got the number 7"},
	{name: "no metrics", edits: []string{"count: 2}", "count: 2}\nmeasure: {metrics: []}"},
		want: `s.yaml:19:20: measure.metrics: 0 metrics; want at least 1`},
	{name: "unknown network", edits: []string{"count: 2}", "count: 2}\nnetwork: {kind: idea}"},
		want: `s.yaml:19:17: network.kind: unknown kind "idea"; did you mean "ideal"?`},
	{name: "network with more", edits: []string{"count: 2}", "count: 2}\nnetwork: {kind: ideal, delay: 2}"},
		want: `s.yaml:19:24: unknown key "delay" in network; valid keys: kind, compression, precision`},
	{name: "budget", edits: []string{"count: 2}", "count: 2}\nbudget: {epsilon: 0, delta: 1}"},
		want: "s.yaml:19:1: budget: missing required key \"on\"\n" +
			"s.yaml:19:19: budget.epsilon: epsilon = 0; it must be a finite number > 0, or none\n" +
			"s.yaml:19:29: budget.delta: delta = 1; want a number >= 0 and < 1"},
	{name: "budget on", edits: []string{"count: 2}", "count: 2}\nbudget: {epsilon: none, on: exit}"},
		want: `s.yaml:19:29: budget.on: unknown value "exit"; known: stop, refuse, spread`},
	{name: "budget refused", edits: []string{"epsilon: 1", "epsilon: 1, noise: shifted", "count: 2}", "count: 2}\nbudget: {epsilon: 5, on: refuse}"},
		want: `s.yaml:19:19: budget.epsilon: the releases of 12 steps have a loss of 11 a node, over the budget of 5; step 6 is the last within the budget`},
	{name: "budget refused without noise", edits: []string{"epsilon: 1", "epsilon: none", "count: 2}", "count: 2}\nbudget: {epsilon: 5, on: refuse}"},
		want: `s.yaml:19:19: budget.epsilon: the releases of 12 steps have an infinite loss a node, over the budget of 5; step 1 is the last within the budget`},
	{name: "plots", edits: []string{"count: 2}", "count: 2}\nplots: [{y: regret.run}, {name: Regret, y: regret.rum}, {name: a, y: consensus.error, band: iq}, {name: a, y: target.error, colour: red}]"},
		want: "s.yaml:19:9: plots[0]: missing required key \"name\"\n" +
			"s.yaml:19:33: plots[1].name: \"Regret\" names no file: lower-case letters, digits, '.', '_' and '-', at most 100\n" +
			"s.yaml:19:44: plots[1].y: unknown metric \"regret.rum\"; did you mean \"regret.run\"?\n" +
			"s.yaml:19:93: plots[2].band: unknown value \"iq\"; known: se, sd, ci, none\n" +
			"s.yaml:19:105: plots[3].name: two plots are called \"a\"\n" +
			"s.yaml:19:125: unknown key \"colour\" in plots[3]; none of 19 is near; starling describe scenario has all"},
	{name: "axes of plots", edits: []string{"count: 2}", "count: 2}\nsweep: {grid: {mechanism.epsilon: [1, none], algorithm.gradient_bound: [clip, error]}}\nplots:\n" +
		"- {name: a, y: regret.run, x: mechanism.epsilom}\n" +
		"- {name: b, y: regret.run, x: algorithm.gradient_bound}\n" +
		"- {name: c, y: regret.run, by: mechanism.epsilon}\n" +
		"- {name: d, y: regret.run, x: mechanism.epsilon, by: horizon}\n" +
		"- {name: e, y: regret.node}\n" +
		"- {name: f, y: regret.run, by: node}\n" +
		"- {name: g, y: regret.run, by: run}\n" +
		"- {name: h, y: regret.run, arms: [\"epsilon=1,*\", \"epsilom=1*\"]}"},
		want: "s.yaml:21:31: plots[0].x: arm epsilon=1,gradient_bound=clip does not set \"mechanism.epsilom\"; did you mean \"mechanism.epsilon\"?\n" +
			"s.yaml:23:32: plots[2].by: the arms epsilon=1,gradient_bound=clip and epsilon=1,gradient_bound=error would be the same curve; tell them apart\n" +
			"s.yaml:24:54: plots[3].by: arm epsilon=1,gradient_bound=clip does not set \"horizon\"; it sets mechanism.epsilon, algorithm.gradient_bound\n" +
			"s.yaml:25:16: plots[4].y: regret.node is a metric of nodes; it needs by: node\n" +
			"s.yaml:26:32: plots[5].by: regret.run is no metric of nodes\n" +
			"s.yaml:27:32: plots[6].by: a scenario's figures show one run\n" +
			"s.yaml:28:50: plots[7].arms[1]: unknown arm \"epsilom=1*\"; known: epsilon=1,gradient_bound=clip; epsilon=1,gradient_bound=error; epsilon=none,gradient_bound=clip; epsilon=none,gradient_bound=error"},
	{name: "headline of a slip", edits: []string{"count: 2}", "count: 2}\nmeasure: {headline: consensus.eror}"},
		want: `s.yaml:19:21: measure.headline: unknown metric "consensus.eror"; did you mean "consensus.error"?`},
	{name: "headline of what is not measured", edits: []string{"count: 2}", "count: 2}\nmeasure: {metrics: [regret.run, consensus.error], headline: target.error}"},
		want: `s.yaml:19:61: measure.headline: no arm records target.error; the study measures regret.run, consensus.error`},
	{name: "headline of nodes", edits: []string{"count: 2}", "count: 2}\nmeasure: {headline: regret.node}"},
		want: `s.yaml:19:21: measure.headline: regret.node is of single nodes, and a headline one number an arm; such as regret.expected, regret.run, consensus.error, target.error, messages.sent, bytes.sent, epsilon.step, epsilon.total`},
	{name: "headline without a better side", edits: []string{"count: 2}", "count: 2}\nmeasure: {metrics: [rounds, consensus.error], headline: rounds}"},
		want: `s.yaml:19:57: measure.headline: neither side of rounds is better; with a better side: consensus.error`},
	{name: "headline of an arm", edits: []string{"count: 2}", "count: 2}\nsweep: {grid: {measure.headline: [regret.run, consensus.error]}}"},
		want: "s.yaml:19:35: sweep.grid[\"measure.headline\"][0]: measure.headline is the same for all arms and cannot be swept\n" +
			"s.yaml:19:47: sweep.grid[\"measure.headline\"][1]: measure.headline is the same for all arms and cannot be swept"},
	{name: "conditions that are not swept", edits: []string{"count: 2}", "count: 2}\nsweep: {grid: {mechanism.epsilon: [1, 2], algorithm.theta: [3, 4]}, conditions: [mechanism.epsilom, mechanism.epsilon, mechanism.epsilon, horizon]}"},
		want: "s.yaml:19:82: sweep.conditions[0]: no arm sets \"mechanism.epsilom\"; did you mean \"mechanism.epsilon\"?\n" +
			"s.yaml:19:120: sweep.conditions[2]: mechanism.epsilon is listed twice\n" +
			"s.yaml:19:139: sweep.conditions[3]: no arm sets \"horizon\"; swept: mechanism.epsilon, algorithm.theta"},
	{name: "plots of what the algorithm does not record", edits: []string{"count: 2}", "count: 2}\nplots: [{name: a, y: accuracy.test}, {name: b, y: regret.client}, {name: c, y: regret.run, x: messages.lost}]"},
		want: "s.yaml:19:22: plots[0].y: no arm records accuracy.test; they record regret.expected, regret.run, regret.node, consensus.error, target.error, messages.sent, bytes.sent, epsilon.step, epsilon.total\n" +
			"s.yaml:19:51: plots[1].y: no arm records regret.client; they record regret.expected, regret.run, regret.node, consensus.error, target.error, messages.sent, bytes.sent, epsilon.step, epsilon.total\n" +
			"s.yaml:19:95: plots[2].x: no arm records messages.lost; did you mean \"messages.sent\"?"},
	{name: "plots of what is not recorded", edits: []string{"count: 2}", "count: 2}\nmeasure: {metrics: [regret.*]}\nplots: [{name: a, y: regret.run, x: messages.sent}, {name: b, y: epsilon.total}]"},
		want: "s.yaml:20:37: plots[0].x: messages.sent is not recorded: measure.metrics leaves it out\n" +
			"s.yaml:20:66: plots[1].y: epsilon.total is not recorded: measure.metrics leaves it out"},

	{name: "several at once", edits: []string{"horizon: 12", "horizon: 0", "kind: dpdonc", "kind: dpdonk", "radius: 3}", "radius: three}", "[0, 0.5, 0.5]", "[0, 0.5, 0.4]"},
		want: "s.yaml:3:10: horizon: 0 steps; want 1 to 10000000\n" +
			"s.yaml:6:9: algorithm.kind: unknown kind \"dpdonk\"; did you mean \"dpdonc\"?\n" +
			"s.yaml:11:46: problem.set.radius: expected a number, got the string \"three\"\n" +
			"s.yaml:16:23: topology.matrices[0][1]: row 2 sums to 0.9, want 1 within 1e-09 (what node 2 gives those it hears)"},
	{name: "several of one algorithm", edits: []string{"epsilon: 1", "epsilon: 0", "scale: 0.5", "scale: -1", "  start: [0, 0]", "  positivity: [1]\n  theta: a"},
		want: "s.yaml:7:40: algorithm.divergence.scale: scale -1; want a finite number > 0\n" +
			"s.yaml:8:15: algorithm.positivity: expected a string, got a sequence\n" +
			"s.yaml:9:10: algorithm.theta: expected a number, got the string \"a\"\n" +
			"s.yaml:18:37: mechanism.epsilon: epsilon = 0; it must be a finite number > 0, or none"},
	{name: "several options", edits: []string{"epsilon: 1", "epsilon: 1, noise: loud", "start: [0, 0]", "start: [9, 9]\n  theta: -1"},
		want: "s.yaml:9:10: algorithm.theta: theta = -1; want a finite number > 0\n" +
			"s.yaml:18:47: mechanism.noise: unknown value \"loud\"; known: as-printed, shifted"},
}

func TestInvalid(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, test := range invalidCases {
		t.Run(test.name, func(t *testing.T) {
			if err := os.WriteFile("s.yaml", []byte(scenariotest.Edited(t, scenariotest.Base, test.edits...)), 0o644); err != nil {
				t.Fatal(err)
			}
			before := allocated()
			_, err := scenarios.Load("s.yaml", scenariotest.ParseSets(t, test.sets...)...)
			if bytes := allocated() - before; bytes > 256<<20 {
				t.Errorf("%d MiB were allocated to refuse it", bytes>>20)
			}
			var input *document.InputError
			var issues document.Issues
			if !errors.As(err, &input) || !errors.As(err, &issues) {
				t.Fatalf("%T: %v, want an input error with places", err, err)
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// allocated is how many bytes this process has allocated so far.
func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}
