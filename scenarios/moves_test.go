package scenarios_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"starling/scenarios"

	"starling/scenarios/document"
	"starling/scenarios/runner"
)

// Moves are measured where they are asked for, by any engine alike, and change
// nothing else.
func TestMovesAreMeasuredWhenAskedFor(t *testing.T) {
	plain := metricsOf(t, loadText(t, base), runner.RunOptions{Engine: runner.Lockstep}).Rows
	for _, engine := range []runner.Engine{runner.Lockstep, runner.Actors} {
		var rest, moves []string
		for _, row := range metricsOf(t, loadText(t, base, "measure.moves=true"), runner.RunOptions{Engine: engine}).Rows {
			text := fmt.Sprint(row.Arm, row.Seed, row.Step, row.Metric, row.Value)
			if row.Metric == "move.largest" || row.Metric == "move.excess" {
				moves = append(moves, text)
				continue
			}
			rest = append(rest, text)
		}
		var want []string
		for _, row := range plain {
			want = append(want, fmt.Sprint(row.Arm, row.Seed, row.Step, row.Metric, row.Value))
		}
		if fmt.Sprint(rest) != fmt.Sprint(want) {
			t.Errorf("%s: the other metrics changed", engine)
		}
		if len(moves) != 2*2*12 {
			t.Errorf("%s: %d values of moves, want 2 metrics under 2 seeds at 12 steps", engine, len(moves))
		}
	}
}

func TestMovesOfAFamilyWithoutAny(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte(learning), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := scenarios.Load(file, parseSets(t, "measure.moves=true")...)
	var input *document.InputError
	const want = "--set measure.moves:1:1: measure.moves: this arm takes no mirror steps; dpdonc does"
	if !errors.As(err, &input) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
