package scenarios_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/problem/vector"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// sourcesOfRows are problems with rows that any model of the catalog learns, without their
// model and set.
var sourcesOfRows = map[string]string{
	"table":              "file: library/own-data.csv, partition: {kind: iid}, label: y, features: [x1, x2], feature_bound: 2, label_bound: 3, test: {share: 0.1}",
	"synthetic-logistic": "dimension: 3, test_samples: 4",
	"images":             "data: synthetic, train: 90, test: 20, partition: {kind: iid}",
	"python-rows":        "file: library/rows.py, name: Rows, dimension: 3, tests: 4, feature_bound: 1, label_bound: 2",
}

// takersOfRows are algorithms of each form in which rows are taken, with a topology, a
// mechanism and a set; the last takes smooth convex losses alone.
var takersOfRows = [][4]string{
	{"{kind: dsgd, theta: 1, gradient_bound: clip}", "ring", "{kind: laplace, epsilon: 5}", "l2-ball, radius: 3"},
	{"{kind: ofl, tau: 2, local_step: 0.1, gradient_bound: 1}", "star", "{kind: tree, epsilon: 5, delta: 1e-3}", "l2-ball, radius: 3"},
	{"{kind: dpfl, tau: 2, learning_rate: 0.1, batch: 4, clip: 1}", "star", "{kind: sampled-gaussian, sigma: 2, delta: 1e-5}", "l2-ball, radius: 3"},
	{"{kind: opestoch}", "star", "{kind: dp-fw, epsilon: 50}", "simplex"},
}

// rough are models without a known smoothness, which prediction on the simplex refuses.
var rough = map[string]bool{"hinge": true, "softmax": true, "mlp": true}

// cosh is a model of one's own, with the loss cosh(z - y) - 1: a name that nothing else knows.
type coshSection struct {
	Kind         string `yaml:"kind,required"`
	vector.Ridge `yaml:",inline"`
}

func (*coshSection) Label() vector.Label { return vector.Value }

func (o *coshSection) Model(data vector.Data) (vector.Model, error) {
	return vector.NewMargin(coshLoss{}, vector.Value, o.Ridge, data)
}

type coshLoss struct{}

func (coshLoss) Loss(z, y float64) float64     { return math.Cosh(z-y) - 1 }
func (coshLoss) Slope(z, y float64) float64    { return math.Sinh(z - y) }
func (coshLoss) Steepest(z, y float64) float64 { return math.Sinh(z + y) }
func (coshLoss) Bend(z, y float64) float64     { return math.Cosh(z + y) }

// withCosh is a loader whose catalog has the model cosh besides.
func withCosh(t *testing.T) loading.Loader {
	catalog, err := scenarios.Catalog().With(kind.Catalog{Models: []kind.Kind{kind.Of("cosh", "cosh of a residual", coshSection{}, "{kind: cosh, l2: 0.1}")}})
	if err != nil {
		t.Fatal(err)
	}
	return loading.Loader{Kinds: &catalog}
}

// takesModels reports whether the section of a problem has the key model, of a kind.
func takesModels(k kind.Kind) bool {
	section := reflect.TypeOf(k.Section)
	for i := range section.NumField() {
		if name, _, _ := strings.Cut(section.Field(i).Tag.Get("yaml"), ","); name == "model" && section.Field(i).Type == reflect.TypeFor[*document.Node]() {
			return true
		}
	}
	return false
}

// Every model of rows, and one of one's own, learns from every source of rows under an
// algorithm of every form, with the same bits on both runtimes.
func TestModelsOfRows(t *testing.T) {
	t.Parallel()
	loader := withCosh(t)
	for _, problem := range loader.Kinds.Problems {
		source, listed := sourcesOfRows[problem.Kind]
		if takesModels(problem) != listed {
			t.Errorf("problem %s: takes models %v, and is listed as a source of rows %v", problem.Kind, !listed, listed)
		}
		if !listed {
			continue
		}
		for i, model := range loader.Kinds.Models {
			for k, taker := range takersOfRows {
				if problem.Kind == "python-rows" && !testneeds.Some(i+k, 2) { // an interpreter each
					continue
				}
				t.Run(problem.Kind+"/"+model.Kind+"/"+taker[1]+taker[0][:10], func(t *testing.T) {
					if problem.Kind == "python-rows" {
						testneeds.Python(t)
					}
					text := onRows(taker[0], taker[1], taker[2], "{kind: "+problem.Kind+", "+source+", set: {kind: "+taker[3]+"}, model: "+model.Examples[0]+"}")
					if problem.Kind == "table" && model.Piece.(vector.Section).Label() == vector.Value {
						text = strings.Replace(text, "label: y", "label: x3", 1)
					}
					s, err := loader.Load(scenariotest.File(t, text))
					if taker[3] == "simplex" && rough[model.Kind] && err != nil && strings.Contains(err.Error(), "problem.model") {
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					runPair(t, s)
				})
			}
		}
	}
}

// A section model that names what a problem learns without one changes no bit, whatever the
// algorithm.
func TestModelOfOnesOwnProblem(t *testing.T) {
	for _, taker := range takersOfRows {
		digest := func(keys string) string {
			return metricsOf(t, loadText(t, onRows(taker[0], taker[1], taker[2], "{kind: synthetic-logistic, dimension: 3, test_samples: 4, set: {kind: "+taker[3]+"}, "+keys+"}")), runner.RunOptions{Engine: runner.Lockstep}).Digest
		}
		if without, with := digest("l2: 0.1"), digest("model: {kind: logistic, l2: 0.1}"); without != with {
			t.Errorf("%s: digest %s without a model and %s with logistic regression", taker[0], without, with)
		}
	}
}

// Labels of images and of rows from Python take the form that a model needs, and faults have
// their places.
func TestLabelsOfRows(t *testing.T) {
	for keys, want := range map[string]string{
		"synthetic-logistic, dimension: 3, test_samples: 4, l2: 0.5, model: {kind: hinge}":                                            "problem.model: l2 = 0.5 belongs to logistic regression without this section; give model.l2 in its place",
		"synthetic-logistic, dimension: 3, test_samples: 4, model: {kind: softmax, classes: 1}":                                       "problem.model.classes: is 1, want at least 2",
		"images, data: synthetic, train: 90, test: 20, partition: {kind: iid}, model: {kind: hinge}, positive: [3, 10]":               "problem.positive[1]: class 10; want 0 to 9",
		"images, data: synthetic, train: 90, test: 20, partition: {kind: iid}, model: {kind: softmax, l2: 0.1}":                       "problem.model.l2: l2 = 0.1; networks of images have no such key, want 0",
		"images, data: synthetic, train: 90, test: 20, partition: {kind: iid}, model: {kind: hinge}, positive: [0,1,2,3,4,5,6,7,8,9]": "problem.positive: all 10 classes; want some that are not",
		"python-rows, file: library/rows.py, name: Rows, dimension: 3, classes: 3, model: {kind: hinge}":                              "problem.classes: 3 classes; this model has two: softmax has more",
		"python-rows, file: library/rows.py, name: Rows, dimension: 3, options: {seed: 1}, model: {kind: hinge}":                      "problem.options.seed: every class gets seed already",
	} {
		text := onRows("{kind: ofl, tau: 1, local_step: 0.1, gradient_bound: 1}", "star", "{kind: none}", "{kind: "+keys+"}")
		if _, err := loadError(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", keys, err, want)
		}
	}
	digest := func(positive string) string {
		return metricsOf(t, loadText(t, onRows(takersOfRows[1][0], "star", takersOfRows[1][2], "{kind: images, data: synthetic, train: 90, test: 20, partition: {kind: iid}, model: {kind: logistic}"+positive+"}")), runner.RunOptions{Engine: runner.Lockstep}).Digest
	}
	if usual, half, odd := digest(""), digest(", positive: [5, 6, 7, 8, 9]"), digest(", positive: [1, 3, 5, 7, 9]"); usual != half || usual == odd {
		t.Errorf("digests %s by default, %s of the second half and %s of odd classes", usual, half, odd)
	}
}

// Rows from Python are held to their bounds in Go, and a fault of the class names its row.
func TestRowsFromPython(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	class := func(rows string) string {
		return "import numpy as np\nclass Mine:\n    def __init__(self, **given): pass\n    def rows(self, nodes, step):\n        " + rows + "\n"
	}
	run := func(rows, keys string) (*runner.Outcome, error) {
		file := filepath.Join(t.TempDir(), "mine.py")
		if err := os.WriteFile(file, []byte(class(rows)), 0o600); err != nil {
			t.Fatal(err)
		}
		s := loadText(t, onRows("{kind: dsgd, theta: 1, gradient_bound: clip}", "ring", "{kind: none}", fmt.Sprintf("{kind: python-rows, file: %q, name: Mine, dimension: 2, set: {kind: l2-ball, radius: 1}, %s}", file, keys)))
		return runner.Run(s, t.Context(), runner.RunOptions{Engine: runner.Lockstep, Out: t.TempDir()})
	}
	const linear = "feature_bound: 5, label_bound: 2, model: {kind: linear}"
	held, err := run("return np.stack([3.0 + 0 * nodes, 4.0 + 0 * nodes, 2.0 + 0 * nodes], axis=1)", linear)
	if err != nil {
		t.Fatal(err)
	}
	if long, err := run("return np.stack([6.0 + 0 * nodes, 8.0 + 0 * nodes, 70.0 + 0 * nodes], axis=1)", linear); err != nil || long.Manifest.Digest != held.Manifest.Digest {
		t.Errorf("long rows have another digest than rows within the bounds: %v", err)
	}
	for rows, want := range map[string]string{
		"return np.ones((len(nodes), 2))":                               "Mine.rows of 3 nodes, step 1: it returned an array of shape (3, 2); want (3, 3)",
		"return np.full((len(nodes), 3), 0.5)":                          "row 1 of node 0: its label is 0.5; want a class, 0 to 1",
		"return np.where(nodes[:, None] == 2, np.inf, np.ones((1, 3)))": "row 1 of node 2: it is [+Inf +Inf +Inf], want finite numbers",
	} {
		if _, err := run(rows, "model: {kind: hinge}"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", rows, err, want)
		}
	}
}
