package runner_test

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// What cannot be removed after a run is said, in the outcome and in the log, and
// the run is complete.
func TestLeftoversAreHarmlessAndSaid(t *testing.T) {
	s := scenariotest.LoadText(t, scenariotest.Base)
	options := runner.RunOptions{Engine: runner.Lockstep, Out: t.TempDir()}
	dir := filepath.Join(options.Out, s.Name, runner.Hash(s, ""))
	// A folder with something in it is not what a store of checkpoints can remove.
	if err := os.MkdirAll(filepath.Join(results.Checkpoints(dir), "stray", "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	outcome, err := runner.Run(s, t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if len(outcome.Warnings) != 1 || !strings.Contains(outcome.Warnings[0], "stray") {
		t.Errorf("warnings %q, want one that names the folder", outcome.Warnings)
	}
	if there, err := results.ReadManifest(dir); err != nil || !reflect.DeepEqual(outcome.Manifest, there) {
		t.Errorf("the manifest of the outcome is %+v, of the folder %+v (%v)", outcome.Manifest, there, err)
	}
	log, err := os.ReadFile(filepath.Join(dir, "log.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(log), "stray") || !strings.Contains(string(log), `"level":"warn"`) {
		t.Errorf("the log has no warning of it:\n%s", log)
	}
	again, err := runner.Run(s, t.Context(), options)
	if err != nil || !again.Existing {
		t.Fatalf("the run is not there beside what was left: %v", err)
	}
	if len(again.Warnings) != 1 || !strings.Contains(again.Warnings[0], results.Checkpoints(dir)+" is still there") {
		t.Errorf("a run that is there is shown with the warnings %q, want one that names what is left", again.Warnings)
	}
}

// A system that cannot tell whether there is a run is not one on which there is
// none.
func TestUnknownIsNotAbsent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights on this system")
	}
	for _, name := range []string{"COMPLETE", filepath.Join("checkpoints", "identity.json")} {
		s := scenariotest.LoadText(t, scenariotest.Base)
		options := runner.RunOptions{Engine: runner.Lockstep, Out: t.TempDir()}
		dir := filepath.Join(options.Out, s.Name, runner.Hash(s, ""))
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		// A link to itself: stat fails, and does not say that there is no such file.
		if err := os.Symlink(filepath.Base(name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := runner.Run(s, t.Context(), options); err == nil || !strings.Contains(err.Error(), "cannot tell") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want an error that names it and says that nobody can tell", name, err)
		}
	}
}
