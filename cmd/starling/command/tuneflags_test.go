package command

import (
	"strings"
	"testing"

	"starling/scenarios/study"
)

// TestFlagLines has the command of one choice, and the flags of several, arms of equal choices together.
func TestFlagLines(t *testing.T) {
	keys := []string{"algorithm.step", "mechanism.clip"}
	one := flagLines("my.yaml", keys, []study.TunedChoice{{Arm: "a", Values: []string{"0.1", "2"}}})
	if got, want := strings.Join(one, "|"), "starling run my.yaml --set tune=null --set algorithm.step=0.1 --set mechanism.clip=2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	several := flagLines("my.yaml", keys[:1], []study.TunedChoice{{Arm: "a", Values: []string{"0.1"}}, {Arm: "b", Values: []string{"1"}}, {Arm: "c", Values: []string{"0.1"}}})
	if got, want := strings.Join(several, "|"), "a; c: --set algorithm.step=0.1|b: --set algorithm.step=1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
