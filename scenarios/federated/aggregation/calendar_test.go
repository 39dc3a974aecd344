package aggregation_test

import (
	"testing"

	"pgregory.net/rapid"

	"starling/scenarios/federated/aggregation"
)

// TestCalendarCountsRounds compares a calendar with a walk over its steps.
func TestCalendarCountsRounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sends := rapid.SliceOfN(rapid.Bool(), 1, 40).Draw(t, "sends")
		c := aggregation.NewCalendar(len(sends), func(step int) bool { return sends[step-1] })
		rounds, since, longest, first := 0, 0, 0, 1
		for step := 1; step <= len(sends); step++ {
			since++
			want := 0
			if sends[step-1] {
				if rounds++; rounds == 1 {
					first = step
				}
				want, since = since, 0
			}
			if round, there := c.Round(step); round != rounds || there != sends[step-1] || c.Has(step) != there {
				t.Fatalf("step %d: round %d, %v; want %d, %v", step, round, there, rounds, sends[step-1])
			}
			if got := c.Since(step); got != want {
				t.Fatalf("step %d: %d steps since the round before, want %d", step, got, want)
			}
			longest = max(longest, want)
		}
		if c.Rounds(len(sends)) != rounds || c.Longest() != longest || c.First() != first {
			t.Fatalf("%d rounds, the longest of %d steps, the first in step %d; want %d, %d, %d", c.Rounds(len(sends)), c.Longest(), c.First(), rounds, longest, first)
		}
	})
}

// TestNilCalendarHasEveryStep checks rounds without a schedule.
func TestNilCalendarHasEveryStep(t *testing.T) {
	var c *aggregation.Calendar
	for step := range 5 {
		if round, there := c.Round(step); round != step || there != (step > 0) {
			t.Errorf("step %d: round %d, %v", step, round, there)
		}
	}
	if c.Has(0) || !c.Has(1) || c.Since(3) != 1 || c.Rounds(7) != 7 || c.Longest() != 1 || c.First() != 1 {
		t.Error("a nil calendar has a round in every step")
	}
}
