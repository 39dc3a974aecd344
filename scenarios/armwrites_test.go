package scenarios_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/study"
)

// TestArmsAreAssembledOnce checks that the parts of an arm are results of functions, put
// together where the arm is made: no function writes into an arm that it was given.
func TestArmsAreAssembledOnce(t *testing.T) {
	var list []string
	for dir, s := range sources(t) {
		if dir == "scenarios/scenariotest" { // it changes arms for tests
			continue
		}
		for _, file := range s.files {
			list = append(list, armWrites(s.set, file)...)
		}
	}
	slices.Sort(list)
	if len(list) > 0 {
		t.Errorf("these write into an arm; return the value:\n%s", strings.Join(list, "\n"))
	}
}

// TestFaultsAreReturned checks that functions return the faults that they find, as an error: none
// is handed a collector of them.
func TestFaultsAreReturned(t *testing.T) {
	var list []string
	for _, s := range sources(t) {
		for _, file := range s.files {
			list = append(list, collectors(s.set, file)...)
		}
	}
	slices.Sort(list)
	if len(list) > 0 {
		t.Errorf("these take a collector of faults; return an error:\n%s", strings.Join(list, "\n"))
	}
}

// TestCollectors shows the parameters that the check finds.
func TestCollectors(t *testing.T) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "a.go", `package p

func parameter(found *study.Faults) {}

func (f *Faults) receiver() {}

type build func(*Faults) int

var literal = func(n int, f *study.Faults) { var found study.Faults }

func returns() study.Faults { return nil }
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a.go:3:16", "a.go:7:17", "a.go:9:27"}
	if diff := cmp.Diff(want, collectors(set, file)); diff != "" {
		t.Errorf("collectors (-want +got):\n%s", diff)
	}
}

// collectors lists the parameters of a file that are pointers to faults.
func collectors(set *token.FileSet, file *ast.File) (list []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if of, ok := n.(*ast.FuncType); ok {
			for _, field := range of.Params.List {
				if pointsTo(field.Type, "Faults") {
					list = append(list, set.Position(field.Pos()).String())
				}
			}
		}
		return true
	})
	return list
}

// TestPlansAreSmall bounds what a family has to fill in: the methods of a plan, and the fields
// and functions of each of its declarations.
func TestPlansAreSmall(t *testing.T) {
	const mostMethods, mostFields, mostFunctions = 5, 12, 3
	plan := reflect.TypeFor[study.Plan]()
	if n := plan.NumMethod(); n > mostMethods {
		t.Errorf("%d methods; want at most %d: what few plans have is a capability", n, mostMethods)
	}
	for i := range plan.NumMethod() {
		of := plan.Method(i).Type.Out(0)
		if of.Kind() != reflect.Struct {
			continue
		}
		functions := 0
		for k := range of.NumField() {
			if of.Field(k).Type.Kind() == reflect.Func {
				functions++
			}
		}
		if of.NumField() > mostFields || functions > mostFunctions {
			t.Errorf("%s has %d fields, %d of them functions; want at most %d and %d", of, of.NumField(), functions, mostFields, mostFunctions)
		}
	}
}

// TestArmWrites shows the writes that the check finds.
func TestArmWrites(t *testing.T) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "a.go", `package p

func parameter(arm *study.Arm) { arm.Points = nil }

func (a *Arm) receiver() { a.File.Nodes++ }

func (p *plan) field() { p.arm.Effects.Patience, x = 1, 2 }

func closure(a *study.Arm) func() { return func() { a.Algorithm.Accounts[0].Why += "x" } }

var literal = func(arm *study.Arm) { arm.Points = nil }

func made() *study.Arm {
	arm := &study.Arm{}
	arm.Points = nil
	return arm
}

func others(p *plan, arm *study.Arm) { p.arm, p.dim = arm, arm.Dim }
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a.go:3:34: parameter", "a.go:5:28: receiver", "a.go:7:26: field", "a.go:9:53: closure", "a.go:11:38: a variable"}
	if diff := cmp.Diff(want, armWrites(set, file)); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

// armWrites lists the assignments of a file to a part of an arm that is a parameter of a
// function or of a literal, the receiver, or the value of a field with the name arm.
func armWrites(set *token.FileSet, file *ast.File) (list []string) {
	for _, d := range file.Decls {
		name, given := "a variable", map[string]bool{}
		ast.Inspect(d, func(n ast.Node) bool {
			var to []ast.Expr
			switch n := n.(type) {
			case *ast.FuncDecl:
				name = n.Name.Name
				takeArms(given, n.Recv, n.Type.Params)
			case *ast.FuncLit:
				takeArms(given, n.Type.Params)
			case *ast.AssignStmt:
				to = n.Lhs
			case *ast.IncDecStmt:
				to = []ast.Expr{n.X}
			}
			for _, x := range to {
				if writesIn(x, given) {
					list = append(list, fmt.Sprintf("%s: %s", set.Position(x.Pos()), name))
				}
			}
			return true
		})
	}
	return list
}

// takeArms adds the names of parameters that are arms.
func takeArms(given map[string]bool, lists ...*ast.FieldList) {
	for _, fields := range lists {
		if fields == nil {
			continue
		}
		for _, field := range fields.List {
			for _, name := range field.Names {
				given[name.Name] = given[name.Name] || pointsTo(field.Type, "Arm")
			}
		}
	}
}

// pointsTo reports whether a type is a pointer to a type of package study.
func pointsTo(t ast.Expr, name string) bool {
	star, ok := t.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch of := star.X.(type) {
	case *ast.Ident:
		return of.Name == name
	case *ast.SelectorExpr:
		pkg, ok := of.X.(*ast.Ident)
		return ok && pkg.Name == "study" && of.Sel.Name == name
	}
	return false
}

// writesIn reports whether an expression is a part of a given arm, or of a field with the name
// arm.
func writesIn(x ast.Expr, given map[string]bool) bool {
	for {
		switch of := x.(type) {
		case *ast.SelectorExpr:
			x = of.X
		case *ast.IndexExpr:
			x = of.X
		case *ast.StarExpr:
			x = of.X
		default:
			return false
		}
		switch of := x.(type) {
		case *ast.Ident:
			if given[of.Name] {
				return true
			}
		case *ast.SelectorExpr:
			if strings.EqualFold(of.Sel.Name, "arm") {
				return true
			}
		}
	}
}
