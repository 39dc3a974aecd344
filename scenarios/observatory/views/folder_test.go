package views_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"starling/scenarios"
	"starling/scenarios/observatory/views"
	"starling/scenarios/results/runs"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

func TestMain(m *testing.M) { os.Exit(scenariotest.Main(m)) }

// folderOf has one small run, whose files all count as long.
func folderOf(t *testing.T) (f *views.Folder, id, dir string) {
	t.Helper()
	s := scenariotest.Undrawn(scenariotest.LoadText(t, scenariotest.Base, "horizon=8", "seeds.count=2"))
	o := runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep, Build: "test"}
	if _, err := runner.Run(s, t.Context(), o); err != nil {
		t.Fatal(err)
	}
	dir = runner.Dir(s, o)
	f, err := views.NewFolder(o.Out, scenarios.NewLoader(""))
	if err != nil {
		t.Fatal(err)
	}
	f.SetLong(0)
	id, err = filepath.Rel(o.Out, dir)
	if err != nil {
		t.Fatal(err)
	}
	return f, filepath.ToSlash(id), dir
}

// detail asks until a run is verified.
func detail(t *testing.T, f *views.Folder, id string) *views.Detail {
	t.Helper()
	for {
		d, err := f.Detail(id)
		if err != nil {
			t.Fatal(err)
		}
		if !d.Verifying {
			return d
		}
		time.Sleep(time.Millisecond)
	}
}

// TestVerified shows a run before its long files were read, says so, and reads them once.
func TestVerified(t *testing.T) {
	f, id, _ := folderOf(t)
	release := f.Hold()
	d, err := f.Detail(id)
	if err != nil || !d.Verifying || d.Status != runs.Complete || len(d.Metrics) == 0 {
		t.Fatalf("before the files were read: %+v, %v", d, err)
	}
	if v, err := f.Values(id); err != nil || len(v.Last) == 0 {
		t.Errorf("before the files were read: %+v, %v", v, err)
	}
	release()
	if d := detail(t, f, id); d.Status != runs.Complete || d.Reason != "" {
		t.Errorf("after: %s, %s", d.Status, d.Reason)
	}
	// What was read is not read again, also when it was closed meanwhile.
	f.Forget()
	release = f.Hold()
	defer release()
	if d, err := f.Detail(id); err != nil || d.Verifying {
		t.Errorf("opened again: %+v, %v", d, err)
	}
}

// TestDamagedLongFile turns a byte of a long file, of the same size and age: the run is shown,
// and then it is not.
func TestDamagedLongFile(t *testing.T) {
	f, id, dir := folderOf(t)
	path := filepath.Join(dir, "metrics.parquet")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	release := f.Hold()
	if d, err := f.Detail(id); err != nil || !d.Verifying || d.Status != runs.Complete {
		t.Errorf("before the files were read: %+v, %v", d, err)
	}
	release()
	if d := detail(t, f, id); d.Status != runs.Damaged || !strings.Contains(d.Reason, "metrics.parquet is damaged") {
		t.Errorf("after: %s, %s", d.Status, d.Reason)
	}
	if _, err := f.Values(id); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("values of a damaged run: %v", err)
	}
}
