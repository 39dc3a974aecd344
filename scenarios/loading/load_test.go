package loading_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"starling/scenarios"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// TestLibrary checks what the README and the tutorials promise of each scenario
// of the library.
func TestLibrary(t *testing.T) {
	t.Parallel()
	arms := map[string][]string{}
	entries, err := loading.LibraryEntries()
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Summary == "" {
			t.Errorf("%s has no description", entry.Kind)
		}
		s := scenariotest.Load(t, entry.Kind)
		base := uint64(1)
		if strings.HasSuffix(s.Name, "-seeds") {
			base = 101 // of a figure that has a panel for each seed
		}
		if s.Name != entry.Kind || s.Seeds.Base != base {
			t.Errorf("%s: name %s, seeds %+v", entry.Kind, s.Name, s.Seeds)
		}
		if !strings.HasPrefix(s.Name, "dpdonc-") {
			continue // its claims name its arms, and a test holds them to it
		}
		horizon := 500
		if s.Name == "dpdonc-noise" {
			horizon = 20_000 // in which orders of growth show
		}
		if s.Seeds.Count != 100 || s.Arms[0].File.Horizon != horizon {
			t.Errorf("%s: seeds %+v, horizon %d", entry.Kind, s.Seeds, s.Arms[0].File.Horizon)
		}
		for _, arm := range s.Arms {
			arms[s.Name] = append(arms[s.Name], arm.Name)
		}
	}
	want := map[string][]string{
		"dpdonc-as-printed":   {"epsilon=0.5", "epsilon=1", "epsilon=5", "epsilon=none"},
		"dpdonc-localization": {"epsilon=0.5", "epsilon=1", "epsilon=5", "epsilon=none"},
		"dpdonc-entropy":      {"epsilon=1", "epsilon=5", "epsilon=none"},
		"dpdonc-divergences":  {"euclidean", "mahalanobis"},
		"dpdonc-gaussian":     {"laplace,d=2", "gaussian,d=2", "none,d=2", "laplace,d=64", "gaussian,d=64", "none,d=64"},
		"dpdonc-interaction":  {"printed", "printed-alone", "around", "around-alone"},
		"dpdonc-nodes":        {"base"},
		"dpdonc-noise":        {"epsilon=0.5", "epsilon=1", "epsilon=2", "epsilon=5", "epsilon=none"},
	}
	if diff := cmp.Diff(want, arms); diff != "" {
		t.Errorf("arms (-want +got):\n%s", diff)
	}
}

// TestCatalog runs a scenario of every kind there is.
func TestCatalog(t *testing.T) {
	sections := map[string]map[string]string{
		"topology": {
			"printed":      "{kind: printed}",
			"matrices":     "{kind: matrices, matrices: [[[1/3, 2/3], [2/3, 1/3]], [[0, 1], [1, 0]]]}",
			"ring":         "{kind: ring}",
			"complete":     "{kind: complete, self_loops: true}",
			"circulant":    "{kind: circulant, degree: 2}",
			"permutations": "{kind: permutations, degree: 2, every: 3}",
			"star":         "{kind: star}",

			"path":                    "{kind: path}",
			"torus":                   "{kind: torus, sides: [2, 3], directed: true, weighting: {scheme: uniform-in, self_loops: true}}",
			"hypercube":               "{kind: hypercube, weighting: {scheme: lazy-metropolis}}",
			"exponential":             "{kind: exponential, directed: true, weighting: {scheme: uniform-in, self_loops: true}}",
			"one-peer":                "{kind: one-peer}",
			"erdos-renyi":             "{kind: erdos-renyi, probability: 0.4, every: 2, weights: unchecked}",
			"k-out":                   "{kind: k-out, degree: 2, directed: true, weighting: {scheme: uniform-in, self_loops: true}, weights: unchecked}",
			"random-regular":          "{kind: random-regular, degree: 2, directed: true, weighting: {scheme: sinkhorn, self_loops: true}, weights: unchecked}",
			"small-world":             "{kind: small-world, neighbours: 2, rewire: 0.2, weights: unchecked}",
			"preferential-attachment": "{kind: preferential-attachment, edges: 2}",
			"matching":                "{kind: matching, every: 1, base: {kind: path}, weights: unchecked}",
			"stochastic-block":        "{kind: stochastic-block, blocks: 2, within: 0.9, between: 0.3, drift: 0.1, every: 3, weights: unchecked}",
			"geometric":               "{kind: geometric, radius: 0.5, spread: 0.2, speed_min: 0.01, speed_max: 0.1, weighting: {scheme: uniform-in, self_loops: true}, weights: unchecked}",
			"markov-edges":            "{kind: markov-edges, on: 0.3, off: 0.3, base: {kind: random-regular, degree: 2}, weights: unchecked}",
			"cycle":                   "{kind: cycle, every: 2, parts: [{kind: ring}, {kind: path, weighting: {scheme: lazy-metropolis}}, {kind: erdos-renyi, probability: 0.5, every: 1}]}",
			"edge-list":               "{kind: edge-list, file: ../testdata/network.csv, repeat: true, weighting: {scheme: uniform-in, self_loops: true}, weights: unchecked}",
			"graphml":                 "{kind: graphml, file: ../testdata/network.graphml, weighting: {scheme: metropolis}}",
		},
		"problem": {
			"localization":          "{kind: localization, set: {kind: box, lower: [-1, -2], upper: [1, 2]}, sensors: {random: {low: [2, 2], high: [3, 3]}}}",
			"logistic":              "{kind: logistic, set: {kind: l1-ball, dimension: 3, radius: 1, center: [1, 0, 0]}, normalise: false, feature_norm: 2}",
			"linear":                "{kind: linear, experts: 5, gap: 0.1, law: uniform, expert: 2}",
			"gaussian-softmax":      "{kind: gaussian-softmax, experts: 5, loss: cross-entropy, floor: 0.01, means: [0, 2]}",
			"lower-bound-theorem-2": "{kind: lower-bound-theorem-2, experts: 5}",
			"one-select":            "{kind: one-select, experts: 5, records: 3}",
			"lower-bound-theorem-3": "{kind: lower-bound-theorem-3, experts: 5, epsilon: 0.1}",
			"uniform-zero":          "{kind: uniform-zero, experts: 5}",
			"movielens":             "{kind: movielens, fill: user-mean}",
			"from-file":             "{kind: from-file, file: ../testdata/losses.csv}",
			"images":                "{kind: images, data: synthetic, train: 60, test: 30, model: {kind: cnn, filters: 2, hidden: [4]}, partition: {kind: dirichlet, alpha: 5, min_size: 12}}",
			"table":                 "{kind: table, file: library/own-data.csv, party: client, step: step, label: x1, features: [x2, x3], model: {kind: huber, delta: 2, l2: 0.1}, test: {share: 0.3}, standardise: {mean: [0, 1], scale: [1, 2]}, feature_bound: 2, label_bound: 3, set: {kind: l2-ball, radius: 2}, reuse: cycle}",
			"robust-regression":     "{kind: robust-regression, set: {kind: simplex, dimension: 3}, truth: {drift: 0.01}}",
		},
		"algorithm": {
			"dpdonc":   "{kind: dpdonc, divergence: {kind: euclidean, scale: 1}}",
			"dpfl":     "{kind: dpfl, tau: 2, learning_rate: 0.1, batch: 4, clip: 1}",
			"ali-dpfl": "{kind: ali-dpfl, learning_rate: 0.1, batch: 4, clip: 1, control: 10, statistics: private, statistics_sigma: 1, statistics_lipschitz: 1, statistics_clip: 1, statistics_samples: 10}",
			"opestoch": "{kind: opestoch, variant: central, batch: corollary-1}",
			"fedsvt":   "{kind: fedsvt, interval: 3, kappa: 2.5, lstar: 0.5, start: 2}",
			"ofl":      "{kind: ofl, version: 1, tau: 4, local_step: 0.2, gradient_bound: 0.5, sensitivity: convex}",
		},
		"mechanism": {
			"sampled-gaussian": "{kind: sampled-gaussian, sigma: 1, delta: 1e-3, accountant: rdp-cks}",
			"laplace":          "{kind: laplace, epsilon: 0.1, noise: shifted}",
			"gaussian":         "{kind: gaussian, epsilon: 0.1, delta: 1e-6, calibration: zcdp}",
			"dp-fw":            "{kind: dp-fw, epsilon: 0.1}",
			"sparse-vector":    "{kind: sparse-vector, epsilon: none}",
		},
		"network": {
			"ideal":   "{kind: ideal}",
			"effects": "{kind: effects, loss: {probability: 0.2}, delay: {longest: 2}, churn: {fail: 0.1, recover: 0.3}, events: [{at: 3, until: 6, partition: [[1, 2]]}, {at: 5, straggle: [3], turns: 2}]}",
		},
	}
	nodes := map[string]string{"printed": "6", "matrices": "2", "torus": "6", "hypercube": "4", "one-peer": "8"}
	catalog := map[string][]kind.Entry{"topology": scenarios.Topologies(), "problem": scenarios.Problems(), "algorithm": scenarios.Algorithms(), "mechanism": scenarios.Mechanisms(), "network": scenarios.Networks()}
	for section, entries := range catalog {
		for _, entry := range entries {
			t.Run(entry.Kind, func(t *testing.T) {
				t.Parallel()
				overrides := []string{"nodes=5", "topology={kind: ring}", "algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 1}}"}
				if n := nodes[entry.Kind]; n != "" {
					overrides[0] = "nodes=" + n
				}
				text := sections[section][entry.Kind]
				s := loadFamily(t, section, entry.Kind, text, overrides)
				a := scenariotest.MetricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Digest
				if b := scenariotest.MetricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 2}).Digest; a != b {
					t.Errorf("lockstep %s, actors %s", a, b)
				}
			})
		}
	}
}

// loadFamily loads a scenario of the family that a kind belongs to. Mechanisms
// of correlated noise need nothing said but their names.
func loadFamily(t *testing.T, section, kind, text string, overrides []string) *study.Scenario {
	t.Helper()
	switch {
	case kind == "opestoch" || kind == "dp-fw" || section == "problem" && isAdversary(kind):
		return scenariotest.LoadText(t, scenariotest.Stochastic, section+"="+text)
	case kind == "dpfl" || kind == "ali-dpfl" || kind == mechanisms.KindSampledGaussian:
		return scenariotest.LoadText(t, scenariotest.Trained, section+"="+text)
	case kind == problems.KindImages:
		return scenariotest.LoadText(t, scenariotest.Learning, section+"="+text, "algorithm.gradient_bound=1")
	case kind == "fedsvt" || kind == "sparse-vector":
		return scenariotest.LoadText(t, scenariotest.Realizable, section+"="+text)
	}
	federated := kind == "ofl" || kind == "star" || section == "problem" && text == "" || section == "mechanism" && text == ""
	switch {
	case !federated:
		return scenariotest.LoadText(t, scenariotest.Base, append(overrides, section+"="+text)...)
	case text == "":
		return scenariotest.LoadText(t, scenariotest.Learning, section+".kind="+kind)
	}
	return scenariotest.LoadText(t, scenariotest.Learning, section+"="+text)
}

// TestNotAScenario checks files that are not one, and names of nothing.
func TestNotAScenario(t *testing.T) {
	t.Chdir(t.TempDir())
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\n"
	for _, test := range []struct{ name, text, want string }{
		{"empty.yaml", "", "empty.yaml:1:1: empty"},
		{"comments.yaml", "# nothing\n\n", "comments.yaml:1:1: empty: there is nothing in it but comments"},
		{"list.yaml", "- 1\n", "list.yaml:1:1: the document must be a mapping, not a sequence"},
		{"binary.yaml", "version: 1\nname: \xff\xfe\x00", "binary.yaml:2:7: not UTF-8: byte 0xff"},
		{"zero.yaml", "name: a\x00b", "zero.yaml:1:8: control character U+0000"},
		{"bomb.yaml", bomb, "bomb.yaml:1:4: anchors (&name) are not supported; write the value out"},
		{"twice.yaml", "name: a\nname: b\n", "twice.yaml:2:1: duplicate key \"name\"; the first is at 1:1"},
		{"large.yaml", strings.Repeat("#", document.MaxBytes+1), "large.yaml:1:1: larger than 1048576 bytes"},
	} {
		if err := os.WriteFile(test.name, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := scenarios.Load(test.name)
		var input *document.InputError
		if !errors.As(err, &input) || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
	for name, want := range map[string]string{
		"dpdonc-localisation": `no scenario or file "dpdonc-localisation"; did you mean "dpdonc-localization"?`,
		"zzz":                 `no scenario or file "zzz"; the library has ` + strings.Join(loading.Library(), ", "),
		"none.yaml":           "open none.yaml: no such file or directory",
		".":                   "read .: is a directory",
		"/dev/zero":           "/dev/zero:1:1: larger than 1048576 bytes", // and not read to its end
	} {
		_, err := scenarios.Load(name)
		var input *document.InputError
		if !errors.As(err, &input) || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func TestExcerpts(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("s.yaml", []byte(scenariotest.Edited(t, scenariotest.Base, "horizon: 12", "horizon: 0")), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := scenarios.Load("s.yaml", scenariotest.ParseSets(t, "mechanism.epsilon=low")...)
	var input *document.InputError
	if !errors.As(err, &input) {
		t.Fatal(err)
	}
	want := `--set mechanism.epsilon:1:1: mechanism.epsilon: expected a number > 0 or none, got low
    1 | low
      | ^
s.yaml:3:10: horizon: 0 steps; want 1 to 10000000
    3 | horizon: 0
      |          ^`
	if diff := cmp.Diff(want, input.Excerpts()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseOverride(t *testing.T) {
	got := scenariotest.ParseSets(t, "a.b=c=d")[0]
	if want := (loading.Override{Path: "a.b", Text: "c=d", Source: "--set a.b"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, text := range []string{"", "a", "=1"} {
		if _, err := loading.ParseOverride(text); err == nil || !strings.Contains(err.Error(), "want path=value") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// TestArmNames checks the names of arms: of a sweep's keys the last elements,
// and the values as the file writes them; the last path varies fastest.
func TestArmNames(t *testing.T) {
	for sweep, want := range map[string]string{
		"{grid: {mechanism.epsilon: [0.50, none], nodes: [3, 3.0]}}":               "epsilon=0.50,nodes=3 epsilon=0.50,nodes=3.0 epsilon=none,nodes=3 epsilon=none,nodes=3.0",
		"{grid: {algorithm.start: [[0, 1], [0.5, 0]]}}":                            "start=[0,1] start=[0.5,0]",
		"{grid: {algorithm.divergence: [{kind: euclidean, scale: 1}]}}":            "divergence={kind:euclidean,scale:1}",
		"{grid: {'topology.matrices[0][1]': [[0, 0.5, 0.5]]}}":                     "matrices[0][1]=[0,0.5,0.5]",
		"{list: [{set: {horizon: 5, nodes: 3}}, {name: long, set: {horizon: 9}}]}": "horizon=5,nodes=3 long",
		"{list: [{name: as it is, set: {}}]}":                                      "as it is",
		"null":                                                                     "base",
	} {
		var names []string
		for _, arm := range scenariotest.LoadText(t, scenariotest.Base, "sweep="+sweep).Arms {
			names = append(names, arm.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: arms %s, want %s", sweep, got, want)
		}
	}
}

// TestSharedParts checks that arms share what the sweep leaves alone, and that
// the limits count it once.
func TestSharedParts(t *testing.T) {
	s := scenariotest.LoadText(t, scenariotest.Base, "topology={kind: complete}", "nodes=3000", "problem.sensors={same: {position: [1, 1]}}",
		"sweep={grid: {mechanism.epsilon: [1, 2, 3, 4, 5, 6, 7, 8]}}") // of 9 million edges each
	for _, arm := range s.Arms {
		if arm.Topology != s.Arms[0].Topology || arm.Problem != s.Arms[0].Problem {
			t.Errorf("arm %s has graphs or a problem of its own", arm.Name)
		}
	}
}

// longHorizon is a horizon of five digits and more.
var longHorizon = regexp.MustCompile(`(?m)^horizon: \d{5,}$`)

// FuzzLoad checks that no text makes reading a scenario panic, and that
// whatever is wrong with one has a place in it.
func FuzzLoad(f *testing.F) {
	for _, name := range loading.Library() {
		_, text, err := loading.Read(name, "")
		if err != nil {
			f.Fatal(err)
		}
		// A factorization over a long horizon takes seconds, and TestLibrary finds it.
		f.Add(longHorizon.ReplaceAll(text, []byte("horizon: 1000")))
	}
	f.Add([]byte(scenariotest.Base))
	f.Add([]byte(scenariotest.Large))
	for _, test := range invalidCases {
		f.Add([]byte(scenariotest.Edited(f, scenariotest.Base, test.edits...)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := document.Parse("f.yaml", text)
		var s *study.Scenario
		if err == nil {
			s, err = scenariotest.Loader(t).Check(doc)
		}
		if err == nil {
			checkReload(t, s)
			return
		}
		var issues document.Issues
		if !errors.As(err, &issues) || len(issues) == 0 {
			t.Fatalf("%T without places: %v", err, err)
		}
		for _, issue := range issues {
			if p := issue.Position; p.File != "f.yaml" || p.Line < 1 || p.Column < 1 || p.Line > 2+strings.Count(string(text), "\n") {
				t.Errorf("no place in the text: %s", issue)
			}
		}
	})
}

// isAdversary tells whether a problem is one of prediction from experts.
func isAdversary(name string) bool {
	return slices.ContainsFunc(scenarios.NewLoader("").Kinds.Problems, func(k kind.Kind) bool {
		return k.Kind == name && slices.ContainsFunc(k.Builds, func(b any) bool { _, ok := b.(problems.LinearBuilder); return ok })
	})
}
