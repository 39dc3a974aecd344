package results

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFolderHoldsWhatTheDesignLists(t *testing.T) {
	dir := writeRun(t)
	var names []string
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	want := []string{"COMPLETE", "arms.parquet", "log.jsonl", "manifest.json", "metrics.parquet", "plots", "privacy.parquet", "scenario.yaml", "summary.parquet"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if complete, err := IsComplete(dir); !complete || err != nil {
		t.Error("IsComplete is false for a complete run")
	}
}

// TestBytesAreDeterministic writes the same run twice, into folders of
// different names, and compares every file.
func TestBytesAreDeterministic(t *testing.T) {
	a, b := writeRun(t), writeRun(t)
	for _, name := range []string{completeName, manifestName, scenarioName, metricsName, summaryName, privacyName, armsName} {
		first, err := os.ReadFile(filepath.Join(a, name))
		must(t, err)
		second, err := os.ReadFile(filepath.Join(b, name))
		must(t, err)
		if len(first) == 0 || string(first) != string(second) {
			t.Errorf("%s: %d and %d bytes differ", name, len(first), len(second))
		}
	}
}

func TestLockKeepsASecondRunOut(t *testing.T) {
	dir := t.TempDir()
	first := create(t, dir, testOptions())
	_, err := Create(dir, testOptions())
	if !errors.Is(err, ErrLocked) {
		t.Fatalf("second Create: %v, want ErrLocked", err)
	}
	if pid := strconv.Itoa(os.Getpid()); !strings.Contains(err.Error(), pid) || !strings.Contains(err.Error(), dir) {
		t.Errorf("%q names neither process %s nor the folder", err, pid)
	}
	must(t, first.Close())
	must(t, first.Close()) // does nothing
	create(t, dir, testOptions())
}

// TestDeadRunIsClearedAway leaves what a killed process leaves: a LOCK that
// nobody holds, temporaries and a log.
func TestDeadRunIsClearedAway(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the lock of a dead process stays on this system")
	}
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, plotsName), 0o755))
	must(t, os.Mkdir(filepath.Join(dir, modelsName), 0o755))
	for _, name := range []string{lockName, "metrics.parquet.partial", "plots/regret.svg.partial", "plots/old.svg", "plots/old.txt", "plots/old.tex", "models/old.safetensors", "models/new.safetensors.partial"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("4711\n"), 0o644))
	}
	must(t, os.WriteFile(filepath.Join(dir, logName), []byte("before\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, plotsName, "mine.txt"), nil, 0o644)) // of no figure
	folder := create(t, dir, testOptions())
	_, err := io.WriteString(folder.Log(), "after\n")
	must(t, err)
	must(t, folder.Close())

	for _, name := range []string{lockName, "metrics.parquet.partial", "metrics.parquet", "plots/regret.svg.partial", "plots/old.svg", "plots/old.txt", "plots/old.tex", "models/old.safetensors", "models/new.safetensors.partial"} {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there (%v)", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, plotsName, "mine.txt")); err != nil {
		t.Error(err)
	}
	log, err := os.ReadFile(filepath.Join(dir, logName))
	must(t, err)
	if string(log) != "before\nafter\n" {
		t.Errorf("log %q, want the old lines kept", log)
	}
}

func TestCompleteRunIsNotOverwrittenUnasked(t *testing.T) {
	dir := writeRun(t)
	if _, err := Create(dir, testOptions()); !errors.Is(err, ErrComplete) {
		t.Fatalf("Create: %v, want ErrComplete", err)
	}
	if _, err := Open(dir); err != nil {
		t.Fatalf("the refused Create did harm: %v", err)
	}
	options := testOptions()
	options.Overwrite = true
	create(t, dir, options)
	if complete, _ := IsComplete(dir); complete {
		t.Error("the folder is complete while the run is written anew")
	}
	if _, err := os.Stat(filepath.Join(dir, metricsName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("old metrics are still there (%v)", err)
	}
}

// TestModels checks that models are listed, verified and cleared away as other files
// are.
func TestModels(t *testing.T) {
	dir := t.TempDir()
	folder := create(t, dir, testOptions())
	text := func(w io.Writer) error { _, err := io.WriteString(w, "weights"); return err }
	must(t, folder.WriteModel("a.safetensors", text))
	must(t, folder.WriteModel("a.safetensors", text)) // again, in its place
	for _, name := range []string{"", ".", "..", "a/b", "../a", "a.partial"} {
		if err := folder.WriteModel(name, text); err == nil {
			t.Errorf("%q names a model", name)
		}
	}
	if err := folder.WriteFile(modelsName, text); err == nil {
		t.Error("a data file in place of the models")
	}
	for _, job := range testJobs() {
		must(t, folder.WriteJob(job))
	}
	must(t, folder.Commit(testManifest(StatusComplete)))
	must(t, folder.Close())
	run, err := Open(dir)
	must(t, err)
	listed := 0
	for _, file := range run.Manifest.Files {
		if file.Name == "models/a.safetensors" && file.Size == 7 {
			listed++
		}
	}
	if listed != 1 {
		t.Errorf("the model is listed %d times", listed)
	}
	path := filepath.Join(dir, modelsName, "a.safetensors")
	must(t, os.WriteFile(path, []byte("weighty"), 0o644))
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("another model: %v", err)
	}
	options := testOptions()
	options.Overwrite = true
	create(t, dir, options)
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the model of the run before is left (%v)", err)
	}
}

func TestInterruptedRunKeepsItsJobs(t *testing.T) {
	dir := t.TempDir()
	folder := create(t, dir, testOptions())
	must(t, folder.WriteJob(testJobs()[0]))
	must(t, folder.Commit(testManifest(StatusInterrupted)))
	must(t, folder.Close())
	if _, err := Open(dir); !errors.Is(err, ErrUnfinished) {
		t.Errorf("Open: %v, want ErrUnfinished", err)
	}
	manifest, err := ReadManifest(dir)
	must(t, err)
	if manifest.Status != StatusInterrupted {
		t.Errorf("status %q", manifest.Status)
	}
	rows := 0
	run := &Run{Dir: dir}
	must(t, run.Rows(func(Row) error { rows++; return nil }))
	if want := testJobs()[0].Len(); rows != want {
		t.Errorf("%d rows, want %d", rows, want)
	}
}

func TestCommitRefuses(t *testing.T) {
	tests := map[string]struct {
		jobs   int
		change func(*Manifest)
		want   string
	}{
		"missing jobs":    {5, func(*Manifest) {}, "5 of 6 jobs"},
		"other arms":      {6, func(m *Manifest) { m.Arms[0].Name, m.Notes = "other", nil }, "created for"},
		"other seeds":     {6, func(m *Manifest) { m.Seeds.Base-- }, "created for"},
		"bad digest":      {6, func(m *Manifest) { m.Digest = "xyz" }, "digest"},
		"unknown arm":     {6, func(m *Manifest) { m.Notes[0].Arm = "nobody" }, "nobody"},
		"bad status":      {6, func(m *Manifest) { m.Status = "done" }, "status"},
		"no scenario":     {6, func(m *Manifest) { m.Scenario = "" }, "scenario"},
		"listed, yet all": {6, func(m *Manifest) { m.MeasuredNodes.All = true }, "measured_nodes"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			folder := create(t, dir, testOptions())
			for _, job := range testJobs()[:test.jobs] {
				must(t, folder.WriteJob(job))
			}
			manifest := testManifest(StatusComplete)
			test.change(&manifest)
			err := folder.Commit(manifest)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Commit: %v, want an error with %q", err, test.want)
			}
			if complete, _ := IsComplete(dir); complete {
				t.Error("the folder is complete")
			}
		})
	}
}

func TestWriteFileIsListed(t *testing.T) {
	dir := t.TempDir()
	folder := create(t, dir, testOptions())
	fill := func(w io.Writer) error { _, err := io.WriteString(w, "spent"); return err }
	must(t, folder.WriteFile("budget.csv", fill))
	for _, name := range []string{"manifest.json", "COMPLETE", "../x", "plots/x", "", "x.partial"} {
		if err := folder.WriteFile(name, fill); err == nil {
			t.Errorf("WriteFile(%q): no error", name)
		}
	}
	failure := errors.New("no numbers")
	if err := folder.WriteFile("broken.csv", func(io.Writer) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("WriteFile: %v, want %v", err, failure)
	}
	must(t, folder.Commit(testManifest(StatusInterrupted)))
	manifest, err := ReadManifest(dir)
	must(t, err)
	var names []string
	for _, file := range manifest.Files {
		names = append(names, file.Name)
	}
	want := []string{"arms.parquet", "budget.csv", "metrics.parquet", "privacy.parquet", "scenario.yaml", "summary.parquet"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

// TestCreateNeedsAFolder puts a file where the folder should go: an error that
// root gets, too.
func TestCreateNeedsAFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demo")
	must(t, os.WriteFile(path, nil, 0o644))
	if _, err := Create(path, testOptions()); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("Create: %v, want an error with %s", err, path)
	}
}

func TestCreateRefusesBadPlans(t *testing.T) {
	tests := map[string]struct {
		plan Plan
		want string
	}{
		"no arms":   {Plan{Seeds: Seeds{Count: 1}}, "none given"},
		"empty arm": {Plan{Arms: []string{"a", ""}, Seeds: Seeds{Count: 1}}, "arms[1]"},
		"twice":     {Plan{Arms: []string{"a", "b", "a"}, Seeds: Seeds{Count: 1}}, "arms[2]"},
		"no text":   {Plan{Arms: []string{"\xff"}, Seeds: Seeds{Count: 1}}, "UTF-8"},
		"no seeds":  {Plan{Arms: []string{"a"}}, "count 0"},
		"overflow":  {Plan{Arms: []string{"a"}, Seeds: Seeds{Base: 1<<64 - 1, Count: 2}}, "64-bit"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Create(t.TempDir(), Options{Plan: test.plan}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Create: %v, want an error with %q", err, test.want)
			}
		})
	}
}
