package scenarios_test

import (
	"math"
	"strings"
	"testing"

	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios"
	"starling/scenarios/document"
	"starling/scenarios/family/prediction"
	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/runner"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// learnt is Fed-DP-OPE-Stoch on a problem of data.
func learnt(problem string) string {
	return "version: 1\nname: learnt\nhorizon: 31\nnodes: 3\nalgorithm: {kind: opestoch}\nproblem: " + problem +
		"\ntopology: {kind: star}\nmechanism: {kind: dp-fw, epsilon: 50}\nmeasure: {every: 10}\nseeds: {base: 1, count: 1}\nplots: []\n"
}

// convexProblems are problems of data for the simplex, with alpha and beta as derived.
var convexProblems = map[string]struct {
	section     string
	alpha, beta float64
}{
	"logistic":           {"{kind: logistic, set: {kind: simplex, dimension: 6}}", 1, 0.25},
	"longer features":    {"{kind: logistic, normalise: false, feature_norm: 3, set: {kind: simplex, dimension: 6}}", 3, 2.25},
	"synthetic-logistic": {"{kind: synthetic-logistic, dimension: 5, test_samples: 4}", 1, 0.25},
	"ridge":              {"{kind: synthetic-logistic, dimension: 5, test_samples: 4, l2: 0.5, set: {kind: simplex, dimension: 5}}", 1.5, 0.75},
	"table":              {"{kind: table, file: library/own-data.csv, partition: {kind: iid}, label: y, features: [x1, x2, x3], intercept: false, feature_bound: 2, model: {kind: logistic, l2: 0.5}, test: {share: 0.2}}", 2.5, 1.5},
	"images":             {"{kind: images, data: synthetic, train: 120, test: 30, model: {kind: softmax}, partition: {kind: iid}}", 1, 0.25},
}

// lossesOf builds a problem of the simplex.
func lossesOf(t *testing.T, text string) (*problems.Adversary, *study.ArmFile) {
	t.Helper()
	doc, err := document.Parse("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	f, issues := study.DecodeFile(doc)
	kinds := scenarios.NewLoader("").Kinds
	piece, err := kind.PieceOf[problems.AsLosses](kinds.Problems, f.Problem, "this test")
	if err != nil || len(issues) > 0 {
		t.Fatal(err, issues)
	}
	a := &study.ArmFile{File: f, Kinds: kinds, Doc: doc}
	p, err := piece.Losses(study.NewBuilder(kinds, f.Seeds, dataset.NewFolder("")), a.Problem, a)
	if err != nil {
		t.Fatal(err)
	}
	return p, a
}

// No entry of a gradient on the simplex is larger than alpha, and none changes by more
// than beta times a distance in 1-norm: at vertices, which the algorithm goes to, and
// between them. For features of one entry both are attained but for a factor of 5.
func TestConstantsOfConvexLosses(t *testing.T) {
	for name, c := range convexProblems {
		p, a := lossesOf(t, learnt(c.section))
		if p.Linear || p.Compared || math.Abs(p.Alpha-c.alpha) > 1e-6 || p.Beta != c.beta {
			t.Errorf("%s: alpha %v and beta %v, want %v and %v; linear %v, compared %v", name, p.Alpha, p.Beta, c.alpha, c.beta, p.Linear, p.Compared)
		}
		losses, err := p.Draw(4, a.Horizon)
		if err != nil {
			t.Fatal(err)
		}
		key := rng.NewKey(5, rng.PurposeOf("simplex.test"))
		largest, steepest := 0.0, 0.0
		d := p.Experts
		x, y, here, there := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
		for try := range 200 {
			pointOfSimplex(x, key, 2*try)
			pointOfSimplex(y, key, 2*try+1)
			client, step := messages.NodeID(try%3), 1+try%a.Horizon
			losses.Gradient(here, client, step, x)
			losses.Gradient(there, client, step, y)
			distance, moved := 0.0, 0.0
			for k := range here {
				largest = max(largest, math.Abs(here[k]))
				distance += math.Abs(x[k] - y[k])
				moved = max(moved, math.Abs(here[k]-there[k]))
			}
			if distance > 0 {
				steepest = max(steepest, moved/distance)
			}
		}
		if largest > p.Alpha || steepest > p.Beta*(1+1e-6)+1e-6 {
			t.Errorf("%s: entries up to %v and slopes up to %v, beyond alpha %v and beta %v", name, largest, steepest, p.Alpha, p.Beta)
		}
		if largest < p.Alpha/5 {
			t.Errorf("%s: entries up to %v only, of alpha %v", name, largest, p.Alpha)
		}
	}
}

// pointOfSimplex is a vertex, or a point between a few.
func pointOfSimplex(x []float64, key rng.Key, number int) {
	clear(x)
	const corners = 3
	for c := range corners {
		share := 1.0 / corners
		if number%2 == 0 {
			share = 0
			if c == 0 {
				share = 1
			}
		}
		x[int(key.Uniform(number, c, 0)*float64(len(x)))] += share
	}
}

// What clients pay is recorded in place of regret, and accuracy where data have labels.
// Without noise clients pay less than at the start, the centre of the simplex.
func TestLearningOnTheSimplex(t *testing.T) {
	s := loadText(t, learnt(convexProblems["synthetic-logistic"].section), "horizon=255", "mechanism.epsilon=none", "measure.every=1")
	values := map[string]map[int]float64{}
	for _, row := range metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows {
		if values[row.Metric] == nil {
			values[row.Metric] = map[int]float64{}
		}
		values[row.Metric][int(row.Step)] = row.Value
	}
	losses, accuracy := values[prediction.LossClient], values[gauge.AccuracyTest]
	if len(losses) != 255 || len(accuracy) != 255 || values[prediction.RegretClient] != nil || values[prediction.BestExpert] != nil {
		t.Fatalf("%d losses, %d accuracies, %d regrets", len(losses), len(accuracy), len(values[prediction.RegretClient]))
	}
	before, after := losses[1], (losses[255]-losses[127])/128
	if !(after < before) || !(accuracy[255] > 0 && accuracy[255] <= 1) {
		t.Errorf("a loss of %v before learning and %v after, with accuracy %v", before, after, accuracy[255])
	}
}

// Where only some options have the constants that noise rests on, errors name them.
func TestInvalidOnTheSimplex(t *testing.T) {
	for section, want := range map[string]string{
		"{kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}":                                                                  "problem.set: this algorithm decides on the simplex; give set: {kind: simplex, dimension: 4}",
		"{kind: synthetic-logistic, normalise: false}":                                                                                     "problem.normalise: features without a bound have gradients without one, on which noise rests; give normalise: true",
		"{kind: synthetic-logistic, dimension: 4, set: {kind: simplex, dimension: 5}}":                                                     "problem.set: the set has dimension 5; the model has 4 parameters",
		"{kind: images, data: synthetic, train: 120, test: 30, model: {kind: mlp}, partition: {kind: iid}}":                                "problem.model.kind: losses of hidden layers are not convex and their gradients have no bound; give model: {kind: softmax}",
		"{kind: images, data: synthetic, train: 60, test: 30, model: {kind: softmax}, partition: {kind: iid}}":                             "problem.partition: learner 1 has 20 images for 31 steps",
		"{kind: images, data: synthetic, train: 120, test: 30, model: {kind: softmax, weights: none.safetensors}, partition: {kind: iid}}": "none.safetensors",
	} {
		doc, err := document.Parse("s.yaml", []byte(learnt(section)))
		if err == nil {
			_, err = testLoader(t).Check(doc)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", section, err, want)
		}
	}
}
