package scenarios_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/mechanisms/factorization"
	"starling/scenarios/runner"
)

// ownRows is a problem of the library's table.
const ownRows = "{kind: table, file: library/own-data.csv, party: client, step: step, label: y, test: {share: 0.2}, feature_bound: 3, model: {kind: logistic}"

// onRows is a scenario of three nodes on rows.
func onRows(algorithm, topology, mechanism, problem string) string {
	return "version: 1\nname: rows\nhorizon: 6\nnodes: 3\nalgorithm: " + algorithm + "\nproblem: " + problem + "\ntopology: {kind: " + topology +
		"}\nmechanism: " + mechanism + "\nmeasure: {every: 3}\nseeds: {base: 1, count: 1}\nplots: []\n"
}

// A row that comes several times costs what all its inputs cost: k times one where each has
// noise of its own, and by the sensitivity of the factorization to k inputs b apart where
// noise is correlated. A run with as many rows as steps costs what it did.
func TestRowsThatComeAgain(t *testing.T) {
	const steps, rows = 70, 32 // of 40 rows, a fifth tests
	text := strings.Replace(onRows("{kind: ofl, tau: 1, local_step: 0.1, gradient_bound: 1}", "star", "MECHANISM", ownRows+", reuse: cycle}"), "horizon: 6", fmt.Sprintf("horizon: %d", steps), 1)
	own := func(horizon int) float64 {
		s := loadText(t, strings.Replace(text, "MECHANISM", "{kind: laplace, epsilon: 2}", 1), fmt.Sprintf("horizon=%d", horizon))
		return last(valuesOf(metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows, "epsilon.total"))
	}
	if once, again := own(rows), own(steps); math.Abs(once-2) > 1e-9 || math.Abs(again-6) > 1e-9 {
		t.Errorf("epsilon %v with every row once and %v with rows up to 3 times, want 2 and 6", once, again)
	}
	for _, kind := range []factorization.Kind{factorization.Tree, factorization.Toeplitz, factorization.Independent} {
		f, err := factorization.New(factorization.Options{Kind: kind, N: steps})
		if err != nil {
			t.Fatal(err)
		}
		moved, err := f.SensitivityOf(factorization.Participation{Times: 3, Apart: rows, Even: true})
		if err != nil || moved <= f.Sensitivity() {
			t.Fatal(kind, moved, err)
		}
		s := loadText(t, strings.Replace(text, "MECHANISM", fmt.Sprintf("{kind: %s, epsilon: 2, delta: 1e-3}", kind), 1))
		// Noise of multiplier V_i over the sensitivity is what 2 and 1e-3 ask for, and V_i is
		// that of a datum in each input it is in: 2 B_g = 2 times the sensitivity.
		want := fmt.Sprintf("sensitivity %.6g,", 2*moved)
		notes := runIn(t, s, runner.RunOptions{Engine: runner.Lockstep}).Manifest.Notes
		if got := noteOf(notes, "noise"); !strings.Contains(got, want) {
			t.Errorf("%s: noise %s, want %s", kind, got, want)
		}
		if got := noteOf(notes, "participation"); got != "a datum is met 3 times, and is in 3 inputs, exactly 32 apart" {
			t.Errorf("%s: %q", kind, got)
		}
	}
}

// Rows that come again are refused where what they cost is not accounted for, and are no
// news to nodes whose costs are protected as a whole.
func TestWhoTakesRowsThatComeAgain(t *testing.T) {
	again := ownRows + ", reuse: cycle, set: {kind: SET}}"
	experts := onRows("{kind: opestoch}", "star", "{kind: dp-fw, epsilon: 2}", strings.Replace(again, "SET", "simplex", 1))
	if _, err := loadError(t, experts, "horizon=63"); err == nil || !strings.Contains(err.Error(), "problem.reuse: a row is met 2 times in 63 steps, and prediction on the simplex does not account for the loss of that") {
		t.Errorf("%v", err)
	}
	equals := onRows("{kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}, theta: 1, gradient_bound: clip}", "ring", "{kind: laplace, epsilon: 2}", strings.Replace(again, "SET", "l2-ball, radius: 2", 1))
	total := func(text string) float64 {
		return last(valuesOf(metricsOf(t, loadText(t, text, "horizon=50"), runner.RunOptions{Engine: runner.Lockstep}).Rows, "epsilon.total"))
	}
	if _, err := loadError(t, strings.Replace(equals, "reuse: cycle", "reuse: error", 1), "horizon=50"); err == nil || !strings.Contains(err.Error(), `party "1" has 32 rows to learn from for 50 steps`) {
		t.Errorf("%v", err)
	}
	once := strings.Replace(equals, "party: client, step: step", "partition: {kind: iid}", 1) // 213 rows each or more
	if a, b := total(equals), total(once); a != b || !(a > 0) {
		t.Errorf("epsilon %v, and %v where no row comes again: all costs of a node are one unit", a, b)
	}
}

// Faults of a table have their place in the scenario, and in the table.
func TestRefusedRows(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "mine.csv")
	if err := os.WriteFile(file, []byte("client,age,label\na,1,0\na,2,1\nb,3,2\nb,4,0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for keys, want := range map[string]string{
		"label: label, party: client, model: {kind: logistic}":                                                     `problem.label: column "label" has 3 classes, "0" "1" "2"; this model has two: softmax has more`,
		"label: label, party: customer, model: {kind: softmax}":                                                    `mine.csv: line 1: party: there is no column "customer"; the columns are client, age, label`,
		"label: lable, party: client, model: {kind: softmax}":                                                      `mine.csv: line 1: label: there is no column "lable"; did you mean "label"?`,
		"label: label, model: {kind: softmax}":                                                                     "problem: give party, the column of the party of a row, or partition, which divides the rows",
		"label: label, party: client, partition: {kind: iid}, model: {kind: softmax}":                              "problem.partition: is given, but the column of parties divides the rows already; leave one of them out",
		"label: age, partition: {kind: by-label}, features: [label], model: {kind: linear}":                        "problem.partition.kind: by-label divides classes, and labels are quantities; want iid or sizes",
		"label: label, party: client, model: {kind: softmax}, test: {share: 0.9}":                                  `problem.test.share: party "a" has 2 rows, of which a share of 0.9 leaves none for training; want more rows, or a smaller share`,
		"label: label, party: client, model: {kind: softmax}, test: {share: 0.5, column: x}":                       "problem.test.column: give one of share, column, file, folds, last, from and parties; share is given already",
		"label: label, party: client, model: {kind: softmax}, test: {common: true}":                                "problem.test: give one of share, column, file, folds, last, from and parties",
		"label: label, party: client, model: {kind: softmax}, test: {last: 0.5, draw: seed}":                       "problem.test.draw: last draws nothing, and there are no validation rows; leave draw out",
		"label: age, party: client, features: [label], model: {kind: linear}, test: {folds: 2, stratified: true}":  "problem.test.stratified: labels are numbers, and have no classes; leave it out, or take a model of classes",
		"label: label, party: client, model: {kind: softmax}, test: {last: 0.5, stratified: true}":                 "problem.test.stratified: stratified is of share, folds and validation; leave it out",
		"label: label, party: client, model: {kind: softmax}, test: {from: 2}":                                     "problem.test.from: from is of the column step, which is missing",
		"label: label, party: client, model: {kind: softmax}, step: age, test: {from: soon}":                       `problem.test.from: got soon, want a number, or a time such as 2024-01-31 or 2024-01-31T23:59:59`,
		"label: label, party: client, model: {kind: softmax}, step: age, test: {from: 2024-01-31}":                 `mine.csv: line 2: column "age": got "1", which has no order with 2024-01-31`,
		"label: label, partition: {kind: iid}, model: {kind: softmax}, test: {parties: 0.5}":                       "problem.test.parties: there are no parties; give party, the column of the party of a row",
		"label: label, party: client, model: {kind: softmax}, test: {folds: 3}":                                    `problem.test.folds: party "a" has 2 rows, fewer than the 3 folds; want more rows, or fewer folds`,
		"label: label, party: client, model: {kind: softmax}, parameters: [age], test: {parties: 0.5, draw: seed}": "problem.test.parties: parameters are of nodes, and nodes are other parties under every seed; give draw: fixed",
		"label: age, partition: {kind: sizes}, features: [label], model: {kind: linear}":                           "problem.partition.sizes: give one of sizes and exponent",
		"label: label, party: client, model: {kind: softmax}, standardise: columns":                                "problem.standardise: expected none, rows, or {mean: [..], scale: [..]}, got columns",
		"label: label, party: client, model: {kind: softmax}, standardise: {mean: [1, 2], scale: [1, 2]}":          `problem.standardise: 2 numbers; want 1, one for each column of numbers among the features "age"`,
		"label: label, party: client, model: {kind: softmax}, set: {kind: l2-ball, radius: 1, dimension: 7}":       "problem.set: the set has dimension 7; the model has 6 parameters",
		"label: label, party: client, model: {kind: softmax}":                                                      `problem.party: 3 nodes; the table has 2 parties, "a" "b"`,
		"label: label, party: client, model: {kind: softmax}, fiel: x":                                             `unknown key "fiel"`,
		"label: label, party: client":                                                                              `problem: missing required key "model"`,
		"label: label, party: client, model: null":                                                                 `problem.model: missing required key "model"`,
		"label: label, party: client, model: [softmax]":                                                            "problem.model: expected a mapping, got a sequence",
		"label: label, party: client, model: {kind: null}":                                                         "problem.model.kind: expected a string, got null",
		"label: label, party: client, model: {kind: ring}":                                                         `problem.model.kind: unknown kind "ring"; known: linear`,
		"label: label, party: client, model: {kind: softmax, hidden: 3}":                                           "problem.model.hidden: expected a sequence, got the number 3",
		"label: label, party: client, model: {kind: softmax, delta: 0}":                                            "problem.model.delta: delta = 0; want a finite number > 0",
		"label: label, party: client, model: {kind: softmax, deltas: 1}":                                           `: unknown key "deltas" in problem.model; did you mean "delta"?`,
		"label: label, party: client, model: {kind: softmax}, test: {file: gone.csv}":                              "problem.test.file: there is no file",
		"label: age, party: client, features: [label], model: {kind: linear}, test: {column: label}, reuse: cycle": `features: the column "label" is something else already`,
	} {
		text := onRows("{kind: ofl, tau: 1, local_step: 0.1, gradient_bound: 1}", "star", "{kind: none}", "{kind: table, file: "+file+", "+keys+"}")
		if _, err := loadError(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", keys, err, want)
		}
	}
}
