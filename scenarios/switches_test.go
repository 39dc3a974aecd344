package scenarios_test

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// pieces are the trees with types of problems, models, laws, mechanisms, topologies and
// codecs. Other packages ask them for interfaces, so that a piece from another module can do
// all that theirs can.
var pieces = []string{"scenarios/problem", "mechanisms/noise", "mechanisms/factorization", "mechanisms/robust", "actors/topology", "messages/compression", "actors/algorithm/mirror"}

// concretes are the assertions of a concrete type that stay, each with its reason.
var concretes = map[string]string{
	"scenarios/family/ofl stream.Comparator": "the family has made the comparator itself, or has none",
}

// No package asserts that a piece of another package has a concrete type, in a type switch or
// in an assertion. Errors may have types.
func TestNoConcreteTypes(t *testing.T) {
	all := sources(t)
	for _, tree := range pieces {
		if all[tree] == nil {
			t.Errorf("there is no package %s of pieces", tree)
		}
	}
	used := map[string]bool{}
	for pkg, source := range all {
		if within(pkg, "bench") {
			continue
		}
		for _, file := range source.files {
			names := importNames(file)
			for _, asserted := range assertions(file) {
				of, name := qualified(asserted)
				from, ok := strings.CutPrefix(names[of], module+"/")
				if !ok || !slices.ContainsFunc(pieces, func(tree string) bool { return within(from, tree) }) || isInterface(all[from], name) || strings.HasSuffix(name, "Error") {
					continue
				}
				what := pkg + " " + of + "." + name
				if used[what] = true; concretes[what] == "" {
					t.Errorf("%s: package %s asserts the concrete type %s.%s; ask for an interface", source.set.Position(asserted.Pos()), pkg, of, name)
				}
			}
		}
	}
	for what := range concretes {
		if !used[what] {
			t.Errorf("%s: there is no such assertion any more", what)
		}
	}
}

// assertions returns the types that assertions and cases of type switches name.
func assertions(file *ast.File) (types []ast.Expr) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeAssertExpr:
			if n.Type != nil { // else it is of a switch
				types = append(types, n.Type)
			}
		case *ast.TypeSwitchStmt:
			for _, clause := range n.Body.List {
				types = append(types, clause.(*ast.CaseClause).List...)
			}
		}
		return true
	})
	return types
}

// qualified returns the package and the name of a type of another package, or of a pointer to
// one; empty for other types.
func qualified(e ast.Expr) (of, name string) {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if s, ok := e.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name, s.Sel.Name
		}
	}
	return "", ""
}

// importNames returns the paths of the imports of a file, by the names that it uses.
func importNames(file *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range file.Imports {
		at := strings.Trim(spec.Path.Value, `"`)
		name := path.Base(at)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = at
	}
	return names
}

// isInterface reports whether a type of a package is an interface.
func isInterface(s *source, name string) (is bool) {
	if s == nil {
		return false
	}
	for _, file := range s.files {
		if object := file.Scope.Lookup(name); object != nil {
			spec, ok := object.Decl.(*ast.TypeSpec)
			_, is = spec.Type.(*ast.InterfaceType)
			return ok && is
		}
	}
	return false
}
