package scenarios_test

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// algorithms are the packages of algorithms and of the vocabulary that they share. An
// algorithm that is tested or used alone links them and nothing below: what they import
// through others is held.
var algorithms = []string{
	"scenarios/family/...", "scenarios/gossip/...", "scenarios/federated/...",
	"scenarios/study", "scenarios/gauge/...", "scenarios/problem",
}

// unreached are the packages that algorithms must not import through others. Trees of other
// modules and of the standard library count with their subpackages, packages of this module
// by themselves.
var unreached = []string{
	"net", "crypto/tls", "database/sql", "html", "os/exec",
	"github.com/parquet-go", "gonum.org/v1/plot", "codeberg.org/go-fonts", "codeberg.org/go-pdf",
	"github.com/invopop/jsonschema", "google.golang.org/protobuf", "github.com/rs/zerolog", "github.com/spf13", protoActor,
	module + "/actors/engine", module + "/actors/remote",
	module + "/scenarios/results", module + "/scenarios/results/figure", module + "/scenarios/results/report",
	module + "/scenarios/problem/dataset", module + "/scenarios/section/problems/standard",
	module + "/scenarios/loading", module + "/scenarios/view", module + "/scenarios/view/plot",
	module + "/scenarios/runner", module + "/scenarios/library",
}

// processes is the family whose participants are code of the user's own, which runs in
// processes of its own.
const processes = module + "/scenarios/family/pyalgorithm"

// mostReached is the largest number of packages that an algorithm without a server may
// link, with itself and the standard library.
const mostReached = 135

// TestReach holds the imports of algorithms through others: they link no downloads, no formats
// of results, no figures and no engine.
func TestReach(t *testing.T) {
	graph := importsOf(t, algorithms)
	all := sources(t)
	for _, tree := range unreached {
		if pkg, own := strings.CutPrefix(tree, module+"/"); own && all[pkg] == nil {
			t.Errorf("there is no package %s that could be reached", pkg)
		}
	}
	roots := 0
	for pkg := range graph {
		if !slices.ContainsFunc(algorithms, func(tree string) bool {
			tree, all := strings.CutSuffix(module+"/"+tree, "/...")
			return pkg == tree || all && within(pkg, tree)
		}) {
			continue
		}
		roots++
		from := reached(graph, pkg)
		for _, tree := range unreached {
			if to := reachedOf(from, tree); to != "" && !(tree == "os/exec" && pkg == processes) {
				t.Errorf("package %s reaches %s: %s", pkg, tree, chain(from, to))
			}
		}
	}
	if roots < 20 {
		t.Errorf("%d packages of algorithms; this test does not see them", roots)
	}
	if n := len(reached(graph, module+"/scenarios/family/baseline")); n > mostReached {
		t.Errorf("family/baseline reaches %d packages, want at most %d", n, mostReached)
	}
}

// importsOf returns the imports of the packages, and of all that they reach, by path.
func importsOf(t *testing.T, trees []string) map[string][]string {
	t.Helper()
	args := []string{"list", "-deps", "-f", "{{.ImportPath}} {{join .Imports \" \"}}"}
	for _, tree := range trees {
		args = append(args, module+"/"+tree)
	}
	list := exec.CommandContext(t.Context(), "go", args...)
	var complaint bytes.Buffer
	list.Stderr = &complaint
	text, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, complaint.String())
	}
	graph := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		graph[fields[0]] = fields[1:]
	}
	return graph
}

// reached returns the packages that a package imports through others, and itself, each with
// the package that it was first reached from.
func reached(graph map[string][]string, root string) map[string]string {
	from := map[string]string{root: ""}
	for next := []string{root}; len(next) > 0; next = next[1:] {
		for _, to := range graph[next[0]] {
			if vendored := "vendor/" + to; graph[vendored] != nil { // of the standard library
				to = vendored
			}
			if _, known := from[to]; !known {
				from[to] = next[0]
				next = append(next, to)
			}
		}
	}
	return from
}

// reachedOf returns the reached package of a tree with the shortest chain; "" if there is none.
func reachedOf(from map[string]string, tree string) (found string) {
	for to := range from {
		if to != tree && (within(tree, module) || !within(to, tree)) {
			continue
		}
		if found == "" || len(chain(from, to)) < len(chain(from, found)) {
			found = to
		}
	}
	return found
}

// chain returns the imports that lead to a package, from the root on.
func chain(from map[string]string, to string) string {
	var list []string
	for ; to != ""; to = from[to] {
		list = append(list, to)
	}
	slices.Reverse(list)
	return strings.Join(list, " -> ")
}
