package scenarios_test

import (
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// exactFunctions are those of package math whose results are the same on every machine:
// they are exact, or rounded once. The others are written in assembly for some
// processors, or fused by the compiler for some.
var exactFunctions = []string{
	"Abs", "Ceil", "Copysign", "Dim", "FMA", "Float32bits", "Float32frombits", "Float64bits", "Float64frombits", "Floor", "Frexp",
	"ILogb", "Inf", "IsInf", "IsNaN", "Ldexp", "Logb", "Max", "Min", "Mod", "Modf", "NaN", "Nextafter", "Nextafter32", "Pow10", "Remainder",
	"Round", "RoundToEven", "Signbit", "Sqrt", "Trunc",
}

// TestPortableArithmetic checks that no package that a run computes with takes
// elementary functions from elsewhere than package portable, or calls a library of
// numerics, whose assembly has other orders of sums on other processors. Figures are
// drawn by such a library. .ci/fused looks for fused products.
func TestPortableArithmetic(t *testing.T) {
	for name, pkg := range sources(t) {
		if name == "mechanisms/portable" || within(name, "bench") {
			continue
		}
		for _, imported := range pkg.imports() {
			if strings.HasPrefix(imported, "gonum.org/v1/gonum/") || imported == "math/cmplx" {
				t.Errorf("package %s imports %s, whose bits depend on the machine", name, imported)
			}
		}
		for _, file := range pkg.files {
			ast.Inspect(file, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := selector.X.(*ast.Ident); !ok || x.Name != "math" || x.Obj != nil || !importsMath(file) {
					return true
				}
				if of := selector.Sel.Name; !slices.Contains(exactFunctions, of) && isFunction(of) {
					t.Errorf("%s: math.%s has other bits on other machines; see package portable", pkg.set.Position(n.Pos()), of)
				}
				return true
			})
		}
	}
}

// isFunction tells a function of package math from its constants.
func isFunction(name string) bool {
	constants := regexp.MustCompile(`^(E|Pi|Phi|Sqrt(2|E|Pi|Phi)|Ln2|Ln10|Log2E|Log10E|Max(Int|Uint|Float)\d*|MinInt\d*|SmallestNonzeroFloat\d*)$`)
	return !constants.MatchString(name)
}

func importsMath(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool {
		name, err := strconv.Unquote(s.Path.Value)
		return err == nil && name == "math"
	})
}
