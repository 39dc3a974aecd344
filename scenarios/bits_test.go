package scenarios_test

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestThirtyTwoBits checks the types of the module as a system of 32 bits has them, where
// an int does not hold every constant. A build for such a system would compile all that
// the module imports, which takes minutes.
func TestThirtyTwoBits(t *testing.T) {
	t.Parallel()
	for _, err := range overflows(t, sources(t)) {
		t.Error(err)
	}
}

// TestThirtyTwoBitsThemselves checks the rule on constants that it must refuse or allow.
func TestThirtyTwoBitsThemselves(t *testing.T) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "a.go", `package p
import "math"
var allowed, wide int64 = 1 << 40, math.MaxInt64
var literal int = 1 << 40
func named() int { return math.MaxInt64 }
func compared(n int) bool { return n < math.MaxUint32 }
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := overflows(t, map[string]*source{"p": {set: set, files: map[string]*ast.File{"a.go": file}}})
	if len(got) != 3 {
		t.Errorf("%d errors, want those of lines 4, 5 and 6: %v", len(got), got)
	}
}

// overflows are the constants of packages that their types do not hold on a system of 32
// bits, as errors of the type checker.
func overflows(t *testing.T, packages map[string]*source) (found []string) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output() // a test that was built with -trimpath does not know it
	if err != nil {
		t.Fatal(err)
	}
	here := build.Default
	defer func() { build.Default = here }() // the importer of sources looks there
	build.Default.GOROOT, build.Default.GOARCH, build.Default.CgoEnabled = strings.TrimSpace(string(root)), "386", false
	set := token.NewFileSet()
	n := &shortInts{packages: packages, known: map[string]*types.Package{}, standard: importer.ForCompiler(set, "source", nil)}
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		n.check(pkg)
	}
	return n.found
}

// shortInts checks types for a system of 32 bits. It knows the module and package math, whose
// constants are too large for an int; what else is imported stays unknown.
type shortInts struct {
	packages map[string]*source
	known    map[string]*types.Package
	standard types.Importer
	found    []string
}

// Import implements types.Importer.
func (n *shortInts) Import(name string) (*types.Package, error) {
	if to, ok := strings.CutPrefix(name, module+"/"); ok && n.packages[to] != nil {
		return n.check(to), nil
	}
	if name == "math" {
		return n.standard.Import(name)
	}
	if n.known[name] == nil {
		n.known[name] = types.NewPackage(name, path.Base(name))
		n.known[name].MarkComplete()
	}
	return n.known[name], nil
}

func (n *shortInts) check(pkg string) *types.Package {
	if found := n.known[pkg]; found != nil {
		return found
	}
	var files []*ast.File
	for _, name := range slices.Sorted(maps.Keys(n.packages[pkg].files)) {
		ok, err := build.Default.MatchFile(filepath.Join("..", pkg), path.Base(name))
		if ok || err != nil { // a file that is not on the disk has no constraint
			files = append(files, n.packages[pkg].files[name])
		}
	}
	config := types.Config{Importer: n, Sizes: types.SizesFor("gc", "386"), Error: func(err error) {
		if text := err.Error(); strings.Contains(text, "overflow") || strings.Contains(text, "truncated") {
			n.found = append(n.found, text)
		}
	}}
	n.known[pkg], _ = config.Check(module+"/"+pkg, n.packages[pkg].set, files, nil) // what other modules declare is unknown
	return n.known[pkg]
}
