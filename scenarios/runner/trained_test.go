package runner_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/ledger"
	"starling/scenarios/problem/model"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// ofOnline are overrides that make modelling online federated learning.
var ofOnline = []string{"algorithm={kind: ofl, tau: 2, local_step: 0.1, gradient_bound: 1}", "horizon=8"}

// modelOf reads the model that an arm of a run has left.
func modelOf(t testing.TB, dir, arm string, seed uint64) *model.Saved {
	t.Helper()
	path := filepath.Join(dir, "models", fmt.Sprintf("%s.seed-%d.safetensors", arm, seed))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := model.ReadFile(path, text)
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

// serverOf runs an arm under a seed again and returns what its server ends with, by
// its state as it would be sent over.
func serverOf(t testing.TB, arm *study.Arm, seed uint64) []float64 {
	t.Helper()
	j, err := arm.Algorithm.Job(seed)
	if err != nil {
		t.Fatal(err)
	}
	if err := lockstep.Run(context.Background(), &j.Run); err != nil {
		t.Fatal(err)
	}
	for _, q := range algorithm.Quantities(j.Run.Machines[0]) {
		if len(q.Values) > 1 { // the one vector of a server
			return q.Values
		}
	}
	return nil
}

// TestModels checks that every job leaves the model that its server ends with, bit by
// bit, with what it was, and that the manifest lists the files.
func TestModels(t *testing.T) {
	for name, overrides := range map[string][]string{"dpfl": nil, "ali-dpfl": {"algorithm={kind: ali-dpfl, learning_rate: 0.1, batch: 8, clip: none}"}, "ofl": ofOnline} {
		s := scenariotest.LoadText(t, scenariotest.Modelling, overrides...)
		o := scenariotest.RunIn(t, s, runner.RunOptions{})
		for _, arm := range s.Arms {
			for seed := uint64(1); seed <= 2; seed++ {
				saved := modelOf(t, o.Dir, arm.Name, seed)
				if want := serverOf(t, arm, seed); !sameBits(saved.Params, want) {
					t.Errorf("%s, %s, seed %d: another model than the server's", name, arm.Name, seed)
				}
				want := map[string]string{
					"starling.scenario": "modelling", "starling.arm": arm.Name, "starling.seed": fmt.Sprint(seed),
					"starling.data": "synthetic", "starling.features": runner.FeaturesText,
				}
				if costs := saved.Notes[ledger.CostKey]; !strings.Contains(costs, `"definition":"not private"`) { // there is no noise
					t.Errorf("%s: costs %s", name, costs)
				}
				delete(saved.Notes, ledger.CostKey)
				if d := cmp.Diff(want, saved.Notes); d != "" {
					t.Errorf("%s: %s", name, d)
				}
				if d := cmp.Diff(study.TrainedModelOf(arm).Model.(*model.Model).Options(), saved.Model.Options()); d != "" {
					t.Errorf("%s: %s", name, d)
				}
			}
		}
		if run, err := results.Open(o.Dir); err != nil {
			t.Error(err)
		} else if n := len(modelFiles(run.Manifest)); n != 4 {
			t.Errorf("%s: the manifest lists %d models", name, n)
		}
	}
	o := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, "measure.model=false"), runner.RunOptions{})
	if _, err := os.Stat(filepath.Join(o.Dir, "models")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("models that nobody asked for: %v", err)
	}
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
}

// sameWeights allows for the rounding of the means of equal models, a few in each round.
func sameWeights(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(a, b float64) bool { return math.Abs(a-b) <= 1e-13*math.Abs(b) })
}

func modelFiles(m results.Manifest) (list []results.FileEntry) {
	for _, file := range m.Files {
		if strings.HasPrefix(file.Name, "models/") {
			list = append(list, file)
		}
	}
	return list
}

// TestWeights checks that a saved model is where a run starts: steps that are too
// small to move it leave the accuracy that it was saved with, and the file is part of
// the hash. Its path is from the scenario's folder.
func TestWeights(t *testing.T) {
	folder := t.TempDir()
	first := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling, "sweep=null", "problem.model.kind=cnn", "horizon=30"), runner.RunOptions{})
	text, err := os.ReadFile(filepath.Join(first.Dir, "models", "base.seed-2.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "start.safetensors"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	load := func(overrides ...string) *study.Scenario {
		t.Helper()
		file := filepath.Join(folder, "s.yaml")
		content := scenariotest.Edited(t, scenariotest.Modelling, "{kind: softmax, filters: 2, hidden: [4]}", "{kind: cnn, filters: 2, hidden: [4], weights: start.safetensors}", "sweep: {grid: {problem.model.kind: [softmax, cnn]}}\n", "", "learning_rate: 0.1", "learning_rate: 1e-300")
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return scenariotest.Load(t, file, overrides...)
	}
	want := modelOf(t, first.Dir, "base", 2)
	accuracy := scenariotest.Last(accuracyOf(t, first.Dir, 2))
	for name, overrides := range map[string][]string{"dpfl": nil, "ofl": {"algorithm={kind: ofl, tau: 2, local_step: 1e-300, gradient_bound: 1}"}} {
		s := load(overrides...)
		o := scenariotest.RunIn(t, s, runner.RunOptions{})
		for seed := uint64(1); seed <= 2; seed++ {
			if !sameWeights(modelOf(t, o.Dir, "base", seed).Params, want.Params) {
				t.Errorf("%s, seed %d: the run does not start from the file", name, seed)
			}
			if got := scenariotest.Last(accuracyOf(t, o.Dir, seed)); name == "dpfl" && got != accuracy {
				t.Errorf("%s, seed %d: accuracy %v, was %v when saved", name, seed, got, accuracy)
			}
		}
		read := slices.ContainsFunc(o.Manifest.Notes, func(n results.Note) bool {
			return n.Key == inputs.DataNote && strings.HasPrefix(n.Value, "start.safetensors, sha256 ")
		})
		if run, err := results.Open(o.Dir); err != nil || !read {
			t.Errorf("%s: %v, the notes name the file: %v", name, err, read)
		} else if err := study.CheckData(s, run.Manifest.Notes); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	before := runner.Hash(load(), "build")
	text[len(text)-8] ^= 1 // the last bit of the last bias
	if err := os.WriteFile(filepath.Join(folder, "start.safetensors"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	if runner.Hash(load(), "build") == before {
		t.Error("other weights, the same hash")
	}
}

func accuracyOf(t testing.TB, dir string, seed uint64) (values []float64) {
	t.Helper()
	for _, row := range scenariotest.RowsOf(t, dir) {
		if row.Metric == "accuracy.test" && row.Seed == seed {
			values = append(values, row.Value)
		}
	}
	return values
}

// located is how an error begins that has a place.
var located = regexp.MustCompile(`^(.*\.yaml|--set .*):\d+:\d+: `)

// TestModelErrors checks what is said of models that cannot be saved or read, and
// where.
func TestModelErrors(t *testing.T) {
	o := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Modelling), runner.RunOptions{})
	softmax := filepath.Join(o.Dir, "models", "kind=softmax.seed-1.safetensors")
	text, err := os.ReadFile(softmax)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.safetensors")
	if err := os.WriteFile(cut, text[:100], 0o644); err != nil {
		t.Fatal(err)
	}
	weights := func(file string) []string {
		return []string{"sweep=null", "problem.model.kind=cnn", "problem.model.weights=" + file}
	}
	for name, test := range map[string]struct {
		text      string
		overrides []string
		want      string
	}{
		"costs":      {scenariotest.Base, []string{"measure.model=true"}, "measure.model: this arm trains no model that can be saved; dpfl, ali-dpfl, and ofl on images do"},
		"a stream":   {scenariotest.Learning, []string{"measure.model=true"}, "measure.model: this arm trains no model"},
		"stochastic": {scenariotest.Stochastic, []string{"measure.model=true"}, "measure.model: this arm trains no model"},
		"realizable": {scenariotest.Realizable, []string{"measure.model=true"}, "measure.model: this arm trains no model"},
		"too many":   {scenariotest.Modelling, []string{"seeds.count=1000000"}, "measure.model: models of "},
		"no file":    {scenariotest.Modelling, weights("none.safetensors"), "problem.model.weights: stat none.safetensors: no such file or directory"},
		"a folder":   {scenariotest.Modelling, weights(filepath.Dir(cut)), "is not a regular file"},
		"cut":        {scenariotest.Modelling, weights(cut), "problem.model.weights: " + cut + ": byte 100: the file ends inside the header"},
		"another":    {scenariotest.Modelling, weights(softmax), `there is no tensor "convolution1.weight"; the model has convolution1.weight`},
		"two starts": {scenariotest.Modelling, []string{"sweep=null", "problem.model.weights=" + softmax, "algorithm.start=[1]"}, "algorithm.start: problem.model.weights says where the model starts"},
		"two starts online": {scenariotest.Modelling, append([]string{"sweep=null", "problem.model.weights=" + softmax}, ofOnline[0][:len(ofOnline[0])-1]+", start: [1]}", ofOnline[1]),
			"algorithm.start: problem.model.weights says where the model starts"},
	} {
		_, err := scenariotest.Loader(t).Load(scenariotest.File(t, test.text), scenariotest.ParseSets(t, test.overrides...)...)
		var input *document.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), test.want) || !located.MatchString(err.Error()) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
}
