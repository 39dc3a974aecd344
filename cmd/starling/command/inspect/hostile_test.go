package inspect

import (
	"strings"
	"testing"
	"unicode"

	"starling/scenarios/results/live"
	"starling/scenarios/results/runs"
)

// TestHostilePicture draws a run whose files have control characters wherever they can have some.
func TestHostilePicture(t *testing.T) {
	const evil = "x\x1b]0;owned\a"
	now := &live.Run{
		Work: evil, Host: evil, Arms: []live.ArmProgress{{Name: evil, Horizon: 3}},
		Warnings: []live.Warning{{Arm: evil, Message: evil}},
		Curves:   []live.Curve{{Metric: evil, Arm: evil, Steps: []int64{1}, Mean: []live.Float{1}, SE: []live.Float{1}, N: []int{2}}},
	}
	r := &runs.Run{Dir: evil, Scenario: evil, Hash: evil, Status: runs.Running, Reason: evil, Parts: []runs.Part{{Name: evil, Status: runs.Failed}}}
	for _, width := range []int{0, 80} {
		for _, now := range []*live.Run{nil, now} {
			text := strings.Join(picture(r, now, nil, width, 0, false), "\n")
			if strings.ContainsFunc(text, func(c rune) bool { return unicode.IsControl(c) && c != '\n' }) {
				t.Errorf("a terminal obeys %q", text)
			}
			if want := "x\ufffd]0;owned\ufffd"; !strings.Contains(text, want) {
				t.Errorf("no %q in %q", want, text)
			}
		}
	}
}
