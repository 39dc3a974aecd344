package scenarios_test

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"starling/scenarios"
)

// knowing are the trees that may know kinds by their names: programs, families with their
// machines, and the packages of the kinds themselves.
var knowing = []string{
	"bench", "cmd",
	"scenarios/family", "actors/algorithm/dpdonc", "actors/algorithm/opestoch",
	"scenarios/section/mechanisms", "mechanisms/factorization",
	"scenarios/section/problems/standard", "scenarios/section/python", "scenarios/problem/pyproblem", "scenarios/problem/experts",
}

// words are the comparisons with a name of a kind that stay, each with its reason; most mean
// another thing.
var words = map[string]string{
	"actors/topology graphml":               "the root of a file",
	"mechanisms/audit ar-sum":               "a small factorization of each kind has options of its own",
	"mechanisms/audit banded-toeplitz":      "a small factorization of each kind has options of its own",
	"mechanisms/audit blt":                  "a small factorization of each kind has options of its own",
	"mechanisms/selection exponential":      "a law of noisy maxima",
	"mechanisms/selection laplace":          "a law of noisy maxima",
	"scenarios/workers local":               "a script for one machine",
	"scenarios/document none":               "the epsilon of no noise",
	"scenarios/federated local":             "the view of a server that is not trusted",
	"scenarios/federated/aggregation local": "the view of a server that is not trusted",
	"scenarios/guide none":                  "a number without a unit",
	"scenarios/observatory none":            "a header of HTTP",
	"scenarios/problem printed":             "the motion of a target",
	"scenarios/results complete":            "the status of a run",
	"scenarios/results/figure none":         "a figure without a legend",
	"scenarios/view/plot none":              "a curve without a band, and the epsilon of no noise",
}

// No generic package compares a string with the name of a kind in the catalog: it asks the
// piece of the kind for a capability, so that a kind of another name can have it, too.
func TestNoNamesOfKinds(t *testing.T) {
	catalog := scenarios.Catalog()
	kinds := map[string]string{}
	for _, s := range catalog.Sections() {
		for _, k := range *s.Kinds {
			kinds[k.Kind] = s.Name
		}
	}
	all := sources(t)
	used := map[string]bool{}
	for pkg, source := range all {
		if pkg == "scenarios" || slices.ContainsFunc(knowing, func(tree string) bool { return within(pkg, tree) }) {
			continue
		}
		for _, file := range source.files {
			names := importNames(file)
			for _, compared := range comparands(file) {
				text, ok := constant(all, pkg, names, compared)
				if section, is := kinds[text]; ok && is {
					what := pkg + " " + text
					if used[what] = true; words[what] == "" {
						t.Errorf("%s: package %s compares with %q, a kind of section %s; ask for a capability", source.set.Position(compared.Pos()), pkg, text, section)
					}
				}
			}
		}
	}
	for what := range words {
		if !used[what] {
			t.Errorf("%s: there is no such comparison any more", what)
		}
	}
}

// comparands returns the operands of == and !=, the cases of switches, and the arguments of
// slices.Contains and of functions of strings.
func comparands(file *ast.File) (list []ast.Expr) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				list = append(list, n.X, n.Y)
			}
		case *ast.SwitchStmt:
			for _, clause := range n.Body.List {
				list = append(list, clause.(*ast.CaseClause).List...)
			}
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok {
				if of, ok := s.X.(*ast.Ident); ok && (of.Name == "slices" && strings.HasPrefix(s.Sel.Name, "Contains") || of.Name == "strings") {
					list = append(list, n.Args...)
				}
			}
		}
		return true
	})
	return list
}

// constant returns the text of a literal, or of a constant of the package or of another of the
// module.
func constant(all map[string]*source, pkg string, imports map[string]string, e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.Ident:
		return constantOf(all[pkg], e.Name)
	case *ast.SelectorExpr:
		of, name := qualified(e)
		from, ours := strings.CutPrefix(imports[of], module+"/")
		if !ours {
			return "", false
		}
		return constantOf(all[from], name)
	}
	return "", false
}

// constantOf returns the text of a constant of a package.
func constantOf(s *source, name string) (text string, ok bool) {
	if s == nil {
		return "", false
	}
	for _, file := range s.files {
		object := file.Scope.Lookup(name)
		if object == nil {
			continue
		}
		spec, isValue := object.Decl.(*ast.ValueSpec)
		if object.Kind != ast.Con || !isValue {
			return "", false
		}
		i := slices.IndexFunc(spec.Names, func(n *ast.Ident) bool { return n.Name == name })
		if i >= len(spec.Values) {
			return "", false
		}
		literal, isText := spec.Values[i].(*ast.BasicLit)
		if !isText {
			return "", false
		}
		text, err := strconv.Unquote(literal.Value)
		return text, err == nil && literal.Kind == token.STRING
	}
	return "", false
}
