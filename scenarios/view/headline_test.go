package view

import (
	"testing"
)

// TestLed has the best choice of arms by two keys in place of the best arm, and the best private arm only where the choice
// has no bound on its loss.
func TestLed(t *testing.T) {
	private := &PrivateArm{Arm: "private", Value: 4, Epsilon: 1}
	plain := Headline{Arm: "best", Value: 1, Unbounded: true, Private: private}
	if led := plain.Led(); led != plain {
		t.Errorf("without a choice %+v, want %+v", led, plain)
	}
	unbounded, bounded := plain, plain
	unbounded.Choice = &BestChoice{Name: "mean and median", Under: 2, Columns: 5, Arm: "mean,none", Value: 2, Unbounded: true}
	bounded.Choice = &BestChoice{Name: "tree", Under: 1, Columns: 2, Arm: "tree,1", Value: 3, Epsilon: 2}
	if led := unbounded.Led(); led.Arm != "mean,none" || led.Value != 2 || led.Private != private {
		t.Errorf("%+v", led)
	}
	if led := bounded.Led(); led.Arm != "tree,1" || led.Epsilon != 2 || led.Unbounded || led.Private != nil {
		t.Errorf("%+v", led)
	}
	if got, want := unbounded.Choice.Text(), "mean and median (2 of 5)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
