package pyalgorithm_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// records is a class that records, in both forms.
const records = `
import numpy as np

class One:
    metrics = {"square": {"text": "squared length of what is played", "unit": "2-norm squared", "better": "lower"},
               "numbers.even": {"text": "node, of even ones", "label": "node"}}
    def state(self, start): return {"x": start}
    def sensitivity(self, step, bound): return 2 * bound
    def step(self, turn):
        s = turn.state
        if turn.step > 1: s["x"] = yield turn.project(turn.heard)
        turn.record("square", (s["x"]**2).sum())
        if turn.node % 2 == 0 and turn.step != 3: turn.record("numbers.even", turn.node + turn.step)
        g = yield turn.play(s["x"])
        return s["x"] - g

class All(One):
    step = None
    def step_all(self, turns):
        s = turns.state
        if turns.step > 1: s["x"] = yield turns.project(turns.heard)
        turns.record("square", (s["x"]**2).sum(axis=1))
        if turns.step != 3: turns.record("numbers.even", np.where(turns.node % 2 == 0, turns.node + turns.step, np.nan))
        g = yield turns.play(s["x"])
        return s["x"] - g
`

// What a class declares and records is a metric: the mean over the nodes that recorded it, the
// same on every runtime and in both forms, with what the class says of it.
func TestOwnMetrics(t *testing.T) {
	digests := map[string]string{}
	for _, class := range []string{"One", "All"} {
		s, err := load(t, records, class, "mechanism={kind: laplace, epsilon: 1}")
		if err != nil {
			t.Fatal(err)
		}
		for _, shards := range []int{0, 1, 2, 8} {
			options := runner.RunOptions{Engine: runner.Actors, Shards: shards}
			if shards == 0 {
				options = runner.RunOptions{Engine: runner.Lockstep}
			}
			m := scenariotest.MetricsOf(t, s, options)
			digests[m.Digest] = fmt.Sprint(class, " on ", shards)
			if even := scenariotest.ValuesOf(m.Rows, "own.numbers.even"); len(even) != 12 || even[0] != 3 || even[1] != 4 || even[2] == even[2] || even[11] != 14 {
				t.Errorf("%s: the mean of the even nodes 0, 2, 4 and the step is %v", class, even)
			}
			if squares := scenariotest.ValuesOf(m.Rows, "own.square"); len(squares) != 12 || squares[0] != 0 || !(squares[11] > 0) {
				t.Errorf("%s: squares %v", class, squares)
			}
		}
		resumes(t, s)
		found, ok := s.Kinds.AllMetrics().Find("own.square")
		if !ok || found.Summary != "squared length of what is played" || found.Unit != "2-norm squared" || found.Better != "lower" || found.Label != "square" {
			t.Errorf("the metric is %+v", found)
		}
	}
	if len(digests) != 1 {
		t.Errorf("several digests: %v", digests)
	}
}

// measure.metrics chooses among them, and knows no others; what no class declares has no name
// in another scenario.
func TestOwnMetricsAreAsked(t *testing.T) {
	s, err := load(t, records, "One", "measure.metrics=[own.square]")
	if err != nil {
		t.Fatal(err)
	}
	m := scenariotest.MetricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
	for _, row := range m.Rows {
		if row.Metric != "own.square" {
			t.Fatalf("%s is recorded", row.Metric)
		}
	}
	if _, err := load(t, records, "One", "measure.metrics=[own.sqare]"); err == nil || !strings.Contains(err.Error(), `unknown metric "own.sqare"; did you mean "own.square"?`) {
		t.Error(err)
	}
	if _, err := load(t, everything, "One", "measure.metrics=[own.square]"); err == nil || !strings.Contains(err.Error(), `unknown metric "own.square"`) {
		t.Error(err)
	}
}

// What is wrong with a declaration, or with what is recorded, is said in a sentence.
func TestOwnMetricsRefused(t *testing.T) {
	declared, recorded := map[string]string{
		`"better": "lower"=>"better": "more"`:  `: metrics: square: better is "more": want lower or higher`,
		`"text": "node, of even ones", =>`:     ": metrics: numbers.even: lacks a text",
		`"label": "node"=>"colour": "red"`:     "metrics: numbers.even: colour is red: want the texts",
		`"square": {"text"=>"Square": {"text"`: `metrics: "Square" is no name: lower case letters`,
		`"label": "node"=>"label": 3`:          "metrics has something that is no text",
		"metrics = {=>metrics = 3; other = {":  "metrics is no dictionary with a dictionary of texts for each name",
	}, map[string]string{
		`turn.record("square", =>turn.record("round", `:                                              "turn.record of 'round'; the class declares numbers.even, square",
		`turn.record("square", (=>turn.record("square", s["x"] + (`:                                  "turn.record of 'square' of node 1 has shape (4,); want ()",
		`(s["x"]**2).sum())=>np.nan)`:                                                                "turn.record of 'square' of node 1 is nan at []; want finite numbers",
		`(s["x"]**2).sum())=>"a")`:                                                                   "turn.record of 'square' of node 1 has dtype <U1",
		"        g = yield turn.play=>        turn.record('square', 1)\n        g = yield turn.play": "turn.record of 'square' twice in a step",
	}
	changed := func(change string) func(string) string {
		from, to, _ := strings.Cut(change, "=>")
		one, _, _ := strings.Cut(records, "class All")
		return func(name string) string {
			return strings.Replace(scenariotest.Edited(t, one, from, to), "class One", "class "+name, 1)
		}
	}
	var classes []func(string) string
	for change := range declared {
		classes = append(classes, changed(change))
	}
	_, err := several(t, "", classes)
	for change, want := range declared {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %q", change, err, want)
		}
	}
	classes = nil
	changes := slices.Sorted(maps.Keys(recorded))
	for _, change := range changes {
		classes = append(classes, changed(change))
	}
	s, err := several(t, "", classes)
	if err != nil {
		t.Fatal(err)
	}
	for i, change := range changes {
		if err := runArm(t, s.Arms[i]); err == nil || !strings.Contains(err.Error(), recorded[change]) {
			t.Errorf("%s: %v\nwant %q", change, err, recorded[change])
		}
	}
}
