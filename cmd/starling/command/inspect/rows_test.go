package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"starling/scenarios/metric"
	"starling/scenarios/results/live"
	"starling/scenarios/results/runs"
	"starling/scenarios/results/tabular"
	"starling/scenarios/view"
)

// TestRunsFit has the table of runs in one piece on terminals of 80 and of 44 columns: it leaves
// out columns, and never scenario, differences, best arm and hash.
func TestRunsFit(t *testing.T) {
	table := tabular.Table{Header: []string{"scenario", "status", "differs in", "best arm", "epsilon", "when", "run", "tags", "note"}}
	for range 3 {
		table.Rows = append(table.Rows, []string{
			"compare-families-of-my-own", "complete", "mechanism.epsilon=0.25 seeds.base=1", "accuracy.test 0.838 central,epsilon=none", "inf", "3 min ago", "0123abcd", "paper, figure-2", "a longer note of a person",
		})
	}
	for _, width := range []int{44, 80, 400} {
		fit := fitting(table, width)
		var text bytes.Buffer
		if err := fit.WriteWithin(&text, width); err != nil {
			t.Fatal(err)
		}
		heads := 0
		for line := range strings.Lines(text.String()) {
			if strings.HasPrefix(line, "scenario ") {
				heads++
			}
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width && width >= 80 {
				t.Errorf("%d columns: a line of %d:\n%s", width, n, text.String())
			}
		}
		for _, name := range []string{"scenario", "differs in", "best arm", "run"} {
			if !strings.Contains(strings.Join(fit.Header, "|"), name) {
				t.Errorf("%d columns: no %s", width, name)
			}
		}
		if width >= 80 && heads != 1 {
			t.Errorf("%d columns: %d tables:\n%s", width, heads, text.String())
		}
		if width == 400 && len(fit.Header) != len(table.Header) {
			t.Errorf("columns are left out of a wide terminal: %q", fit.Header)
		}
	}
}

// TestRunsOfMetrics keeps the metric beside a value, and the run beside both, on terminals of 80 and of 44
// columns, and names the columns that are left out.
func TestRunsOfMetrics(t *testing.T) {
	var list []runRow
	for i, name := range []string{"loss.train", "regret.expected", "consensus.error"} {
		r := runRow{Run: runs.Run{Scenario: "dpdonc-localization", Hash: fmt.Sprintf("%012x", i), Status: runs.Complete}}
		r.Differs = map[string]string{"mechanism.epsilon": fmt.Sprint(i), "seeds.count": "4"}
		r.Headline = &view.Headline{Metric: name, Value: live.Float(100 + i), Epsilon: 3, Arm: "permutations,degree=3"}
		r.Arms = make([]runs.ArmValues, 2)
		list = append(list, r)
	}
	entries := []runs.Run{list[0].Run, list[1].Run, list[2].Run}
	keys := []string{"mechanism.epsilon", "seeds.count"}
	if got := fewest(entries, keys); len(got) != 1 {
		t.Errorf("keys %q, want the first of them, which tells the runs apart", got)
	}
	table := tableOfRuns(list, keys, "updated", time.Now())
	var wide, slim bytes.Buffer
	if err := errors.Join(writeFitting(&wide, table, 80), writeNarrow(&slim, table, 44)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"regret.expected +101 +00000000", "80 columns have no room for: .*epsilon"} {
		if !regexp.MustCompile(want).MatchString(wide.String()) {
			t.Errorf("no %q in\n%s", want, &wide)
		}
	}
	for _, want := range []string{"(?m)^00000000  dpdonc-localization, complete,", "permutations,degree=3:\n? *regret.expected\\s+101, ε = 3"} {
		if !regexp.MustCompile(want).MatchString(slim.String()) {
			t.Errorf("no %q in\n%s", want, &slim)
		}
	}
	if !crowded(table, 80) || crowded(table, 0) || crowded(table, table.Width()) {
		t.Error("runs have lines of their own where a terminal has no room for their columns, and nowhere else")
	}
	for line := range strings.Lines(slim.String()) {
		if utf8.RuneCountInString(line) > 45 && strings.HasPrefix(line, "0") {
			t.Errorf("a line of more than 44 columns: %s", line)
		}
	}
}

// TestPrivateArms names the best arm with a bounded loss beside a best arm without one, and says of a run without a
// headline that its arms are not ranked.
func TestPrivateArms(t *testing.T) {
	list := []runRow{{Run: runs.Run{Scenario: "a", Hash: "0123456789ab", Status: runs.Complete}}, {Run: runs.Run{Scenario: "b", Hash: "1123456789ab", Status: runs.Complete}}}
	list[0].Headline = &view.Headline{Metric: "loss.train", Arm: "none", Value: 1, Unbounded: true, Private: &view.PrivateArm{Arm: "weak", Value: 12622.4, Epsilon: 2}}
	list[0].Arms = make([]runs.ArmValues, 2)
	var text bytes.Buffer
	if err := writeNarrow(&text, tableOfRuns(list, nil, "updated", time.Now()), 100); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"none: loss.train 1, ε = ∞; private: weak: 12622 (epsilon 2)", "\n +arms are not ranked: no metric of quality"} {
		if !regexp.MustCompile(strings.NewReplacer("(", "\\(", ")", "\\)").Replace(want)).MatchString(text.String()) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
}

// TestFolded leaves out the last columns of a table of many arms, and has a line for each arm.
func TestFolded(t *testing.T) {
	table := tabular.Table{Header: []string{"arm", "accuracy on the data of the round", "epsilon so far", "mean loss", "squared norm"}}
	for i := range 9 {
		table.Rows = append(table.Rows, []string{fmt.Sprintf("independent, ε = 0.5, local step = 0.00%d", i), "0.54 ± 0.51", "0.276589", "0.692 ± 0.030", "9884 ± 760"})
	}
	rest, left := folded(table, 80)
	if strings.Join(left, "|") != "squared norm" {
		t.Errorf("left out: %q", left)
	}
	var text strings.Builder
	if err := rest.WriteWithin(&text, 80); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), "\n"); n > 9+4 || !strings.Contains(text.String(), "\nindependent, ε = 0.5, local step = 0.003  ") {
		t.Errorf("%d lines of 9 arms:\n%s", n, &text)
	}
	if _, left := folded(table, 0); len(left) > 0 {
		t.Errorf("a file has all columns, not without %q", left)
	}
}

// TestGroups has a row for each scenario of many runs, with spans of numbers, other states than
// complete, and the best headline.
func TestGroups(t *testing.T) {
	var list []runRow
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	for i := range 50 {
		r := runRow{Run: runs.Run{Scenario: "a", Hash: fmt.Sprintf("%012x", i), Status: runs.Complete, Updated: now.Add(-time.Duration(i) * time.Minute)}}
		r.Differs = map[string]string{"seeds.base": fmt.Sprint(i + 1), "topology.kind": []string{"ring", "star"}[i%2]}
		r.Headline = &view.Headline{Metric: "loss", Better: metric.LowerIsBetter, Value: live.Float(100 - i)}
		if i == 7 {
			r.Scenario, r.Status, r.Headline, r.Differs = "b", runs.Failed, nil, nil
		}
		list = append(list, r)
	}
	var text bytes.Buffer
	if err := writeGroups(&text, grouped(list), now); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\na +49 +base=1..50, topology=ring\\|star +loss 51 +.* 00000000\n", "\nb +1 +1 failed +.* 00000000\n", "\n50 runs of 2 scenarios; --all lists each",
	} {
		if !regexp.MustCompile(want).MatchString(text.String()) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
}

// TestBestOfGroup takes the best of the runs that compare with the latest one, as the page does.
func TestBestOfGroup(t *testing.T) {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	run := func(minute int, horizon string, value float64) runRow {
		return runRow{Run: runs.Run{Updated: now.Add(time.Duration(minute) * time.Minute), Differs: map[string]string{"horizon": horizon}},
			Headline: &view.Headline{Metric: "loss", Better: metric.LowerIsBetter, Value: live.Float(value)}}
	}
	for _, test := range []struct {
		rows []runRow
		want string
	}{
		{[]runRow{run(0, "12", 1), run(1, "120", 8), run(2, "120", 9)}, "loss 8, of 2 at horizon 120"},
		{[]runRow{run(0, "12", 1), run(1, "120", 8)}, ""}, // none compares with the latest
		{[]runRow{{}}, ""},
	} {
		g := groupOf{rows: test.rows}
		if got := g.best(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
