package show

import (
	"strings"
	"testing"

	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
)

// A cell has the mark of its arm by the metric, or room for one; nothing where there are
// no marks.
func TestMarks(t *testing.T) {
	m := Marks{seeds: 6, of: map[string]comparison.Tested{"loss": {Best: "a", Alike: []string{"c"}}}}
	for _, test := range []struct{ cell, metric, arm, want string }{
		{"1", "loss", "a", "1 *"}, {"1", "loss", "b", "1  "}, {"1", "loss", "c", "1 ~"}, {"1", "bytes", "a", "1  "}, {"", "loss", "a", ""},
	} {
		if got := m.on(test.cell, test.metric, test.arm); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
	if text := m.Text(); !strings.Contains(text, "6 seeds at 0.05, corrected by Bonferroni's method for all pairs") {
		t.Error(text)
	}
	var none Marks
	if none.on("1", "loss", "a") != "1" || none.Text() != "" {
		t.Error("no marks leave a mark")
	}
}

// Arms that learn different things are not ranked; other decisions, or other noise, do
// not change what is learned.
func TestChangesProblem(t *testing.T) {
	for path, want := range map[string]bool{"problem": true, "problem.dimension": true, "problem.set": false, "problem.set.radius": false, "mechanism.epsilon": false, "algorithm": false} {
		if changesProblem(results.Arm{Values: []results.Value{{Path: path}}}) != want {
			t.Errorf("%s: want %v", path, want)
		}
	}
}

// Arms that budgets stopped apart are compared at the last step that all have before the
// first of them stopped; others are not moved.
func TestComparedAt(t *testing.T) {
	at := func(step int64) *int64 { return &step }
	steps := map[string][]int64{"a": {2, 4, 6, 8}, "b": {1, 2, 3, 4, 5, 6}, "c": {2, 4, 6}}
	for _, test := range []struct {
		name string
		a, b *int64
		step int64
		ok   bool
	}{
		{"nobody stopped", nil, nil, 0, false},
		{"all stopped at once", at(5), at(5), 0, false},
		{"one stopped", at(5), nil, 4, true},
		{"both stopped", at(7), at(4), 2, true},
		{"before the first record", nil, at(2), 0, false},
	} {
		c := (*int64)(nil)
		if test.name == "all stopped at once" {
			c = at(5)
		}
		arms := []results.Arm{{Name: "a", StoppedAt: test.a}, {Name: "b", StoppedAt: test.b}, {Name: "c", StoppedAt: c}}
		step, ok := comparedAt(arms, func(arm string) []int64 { return steps[arm] })
		if step != test.step || ok != test.ok {
			t.Errorf("%s: %d, %v", test.name, step, ok)
		}
	}
}
