package document

import (
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustParse(t testing.TB, text string) *Document {
	t.Helper()
	d, err := Parse("f.yaml", []byte(text))
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return d
}

// TestParseRefuses gives the exact message of everything that is refused.
func TestParseRefuses(t *testing.T) {
	deep := strings.Repeat("[", 65) + strings.Repeat("]", 65)
	tests := map[string]struct{ text, want string }{
		"empty":                  {"", "f.yaml:1:1: empty"},
		"blank":                  {"\n  \n", "f.yaml:1:1: empty"},
		"only comments":          {"# a\n# b\n", "f.yaml:1:1: empty: there is nothing in it but comments"},
		"only a marker":          {"---\n", "f.yaml:1:1: empty: there is nothing in it but comments"},
		"not UTF-8":              {"a: 1\nb: \xff\n", "f.yaml:2:4: not UTF-8: byte 0xff"},
		"NUL":                    {"a: \x00", "f.yaml:1:4: control character U+0000"},
		"control in comment":     {"é: 1 # \x07", "f.yaml:1:8: control character U+0007"},
		"lone CR":                {"a: 1\rb: 2", "f.yaml:1:5: control character U+000D"},
		"mark inside":            {"a: \ufeff", "f.yaml:1:4: control character U+FEFF"},
		"tab":                    {"a:\n\tb: 1", "f.yaml:2:1: tab character; use spaces, or \\t in a double-quoted string"},
		"too large":              {strings.Repeat("#", MaxBytes+1), "f.yaml:1:1: larger than 1048576 bytes"},
		"two documents":          {"a: 1\n---\nb: 2\n", "f.yaml:2:1: a second document begins here; there must be exactly one"},
		"second after end":       {"a: 1\n...\nb: 2\n", "f.yaml:3:1: a second document begins here; there must be exactly one"},
		"content after marker":   {"--- {a: 1}\n", "f.yaml:1:5: the document must begin on the line after ---"},
		"root sequence":          {"- a\n", "f.yaml:1:1: the document must be a mapping, not a sequence"},
		"root scalar":            {"# c\n 12\n", "f.yaml:2:2: the document must be a mapping, not an integer"},
		"duplicate key":          {"a:\n  b: 1\n  \"b\": 2\n", "f.yaml:3:3: duplicate key \"b\"; the first is at 2:3"},
		"duplicate in flow":      {"a: {b: 1, b: 2}", "f.yaml:1:11: duplicate key \"b\"; the first is at 1:5"},
		"two duplicates":         {"a: 1\na: 2\nb: 1\nb: 1\n", "f.yaml:2:1: duplicate key \"a\"; the first is at 1:1\nf.yaml:4:1: duplicate key \"b\"; the first is at 3:1"},
		"anchor":                 {"a: &x 1\n", "f.yaml:1:4: anchors (&name) are not supported; write the value out"},
		"alias":                  {"a: *x\n", "f.yaml:1:4: aliases (*name) are not supported; write the value out"},
		"merge key":              {"a:\n  <<: {b: 1}\n", "f.yaml:2:3: merge keys (<<) are not supported; write the values out"},
		"tag":                    {"a: !!int 1\n", "f.yaml:1:4: tags (!name) are not supported"},
		"directive":              {"%YAML 1.2\n---\na: 1\n", "f.yaml:1:1: directives (%NAME) are not supported"},
		"complex key":            {"? a\n: 1\n", "f.yaml:1:1: complex keys (? key) are not supported"},
		"integer key":            {"a:\n  1: x\n", "f.yaml:2:3: a key must be a string; write \"1\" in quotes if that is meant"},
		"bool key":               {"true: x\n", "f.yaml:1:1: a key must be a string; write \"true\" in quotes if that is meant"},
		"null key":               {"{~: x}\n", "f.yaml:1:2: a key must be a string; write \"~\" in quotes if that is meant"},
		"long key":               {strings.Repeat("k", 65) + ": 1", "f.yaml:1:1: a key is longer than 64 characters"},
		"flow too deep":          {"a: " + deep, "f.yaml:1:67: nested more than 64 levels deep"},
		"empty item":             {"a:\n  -\n  - 1\n", "f.yaml:2:3: an item of a sequence is empty; write null if that is meant"},
		"empty last item":        {"a:\n- 1\n- # x\n", "f.yaml:3:1: an item of a sequence is empty; write null if that is meant"},
		"plain over lines":       {"a: b\n  c\n", "f.yaml:1:4: a plain value must end on its line; use quotes, or a block (| or >) for a text"},
		"forgotten colon":        {"a\nb: 1\n", "f.yaml:1:1: line 1 has no colon: `a:` and a value?"},
		"no colon at first":      {"a 1\nb: 1\n", "f.yaml:1:1: line 1 has no colon: `a: 1`?"},
		"no colon between":       {"a: 1\nb 1 # c\nc: 1\n", "f.yaml:2:1: line 2 has no colon: `b: 1`?"},
		"no colon at last":       {"a: {b: 1}\nc 1\n", "f.yaml:2:1: line 2 has no colon: `c: 1`?"},
		"no colon below":         {"a:\n  b 1\n  c: 1\n", "f.yaml:2:3: line 2 has no colon: `b: 1`?"},
		"no colon of a section":  {"a: 1\nb\n  c: 1\n", "f.yaml:2:1: line 2 has no colon: `b:` and a value?"},
		"no colon in an item":    {"a:\n  - b 1\n    c: 1\n", "f.yaml:2:5: line 2 has no colon: `b: 1`?"},
		"no colon, no indent":    {"a:\nb 1\n", "f.yaml:2:1: line 2 has no colon: `b: 1`?"},
		"no colon at all":        {"a 1\n", "f.yaml:1:1: line 1 has no colon: `a: 1`?"},
		"no colon before braces": {"a: 1\nb {c: 1}\n", "f.yaml:2:1: line 2 has no colon: `b: {c: 1}`?"},
		"no colon before a list": {"a:\n  b.c [1, 2]\n", "f.yaml:2:3: line 2 has no colon: `b.c: [1, 2]`?"},
		"no colon within braces": {"a: {b 1, c: 1}\n", "f.yaml:1:5: a key has no colon: `b: 1`?"},
		"no blank after colon":   {"a: 1\nb.c:1\n", "f.yaml:2:1: line 2 has no colon with a blank after it: `b.c: 1`?"},
		"text below its key":     {"a:\n  b c\n  d e\n", "f.yaml:2:3: a plain value must end on its line; use quotes, or a block (| or >) for a text"},
		"quoted over lines":      {"a: \"b\n  c\"\n", "f.yaml:1:4: a quoted string must end on its line; use \\n in double quotes, or a block (| or >) for a text"},
		"single over lines":      {"a: 'b\n  c'\n", "f.yaml:1:4: a quoted string must end on its line; use \\n in double quotes, or a block (| or >) for a text"},
		"unclosed quote":         {"a: 'b", "f.yaml:1:4: this quote is never closed"},
		"bad hexadecimal escape": {`a: "b\xzz"`, `f.yaml:1:6: invalid escape: \x needs the 2 hexadecimal digits of a character`},
		"surrogate escape":       {`a: "\udc00"`, `f.yaml:1:5: invalid escape: \u needs the 4 hexadecimal digits of a character`},
		"unknown escape":         {`a: "\q"`, `f.yaml:1:6: found unknown escape character 'q'`},
		"unclosed brace":         {"a: {b: 1\n", "f.yaml:1:4: this { is never closed"},
		"unclosed bracket":       {"a: [1, 2\n", "f.yaml:1:4: this [ is never closed"},
		"brace before a key":     {"a:\n  b: {c: 1\nd: 2\n", "f.yaml:2:6: this { is never closed"},
		"brace before a block":   {"a: {b: c\nd:\n  e: f\ng: 1\n", "f.yaml:1:4: this { is never closed"},
		"bracket before a key":   {"a: {b: [1, 2\nd: {e: 2}\n", "f.yaml:1:8: this [ is never closed"},
		"line within braces":     {"a: {b: 1\n  c: 2}\n", "f.yaml:2:3: a comma or } is missing before this"},
		"unopened bracket":       {"a: ]\n", "f.yaml:1:4: this ] has no [ before it"},
		"no space after colon":   {"a: {b:1}", "f.yaml:1:6: a space must follow the colon"},
		"colon in value":         {"a: b: c\n", "f.yaml:1:4: a plain value cannot contain a colon and a space; use quotes"},
		"missing comma":          {"a: {b: c d: e}\n", `f.yaml:1:8: a comma is missing before "d"; or use quotes for a value with a colon and a space`},
		"colon in flow value":    {"a: {b: c: d}\n", "f.yaml:1:8: a plain value cannot contain a colon and a space; use quotes"},
		"brace in flow value":    {"a: [b}c]\n", "f.yaml:1:5: a plain value in brackets cannot contain any of , [ ] { }; use quotes"},
		"pair in brackets":       {"a: [b: 1]\n", "f.yaml:1:5: a mapping in brackets needs braces: [{key: value}]"},
		"dash in brackets":       {"a: [- b]\n", "f.yaml:1:5: dashes are not supported within brackets"},
		"block in brackets":      {"a: [|\n]\n", "f.yaml:1:5: blocks (| and >) are not supported within brackets"},
		"block header":           {"a: |+\n  b\n", "f.yaml:1:4: a block begins with one of | |- > >-, not |+"},
		"blank first line":       {"a: >\n\n  b\n", "f.yaml:1:5: a block cannot begin with a blank line"},
		"value not indented":     {"a:\n  b:\n  'c'\n", "f.yaml:3:3: a value must be indented below its key"},
		"colon on the next line": {"a:\n  \"b\"\n  : 1\n", "f.yaml:3:3: a colon must stand on the line of its key"},
		"empty entry":            {"a: {b: 1,, c: 2}\n", "f.yaml:1:10: there is no value before the comma"},
		"leading comma":          {"a: {, b: 1}\n", "f.yaml:1:5: there is no value before the comma"},
		"key without colon":      {"a: {b, c: 1}\n", "f.yaml:1:5: a key has no colon: `b:` and a value?"},
		"reserved character":     {"a: @b\n", "f.yaml:1:4: '@' is a reserved character"},
		"wrong indentation":      {"a:\n   b: 1\n  c: 2\n", "f.yaml:3:3: this line begins in another column than the lines of the mapping that it belongs to"},
		"non-map":                {"a: 1\n'b'\nc: 1\n", "f.yaml:2:1: a key needs a colon and a value"},
		"quoted and mapping":     {"a: '1'\n  b: 2\n", "f.yaml:2:3: the key above has a value already, and nothing can stand below it"},
		"value and mapping":      {"a: 1\n  b: 2\n", "f.yaml:1:4: line 2 is indented more than its neighbours, and so continues this value"},
		"sequence on key's line": {"a: - b\n", "f.yaml:1:4: a list with dashes begins on the line after its key"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("f.yaml", []byte(test.text))
			if err == nil {
				t.Fatal("accepted")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestParseHostile holds the bounds on work for inputs made to exhaust the
// library: each takes hours, overflows the stack or fills the memory without
// the limits. The work is counted in bytes that are allocated and in processor
// time of the parse. None takes more than 1.5 seconds alone; the runtime's count of
// processor time holds what other programs take from it on a busy machine.
func TestParseHostile(t *testing.T) {
	fill := func(prefix, unit string) string {
		return prefix + strings.Repeat(unit, (MaxBytes-len(prefix))/len(unit))
	}
	var steps, laughs strings.Builder
	for i := range 1400 {
		steps.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	laughs.WriteString("a0: &a0 [x,x]\n")
	for range 30 {
		laughs.WriteString("a1: &a1 [*a0,*a0,*a0,*a0,*a0,*a0,*a0,*a0,*a0]\n")
	}
	limit := "f.yaml:1:100001: more than 100000 line breaks and punctuation characters"
	tests := map[string]struct{ text, want string }{
		"brackets":       {fill("", "["), limit},
		"nested braces":  {fill("", "{a: "), "f.yaml:1:200001: more than 100000"},
		"dashes":         {fill("", "- "), "f.yaml:1:200001: more than 100000"},
		"anchors":        {fill("", "&a *a "), "f.yaml:1:300001: more than 100000"},
		"short brackets": {"a: " + strings.Repeat("[", 90_000), "f.yaml:1:67: nested more than 64 levels"},
		"short braces":   {strings.Repeat("{a: ", 40_000), "f.yaml:1:257: nested more than 64 levels"},
		"short dashes":   {strings.Repeat("- ", 90_000), "f.yaml:1:129: nested more than 64 levels"},
		"short aliases":  {strings.Repeat("&a *a ", 40_000), "f.yaml:1:1: anchors"},
		"indentation":    {steps.String(), "f.yaml:65:65: nested more than 64 levels"},
		"billion laughs": {laughs.String(), "f.yaml:1:5: anchors"},
		"angle brackets": {fill("", "<"), "f.yaml:1:33: more than 32 consecutive '<'"},
		"tabs in quotes": {fill("a: \"", "\t."), "f.yaml:1:5: tab character"},
		"blank lines":    {fill("a: |\n b", "\n"), "f.yaml:35:1: more than 32 consecutive blank lines"},
		"blank block":    {fill("a: |\n", strings.Repeat(" \n", 31)+"  b\n"), "f.yaml:99999:2: more than 100000"},
		"many keys":      {strings.Repeat("a:\n", 50_000), "f.yaml:5001:1: more than 5000 keys"},
		"duplicate keys": {strings.Repeat("a:\n", 4_999), "f.yaml:2:1: duplicate key"},
		"empty items":    {"a:\n" + strings.Repeat("-\n", 40_000), "f.yaml:2:1: an item of a sequence is empty"},
		"empty flow":     {"a: [" + strings.Repeat(",", 90_000), "f.yaml:1:5: there is no value before the comma"},
		"bare keys":      {"a: {b: 1, " + strings.Repeat("c,", 90_000), "f.yaml:1:11: a key has no colon"},
		"empty values":   {"a: {" + strings.Repeat("c:,", 4_998) + "d: [" + strings.Repeat("0,", 80_000) + "]}", "f.yaml:1:8: duplicate key"},
		"markers":        {strings.Repeat("---\n", 20_000), "f.yaml:2:1: a second document"},
		"open quote":     {fill("a: \"", "b"), "f.yaml:1:4: this quote is never closed"},
		"long number":    {fill("a: ", "1"), "f.yaml:1:4: a value is longer than 65536 bytes"},
		"long word":      {fill("", "b"), "f.yaml:1:1: a value is longer than 65536 bytes"},
		"long quote":     {"a:\n  b: \"" + strings.Repeat("b", MaxValueLength+1) + "\"", "f.yaml:2:6: a value is longer than 65536 bytes"},
		"long text":      {fill("- |\n ", "b c"), "f.yaml:1:4: a value is longer than 65536 bytes"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := processorSeconds()
			_, err := Parse("f.yaml", []byte(test.text))
			worked := processorSeconds() - start
			runtime.ReadMemStats(&after)
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %.100v, want %s...", err, test.want)
			}
			if worked > 10 {
				t.Errorf("took %.3g seconds of processor time", worked)
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 1<<30 {
				t.Errorf("allocated %d MiB", allocated>>20)
			}
		})
	}
}

// processorSeconds is the time that processors have spent on the program's own
// code so far, as the runtime knows it after a collection.
func processorSeconds() float64 {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/cpu/classes/user:cpu-seconds"}}
	metrics.Read(sample)
	return sample[0].Value.Float64()
}

// TestParseAtLimits checks that what is just within the limits is accepted.
func TestParseAtLimits(t *testing.T) {
	var keys strings.Builder
	for i := range MaxKeys {
		keys.WriteString("k" + strconv.Itoa(i) + ":\n")
	}
	tests := map[string]string{
		"keys":  keys.String(),
		"depth": "a: " + strings.Repeat("[", 63) + strings.Repeat("]", 63),
		"items": "a: [" + strings.Repeat("0,", 99_000) + "0]",
		"long":  strings.Repeat("k", MaxKeyLength) + ": " + strings.Repeat("v", MaxValueLength),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) { mustParse(t, text) })
	}
}

// TestParseKinds covers the core schema of YAML 1.2.2, section 10.3.2.
func TestParseKinds(t *testing.T) {
	tests := map[Kind][]string{
		Null:    {"~", "null", "Null", "NULL"},
		Bool:    {"true", "True", "TRUE", "false", "False", "FALSE"},
		Integer: {"0", "-1", "+7", "007", "0o17", "0x1F", "12345678901234567890123"},
		Float:   {"0.50", "1.", ".5", "-.5", "1e-3", "1E+3", "-1.5e3", ".inf", "-.Inf", "+.INF", ".nan", ".NaN"},
		String: {"yes", "no", "on", "off", "y", "none", "1_000", "0b1", "0xg", "0o8", "1e", "e3", "-.nan", "1.2.3", "nUll",
			"inf", "-x", "2024-01-01", "1:2", "f(x) = [0, 1]", "a,b", "x#y", "--- x", "http://x/y?z", `"1"`, `'true'`, `""`},
	}
	for kind, texts := range tests {
		for _, text := range texts {
			n, ok := mustParse(t, "a: "+text+"  # comment\n").Find("a")
			if !ok || n.Kind() != kind {
				t.Errorf("%s is %v, want %v", text, n.Kind(), kind)
			}
			if kind != String && n.Text() != text {
				t.Errorf("text of %s is %s", text, n.Text())
			}
		}
	}
}

func TestParseStrings(t *testing.T) {
	tests := map[string]struct{ text, value, canonical string }{
		"plain":         {"a: two words", "two words", "two words"},
		"symbols":       {"a: f(x) = [0, 1]", "f(x) = [0, 1]", `"f(x) = [0, 1]"`},
		"single":        {"a: 'it''s'", "it's", `"it's"`},
		"needless":      {"a: 'none'", "none", "none"},
		"number":        {"a: '12'", "12", `"12"`},
		"escapes":       {`a: "\t\n\"\\\x41\u00e9\U0001F600\e"`, "\t\n\"\\Aé😀\x1b", `"\t\n\"\\Aé😀\x1b"`},
		"literal":       {"a: |\n  x\n   y\n\n  z\nb: 1", "x\n y\n\nz\n", `"x\n y\n\nz\n"`},
		"no line end":   {"a: >\n  x\n  y", "x y\n", `"x y\n"`},
		"folded":        {"a: >-\n  x\n  y\n\n  z\nb: 1", "x y\nz", `"x y\nz"`},
		"literal at 0":  {"a: |-\n  #x: {\nb: 1", "#x: {", `"#x: {"`},
		"empty literal": {"a: |\nb: 1", "", `""`},
		"CRLF":          {"a: |\r\n  x\r\n  y\r\nb: 1\r\n", "x\ny\n", `"x\ny\n"`},
		"mark":          {"\ufeffa: x", "x", "x"},
		"markers":       {"# c\n---\na: x\n...\n# d\n", "x", "x"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			n, _ := mustParse(t, test.text).Find("a")
			if n.Kind() != String || n.Value() != test.value || n.Text() != test.canonical {
				t.Errorf("got %v, value %q, text %s", n.Kind(), n.Value(), n.Text())
			}
		})
	}
}

const sample = `# A scenario.
name: sample
mechanism:
  kind: laplace
  epsilon: 0.50   
topology:   # of the graph
  matrices: [[1, 0, -2e0], [0,1]]
  empty:
  list:
  - kind: ring
    size: 3
  -
    - x
    - {}
"odd.key": {a: [1, {b: c}], "d": ~}
`

// TestPositions checks every position of a document with comments, trailing
// spaces and all styles of collections.
func TestPositions(t *testing.T) {
	d := mustParse(t, sample)
	type place struct{ Path, Value, Key string }
	var got []place
	var walk func(*Node)
	walk = func(n *Node) {
		short := func(p Position) string { return strings.TrimPrefix(p.String(), "f.yaml:") }
		got = append(got, place{n.Path(), short(n.Position()), short(n.KeyPosition())})
		if again, ok := d.Find(n.Path()); !ok || again.value != n.value || again.KeyPosition() != n.KeyPosition() {
			t.Errorf("Find(%q) finds another value", n.Path())
		}
		for _, child := range n.Entries() {
			walk(child)
		}
		for _, child := range n.Items() {
			walk(child)
		}
	}
	walk(d.Root())
	want := []place{
		{"", "2:1", "2:1"},
		{"name", "2:7", "2:1"},
		{"mechanism", "4:3", "3:1"},
		{"mechanism.kind", "4:9", "4:3"},
		{"mechanism.epsilon", "5:12", "5:3"},
		{"topology", "7:3", "6:1"},
		{"topology.matrices", "7:13", "7:3"},
		{"topology.matrices[0]", "7:14", "7:14"},
		{"topology.matrices[0][0]", "7:15", "7:15"},
		{"topology.matrices[0][1]", "7:18", "7:18"},
		{"topology.matrices[0][2]", "7:21", "7:21"},
		{"topology.matrices[1]", "7:28", "7:28"},
		{"topology.matrices[1][0]", "7:29", "7:29"},
		{"topology.matrices[1][1]", "7:31", "7:31"},
		{"topology.empty", "8:3", "8:3"},
		{"topology.list", "10:3", "9:3"},
		{"topology.list[0]", "10:5", "10:5"},
		{"topology.list[0].kind", "10:11", "10:5"},
		{"topology.list[0].size", "11:11", "11:5"},
		{"topology.list[1]", "13:5", "13:5"},
		{"topology.list[1][0]", "13:7", "13:7"},
		{"topology.list[1][1]", "14:7", "14:7"},
		{`["odd.key"]`, "15:12", "15:1"},
		{`["odd.key"].a`, "15:16", "15:13"},
		{`["odd.key"].a[0]`, "15:17", "15:17"},
		{`["odd.key"].a[1]`, "15:20", "15:20"},
		{`["odd.key"].a[1].b`, "15:24", "15:21"},
		{`["odd.key"].d`, "15:34", "15:29"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestBytesAndText(t *testing.T) {
	d := mustParse(t, sample)
	want := `name: sample
mechanism:
  kind: laplace
  epsilon: 0.50
topology:
  matrices: [[1, 0, -2e0], [0, 1]]
  empty: null
  list:
    - kind: ring
      size: 3
    - [x, {}]
odd.key:
  a:
    - 1
    - b: c
  d: ~
`
	if diff := cmp.Diff(want, string(d.Bytes())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for path, want := range map[string]string{
		"mechanism":         "{kind:laplace,epsilon:0.50}",
		"topology.matrices": "[[1,0,-2e0],[0,1]]",
		"topology.list":     "[{kind:ring,size:3},[x,{}]]",
		`["odd.key"]`:       "{a:[1,{b:c}],d:~}",
	} {
		if n, _ := d.Find(path); n.Text() != want {
			t.Errorf("%s is %s, want %s", path, n.Text(), want)
		}
	}
	if got := string(mustParse(t, "{}").Bytes()); got != "{}\n" {
		t.Errorf("the empty document is %q", got)
	}
}
