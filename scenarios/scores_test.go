package scenarios_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/section/python"
)

// The metrics of predictions, of classes and of numbers.
const (
	scoresOfClasses = "accuracy.balanced, f1.macro, auc.roc, auc.pr, loss.log, loss.brier, error.calibration"
	scoresOfNumbers = "error.rmse, error.mae, r2, d2"
)

// unevenRows is the problem of unevenTests.
func unevenRows(t *testing.T, rest string) string {
	return "{kind: table, file: " + unevenTests(t) + ", party: client, label: y, features: [a], intercept: false, test: {column: split}, feature_bound: 1" + rest + "}"
}

// Every algorithm scores decisions on all rows of tests of all nodes, pooled. Of decisions w > 0
// the scores are worked out by hand: of 41 rows, 20 have label 1 and the score of w, 20 have label
// 0 and the score of -w, and one has label 0 and the score of w.
func TestScoresOfEveryAlgorithm(t *testing.T) {
	tried := map[string]bool{}
	for _, algorithm := range scenarios.Catalog().Algorithms {
		if algorithm.Kind == python.KindPython {
			continue
		}
		for _, set := range []string{", set: {kind: l2-ball, radius: 20}", ""} {
			text := strings.NewReplacer("samples: 20", "samples: 12", "ring", "complete, self_loops: true").Replace(algorithm.Examples[0])
			s, err := testLoader(t).Load(baseFile(t, text), parseSets(t, "problem="+unevenRows(t, ", model: {kind: logistic}"+set), "horizon=12", "nodes=2", "mechanism={kind: none}",
				"measure={every: 12, metrics: [accuracy.test, loss.fresh, "+scoresOfClasses+"]}", "seeds={base: 1, count: 1}")...)
			if err != nil {
				continue
			}
			tried[algorithm.Kind] = true
			rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
			for name, want := range map[string]float64{
				"accuracy.balanced": (20./21 + 1) / 2, "f1.macro": 40. / 41, "auc.roc": 410. / 420, "auc.pr": 20. / 21,
				"loss.log": last(valuesOf(rows, "loss.fresh")),
			} {
				if got := last(valuesOf(rows, name)); !(math.Abs(got-want) < 1e-12) {
					t.Errorf("%s: %s is %v, want %v", algorithm.Kind, name, got, want)
				}
			}
			// One w for all: the probability p of the likelier class, of which log loss is known.
			brier, calibration := last(valuesOf(rows, "loss.brier")), last(valuesOf(rows, "error.calibration"))
			near := func(p float64) bool {
				return math.Abs(brier-(40*(1-p)*(1-p)+p*p)/41) < 1e-9 && math.Abs(calibration-math.Abs(p-40./41)) < 1e-9
			}
			loss := last(valuesOf(rows, "loss.log"))
			if below, above := likelier(loss, 0.5), likelier(loss, 1); !near(below) && !near(above) {
				t.Errorf("%s: Brier score %v and calibration error %v where the likelier class has probability %v or %v", algorithm.Kind, brier, calibration, below, above)
			}
			break
		}
	}
	for _, name := range []string{"dsgd", "local", "sgp", "muffliato", "ofl", "dpdonc", "fedavg", "dpfl", "central", "dp-fedavg", "opestoch"} {
		if !tried[name] {
			t.Errorf("%s was not tried", name)
		}
	}
	t.Log(slices.Sorted(maps.Keys(tried)))
}

// Every algorithm is judged by its validation rows, which have y a = 1 all: with the loss of a
// decision w there, log(1 + e^-w), its loss on the 40 rows of tests with y a = 1, and the one with
// -1, is known.
func TestValidationOfEveryAlgorithm(t *testing.T) {
	tried := 0
	for _, algorithm := range scenarios.Catalog().Algorithms {
		if algorithm.Kind == python.KindPython {
			continue
		}
		for _, set := range []string{", set: {kind: l2-ball, radius: 20}", ""} {
			text := strings.NewReplacer("samples: 20", "samples: 9", "ring", "complete, self_loops: true").Replace(algorithm.Examples[0])
			s, err := testLoader(t).Load(baseFile(t, text), parseSets(t, "problem="+unevenRows(t, ", validation: 0.25, model: {kind: logistic}"+set), "horizon=9", "nodes=2", "mechanism={kind: none}",
				"measure={every: 9, metrics: [loss.fresh, validation.loss, validation.accuracy, validation.loss.log, validation.accuracy.balanced]}", "seeds={base: 1, count: 1}")...)
			if err != nil {
				continue
			}
			tried++
			rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
			loss := last(valuesOf(rows, "validation.loss"))
			w := -math.Log(math.Expm1(loss))
			for name, want := range map[string]float64{"loss.fresh": (41*loss + w) / 41, "validation.loss.log": loss, "validation.accuracy": 1, "validation.accuracy.balanced": 1} {
				if got := last(valuesOf(rows, name)); !(math.Abs(got-want) < 1e-9) {
					t.Errorf("%s: %s is %v, want %v", algorithm.Kind, name, got, want)
				}
			}
			break
		}
	}
	if tried < 15 {
		t.Errorf("%d algorithms were tried", tried)
	}
}

// likelier returns the p of which -(40 log p + log(1-p))/41 is a loss, between an end and 40/41,
// where it is least, by halving.
func likelier(loss, end float64) float64 {
	least := 40. / 41
	for range 100 {
		if p := (end + least) / 2; -(40*math.Log(p)+math.Log1p(-p))/41 > loss {
			end = p
		} else {
			least = p
		}
	}
	return end
}

// Images have the scores of their networks, and labels that are numbers those of regression.
func TestScoresOfOtherModels(t *testing.T) {
	got := askedOf(t, trained, "[accuracy.test, loss.fresh, "+scoresOfClasses+"]")
	if math.Abs(got["loss.log"]-got["loss.fresh"]) > 1e-9 {
		t.Errorf("log loss %v, and loss %v", got["loss.log"], got["loss.fresh"])
	}
	for _, name := range strings.Split(scoresOfClasses, ", ") {
		if v, ok := got[name]; !ok || math.IsNaN(v) && name != "auc.roc" && name != "auc.pr" {
			t.Errorf("%s is %v, recorded %v", name, v, ok)
		}
	}
	held := map[string]string{"corpus": trained, "stream": strings.Replace(onRows("{kind: ofl, tau: 1, local_step: 0.1, gradient_bound: 5}", "star", "{kind: none}", "{kind: images, data: synthetic, train: 120, test: 30, model: {kind: softmax}, partition: {kind: iid}}"), "horizon: 6", "horizon: 12", 1)}
	for name, text := range held {
		got := askedOf(t, text, "[validation.loss, validation.loss.log, validation.accuracy, accuracy.test]", "problem.validation=0.25")
		if !(got["validation.loss"] > 0) || math.Abs(got["validation.loss"]-got["validation.loss.log"]) > 1e-9 || !(got["validation.accuracy"] > 0.1) || got["validation.accuracy"]*30 != math.Round(got["validation.accuracy"]*30) {
			t.Errorf("%s of images: %v", name, got)
		}
	}
	for name, text := range map[string]string{
		"equals":  onRows("{kind: dsgd, learning_rate: 0.1}", "complete, self_loops: true", "{kind: none}", unevenRows(t, ", model: {kind: linear}, set: {kind: l2-ball, radius: 20}")),
		"server":  onRows("{kind: fedavg, tau: 1, learning_rate: 0.1}", "star", "{kind: none}", unevenRows(t, ", model: {kind: linear}")),
		"streams": onRows("{kind: ofl, tau: 1, local_step: 0.1}", "star", "{kind: none}", unevenRows(t, ", model: {kind: huber, delta: 100}")),
	} {
		got := askedOf(t, text, "[loss.fresh, "+scoresOfNumbers+"]", "nodes=2")
		mse := 2 * got["loss.fresh"]
		const variance = 20. / 41 * 21 / 41
		if !(math.Abs(got["error.rmse"]-math.Sqrt(mse)) < 1e-12 && math.Abs(got["r2"]-(1-mse/variance)) < 1e-12) || got["d2"] != got["r2"] || !(got["error.mae"] > 0) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Scores are the same bits on all runtimes, and in runs that go on from a state.
func TestScoresKeepBits(t *testing.T) {
	for name, text := range map[string]string{
		"equals":  onRows("{kind: dsgd, learning_rate: 0.1}", "complete, self_loops: true", "{kind: gaussian, epsilon: 5, delta: 1e-3}", unevenRows(t, ", model: {kind: logistic}, set: {kind: l2-ball, radius: 20}")),
		"server":  onRows("{kind: fedavg, tau: 1, learning_rate: 0.1}", "star", "{kind: none}", unevenRows(t, ", model: {kind: softmax}")),
		"streams": onRows("{kind: ofl, tau: 1, local_step: 0.1, gradient_bound: 1}", "star", "{kind: toeplitz, epsilon: 5, delta: 1e-3}", unevenRows(t, ", model: {kind: logistic}")),
	} {
		t.Run(name, func(t *testing.T) {
			s := loadText(t, text, "nodes=2", "measure={every: 2, metrics: ["+scoresOfClasses+"]}")
			scenariotest.OneDigest(t, s)
			scenariotest.Resumes(t, s, 3, 1)
		})
	}
}

// A score that no run of an arm has is refused at its place, with the reason.
func TestScoresAreRefused(t *testing.T) {
	server := func(rest string) string {
		return strings.Replace(onRows("{kind: fedavg, tau: 1, learning_rate: 0.1}", "star", "{kind: none}", unevenRows(t, rest)), "nodes: 3", "nodes: 2", 1)
	}
	for name, test := range map[string]struct{ text, metrics, want string }{
		"no test rows":     {base, "[consensus.error, r2]", "measure.metrics[1]: no run of this arm records r2: its problem has no fresh data, such as test rows"},
		"no probabilities": {server(", model: {kind: hinge}"), "[auc.roc, loss.brier]", "measure.metrics[1]: no run of this arm records loss.brier: its model ranks classes, and has no probabilities of them"},
		"numbers":          {server(", model: {kind: linear}"), "[f1.macro]", "measure.metrics[0]: no run of this arm records f1.macro: its model predicts numbers, and this metric is of classes"},
		"no validation":    {server(", model: {kind: softmax}"), "[validation.f1.macro]", "measure.metrics[0]: no run of this arm records validation.f1.macro: its problem has no validation rows; give problem.validation, a share of the training rows"},
		"classes":          {server(", model: {kind: softmax}"), "[d2]", "measure.metrics[0]: no run of this arm records d2: its model predicts classes, and this metric is of numbers"},
	} {
		_, err := loadError(t, test.text, "measure.metrics="+test.metrics)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Count(err.Error(), "no run of this arm") != 1 {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}

// A score that is not defined is told, and others are recorded.
func TestScoresOfOneClass(t *testing.T) {
	file := filepath.Join(t.TempDir(), "one.csv")
	rows := "a,y,split\n" + strings.Repeat("1,1,train\n-1,0,train\n", 12) + strings.Repeat("1,1,test\n", 3)
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	text := onRows("{kind: fedavg, tau: 1, learning_rate: 0.1}", "star", "{kind: none}", "{kind: table, file: "+file+", label: y, partition: {kind: iid}, test: {column: split}, model: {kind: logistic}}")
	outcome := runIn(t, loadText(t, text, "measure.metrics=[auc.roc, auc.pr, accuracy.balanced]"), runner.RunOptions{Engine: runner.Lockstep})
	said := fmt.Sprint(outcome.Manifest.Warnings)
	if !strings.Contains(said, "auc.roc was never recorded") || strings.Contains(said, "auc.pr was") || strings.Contains(said, "accuracy.balanced was") {
		t.Errorf("warnings %s", said)
	}
}
