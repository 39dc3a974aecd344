package runner_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// TestArmsOfARun reads what arms.parquet says of the swept keys of a run, and of some that
// are not swept: of numbers, words, fractions, lists, and mappings that an arm sets whole.
func TestArmsOfARun(t *testing.T) {
	const sweep = `sweep={list: [{name: complete, set: {topology: {kind: complete}, mechanism.epsilon: 1e-1}}, {name: printed, set: {"topology.matrices[0][0][1]": 1/2, "mechanism.epsilon": none}}]}`
	s := scenariotest.LoadText(t, scenariotest.Base, "seeds.count=1", "horizon=2", "algorithm.step.per_node=false", sweep)
	outcome := scenariotest.RunIn(t, s, runner.RunOptions{})
	rows, err := parquet.ReadFile[struct {
		Run    string   `parquet:"run"`
		Arm    string   `parquet:"arm"`
		Key    string   `parquet:"key"`
		Value  string   `parquet:"value"`
		Type   string   `parquet:"type"`
		Number *float64 `parquet:"number,optional"`
		Swept  bool     `parquet:"swept"`
	}](filepath.Join(outcome.Dir, "arms.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range rows {
		number := ""
		if r.Number != nil {
			number = fmt.Sprintf(" %v", *r.Number)
		}
		key := r.Arm + " " + r.Key
		if _, twice := got[key]; twice || r.Run != outcome.Manifest.Hash {
			t.Errorf("row %+v of the run %s", r, outcome.Manifest.Hash)
		}
		got[key] = fmt.Sprintf("%s %s%s %t", r.Value, r.Type, number, r.Swept)
	}
	want := map[string]string{
		"complete algorithm.divergence.kind":     "euclidean text false",
		"complete algorithm.divergence.scale":    "0.5 number 0.5 false",
		"complete algorithm.kind":                "dpdonc text false",
		"complete algorithm.start":               "[0,0] list false",
		"complete algorithm.step.per_node":       "false boolean false",
		"complete horizon":                       "2 integer 2 false",
		"complete mechanism.epsilon":             "1e-1 number 0.1 true",
		"complete mechanism.kind":                "laplace text false",
		"complete nodes":                         "3 integer 3 false",
		"complete problem.kind":                  "localization text false",
		"complete problem.sensors.circle.radius": "4 integer 4 false",
		"complete problem.set.dimension":         "2 integer 2 false",
		"complete problem.set.kind":              "l1-ball text false",
		"complete problem.set.radius":            "3 integer 3 false",
		"complete topology":                      "{kind:complete} mapping true",
		"complete topology.kind":                 "complete text false",
		"complete version":                       "1 integer 1 false",
		"printed algorithm.divergence.kind":      "euclidean text false",
		"printed algorithm.divergence.scale":     "0.5 number 0.5 false",
		"printed algorithm.kind":                 "dpdonc text false",
		"printed algorithm.start":                "[0,0] list false",
		"printed algorithm.step.per_node":        "false boolean false",
		"printed horizon":                        "2 integer 2 false",
		"printed mechanism.epsilon":              "none text true",
		"printed mechanism.kind":                 "laplace text false",
		"printed nodes":                          "3 integer 3 false",
		"printed problem.kind":                   "localization text false",
		"printed problem.sensors.circle.radius":  "4 integer 4 false",
		"printed problem.set.dimension":          "2 integer 2 false",
		"printed problem.set.kind":               "l1-ball text false",
		"printed problem.set.radius":             "3 integer 3 false",
		"printed topology":                       "{kind:matrices,matrices:[[[0.5,1/2,0],[0,0.5,0.5],[0.5,0,0.5]]]} mapping true",
		"printed topology.kind":                  "matrices text false",
		"printed topology.matrices":              "[[[0.5,1/2,0],[0,0.5,0.5],[0.5,0,0.5]]] list false",
		"printed topology.matrices[0][0][1]":     "1/2 text 0.5 true",
		"printed version":                        "1 integer 1 false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
