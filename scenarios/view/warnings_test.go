package view

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/results"
)

// TestWarningLines checks that warnings that differ in seed, observer and
// numbers alone are one line, and nothing else is.
func TestWarningLines(t *testing.T) {
	m := results.Manifest{Seeds: results.Seeds{Base: 1, Count: 20}, Arms: []results.ArmEntry{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}}}
	add := func(code, arm, format string, values ...any) {
		m.Warnings = append(m.Warnings, results.Warning{Code: code, Arm: arm, Message: fmt.Sprintf(format, values...)})
	}
	add("not-private", "a", "this arm runs without noise")
	for seed := 1; seed <= 20; seed++ {
		for _, observer := range []string{"wire", "server", "public"} {
			add("ledger", "a", "seed %d: payloads of 3 units from 2 on were sent where %s sees", seed, observer)
		}
	}
	for seed := 4; seed <= 6; seed++ {
		for node := 1; node <= seed; node++ {
			add("ended", "b", "seed %d: node %d ended its part at step %d: over 2.5", seed, node, 10*seed)
		}
		add("ended", "b", "seed %d: 2 of 6 nodes ended their part at step 7: over 2.5", seed)
		add("ended", "c", "seed %d: server %d ended its part at step 7: over 2.5", seed, 3+seed)
	}
	for _, arm := range []string{"a", "b", "c", "d", "e"} {
		add("data", arm, "a subset")
	}
	for _, arm := range []string{"a", "b"} {
		add("costs", arm, "messages cost 2.5")
	}
	add("costs", "c", "messages cost 3.5") // no seed, so another thing
	for _, arm := range []string{"a", "b", "c", "d"} {
		add("costs", arm, "the server sees 1")
	}
	lines, more := WarningLines(m.Warnings, m.Seeds.Count, len(m.Arms))
	want := []string{
		"a: this arm runs without noise",
		"a: payloads of 3 units from 2 on were sent where wire, server and public see (in 20 of 20 seeds)",
		"b: nodes 1 to 6 ended their part at steps 40, 50 and 60: over 2.5 (in 3 of 20 seeds)",
		"b: 2 of 6 nodes ended their part at step 7: over 2.5 (in 3 of 20 seeds)",
		"c: servers 7, 8 and 9 ended their part at step 7: over 2.5 (in 3 of 20 seeds)",
		"all 5 arms: a subset",
		"a and b: messages cost 2.5",
		"c: messages cost 3.5",
		"a, b and 2 other arms: the server sees 1",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want := "94 cases of these in all; manifest.json has each"; more != want {
		t.Errorf("%q, want %q", more, want)
	}
	m.Warnings, m.Arms = m.Warnings[:1], m.Arms[:1]
	if lines, more := WarningLines(m.Warnings, m.Seeds.Count, len(m.Arms)); len(lines) != 1 || lines[0] != "this arm runs without noise" || more != "" {
		t.Errorf("of one arm: %q, %q", lines, more)
	}
}

// TestFactLines checks that a line is of a fact or of a warning, and that the number of warnings leaves
// facts out.
func TestFactLines(t *testing.T) {
	warnings := []results.Warning{
		{Code: "adversaries", Arm: "a", Message: "Node 2 (1 of 6) is Byzantine (silent)."},
		{Code: "noise", Arm: "a", Message: "expect no learning"},
		{Code: "stopped", Arm: "b", Message: "seed 1: node 3 ended its part at step 7: over 2.5"},
		{Code: "stopped", Arm: "b", Message: "seed 2: node 4 ended its part at step 7: over 2.5"},
	}
	lines, more := WarningLines(warnings, 2, 2)
	if diff := cmp.Diff([]string{"a: expect no learning"}, lines); diff != "" || more != "" {
		t.Errorf("%q (-want +got):\n%s", more, diff)
	}
	want := []string{"a: Node 2 (1 of 6) is Byzantine (silent).", "b: nodes 3 and 4 ended their part at step 7: over 2.5 (in 2 of 2 seeds)"}
	if diff := cmp.Diff(want, FactLines(warnings, 2, 2)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWarningsOfARunThatGoesOn checks that seeds are counted where their number is not known yet.
func TestWarningsOfARunThatGoesOn(t *testing.T) {
	lines, _ := WarningLines([]results.Warning{{Code: "unmoved", Arm: "a", Message: "seed 3: x never moved"}}, 0, 2)
	if want := []string{"a: x never moved (in 1 seed)"}; !cmp.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
}

// TestLabelled names arms as people read them, and leaves the warnings of the run as they are.
func TestLabelled(t *testing.T) {
	warnings := []results.Warning{{Arm: "loss=1,drop", Message: "none of the messages arrived"}, {Message: "of the run"}}
	lines, _ := WarningLines(Labelled(warnings, []results.ArmEntry{{Name: "loss=1,drop"}, {Name: "ideal"}}), 1, 2)
	if want := []string{"loss = 1, drop: none of the messages arrived", "of the run"}; !slices.Equal(lines, want) || warnings[0].Arm != "loss=1,drop" {
		t.Errorf("%q, want %q", lines, want)
	}
}
