package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios/results"
	"starling/scenarios/view"
)

// TestFigureOfFinding names the figure of a finding of many arms, or the verb that draws it, and none of few arms.
func TestFigureOfFinding(t *testing.T) {
	run := &results.Run{Dir: t.TempDir()}
	many := &view.Finding{Rows: make([]view.FindingRow, view.BriefArms+1)}
	if got := figureOf(run, many); !strings.HasPrefix(got, "Figure: starling plot ") {
		t.Errorf("without a figure: %q", got)
	}
	file := filepath.Join(run.Dir, "plots", "dots.png")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := figureOf(run, many); got != "Figure: "+file {
		t.Errorf("with a figure: %q", got)
	}
	if got := figureOf(run, &view.Finding{Rows: many.Rows[:2]}); got != "" {
		t.Errorf("of two arms: %q", got)
	}
}
