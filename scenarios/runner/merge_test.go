package runner_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/document"
	"starling/scenarios/jobs"
	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// runPart runs a part of a scenario and returns its folder.
func runPart(t *testing.T, s *study.Scenario, options runner.RunOptions, part, parts int) string {
	t.Helper()
	options.Part = jobs.Share{Part: part, Parts: parts}
	outcome, err := runner.RunPart(s, t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return outcome.Dir
}

// TestPartsMakeTheWhole divides runs into parts, each in a place of its own, and puts them
// together: the manifest, with the digest and the hash of every file, is that of a run on
// one machine, however many parts there are.
func TestPartsMakeTheWhole(t *testing.T) {
	for i, test := range []struct {
		name, text string
		sets       []string
		parts      []int
	}{
		{"equals", scenariotest.Base, []string{"sweep={grid: {mechanism.epsilon: [1, 2]}}", "seeds.count=3"}, []int{1, 2, 3, 16}},
		{"row groups of their own, and shared", scenariotest.Base, []string{"sweep={grid: {measure.every: [1, 10]}}", "horizon=1000", "seeds.count=3"}, []int{1, 2, 3, 16}},
		{"nodes of long jobs", scenariotest.Base, []string{"plots=[{name: x, y: regret.node, by: node}]", "horizon=1000", "measure={every: 1}"}, []int{2}},
		{"learners", scenariotest.Learning, []string{"seeds.count=3", "plots=[{name: x, y: regret.static}]"}, []int{2}},
		{"models", scenariotest.Trained, []string{"measure={model: true}", "seeds.count=2"}, []int{2}},
		{"nodes", scenariotest.Base, []string{"plots=[{name: x, y: regret.node, by: node}]", "seeds.count=5"}, []int{2}},
	} {
		if !testneeds.Some(i+1, 2) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			load := func() *study.Scenario { return scenariotest.LoadText(t, test.text, test.sets...) }
			want := manifestOf(t, scenariotest.DrawnIn(t, load(), runner.RunOptions{Engine: runner.Actors}))
			for _, parts := range test.parts {
				var dirs []string
				for k := range parts {
					dirs = append(dirs, runPart(t, load(), runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep}, parts-k, parts))
				}
				options := runner.RunOptions{Out: t.TempDir()}
				outcome, err := runner.Merge(t.Context(), dirs, scenariotest.Loader(t), options)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, manifestOf(t, outcome)); diff != "" {
					t.Errorf("%d parts (-whole +merged):\n%s", parts, diff)
				}
				if left := results.Leftovers(outcome.Dir); left != nil {
					t.Errorf("%q are left", left)
				}
				// What was put together is of use to a run of more seeds.
				options.Engine = runner.Lockstep
				more := scenariotest.LoadText(t, test.text, append(test.sets, "seeds.count=7")...)
				if missing, err := runner.Missing(more, options); err != nil || len(missing) != jobs.Count(more)-jobs.Count(load()) {
					t.Errorf("%d of %d jobs are missing (%v)", len(missing), jobs.Count(more), err)
				}
			}
		})
	}
}

// TestPartsOfOneFolder checks that a run in the folder of its parts takes them over, and
// that a part takes over what a run of fewer seeds has left.
func TestPartsOfOneFolder(t *testing.T) {
	options := runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep}
	load := func(seeds int) *study.Scenario {
		return scenariotest.LoadText(t, scenariotest.Base, fmt.Sprintf("seeds.count=%d", seeds))
	}
	want := manifestOf(t, scenariotest.DrawnIn(t, load(6), runner.RunOptions{}))
	scenariotest.RunIn(t, load(3), options)
	options.Part = jobs.Share{Part: 1, Parts: 2}
	outcome, err := runner.RunPart(load(6), t.Context(), options)
	if err != nil || outcome.Adopted != 2 { // seeds 1 and 3, and 5 is new
		t.Fatalf("%d jobs were there, want 2 (%v)", outcome.Adopted, err)
	}
	options.Part = jobs.Share{}
	whole := scenariotest.DrawnIn(t, load(6), options)
	if diff := cmp.Diff(want, manifestOf(t, whole)); diff != "" || whole.Adopted != 4 {
		t.Errorf("%d jobs were there, want 4 (-fresh +of parts):\n%s", whole.Adopted, diff)
	}
}

// TestKilledPartGoesOn interrupts a part, finds it unfinished, and goes on with it.
func TestKilledPartGoesOn(t *testing.T) {
	load := func() *study.Scenario { return long(t, "seeds.count=4") }
	want := manifestOf(t, scenariotest.DrawnIn(t, load(), runner.RunOptions{}))
	out := t.TempDir()
	options := runner.RunOptions{Out: out, Engine: runner.Lockstep, Part: jobs.Share{Part: 2, Parts: 2}}
	runPart(t, load(), options, 1, 2)
	ctx, cancel := context.WithCancel(t.Context())
	options.Progress = &runner.Progress{}
	s := load()
	scenariotest.Rig(s.Arms[0], nil, func(seed uint64, own func(uint64) (*study.Job, error)) (*study.Job, error) {
		if seed == 4 {
			cancel()
		}
		return own(seed)
	})
	if _, err := runner.RunPart(s, ctx, options); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	_, err := runner.Merge(t.Context(), []string{out}, scenariotest.Loader(t), runner.RunOptions{Out: t.TempDir()})
	checkBadInput(t, err, "part 2/2 in", "is unfinished, with", "of 2 runs; this goes on with it:", "--part 2/2 --out")
	outcome, err := runner.RunPart(load(), t.Context(), options)
	if err != nil || !outcome.Resumed {
		t.Fatalf("resumed: %v, %v", outcome.Resumed, err)
	}
	merged, err := runner.Merge(t.Context(), []string{out}, scenariotest.Loader(t), runner.RunOptions{Out: out})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, manifestOf(t, merged)); diff != "" {
		t.Errorf("(-whole +merged):\n%s", diff)
	}
}

// checkBadInput checks that an error is of bad input and says all that is wanted.
func checkBadInput(t *testing.T, err error, wants ...string) {
	t.Helper()
	var input *document.InputError
	if !errors.As(err, &input) {
		t.Fatalf("not bad input: %v", err)
	}
	for _, want := range wants {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %q", err, want)
		}
	}
}

// TestPartsThatDoNotFit checks what Merge refuses, by name, and that it writes nothing.
func TestPartsThatDoNotFit(t *testing.T) {
	load := func() *study.Scenario { return scenariotest.LoadText(t, scenariotest.Base) }
	whole := runPart(t, load(), runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep, Build: "a", Version: "1"}, 1, 2)
	identity := func(dir, old, new string) {
		path := filepath.Join(results.Checkpoints(dir), "identity.json")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name   string
		change func(dir string)
		wants  []string
	}{
		{"nothing", func(string) {}, nil},
		{"another build", func(dir string) { identity(dir, `"build":"a"`, `"build":"b"`) }, []string{"part 2/2 in", "made by another build, b (version 1); this is a (version 1)"}},
		{"another version", func(dir string) {
			identity(dir, `"build":"a"`, `"build":"b"`)
			identity(dir, `"version":"1"`, `"version":"2"`)
		}, []string{"made by another build, b (version 2); this is a (version 1)"}},
		{"other arithmetic", func(dir string) { identity(dir, results.Arithmetic(), "0000") }, []string{"part 2/2 in", "other arithmetic, 0000; this process has " + results.Arithmetic()}},
		{"other data", func(dir string) { identity(dir, `"hash":"`, `"hash":"f`) }, []string{"part 2/2 in", "is of another scenario or other data than", "the data are not"}},
		{"damaged", func(dir string) {
			path := filepath.Join(results.Checkpoints(dir), "finished.journal")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text[len(text)-1] ^= 1
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}, []string{"part 2/2 in", "is damaged at byte 0", "this makes it again", "--again"}},
		{"no journal", func(dir string) { os.Remove(filepath.Join(results.Checkpoints(dir), "finished.journal")) }, []string{"unfinished, with 0 of 1 runs"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			other := runPart(t, load(), runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep, Build: "a", Version: "1"}, 2, 2)
			test.change(other)
			out := filepath.Join(t.TempDir(), "out")
			_, err := runner.Merge(t.Context(), []string{whole, other}, scenariotest.Loader(t), runner.RunOptions{Out: out, Build: "a", Version: "1"})
			if test.wants == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			checkBadInput(t, err, test.wants...)
			if left, err := filepath.Glob(filepath.Join(out, "*", "*")); err != nil || len(left) > 0 {
				t.Errorf("%q were written (%v)", left, err)
			}
		})
	}
	if saved, err := checkpoint.Exists(results.Checkpoints(whole)); !saved || err != nil {
		t.Error("a part was removed")
	}
}
