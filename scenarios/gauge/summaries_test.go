package gauge

import (
	"strings"
	"testing"
)

// TestSummariesOfOwners checks that derived summaries are sentences that begin with the statistic.
func TestSummariesOfOwners(t *testing.T) {
	for _, m := range OwnerMetrics() {
		if strings.Contains(m.Summary, "; ") || !strings.HasSuffix(m.Summary, ". Recorded where measure.by is given") || strings.Count(m.Summary, "alue of a participant: ") != 1 {
			t.Errorf("%s: %s", m.Name, m.Summary)
		}
	}
	for i := range statistics {
		if s := &statistics[i]; s.name == gini {
			if got, want := s.sentence(), "the Gini coefficient over the participants. It is 0 where all are equal, undefined where some are infinite"; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
}
