package scenarios_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/runner"
	"starling/scenarios/section/python"
	"starling/scenarios/testneeds"
)

// Node 3 hears nobody, or itself alone.
const (
	oneSilent  = "step,from,to,weight\n1,1,1,0.5\n1,2,1,0.25\n1,3,1,0.25\n1,1,2,0.5\n1,2,2,0.5\n"
	itselfOnly = "[[[1/2, 1/4, 1/4], [1/2, 1/2, 0], [0, 0, 1]]]"
	emptyRow   = "[[[1/2, 1/4, 1/4], [1/2, 1/2, 0], [0, 0, 0]]]"
)

// silences are the warnings of a run of nodes that hear nobody.
func silences(outcome *runner.Outcome) (list []string) {
	for _, w := range outcome.Manifest.Warnings {
		if w.Code == "silence" {
			list = append(list, w.Message)
		}
	}
	return list
}

// A node that hears nobody by its weights, not even itself, keeps its own point, whatever
// the algorithm of equals: it decides what it does where it hears itself alone. The run
// warns of it. Push-sum, which would lose its mass, refuses it.
func TestSilentNodesKeepTheirPoint(t *testing.T) {
	list := filepath.Join(t.TempDir(), "net.csv")
	if err := os.WriteFile(list, []byte(oneSilent), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir("testdata") // where the files are that examples name
	const (
		given   = ", weights: unchecked}"
		warning = "in 3 of 3 steps a node has no weights, not even for itself, and keeps its own point: node 3 in step 1 first"
	)
	catalog := scenarios.Catalog()
	kept := map[string]bool{"dpdonc": true, "dsgd": true, "choco": true, "decor": true, "muffliato": true, "random-walk": true, python.KindPython: true, "local": true, "sgp": false, "push-diging": false}
	for _, k := range catalog.Algorithms {
		text := k.Examples[0]
		if strings.Contains(text, "kind: star") || k.Kind == python.KindPython && testneeds.NoPython() {
			continue
		}
		keeps, known := kept[k.Kind]
		if !known {
			t.Errorf("%s: nobody says what becomes of a node that hears nobody", k.Kind)
		}
		var want string // the digest where the node hears itself
		if keeps {
			itself := loadText(t, text, "nodes=3", "horizon=3", "topology={kind: matrices, matrices: "+itselfOnly+given)
			want = runIn(t, itself, runner.RunOptions{}).Manifest.Digest
		}
		for network, options := range map[string]runner.RunOptions{
			"topology={kind: edge-list, hold: true, weighting: {scheme: given}, file: " + list + given: {Engine: runner.Actors, Shards: 2},
			"topology={kind: matrices, matrices: " + emptyRow + given:                                  {Engine: runner.Lockstep},
		} {
			sets := []string{"nodes=3", "horizon=3", network}
			if !keeps {
				if _, err := scenarios.Load(baseFile(t, text), parseSets(t, sets...)...); err == nil || !strings.Contains(err.Error(), "row 3 is empty: node 3 hears nobody, not even itself") {
					t.Errorf("%s: %v", k.Kind, err)
				}
				continue
			}
			got := runIn(t, loadText(t, text, sets...), options)
			if got.Manifest.Digest != want {
				t.Errorf("%s, %s: digest %s, and %s where the node hears itself", k.Kind, network, got.Manifest.Digest, want)
			}
			said := []string{warning}
			if k.Kind == "local" { // which hears nothing anyway
				said = nil
			}
			if got := silences(got); !slices.Equal(got, said) {
				t.Errorf("%s, %s: %q, want %q", k.Kind, network, got, said)
			}
		}
	}
}

// The warning names the first step and node, and is of rows without any weight alone. What
// a rule makes of weights does not matter: uniform-out leaves rows empty too.
func TestSilentNodesAreNamed(t *testing.T) {
	list := filepath.Join(t.TempDir(), "net.csv")
	if err := os.WriteFile(list, []byte(oneSilent+"3,3,1,1\n3,3,3,1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	file := "{kind: edge-list, weights: unchecked, weighting: {scheme: given}, file: " + list
	for _, test := range []struct{ network, want string }{
		{file + "}", "in 12 of 12 steps a node has no weights, not even for itself, and keeps its own point: node 3 in step 1 first"},
		{file + ", repeat: true, events: [{at: 4, rewire: {add: [[1, 3], [2, 2]], directed: true}}]}", "in 6 of 12 steps a node has no weights, not even for itself, and keeps its own point: node 3 in step 1 first"},
		{"{kind: matrices, weights: unchecked, matrices: [[[1, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 0], [0, 0, 1]]]}",
			"in 6 of 12 steps a node has no weights, not even for itself, and keeps its own point: node 2 in step 2 first"},
		{"{kind: matrices, weights: unchecked, matrices: [[[0, 0, 0], [1, 0, 0], [1, 1, 1]]], weighting: {scheme: uniform-out}}",
			"in 12 of 12 steps a node has no weights, not even for itself, and keeps its own point: node 1 in step 1 first"},
		{"{kind: erdos-renyi, probability: 0.01, every: 1, weighting: {scheme: given}, weights: unchecked}",
			"in 12 of 12 steps a node has no weights, not even for itself, and keeps its own point: node 1 in step 1 first"},
		{"{kind: matrices, weights: unchecked, matrices: [[[0, 0.1, 0], [1, 0, 0], [0, 2, 0]]]}", ""},
		{"{kind: path, weighting: {scheme: metropolis}, weights: unchecked}", ""},
	} {
		got := silences(runIn(t, loadText(t, base, "topology="+test.network), runner.RunOptions{}))
		if test.want == "" && len(got) > 0 || test.want != "" && !slices.Equal(got, []string{test.want}) {
			t.Errorf("%s: %q, want %q", test.network, got, test.want)
		}
	}
}
