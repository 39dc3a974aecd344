package command

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/guide"
)

// plainHeads are heads of columns that need no entry: words of everyday life, and names of the first column.
var plainHeads = []string{
	"", "bytes", "column", "data set", "entries", "file", "folder", "in it", "kind", "list", "metric", "now", "note", "records", "scenario", "size", "status", "steps",
	"tags", "time", "to see more", "type", "what it is", "when", "names", "arms", "seeds", "runs", "in all arms", "the scenarios differ in", "first", "second", "algorithm",
	"processor before", "last step", "of unit", "by node", "meaning", "quantity", "private arm", "without noise", "ε",
}

// TestDescribeKnowsHeads: describe knows the heads of the tables that verbs print.
func TestDescribeKnowsHeads(t *testing.T) {
	kinds := scenarios.Catalog()
	g, err := guide.New(&kinds)
	if err != nil {
		t.Fatal(err)
	}
	heads := headsOf(t, ".", "inspect", "../../../scenarios/view", "../../../scenarios/accounts")
	if len(heads) < 80 {
		t.Fatalf("only %d heads of tables: %q", len(heads), heads)
	}
	for _, head := range heads {
		if slices.Contains(plainHeads, wordOf(head)) {
			continue
		}
		if _, err := described(g, head); err != nil {
			t.Errorf("describe %q: %v", head, err)
		}
	}
	for _, word := range []string{"replace", "holm", "topology", "mechanism.epsilon", "headline", "baseline", "interval", "bootstrap", "claim", "accounted", "window", "mean (95 % CI)", "× no noise", "p, Holm", "seeds.count"} {
		if _, err := described(g, word); err != nil {
			t.Errorf("describe %q: %v", word, err)
		}
	}
}

// headsOf returns the texts of all headers of tables in the code of some folders.
func headsOf(t *testing.T, folders ...string) (heads []string) {
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				pair, ok := n.(*ast.KeyValueExpr)
				if !ok {
					return true
				}
				list, ok := pair.Value.(*ast.CompositeLit)
				if key, named := pair.Key.(*ast.Ident); !named || key.Name != "Header" || !ok {
					return true
				}
				for _, cell := range list.Elts {
					if text, ok := cell.(*ast.BasicLit); ok && text.Kind == token.STRING {
						head, err := strconv.Unquote(text.Value)
						if err != nil {
							t.Fatal(err)
						}
						heads = append(heads, head)
					}
				}
				return true
			})
		}
	}
	slices.Sort(heads)
	return slices.Compact(heads)
}
