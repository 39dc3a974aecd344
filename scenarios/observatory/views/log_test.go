package views_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/observatory/views"
	"starling/scenarios/results"
)

// TestLog reads the last events of a run, the latest first, and of a long log the end.
func TestLog(t *testing.T) {
	f, id := ranOf(t, "horizon=8")
	l, err := f.Log(id)
	if err != nil || len(l.Events) < 4 || l.More || !strings.HasPrefix(l.Events[0].Text, "ended after ") {
		t.Fatalf("%+v, %v", l, err)
	}
	if first := l.Events[len(l.Events)-1]; first.Text != "started: 0 of 2 jobs were done before" || first.Time.IsZero() {
		t.Errorf("the first event is %+v", first)
	}
	if job := l.Events[1]; job.Arm == "" || job.Seed == 0 || !strings.HasPrefix(job.Text, "done in ") {
		t.Errorf("a job is %+v", job)
	}
	dir := t.TempDir()
	long := strings.Repeat(`{"level":"warn","arm":"a","seed":2,"failure":"no number","message":"job failed"}`+"\n", 2000) + `{"level":"in`
	if err := os.MkdirAll(filepath.Join(dir, "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "run", results.LogFile), []byte(long), 0o644); err != nil {
		t.Fatal(err)
	}
	if f, err = views.NewFolder(dir, scenarios.NewLoader("")); err != nil {
		t.Fatal(err)
	}
	if l, err = f.Log("run"); err != nil || !l.More || len(l.Events) != 59 || l.Events[0].Text != "job failed: no number" {
		t.Errorf("%d events of a long log, %v", len(l.Events), err)
	}
	if _, err = f.Log("../run"); err == nil {
		t.Error("a log outside of the folder")
	}
}
