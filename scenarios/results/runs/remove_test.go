package runs_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"starling/scenarios/results"
	"starling/scenarios/results/live"
	"starling/scenarios/results/runs"
)

// TestRemove removes runs and nothing else.
func TestRemove(t *testing.T) {
	out := t.TempDir()
	dir, other := complete(t, out, "0123456789ab"), complete(t, out, "0123456789cd")
	remove := func(dir string) {
		t.Helper()
		if kept, err := runs.Remove(dir); err != nil || len(kept) > 0 {
			t.Errorf("%s: %v, %q is kept", dir, err, kept)
		}
	}
	release, err := results.Claim(dir)
	must(t, err)
	if _, err := runs.Remove(dir); !errors.Is(err, runs.ErrRunning) {
		t.Errorf("a run at work: %v", err)
	}
	release()
	link := filepath.Join(out, "demo", "link")
	must(t, os.Symlink(other, link))
	for _, wrong := range []string{out, filepath.Join(out, "demo"), filepath.Join(out, "none"), link} {
		if _, err := runs.Remove(wrong); err == nil {
			t.Errorf("%s is removed", wrong)
		}
	}
	must(t, os.Remove(link))
	if r := runs.Of(dir); r.Status != runs.Complete {
		t.Fatalf("what was not removed is %s: %s", r.Status, r.Reason)
	}
	remove(dir)
	if list, err := runs.List(out); err != nil || len(list) != 1 || list[0].Dir != other {
		t.Errorf("%+v is left, %v", list, err)
	}
	remove(other)
	if entries, _ := os.ReadDir(out); len(entries) > 0 {
		t.Errorf("%v is left", entries)
	}
}

// TestRemoveProven removes what is left of a run that was killed after it had written digests.jsonl,
// and leaves another program's file of that name.
func TestRemoveProven(t *testing.T) {
	out := t.TempDir()
	dir := filepath.Join(out, "demo", "0123456789ab")
	plan := results.Plan{Arms: []string{`say "a"`}, Seeds: results.Seeds{Base: 1, Count: 1}}
	folder, err := results.Create(dir, results.Options{Plan: plan, Scenario: []byte(scenarioText)})
	must(t, err)
	job := results.NewJob(plan.Arms[0], 1)
	job.Add(40, "loss.mean", 0.5)
	h := results.NewHash()
	p := results.Proof{Machines: h.State()}
	job.HashRows(h)
	p.Digest = h.Sum()
	must(t, folder.WriteProven(job, p))
	must(t, folder.Commit(results.Manifest{
		Scenario: "demo", Hash: "0123456789ab", Status: results.StatusComplete, Digest: folder.Digest(nil), Arms: []results.ArmEntry{{Name: plan.Arms[0]}}, Seeds: plan.Seeds,
		MeasuredNodes: results.MeasuredNodes{All: true}, Versions: results.CurrentVersions("test"),
	}))
	must(t, folder.Close())
	must(t, os.Remove(filepath.Join(dir, "manifest.json"))) // as of a process that was killed before it
	must(t, os.Remove(filepath.Join(dir, "COMPLETE")))
	if kept, err := runs.Remove(dir); err != nil || len(kept) > 0 {
		t.Errorf("%v, %q is kept", err, kept)
	}
	other := filepath.Join(complete(t, out, "0123456789cd"), "digests.jsonl")
	must(t, os.WriteFile(other, []byte(`{"sha256": "00"}`), 0o644))
	if kept, err := runs.Remove(filepath.Dir(other)); err != nil || !slices.Equal(kept, []string{other}) {
		t.Errorf("%v, %q is kept", err, kept)
	}
}

// TestRemoveKeeps has what this program has not written stay: a project of somebody else, whatever
// its files are called, is no run, and files in the folder of a run outlive it.
func TestRemoveKeeps(t *testing.T) {
	out := t.TempDir()
	foreign := map[string]string{
		"web/app/manifest.json": `{"name": "App", "icons": []}`, "web/app/index.html": "<p>", "web/log/log.jsonl": `{"level":"info","message":"hello"}`,
		"web/job/progress.json": `{"done": 3}`, "web/job/COMPLETE": "yes\n", "assets/0123456789ef/manifest.json": "{}", "assets/0123456789aa/main.js": "",
		"assets/0123456789bb/metrics.parquet/part-0": "PAR1", "models/ml/metrics.parquet": "PAR1",
	}
	for name, text := range foreign {
		path := filepath.Join(out, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	if list, err := runs.List(out); err != nil || len(list) > 0 {
		t.Errorf("runs are %+v, %v", list, err)
	}
	for name, text := range foreign {
		path := filepath.Join(out, filepath.FromSlash(name))
		if _, err := runs.Remove(filepath.Dir(path)); err == nil {
			t.Errorf("%s is removed", filepath.Dir(path))
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	dir := complete(t, out, "0123456789ab")
	must(t, os.WriteFile(filepath.Join(dir, "notes.md"), nil, 0o644))
	must(t, os.MkdirAll(filepath.Join(dir, "plots"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "plots", "mine.ai"), nil, 0o644))
	kept, err := runs.Remove(dir)
	if want := []string{filepath.Join(dir, "notes.md"), filepath.Join(dir, "plots", "mine.ai")}; err != nil || !slices.Equal(kept, want) {
		t.Errorf("%v, %q is kept", err, kept)
	}
	if list, err := runs.List(filepath.Join(out, "demo")); err != nil || len(list) > 0 {
		t.Errorf("what is left are the runs %+v, %v", list, err)
	}
	half := filepath.Join(out, "demo", "0123456789cd")
	unfinished(t, half, `{"message":"started"}`+"\n", 1)
	must(t, os.Remove(filepath.Join(half, "scenario.yaml")))
	unfinished(t, filepath.Join(half, "parts", "1-of-2"), "", 1)
	if kept, err := runs.Remove(half); err != nil || len(kept) > 0 {
		t.Errorf("an unfinished run: %v, %q is kept", err, kept)
	}
	if _, err := os.Stat(half); err == nil {
		t.Error("the folder of an unfinished run is left")
	}
}

// TestSizeOf counts a file with two names once, and names the folders.
func TestSizeOf(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "jobs", "deep"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "a"), make([]byte, 10), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "jobs", "deep", "b"), make([]byte, 100), 0o644))
	must(t, os.Link(filepath.Join(dir, "jobs", "deep", "b"), filepath.Join(dir, "jobs", "c")))
	if s := runs.SizeOf(dir); s.Total != 110 || s.Of["jobs"] != 100 || len(s.Of) != 1 {
		t.Errorf("%+v", s)
	}
}

// TestLive puts together what parts tell.
func TestLive(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo", "0123456789ab")
	for _, name := range []string{"1-of-2", "2-of-2"} {
		part := filepath.Join(dir, "parts", name)
		unfinished(t, part, "", 1)
		must(t, progress(live.Stopped, 80).Write(part))
	}
	r := runs.Of(dir)
	now, err := runs.Live(&r)
	if err != nil || now == nil || now.Runs.All != 8 || now.Steps.Done != 160 {
		t.Errorf("%+v, %v", now, err)
	}
}
