package view

import (
	"slices"
	"testing"
)

// Of metrics that are recorded with windows, tables of last values have the metric itself; a metric
// whose name only looks like a window stays.
func TestWithoutWindows(t *testing.T) {
	names := []string{"consensus.error", "consensus.error.least", "consensus.error.mean", "consensus.error.most", "loss.mean"}
	if got := WithoutWindows(names); !slices.Equal(got, []string{"consensus.error", "loss.mean"}) || len(names) != 5 {
		t.Errorf("%q of %q", got, names)
	}
}
