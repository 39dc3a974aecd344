package claim

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/document"
)

// TestDecode reads a whole file.
func TestDecode(t *testing.T) {
	f, err := Decode("claims.yaml", []byte(`version: 1
quick: {seeds.count: 10, mechanism.epsilon: none, horizon: 200}
claims:
  - id: first-of-two
    source: {where: "section 5"}
    says: More is more.
    remark: It is not.
    caution: Beware.
    test: {kind: at-least, metric: accuracy, over: rounds, arms: [a, b], at: 7, level: 0.9, bound: {note: bound, times: 2}}
  - id: second
    source: {where: "section 6"}
    says: Less is less.
    test: {kind: not-testable, reason: nobody knows}
`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Setting{{"seeds.count", "10"}, {"mechanism.epsilon", "none"}, {"horizon", "200"}}, f.Quick); diff != "" {
		t.Errorf("quick (-want +got)\n%s", diff)
	}
	first, second := f.Claims[0], f.Claims[1]
	want := Claim{ID: "first-of-two", Where: "section 5", Says: "More is more.", Remark: "It is not.", Caution: "Beware.", path: "claims[0]", Test: &Limit{
		Common:   Common{Kind: "at-least", Level: 0.9, Arms: []string{"a", "b"}},
		Quantity: Quantity{Metric: "accuracy", Over: "rounds"},
		At:       Step{number: 7},
		Bound:    Bound{Note: "bound", Times: 2},
	}}
	if diff := cmp.Diff(want, first, cmp.AllowUnexported(Claim{}, Step{})); diff != "" {
		t.Errorf("first claim (-want +got)\n%s", diff)
	}
	if got := second.Test.(*Unable).Reason; got != "nobody knows" {
		t.Errorf("reason %q", got)
	}
}

// TestDecodeErrors: every problem has its place, and all are reported at once.
func TestDecodeErrors(t *testing.T) {
	head := "version: 1\n# A comment.\n"
	claim := func(test string) string {
		return head + "claims:\n  - {id: x, source: {where: w}, says: s, test: " + test + "}\n"
	}
	for _, test := range []struct{ name, text, want string }{
		{"syntax", "version: [", "claims.yaml:1:10: "},
		{"another version", "version: 2\nwhatever: 3\n", "claims.yaml:1:10: version: version 2; this build reads version 1"},
		{"unknown and missing keys", "version: 1\nfoo: []\n", "claims.yaml:1:1: missing required key \"claims\"\n" +
			"claims.yaml:2:1: unknown key \"foo\"; "},
		{"misspelt key", "version: 1\nclaim: []\n", "claims.yaml:2:1: unknown key \"claim\"; did you mean \"claims\"?"},
		{"no claims", head + "claims: []\n", "claims.yaml:3:9: claims: there is no claim"},
		{"quick", head + "quick: {sweep: {}}\nclaims: []\n", "claims.yaml:3:16: quick.sweep: expected a number, a word, a list or none, got {}"},
		{"texts", head + "claims:\n  - {id: My id, source: {where: w}, says: ' s', test: {kind: not-testable, reason: r}}\n",
			"claims.yaml:4:10: claims[0].id: \"My id\" is no id: lower-case words and digits joined by '-'\n" +
				"claims.yaml:4:43: claims[0].says: want one line without spaces around it"},
		{"twice", head + "claims:\n  - &a\n", "claims.yaml:4:5: "},
		{"the same id", claim("{kind: not-testable, reason: r}") + "  - {id: x, source: {where: w}, says: s, test: {kind: not-testable, reason: r}}\n",
			"claims.yaml:5:10: claims[1].id: there is a claim \"x\" before"},
		{"no kind", claim("{metric: m}"), "claims.yaml:4:48: claims[0].test: expected a mapping with a kind, one of ordered, close, at-most, at-least, trend, exponent, scaling, ratio, not-testable"},
		{"unknown kind", claim("{kind: orderd}"), "claims.yaml:4:55: claims[0].test.kind: unknown kind \"orderd\"; did you mean \"ordered\"?"},
		{"key of another kind", claim("{kind: ordered, metric: m, arms: [a, b], margin: 1}"), "claims.yaml:4:89: unknown key \"margin\" in claims[0].test; "},
		{"one arm", claim("{kind: ordered, metric: m, arms: [a]}"), "claims.yaml:4:81: claims[0].test.arms: 1 arms; want at least 2"},
		{"an arm twice", claim("{kind: ordered, metric: m, arms: [a, b, a]}"), "claims.yaml:4:88: claims[0].test.arms[2]: arm \"a\" is given twice"},
		{"no metric", claim("{kind: ordered, arms: [a, b]}"), "claims.yaml:4:48: claims[0].test: missing required key \"metric\""},
		{"level", claim("{kind: ordered, metric: m, arms: [a, b], level: 95}"), "claims.yaml:4:96: claims[0].test.level: level 95; want more than 0 and less than 1"},
		{"step", claim("{kind: ordered, metric: m, arms: [a, b], at: end}"), "claims.yaml:4:93: claims[0].test.at: expected first, last or a step, got end"},
		{"both margins", claim("{kind: close, metric: m, arms: [a, b], margin: {absolute: 1, relative: 1}}"), "claims.yaml:4:95: claims[0].test.margin: want either an absolute or a relative margin > 0"},
		{"across", claim("{kind: close, metric: m, across: seeds, margin: {absolute: 1}}"), "claims.yaml:4:81: claims[0].test.across: unknown \"seeds\"; known: nodes"},
		{"no bound", claim("{kind: at-most, metric: m, bound: {}}"), "claims.yaml:4:82: claims[0].test.bound: want either a value or a note"},
		{"metric and note", claim("{kind: at-most, metric: m, note: n, bound: {value: 1}}"), "claims.yaml:4:48: claims[0].test: want either a metric or a note"},
		{"direction", claim("{kind: trend, metric: m, direction: down}"), "claims.yaml:4:84: claims[0].test.direction: unknown \"down\"; known: falls, grows"},
		{"exponent of nothing", claim("{kind: exponent, metric: m}"), "claims.yaml:4:48: claims[0].test: want below, above or both, or apart"},
		{"two kinds of exponents", claim("{kind: exponent, metric: m, arms: [a, b], below: 1, apart: 1}"), "claims.yaml:4:107: claims[0].test.apart: want either apart, or below and above"},
		{"one arm apart", claim("{kind: exponent, metric: m, arms: [a], apart: 1}"), "claims.yaml:4:82: claims[0].test.arms: 1 arms; want at least 2"},
		{"not apart", claim("{kind: exponent, metric: m, arms: [a, b], apart: 0}"), "claims.yaml:4:97: claims[0].test.apart: 0; want a finite number > 0"},
		{"sizes of others", claim("{kind: scaling, metric: m, arms: [a, b], sizes: [1], below: 1}"), "claims.yaml:4:96: claims[0].test.sizes: 1 sizes of 2 arms"},
		{"one size", claim("{kind: scaling, metric: m, arms: [a, b], sizes: [2, 2], below: 1}"), "claims.yaml:4:96: claims[0].test.sizes: all are 2, and nothing grows with them"},
		{"no size", claim("{kind: scaling, metric: m, arms: [a, b], sizes: [2, 0], below: 1}"), "claims.yaml:4:100: claims[0].test.sizes[1]: 0; want a finite number > 0"},
		{"scaling of nothing", claim("{kind: scaling, metric: m, arms: [a, b], sizes: [2, 3]}"), "claims.yaml:4:48: claims[0].test: want below, above or both"},
		{"empty window", claim("{kind: exponent, metric: m, below: 1, above: 1}"), "claims.yaml:4:93: claims[0].test.above: 1 is not less than below, 1"},
		{"numbers of a ratio", claim("{kind: ratio, metric: m, arms: [a, b], expected: [1], margin: 1}"), "claims.yaml:4:97: claims[0].test.expected: 1 numbers for 2 arms"},
		{"number of a ratio", claim("{kind: ratio, metric: m, arms: [a, b], expected: [1, 0], margin: 1}"), "claims.yaml:4:101: claims[0].test.expected[1]: 0; want a finite number > 0"},
		{"window", claim("{kind: ordered, metric: m, window: 5, arms: [a, b]}"), "claims.yaml:4:83: claims[0].test.window: window 5; want a part of the horizon, more than 0 and at most 1"},
		{"window of a note", claim("{kind: at-most, note: n, window: 0.1, bound: {value: 1}}"), "claims.yaml:4:70: claims[0].test.note: a note has no steps: leave over, per_step, window and reach out"},
		{"window of nodes", claim("{kind: close, metric: m, across: nodes, window: 0.1, margin: {absolute: 1}}"), "claims.yaml:4:81: claims[0].test.across: a spread between nodes is of a plain metric at a step: leave over, per_step, window and reach out"},
		{"target and window", claim("{kind: ordered, metric: m, window: 0.1, reach: {metric: n, value: 1}, arms: [a, b]}"), "claims.yaml:4:95: claims[0].test.reach: each seed reaches the value at a step of its own: leave per_step and window out"},
		{"target and step", claim("{kind: ordered, metric: m, at: 3, reach: {metric: n, value: 1}, arms: [a, b]}"), "claims.yaml:4:79: claims[0].test.at: reach chooses the steps; leave at out"},
		{"target of an exponent", claim("{kind: exponent, metric: m, below: 1, reach: {metric: n, value: 1}}"), "claims.yaml:4:93: claims[0].test.reach: an exponent is fitted over all recorded steps from one to another; leave reach out"},
		{"target of a trend", claim("{kind: trend, metric: m, direction: falls, reach: {metric: n, value: 1}}"), "claims.yaml:4:98: claims[0].test.reach: a trend is from one step to another; leave reach out"},
		{"window of an exponent", claim("{kind: exponent, metric: m, below: 1, window: 0.1}"), "claims.yaml:4:94: claims[0].test.window: an exponent is fitted over all recorded steps from one to another; leave window out"},
		{"no reason", claim("{kind: not-testable, reason: ' '}"), "claims.yaml:4:77: claims[0].test.reason: the reason is empty"},
	} {
		_, err := Decode("claims.yaml", []byte(test.text))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s:\n got %v\nwant %s", test.name, err, test.want)
		}
	}
}

// TestCheck reports arms that the scenario has not, and metrics that no arm of a claim
// records, each at its place.
func TestCheck(t *testing.T) {
	f, err := Decode("claims.yaml", []byte(`version: 1
# A comment.
claims:
  - {id: x, source: {where: w}, says: s, test: {kind: ordered, metric: m, arms: [epsilon=1, epsilon=non, other]}}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := `claims.yaml:4:93: claims[0].test.arms[1]: the scenario has no arm "epsilon=non"; did you mean "epsilon=none"?
claims.yaml:4:106: claims[0].test.arms[2]: the scenario has no arm "other"; it has epsilon=1, epsilon=none`
	if got := f.Check([]RecordedArm{{"epsilon=1", []string{"m"}}, {"epsilon=none", []string{"n"}}}); got == nil || got.Error() != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
	if line, ok := f.Line(document.Position{File: "claims.yaml", Line: 1, Column: 1}); !ok || line != "version: 1" {
		t.Errorf("line %q", line)
	}
	records := func(metric string) []RecordedArm {
		return []RecordedArm{{"epsilon=1", []string{metric}}, {"epsilon=non", nil}, {"other", nil}, {"more", []string{"m"}}}
	}
	if err := f.Check(records("m")); err != nil {
		t.Error(err)
	}
	want = `claims.yaml:4:72: claims[0].test.metric: no arm of the claim records "m"; they record regret`
	if got := f.Check(records("regret")); got == nil || got.Error() != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
}

// FuzzDecode: whatever the text, there are claims or a reason.
func FuzzDecode(f *testing.F) {
	f.Add("version: 1\n# A comment.\nclaims:\n  - {id: x, source: {where: w}, says: s, test: {kind: not-testable, reason: r}}\n")
	f.Add("version: 1\n# A comment.\nclaims:\n  - {id: x, source: {where: w}, says: s, test: {kind: at-most, metric: m, at: 3, bound: {value: 1}}}\n")
	f.Add("version: 1\n# A comment.\nquick: {a: 1}\nclaims:\n  - test: {kind: trend}\n")
	f.Add("claims: [null]\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Decode("claims.yaml", []byte(text))
		if (err == nil) != (file != nil) {
			t.Fatalf("%v, %v", file, err)
		}
		if err == nil {
			for _, c := range file.Claims {
				if c.Test == nil || c.ID == "" {
					t.Errorf("claim %+v", c)
				}
			}
			_ = file.Check(nil)
		}
	})
}
