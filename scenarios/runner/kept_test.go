package runner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/jobs"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// TestNothingRunsTwice changes a scenario after a run: what of its jobs is the same is not
// run again, and the results are those of a run in an empty folder, manifest and all files.
func TestNothingRunsTwice(t *testing.T) {
	const (
		two   = "sweep={grid: {mechanism.epsilon: [1, 2]}}"
		three = "sweep={grid: {mechanism.epsilon: [0.5, 1, 2]}}"
	)
	for i, test := range []struct {
		name, text    string
		before, after []string
		ran           int // jobs of the second run that are new
	}{
		{"more seeds", scenariotest.Base, []string{two}, []string{two, "seeds.count=5"}, 2 * 3},
		{"fewer seeds", scenariotest.Base, []string{two, "seeds.count=5"}, []string{two, "seeds.count=3"}, 2}, // their notes may take less work
		{"an arm more", scenariotest.Base, []string{two}, []string{three}, 2},
		{"an arm less, and seeds", scenariotest.Base, []string{three}, []string{two, "seeds.count=3"}, 2},
		{"from no sweep", scenariotest.Base, nil, []string{two}, 2},
		{"arms of other names", scenariotest.Base, []string{two},
			[]string{"sweep={list: [{name: b, set: {mechanism.epsilon: 2}}, {name: a, set: {mechanism.epsilon: 1}}]}"}, 0},
		{"long jobs, and arms of other names", scenariotest.Base, []string{two, "horizon=1000", "measure={every: 1}"},
			[]string{"sweep={list: [{name: b, set: {mechanism.epsilon: 2}}, {name: a, set: {mechanism.epsilon: 1}}]}", "horizon=1000", "measure={every: 1}", "seeds.count=3"}, 2},
		{"figures and texts", scenariotest.Base, []string{two},
			[]string{two, "description=other", "plots=[{name: x, y: regret.expected}]", "checkpoint={every: 5}"}, 0},
		{"a value", scenariotest.Base, []string{two}, []string{two, "horizon=13"}, 4},
		{"what is measured", scenariotest.Base, []string{two}, []string{two, "measure={every: 4}"}, 4},
		{"what a figure needs", scenariotest.Base, []string{two}, []string{two, "plots=[{name: x, y: loss.mean}]"}, 4},
		{"another first seed", scenariotest.Base, []string{two}, []string{two, "seeds.base=2"}, 4},
		{"more seeds of learners", scenariotest.Learning, nil, []string{"seeds.count=5"}, 3},
		{"models", scenariotest.Trained, []string{"measure={model: true}", "seeds.count=1"}, []string{"measure={model: true}", "seeds.count=2"}, 1},
	} {
		if !testneeds.Some(i, 4) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			load := func(sets []string) *study.Scenario { return scenariotest.LoadText(t, test.text, sets...) }
			fresh := manifestOf(t, scenariotest.DrawnIn(t, load(test.after), runner.RunOptions{}))
			options := runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep}
			scenariotest.RunIn(t, load(test.before), options)
			s := load(test.after)
			missing, err := runner.Missing(s, options)
			if err != nil || len(missing) != test.ran {
				t.Errorf("%d jobs are said to be missing (%v), want %d", len(missing), err, test.ran)
			}
			outcome := scenariotest.DrawnIn(t, s, options)
			if diff := cmp.Diff(fresh, manifestOf(t, outcome)); diff != "" {
				t.Errorf("manifest (-fresh +extended):\n%s", diff)
			}
			if ran := jobs.Count(s) - outcome.Adopted; ran != test.ran || outcome.Existing {
				t.Errorf("%d jobs ran, want %d", ran, test.ran)
			}
			options.Again = true
			if missing, err = runner.Missing(s, options); err != nil || len(missing) != jobs.Count(s) {
				t.Errorf("again: %d jobs are said to be missing (%v), want all %d", len(missing), err, jobs.Count(s))
			}
			again := scenariotest.DrawnIn(t, load(test.after), options)
			if diff := cmp.Diff(fresh, manifestOf(t, again)); diff != "" || again.Adopted > 0 {
				t.Errorf("again, with %d jobs of others:\n%s", again.Adopted, diff)
			}
		})
	}
}

// TestOtherBuildsAreNotTakenOver checks that a job of one build is none of another's.
func TestOtherBuildsAreNotTakenOver(t *testing.T) {
	out := t.TempDir()
	scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Base), runner.RunOptions{Out: out, Build: "a"})
	outcome := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Base, "seeds.count=4"), runner.RunOptions{Out: out, Build: "b"})
	if outcome.Adopted != 0 {
		t.Errorf("%d jobs of another build", outcome.Adopted)
	}
}

// TestDamagedJobsAreSaid checks that a job of another run that is damaged runs again, and that
// readers are told.
func TestDamagedJobsAreSaid(t *testing.T) {
	out := t.TempDir()
	before := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Base), runner.RunOptions{Out: out})
	journals, err := filepath.Glob(filepath.Join(before.Dir, "jobs", "*.journal"))
	if err != nil || len(journals) != 1 {
		t.Fatal(journals, err)
	}
	text, err := os.ReadFile(journals[0])
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-40] ^= 4 // of the last record's body
	if err := os.WriteFile(journals[0], text, 0o644); err != nil {
		t.Fatal(err)
	}
	more := func() *study.Scenario { return scenariotest.LoadText(t, scenariotest.Base, "seeds.count=4") }
	fresh := manifestOf(t, scenariotest.RunIn(t, more(), runner.RunOptions{}))
	outcome := scenariotest.RunIn(t, more(), runner.RunOptions{Out: out})
	if diff := cmp.Diff(fresh, manifestOf(t, outcome)); diff != "" || outcome.Adopted != 1 {
		t.Errorf("%d jobs were taken over, want 1; manifest (-fresh +extended):\n%s", outcome.Adopted, diff)
	}
	want := "1 of the jobs that " + filepath.Dir(journals[0]) + " has cannot be used, and ran again: "
	if len(outcome.Warnings) != 1 || !strings.HasPrefix(outcome.Warnings[0], want) || !strings.Contains(outcome.Warnings[0], "is damaged") {
		t.Errorf("warnings %q, want %q", outcome.Warnings, want)
	}
}

// TestDamagedJobsAreMissing damages all jobs of a run: all are said to be missing, and not the
// first alone.
func TestDamagedJobsAreMissing(t *testing.T) {
	options := runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep}
	s := scenariotest.LoadText(t, scenariotest.Base)
	file := filepath.Join(scenariotest.RunIn(t, s, options).Dir, "jobs", "finished.journal")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text[100] ^= 4 // of the first body
	text[len(text)-40] ^= 4
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if missing, err := runner.Missing(s, options); err != nil || !slices.Equal(missing, []int{0, 1}) {
		t.Errorf("the jobs %d are said to be missing (%v), want 0 and 1", missing, err)
	}
}

// TestCutJobsAreSaid cuts the last record of another run short, by a few bytes and by nearly all:
// its job runs again, and readers are told of the file.
func TestCutJobsAreSaid(t *testing.T) {
	for _, left := range []int64{-9, 3} {
		out := t.TempDir()
		before := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Base, "seeds.count=1"), runner.RunOptions{Out: out})
		file := filepath.Join(before.Dir, "jobs", "finished.journal")
		size := func() int64 {
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			return info.Size()
		}
		cut := (size() + left) % size()
		if err := os.Truncate(file, cut); err != nil {
			t.Fatal(err)
		}
		outcome := scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Base, "seeds.count=2"), runner.RunOptions{Out: out})
		want := fmt.Sprintf("%s is cut short: of its last record, which begins at byte 0, there are %d bytes; a run that has the job makes it again", file, cut)
		if outcome.Adopted != 0 || !slices.Equal(outcome.Warnings, []string{want}) {
			t.Errorf("%d jobs were taken over; warnings %q, want %q", outcome.Adopted, outcome.Warnings, want)
		}
	}
}

// TestFailedJobsAreMissing checks that a job that failed is said to be missing, as it is tried
// again.
func TestFailedJobsAreMissing(t *testing.T) {
	load := func() *study.Scenario {
		return scenariotest.LoadText(t, scenariotest.Base, "sweep={list: [{name: a, set: {}}, {name: b, set: {algorithm.theta: 0.01}}]}", "seeds.count=2", "mechanism.epsilon=none", "algorithm.gradient_bound=error")
	}
	options := runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep}
	outcome, err := runner.Run(load(), t.Context(), options)
	if err != nil || len(outcome.Failures) != 1 {
		t.Fatalf("%v, failures %v", err, outcome)
	}
	if missing, err := runner.Missing(load(), options); err != nil || !slices.Equal(missing, []int{2, 3}) {
		t.Errorf("the jobs %d are said to be missing (%v), want those of the arm that failed, 2 and 3", missing, err)
	}
}

// TestNotesHold checks when the notes of a first job are those that another run would make.
func TestNotesHold(t *testing.T) {
	left, whole := study.Note{Value: "left out: it would take too long"}, study.Note{Value: "3"}
	for _, test := range []struct {
		note         study.Note
		made, wanted study.EffortExtent
		seeds, now   int
		want         bool
	}{
		{whole, study.Brief, study.Brief, 4, 8, true},
		{whole, study.Brief, study.Brief, 8, 4, false}, // it might be left out
		{left, study.Brief, study.Brief, 4, 4, true},
		{left, study.Brief, study.Brief, 4, 8, false}, // it might be made
		{left, study.Brief, study.All, 4, 4, false},
		{whole, study.Brief, study.All, 4, 2, true},
		{whole, study.All, study.All, 8, 4, true},
		{whole, study.All, study.Brief, 4, 8, false},
		{whole, study.Usual, study.Brief, 4, 8, false},
	} {
		r := jobs.Result{Notes: []study.Note{whole, test.note}, NoteSeeds: test.seeds, NoteTheory: test.made}
		if got := r.NotesHold(test.now, test.wanted); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// TestKeys checks what tells jobs apart: all that their bits depend on, and nothing else.
func TestKeys(t *testing.T) {
	keys := func(build string, sets ...string) []string {
		var list []string
		for _, key := range jobs.Keys(scenariotest.LoadText(t, scenariotest.Base, sets...), build) {
			list = append(list, key.String())
		}
		return list
	}
	want := keys("a")
	if want[0] == want[1] {
		t.Error("two seeds have one key")
	}
	for _, same := range [][]string{{"name=other"}, {"description=x"}, {"seeds.count=7"}, {"plots=[{name: x, y: regret.expected}]"}, {"sweep={grid: {horizon: [12, 13]}}"}, {"sweep={grid: {horizon: [12, 13]}, conditions: [horizon]}"}, {"measure={headline: consensus.error}"}} {
		if got := keys("a", same...); !slices.Equal(got[:2], want) {
			t.Errorf("%q: %q, want %q", same, got, want)
		}
	}
	for _, other := range [][]string{{"seeds.base=2"}, {"horizon=13"}, {"measure={every: 3}"}, {"network={kind: effects, loss: {probability: 0.1}}"}, {"problem.set.radius=2"}} {
		if got := keys("a", other...); slices.ContainsFunc(got, func(key string) bool { return slices.Contains(want, key) }) {
			t.Errorf("%q: %q, as %q", other, got, want)
		}
	}
	if keys("b")[0] == want[0] {
		t.Error("two builds have one key")
	}
}
