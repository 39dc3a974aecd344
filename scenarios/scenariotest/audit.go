package scenariotest

import (
	"testing"

	"starling/scenarios/auditing"
	"starling/scenarios/study"
)

// AuditOptions are those of an audit at a confidence at which no test fails by chance.
func AuditOptions(samples int) auditing.Options {
	return auditing.Options{Samples: samples, Confidence: 0.999, Noise: 1}
}

// AuditIn audits a scenario. It runs every audited arm and may take seconds; the samples
// of the options decide that.
func AuditIn(t testing.TB, s *study.Scenario, o auditing.Options) []auditing.Audited {
	t.Helper()
	found, err := auditing.Audit(s, t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
