package scenarios_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/runner"
)

// A figure has a dot for each participant: x and y are their metrics.
func TestDotsOfParticipants(t *testing.T) {
	s := loadText(t, base, "measure={by: node}", "plots=[{name: dots, y: loss.participant, x: epsilon.participant}]", "seeds.count=1")
	o := drawnIn(t, s, runner.RunOptions{})
	entries, err := os.ReadDir(filepath.Join(o.Dir, "plots"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), ".json"); ok {
			names = append(names, name)
		}
	}
	if want := []string{"dots", "participants", "quantiles-epsilon", "quantiles-loss"}; !slices.Equal(names, want) {
		t.Errorf("figures %v, want %v", names, want)
	}
	for plot, want := range map[string]string{
		"{name: a, y: loss.participant, x: epsilon.participant, by: node}": "are metrics of nodes, each of which has a dot; leave this out",
		"{name: a, y: loss.participant, x: messages.sent}":                 "y: loss.participant is a metric of nodes; it needs by: node",
		"{name: a, y: loss.participant, by: node, x: messages.sent}":       "metrics of nodes are shown over steps, a swept key or another metric of nodes",
	} {
		if _, err := loadError(t, base, "measure={by: node}", "plots=["+plot+"]"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", plot, err, want)
		}
	}
}
