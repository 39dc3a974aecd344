package federated_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/results"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// TestArmsShareAProtocol: arms that differ in noise have one protocol in a seed, and arms that differ in timers,
// speeds, messages or local steps have not, nor have clients with a state. Values are those of each arm
// by itself, whose only job keeps nothing.
func TestArmsShareAProtocol(t *testing.T) {
	changes := []string{
		"seeds.count=1", "mechanism.sigma=2", "algorithm.apart=2", "algorithm.times=2", "clock.jitter=0.2",
		"algorithm.tau=3", "algorithm.batch=2", "problem.dimension=6", "algorithm.kind=dp-scaffold",
	}
	want := []string{"[0 1]", "[2]", "[3]", "[4]", "[5]", "[6]", "[7]"}
	var arms strings.Builder
	for i, change := range changes {
		key, value, _ := strings.Cut(change, "=")
		if i == 0 {
			key, value = "mechanism.sigma", "0.7"
		}
		fmt.Fprintf(&arms, "    - {name: %q, set: {%s: %s}}\n", fmt.Sprint(i), key, value)
	}
	text := checkInText + "sweep:\n  list:\n" + arms.String()
	keys := map[any][]int{}
	for i, arm := range scenariotest.LoadText(t, text).Arms {
		for _, need := range study.NeedsOf(arm, 1) {
			if !need.Alone {
				keys[need.Key] = append(keys[need.Key], i)
			}
		}
	}
	var sharing []string
	for _, arms := range keys {
		sharing = append(sharing, fmt.Sprint(arms))
	}
	if slices.Sort(sharing); !slices.Equal(sharing, want) {
		t.Errorf("arms that share a protocol: %v, want %v", sharing, want)
	}
	rows := scenariotest.MeasuredIn(t, text).Rows
	for i, change := range changes[:3] {
		alone := scenariotest.MeasuredIn(t, checkInText, change).Rows
		var together []results.Row
		for _, row := range rows {
			if row.Arm == fmt.Sprint(i) {
				together = append(together, row)
			}
		}
		for _, metric := range []string{"time.elapsed", "time.wasted", "clients.unique", "loss.train"} {
			if a, b := scenariotest.ValuesOf(together, metric), scenariotest.ValuesOf(alone, metric); len(a) != 8 || !slices.Equal(a, b) {
				t.Errorf("%s, %s: %v beside others, %v by itself", change, metric, a, b)
			}
		}
	}
}
