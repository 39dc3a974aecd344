package runs_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/results/live"
	"starling/scenarios/results/runs"
)

const scenarioText = "version: 1\nname: demo\nhorizon: 40\nmechanism:\n  kind: laplace\n  epsilon: 1\n  clip: [1, 2]\n"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// complete writes a complete run of two arms and returns its folder.
func complete(t testing.TB, out, hash string) string {
	t.Helper()
	dir := filepath.Join(out, "demo", hash)
	arms := []results.ArmEntry{
		{Name: "epsilon=0.5", Values: []results.Value{{Path: "mechanism.epsilon", Value: "0.5"}}},
		{Name: "epsilon=none", Values: []results.Value{{Path: "mechanism.epsilon", Value: "none"}}},
	}
	plan := results.Plan{Arms: []string{arms[0].Name, arms[1].Name}, Seeds: results.Seeds{Base: 1, Count: 2}}
	folder, err := results.Create(dir, results.Options{Plan: plan, Scenario: []byte(scenarioText)})
	must(t, err)
	defer folder.Close()
	for _, arm := range arms {
		for seed := range uint64(2) {
			job := results.NewJob(arm.Name, seed+1)
			job.Add(40, "loss.mean", 0.5)
			must(t, folder.WriteJob(job))
		}
	}
	_, err = folder.Log().Write([]byte(`{"message":"started"}` + "\n" + `{"elapsed":2500,"message":"ended"}` + "\n"))
	must(t, err)
	must(t, folder.Commit(results.Manifest{
		Scenario: "demo", Hash: hash, Status: results.StatusComplete, Digest: "00ff", Arms: arms, Seeds: plan.Seeds, FirstStep: 1, Horizon: 40,
		MeasuredNodes: results.MeasuredNodes{All: true}, Versions: results.CurrentVersions("test"), Warnings: []results.Warning{{Code: "x", Message: "y"}},
	}))
	return dir
}

// unfinished writes what a run leaves that was killed after some of its four jobs.
func unfinished(t testing.TB, dir, log string, done int) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, results.ScenarioFile), []byte(scenarioText), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, results.LogFile), []byte(log), 0o644))
	store, err := checkpoint.Open(results.Checkpoints(dir), checkpoint.Identity{Scenario: "demo", Hash: "h", Build: "b"})
	must(t, err)
	for i := range done {
		must(t, store.Finish(checkpoint.Key{byte(i)}, []byte("body")))
	}
	must(t, store.Close())
}

// progress is what a run writes that has made some of its steps.
func progress(state live.State, steps int64) *live.Run {
	return &live.Run{
		Format: live.Version, State: state, Host: "elsewhere", Updated: time.Now(), Elapsed: 3, ElapsedBefore: 4, Next: 1,
		Runs: live.Count{All: 4, Done: 1}, Steps: live.Count{All: 160, Done: steps}, Seeds: results.Seeds{Base: 1, Count: 2},
		Arms: []live.ArmProgress{{Name: "epsilon=0.5", Horizon: 40, Values: []results.Value{{Path: "mechanism.epsilon", Value: "0.5"}}}, {Name: "epsilon=none", Horizon: 40}},
	}
}

// TestStatus tells runs apart by what is in their folders.
func TestStatus(t *testing.T) {
	const started, interrupted, failed = `{"message":"started"}` + "\n", `{"error":"scenario demo, arm a, seed 1: context canceled","message":"ended"}` + "\n", `{"error":"node 3 panicked","message":"ended"}` + "\n"
	half := func(r *runs.Run) bool { return r.Progress != nil && *r.Progress == 0.5 && r.Runs.All == 4 }
	tests := []struct {
		name   string
		make   func(t *testing.T, dir string)
		want   runs.Status
		reason string
		also   func(*runs.Run) bool
	}{
		{"complete", func(t *testing.T, dir string) {}, runs.Complete, "", func(r *runs.Run) bool {
			return r.Digest == "00ff" && len(r.Arms) == 2 && r.Seeds.Count == 2 && *r.Elapsed == 2.5 && r.Warnings == 1 && r.Runs.All == 4
		}},
		{"a data file is gone", func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, "summary.parquet"))) }, runs.Damaged, "summary.parquet is missing", func(r *runs.Run) bool { return r.Digest == "00ff" }},
		{"a data file is cut", func(t *testing.T, dir string) { must(t, os.Truncate(filepath.Join(dir, "metrics.parquet"), 3)) }, runs.Damaged, "3 bytes", nil},
		{"the manifest is gone", func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, "manifest.json"))) }, runs.Damaged, "manifest.json is missing", nil},
		{"the manifest was changed", func(t *testing.T, dir string) { must(t, os.Truncate(filepath.Join(dir, "manifest.json"), 30)) }, runs.Damaged, "changed after the run", nil},
		{"COMPLETE is gone", func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, "COMPLETE"))) }, runs.Damaged, "COMPLETE is missing", nil},
		{"nothing is left", func(t *testing.T, dir string) { must(t, os.RemoveAll(dir)); must(t, os.MkdirAll(dir, 0o755)) }, runs.Damaged, "COMPLETE is missing", nil},
		{"killed", func(t *testing.T, dir string) { must(t, os.RemoveAll(dir)); unfinished(t, dir, started, 3) }, runs.Waiting, "interrupted", func(r *runs.Run) bool { return r.Runs.Done == 3 && r.Progress == nil }},
		{"interrupted", func(t *testing.T, dir string) {
			must(t, os.RemoveAll(dir))
			unfinished(t, dir, started+interrupted, 1)
			must(t, progress(live.Stopped, 80).Write(dir))
		}, runs.Waiting, "interrupted", func(r *runs.Run) bool { return half(r) && *r.Elapsed == 7 && len(r.Arms) == 2 }},
		{"interrupted by a signal, as older logs say it", func(t *testing.T, dir string) {
			must(t, os.RemoveAll(dir))
			unfinished(t, dir, started+`{"error":"scenario demo, arm a, seed 1: interrupt signal received","message":"ended"}`+"\n", 1)
		}, runs.Waiting, "interrupted", nil},
		{"interrupted, whatever the error says", func(t *testing.T, dir string) {
			must(t, os.RemoveAll(dir))
			unfinished(t, dir, started+`{"error":"worker 3 is gone","interrupted":true,"message":"ended"}`+"\n", 1)
		}, runs.Waiting, "interrupted", nil},
		{"failed", func(t *testing.T, dir string) { must(t, os.RemoveAll(dir)); unfinished(t, dir, started+failed, 1) }, runs.Failed, "node 3 panicked", nil},
		{"failed, and started again", func(t *testing.T, dir string) { must(t, os.RemoveAll(dir)); unfinished(t, dir, failed+started, 1) }, runs.Waiting, "interrupted", nil},
		{"claimed", func(t *testing.T, dir string) {
			must(t, os.RemoveAll(dir))
			unfinished(t, dir, started, 1)
			release, err := results.Claim(dir)
			must(t, err)
			t.Cleanup(func() { release() })
			must(t, progress(live.Running, 80).Write(dir))
		}, runs.Running, "", half},
		{"runs on another machine", func(t *testing.T, dir string) {
			must(t, os.RemoveAll(dir))
			unfinished(t, dir, started, 1)
			must(t, progress(live.Running, 80).Write(dir))
		}, runs.Running, "", half},
		{"ran on another machine", func(t *testing.T, dir string) {
			must(t, os.RemoveAll(dir))
			unfinished(t, dir, started, 1)
			p := progress(live.Running, 80)
			p.Updated = p.Updated.Add(-time.Hour)
			must(t, p.Write(dir))
		}, runs.Waiting, "interrupted", half},
		{"progress.json is damaged", func(t *testing.T, dir string) {
			must(t, os.RemoveAll(dir))
			unfinished(t, dir, started, 2)
			must(t, os.WriteFile(filepath.Join(dir, live.Name), []byte("{"), 0o644))
		}, runs.Waiting, "progress.json", func(r *runs.Run) bool { return r.Runs.Done == 2 }},
		{"the journal is damaged", func(t *testing.T, dir string) {
			must(t, os.RemoveAll(dir))
			unfinished(t, dir, started, 2)
			path := filepath.Join(results.Checkpoints(dir), "finished.journal")
			text, err := os.ReadFile(path)
			must(t, err)
			text[20]++
			must(t, os.WriteFile(path, text, 0o644))
		}, runs.Damaged, "finished.journal", nil},
		{"one part of two", func(t *testing.T, dir string) {
			must(t, os.RemoveAll(dir))
			unfinished(t, filepath.Join(dir, "parts", "1-of-2"), started, 2)
		}, runs.Waiting, "of 2 parts", func(r *runs.Run) bool { return len(r.Parts) == 1 && r.Parts[0].Name == "1/2" && r.Runs.Done == 2 }},
		{"all parts", func(t *testing.T, dir string) {
			must(t, os.RemoveAll(dir))
			for _, name := range []string{"1-of-2", "2-of-2"} {
				part := filepath.Join(dir, "parts", name)
				unfinished(t, part, started, 2)
				p := progress(live.Stopped, 80)
				p.Runs, p.Steps = live.Count{All: 2, Done: 2}, live.Count{All: 80, Done: 80}
				must(t, p.Write(part))
			}
		}, runs.Waiting, "starling merge", func(r *runs.Run) bool { return *r.Progress == 1 && r.Runs.All == 4 && r.Runs.Done == 4 }},
		{"a part failed", func(t *testing.T, dir string) {
			must(t, os.RemoveAll(dir))
			unfinished(t, filepath.Join(dir, "parts", "2-of-2"), started+failed, 1)
		}, runs.Failed, "part 2/2: node 3", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := t.TempDir()
			dir := complete(t, out, "0123456789ab")
			test.make(t, dir)
			list, err := runs.List(out)
			must(t, err)
			if len(list) != 1 {
				t.Fatalf("%d runs, want 1: %+v", len(list), list)
			}
			r := &list[0]
			if r.Status != test.want || !strings.Contains(r.Reason, test.reason) || test.reason == "" && r.Reason != "" {
				t.Errorf("%s (%s), want %s (%s)", r.Status, r.Reason, test.want, test.reason)
			}
			if r.Scenario != "demo" || r.Hash != "0123456789ab" {
				t.Errorf("scenario %s, hash %s", r.Scenario, r.Hash)
			}
			if test.also != nil && !test.also(r) {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestFilter picks runs by what they are of.
func TestFilter(t *testing.T) {
	out := t.TempDir()
	dir := complete(t, out, "0123456789ab")
	must(t, runs.SetTags(dir, []string{"paper", "a"}))
	r := runs.Of(dir)
	where := func(texts ...string) (f runs.Filter) {
		for _, text := range texts {
			c, err := runs.ParseCondition(text)
			must(t, err)
			f.Where = append(f.Where, c)
		}
		return f
	}
	tests := []struct {
		name   string
		filter runs.Filter
		want   bool
	}{
		{"all", runs.Filter{}, true},
		{"status", runs.Filter{Statuses: []runs.Status{runs.Failed, runs.Complete}}, true},
		{"other status", runs.Filter{Statuses: []runs.Status{runs.Failed}}, false},
		{"scenario", runs.Filter{Scenario: "d*"}, true},
		{"other scenario", runs.Filter{Scenario: "e*"}, false},
		{"tags", runs.Filter{Tags: []string{"a", "paper"}}, true},
		{"one tag too many", runs.Filter{Tags: []string{"a", "b"}}, false},
		{"text of the scenario", runs.Filter{Text: "LAPLACE"}, true},
		{"text of an arm", runs.Filter{Text: "epsilon=none"}, true},
		{"hash", runs.Filter{Text: "0123"}, true},
		{"other text", runs.Filter{Text: "gaussian"}, false},
		{"value of an arm", where("mechanism.epsilon=0.50"), true},
		{"the base value that arms replace", where("mechanism.epsilon=1"), false},
		{"less", where("mechanism.epsilon<=0.5"), true},
		{"text has no order", where("mechanism.epsilon>0.5"), false},
		{"value of the scenario", where("horizon>=40", "mechanism.kind=laplace"), true},
		{"one that fails", where("horizon>40", "mechanism.kind=laplace"), false},
		{"not equal", where("mechanism.kind!=gaussian"), true},
		{"list", where("mechanism.clip=[1,2]"), true},
		{"no such value", where("mechanism.sigma!=1"), false},
	}
	for _, test := range tests {
		if got := test.filter.Has(&r); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	for _, bad := range []runs.Filter{{Statuses: []runs.Status{"compleet"}}, {Scenario: "["}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	for _, text := range []string{"", "horizon", "=1", "horizon=", "horizon~1", "!x=1"} {
		if c, err := runs.ParseCondition(text); err == nil {
			t.Errorf("%q is read as %+v", text, c)
		}
	}
}

// TestSort sorts by each key and back.
func TestSort(t *testing.T) {
	half, long := 0.5, 60.0
	list := []runs.Run{
		{Scenario: "b", Hash: "1", Status: runs.Complete, Digest: "y", Updated: time.Unix(1, 0), Elapsed: &long, Seeds: results.Seeds{Count: 1}},
		{Scenario: "a", Hash: "2", Status: runs.Running, Progress: &half, Updated: time.Unix(2, 0), Seeds: results.Seeds{Count: 3}, Arms: make([]runs.ArmValues, 2), Digest: "z", Tags: []string{"t"}},
	}
	first := map[string]string{
		"updated": "a", "scenario": "a", "status": "a", "progress": "a", "elapsed": "b", "arms": "a", "seeds": "a", "hash": "b", "digest": "b", "tags": "b",
	}
	for _, key := range runs.Keys() {
		for _, reversed := range []bool{false, true} {
			sorted := slices.Clone(list)
			must(t, runs.Sort(sorted, key, reversed))
			if got := sorted[0].Scenario == first[key]; got == reversed {
				t.Errorf("by %s, reversed %v: %s comes first", key, reversed, sorted[0].Scenario)
			}
		}
	}
	if runs.Sort(list, "colour", false) == nil {
		t.Error("there is no such key")
	}
}

// TestFind finds a run by what people call it.
func TestFind(t *testing.T) {
	out := t.TempDir()
	dir := complete(t, out, "0123456789ab")
	for _, text := range []string{dir, "demo", "0123", "demo/0123456789ab"} {
		if r, err := runs.Find(out, text); err != nil || filepath.Clean(r.Dir) != dir {
			t.Errorf("%q: %s, %v", text, r.Dir, err)
		}
	}
	other := complete(t, out, "0123456789cd")
	must(t, runs.SetTags(other, []string{"best"}))
	if r, err := runs.Find(out, "best"); err != nil || r.Dir != other {
		t.Errorf("by its tag: %s, %v", r.Dir, err)
	}
	for _, text := range []string{"demo", filepath.Join(out, "demo")} {
		if _, err := runs.Find(out, text); err == nil || !strings.Contains(err.Error(), "means 2 runs") {
			t.Errorf("%q of two: %v", text, err)
		}
	}
	for _, text := range []string{"none", "01", ""} {
		if r, err := runs.Find(out, text); !errors.Is(err, runs.ErrNone) {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	}
	if _, err := runs.Find(filepath.Join(out, "no"), "demo"); !errors.Is(err, runs.ErrNone) {
		t.Errorf("without a folder: %v", err)
	}
}

// TestTags keeps tags sorted, each once, and refuses what cannot be listed.
func TestTags(t *testing.T) {
	dir := t.TempDir()
	must(t, runs.SetTags(dir, []string{"b", "a", "b"}))
	if tags, err := runs.Tags(dir); err != nil || !slices.Equal(tags, []string{"a", "b"}) {
		t.Errorf("%q, %v", tags, err)
	}
	must(t, runs.SetTags(dir, nil))
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("%v is left", entries)
	}
	for _, tag := range []string{"", "a b", "a,b", "-a", "a\x00", "a\n", "\xff", strings.Repeat("a", 65)} {
		if runs.SetTags(dir, []string{tag}) == nil {
			t.Errorf("%q is taken", tag)
		}
	}
}

// FuzzFolder reads folders whose files hold anything: none may panic, and each is one run
// with a status.
func FuzzFolder(f *testing.F) {
	f.Add([]byte("{}"), []byte("00\n"), []byte(`{"message":"ended","elapsed":1}`), []byte(`{"format":1}`), []byte("a\nb"), true)
	f.Add([]byte("{"), []byte(""), []byte("\n\n{\n"), []byte(`{"format":1,"curves":[{"steps":[1]}]}`), []byte("\xff"), false)
	f.Fuzz(func(t *testing.T, manifest, seal, log, progress, tags []byte, complete bool) {
		dir := filepath.Join(t.TempDir(), "demo", "0123456789ab")
		must(t, os.MkdirAll(results.Jobs(dir), 0o755))
		files := map[string][]byte{"jobs/identity.json": []byte(`{"scenario":"demo","hash":""}`), "manifest.json": manifest, results.LogFile: log, live.Name: progress, results.TagsFile: tags}
		if complete {
			files["COMPLETE"] = seal
		}
		for name, text := range files {
			must(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
		}
		list, err := runs.List(filepath.Dir(filepath.Dir(dir)))
		if err != nil || len(list) != 1 || !slices.Contains(runs.Statuses(), list[0].Status) {
			t.Fatalf("%+v, %v", list, err)
		}
		for _, tag := range list[0].Tags {
			if err := runs.CheckTag(tag); err != nil {
				t.Error(err)
			}
		}
	})
}

// FuzzCondition reads anything as a condition; what is read holds of no run without values.
func FuzzCondition(f *testing.F) {
	f.Add("mechanism.epsilon<=1")
	f.Add("a!=")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := runs.ParseCondition(text)
		if err != nil {
			return
		}
		if c.Path == "" || c.Value == "" || c.Operator == "" {
			t.Fatalf("%q is read as %+v", text, c)
		}
		filter := runs.Filter{Where: []runs.Condition{c}}
		if filter.Has(&runs.Run{Dir: "nowhere"}) {
			t.Errorf("%q holds of nothing", text)
		}
	})
}

// TestNote keeps a note and takes it away; what nobody could read is refused.
func TestNote(t *testing.T) {
	dir := complete(t, t.TempDir(), "0123456789ab")
	for _, note := range []string{"best so far", "two\nlines", "ε = 1"} {
		must(t, runs.SetNote(dir, " "+note+"\n\n"))
		if got, err := runs.Note(dir); err != nil || got != note || runs.Of(dir).Note != note {
			t.Errorf("%q: %q, %v", note, got, err)
		}
	}
	for _, bad := range []string{strings.Repeat("x", 4097), "\xff", "a\x1b[31m", "\x00"} {
		if runs.SetNote(dir, bad) == nil {
			t.Errorf("%.20q is taken", bad)
		}
	}
	if r := runs.Of(dir); r.Status != runs.Complete || r.Note != "ε = 1" {
		t.Errorf("after refused notes: %s, %q", r.Status, r.Note)
	}
	must(t, runs.SetNote(dir, ""))
	must(t, runs.SetNote(dir, ""))
	if _, err := os.Stat(filepath.Join(dir, results.NoteFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is left: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(dir, results.NoteFile), bytes.Repeat([]byte("x"), 1<<20), 0o644))
	if _, err := runs.Note(dir); err == nil {
		t.Error("a note of a megabyte is read")
	}
	must(t, runs.SetNote(dir, "again"))
	kept, err := runs.Remove(dir)
	if must(t, err); len(kept) > 0 {
		t.Errorf("removal keeps %q", kept)
	}
}

// TestSince reads days, moments and spans, and filters by them.
func TestSince(t *testing.T) {
	now := time.Date(2026, 11, 29, 10, 30, 0, 0, time.FixedZone("east", 3600))
	for text, want := range map[string]string{
		"2026-11-01":           "2026-11-01T00:00:00+01:00",
		"2026-11-01T15:04":     "2026-11-01T15:04:00+01:00",
		"2026-11-01 15:04":     "2026-11-01T15:04:00+01:00",
		"2026-11-01T15:04:05Z": "2026-11-01T15:04:05Z",
		"3d":                   "2026-11-26T10:30:00+01:00",
		"2w":                   "2026-11-15T10:30:00+01:00",
		"12h":                  "2026-11-28T22:30:00+01:00",
		"90m":                  "2026-11-29T09:00:00+01:00",
		"0d":                   "2026-11-29T10:30:00+01:00",
	} {
		at, err := runs.ParseSince(text, now)
		if must(t, err); at.Format(time.RFC3339) != want {
			t.Errorf("%s: %s, want %s", text, at.Format(time.RFC3339), want)
		}
	}
	for _, bad := range []string{"", "d", "-3d", "3", "3.5d", "3s", "2026-13-01", "2026-02-30", "yesterday", "4294967295w", "99999999999999999999h"} {
		if at, err := runs.ParseSince(bad, now); err == nil {
			t.Errorf("%q is read as %s", bad, at)
		}
	}
	r := runs.Run{Updated: now}
	for at, want := range map[time.Time]bool{now: true, now.Add(time.Second): false, now.Add(-time.Second): true, {}: true} {
		if (&runs.Filter{Since: at}).Has(&r) != want {
			t.Errorf("since %s: %v", at, !want)
		}
	}
	if (&runs.Filter{Since: now}).Has(&runs.Run{}) {
		t.Error("a run of unknown time is since now")
	}
}

// TestNewest takes the latest run with results of several, and counts them.
func TestNewest(t *testing.T) {
	out := t.TempDir()
	first, second := complete(t, out, "0123456789ab"), complete(t, out, "0123456789cd")
	early, late := time.Unix(1000, 0), time.Unix(2000, 0)
	must(t, os.Chtimes(filepath.Join(first, "COMPLETE"), late, late))
	must(t, os.Chtimes(filepath.Join(second, "COMPLETE"), early, early))
	must(t, runs.SetTags(first, []string{"demo2", "0123456789cd"}))
	for text, want := range map[string]struct {
		dir string
		fit int
	}{
		"demo": {first, 2}, "last": {first, 2}, filepath.Join(out, "demo"): {first, 2}, "012": {first, 2},
		second: {second, 1}, "demo/0123456789cd": {second, 1}, "demo2": {first, 1},
		"0123456789cd": {first, 1}, // a tag comes before a hash
	} {
		if r, fit, err := runs.Newest(out, text); err != nil || r.Dir != want.dir || fit != want.fit {
			t.Errorf("%s: %s of %d, %v; want %s of %d", text, r.Dir, fit, err, want.dir, want.fit)
		}
	}
	if r, err := runs.Find(out, "last"); err != nil || r.Dir != first {
		t.Errorf("last: %s, %v", r.Dir, err)
	}
	must(t, os.Remove(filepath.Join(first, "metrics.parquet")))
	if r, fit, err := runs.Newest(out, "demo"); err != nil || r.Dir != second || fit != 2 {
		t.Errorf("beside a damaged one: %s of %d, %v", r.Dir, fit, err)
	}
	if _, _, err := runs.Newest(out, out); !errors.Is(err, runs.ErrNone) {
		t.Errorf("two levels up: %v", err)
	}
	if names := runs.Names(out); !slices.Equal(names, []string{"0123456789cd", "demo", "demo2", "last"}) {
		t.Errorf("names %q", names)
	}
}
