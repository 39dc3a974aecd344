package scenarios

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"starling/mechanisms/rng"
	"starling/scenarios/loading"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// base is a small scenario that is right in everything. Tests change a few
// words of it.
const base = `version: 1
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

// lossy is base on a network with effects.
const lossy = base + "network: {kind: effects, loss: {probability: 0.3}, delay: {turns: 1}}\n"

// narrow is base on a network of limited bandwidth.
const narrow = base + "network: {kind: effects, bandwidth: {bytes: 30, queue: 100}}\n"

// learning is a small scenario of online federated learning.
const learning = `version: 1
name: learning
horizon: 12
nodes: 3
algorithm: {kind: ofl, tau: 3, local_step: 0.1}
problem: {kind: synthetic-logistic, dimension: 4}
topology: {kind: star}
mechanism: {kind: toeplitz, epsilon: 2, delta: 1e-3}
seeds: {base: 1, count: 2}
`

// stochastic is a small scenario of Fed-DP-OPE-Stoch, and realizable one of
// Fed-SVT.
const (
	stochastic = `version: 1
name: stochastic
horizon: 20
nodes: 3
algorithm: {kind: opestoch}
problem: {kind: linear, experts: 4, gap: 0.2}
topology: {kind: star}
mechanism: {kind: dp-fw, epsilon: 2}
seeds: {base: 1, count: 2}
`
	realizable = `version: 1
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

// large is a scenario of the size at which the actor runtime has several
// shards: random graphs that change at every step, on a ball in 4 dimensions.
const large = `version: 1
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

// testData is a folder of generated data sets.
var testData = sync.OnceValues(func() (folder string, err error) {
	if folder, err = os.MkdirTemp("", "starling-data-"); err == nil {
		err = dataset.WriteRatings(folder, dataset.NewSyntheticRatings(6040, rng.NewKey(1, rng.PurposeOf("test.ratings"))))
	}
	if err == nil {
		err = writeBlankImages(folder)
	}
	return folder, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if folder, err := testData(); err == nil {
		os.RemoveAll(folder)
	}
	os.Exit(code)
}

// testLoader reads scenarios with generated data.
func testLoader(t testing.TB) loading.Loader {
	t.Helper()
	folder, err := testData()
	if err != nil {
		t.Fatal(err)
	}
	return NewLoader(folder)
}

// edited returns text with pairs of old and new text exchanged. Every old text
// must be there once.
func edited(t testing.TB, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if strings.Count(text, pairs[i]) != 1 {
			t.Fatalf("%q is not once in\n%s", pairs[i], text)
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// parseSets reads overrides as --set gives them.
func parseSets(t testing.TB, texts ...string) (list []loading.Override) {
	t.Helper()
	for _, text := range texts {
		o, err := loading.ParseOverride(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, o)
	}
	return list
}

// loadText loads a scenario's text as a file.
func loadText(t testing.TB, text string, overrides ...string) *study.Scenario {
	t.Helper()
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return loadScenario(t, file, overrides...)
}

func loadScenario(t testing.TB, nameOrFile string, overrides ...string) *study.Scenario {
	t.Helper()
	s, err := testLoader(t).Load(nameOrFile, parseSets(t, overrides...)...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// runIn runs a scenario into a folder of its own.
func runIn(t testing.TB, s *study.Scenario, options runner.RunOptions) *runner.Outcome {
	t.Helper()
	if options.Out == "" {
		options.Out = t.TempDir()
	}
	if options.Engine == "" {
		options.Engine = runner.Lockstep
	}
	outcome, err := runner.Run(s, t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

// small loads a scenario of the library at a size for tests.
func small(t testing.TB, name string, overrides ...string) *study.Scenario {
	t.Helper()
	size := []string{"horizon=30", "seeds.count=2"}
	if strings.HasPrefix(name, "svt-") || strings.HasPrefix(name, "ope-") {
		size = []string{"horizon=20", "seeds.count=1", "measure={every: 7}"}
	}
	if strings.HasPrefix(name, "ofl-") {
		size = []string{"horizon=20", "seeds.count=1", "nodes=3", "problem.dimension=3", "measure={every: 7}"}
	}
	if strings.HasPrefix(name, "ali-") || strings.HasPrefix(name, "ofl-cnn-") || strings.HasPrefix(name, "fmnist-") {
		size = smallImages(name)
	}
	if strings.HasPrefix(name, "network-") || strings.HasPrefix(name, "privacy-") {
		size = []string{"horizon=20", "seeds.count=1", "measure={every: 7}"}
	}
	if name == "ofl-ridge" { // whose arms have horizons of their own
		size = []string{"horizon=20", "seeds.count=1", "nodes=3", "sweep={grid: {mechanism.kind: [none, toeplitz, independent], algorithm.version: [2, 1]}}", "measure.every=7"}
	}
	if name == "network-scaling" {
		size = append(size, "nodes=12")
	}
	return loadScenario(t, name, append(size, overrides...)...)
}

// rowsOf reads all rows of a run.
func rowsOf(t testing.TB, dir string) (rows []results.Row) {
	t.Helper()
	run, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	err = run.Rows(func(row results.Row) error { rows = append(rows, row); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// metrics are what the jobs of a scenario leave, short of a folder.
type metrics struct {
	rows    []results.Row
	summary []results.SummaryRow
	digest  string // as the manifest would have it
}

// metricsOf runs all jobs of a scenario. It draws no figures, which is most of
// the time of a small run.
func metricsOf(t testing.TB, s *study.Scenario, options runner.RunOptions) (m metrics) {
	t.Helper()
	folder, err := results.Create(t.TempDir(), results.Options{Plan: runner.ResultsPlan(s), Scenario: s.Document.Bytes()})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	store, err := checkpoint.Open(t.TempDir(), runner.Identity(s, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c := runner.NewCollector(s, folder)
	err = runner.RunJobs(s, t.Context(), options, store, zerolog.Nop(), func(r *runner.JobResult) error {
		m.rows = slices.AppendSeq(m.rows, r.Metrics.Rows())
		return c.Take(r)
	})
	if err != nil {
		t.Fatal(err)
	}
	m.summary, m.digest = folder.SummaryRows(), c.Digest()
	return m
}
