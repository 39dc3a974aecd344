package scenarios_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/guide"
	"starling/scenarios/kind"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/section/problems/standard"
	"starling/scenarios/section/python"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// Least numbers of pairs that go together. A change that lowers one takes something
// away from users.
const (
	leastProblemPairs   = 163
	leastMechanismPairs = 68
)

// quickPairs is the number of pairs of an algorithm and of a kind with which quick tests end.
const quickPairs = 2

// pair loads an algorithm's example with an example of a kind in a section of it, and with
// overrides: the first that loads, of all there are, or the last error.
func pair(t *testing.T, algorithm kind.Kind, section string, with kind.Kind, overrides ...string) (s *study.Scenario, err error) {
	t.Helper()
	for _, text := range algorithm.Examples {
		for _, example := range with.Examples {
			s, err = scenariotest.Loader(t).Load(scenariotest.File(t, text), parseSets(t, append([]string{section + "=" + example}, overrides...)...)...)
			if err == nil {
				return s, nil
			}
		}
	}
	return nil, err
}

// TestPairs runs every algorithm with every problem and mechanism that the table says
// it goes with, three steps on both runtimes, and has the others refused. Quick tests load all
// and run a few of each algorithm and of each kind.
func TestPairs(t *testing.T) {
	t.Chdir("testdata") // where the files are that examples name
	catalog := scenarios.Catalog()
	counts, ran := map[string]int{}, map[string]int{}
	for _, p := range guide.Pairs(&catalog) {
		if p.Algorithm == python.KindPython && testneeds.NoPython() {
			continue // without it nothing that names a class loads
		}
		if ofCode(p) && !quickPython(p) && !testneeds.SlowWanted() {
			if p.Fits {
				counts[p.Section]++
			}
			continue
		}
		kinds := map[string][]kind.Kind{"problem": catalog.Problems, "mechanism": catalog.Mechanisms}[p.Section]
		s, err := pair(t, named(t, catalog.Algorithms, p.Algorithm), p.Section, named(t, kinds, p.Kind))
		switch {
		case !p.Fits && p.Why == "":
			t.Errorf("%s does not go with %s, and no reason is given", p.Algorithm, p.Kind)
		case !p.Fits && err == nil:
			t.Errorf("the table says that %s does not go with %s, and an example loads", p.Algorithm, p.Kind)
		case p.Fits && err != nil:
			t.Errorf("%s with %s: %v", p.Algorithm, p.Kind, err)
		case p.Fits:
			counts[p.Section]++
			if !testneeds.SlowWanted() && ran[p.Section+p.Algorithm] >= quickPairs && ran[p.Kind] >= quickPairs {
				continue
			}
			ran[p.Section+p.Algorithm]++
			ran[p.Kind]++
			t.Run(p.Algorithm+"/"+p.Kind, func(t *testing.T) {
				if p.Kind == python.KindPython || p.Kind == standard.KindPythonRows {
					testneeds.Python(t)
				}
				runPair(t, s)
			})
		}
	}
	if counts["problem"] < leastProblemPairs || counts["mechanism"] < leastMechanismPairs {
		t.Errorf("%d pairs with problems and %d with mechanisms, want at least %d and %d", counts["problem"], counts["mechanism"], leastProblemPairs, leastMechanismPairs)
	}
	t.Logf("%d pairs with problems, %d with mechanisms", counts["problem"], counts["mechanism"])
}

// ofCode reports whether a pair has a class in Python.
func ofCode(p guide.Pair) bool {
	return p.Algorithm == python.KindPython || strings.HasPrefix(p.Kind, python.KindPython)
}

// quickPython reports whether a pair with a class in Python is tried in every run of the tests:
// one algorithm of each form of a problem, and three problems of an algorithm. Others take an
// interpreter each, and are tried with the slow tests.
func quickPython(p guide.Pair) bool {
	if p.Algorithm == python.KindPython {
		return slices.Contains([]string{"logistic", "table", python.KindPython, "laplace", "gaussian"}, p.Kind)
	}
	return slices.Contains([]string{"dpdonc", "ofl", "dp-fedavg", "fedsvt", "opestoch"}, p.Algorithm)
}

// named is a kind of a list.
func named(t *testing.T, kinds []kind.Kind, name string) kind.Kind {
	t.Helper()
	i := slices.IndexFunc(kinds, func(k kind.Kind) bool { return k.Kind == name })
	if i < 0 || len(kinds[i].Examples) == 0 {
		t.Fatalf("the catalog has no example of %s", name)
	}
	return kinds[i]
}

// TestExamples runs the examples of what no algorithm chooses. Those of algorithms,
// problems and mechanisms are of pairs.
func TestExamples(t *testing.T) {
	t.Chdir("testdata")
	catalog := scenarios.Catalog()
	plain, served := named(t, catalog.Algorithms, "dpdonc").Examples[0], named(t, catalog.Algorithms, "ofl").Examples[0]
	nodes := map[string]string{"printed": "6", "matrices": "2", "torus": "6", "hypercube": "4", "one-peer": "8", "clusters": "6"}
	check := func(k kind.Kind, text string, overrides ...string) {
		for _, example := range named(t, []kind.Kind{k}, k.Kind).Examples {
			sets := slices.Clone(overrides)
			for i := range sets {
				sets[i] = strings.Replace(sets[i], "EXAMPLE", example, 1)
			}
			t.Run(k.Kind, func(t *testing.T) { runPair(t, loadText(t, text, sets...)) })
		}
	}
	for _, k := range catalog.Topologies {
		text, n := plain, cmp.Or(nodes[k.Kind], "5")
		switch k.Kind {
		case "star":
			text = served
		case "tiers": // without noise, which each example would have to place
			text, n = strings.Replace(named(t, catalog.Algorithms, "dp-fedavg").Examples[0], "kind: sampled-gaussian, sigma: 2, delta: 1e-5", "kind: none", 1), "3"
		}
		check(k, text, "topology=EXAMPLE", "nodes="+n)
	}
	for _, k := range catalog.Networks {
		check(k, plain, "network=EXAMPLE")
	}
	for _, k := range catalog.Codecs {
		check(k, plain, "network={kind: ideal, compression: EXAMPLE}")
	}
	for _, k := range catalog.Sets {
		check(k, plain, "problem={kind: logistic, set: EXAMPLE}")
	}
	for _, k := range catalog.Divergences {
		check(k, plain, "problem={kind: logistic, set: {kind: simplex, dimension: 2}}", "algorithm.divergence=EXAMPLE")
	}
	for _, k := range catalog.Models {
		check(k, plain, "problem={kind: table, file: library/own-data.csv, partition: {kind: iid}, label: y, features: [x1, x2], set: {kind: l2-ball, radius: 2}, model: EXAMPLE}")
	}
	for _, k := range catalog.Adversaries {
		check(k, plain, "adversaries=EXAMPLE", "topology={kind: complete}", "nodes=5")
	}
	for _, k := range catalog.Combines {
		check(k, plain, "algorithm.combine=EXAMPLE", "topology={kind: complete, self_loops: true}", "nodes=5")
	}
}

// runPair holds that both runtimes give the same.
func runPair(t *testing.T, s *study.Scenario) {
	lockstep := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
	actors := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 2})
	if lockstep.Digest != actors.Digest || len(lockstep.Rows) == 0 {
		t.Errorf("digest %s in lockstep and %s with actors, of %d rows", lockstep.Digest, actors.Digest, len(lockstep.Rows))
	}
}
