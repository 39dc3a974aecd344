package command

import (
	"slices"
	"strings"
	"testing"

	"starling/scenarios/study"
)

// TestArmFlags has the flags of arms, arms of equal choices together.
func TestArmFlags(t *testing.T) {
	chosen := []study.TunedChoice{{Arm: "a"}, {Arm: "b"}, {Arm: "c"}}
	settings := [][]study.Setting{{{Path: "algorithm.step", Text: "0.1"}}, {{Path: "algorithm.step", Text: "1"}}, {{Path: "algorithm.step", Text: "0.1"}}}
	got, want := strings.Join(armFlags(flagged(chosen, settings)), "|"), "a, c: --set algorithm.step=0.1|b: --set algorithm.step=1"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestShownTrials has the best trials, and the worst where there is room for three.
func TestShownTrials(t *testing.T) {
	for _, test := range []struct {
		trials, most int
		want         []int
	}{{3, 12, []int{0, 1, 2}}, {9, 4, []int{0, 1, 2, 8}}, {9, 2, []int{0, 1}}, {4, 4, []int{0, 1, 2, 3}}, {0, 3, nil}} {
		if got := shownTrials(test.trials, test.most); !slices.Equal(got, test.want) {
			t.Errorf("%d trials, %d rows: %v, want %v", test.trials, test.most, got, test.want)
		}
	}
}
