//go:build unix

package runs_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"starling/scenarios/results/runs"
)

// TestPipes lists runs one of whose files is a pipe that nobody writes to, or longer than it can
// be: none is waited for, or read whole.
func TestPipes(t *testing.T) {
	for _, name := range []string{"COMPLETE", "manifest.json", "scenario.yaml", "log.jsonl", "progress.json", "tags.txt", "LOCK", "jobs/identity.json", "checkpoints/identity.json", "checkpoints/finished.journal"} {
		out := t.TempDir()
		dir := complete(t, out, "0123456789ab")
		if filepath.Dir(name) == "checkpoints" {
			must(t, os.RemoveAll(dir))
			unfinished(t, dir, `{"message":"started"}`+"\n", 1)
		}
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		must(t, syscall.Mkfifo(path, 0o644))
		done := make(chan struct{})
		go func() {
			defer close(done)
			list, err := runs.List(out)
			if err != nil || len(list) != 1 {
				t.Errorf("%s: %+v, %v", name, list, err)
			}
			filter := runs.Filter{Text: "nothing"}
			for i := range list {
				filter.Has(&list[i])
			}
		}()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: a pipe is waited for", name)
		}
	}
	dir := complete(t, t.TempDir(), "0123456789ab")
	must(t, os.Truncate(filepath.Join(dir, "manifest.json"), 20<<30)) // a hole
	if r := runs.Of(dir); r.Status != runs.Damaged {
		t.Errorf("a manifest of 20 GiB: %s, %s", r.Status, r.Reason)
	}
}
