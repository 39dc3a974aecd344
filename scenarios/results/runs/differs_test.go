package runs_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/results"
	"starling/scenarios/results/runs"
)

// TestDiffer finds in which keys runs of one name differ: scalars, sequences, sections that some
// lack, and swept keys. Descriptions and plots say nothing about the work of a run.
func TestDiffer(t *testing.T) {
	arms := func(values ...string) (list []runs.ArmValues) {
		for _, v := range values {
			list = append(list, runs.ArmValues{Name: v, Values: []results.Value{{Path: "mechanism.epsilon", Value: v}}})
		}
		return list
	}
	long := "[" + strings.Repeat("1, ", 400)
	list := []runs.Run{
		{Scenario: "a", Arms: arms("1", "2", "1")}, {Scenario: "a", Arms: arms("1", "4")}, {Scenario: "a"},
		{Scenario: "b"}, {Scenario: "c"}, {Scenario: "c"},
	}
	var settings []runs.Settings
	for i, text := range []string{
		"description: first\nhorizon: 10\nseeds: {base: 1}\nstart: [0, 1]\nplots: [1]\nmechanism: {epsilon: 7}\n",
		"description: second\nhorizon: 10\nseeds: {base: 2}\nstart: [0, 2]\nnetwork: {kind: effects}\n",
		"horizon: 10\nseeds: {base: 3}\nstart: [0, 2]\n",
		"horizon: 50\n", "weights: " + long + "1]\n", "weights: " + long + "2]\n",
	} {
		settings = append(settings, runs.SettingsIn(&list[i], []byte(text)))
	}
	runs.Differ(list, settings)
	for i, want := range []map[string]string{
		{"seeds.base": "1", "start": "[0,1]", "mechanism.epsilon": "1, 2"},
		{"seeds.base": "2", "start": "[0,2]", "mechanism.epsilon": "1, 4", "network.kind": "effects"},
		{"seeds.base": "3", "start": "[0,2]"}, nil,
	} {
		if !maps.Equal(list[i].Differs, want) {
			t.Errorf("run %d differs in %v, want %v", i, list[i].Differs, want)
		}
	}
	if a, b := list[4].Differs["weights"], list[5].Differs["weights"]; a == b || len(a) > 120 || a == "" {
		t.Errorf("long values %q and %q", a, b)
	}
	if list[1].Description != "second" {
		t.Errorf("description %q", list[1].Description)
	}
	if keys := runs.Telling(list[:4]); !slices.Equal(keys, []string{"seeds.base", "mechanism.epsilon", "start", "network.kind"}) {
		t.Errorf("keys %q, want those with most values first", keys)
	}
	if s := settings[1]; !s.Has("network") || !s.Has("network.kind") || s.Has("networ") || s.Has("nonsense") || !s.Has("name") {
		t.Error("keys that a scenario has")
	}
}
