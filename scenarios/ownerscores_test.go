package scenarios_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// testRow is a feature a with the label y.
type testRow struct{ a, y float64 }

// ownTests are the test rows of five parties: party 3 has one row, and party 5 one class.
var ownTests = [][]testRow{
	{{.5, 1}, {-.25, 1}, {.75, 0}, {-.5, 0}, {.25, 1}, {.5, 0}, {-1, 0}},
	{{1, 1}, {-.5, 0}, {-.75, 1}, {.25, 0}},
	{{.5, 1}},
	{{-.25, 0}, {-.25, 1}, {.25, 1}, {.5, 1}, {.75, 1}, {-.75, 0}, {-.5, 0}, {1, 0}, {.25, 0}},
	{{-.5, 0}, {.25, 0}},
}

// unevenParties is the problem of these test rows. Its parties have training rows with y = 1 where
// a > 0, of other lengths in each party.
func unevenParties(t *testing.T, rest string) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("client,a,y,split\n")
	for i, rows := range ownTests {
		for k := range 12 {
			fmt.Fprintf(&text, "%c,%v,%d,train\n", 'a'+i, float64(2*(k%2)-1)/float64(i+1), k%2)
		}
		for _, row := range rows {
			fmt.Fprintf(&text, "%c,%v,%v,test\n", 'a'+i, row.a, row.y)
		}
	}
	file := filepath.Join(t.TempDir(), "parties.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return "{kind: table, file: " + file + ", party: client, label: y, features: [a], intercept: false, test: {column: split}, feature_bound: 1" + rest + "}"
}

// scoredFamilies are scenarios of four families on such a problem. In the first three a participant
// has a decision of its own, and in the last the server has it.
func scoredFamilies(problem, set string) map[string]string {
	on := func(algorithm, topology string, problem string) string {
		return strings.Replace(onRows(algorithm, topology, "{kind: none}", problem), "nodes: 3", "nodes: 5", 1)
	}
	inSet := strings.TrimSuffix(problem, "}") + set + "}"
	return map[string]string{
		"local":  on("{kind: local, learning_rate: 1, decay: 0}", "complete, self_loops: true", inSet),
		"dsgd":   on("{kind: dsgd, learning_rate: 1, decay: 0}", "ring", inSet),
		"ofl":    on("{kind: ofl, tau: 1, local_step: 1}", "star", problem),
		"fedavg": on("{kind: fedavg, tau: 1, learning_rate: 1}", "star", problem),
	}
}

// decisionOf returns the decision that judges a participant, from 0, at the last step: its own, or
// the server's where the participants do not decide.
func decisionOf(x map[messages.NodeID][][]float64, family string, i int) float64 {
	node := messages.NodeID(i)
	switch family {
	case "ofl":
		node++
	case "fedavg":
		node = 0
	}
	return x[node][len(x[node])-1][0]
}

// The scores of classes of each participant on its own test rows. Those of ranks and classes are
// scikit-learn 1.9's for scores w a with w > 0, and those of probabilities are plain loops over the
// rows with the decision that was played.
func TestScoresOfParticipants(t *testing.T) {
	none := math.NaN()
	learned := map[string][]float64{
		"accuracy.balanced": {0.5833333333333333, 0.5, 1, 0.675, 0.5},
		"f1.macro":          {0.5714285714285714, 0.5, 1, 0.6666666666666666, 0.3333333333333333},
		"auc.roc":           {0.5416666666666666, 0.5, none, 0.7, none},
		"auc.pr":            {0.4777777777777778, 0.75, 1, 0.5845238095238094, none},
	}
	for family, text := range scoredFamilies(unevenParties(t, ", model: {kind: logistic}"), ", set: {kind: l2-ball, radius: 20}") {
		s := loadText(t, text, "measure={every: 3, by: node, metrics: [accuracy.balanced, f1.macro, auc.roc, auc.pr, loss.log, loss.brier]}")
		x, _ := scenariotest.Decide(t, s)
		rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
		want := map[string][]float64{"loss.log": nil, "loss.brier": nil}
		for i, tests := range ownTests {
			var log, brier float64
			for _, row := range tests {
				p := 1 / (1 + math.Exp(-decisionOf(x, family, i)*row.a))
				log -= math.Log(1-math.Abs(row.y-p)) / float64(len(tests))
				brier += (row.y - p) * (row.y - p) / float64(len(tests))
			}
			want["loss.log"], want["loss.brier"] = append(want["loss.log"], log), append(want["loss.brier"], brier)
			if !(decisionOf(x, family, i) > 0) {
				t.Fatalf("%s: decision %v", family, decisionOf(x, family, i))
			}
		}
		for name, values := range learned {
			want[name] = values
		}
		checkScores(t, family, rows, want)
	}
}

// The errors of numbers of each participant are plain loops over its own rows.
func TestErrorsOfParticipants(t *testing.T) {
	for family, text := range scoredFamilies(unevenParties(t, ", model: {kind: linear}"), ", set: {kind: l2-ball, radius: 20}") {
		s := loadText(t, strings.NewReplacer("rate: 1,", "rate: 0.1,", "step: 1", "step: 0.1, gradient_bound: 20").Replace(text), "measure={every: 3, by: node, metrics: [error.rmse, error.mae, r2, d2]}")
		x, _ := scenariotest.Decide(t, s)
		rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
		want := map[string][]float64{}
		for i, tests := range ownTests {
			var mean, squares, absolute, variance float64
			n := float64(len(tests))
			for _, row := range tests {
				mean += row.y / n
			}
			for _, row := range tests {
				miss := row.y - decisionOf(x, family, i)*row.a
				squares += miss * miss / n
				absolute += math.Abs(miss) / n
				variance += (row.y - mean) * (row.y - mean) / n
			}
			explained := math.NaN()
			if variance > 0 {
				explained = 1 - squares/variance
			}
			for name, value := range map[string]float64{"error.rmse": math.Sqrt(squares), "error.mae": absolute, "r2": explained, "d2": explained} {
				want[name] = append(want[name], value)
			}
		}
		checkScores(t, family, rows, want)
		if !math.IsNaN(lastRun(rows, "r2.gini")) {
			t.Errorf("%s: r2 has both signs, and a Gini coefficient", family)
		}
	}
}

// checkScores compares the scores of participants at the last step, and their statistics, which are
// over those that have a value.
func checkScores(t *testing.T, family string, rows []results.Row, want map[string][]float64) {
	t.Helper()
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 || math.IsNaN(a) && math.IsNaN(b) }
	for name, values := range want {
		got := lastOwn(rows, name+".participant")
		if len(got) != len(values) {
			t.Errorf("%s: %s of %d participants, want %d", family, name, len(got), len(values))
		}
		var list []float64
		for i, value := range values {
			if !near(got[int32(i+1)], value) {
				t.Errorf("%s: %s of participant %d is %v, want %v", family, name, i+1, got[int32(i+1)], value)
			}
			if !math.IsNaN(value) {
				list = append(list, value)
			}
		}
		slices.Sort(list)
		n := len(list)
		worst, best := list[0], list[n-1]
		if strings.HasPrefix(name, "loss.") || strings.HasPrefix(name, "error.") {
			worst, best = best, worst
		}
		middle := (list[(n-1)/2] + list[n/2]) / 2
		for statistic, value := range map[string]float64{"worst": worst, "best": best, "median": middle, "spread": list[n-1] - list[0], "undefined": float64(len(values) - n)} {
			if at := lastRun(rows, name+"."+statistic); !near(at, value) {
				t.Errorf("%s: %s.%s is %v, want %v", family, name, statistic, at, value)
			}
		}
	}
}

// A group has the mean of the scores of its members that have one, as it has of their accuracies.
func TestScoresOfGroups(t *testing.T) {
	for family, text := range scoredFamilies(unevenParties(t, ", model: {kind: logistic}"), ", set: {kind: l2-ball, radius: 20}") {
		s := loadText(t, text, "measure={every: 3, by: group, groups: [{first: 1, last: 3}, {first: 5, last: 5}], metrics: [auc.roc, auc.pr.*]}")
		rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
		for name, want := range map[string][]float64{
			"auc.roc.group": {0.7, (0.5416666666666666 + 0.5) / 2, math.NaN()},
			"auc.pr.group":  {0.5845238095238094, (0.4777777777777778 + 0.75 + 1) / 3, math.NaN()},
		} {
			for group, value := range want {
				if got := ownAt(rows, name, int(rows[len(rows)-1].Step), group); !(math.Abs(got-value) < 1e-12 || math.IsNaN(got) && math.IsNaN(value)) {
					t.Errorf("%s: %s of group %d is %v, want %v", family, name, group, got, value)
				}
			}
		}
		if got := lastOwn(rows, "auc.roc.participant"); len(got) > 0 {
			t.Errorf("%s: single participants %v", family, got)
		}
		if !math.IsNaN(lastRun(rows, "auc.pr")) {
			t.Errorf("%s: auc.pr of the run was not named", family)
		}
	}
}

// Scores of participants change no other row, and are one digest on all runtimes and in runs that
// go on from a state; so are those of validation rows.
func TestScoresOfParticipantsKeepBits(t *testing.T) {
	const named = "auc.roc, loss.log, validation.loss.log, validation.accuracy"
	for family, text := range scoredFamilies(unevenParties(t, ", validation: 0.25, model: {kind: logistic}"), ", set: {kind: l2-ball, radius: 20}") {
		t.Run(family, func(t *testing.T) {
			s := loadText(t, text, "measure={every: 2, by: node, metrics: ["+named+"]}")
			scenariotest.OneDigest(t, s)
			if family != "local" { // whose nodes send nothing
				scenariotest.Resumes(t, s, 3, 1)
			}
			rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
			for _, name := range []string{"validation.loss.log.participant", "validation.accuracy.participant"} {
				for node, value := range lastOwn(rows, name) {
					if !(value >= 0) {
						t.Errorf("%s of participant %d is %v", name, node, value)
					}
				}
			}
			others := slices.DeleteFunc(slices.Clone(rows), func(row results.Row) bool { return gauge.IsOfOwners(row.Metric) })
			without := metricsOf(t, loadText(t, text, "measure={every: 2, metrics: ["+named+"]}"), runner.RunOptions{Engine: runner.Lockstep}).Rows
			if len(others) != len(without) || len(rows) == len(others) {
				t.Fatalf("%d rows, of which %d of the run; %d in a run that asks for nothing", len(rows), len(others), len(without))
			}
			for i, row := range others {
				if row.Metric != without[i].Metric || math.Float64bits(row.Value) != math.Float64bits(without[i].Value) {
					t.Errorf("%s is %v, and %v without", row.Metric, row.Value, without[i].Value)
				}
			}
		})
	}
}

// Scores are recorded where they are named, as far as the arm has them; metrics of scores that it
// has not are refused, and so are too many numbers.
func TestScoresOfParticipantsAreChecked(t *testing.T) {
	families := scoredFamilies(unevenParties(t, ", model: {kind: logistic}"), ", set: {kind: l2-ball, radius: 20}")
	got := metricsOf(t, loadText(t, families["dsgd"], "measure={every: 3, by: node, metrics: [loss.*, accuracy.*]}"), runner.RunOptions{Engine: runner.Lockstep}).Rows
	for _, row := range got {
		if strings.HasPrefix(row.Metric, "loss.log") || strings.HasPrefix(row.Metric, "accuracy.balanced") {
			t.Errorf("%s is recorded, and was not named", row.Metric)
		}
	}
	for _, test := range []struct{ text, measure, want string }{
		{families["dsgd"], "{by: node, metrics: [error.rmse.worst]}", "measure.metrics[0]: no run of this arm records error.rmse.worst: its model predicts classes, and this metric is of numbers"},
		{families["dsgd"], "{metrics: [auc.roc.worst]}", "measure.metrics[0]: no run of this arm records auc.roc.worst: it is a metric of single participants, which measure.by: node or group records"},
		{families["dsgd"], "{by: node, metrics: [auc.roc.group]}", "measure.metrics[0]: no run of this arm records auc.roc.group: measure.by is node"},
		{families["fedavg"], "{by: node, metrics: [validation.auc.roc.worst]}", "measure.metrics[0]: no run of this arm records validation.auc.roc.worst: its problem has no validation rows"},
		{families["fedavg"], "{by: node, metrics: [rounds]}", "measure.by: node records nothing that is selected here"},
		{trained, "{by: node, metrics: [auc.roc.worst]}", "measure.metrics[0]: no run of this arm records auc.roc.worst: its test rows are of no single participant"},
	} {
		if _, err := loadError(t, test.text, "measure="+test.measure); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.measure, err, test.want)
		}
	}
	images := loadText(t, trained, "measure={by: node, metrics: [auc.roc, loss.worst]}", "plots=[]")
	if note := noteOf(runIn(t, images, runner.RunOptions{}).Manifest.Notes, "participants"); note != "loss; not accuracy, regret, epsilon, messages, auc.roc" {
		t.Errorf("participants have %q", note)
	}
	_, err := loadError(t, large, "horizon=100000", "nodes=20000", "measure={by: node, every: 100, metrics: [loss.log, auc.roc]}", "sweep=null", "problem={kind: synthetic-logistic, dimension: 4, set: {kind: l2-ball, dimension: 4, radius: 5}}")
	if want := "20000 participants x 1000 records x 2 quantities are 4e+07 numbers, which take 3.58 GiB a run; want at most 1"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("too much memory: %v", err)
	}
}
