package scenariotest

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"starling/mechanisms/rng"
	"starling/scenarios"
	"starling/scenarios/loading"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// data is a folder of generated data sets. It is made once for a test binary: ratings in
// the form of MovieLens 1M with 6040 users, and blank images. Main removes it.
var data = sync.OnceValues(func() (folder string, err error) {
	if folder, err = os.MkdirTemp("", "starling-data-"); err == nil {
		err = dataset.WriteRatings(folder, dataset.NewSyntheticRatings(6040, rng.NewKey(1, rng.PurposeOf("test.ratings"))))
	}
	if err == nil {
		err = WriteBlankImages(folder)
	}
	return folder, err
})

// Main runs the tests of a package and removes the generated data. Small runs leave little
// garbage, so collecting it less often saves a quarter of the time. A package whose tests use
// Loader calls Main from TestMain and exits with its result.
func Main(m *testing.M) (code int) {
	debug.SetGCPercent(400)
	code = m.Run()
	if folder, err := data(); err == nil {
		os.RemoveAll(folder)
	}
	return code
}

// Loader reads scenarios with generated data. The generated data are the same in every
// process, so that digests of runs can be compared with stored ones.
func Loader(t testing.TB) loading.Loader {
	t.Helper()
	folder, err := data()
	if err != nil {
		t.Fatal(err)
	}
	return scenarios.NewLoader(folder)
}

// Edited returns text with pairs of old and new text exchanged. Every old text
// must be there once.
func Edited(t testing.TB, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if strings.Count(text, pairs[i]) != 1 {
			t.Fatalf("%q is not once in\n%s", pairs[i], text)
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// ParseSets reads overrides in the form of --set.
func ParseSets(t testing.TB, texts ...string) (list []loading.Override) {
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

// File writes a scenario's text to a file of a folder of its own.
func File(t testing.TB, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// LoadText loads a scenario's text as a file.
func LoadText(t testing.TB, text string, overrides ...string) *study.Scenario {
	t.Helper()
	return Load(t, File(t, text), overrides...)
}

// LoadError loads a scenario's text that may be wrong, as the file s.yaml. The working folder
// becomes the file's folder for the rest of the test, so that errors name "s.yaml" and no path
// of the machine. Parallel tests cannot use it.
func LoadError(t *testing.T, text string, overrides ...string) (*study.Scenario, error) {
	t.Helper()
	t.Chdir(filepath.Dir(File(t, text)))
	return scenarios.Load("s.yaml", ParseSets(t, overrides...)...)
}

// Refuses checks the error of each of some lists of overrides, with | between them, of a scenario's
// text: it has the text that is wanted. Parallel tests cannot use it.
func Refuses(t *testing.T, text string, wanted map[string]string) {
	t.Helper()
	for set, want := range wanted {
		if _, err := LoadError(t, text, strings.Split(set, "|")...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", set, err, want)
		}
	}
}

// Load loads a scenario of the library, or of a file.
func Load(t testing.TB, nameOrFile string, overrides ...string) *study.Scenario {
	t.Helper()
	s, err := Loader(t).Load(nameOrFile, ParseSets(t, overrides...)...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Undrawn returns the scenario without its figures, which take most of the time of a small
// run. Results have the same name, rows and digest. The given scenario stays as it is. An
// empty list of plots differs from none: none would mean the usual figures.
func Undrawn(s *study.Scenario) *study.Scenario {
	plain := *s
	plain.Plots, plain.Undrawn = []study.PlotSection{}, true
	return &plain
}

// RunIn runs a scenario into a folder of its own, without its figures. Options without a
// folder or an engine get a temporary folder and lockstep. A run that fails ends the test.
func RunIn(t testing.TB, s *study.Scenario, options runner.RunOptions) *runner.Outcome {
	t.Helper()
	return DrawnIn(t, Undrawn(s), options)
}

// DrawnIn runs a scenario into a folder of its own and draws its figures.
func DrawnIn(t testing.TB, s *study.Scenario, options runner.RunOptions) *runner.Outcome {
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

// Small loads a scenario of the library at a size for tests. Overrides come after the
// small sizes and win over them.
func Small(t testing.TB, name string, overrides ...string) *study.Scenario {
	t.Helper()
	// The small sizes keep the subject of a scenario: arms, mechanisms, networks. They reduce
	// steps, seeds and nodes.
	size := []string{"horizon=30", "seeds.count=2"}
	// Names of the library begin with the subject, which decides the sizes that may shrink.
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
	if name == "ofl-ridge" { // its arms have horizons of their own
		size = []string{"horizon=20", "seeds.count=1", "nodes=3", "sweep={grid: {mechanism.kind: [none, toeplitz, independent], algorithm.version: [2, 1]}}", "measure.every=7"}
	}
	if name == "network-scaling" {
		size = append(size, "nodes=12")
	}
	if strings.HasPrefix(name, "rates-") {
		size = []string{"horizon=20", "seeds.count=1", "measure.every=7"}
	}
	switch name {
	case "rates-horizon": // its arms have horizons of their own
		size = append(size, "sweep={list: [{name: gradient, set: {mechanism.epsilon: 1}}, {name: one-point, set: {algorithm.feedback: {kind: one-point, radius: 0.5}}}, {name: two-point, set: {algorithm.feedback: {kind: two-point, radius: 0.01}}}]}", "plots=[]")
	case "async-or-sync": // its arms have horizons of their own
		size = []string{"seeds.count=1", "problem.dimension=2", "measure.every=20"}
	case "rates-nodes": // its arms have these numbers of nodes
		size = append(size, "sweep={grid: {nodes: [4, 8], algorithm.step.per_node: [true, false]}}", "plots=[]")
	}
	if name == "secure-aggregation" || name == "population" || name == "availability-bias" { // messages hide among many, or few take part
		size = []string{"horizon=2", "seeds.count=1", "problem.dimension=2"}
	}
	if name == "gboard" { // rounds of few, with timers that bind
		size = []string{"horizon=20", "seeds.count=1", "problem.dimension=2", "clock.check_in.goal=10", "clock.check_in.least=5", "measure.every=7"}
	}
	if strings.HasPrefix(name, "scale-") {
		size = []string{"horizon=20", "seeds.count=1", "nodes=12", "measure.every=7"}
	}
	return Load(t, name, append(size, overrides...)...)
}

// RowsOf reads all rows of a run. dir is the folder of the run. The rows are in the order
// of the file.
func RowsOf(t testing.TB, dir string) (rows []results.Row) {
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

// JobOf returns the job of a scenario's first arm and seed. The job is new each time and has
// not run; its machines may be stepped by hand.
func JobOf(t testing.TB, s *study.Scenario) *study.Job {
	t.Helper()
	j, err := s.Arms[0].Algorithm.Job(s.Seeds.Base)
	if err != nil {
		t.Fatal(err)
	}
	if j.Release != nil {
		t.Cleanup(j.Release)
	}
	return j
}

// Measured holds the values that the jobs of a scenario leave in the folder of a run.
type Measured struct {
	// Rows are the values of every seed, and Summary the statistics over seeds. Digest, in
	// hex, covers the final state of every machine and all metrics.
	Rows    []results.Row
	Summary []results.SummaryRow
	Digest  string
}

// MetricsOf runs all jobs of a scenario.
func MetricsOf(t testing.TB, s *study.Scenario, options runner.RunOptions) (m Measured) {
	t.Helper()
	outcome := RunIn(t, s, options)
	return Measured{RowsOf(t, outcome.Dir), outcome.Summary, outcome.Manifest.Digest}
}

// MeasuredIn runs the jobs of a scenario's text on the lockstep runtime.
func MeasuredIn(t testing.TB, text string, overrides ...string) Measured {
	t.Helper()
	return MetricsOf(t, LoadText(t, text, overrides...), runner.RunOptions{Engine: runner.Lockstep})
}

// NoteOf returns the text of the note with a key; empty if there is none.
func NoteOf(notes []results.Note, key string) string {
	for _, n := range notes {
		if n.Key == key {
			return n.Value
		}
	}
	return ""
}

// Engines returns options for lockstep, and for the actor runtime with one shard, several, one
// for each node and more than there are nodes. A run must give the same bits on each of them.
// Shards of 0 leave the number to the runtime.
func Engines(s *study.Scenario) []runner.RunOptions {
	n := s.Arms[0].File.Nodes
	options := []runner.RunOptions{{Engine: runner.Lockstep}}
	for _, shards := range []int{0, 1, 2, 7, n, n + 5} {
		options = append(options, runner.RunOptions{Engine: runner.Actors, Shards: shards})
	}
	return options
}

// SomeEngines returns lockstep, two shards and one for each node of Engines in quick runs of the
// tests, and all of Engines in others. It is for the many tests of one feature each.
func SomeEngines(s *study.Scenario) []runner.RunOptions {
	all := Engines(s)
	if testneeds.SlowWanted() {
		return all
	}
	return []runner.RunOptions{all[0], all[3], all[5]}
}

// ValuesOf returns the values of a metric under the first seed, by step. It does not
// distinguish arms: it is for scenarios with one arm.
func ValuesOf(rows []results.Row, metric string) (values []float64) {
	for _, row := range rows {
		if row.Metric == metric && row.Seed == 1 {
			values = append(values, row.Value)
		}
	}
	return values
}

// Last returns the last of values. It panics where there are none.
func Last(values []float64) float64 { return values[len(values)-1] }
