package document

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResolve(t *testing.T) {
	d := mustParse(t, sample)
	sentinel := errors.New("out of range")
	tests := map[string]struct {
		prefix string
		err    error
		want   string
	}{
		"nil":         {"mechanism", nil, ""},
		"plain":       {"mechanism", errors.New("wrong"), "f.yaml:4:3: mechanism: wrong"},
		"root":        {"", errors.New("wrong"), "f.yaml:2:1: wrong"},
		"field":       {"mechanism", At("epsilon", "must be below %d", 1), "f.yaml:5:12: mechanism.epsilon: must be below 1"},
		"no path":     {"mechanism", At("", "wrong"), "f.yaml:4:3: mechanism: wrong"},
		"absent":      {"mechanism", At("delta", "is needed"), "f.yaml:3:1: mechanism.delta: is needed"},
		"index":       {"topology.matrices", At("[0][2]", "negative"), "f.yaml:7:21: topology.matrices[0][2]: negative"},
		"wrapped":     {"mechanism", fmt.Errorf("laplace: %w", At("epsilon", "negative")), "f.yaml:5:12: mechanism.epsilon: laplace: negative"},
		"two wrapped": {"mechanism", fmt.Errorf("%w: %w", sentinel, At("epsilon", "negative")), "f.yaml:5:12: mechanism.epsilon: out of range: epsilon: negative"},
		"no field":    {"name", fmt.Errorf("%w: %w", sentinel, sentinel), "f.yaml:2:7: name: out of range: out of range"},
		"plain wrap":  {"name", fmt.Errorf("short: %w", sentinel), "f.yaml:2:7: name: short: out of range"},
		"join": {"mechanism", fmt.Errorf("bad: %w", errors.Join(At("epsilon", "negative"), errors.Join(At("kind", "unknown"), sentinel))),
			"f.yaml:4:3: mechanism: bad: out of range\nf.yaml:4:9: mechanism.kind: bad: unknown\nf.yaml:5:12: mechanism.epsilon: bad: negative"},
		"issues": {"mechanism", errors.Join(Issues{{Position{"g", 1, 2}, "x", "y", OfValue, ""}}, Issue{Position{"g", 1, 1}, "", "z", OfValue, ""}), "g:1:1: z\ng:1:2: x: y"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, d.Resolve(test.prefix, test.err).Error()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	section, _ := d.Find("mechanism")
	if err := section.Resolve(At("epsilon", "negative")); err == nil || err.Error() != "f.yaml:5:12: mechanism.epsilon: negative" {
		t.Errorf("below a node: %v", err)
	}
	if err := section.Resolve(nil); err != nil {
		t.Errorf("below a node: nil gives %v", err)
	}
	if got := At("a.b", "c").Error(); got != "a.b: c" {
		t.Errorf("At gives %q", got)
	}
}

func TestIssuesError(t *testing.T) {
	issues := Issues{
		{Position{"b", 1, 1}, "", "last", OfValue, ""},
		{Position{"a", 10, 1}, "p", "third", OfValue, ""},
		{Position{"a", 2, 11}, "p", "second", OfValue, ""},
		{Position{"a", 2, 9}, "p", "first", OfValue, ""},
		{Position{"a", 2, 11}, "p", "second", OfValue, ""},
	}
	want := "a:2:9: p: first\na:2:11: p: second\na:10:1: p: third\nb:1:1: last"
	if got := issues.Error(); got != want {
		t.Errorf("got\n%s", got)
	}
	if issues[0].Message != "last" {
		t.Error("Error changed the order")
	}
	if Issues(nil).Err() != nil || issues.Err() == nil {
		t.Error("Err is wrong")
	}
}

func TestRender(t *testing.T) {
	text := "é: [1, x]\nlong: [" + strings.Repeat("1234567, ", 30) + "y]\n"
	d := mustParse(t, text)
	issues := Issues{
		{d.Position("é[1]"), "é[1]", "not a number", OfValue, ""},
		{d.Position("long[30]"), "long[30]", "not a number", OfValue, ""},
		{Position{"elsewhere", 1, 1}, "", "no text", OfValue, ""},
	}
	var b strings.Builder
	if err := issues.Render(&b, d.Line); err != nil {
		t.Fatal(err)
	}
	want := `elsewhere:1:1: no text
f.yaml:1:8: é[1]: not a number
    1 | é: [1, x]
      |        ^
f.yaml:2:278: long[30]: not a number
    2 | …4567, 1234567, 1234567, 1234567, 1234567, 1234567, 1234567, 1234567, y]
      |                                                                       ^
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestRenderLacking checks that the keys that one mapping lacks are one message, with the line once.
func TestRenderLacking(t *testing.T) {
	d := mustParse(t, "a: {b: 1}\n")
	at := d.Position("a")
	issues := Issues{
		{at, "a", `missing required key "x"`, MissingKey, "x: first"},
		{at, "a", `missing required key "y"`, MissingKey, "y: second"},
		{at, "a", `missing required key "z": two of it`, MissingKey, ""},
		{at, "b", `missing required key "z"`, MissingKey, ""},
	}
	var b strings.Builder
	if err := issues.Render(&b, d.Line); err != nil {
		t.Fatal(err)
	}
	line := "    1 | a: {b: 1}\n      |    ^\n"
	want := "f.yaml:1:4: a: missing required keys \"x\", \"y\"\n" + line + "      = x: first\n      = y: second\n" +
		"f.yaml:1:4: a: missing required key \"z\": two of it\n" + line + "f.yaml:1:4: b: missing required key \"z\"\n" + line
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(issues.Sorted()) != 4 {
		t.Error("the issues themselves are joined")
	}
}

// TestRenderRefused shows the lines of texts that Parse refused, whatever
// bytes they have.
func TestRenderRefused(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\r\na: 2\r\n": "f:2:1: duplicate key \"a\"; the first is at 1:1\n    2 | a: 2\n      | ^\n",
		"a: \xff":          "f:1:4: not UTF-8: byte 0xff\n    1 | a: \ufffd\n      |    ^\n",
		"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00>": "f:1:1: not a text file; a scenario is YAML\n",
		"": "f:1:1: empty\n    1 | \n      | ^\n",
	} {
		_, err := Parse("f", []byte(text))
		var (
			issues Issues
			b      strings.Builder
		)
		if !errors.As(err, &issues) {
			t.Fatalf("Parse(%q): %v is not Issues", text, err)
		}
		if err := issues.Render(&b, SourceLine("f", []byte(text))); err != nil || b.String() != want {
			t.Errorf("%q: got\n%s", text, b.String())
		}
	}
}

func TestSuggest(t *testing.T) {
	long := strings.Fields("aa bb cc dd ee ff gg hh ii jj kk mean zero brass")
	known := []string{"seeds", "sweep"}
	metrics := []string{"bytes.sent", "regret.expected", "regret.run"}
	families := strings.Fields("a.1 a.2 a.3 a.4 a.5 bytes.1 bytes.2 bytes.3 bytes.4 bytes.5 loss.1 loss.2 loss.3 loss.4")
	for _, test := range []struct{ got, want string }{
		{Unknown("metric", "quality", families), `unknown metric "quality"; none is near: they begin with a, bytes, loss; starling list metrics has all`},
		{Unknown("metric", "loss.9", families), `unknown metric "loss.9"; did you mean "loss.1"?`},
		{Unknown("key", "sedes", known), `unknown key "sedes"; did you mean "seeds"?`},
		{Unknown("key", "paper", known), `unknown key "paper"; known: seeds, sweep`},
		{Suggest("paper", known, "it has"), "; it has seeds, sweep"},
		{UnknownOf("kind", "zebra", long, "starling help topology"), `unknown kind "zebra"; the nearest of 14: zero; starling help topology has all`},
		{Suggest("paper", known, ""), ""},
		{SuggestDotted("regert", metrics, "known:"), `; did you mean "regret.expected"?`},
		{SuggestDotted("regret", metrics, "known:"), `; did you mean "regret.expected"?`},
		{SuggestDotted("regert.run", metrics, "known:"), `; did you mean "regret.run"?`},
		{SuggestDotted("loss", metrics, "known:"), "; known: bytes.sent, regret.expected, regret.run"},
		{Suggest("--sedes", []string{"--seeds"}, ""), "; did you mean --seeds?"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

// TestMissingKeys have the meaning of the key with an example below their line, where Render prints them.
func TestMissingKeys(t *testing.T) {
	var out struct {
		Horizon int    `yaml:"horizon,required" doc:"number of steps, T; more later" example:"100"`
		Kind    string `yaml:"kind,required"`
	}
	doc := mustParse(t, "name: x\n")
	var issues Issues
	if !errors.As(Decode(doc.Root(), &out), &issues) {
		t.Fatal("a missing key is no fault")
	}
	var text strings.Builder
	if err := issues.Render(&text, doc.Line); err != nil {
		t.Fatal(err)
	}
	const want = " | ^\n      = horizon: number of steps, T, such as horizon: 100\n"
	if !strings.Contains(text.String(), want) || strings.Count(text.String(), " = ") != 1 {
		t.Errorf("%s\nwant\n%s", &text, want)
	}
}
