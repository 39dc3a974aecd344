package claim

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the reports in testdata")

// testReports are two runs, one of them reduced, with every verdict and state.
func testReports(t *testing.T) []Report {
	d := derivedData(t, byArm{"a": around(10, 1, 8), "b": around(20, 1, 8), "c": {5, math.Inf(1)}}, note("a", "bound", "12"), note("b", "bound", "12"), note("c", "bound", "undefined"))
	claims := []struct{ id, says, remark, caution, test string }{
		{"grows", "From a to b it grows.", "never shown", "", "{kind: ordered, metric: m, arms: [a, b]}"},
		{"bounded", "No arm exceeds the bound that the theorem, as it is printed, has for it: a sentence that needs two lines.", "The theorem is wrong | here <b>.", "Small numbers.", "{kind: at-most, metric: m, bound: {note: bound}}"},
		{"falls", "From a to b it falls.", "It grows.", "", "{kind: ordered, metric: m, arms: [b, a]}"},
		{"derived", "The bound is 12.", "", "", "{kind: at-most, note: bound, arms: [a, b], bound: {value: 12}}"},
		{"infinite", "The last arm is small.", "", "", "{kind: at-most, metric: m, arms: [c], bound: {value: 1}}"},
		{"elsewhere", "Nobody can know.", "", "", "{kind: not-testable, reason: nothing is recorded of it}"},
	}
	reports := []Report{
		{
			Scenario: "first", Description: "Hand-made numbers", Paper: "A and B, Paper", Dir: "results/first/0123456789ab",
			Plots: []string{"consensus", "regret"}, Digest: "00ff", Seeds: 8, Horizon: 10,
		},
		{
			Scenario: "second", Description: "The same, smaller", Paper: "A and B, Paper", Dir: "results/second/ba9876543210",
			Digest: "ff00", Seeds: 1, Horizon: 5, Reduced: []Setting{{Path: "seeds.count", Text: "1"}, {Path: "horizon", Text: "5"}},
		},
	}
	for i, c := range claims {
		decision := decided(t, d, c.test)
		decision.Claim.ID, decision.Claim.Where, decision.Claim.Says = c.id, "section 5", c.says
		decision.Claim.Remark, decision.Claim.Caution = c.remark, c.caution
		of := &reports[i*len(reports)/len(claims)]
		of.Decisions = append(of.Decisions, decision)
	}
	return reports
}

// TestReports compares with reports that a person has read. Lines of the table
// fit a terminal.
func TestReports(t *testing.T) {
	reports := testReports(t)
	for name, write := range map[string]func(io.Writer, []Report) error{
		"report.txt": WriteText, "report.md": WriteMarkdown, "report.json": WriteJSON,
	} {
		var got bytes.Buffer
		if err := write(&got, reports); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		if name != "report.txt" {
			continue
		}
		for line := range strings.Lines(got.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > textWidth {
				t.Errorf("a line of %d: %s", n, line)
			}
		}
	}
}

// TestJSONHasNoInfinities: what is infinite or has no interval is null.
func TestJSONHasNoInfinities(t *testing.T) {
	var text bytes.Buffer
	if err := WriteJSON(&text, testReports(t)); err != nil {
		t.Fatal(err)
	}
	var reports []struct {
		Claims []struct {
			ID    string
			Parts []struct {
				Value *float64
				Low   *float64 `json:"interval_low"`
			}
		}
	}
	if err := json.Unmarshal(text.Bytes(), &reports); err != nil {
		t.Fatal(err)
	}
	infinite := reports[1].Claims[1]
	if infinite.ID != "infinite" || infinite.Parts[0].Value != nil || infinite.Parts[0].Low != nil {
		t.Errorf("%+v", infinite)
	}
	grows := reports[0].Claims[0]
	if grows.Parts[0].Value == nil || *grows.Parts[0].Value != 10 {
		t.Errorf("%+v", grows)
	}
}
