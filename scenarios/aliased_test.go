package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"starling/scenarios/results"
	"starling/scenarios/runner"
)

// aliased returns the warnings on records that seem to have a period.
func aliased(list []results.Warning) []results.Warning {
	return slices.DeleteFunc(slices.Clone(list), func(w results.Warning) bool { return w.Code != "aliased" })
}

// Records of graphs that repeat every 3 steps are warned of before a run and in its results, where
// they show another period at least twice in a metric of single steps.
func TestAliasedRecords(t *testing.T) {
	const printed = "topology={kind: printed}"
	for _, test := range []struct {
		sets string
		want bool
	}{
		{"measure.every=5", true},
		{"measure.every=2", true},
		{"measure.every=3", false},
		{"measure.every=6", false},
		{"measure.every=1", false},
		{"measure={every: 5, metrics: [regret.*]}", false},
		{"measure={every: 5, metrics: [target.error, consensus.error]}", true},
		{"measure.every=20", false}, // 60 steps come once
	} {
		s := loadText(t, base, printed, "nodes=6", "horizon=60", test.sets, "seeds.count=1")
		list := aliased(s.Remarks)
		if (len(list) > 0) != test.want {
			t.Errorf("%s: warnings %v", test.sets, list)
		}
		if test.sets == "measure.every=5" {
			want := "records every 5 steps of graphs that repeat every 3: metrics of single steps, such as consensus.error, seem to repeat every 15; set measure.every to 3 or 6, or measure.window"
			if len(list) != 1 || !strings.HasPrefix(list[0].Message, want) {
				t.Errorf("%v, want %s", list, want)
			}
			if said := aliased(runIn(t, s, runner.RunOptions{}).Manifest.Warnings); len(said) != 1 {
				t.Errorf("the run says %v", said)
			}
		}
	}
	for y, want := range map[string]bool{"regret.run": false, "consensus.error": true} {
		s := loadText(t, base, printed, "nodes=6", "horizon=60", "measure.every=5", "plots=[{name: one, y: "+y+"}]")
		if got := len(aliased(s.Remarks)) > 0; got != want {
			t.Errorf("a figure of %s: warned %v", y, got)
		}
	}
	if list := aliased(loadText(t, base, "horizon=60", "measure.every=5").Remarks); len(list) > 0 {
		t.Errorf("a graph that stays: %v", list)
	}
}
