package claim

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// expectedOf writes and reads the verdicts of reports.
func expectedOf(t *testing.T, reports []Report) *Expected {
	t.Helper()
	var text bytes.Buffer
	if err := NewExpected(reports, true).Write(&text); err != nil {
		t.Fatal(err)
	}
	e, err := DecodeExpected("expected.yaml", text.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	return e
}

// TestCompare: verdicts that were written are as expected; each one that has
// changed, come or gone is named, and so is a scenario without expected verdicts.
func TestCompare(t *testing.T) {
	reports := testReports(t)
	e := expectedOf(t, reports)
	if got := e.Compare(reports, true); got.Same != 6 || len(got.Changes)+len(got.Skipped) > 0 || !e.Quick {
		t.Errorf("%+v", got)
	}
	e.Scenarios[0].Claims[0].Verdict = DoesNotHold
	e.Scenarios[0].Claims[1].ID = "gone"
	e.Scenarios[1].Name = "older"
	changes := []string{
		"first, claim grows: holds, expected does not hold",
		"first, claim bounded: does not hold, expected nothing",
		"first, claim gone: there is no such claim, expected does not hold",
	}
	if diff := cmp.Diff(Comparison{Same: 1, Changes: changes, Unknown: []string{"second"}}, e.Compare(reports, false)); diff != "" {
		t.Errorf("part of the library (-want +got)\n%s", diff)
	}
	changes = append(changes, "older: verdicts are expected, and it has no claims")
	if diff := cmp.Diff(Comparison{Same: 1, Changes: changes, Unknown: []string{"second"}}, e.Compare(reports, true)); diff != "" {
		t.Errorf("the whole library (-want +got)\n%s", diff)
	}
}

// TestNotRun: a scenario without its data is not compared, and what is expected
// of it stays when verdicts are written; a scenario that is gone does not.
func TestNotRun(t *testing.T) {
	reports := testReports(t)
	older := expectedOf(t, reports)
	older.Scenarios = append(older.Scenarios, ExpectedScenario{Name: "gone"})
	reports[0].Dir = ""
	c := older.Compare(reports, false)
	if c.Same != 3 || len(c.Changes) > 0 || !slices.Equal(c.Skipped, []string{"first"}) {
		t.Errorf("%+v", c)
	}
	e := NewExpected(reports, true)
	if kept := e.Keep(older, []string{"first", "second"}); !slices.Equal(kept, []string{"first"}) {
		t.Errorf("kept %v", kept)
	}
	if diff := cmp.Diff(older.Scenarios[:2], e.Scenarios); diff != "" {
		t.Error(diff)
	}
}

// TestExpectedRefuses: what is no file of verdicts is refused at its place.
func TestExpectedRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"version: 1\nquick: true\n":                               `missing required key "verdicts"`,
		"version: 2\nquick: true\nverdicts: {a: {b: holds}}\n":    "e.yaml:1:10: version: version 2; this build reads version 1",
		"version: 1\nquick: true\nverdicts: {a: {b: held}}\n":     "e.yaml:3:19: verdicts.a.b: unknown verdict held; known: holds, partly, does not hold, undecided, not testable",
		"version: 1\nquick: true\nverdicts: [a]\n":                "expected a mapping from scenarios to verdicts, got [a]",
		"version: 1\nquick: true\nverdicts:\n  a: 3\n":            "e.yaml:4:6: verdicts.a: expected a mapping from claims to verdicts, got 3",
		"version: 1\nquick: true\nverdicts: {}\nmore: 1\n":        `unknown key`,
		"version: 1\nquick: true\nverdicts: {a: {}, a: {}}\n":     "e.yaml:3:19",
		"version: 1\nquick: true\nverdicts: {a: {b: [partly]}}\n": "unknown verdict [partly]",
	} {
		if _, err := DecodeExpected("e.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
