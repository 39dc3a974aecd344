package runs_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"starling/scenarios/results"
	"starling/scenarios/results/live"
	"starling/scenarios/results/runs"
)

// TestRemove removes runs and nothing else.
func TestRemove(t *testing.T) {
	out := t.TempDir()
	dir, other := complete(t, out, "0123456789ab"), complete(t, out, "0123456789cd")
	release, err := results.Claim(dir)
	must(t, err)
	if err := runs.Remove(dir); !errors.Is(err, runs.ErrRunning) {
		t.Errorf("a run at work: %v", err)
	}
	release()
	link := filepath.Join(out, "demo", "link")
	must(t, os.Symlink(other, link))
	for _, wrong := range []string{out, filepath.Join(out, "demo"), filepath.Join(out, "none"), link} {
		if runs.Remove(wrong) == nil {
			t.Errorf("%s is removed", wrong)
		}
	}
	must(t, os.Remove(link))
	if r := runs.Of(dir); r.Status != runs.Complete {
		t.Fatalf("what was not removed is %s: %s", r.Status, r.Reason)
	}
	must(t, runs.Remove(dir))
	if list, err := runs.List(out); err != nil || len(list) != 1 || list[0].Dir != other {
		t.Errorf("%+v is left, %v", list, err)
	}
	must(t, runs.Remove(other))
	if entries, _ := os.ReadDir(out); len(entries) > 0 {
		t.Errorf("%v is left", entries)
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
