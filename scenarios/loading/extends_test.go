package loading_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/document"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// writeFiles writes files below the working folder, by their paths.
func writeFiles(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestExtends follows a chain through folders and into the library, with every
// kind of override, and compares it with the same scenario written whole: one
// content has one text and one hash.
func TestExtends(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, map[string]string{
		"studies/mine.yaml": "name: mine\nextends: ../shared/middle.yaml\nhorizon: 40\nproblem: {measurement_noise: null}\n",
		"shared/middle.yaml": `name: middle
extends: dpdonc-as-printed
sweep: null
description: null
paper: {figure: null}
measure: null
topology: {kind: ring}
mechanism: {epsilon: 2}
problem: {sensors: {same: null, circle: {radius: 4}}}
`,
		"whole.yaml": `name: mine
seeds: {count: 100, base: 1}
mechanism: {noise: as-printed, epsilon: 2, kind: laplace}
topology: {"kind": ring}
problem:
  target: {motion: printed, start: [0.8, 0.95]}
  sensors: {circle: {radius: 4}}
  kind: localization
  set: {kind: l1-ball, dimension: 2, radius: 3}
algorithm: {kind: dpdonc, step: {per_node: true, scale: 1}, start: [0, 0], divergence: {kind: euclidean, scale: 0.5}}
nodes: 6
horizon: 40
paper: {authors: [Yingjie Zhou, "Tao Li"], title: Privacy-Preserving Distributed Online Mirror Descent for Nonconvex Optimization}
version: 1
`,
	})
	got, want := scenariotest.Load(t, "studies/mine.yaml"), scenariotest.Load(t, "whole.yaml")
	if diff := cmp.Diff(string(want.Document.Bytes()), string(got.Document.Bytes())); diff != "" {
		t.Errorf("-whole +extended:\n%s", diff)
	}
	if runner.Hash(got, "b") != runner.Hash(want, "b") {
		t.Errorf("hash %s, want %s", runner.Hash(got, "b"), runner.Hash(want, "b"))
	}
	// What is stored is self-contained and stays what it is.
	writeFiles(t, map[string]string{"stored/scenario.yaml": string(got.Document.Bytes())})
	again := scenariotest.Load(t, "stored/scenario.yaml")
	if diff := cmp.Diff(string(got.Document.Bytes()), string(again.Document.Bytes())); diff != "" {
		t.Errorf("-stored +loaded:\n%s", diff)
	}
	if text := string(got.Document.Bytes()); strings.Contains(text, "extends") || !strings.HasPrefix(text, "version: 1\nname: mine\npaper:\n  authors") {
		t.Errorf("stored:\n%s", text)
	}
	if other := scenariotest.Load(t, "studies/mine.yaml", "horizon=41"); runner.Hash(other, "b") == runner.Hash(got, "b") {
		t.Error("an override does not change the hash")
	}
}

// TestCanonicalKeepsTheSweep checks that the order of arms, and what they are
// named by, is what the file says.
func TestCanonicalKeepsTheSweep(t *testing.T) {
	for _, sweep := range []string{
		"{list: [{set: {nodes: 3, horizon: 9}, name: b}, {name: a, set: {topology: {kind: ring}}}]}",
		"{grid: {nodes: [3], mechanism.epsilon: [0.50, 0.5, .5]}}",
	} {
		s := scenariotest.LoadText(t, scenariotest.Base, "sweep="+sweep)
		kept, _ := s.Document.Find("sweep")
		want, err := document.Parse("s.yaml", []byte("sweep: "+sweep))
		if err != nil {
			t.Fatal(err)
		}
		node, _ := want.Find("sweep")
		if kept.Text() != node.Text() {
			t.Errorf("%s became %s", node.Text(), kept.Text())
		}
	}
	if s := scenariotest.LoadText(t, scenariotest.Base, "sweep=null"); runner.Hash(s, "") != runner.Hash(scenariotest.LoadText(t, scenariotest.Base), "") {
		t.Error("an empty sweep changes the hash")
	}
}

// TestExtendsErrors gives the whole message of everything that can go wrong
// between files, each at the place where the offending value is written.
func TestExtendsErrors(t *testing.T) {
	chain := map[string]string{"base.yaml": scenariotest.Base}
	for i := range 11 {
		next := "link" + string(rune('b'+i)) + ".yaml"
		chain["link"+string(rune('a'+i))+".yaml"] = "name: l\nextends: " + next + "\n"
	}
	chain["linkl.yaml"] = scenariotest.Base
	for name, test := range map[string]struct {
		files map[string]string
		sets  []string
		want  string
	}{
		"circle": {files: map[string]string{
			"s.yaml": "name: s\nextends: d/a.yaml\n", "d/a.yaml": "extends: b.yaml\nname: a\n", "d/b.yaml": "name: b\nextends: ../s.yaml\n",
		}, want: `d/b.yaml:2:10: extends: files extend one another in a circle: s.yaml -> d/a.yaml -> d/b.yaml -> s.yaml`},
		"itself": {files: map[string]string{"s.yaml": "name: s\nextends: ./s.yaml\n"},
			want: `s.yaml:2:10: extends: files extend one another in a circle: s.yaml -> s.yaml`},
		"unknown name": {files: map[string]string{"s.yaml": "name: s\nextends: dpdonc-node\n"},
			want: `s.yaml:2:10: extends: no scenario or file "dpdonc-node"; did you mean "dpdonc-nodes"?`},
		"missing file": {files: map[string]string{"d/s.yaml": "name: s\nextends: none.yaml\n", "s.yaml": "extends: d/s.yaml\nname: s"},
			want: `d/s.yaml:2:10: extends: there is no file "none.yaml"; starling init writes a scenario, and starling list scenarios has those of the library`},
		"no text": {files: map[string]string{"s.yaml": "name: s\nextends: [a]\n"},
			want: `s.yaml:2:10: extends: expected a string, got a sequence`},
		"syntax": {files: map[string]string{"s.yaml": "name: s\nextends: b.yaml\n", "b.yaml": "name: b\nname: c\n"},
			want: `b.yaml:2:1: duplicate key "name"; the first is at 1:1`},
		"too long": {files: chain, want: `linkj.yaml:2:10: extends: more than 10 files extend one another: linka.yaml -> linkb.yaml -> linkc.yaml -> linkd.yaml -> linke.yaml -> linkf.yaml -> linkg.yaml -> linkh.yaml -> linki.yaml -> linkj.yaml -> linkk.yaml`},
		"no name": {files: map[string]string{"s.yaml": "extends: b.yaml\n", "b.yaml": scenariotest.Base},
			want: `s.yaml:1:1: missing required key "name"`},
		"base without a name": {files: map[string]string{"s.yaml": "name: s\nextends: b.yaml\n", "b.yaml": scenariotest.Edited(t, scenariotest.Base, "name: base\n", "")},
			want: `b.yaml:1:1: missing required key "name"`},
		"base of another version": {files: map[string]string{"s.yaml": "name: s\nversion: 1\nextends: b.yaml\n", "b.yaml": scenariotest.Edited(t, scenariotest.Base, "version: 1", "version: 2")},
			want: `b.yaml:1:10: version: version 2; this build reads version 1`},
		"values of several files": {files: map[string]string{
			"s.yaml": "name: s\nextends: b.yaml\nmechanism: {epsilon: 0}\nhorizont: null\n", "b.yaml": scenariotest.Edited(t, scenariotest.Base, "radius: 3}", "radius: three}")},
			sets: []string{"algorithm.floor=[]"},
			want: "--set algorithm.floor:1:1: algorithm.floor: expected a number, got a sequence; sweep.grid varies a number over a list\n" +
				"b.yaml:11:46: problem.set.radius: expected a number, got the string \"three\"\n" +
				"s.yaml:3:22: mechanism.epsilon: epsilon = 0; it must be a finite number > 0, or none\n" +
				`s.yaml:4:1: unknown key "horizont"; did you mean "horizon"?`},
		"a required key removed": {files: map[string]string{"s.yaml": "name: s\nextends: b.yaml\nmechanism:\n  epsilon: null\n", "b.yaml": scenariotest.Base},
			want: `s.yaml:3:1: mechanism: missing required key "epsilon"`},
		"another kind keeps nothing": {files: map[string]string{"s.yaml": "name: s\nextends: b.yaml\ntopology: {kind: circulant}\n", "b.yaml": scenariotest.Base},
			want: `s.yaml:3:1: topology: missing required key "degree"`},
		"undone by the sweep": {files: map[string]string{"s.yaml": "name: s\nextends: dpdonc-nodes\n", "d/s.yaml": "name: s\nextends: dpdonc-localization\nmechanism:\n  epsilon: 3\n"},
			sets: []string{"@d/s.yaml"},
			want: `d/s.yaml:4:12: mechanism.epsilon: the sweep of library/dpdonc-localization.yaml, which this file extends, sets mechanism.epsilon in its arms, so this would do nothing; change the sweep, or drop it with sweep: null`},
		"set": {files: map[string]string{"s.yaml": scenariotest.Base}, sets: []string{"extends=dpdonc-nodes"},
			want: `--set extends:1:1: extends: only a file can name the file that it extends; leave extends out of --set`},
		"swept": {files: map[string]string{"s.yaml": scenariotest.Base + "sweep: {grid: {extends: [dpdonc-nodes]}}\n"},
			want: `s.yaml:19:26: sweep.grid.extends[0]: extends is the same for all arms and cannot be swept`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeFiles(t, test.files)
			file, overrides := "s.yaml", test.sets
			if test.files["linka.yaml"] != "" {
				file = "linka.yaml"
			}
			if len(overrides) > 0 && overrides[0][0] == '@' {
				file, overrides = overrides[0][1:], nil
			}
			_, err := scenarios.Load(file, scenariotest.ParseSets(t, overrides...)...)
			var input *document.InputError
			if !errors.As(err, &input) {
				t.Fatalf("%T: %v, want an input error", err, err)
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			lines := "\n" + test.want // one of --set has no caret
			if n := strings.Count(input.Excerpts(), "^"); n < strings.Count(lines, "\n")-strings.Count(lines, "\n--set ") {
				t.Errorf("%d carets in\n%s", n, input.Excerpts())
			}
		})
	}
}

// TestExtendedSweep checks what a file may do to the sweep that it inherits.
func TestExtendedSweep(t *testing.T) {
	t.Chdir(t.TempDir())
	for changes, want := range map[string]string{
		"":                                     "epsilon=0.5 epsilon=1 epsilon=5 epsilon=none",
		"sweep: null":                          "base",
		"sweep: null\nmechanism: {epsilon: 3}": "base",
		"sweep: {grid: {mechanism.epsilon: [1, 2]}}\nmechanism: {epsilon: 3}":    "epsilon=1 epsilon=2",
		"sweep: {grid: {mechanism.epsilon: null, algorithm.step.scale: [1, 2]}}": "scale=1 scale=2",
		"sweep: {grid: null, list: [{name: x, set: {horizon: 9}}]}":              "x",
	} {
		writeFiles(t, map[string]string{"s.yaml": "name: s\nextends: dpdonc-localization\n" + changes + "\n"})
		var names []string
		for _, arm := range scenariotest.Load(t, "s.yaml").Arms {
			names = append(names, arm.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q: arms %s, want %s", changes, got, want)
		}
	}
}

// FuzzExtend checks that no pair of files, the one extending the other, makes
// reading panic, that every fault has a place in one of them, and that a valid
// scenario is printed as one that is loaded unchanged.
func FuzzExtend(f *testing.F) {
	for _, changes := range []string{
		"name: s\n", "name: s\nsweep: null\n", "name: s\nmechanism: {epsilon: 3}\nproblem: null\n", "topology: {kind: ring}\nname: a\nnetwork: {kind: ideal}\n",
		"name: s\nplots: [{name: a, y: regret.run, x: mechanism.epsilon}]\nbudget: {epsilon: 3, on: stop}\nmeasure: {metrics: ['regret.*']}\npaper: {title: t, authors: [a]}\n",
	} {
		f.Add([]byte(changes), []byte(scenariotest.Base))
		f.Add([]byte(changes), []byte(scenariotest.Large))
	}
	for changes, text := range map[string]string{
		"name: s\nhorizom: 3\nnodes: -1\n": scenariotest.Base, "name: [s\n": scenariotest.Base, "name: s\n": "version: 7\nnodes: x\n", "name: t\n": "name: {\n", "": "",
	} {
		f.Add([]byte(changes), []byte(text))
	}
	f.Fuzz(func(t *testing.T, changes, text []byte) {
		base := scenariotest.File(t, string(text))
		file := scenariotest.File(t, "extends: "+base+"\n"+string(changes))
		s, err := scenariotest.Loader(t).Load(file)
		if err == nil {
			checkReload(t, s)
			return
		}
		var input *document.InputError
		var issues document.Issues
		if !errors.As(err, &input) || input.Line == nil || !errors.As(err, &issues) {
			t.Fatalf("%T without places: %v", err, err)
		}
		for _, issue := range issues {
			if _, ok := input.Line(issue.Position); !ok {
				t.Errorf("no place in a file: %s", issue)
			}
		}
	})
}

// checkReload checks that a scenario survives being printed and loaded.
func checkReload(t *testing.T, s *study.Scenario) {
	text := s.Document.Bytes()
	doc, err := document.Parse("again.yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	again, err := scenariotest.Loader(t).Check(doc)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff := cmp.Diff(string(text), string(again.Document.Bytes())); diff != "" {
		t.Fatalf("printed twice (-first +second):\n%s", diff)
	}
	if len(again.Arms) != len(s.Arms) || runner.Hash(again, "") != runner.Hash(s, "") {
		t.Fatalf("%d arms and hash %s, want %d and %s", len(again.Arms), runner.Hash(again, ""), len(s.Arms), runner.Hash(s, ""))
	}
}

// A sweep of another form replaces the one that a file inherits; one of the same
// form merges with it.
func TestExtendsSweeps(t *testing.T) {
	t.Chdir(t.TempDir())
	files := map[string]string{
		"base.yaml": scenariotest.Edited(t, scenariotest.Base, "seeds: {base: 1, count: 2}", "seeds: {base: 1, count: 2}\nsweep: {grid: {mechanism.epsilon: [1, 2]}}"),
		"more.yaml": "name: more\nextends: base.yaml\nsweep: {grid: {mechanism.noise: [as-printed, shifted]}}\n",
		"list.yaml": "name: list\nextends: base.yaml\nsweep: {list: [{name: a, set: {horizon: 5}}]}\n",
		"zip.yaml":  "name: zip\nextends: base.yaml\nsweep: {zip: {mechanism.epsilon: [3], horizon: [4]}}\n",
	}
	writeFiles(t, files)
	for file, want := range map[string]string{
		"more.yaml": "epsilon=1,noise=as-printed epsilon=1,noise=shifted epsilon=2,noise=as-printed epsilon=2,noise=shifted",
		"list.yaml": "a",
		"zip.yaml":  "epsilon=3,horizon=4",
	} {
		var names []string
		for _, arm := range scenariotest.Load(t, file).Arms {
			names = append(names, arm.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s has the arms %s, want %s", file, got, want)
		}
	}
}
