package pyalgorithm_test

import (
	"slices"
	"strings"
	"testing"

	"starling/scenarios/auditing"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// Runs of an audit that ask together have the outcomes of runs that are made one after the
// other, to the last bit, in both forms.
func TestAuditTogether(t *testing.T) {
	testneeds.Slow(t)
	for _, class := range []string{"One", "All"} {
		s, err := load(t, everything, class, "mechanism={kind: laplace, epsilon: 1}")
		if err != nil {
			t.Fatal(err)
		}
		for _, subject := range scenariotest.AuditRuns(t, s) {
			wantA, wantB := scenariotest.Outcomes(t, subject, 6, false)
			gotA, gotB := scenariotest.Outcomes(t, subject, 6, true)
			if !slices.Equal(gotA, wantA) || !slices.Equal(gotB, wantB) || slices.Equal(wantA, wantB) {
				t.Errorf("%s: together %v, %v, one after the other %v, %v", class, gotA, gotB, wantA, wantB)
			}
		}
	}
}

// A class that fails in some runs of an audit fails the audit, and says where; those that have
// asked with it do not wait.
func TestAuditFails(t *testing.T) {
	testneeds.Slow(t)
	s, err := load(t, strings.Replace(everything, "        h = yield", "        if turn.step == 2 and turn.random.random() < 0.01: raise ValueError('unlucky')\n        h = yield", 1), "One", "mechanism={kind: laplace, epsilon: 1}")
	if err != nil {
		t.Fatal(err)
	}
	_, err = auditing.Audit(s, t.Context(), scenariotest.AuditOptions(auditing.FewestAudited))
	if err == nil || !strings.Contains(err.Error(), "ValueError: unlucky, of node ") || !strings.Contains(err.Error(), "step 2, node ") {
		t.Error(err)
	}
}
