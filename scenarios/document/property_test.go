package document

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// plainTree is a value without positions: what two equal documents share.
type plainTree struct {
	Kind   Kind
	Text   string
	String string
	Keys   []string
	Values []plainTree
}

func plain(v *value) plainTree {
	t := plainTree{Kind: v.kind, Text: v.text, String: v.str}
	for _, e := range v.entries {
		t.Keys = append(t.Keys, e.key)
		t.Values = append(t.Values, plain(e.value))
	}
	for _, item := range v.items {
		t.Values = append(t.Values, plain(item))
	}
	return t
}

// checkRoundTrip checks that the document's canonical text is read back as an
// equal tree, and is its own canonical text.
func checkRoundTrip(t interface{ Fatalf(string, ...any) }, d *Document) {
	if flow := "x: " + d.Root().Flow(); len(flow) <= MaxBytes && d.root.depth() < MaxDepth {
		if again, err := Parse("flow", []byte(flow)); err != nil {
			t.Fatalf("%s: %v", flow, err)
		} else if node, _ := again.Find("x"); cmp.Diff(plain(d.root), plain(node.value)) != "" {
			t.Fatalf("%s is read as %s", flow, node.Flow())
		}
	}
	text := d.Bytes()
	if len(text) > MaxBytes || d.root.depth() > MaxDepth {
		return
	}
	again, err := Parse("canonical", text)
	if err != nil {
		t.Fatalf("Parse(Bytes()): %v\n%s", err, text)
	}
	if diff := cmp.Diff(plain(d.root), plain(again.root)); diff != "" {
		t.Fatalf("Parse(Bytes()) differs (-want +got)\n%s\n%s", diff, text)
	}
	if string(again.Bytes()) != string(text) {
		t.Fatalf("Bytes() is not stable:\n%s\n%s", text, again.Bytes())
	}
}

// genString draws strings of which many look like something else in YAML.
func genString() *rapid.Generator[string] {
	pieces := []string{"a", "B", "é", "0", "1", "e", "-", ".", ":", " ", "#", "'", "\"", "\\", "[", "]", "{", "}", ",",
		"&", "*", "!", "|", ">", "%", "@", "`", "?", "<<", "\n", "\t", "\x00", "\u0085", "\u2028", "\ufeff", "😀", "true", "null", "~", "---"}
	return rapid.OneOf(
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6), func(s []string) string { return strings.Join(s, "") }),
		rapid.StringOfN(rapid.RuneFrom(nil, unicode.L, unicode.P, unicode.Zs, unicode.C), 0, 10, -1).Filter(validText),
	)
}

// validText leaves out surrogates, which no UTF-8 text holds.
func validText(s string) bool { return !strings.ContainsRune(s, unicode.ReplacementChar) }

func genValue(depth int) *rapid.Generator[*value] {
	return rapid.Custom(func(t *rapid.T) *value {
		kinds := []Kind{String, Integer, Float, Bool, Null, Mapping, Sequence}
		if depth == 0 {
			kinds = kinds[:5]
		}
		switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
		case String:
			s := genString().Draw(t, "string")
			return &value{kind: String, str: s, text: canonical(s)}
		case Mapping:
			return genMapping(depth-1).Draw(t, "mapping")
		case Sequence:
			return &value{kind: Sequence, items: rapid.SliceOfN(genValue(depth-1), 0, 4).Draw(t, "items")}
		default:
			texts := map[Kind][]string{
				Integer: {"0", "-1", "+7", "007", "0o17", "0x1F"}, Float: {"0.50", "1.", ".5", "1e-3", "-.inf", ".nan"},
				Bool: {"true", "FALSE"}, Null: {"~", "null"},
			}
			return &value{kind: kind, text: rapid.SampledFrom(texts[kind]).Draw(t, "text")}
		}
	})
}

func genMapping(depth int) *rapid.Generator[*value] {
	return rapid.Custom(func(t *rapid.T) *value {
		v := &value{kind: Mapping}
		for _, key := range rapid.SliceOfNDistinct(genString(), 0, 4, rapid.ID).Draw(t, "keys") {
			v.entries = append(v.entries, entry{key: key, value: genValue(depth).Draw(t, "value")})
		}
		return v
	})
}

func TestRoundTripProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkRoundTrip(t, &Document{root: genMapping(4).Draw(t, "root")})
	})
}

// TestSetWithProperty checks, for a random document and place, that With puts
// the value there and leaves everything else and the original as it was.
func TestSetWithProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &Document{root: genMapping(3).Draw(t, "root")}
		var nodes []*Node
		collect(d.Root(), &nodes)
		at := rapid.SampledFrom(nodes).Draw(t, "at")
		if at.path == "" {
			return // the root cannot be replaced
		}
		other := &Document{root: &value{kind: Mapping, entries: []entry{{key: "v", value: genValue(2).Draw(t, "new")}}}}
		replacement, _ := other.Find("v")
		before := string(d.Bytes())
		changed, err := d.With(at.path, replacement)
		if err != nil {
			t.Fatalf("With(%q): %v", at.path, err)
		}
		if string(d.Bytes()) != before {
			t.Fatalf("With(%q) changed the original", at.path)
		}
		if got, ok := changed.Find(at.path); !ok || got.value != replacement.value {
			t.Fatalf("With(%q) did not put the value there", at.path)
		}
		back, err := changed.With(at.path, at)
		if err != nil || string(back.Bytes()) != before {
			t.Fatalf("With(%q) changed more than that: %v", at.path, err)
		}
	})
}

// collect appends a node and all below it.
func collect(n *Node, nodes *[]*Node) {
	*nodes = append(*nodes, n)
	for _, child := range n.Entries() {
		collect(child, nodes)
	}
	for _, child := range n.Items() {
		collect(child, nodes)
	}
}

// FuzzParse checks, for any input, that Parse neither panics nor accepts what
// it cannot print and read back, and that errors and values have positions
// within the text.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{sample, "", "a: [1, {b: 'c'}]\n", "a: |\n  x\n\n  y\nb: >-\n z\n", "{\"a\": \"\\u0041\\n\", b: ~}",
		"---\na:\n- - 1\n  - 2\n- b: 1e-3 # c\n...\n", "a: &a [*a]\n<<: !t {}\n", "? a\n: b\n", "a:\n   b: 1\n  c: 2\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse("f.yaml", data)
		if err != nil {
			for _, issue := range err.(Issues) {
				if p := issue.Position; p.File != "f.yaml" || p.Line < 1 || p.Column < 1 || issue.Message == "" {
					t.Fatalf("bad issue %v", issue)
				}
				if strings.Contains(issue.Message, "parser failed") {
					t.Fatal(issue) // handled, but to be known of
				}
			}
			return
		}
		checkPositions(t, d)
		checkRoundTrip(t, d)
	})
}

// checkPositions checks that each scalar is written where it says it is, and
// that the scalars of a document come in the order of the text.
func checkPositions(t *testing.T, d *Document) {
	var nodes []*Node
	collect(d.Root(), &nodes)
	var positions []Position
	for _, n := range nodes {
		p := n.Position()
		positions = append(positions, p)
		line, ok := d.Line(p)
		runes := []rune(line)
		if !ok || p.Column > len(runes) {
			t.Fatalf("%s: no such position %v", n.Path(), p)
		}
		rest := string(runes[p.Column-1:])
		quoted := n.Kind() == String && strings.ContainsAny(rest[:1], "'\"|>")
		if n.Len() == 0 && n.Kind() > Sequence && n.Kind() != Null && !quoted && !strings.HasPrefix(rest, n.Value()) {
			t.Fatalf("%s is not %q at %v", n.Path(), n.Value(), p)
		}
	}
	if d.root.depth() > MaxDepth {
		t.Fatalf("depth %d", d.root.depth())
	}
	if !slices.IsSortedFunc(positions, Position.compare) {
		t.Fatalf("positions out of order: %v", positions)
	}
}

// FuzzSet checks, for any path and text, that Set does not panic, leaves the
// original alone, and finds and prints what it set.
func FuzzSet(f *testing.F) {
	f.Add("mechanism.epsilon", "1e-3")
	f.Add("topology.matrices[0][3]", "[1, {a: b}]")
	f.Add(`new["odd key"].x`, "a: 1\nb: 2")
	f.Fuzz(func(t *testing.T, path, text string) {
		d := mustParse(t, sample)
		before := string(d.Bytes())
		changed, err := d.Set(path, text, "--set")
		if string(d.Bytes()) != before {
			t.Fatal("the original changed")
		}
		if err != nil {
			if issues := err.(Issues); issues[0].Position.File != "--set" {
				t.Fatalf("misplaced: %v", issues)
			}
			return
		}
		n, ok := changed.Find(path)
		if !ok || n.Position().File != "--set" {
			t.Fatalf("%q is not found", path)
		}
		if again, ok := changed.Find(n.Path()); !ok || again.value != n.value {
			t.Fatalf("%q has the path %q", path, n.Path())
		}
		checkRoundTrip(t, changed)
	})
}
