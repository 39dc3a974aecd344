package results_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios/results"
)

// An arm sets what is inside of the mappings that it sets, and what is set later counts.
func TestArmValue(t *testing.T) {
	arm := results.ArmEntry{Values: []results.Value{
		{Path: "algorithm", Value: "ofl"},
		{Path: "mechanism", Value: "{kind: tree, epsilon: 0.5, deep: {er: [1, 2]}}"},
		{Path: "mechanism.epsilon", Value: "none"},
	}}
	for path, want := range map[string]string{"algorithm": "ofl", "mechanism.kind": "tree", "mechanism.epsilon": "none", "mechanism.deep.er": "[1,2]"} {
		if got, ok := arm.Value(path); !ok || got != want {
			t.Errorf("%s: %q, %v, want %q", path, got, ok, want)
		}
	}
	for _, path := range []string{"mechanism.none", "mechanism.kind.tree", "algorithm.kind", "mech", "horizon"} {
		if got, ok := arm.Value(path); ok {
			t.Errorf("%s: %q, and it is not set", path, got)
		}
	}
}

// The folder of a scenario is no unfinished run: it holds runs.
func TestOpenOneLevelUp(t *testing.T) {
	folder := t.TempDir()
	run := filepath.Join(folder, "0123456789ab")
	if err := os.Mkdir(run, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(run, "COMPLETE"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := results.Open(folder)
	if err == nil || errors.Is(err, results.ErrUnfinished) || !strings.Contains(err.Error(), "a folder that holds 1 finished; name one of them, such as "+run) {
		t.Error(err)
	}
}
