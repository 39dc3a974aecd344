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
	"starling/scenarios/problem/table"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// unevenTests is a table of two parties with 12 rows to learn from, of which every slope is
// that of y a = 1, and with 40 rows and 1 row of tests: the first of 40 has the other label.
func unevenTests(t *testing.T) (file string) {
	t.Helper()
	var text strings.Builder
	text.WriteString("client,a,y,split\n")
	for _, client := range []string{"big", "small"} {
		for k := range 12 {
			fmt.Fprintf(&text, "%s,%d,%d,train\n", client, 2*(k%2)-1, k%2)
		}
	}
	text.WriteString("big,1,0,test\n")
	for k := range 39 {
		fmt.Fprintf(&text, "big,%d,%d,test\n", 2*(k%2)-1, k%2)
	}
	text.WriteString("small,1,1,test\n")
	file = filepath.Join(t.TempDir(), "uneven.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Every algorithm tries decisions on all rows of tests of all nodes, pooled. Of decisions
// w > 0 the share that is right is 40 of 41 by hand, whoever plays them.
func TestEveryRowOfTestsCounts(t *testing.T) {
	requireShare(t, unevenTests(t), "{column: split}", 40./41)
}

// With common each node is tried on the same rows: the two of all nodes.
func TestEveryNodeIsTriedOnCommonRows(t *testing.T) {
	requireShare(t, unevenTests(t), "{column: split, common: true}", 40./41)
}

// All rows of a party that is no node test every node. Of the parties 13, 11 and 9 of 13 rows have
// y a = 1, so that w > 0 wherever a model learns from two of them.
func TestEveryNodeIsTriedOnOtherParties(t *testing.T) {
	shares := map[string]float64{"all": 1, "many": 11. / 13, "most": 9. / 13}
	var text strings.Builder
	text.WriteString("client,a,y\n")
	for _, name := range slices.Sorted(maps.Keys(shares)) {
		for k := range 13 {
			a := 2*(k%2) - 1
			if k >= int(13*shares[name]+0.5) {
				a = -a
			}
			fmt.Fprintf(&text, "%s,%d,%d\n", name, a, k%2)
		}
	}
	path := filepath.Join(t.TempDir(), "parties.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	whole, _, err := table.Read(table.Columns{Party: table.By("client"), Label: "y", Classes: true}, table.File{File: file, Path: path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{}
	for seed := uint64(1); len(tried) < len(shares); seed++ {
		split, err := whole.Split(table.Split{Parties: 0.3, Seeded: true}, seed, seed)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range shares {
			if !slices.Contains(split.Parties, name) && !tried[name] {
				tried[name] = true
				requireShare(t, path, "{parties: 0.3, draw: seed}", want, fmt.Sprintf("seeds={base: %d, count: 1}", seed))
			}
		}
	}
}

// requireShare fails unless all algorithms of the catalog that take a table have the accuracy on
// the rows of tests of a file.
func requireShare(t *testing.T, file, test string, want float64, sets ...string) {
	t.Helper()
	rows := "{kind: table, file: " + file + ", party: client, label: y, features: [a], intercept: false, test: " + test + ", feature_bound: 1, model: {kind: logistic}"
	tried := map[string]bool{}
	for _, algorithm := range scenarios.Catalog().Algorithms {
		if scenariotest.InPython(algorithm) {
			continue
		}
		for _, problem := range []string{rows + ", set: {kind: l2-ball, radius: 20}}", rows + "}"} {
			text := strings.NewReplacer("samples: 20", "samples: 12", "ring", "complete, self_loops: true").Replace(algorithm.Examples[0])
			s, err := testLoader(t).Load(baseFile(t, text), parseSets(t, append([]string{"problem=" + problem, "horizon=12", "nodes=2", "mechanism={kind: none}",
				"measure={every: 12, metrics: [accuracy.test]}", "seeds={base: 1, count: 1}"}, sets...)...)...)
			if err != nil {
				continue
			}
			tried[algorithm.Kind] = true
			rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
			if got := rows[len(rows)-1].Value; math.Abs(got-want) > 1e-15 {
				t.Errorf("%s: accuracy %v, want %v", algorithm.Kind, got, want)
			}
			break
		}
	}
	t.Log(slices.Sorted(maps.Keys(tried)))
	for _, name := range []string{"dsgd", "local", "sgp", "muffliato", "ofl", "dpdonc", "fedavg", "dpfl", "central", "dp-fedavg"} {
		if !tried[name] {
			t.Errorf("%s was not tried", name)
		}
	}
}

// The loss on fresh data is pooled as the accuracy is. Two equal nodes that average, one that
// learns alone, and the server of both play the same: w_1 = 0, and w_(t+1) = w_t + s(-w_t) with
// the logistic function s, since y a = 1 in every row. 40 rows of tests have y a = 1, and one -1.
func TestFreshLossesArePooled(t *testing.T) {
	file := unevenTests(t)
	fresh := func(steps int) float64 {
		w := 0.0
		for range steps {
			w += 1 / (1 + math.Exp(w))
		}
		return (40*math.Log1p(math.Exp(-w)) + math.Log1p(math.Exp(w))) / 41
	}
	for algorithm, want := range map[string]float64{
		"{kind: dsgd, learning_rate: 1, decay: 0}":      fresh(11), // of the decision of step 12
		"{kind: local, learning_rate: 1, decay: 0}":     fresh(11),
		"{kind: ofl, tau: 1, local_step: 1}":            fresh(11),
		"{kind: fedavg, tau: 1, learning_rate: 1}":      fresh(12), // of the model after round 12
		"{kind: central, learning_rate: 1, clip: none}": fresh(12),
	} {
		topology := "star"
		if strings.Contains(algorithm, "decay") {
			topology = "complete, self_loops: true"
		}
		text := onRows(algorithm, topology, "{kind: none}", "{kind: table, file: "+file+", party: client, label: y, features: [a], intercept: false, test: {column: split}, feature_bound: 1, model: {kind: logistic}, set: {kind: l2-ball, radius: 20}}")
		got := measured(t, text, "horizon=12", "nodes=2", "measure={every: 12, metrics: [loss.fresh]}")
		if loss := last(valuesOf(got.Rows, "loss.fresh")); math.Abs(loss-want) > 1e-12 {
			t.Errorf("%s: loss on fresh data %v, want %v", algorithm, loss, want)
		}
	}
}

// What counts where rows of tests are uneven, in other ways: the share that w > 0 classifies
// right is worked out by hand from the rows.
func TestUnevenRowsOfTests(t *testing.T) {
	train := strings.Repeat("a,-1,0,train\na,1,1,train\nb,-1,0,train\nb,1,1,train\nc,-1,0,train\nc,1,1,train\n", 6)
	for name, test := range map[string]struct {
		tests, keys, algorithm, metric string
		want                           float64
	}{
		"a party without tests":        {"a,1,0,test\nb,1,1,test\nb,-1,0,test\n", "party: client", "dsgd", "accuracy.test", 2. / 3},
		"a server and no tests of one": {"a,1,0,test\nb,1,1,test\nb,-1,0,test\n", "party: client", "fedavg", "accuracy.test", 2. / 3},
		"the model that ofl leaves":    {"a,1,0,test\nb,1,1,test\nb,-1,0,test\n", "party: client", "ofl", "accuracy.final", 2. / 3},
		"fewer tests than nodes":       {"a,1,0,test\nb,1,1,test\n", "partition: {kind: iid}", "dsgd", "accuracy.test", 1. / 2},
		"one test for three nodes":     {"a,1,1,test\n", "partition: {kind: iid}", "local", "accuracy.test", 1},
		"labels that nodes have not":   {"a,1,0,test\na,-1,0,test\na,1,1,test\n", "partition: {kind: by-label}", "dsgd", "accuracy.test", 2. / 3},
		"uneven parts":                 {strings.Repeat("a,1,1,test\n", 7) + "a,1,0,test\n", "partition: {kind: dirichlet, alpha: 0.5, min_size: 2}", "sgp", "accuracy.test", 7. / 8},
	} {
		file := filepath.Join(t.TempDir(), "rows.csv")
		if err := os.WriteFile(file, []byte("client,a,y,split\n"+train+test.tests), 0o600); err != nil {
			t.Fatal(err)
		}
		algorithm, topology := "{kind: "+test.algorithm+", learning_rate: 1, decay: 0}", "complete, self_loops: true"
		switch test.algorithm {
		case "fedavg":
			algorithm, topology = "{kind: fedavg, tau: 1, learning_rate: 1}", "star"
		case "ofl":
			algorithm, topology = "{kind: ofl, tau: 1, local_step: 1}", "star"
		case "sgp":
			algorithm, topology = "{kind: sgp, learning_rate: 1, decay: 0}", "exponential, weighting: {scheme: uniform-out, self_loops: true}"
		}
		problem := "{kind: table, file: " + file + ", " + test.keys + ", label: y, features: [a], intercept: false, test: {column: split}, reuse: cycle, feature_bound: 1, model: {kind: logistic}, set: {kind: l2-ball, radius: 20}}"
		got := measured(t, onRows(algorithm, topology, "{kind: none}", problem), "horizon=8", "measure={every: 8, metrics: ["+test.metric+"]}")
		if share := last(valuesOf(got.Rows, test.metric)); math.Abs(share-test.want) > 1e-15 {
			t.Errorf("%s: %s is %v, want %v", name, test.metric, share, test.want)
		}
	}
	// Rows of tests that are of nobody who takes part are refused by every family.
	file := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(file, []byte("client,a,y,split\n"+train+"c,1,1,test\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range []string{"{kind: local, learning_rate: 1}", "{kind: fedavg, tau: 1, learning_rate: 1}"} {
		topology := map[bool]string{true: "star", false: "ring"}[strings.Contains(algorithm, "fedavg")]
		problem := "{kind: table, file: " + file + ", party: client, label: y, features: [a], test: {column: split}, feature_bound: 1, model: {kind: logistic}, set: {kind: l2-ball, radius: 20}}"
		_, err := loadError(t, onRows(algorithm, topology, "{kind: none}", problem), "nodes=2")
		if want := `problem.test: no row of tests is of the 2 parties that take part, "a" "b"; want more nodes, or leave test out`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", algorithm, err, want)
		}
	}
}
