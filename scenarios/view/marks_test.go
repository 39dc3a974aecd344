package view

import (
	"strings"
	"testing"

	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
)

// A cell has the mark of its arm by the metric, or room for one; nothing where there are
// no marks.
func TestMarks(t *testing.T) {
	m := marks{seeds: 6, of: map[string][]comparison.Tested{"loss": {{Best: "a", Alike: []string{"c"}}}}}
	for _, test := range []struct{ cell, metric, arm, want string }{
		{"1", "loss", "a", "1 *"}, {"1", "loss", "b", "1  "}, {"1", "loss", "c", "1 ~"}, {"1", "bytes", "a", "1  "}, {"", "loss", "a", ""},
	} {
		if got := m.on(test.cell, test.metric, test.arm); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
	if text := m.text(); !strings.Contains(text, "paired t-test, 6 seeds, Holm, p > 0.05") {
		t.Error(text)
	}
	if few := (&marks{seeds: 3, few: comparison.TooFew(3)}).text(); few != "3 seeds are too few for tests: 5 would do" {
		t.Error(few)
	}
	var none marks
	if none.on("1", "loss", "a") != "1" || none.text() != "" {
		t.Error("no marks leave a mark")
	}
}

// Arms that learn different things, or among other adversaries, are not ranked; other decisions,
// or other noise, do not change the setting.
func TestSettings(t *testing.T) {
	for path, want := range map[string]bool{"problem": true, "problem.dimension": true, "problem.set": false, "problem.set.radius": false, "mechanism.epsilon": false, "algorithm": false, "adversaries.kind": true, "network": true} {
		if len(SettingValues(results.ArmEntry{Values: []results.Value{{Path: path}}}, nil)) > 0 != want {
			t.Errorf("%s: want %v", path, want)
		}
	}
}
