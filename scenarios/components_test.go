package scenarios_test

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mostTangled is how many files of a package may lean on each other in a ring.
const mostTangled = 6

// TestComponents checks that the files of every package under scenarios can be read
// one after the other: a file leans on another where it uses what that declares, and
// no strongly connected component of them is large.
func TestComponents(t *testing.T) {
	check := newChecker(sources(t))
	edges := 0
	for pkg := range check.sources {
		if !within(pkg, "scenarios") {
			continue
		}
		leans := check.leans(pkg)
		for _, on := range leans {
			edges += len(on)
		}
		for _, component := range components(leans) {
			if len(component) > mostTangled {
				t.Errorf("package %s: %d files lean on each other in a ring, want at most %d: %s", pkg, len(component), mostTangled, strings.Join(component, " "))
			}
		}
	}
	if edges < 300 {
		t.Errorf("%d files lean on another; this test does not see them", edges)
	}
}

// TestComponentsThemselves checks the rule on files whose rings are known: a ring
// closed by a method, a field and a call, a file that only uses the ring, and one
// alone.
func TestComponentsThemselves(t *testing.T) {
	set := token.NewFileSet()
	s := &source{set: set, files: map[string]*ast.File{}}
	for name, text := range map[string]string{
		"a.go": "package p; type A struct{ field int }; func (a A) Method() { call() }",
		"b.go": "package p; func call() { var c C; c.inner.field = 1 }",
		"c.go": "package p; type C struct { inner A }; func made() *A { return nil }",
		"d.go": "package p; func d() { made().Method() }",
		"e.go": "package p; import \"elsewhere.org/x\"; func e(a int) { x.D(a) }",
	} {
		file, err := parser.ParseFile(set, name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		s.files[name] = file
	}
	var got []string
	for _, component := range components(newChecker(map[string]*source{"p": s}).leans("p")) {
		got = append(got, strings.Join(component, " "))
	}
	slices.Sort(got)
	// a.go needs b.go for call, b.go needs c.go for C and a.go for the field.
	if want := []string{"a.go b.go c.go", "d.go", "e.go"}; !slices.Equal(got, want) {
		t.Errorf("components %q, want %q", got, want)
	}
}

// checker finds the types of the module's packages. What is imported from elsewhere,
// the standard library too, stays unknown to it, for to read all of that takes many
// times as long. So a use goes unseen where a field or method is that of a value whose
// type only such a package tells; a name by itself is always seen.
type checker struct {
	sources map[string]*source
	known   map[string]*types.Package
	uses    map[string]map[*ast.Ident]types.Object
}

func newChecker(sources map[string]*source) *checker {
	return &checker{sources: sources, known: map[string]*types.Package{}, uses: map[string]map[*ast.Ident]types.Object{}}
}

// Import implements types.Importer.
func (c *checker) Import(name string) (*types.Package, error) {
	if to, ok := strings.CutPrefix(name, module+"/"); ok && c.sources[to] != nil {
		return c.check(to), nil
	}
	if c.known[name] == nil {
		c.known[name] = types.NewPackage(name, path.Base(name))
		c.known[name].MarkComplete()
	}
	return c.known[name], nil
}

// built are the files of a package that belong to a build for this system.
func (c *checker) built(pkg string) (files []*ast.File) {
	for _, name := range slices.Sorted(maps.Keys(c.sources[pkg].files)) {
		ok, err := build.Default.MatchFile(filepath.Join("..", pkg), path.Base(name))
		if ok || err != nil { // a file that is not on the disk has no constraint
			files = append(files, c.sources[pkg].files[name])
		}
	}
	return files
}

// check finds the types of a package, and where its names are used if it is one of
// those that are looked at.
func (c *checker) check(pkg string) *types.Package {
	if found := c.known[pkg]; found != nil {
		return found
	}
	uses := map[*ast.Ident]types.Object{}
	config := types.Config{Importer: c, IgnoreFuncBodies: pkg != "p" && !within(pkg, "scenarios"), Error: func(error) {}}
	found, _ := config.Check(module+"/"+pkg, c.sources[pkg].set, c.built(pkg), &types.Info{Uses: uses}) // unknown imports are errors
	c.known[pkg], c.uses[pkg] = found, uses
	return found
}

// leans lists, for each file of a package, the other files whose declarations it
// uses: functions, types, constants and variables, and fields and methods too.
func (c *checker) leans(pkg string) map[string][]string {
	whole := c.check(pkg)
	files := c.built(pkg)
	nameOf := func(at token.Pos) string {
		i := slices.IndexFunc(files, func(f *ast.File) bool { return f.FileStart <= at && at < f.FileEnd })
		return path.Base(c.sources[pkg].set.File(files[i].Pos()).Name())
	}
	leans := map[string][]string{}
	for _, file := range files {
		leans[nameOf(file.Pos())] = nil
	}
	for use, object := range c.uses[pkg] {
		switch generic := object.(type) { // the declaration, not an instance
		case *types.Func:
			object = generic.Origin()
		case *types.Var:
			object = generic.Origin()
		}
		if object.Pkg() != whole || !object.Pos().IsValid() {
			continue
		}
		if _, imported := object.(*types.PkgName); imported {
			continue
		}
		from, to := nameOf(use.Pos()), nameOf(object.Pos())
		if from != to && !slices.Contains(leans[from], to) {
			leans[from] = append(leans[from], to)
		}
	}
	return leans
}

// components are the strongly connected components of a graph, each sorted: two
// nodes are in one if each can be reached from the other.
func components(edges map[string][]string) (list [][]string) {
	reached := map[string]map[string]bool{}
	for start := range edges {
		seen := map[string]bool{start: true}
		for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
			for _, next := range edges[queue[0]] {
				if !seen[next] {
					seen[next] = true
					queue = append(queue, next)
				}
			}
		}
		reached[start] = seen
	}
	placed := map[string]bool{}
	for _, start := range slices.Sorted(maps.Keys(edges)) {
		if placed[start] {
			continue
		}
		var component []string
		for other := range reached[start] {
			if reached[other][start] {
				component = append(component, other)
				placed[other] = true
			}
		}
		slices.Sort(component)
		list = append(list, component)
	}
	return list
}
