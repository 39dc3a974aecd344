package document

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestMerge gives the rules of Merge one by one.
func TestMerge(t *testing.T) {
	for name, test := range map[string]struct{ base, over, want string }{
		"key by key":                 {"a: {b: 1, c: 2}\nd: 3", "a: {c: 4}", "{a:{b:1,c:4},d:3}"},
		"new keys come last":         {"a: {b: 1}", "z: 1\na: {y: 2}", "{a:{b:1,y:2},z:1}"},
		"lists replace":              {"a: [1, 2, 3]", "a: [4]", "{a:[4]}"},
		"scalars replace":            {"a: 1\nb: {c: 1}", "a: x\nb: 2", "{a:x,b:2}"},
		"mappings replace scalars":   {"a: 1", "a: {b: 2}", "{a:{b:2}}"},
		"null removes":               {"a: 1\nb: {c: 1, d: 2}", "a: null\nb: {d:}", "{b:{c:1}}"},
		"null of nothing stays":      {"a: 1", "b: null\nc: {d: ~}", "{a:1,b:null,c:{d:~}}"},
		"another kind replaces":      {"a: {kind: x, b: 1}", "a: {kind: y, c: 2}", "{a:{kind:y,c:2}}"},
		"the same kind merges":       {"a: {kind: x, b: 1}", "a: {kind: 'x', c: 2}", "{a:{kind:x,b:1,c:2}}"},
		"a kind of one merges":       {"a: {kind: x, b: 1}\nd: {b: 1}", "a: {c: 2}\nd: {kind: x}", "{a:{kind:x,b:1,c:2},d:{b:1,kind:x}}"},
		"kinds of two types replace": {"a: {kind: '1', b: 1}", "a: {kind: 1}", "{a:{kind:1}}"},
		"deep kinds":                 {"a: {b: {kind: x, c: 1}, d: 1}", "a: {b: {kind: y}}", "{a:{b:{kind:y},d:1}}"},
	} {
		t.Run(name, func(t *testing.T) {
			base, over := mustParse(t, test.base), mustParse(t, test.over)
			before := string(base.Bytes()) + string(over.Bytes())
			if got := base.Merge(over).Root().Text(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if string(base.Bytes())+string(over.Bytes()) != before {
				t.Error("an original changed")
			}
		})
	}
}

// TestMergePositions checks that every value of a merged document is where it
// was written, and that the line can be shown.
func TestMergePositions(t *testing.T) {
	base, err := Parse("base.yaml", []byte("a:\n  b: 1\n  c: 2\nd: 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	over, err := Parse("over.yaml", []byte("\na: {c: 4}\n"))
	if err != nil {
		t.Fatal(err)
	}
	merged := base.Merge(over)
	for path, want := range map[string]struct{ position, key, line string }{
		"a":   {"over.yaml:2:4", "over.yaml:2:1", "a: {c: 4}"},
		"a.b": {"base.yaml:2:6", "base.yaml:2:3", "  b: 1"},
		"a.c": {"over.yaml:2:8", "over.yaml:2:5", "a: {c: 4}"},
		"d":   {"base.yaml:4:4", "base.yaml:4:1", "d: 3"},
	} {
		n, ok := merged.Find(path)
		if !ok {
			t.Fatalf("no %s", path)
		}
		line, _ := merged.Line(n.Position())
		if n.Position().String() != want.position || n.KeyPosition().String() != want.key || line != want.line {
			t.Errorf("%s: %v, key %v, line %q; want %+v", path, n.Position(), n.KeyPosition(), line, want)
		}
	}
}

// TestMergeProperty checks the laws that follow from the rules, for documents
// without nulls: a document over itself or over nothing is itself, and what it
// says is found in the result wherever it is.
func TestMergeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := &Document{root: withoutNulls(genMapping(3).Draw(t, "base"))}
		over := &Document{root: withoutNulls(genMapping(3).Draw(t, "over"))}
		empty := &Document{root: &value{kind: Mapping}}
		for _, same := range []*Document{base.Merge(base), base.Merge(empty), empty.Merge(base)} {
			if diff := gocmp.Diff(plain(base.root), plain(same.root)); diff != "" {
				t.Fatalf("changed (-want +got)\n%s", diff)
			}
		}
		merged := base.Merge(over)
		var nodes []*Node
		collect(over.Root(), &nodes)
		for _, n := range nodes {
			if got, ok := merged.Find(n.Path()); !ok || got.Kind() != n.Kind() || n.Len() == 0 && n.Kind() != Mapping && got.Text() != n.Text() {
				t.Fatalf("%s is lost", n.Path())
			}
		}
		checkRoundTrip(t, merged)
	})
}

func withoutNulls(v *value) *value {
	if v.kind == Null {
		return &value{kind: Bool, text: "true"}
	}
	for i := range v.entries {
		v.entries[i].value = withoutNulls(v.entries[i].value)
	}
	for i := range v.items {
		v.items[i] = withoutNulls(v.items[i])
	}
	return v
}

// TestArrange sorts the keys of everything but one part, which stays as it is.
func TestArrange(t *testing.T) {
	d := mustParse(t, "c: {z: 1, y: [{b: 1, a: 2}]}\nkeep: {b: 1, a: 2}\na: 1\n")
	arranged := d.Arrange(func(path, a, b string) int {
		if strings.HasPrefix(path, "keep") {
			return 0
		}
		return cmp.Compare(a, b)
	})
	if got, want := arranged.Root().Text(), "{a:1,c:{y:[{a:2,b:1}],z:1},keep:{b:1,a:2}}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := d.Root().Text(), "{c:{z:1,y:[{b:1,a:2}]},keep:{b:1,a:2},a:1}"; got != want {
		t.Errorf("the original is %s, want %s", got, want)
	}
	again := arranged.Arrange(func(path, a, b string) int { return 0 })
	if !slices.Equal(again.Bytes(), arranged.Bytes()) {
		t.Error("an order that prefers nothing changed something")
	}
}
