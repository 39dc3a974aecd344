package document

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindRefuses(t *testing.T) {
	d := mustParse(t, sample)
	for _, path := range []string{"nothing", "mechanism.nothing", "name.x", "name[0]", "mechanism[0]", "topology.list.kind",
		"topology.list[2]", "topology.matrices[0][3]", ".name", "name.", "mechanism..kind", "topology.list[", "topology.list[0",
		"topology.list[-1]", "topology.list[00]", "topology.list[0]kind", "topology.list[x]", `["odd.key]`, `["odd.key".a`, "\xff"} {
		if n, ok := d.Find(path); ok {
			t.Errorf("Find(%q) = %s", path, n.Text())
		}
	}
}

// TestPositionOfAbsent checks that what is not there is placed at the key of
// the nearest ancestor.
func TestPositionOfAbsent(t *testing.T) {
	d := mustParse(t, sample)
	for path, want := range map[string]string{
		"":                        "f.yaml:2:1",
		"nothing":                 "f.yaml:2:1",
		"mechanism.epsilon":       "f.yaml:5:12",
		"mechanism.nothing.there": "f.yaml:3:1",
		"name.x":                  "f.yaml:2:1",
		"topology.matrices[0][7]": "f.yaml:7:14",
		"topology.list[0].x":      "f.yaml:10:5",
		"no path [":               "f.yaml:2:1",
	} {
		if got := d.Position(path).String(); got != want {
			t.Errorf("Position(%q) = %s, want %s", path, got, want)
		}
	}
}

func TestSet(t *testing.T) {
	const text = "a:\n  b: 1\nempty:\nlist: [x, {y: 1}]\n"
	tests := []struct{ path, text, want string }{
		{"a.b", "2", "a:\n  b: 2\nempty: null\nlist:\n  - x\n  - y: 1\n"},
		{"a.c", " 0.50 # c", "a:\n  b: 1\n  c: 0.50\nempty: null\nlist:\n  - x\n  - y: 1\n"},
		{"a", "none", "a: none\nempty: null\nlist:\n  - x\n  - y: 1\n"},
		{"a.c.d", "[1, 2]", "a:\n  b: 1\n  c:\n    d: [1, 2]\nempty: null\nlist:\n  - x\n  - y: 1\n"},
		{"new.er", "{x: 1}", "a:\n  b: 1\nempty: null\nlist:\n  - x\n  - y: 1\nnew:\n  er:\n    x: 1\n"},
		{"empty.x", "'1'", "a:\n  b: 1\nempty:\n  x: \"1\"\nlist:\n  - x\n  - y: 1\n"},
		{"list[1].y", "2", "a:\n  b: 1\nempty: null\nlist:\n  - x\n  - y: 2\n"},
		{"list[2].z", "3", "a:\n  b: 1\nempty: null\nlist:\n  - x\n  - y: 1\n  - z: 3\n"},
		{"list[1]", "k: v", "a:\n  b: 1\nempty: null\nlist:\n  - x\n  - k: v\n"},
		{`["o.k"]`, "~", "a:\n  b: 1\nempty: null\nlist:\n  - x\n  - y: 1\no.k: ~\n"},
	}
	for _, test := range tests {
		d := mustParse(t, text)
		original := string(d.Bytes())
		changed, err := d.Set(test.path, test.text, "--set "+test.path)
		if err != nil {
			t.Errorf("Set(%q, %q): %v", test.path, test.text, err)
			continue
		}
		if diff := cmp.Diff(test.want, string(changed.Bytes())); diff != "" {
			t.Errorf("Set(%q, %q) (-want +got)\n%s", test.path, test.text, diff)
		}
		if string(d.Bytes()) != original {
			t.Errorf("Set(%q, %q) changed the original", test.path, test.text)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	deep := strings.Repeat("[", 63) + strings.Repeat("]", 63)
	tests := []struct{ path, text, want string }{
		{"name", "", "--set:1:1: empty"},
		{"name", "# x", "--set:1:1: empty: there is nothing in it but comments"},
		{"name", "[1, 2", "--set:1:1: this [ is never closed"},
		{"name", "{a: &b 1}", "--set:1:5: anchors (&name) are not supported; write the value out"},
		{"name", "{a: 1, a: 2}", "--set:1:8: duplicate key \"a\"; the first is at 1:2"},
		{"name", "x\n---\ny", "--set:2:1: document markers are not allowed in a value"},
		{"name", "\tx", "--set:1:1: tab character; use spaces, or \\t in a double-quoted string"},
		{"", "x", "--set:1:1: the path is empty"},
		{"a..b", " x", "--set:1:2: invalid path \"a..b\": a key is empty or needs quotes in brackets"},
		{"a[", "x", "--set:1:1: invalid path \"a[\": a bracket is not closed"},
		{"a[x]", "x", "--set:1:1: invalid path \"a[x]\": an index must be a whole number, counted from 0"},
		{strings.Repeat("k", 65), "x", "--set:1:1: invalid path \"" + strings.Repeat("k", 65) + "\": a key is longer than 64 characters or not UTF-8"},
		{"name.x", "1", "--set:1:1: name.x: name is the string \"sample\", not a mapping"},
		{"mechanism[0]", "1", "--set:1:1: mechanism[0]: mechanism is a mapping, not a sequence"},
		{"[0]", "1", "--set:1:1: [0]: the document is a mapping, not a sequence"},
		{"topology.list[3]", "1", "--set:1:1: topology.list[3]: topology.list has 2 items, so there is no item 3"},
		{"topology.empty[0]", "1", "--set:1:1: topology.empty[0]: topology.empty is null, not a sequence"},
		{"new[0]", "1", "--set:1:1: new[0]: there is no sequence to set item 0 of"},
		{"mechanism.x", deep, "--set:1:1: nested more than 64 levels deep"},
	}
	d := mustParse(t, sample)
	for _, test := range tests {
		_, err := d.Set(test.path, test.text, "--set")
		if err == nil || err.Error() != test.want {
			t.Errorf("Set(%q, %q): got  %v\nwant %s", test.path, test.text, err, test.want)
		}
	}
}

// TestSetPositions checks that a value has the positions of where it came
// from, and that the source lines of all of them are found.
func TestSetPositions(t *testing.T) {
	d := mustParse(t, sample)
	d, err := d.Set("mechanism.delta.value", " [1, 2]", "--set mechanism.delta.value")
	if err != nil {
		t.Fatal(err)
	}
	values := mustParseAs(t, "sweep.yaml", "values:\n- 0.1\n- 0.2\n")
	value, _ := values.Find("values[1]")
	d, err = d.With("mechanism.epsilon", value)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2]string{
		"mechanism.delta.value[1]": {"--set mechanism.delta.value:1:6", " [1, 2]"},
		"mechanism.delta.other":    {"--set mechanism.delta.value:1:2", " [1, 2]"},
		"mechanism.epsilon":        {"sweep.yaml:3:3", "- 0.2"},
		"mechanism.kind":           {"f.yaml:4:9", "  kind: laplace"},
	} {
		position := d.Position(path)
		line, ok := d.Line(position)
		if position.String() != want[0] || line != want[1] || !ok {
			t.Errorf("%s is at %v in %q, want %v in %q", path, position, line, want[0], want[1])
		}
	}
	if n, _ := d.Find("mechanism.epsilon"); n.KeyPosition().String() != "sweep.yaml:3:3" {
		t.Errorf("the key is at %v, and its value is from sweep.yaml", n.KeyPosition())
	}
	if _, ok := d.Line(Position{"other.yaml", 1, 1}); ok {
		t.Error("a line of a file that was never read")
	}
}

func mustParseAs(t *testing.T, name, text string) *Document {
	t.Helper()
	d, err := Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A path has one form, and its short one begins with its last key that needs no brackets.
func TestCanonical(t *testing.T) {
	for path, want := range map[string][2]string{
		"mechanism.epsilon":               {"mechanism.epsilon", "epsilon"},
		`mechanism["epsilon"]`:            {"mechanism.epsilon", "epsilon"},
		`["mechanism"]["epsilon"]`:        {"mechanism.epsilon", "epsilon"},
		`["mechanism"].epsilon`:           {"mechanism.epsilon", "epsilon"},
		"topology.matrices[0][2]":         {"topology.matrices[0][2]", "matrices[0][2]"},
		`algorithm.options["a.b"]`:        {`algorithm.options["a.b"]`, `options["a.b"]`},
		`algorithm["a b"].c["\u0065"][1]`: {`algorithm["a b"].c.e[1]`, "e[1]"},
		`["x.y"]`:                         {`["x.y"]`, `["x.y"]`},
	} {
		if got, err := Canonical(path); err != nil || got != want[0] || Short(path) != want[1] {
			t.Errorf("%s: %q and %q, %v; want %q", path, got, Short(path), err, want)
		}
	}
	for _, path := range []string{"", ".", "x.", ".x", "x..y", `"x".y`, " x", "x y", "x[", "x[y]", `x["y"`, "x]", "x[01]", "x[-1]"} {
		if got, err := Canonical(path); err == nil {
			t.Errorf("%q is taken: %q", path, got)
		}
	}
}
