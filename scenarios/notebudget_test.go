package scenarios_test

import (
	"strings"
	"testing"

	"starling/scenarios/study"
)

// theoryOf are the notes of the first arm by key, of a job that has not run.
func theoryOf(t *testing.T, s *study.Scenario) map[string]string {
	t.Helper()
	j, err := s.Arms[0].Algorithm.Job(s.Seeds.Base)
	if err != nil {
		t.Fatal(err)
	}
	notes, _ := s.Arms[0].Algorithm.Notes(j)
	all := map[string]string{}
	for _, n := range notes {
		all[n.Key] = n.Value
	}
	return all
}

// Theory that would take longer than a twentieth of the runs is left out, and says
// so; beside small runs, and beside as large ones under seeds enough, it is there.
func TestTheoryTakesLittleOfARun(t *testing.T) {
	const (
		ring  = "topology={kind: ring}"
		no    = "mechanism={kind: none}"
		fixed = "measure={every: 100, metrics: [regret.static]}" // so that no optimum of a round is found by the run
	)
	for _, test := range []struct {
		name     string
		s        *study.Scenario
		left     []string // notes that are left out
		computed []string
	}{
		{"contraction", loadScenario(t, "dpdonc-localization", "sweep=null"), nil, []string{"contraction", "trivial-bound", "theorem-2"}},
		{"contraction of many nodes", loadScenario(t, "dpdonc-localization", "sweep=null", ring, "nodes=256", "horizon=4096", "seeds.count=1", "measure.nodes=5"), []string{"theorem-2"}, []string{"theta"}},
		{"contraction of as many as seeds pay for", loadScenario(t, "dpdonc-localization", "sweep=null", ring, "nodes=40", "horizon=4096", "seeds.count=60", "measure.nodes=5"), nil, []string{"contraction", "theorem-2"}},
		{"bounds", loadText(t, ridge, no, fixed), nil, []string{"bound-constants", "bound-dynamic", "standing-still"}},
		{"bounds of much", loadText(t, ridge, no, fixed, "nodes=100", "horizon=18000", "seeds.count=1"), []string{"bound-dynamic", "bound-static", "standing-still"}, []string{"rate-dynamic", "rate-static"}},
		{"rounds", loadText(t, learning, no, fixed), nil, []string{"rounds"}},
		{"rounds of much", loadText(t, learning, no, fixed, "nodes=100", "horizon=18000", "seeds.count=1"), []string{"rounds"}, []string{"smoothness L"}},
	} {
		notes := theoryOf(t, test.s)
		for _, key := range test.left {
			if text := notes[key]; !strings.HasPrefix(text, "left out: it would take about ") || !strings.Contains(text, "over 5 % of the run's ") {
				t.Errorf("%s: %s is %q, want it left out", test.name, key, text)
			}
		}
		for _, key := range test.computed {
			if text := notes[key]; text == "" || strings.HasPrefix(text, "left out") {
				t.Errorf("%s: %s is %q, want it", test.name, key, text)
			}
		}
	}
}
