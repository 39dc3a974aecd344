package loading_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios/document"
	"starling/scenarios/library"
	"starling/scenarios/loading"
	"starling/scenarios/scenariotest"
)

// scenariotest.SchemaFile is the schema beside the library, which its scenarios name.

func TestSchemaFileIsCurrent(t *testing.T) {
	want := scenariotest.SchemaText(t)
	got, err := os.ReadFile(filepath.Join("..", "library", scenariotest.SchemaFile))
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Split(want, []byte("\n")); !bytes.Equal(got, want) {
		at := 0
		for _, line := range bytes.Split(got, []byte("\n")) {
			if at == len(lines) || !bytes.Equal(line, lines[at]) {
				break
			}
			at++
		}
		t.Errorf("scenarios/library/%s is not what the code says, from line %d on; write it with:\ngo run ./cmd/starling schema --out scenarios/library/%[1]s", scenariotest.SchemaFile, at+1)
	}
	for range 5 { // definitions and rules are maps
		if !bytes.Equal(scenariotest.SchemaText(t), want) {
			t.Fatal("two schemas of one build differ")
		}
	}
}

// Every scenario of the library names the schema in its first line and is valid.
func TestSchemaTakesTheLibrary(t *testing.T) {
	schema := scenariotest.Schema(t)
	for _, name := range loading.Library() {
		text, err := library.ReadFile(library.ScenarioFile(name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "# yaml-language-server: $schema="+scenariotest.SchemaFile+"\n") {
			t.Errorf("%s does not name the schema in its first line", name)
		}
		if err := scenariotest.Refused(t, schema, string(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemaTakesTestScenarios(t *testing.T) {
	schema := scenariotest.Schema(t)
	for name, text := range map[string]string{
		"base":  scenariotest.Base,
		"large": scenariotest.Large,
		"entropy": scenariotest.Edited(t, scenariotest.Base, "{kind: euclidean, scale: 0.5}", "{kind: entropy}", "start: [0, 0]", "positivity: dual-average\n  floor: 1e-9",
			"{kind: l1-ball, dimension: 2, radius: 3}", "{kind: simplex, dimension: 2}"),
		"mahalanobis": scenariotest.Edited(t, scenariotest.Base, "{kind: euclidean, scale: 0.5}", "{kind: mahalanobis, matrix: [[1, 1/3], [1/3, 1]]}"),
		"box":         scenariotest.Edited(t, scenariotest.Base, "{kind: l1-ball, dimension: 2, radius: 3}", "{kind: box, lower: [-1, -1], upper: [1, 1]}"),
		"no sweep":    scenariotest.Base + "sweep: null\n",
		"arms":        scenariotest.Base + "sweep: {list: [{name: a, set: {}}, {set: {nodes: 5, topology: {kind: ring}}}]}\n",
		"zip":         scenariotest.Base + "sweep: {zip: {horizon: [1, 2], mechanism.epsilon: [1, none]}}\n",
	} {
		if err := scenariotest.Refused(t, schema, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file that extends another says only what it changes.
func TestSchemaOfChanges(t *testing.T) {
	schema := scenariotest.Schema(t)
	const header = "name: changed\nextends: dpdonc-localization\n"
	for text, ok := range map[string]bool{
		"":                                      true,
		"horizon: 5\nmechanism: {epsilon: 3}\n": true,
		"sweep: null\nalgorithm: {theta: null, step: {scale: 2}}\n": true,
		"sweep: {grid: null, list: [{name: a, set: {}}]}\n":         true,
		"sweep: {grid: {mechanism.epsilon: null}}\n":                true,
		"problem: {sensors: {circle: null, same: {position: [1]}}}": true,
		"problem: {set: {radius: 2}}\n":                             true,
		"topology: {kind: circulant, degree: 2}\n":                  true,
		"topology: {kind: ring, degree: 2}\n":                       false,
		"topology: {degre: 2}\n":                                    false,
		"mechanism: {epsilon: low}\n":                               false,
		"horizont: 5\n":                                             false,
		"problem: {set: {radius: -2}}\n":                            false,
		"sweep: {list: [{name: a}]}\n":                              false,
	} {
		if err := scenariotest.Refused(t, schema, header+text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
	if scenariotest.Refused(t, schema, "extends: dpdonc-localization\nhorizon: 5\n") == nil {
		t.Error("a file without a name is taken")
	}
}

// beyondSchema are the invalid cases that the schema takes, by what it would
// have to know to refuse them.
var beyondSchema = map[string][]string{
	"sums, signs and sizes of matrices": {"row sum", "column sum", "negative weight", "ragged matrix", "matrix of another size",
		"matrix of another dimension", "matrix not symmetric", "matrix not positive"},
	"that a number is infinite":    {"infinite weight", "epsilon infinite"},
	"the graphs":                   {"disconnected", "window too small", "metropolis on a directed graph", "uniform weights that are checked", "base that changes", "directed base", "graphs that are disconnected"},
	"what weights a graph needs":   {"directed without weighting", "events on weights"},
	"what is the whole's to say":   {"events of a part", "weighting of a base"},
	"what happened before":         {"recovery without a crash"},
	"files":                        {"no such file"},
	"the number of nodes or steps": {"fault of an arm", "window over the horizon", "printed for other nodes", "crash of no node", "sides of another size", "hypercube of three", "degree", "one node", "huge degree"},
	"what fits the set":            {"no solver", "start outside", "start dimension", "target outside"},
	"paths, and what lies at them": {"unknown swept path", "swept path through a number", "no path", "no paths in a list", "bad value in a grid", "sweep of the name", "sweep of seeds", "sweep of seeds in brackets", "value set again", "headline of an arm", "conditions that are not swept"},
	"arms next to each other":      {"two arms of one name", "two listed arms of one name", "names of arms that nobody tells apart", "huge grid"},
	"the command line":             {"set around a swept key", "set within a swept key"},
	"what a run spends or records": {"budget refused", "budget refused without noise", "headline of a slip", "headline of what is not measured", "headline of nodes", "headline without a better side", "axes of plots", "plots of what is not recorded", "plots of what the algorithm does not record"},
	"products of sizes":            {"huge redrawn degree", "huge complete graph", "large complete graph", "large random graph", "huge nodes times dimension", "huge horizon times dimension", "huge memory of metrics", "huge number of records", "nodes of a population"},
}

// TestSchemaRefusesWhatLoadRefuses goes through the invalid scenarios: the
// schema refuses them too, but for those listed above.
func TestSchemaRefusesWhatLoadRefuses(t *testing.T) {
	schema := scenariotest.Schema(t)
	reasons := map[string]string{}
	for reason, names := range beyondSchema {
		for _, name := range names {
			reasons[name] = reason
		}
	}
	seen := map[string]bool{}
	for _, test := range invalidCases {
		doc, err := document.Parse("s.yaml", []byte(scenariotest.Edited(t, scenariotest.Base, test.edits...)))
		for _, o := range scenariotest.ParseSets(t, test.sets...) {
			if err == nil {
				doc, err = doc.Set(o.Path, o.Text, o.Source)
			}
		}
		if err != nil {
			continue // there is no document to have a schema
		}
		seen[test.name] = true
		reason, beyond := reasons[test.name]
		err = schema.Validate(scenariotest.Plain(doc.Root()))
		if err == nil && !beyond {
			t.Errorf("%s: the schema takes it", test.name)
		}
		if err != nil && beyond {
			t.Errorf("%s: the schema refuses it, without knowing %s: %v", test.name, reason, err)
		}
	}
	for name := range reasons {
		if !seen[name] {
			t.Errorf("there is no case %q", name)
		}
	}
	t.Logf("%d cases, %d beyond the schema", len(seen), len(reasons))
}
