package document

import "testing"

// ParseText reads the Text of a mapping: keys, strings with colons, quotes and backslashes,
// sequences and mappings inside.
func TestParseText(t *testing.T) {
	for _, text := range []string{
		"{kind: independent, epsilon: 8, delta: 1e-5}",
		`{"a: b": "c: \" , {d:e}", f: "back\\", list: [1, {g: none}], h: [], i: "12:30"}`,
	} {
		doc, err := Parse("test", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		compact := doc.Root().Text()
		read, err := ParseText("test", compact)
		if err != nil {
			t.Fatalf("%s: %v", compact, err)
		}
		if got := read.Root().Text(); got != compact {
			t.Errorf("%s is read as %s", compact, got)
		}
		spaced, err := ParseText("test", text)
		if err != nil || spaced.Root().Text() != compact {
			t.Errorf("%s: %v", text, err)
		}
	}
	doc, err := ParseText("test", "{kind:independent,epsilon:8}")
	if err != nil {
		t.Fatal(err)
	}
	if node, ok := doc.Find("epsilon"); !ok || node.Text() != "8" {
		t.Error("no epsilon")
	}
}
