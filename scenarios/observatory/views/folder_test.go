package views_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"starling/scenarios"
	"starling/scenarios/observatory/views"
	"starling/scenarios/results"
	"starling/scenarios/results/live"
	"starling/scenarios/results/runs"
	"starling/scenarios/results/tabular"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/view"
)

func TestMain(m *testing.M) { os.Exit(scenariotest.Main(m)) }

// folderOf has one small run, whose files all count as long.
func folderOf(t *testing.T) (f *views.Folder, id, dir string) {
	t.Helper()
	s := scenariotest.Undrawn(scenariotest.LoadText(t, scenariotest.Base, "horizon=8", "seeds.count=2", "sweep={grid: {mechanism.epsilon: [1, 2, none]}}"))
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

// TestListIsKept reads the parts of a list that take reading once: scenarios, and the best arms.
// The best arm is the one of a plain loop over the summary and the ledger.
func TestListIsKept(t *testing.T) {
	f, id, dir := folderOf(t)
	o := runner.RunOptions{Out: f.Dir(), Engine: runner.Lockstep, Build: "test"}
	if _, err := runner.Run(scenariotest.Undrawn(scenariotest.LoadText(t, scenariotest.Base, "horizon=9", "seeds.count=2")), t.Context(), o); err != nil {
		t.Fatal(err)
	}
	horizons := func() (list []string) {
		entries, err := f.Runs()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			list = append(list, e.Differs["horizon"])
		}
		slices.Sort(list)
		return list
	}
	if got := horizons(); !slices.Equal(got, []string{"8", "9"}) {
		t.Fatalf("runs differ in the horizons %q", got)
	}
	// A run of another scenario has a value of the key, in which it differs from no run of its own.
	if _, err := runner.Run(scenariotest.Undrawn(scenariotest.LoadText(t, scenariotest.Base, "name=other", "horizon=7", "seeds.count=2")), t.Context(), o); err != nil {
		t.Fatal(err)
	}
	entries, err := f.Runs()
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(entries, func(e views.Entry) bool { return e.Scenario == "other" }); i < 0 || len(entries[i].Differs) > 0 || entries[i].Common["horizon"] != "7" {
		t.Errorf("the runs %+v", entries)
	}
	if err := os.RemoveAll(filepath.Join(f.Dir(), "other")); err != nil {
		t.Fatal(err)
	}
	best := func() *view.Headline {
		list, err := f.Headlines([]string{id, "nothing/there"})
		if err != nil || len(list) != 1 {
			t.Fatalf("headlines %v, %v", list, err)
		}
		return list[id]
	}
	got := best()
	run, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	arm, value, losses := "", math.Inf(1), map[string]float64{}
	if err := run.Privacy(func(row results.PrivacyRow) error {
		losses[row.Arm] = max(losses[row.Arm], row.Epsilon)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	private := view.PrivateArm{Value: live.Float(math.Inf(1))}
	if err := run.Summary(func(row results.SummaryRow) error {
		if row.Metric != got.Metric || row.Step != 8 {
			return nil
		}
		if row.Mean < value {
			arm, value = row.Arm, row.Mean
		}
		if loss := losses[row.Arm]; !math.IsInf(loss, 1) && row.Mean < float64(private.Value) {
			private = view.PrivateArm{Arm: row.Arm, Value: live.Float(row.Mean), Epsilon: live.Float(loss)}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	epsilon := losses[arm]
	if got.Private == nil {
		t.Error("an arm with noise is the best: this test does not see the best private one")
	}
	// A statistic over the seeds has no interval of a mean.
	if !math.IsNaN(float64(got.Half)) || got.Private != nil && !math.IsNaN(float64(got.Private.Half)) {
		t.Errorf("%s ± %v", got.Metric, got.Half)
	}
	if got.Private != nil {
		got.Private.Half = 0 // NaN equals nothing
	}
	if math.IsInf(epsilon, 1) != (got.Private != nil) || got.Private != nil && *got.Private != private {
		t.Errorf("best private arm %+v, want %+v where %v is infinite", got.Private, private, epsilon)
	}
	if got.Metric != "regret.expected" || got.Arm != arm || float64(got.Value) != value || float64(got.Epsilon) != epsilon || got.Unbounded != math.IsInf(epsilon, 1) {
		t.Errorf("headline %+v, want %s %v at epsilon %v", got, arm, value, epsilon)
	}
	// Other bytes of the same size and age: a kept headline is not read again.
	for _, name := range []string{"scenario.yaml", "summary.parquet"} {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.WriteFile(path, make([]byte, info.Size()), 0o644), os.Chtimes(path, info.ModTime(), info.ModTime())); err != nil {
			t.Fatal(err)
		}
	}
	if again := horizons(); !slices.Equal(again, []string{"8", "9"}) {
		t.Errorf("again the runs differ in %q", again)
	}
	if again := best(); again != got {
		t.Errorf("again the headline is %+v", again)
	}
	if _, err := f.Headlines(make([]string, views.MostHeadlines+1)); err == nil {
		t.Error("too many runs at a time")
	}
}

// TestSearchSaysWhatIsNoCondition tells words without a run from conditions that are none.
func TestSearchSaysWhatIsNoCondition(t *testing.T) {
	f, id, _ := folderOf(t)
	for text, want := range map[string]struct {
		found  bool
		remark string
	}{
		"base": {true, ""}, "nonsense": {false, ""}, "horizon=8": {true, ""}, "horizon=9": {false, ""}, "nonsense==": {false, "is no condition"},
		"nonsense=3": {false, "no run sets nonsense"}, "horizon<": {false, "is no condition"}, "mechanism.kind!=gaussian": {true, ""}, "epsilon<=1": {true, ""}, "epsilon>2": {false, ""}, "kind=ring": {false, "the last word of several keys: algorithm.divergence.kind, algorithm.kind, "}, "base nonsense>1": {false, "no run sets nonsense"},
	} {
		found, err := f.Search(text)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(found.IDs, id) != want.found || !strings.Contains(found.Remark, want.remark) || want.remark == "" && found.Remark != "" {
			t.Errorf("%q finds %q with %q", text, found.IDs, found.Remark)
		}
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

// TestReadsKeptHeadlines has headlines kept beside the results, and reads them from there: the run
// can no longer be read. The folder gets no file by that.
func TestReadsKeptHeadlines(t *testing.T) {
	f, id, dir := folderOf(t)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Hour)
	for _, entry := range entries { // a file that may still change is not kept
		if err := os.Chtimes(filepath.Join(dir, entry.Name()), past, past); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := f.Headlines([]string{id})
	if err != nil || listed[id] == nil {
		t.Fatalf("%v, %v", listed, err)
	}
	if _, err := os.Stat(filepath.Join(f.Dir(), view.KeptFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the folder has a file more: %v", err)
	}
	kept := view.OpenKept(f.Dir())
	kept.Of(dir, scenarios.NewLoader("").Kinds.AllMetrics())
	kept.Save()
	path := filepath.Join(dir, "summary.parquet")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(path, make([]byte, info.Size()), 0o644), os.Chtimes(path, past, past)); err != nil {
		t.Fatal(err)
	}
	again, err := views.NewFolder(f.Dir(), scenarios.NewLoader(""))
	if err != nil {
		t.Fatal(err)
	}
	if list, err := again.Headlines([]string{id}); err != nil || list[id] == nil || list[id].Arm != listed[id].Arm || list[id].Value != listed[id].Value {
		t.Errorf("%+v, want %+v, %v", list[id], listed[id], err)
	}
}

// TestIntervals has the intervals of a headline that is a statistic over the seeds: those of the finding,
// which the list of headlines does without.
func TestIntervals(t *testing.T) {
	s := scenariotest.Undrawn(scenariotest.LoadText(t, scenariotest.Base, "horizon=8", "seeds.count=6", "sweep={grid: {mechanism.epsilon: [1, none]}}", "measure.headline=regret.expected"))
	o := runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep, Build: "test"}
	if _, err := runner.Run(s, t.Context(), o); err != nil {
		t.Fatal(err)
	}
	f, err := views.NewFolder(o.Out, scenarios.NewLoader(""))
	if err != nil {
		t.Fatal(err)
	}
	id, err := filepath.Rel(o.Out, runner.Dir(s, o))
	if err != nil {
		t.Fatal(err)
	}
	id = filepath.ToSlash(id)
	listed, err := f.Headlines([]string{id})
	if err != nil || listed[id] == nil || listed[id].Metric != "regret.expected" || !math.IsNaN(float64(listed[id].Half)) {
		t.Fatalf("headline %+v, %v", listed[id], err)
	}
	found, err := f.Intervals(id)
	if err != nil || found == nil || !(found.Half > 0) {
		t.Fatalf("intervals %+v, %v", found, err)
	}
	values, err := f.Values(id)
	if err != nil {
		t.Fatal(err)
	}
	want := tabular.FormatEstimate(float64(listed[id].Value), float64(found.Half))
	if text := fmt.Sprint(values.Finding.Table.Rows); !strings.Contains(text, want) {
		t.Errorf("the finding has %s, want %s in it", text, want)
	}
	drawn, err := f.Figure(id, views.Query{PlotOptions: study.PlotOptions{Metric: "regret.expected", Band: study.BandCI}})
	if err != nil {
		t.Fatal(err)
	}
	halves := 0
	for _, line := range drawn.Charts[0].Series {
		if last := len(line.Y) - 1; len(line.High) > last && math.Abs(float64(line.High[last]-line.Y[last])-float64(found.Half)) < 1e-9*float64(found.Half) {
			halves++
		}
	}
	if halves != 1 {
		t.Errorf("%d curves end with the interval %v of the finding, want that of the best arm", halves, found.Half)
	}
	if again, err := f.Intervals(id); err != nil || again != found {
		t.Errorf("computed again: %+v, %v", again, err)
	}
	if _, err := f.Intervals("nothing/there"); err == nil {
		t.Error("a run that is not there has intervals")
	}
}
