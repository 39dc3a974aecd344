package scenarios_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers are the packages of the module from the top down. A package imports
// only what is below it; those of one layer do not import each other, apart
// from the subpackages of one package. A package not listed belongs with the
// nearest above it in the tree.
var layers = [][]string{
	{"cmd"},
	{"bench"},
	{"scenarios/scenariotest"}, // support for tests
	{"scenarios"},              // the catalog, which names families
	{"scenarios/workers", "scenarios/observatory"},
	{"scenarios/bundle"},
	{"scenarios/family", "scenarios/runner"},
	{"scenarios/forecast"},
	{"scenarios/gossip", "scenarios/federated"},
	{"scenarios/auditing", "scenarios/view", "scenarios/guide", "scenarios/jobs"},
	{"scenarios/loading"},
	{"scenarios/view/plot"},
	{"scenarios/accounts", "scenarios/section/problems/standard"},
	{"scenarios/section/python"},
	{"scenarios/section/problems"},
	{"scenarios/section/mechanisms"},
	{"scenarios/study", "scenarios/claim"},
	{"scenarios/section"},
	{"scenarios/ledger"},
	{"scenarios/gauge", "actors/algorithmtest"},
	{"scenarios/limits", "scenarios/kind", "scenarios/problem/pyproblem", "scenarios/personal"},
	{"actors/engine", "actors/lockstep", "actors/remote", "scenarios/problem", "scenarios/results", "actors/runtimetest"},
	{"actors/spread", "scenarios/inputs"},
	{"scenarios/document", "scenarios/metric", "scenarios/cache"},
	{"actors/algorithm", "actors/network"},
	{"actors/topology"},
	{"mechanisms"},
	{"messages"},
	{"mechanisms/rng", "mechanisms/kernel", "actors/option", "actors/atomicfile", "scenarios/library"},
	{"mechanisms/portable"},
}

// pure are the trees whose packages know no clock, no operating system, no
// concurrency, no logging and no actors: what they compute is a function of
// what they are given.
var (
	pure   = []string{"actors/algorithm", "scenarios/family", "scenarios/gossip", "scenarios/federated", "actors/topology", "actors/network", "mechanisms", "messages", "actors/option"}
	impure = []string{
		"time", "os", "sync", "net", "log", "context", "runtime",
		"github.com/rs/zerolog", protoActor,
	}
)

const (
	module     = "starling"
	protoActor = "github.com/asynkron/protoactor-go"
)

// source is a package's files without tests.
type source struct {
	set   *token.FileSet
	files map[string]*ast.File // by path in the module
}

// sources parses the module, by package path without the module's name.
func sources(t *testing.T) map[string]*source {
	t.Helper()
	root := filepath.Join("..")
	found := map[string]*source{}
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && file != root && (strings.HasPrefix(name, ".") || name == "testdata") {
			return filepath.SkipDir
		}
		if filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(set, file, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		dir := path.Dir(relative)
		if found[dir] == nil {
			found[dir] = &source{set: set, files: map[string]*ast.File{}}
		}
		found[dir].files[relative] = parsed
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil || len(found) < 15 {
		t.Fatalf("%d packages, %v: this is not the module", len(found), err)
	}
	return found
}

// imports lists what the package imports.
func (s *source) imports() (list []string) {
	for _, file := range s.files {
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				panic(err) // the parser took it
			}
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// within reports whether a package is another or one of its subpackages.
func within(pkg, tree string) bool { return pkg == tree || strings.HasPrefix(pkg, tree+"/") }

// layerOf returns a package's layer and the listed package it belongs with.
func layerOf(pkg string) (layer int, tree string) {
	layer = -1
	for i, trees := range layers {
		for _, candidate := range trees {
			if within(pkg, candidate) && len(candidate) > len(tree) {
				layer, tree = i, candidate
			}
		}
	}
	return layer, tree
}

// allowed reports whether one package of the module may import another.
func allowed(from, to string) bool {
	fromLayer, fromTree := layerOf(from)
	toLayer, toTree := layerOf(to)
	if fromLayer < 0 || toLayer < 0 {
		return false
	}
	return toLayer > fromLayer || fromTree == toTree
}

func TestLayers(t *testing.T) {
	for pkg, s := range sources(t) {
		if layer, _ := layerOf(pkg); layer < 0 {
			t.Errorf("package %s is in no layer", pkg)
		}
		for _, name := range s.imports() {
			if to, ok := strings.CutPrefix(name, module+"/"); ok && !allowed(pkg, to) {
				t.Errorf("package %s must not import %s", pkg, to)
			}
			if within(name, protoActor) && pkg != "actors/engine" && pkg != "actors/remote" {
				t.Errorf("package %s imports Proto.Actor; only actors/engine and actors/remote may", pkg)
			}
		}
	}
}

// TestLayersThemselves checks the rule on imports that it must refuse or allow.
func TestLayersThemselves(t *testing.T) {
	for _, test := range []struct {
		from, to string
		want     bool
	}{
		{"cmd/starling", "scenarios", true},
		{"scenarios", "cmd/starling", false},
		{"cmd/starling/command", "bench/workload", true},
		{"bench/workload", "cmd/starling/command/shell", false},
		{"scenarios", "actors/engine", true},
		{"scenarios/gauge", "scenarios/problem", true},
		{"scenarios/problem", "scenarios/results", false},
		{"scenarios/problem", "scenarios/gauge", false},
		{"actors/engine", "actors/lockstep", false},
		{"scenarios/results", "actors/atomicfile", true},
		{"actors/algorithm/dpdonc", "actors/algorithm/mirror", true},
		{"actors/algorithm", "actors/network", false},
		{"actors/topology", "actors/algorithm", false},
		{"mechanisms/noise", "messages", true},
		{"messages", "mechanisms/noise", false},
		{"mechanisms/noise", "mechanisms/rng", true},
		{"messages", "mechanisms/rng", true},
		{"mechanisms/rng", "messages", false},
		{"elsewhere", "messages", false},
	} {
		if got := allowed(test.from, test.to); got != test.want {
			t.Errorf("%s imports %s: allowed %v, want %v", test.from, test.to, got, test.want)
		}
	}
}

// TestFamiliesStandAlone checks that no family of algorithms imports another, and
// that only the catalog imports families.
func TestFamiliesStandAlone(t *testing.T) {
	const families = "scenarios/family"
	seen := 0
	for pkg, s := range sources(t) {
		for _, name := range s.imports() {
			to, ok := strings.CutPrefix(name, module+"/")
			if !ok || !within(to, families) {
				continue
			}
			if seen++; pkg != "scenarios" {
				t.Errorf("package %s imports the family %s", pkg, to)
			}
		}
	}
	if seen < 4 {
		t.Errorf("%d imports of families; this test does not see them", seen)
	}
}

// TestPurePackages checks that what computes knows nothing of the machine it
// runs on. runtime/debug is for the stack of a machine that panics.
func TestPurePackages(t *testing.T) {
	for pkg, s := range sources(t) {
		if !slices.ContainsFunc(pure, func(tree string) bool { return within(pkg, tree) }) {
			continue
		}
		for _, name := range s.imports() {
			if pkg == "actors/algorithm" && name == "runtime/debug" {
				continue
			}
			if (within(pkg, "scenarios/family") || pkg == "scenarios/federated") && name == "context" {
				continue // of an audit that plays a run
			}
			if slices.ContainsFunc(impure, func(tree string) bool { return within(name, tree) }) {
				t.Errorf("package %s imports %s", pkg, name)
			}
		}
	}
}

// TestNoGlobalRandomness checks that nobody draws from a generator that is not
// seeded by the scenario.
func TestNoGlobalRandomness(t *testing.T) {
	for pkg, s := range sources(t) {
		for name, file := range s.files {
			for _, spec := range file.Imports {
				imported, _ := strconv.Unquote(spec.Path.Value)
				// Certificates, the names of links and the token of the local page must not be
				// guessed, and no result depends on them.
				secret := imported == "crypto/rand" && (pkg == "actors/remote" || pkg == "scenarios/observatory")
				if imported == "math/rand" || imported == "crypto/rand" && !secret {
					t.Errorf("package %s imports %s", pkg, imported)
				}
				if imported != "math/rand/v2" {
					continue
				}
				if spec.Name != nil {
					t.Errorf("%s: math/rand/v2 has another name, under which this test does not see it", name)
				}
				for _, call := range uses(file, "rand") {
					if !slices.Contains([]string{"Rand", "Source", "New", "NewPCG", "PCG", "NewZipf", "NewChaCha8", "ChaCha8", "Zipf"}, call) {
						t.Errorf("%s: rand.%s draws from the global generator", name, call)
					}
				}
			}
		}
	}
}

// TestOnlyMechanismsWriteReceipts checks that no receipt comes from anybody who has
// not drawn the noise that it is for.
func TestOnlyMechanismsWriteReceipts(t *testing.T) {
	writers := 0
	for pkg, s := range sources(t) {
		for name, file := range s.files {
			for _, use := range uses(file, "accountant") {
				if use != "NewReceipt" && use != "Standing" {
					continue
				}
				if writers++; pkg != "mechanisms/noise" && pkg != "mechanisms/selection" {
					t.Errorf("%s writes a receipt by accountant.%s", name, use)
				}
			}
		}
	}
	if writers < 4 {
		t.Errorf("%d places write receipts; this test does not see them", writers)
	}
}

// TestOneBook checks that of scenarios the ledger alone turns losses into epsilons, so
// that no two places can account for them otherwise. The file of a model is held to the
// losses that it says, and an audit turns what it has measured into a bound.
func TestOneBook(t *testing.T) {
	const book = "scenarios/ledger"
	// The theorems of shuffling, by which package aggregation prices a batch, are of epsilons.
	others := []string{"scenarios/auditing", "scenarios/federated/aggregation"}
	conversions := []string{"Epsilon", "EpsilonOf", "ReplaceEpsilon", "EpsilonAt", "GaussianEpsilon", "ZCDPEpsilon", "PLDEpsilon", "Converter", "OptimalComposition", "BasicComposition"}
	found := map[string]int{}
	for pkg, s := range sources(t) {
		for _, file := range s.files {
			ast.Inspect(file, func(node ast.Node) bool {
				var of *ast.SelectorExpr
				switch node := node.(type) {
				case *ast.CallExpr: // methods of totals, losses and steps
					of, _ = node.Fun.(*ast.SelectorExpr)
				case *ast.SelectorExpr:
					if x, ok := node.X.(*ast.Ident); ok && x.Name == "accountant" {
						of = node
					}
				}
				if of == nil || !slices.Contains(conversions, of.Sel.Name) {
					return true
				}
				if x, ok := of.X.(*ast.Ident); !ok || !slices.Contains([]string{"ledger", "document"}, x.Name) {
					found[pkg]++
				}
				return true
			})
		}
	}
	if found[book] < 4 {
		t.Errorf("%d conversions in the ledger; this test does not see them", found[book])
	}
	for pkg := range found {
		if within(pkg, "scenarios") && pkg != book && !slices.Contains(others, pkg) {
			t.Errorf("package %s turns losses into epsilons; ask the ledger", pkg)
		}
	}
}

// uses lists what of an imported package a file uses.
func uses(file *ast.File, pkg string) (names []string) {
	ast.Inspect(file, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok && x.Name == pkg {
				names = append(names, selector.Sel.Name)
			}
		}
		return true
	})
	return names
}

// TestPackageComments checks that every package says what it is, once.
func TestPackageComments(t *testing.T) {
	for pkg, s := range sources(t) {
		comments := 0
		for _, file := range s.files {
			if file.Doc == nil {
				continue
			}
			comments++
			want := "Package " + path.Base(pkg) + " "
			if file.Name.Name == "main" {
				want = "Command " + path.Base(pkg) + " "
			}
			if text := file.Doc.Text(); !strings.HasPrefix(text, want) {
				t.Errorf("the comment of package %s begins %.30q, want %q", pkg, text, want)
			}
		}
		if comments != 1 {
			t.Errorf("package %s has %d package comments, want 1", pkg, comments)
		}
	}
}
