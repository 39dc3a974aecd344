package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/guide"
	"starling/scenarios/runner"
	"starling/scenarios/testneeds"
)

// fileOf is a file that a problem reads.
var fileOf = map[string]string{"table": "../library/own-data.csv", "from-file": "losses.csv", "python": "../library/logistic.py", "python-rows": "../library/rows.py"}

// fileFor is a file for a problem that an algorithm takes: fedsvt takes losses of experts.
func fileFor(algorithm, problem string) string {
	if algorithm == "fedsvt" && problem == "python" {
		return "../library/experts.py"
	}
	return fileOf[problem]
}

// TestBeginPairs begins a scenario of every algorithm with every problem that goes with
// it. The text loads; that of the first problem of an algorithm runs, with
// all defaults in it as without. Quick tests begin one problem in two beyond the first of an algorithm.
func TestBeginPairs(t *testing.T) {
	t.Chdir("testdata")
	catalog := scenarios.Catalog()
	g, err := guide.New(&catalog)
	if err != nil {
		t.Fatal(err)
	}
	begun := map[string]int{}
	for i, p := range guide.Pairs(&catalog) {
		if p.Section != "problem" {
			continue
		}
		if begun[p.Algorithm] > 0 && !testneeds.Some(i, 2) {
			continue
		}
		if ofCode(p) && (testneeds.NoPython() || !quickPython(p) && !testneeds.SlowWanted()) {
			begun[p.Algorithm]++ // no class of it loads, or it is begun with the slow tests
			continue
		}
		text, err := g.Begin(testLoader(t), guide.Choice{Path: "begun.yaml", Kinds: map[string]string{"algorithm": p.Algorithm, "problem": p.Kind}, File: fileFor(p.Algorithm, p.Kind)})
		switch {
		case !p.Fits && (err == nil || !strings.Contains(err.Error(), "goes with")):
			t.Errorf("%s with %s: %v, want what would go together", p.Algorithm, p.Kind, err)
		case p.Fits && err != nil:
			t.Errorf("%s with %s: %v", p.Algorithm, p.Kind, err)
		case p.Fits && begun[p.Algorithm] == 0 && testneeds.Some(len(begun), 4):
			s := loadText(t, string(text), "seeds.count=1")
			resolved, err := g.Resolved(testLoader(t), s, "", "")
			if err != nil {
				t.Fatal(err)
			}
			m := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
			same := metricsOf(t, loadText(t, string(resolved)), runner.RunOptions{Engine: runner.Lockstep})
			if len(m.Rows) == 0 || same.Digest != m.Digest {
				t.Errorf("%s with %s records %d rows, digest %s, and %s resolved", p.Algorithm, p.Kind, len(m.Rows), m.Digest, same.Digest)
			}
		}
		if p.Fits {
			begun[p.Algorithm]++
		}
	}
	if len(begun) != len(catalog.Algorithms) {
		t.Errorf("scenarios of %d algorithms were begun, of %d", len(begun), len(catalog.Algorithms))
	}
}

// TestBeginKinds begins scenarios with other topologies, mechanisms and values, and says
// what is wrong with others, all at once.
func TestBeginKinds(t *testing.T) {
	catalog := scenarios.Catalog()
	g, err := guide.New(&catalog)
	if err != nil {
		t.Fatal(err)
	}
	table := filepath.Join(t.TempDir(), "mine.csv")
	if err := os.WriteFile(table, []byte(strings.Repeat("name,site,outcome\n", 1)+"1,a,0.5\n2,a,1.5\n3,b,2.25\n4,b,1\n5,a,2\n6,b,0.1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		kinds string
		file  string
		set   []string
		want  []string // in the text, or in the error
		fails bool
	}{
		{"algorithm=dpdonc problem=logistic topology=hypercube mechanism=gaussian network=effects", "", []string{"horizon=7"}, []string{"nodes: 8", "horizon: 7", "kind: effects", "  #     how noisy points"}, false},
		{"algorithm=dsgd problem=table mechanism=none", table, nil, []string{"party: site", "label: outcome", "A guess by the name of the column, of 2 parties.", "kind: linear", "nodes: 2"}, false},
		{"algorithm=dpdnoc problem=logistic", "", nil, []string{`unknown algorithm "dpdnoc"; did you mean "dpdonc"?`}, true},
		{"problem=logistik topology=rnig", "", nil, []string{"give --algorithm, such as dpdonc; starling list algorithms has all", `did you mean "logistic"?`, `did you mean "ring"?`}, true},
		{"algorithm=fedsvt problem=logistic mechanism=laplace", "", nil, []string{"fedsvt and logistic do not go together", "fedsvt goes with python, uniform-zero", "fedsvt and laplace do not go together"}, true},
		{"algorithm=ofl problem=logistic topology=ring", "", nil, []string{"ring does not connect the nodes of ofl"}, true},
		{"algorithm=ofl problem=table", "", nil, []string{"give --file"}, true},
		{"algorithm=ofl problem=logistic", table, nil, []string{"reads no file"}, true},
		{"algorithm=ofl problem=logistic", "", []string{"algorithm.tua=3"}, []string{`did you mean "tau"?`}, true},
	} {
		c := guide.Choice{Path: "begun.yaml", Kinds: map[string]string{}, File: test.file, Values: parseSets(t, test.set...)}
		for _, word := range strings.Fields(test.kinds) {
			section, name, _ := strings.Cut(word, "=")
			c.Kinds[section] = name
		}
		text, err := g.Begin(testLoader(t), c)
		said := string(text)
		if err != nil {
			said = err.Error()
		}
		if (err != nil) != test.fails {
			t.Errorf("%s: %v", test.kinds, err)
		}
		for _, want := range test.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s: no %q in\n%s", test.kinds, want, said)
			}
		}
	}
}

// Scenarios of small parties load: the batch of an example is no more than every party can learn
// from, and is what it was where they have enough.
func TestBeginSmallParties(t *testing.T) {
	catalog := scenarios.Catalog()
	g, err := guide.New(&catalog)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rows.csv")
	for rows, want := range map[int]map[string]string{
		2:  {"dpfl": "1", "ali-dpfl": "1", "fedavg": "1", "central": "1"},
		6:  {"dpfl": "4", "ali-dpfl": "4", "fedavg": "4", "central": "8"},
		30: {"dpfl": "4", "ali-dpfl": "8", "fedavg": "4", "central": "8"},
	} {
		text := "client,a,y\n"
		for k := range 3 * rows {
			text += fmt.Sprintf("p%d,%d,%d\n", k%3, k%5, k%2)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for algorithm, batch := range want {
			begun, err := g.Begin(testLoader(t), guide.Choice{Path: "begun.yaml", Kinds: map[string]string{"algorithm": algorithm, "problem": "table"}, File: file})
			if err != nil {
				t.Errorf("%d rows, %s: %v", rows, algorithm, err)
				continue
			}
			if !strings.Contains(string(begun), "\n  batch: "+batch+"\n") {
				t.Errorf("%d rows, %s: no batch of %s in\n%s", rows, algorithm, batch, begun)
			}
		}
	}
}
