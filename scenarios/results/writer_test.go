package results

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"
)

// flat is a Row that can be compared by value, bit by bit.
type flat struct {
	Arm, Metric string
	Seed, Bits  uint64
	Step        int64
	Node        int64 // -1 for a run-level metric
}

func flatten(row Row) flat {
	f := flat{row.Arm, row.Metric, row.Seed, math.Float64bits(row.Value), row.Step, -1}
	if row.Node != nil {
		f.Node = int64(*row.Node)
	}
	return f
}

// TestRowsRoundTrip writes random jobs and reads them back: every bit of every
// value, and the difference between node 0 and no node.
func TestRowsRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), metricsName)
	rapid.Check(t, func(t *rapid.T) {
		plan := Plan{
			Arms:  rapid.SliceOfNDistinct(rapid.StringN(1, 8, -1), 1, 3, rapid.ID).Draw(t, "arms"),
			Seeds: Seeds{Base: rapid.Uint64Range(0, math.MaxUint64-3).Draw(t, "base"), Count: rapid.IntRange(1, 3).Draw(t, "count")},
		}
		writer, err := NewWriter(path, plan)
		if err != nil {
			t.Fatal(err)
		}
		var want []flat
		for i := range plan.jobs() {
			job := drawJob(t, plan, i)
			for row := range job.Rows() {
				want = append(want, flatten(row))
			}
			if err := writer.WriteJob(job); err != nil {
				t.Fatal(err)
			}
		}
		if err := writer.Commit(); err != nil {
			t.Fatal(err)
		}
		var got []flat
		run := &Run{Dir: filepath.Dir(path)}
		if err := run.Rows(func(row Row) error { got = append(got, flatten(row)); return nil }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		want = slices.DeleteFunc(want, func(f flat) bool { return f.Node >= 0 })
		got = nil
		if err := run.RunLevel(func(row Row) error { got = append(got, flatten(row)); return nil }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(want, got) {
			t.Fatalf("rows of no node (-want +got):\n%s", cmp.Diff(want, got))
		}
	})
}

func drawJob(t *rapid.T, plan Plan, i int) *Job {
	job := NewJob(plan.job(i))
	for range rapid.IntRange(0, 20).Draw(t, "rows") {
		step := rapid.Int64().Draw(t, "step")
		metric := rapid.SampledFrom([]string{"regret.network", "loss", "ε"}).Draw(t, "metric")
		value := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if rapid.Bool().Draw(t, "at a node") {
			job.AddNode(step, rapid.Int32Min(0).Draw(t, "node"), metric, value)
		} else {
			job.Add(step, metric, value)
		}
	}
	return job
}

// TestLongRunIsCutIntoRowGroups checks what bounds the writer's memory.
func TestLongRunIsCutIntoRowGroups(t *testing.T) {
	const rows = rowsPerGroup + 5
	path := filepath.Join(t.TempDir(), metricsName)
	writer, err := NewWriter(path, Plan{Arms: []string{"a"}, Seeds: Seeds{Count: 1}})
	must(t, err)
	job := NewJob("a", 0)
	for i := range int64(rows) {
		job.AddNode(i/100, int32(i%100), "loss", float64(i))
	}
	must(t, writer.WriteJob(job))
	must(t, writer.Commit())

	next := 0.0
	run := &Run{Dir: filepath.Dir(path)}
	must(t, run.Rows(func(row Row) error {
		if row.Value != next || *row.Node != int32(int(next)%100) {
			t.Fatalf("row %v has value %v at node %d", next, row.Value, *row.Node)
		}
		next++
		return nil
	}))
	if next != rows {
		t.Errorf("%v rows, want %d", next, rows)
	}
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	info, err := file.Stat()
	must(t, err)
	opened, err := parquet.OpenFile(file, info.Size())
	must(t, err)
	var groups []int64
	for _, group := range opened.RowGroups() {
		groups = append(groups, group.NumRows())
	}
	if diff := cmp.Diff([]int64{rowsPerGroup, 5}, groups); diff != "" {
		t.Error(diff)
	}
}

func TestWriteJobRefuses(t *testing.T) {
	negative := NewJob("base", testPlan.Seeds.Base)
	negative.Add(1, "ok", 1)
	negative.AddNode(1, -1, "loss", 1)
	nameless := NewJob("base", testPlan.Seeds.Base)
	nameless.Add(1, "", 1)
	tests := map[string]struct {
		jobs []*Job
		want string
	}{
		"second seed first": {testJobs()[1:2], "out of order"},
		"second arm first":  {testJobs()[3:4], "out of order"},
		"twice":             {[]*Job{testJobs()[0], testJobs()[0]}, "out of order"},
		"too many":          {append(testJobs(), testJobs()[0]), "all 6 jobs"},
		"negative node":     {[]*Job{negative}, "row 2"},
		"empty metric":      {[]*Job{nameless}, "empty"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), metricsName)
			writer, err := NewWriter(path, testPlan)
			must(t, err)
			for _, job := range test.jobs[:len(test.jobs)-1] {
				must(t, writer.WriteJob(job))
			}
			if err := writer.WriteJob(test.jobs[len(test.jobs)-1]); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("WriteJob: %v, want an error with %q", err, test.want)
			}
			if writer.Commit() == nil {
				t.Error("Commit after a refused job succeeds")
			}
			requireEmpty(t, filepath.Dir(path))
		})
	}
}

// TestFullDisk sends the temporary file to /dev/full, where every write fails
// as on a full disk.
func TestFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	path := filepath.Join(t.TempDir(), metricsName)
	must(t, os.Symlink("/dev/full", path+".partial"))
	writer, err := NewWriter(path, Plan{Arms: []string{"base"}, Seeds: Seeds{Base: testPlan.Seeds.Base, Count: 1}})
	must(t, err)
	must(t, writer.WriteJob(testJobs()[0])) // still in memory
	err = writer.Commit()
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), path) {
		t.Errorf("Commit: %v, want ENOSPC with %s", err, path)
	}
	requireEmpty(t, filepath.Dir(path))
}

func requireEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, entry := range entries {
		t.Errorf("%s was left behind", entry.Name())
	}
}

// BenchmarkWriteJob streams jobs of 100,000 rows.
func BenchmarkWriteJob(b *testing.B) {
	writer, err := NewWriter(filepath.Join(b.TempDir(), metricsName), Plan{Arms: []string{"a"}, Seeds: Seeds{Count: b.N}})
	if err != nil {
		b.Fatal(err)
	}
	job := NewJob("a", 0)
	for i := range 100_000 {
		job.AddNode(int64(i/100), int32(i%100), "loss", math.Sin(float64(i)))
	}
	for i := 0; b.Loop(); i++ {
		job.seed = uint64(i)
		writer.plan.Seeds.Count = i + 1
		if err := writer.WriteJob(job); err != nil {
			b.Fatal(err)
		}
	}
	if err := writer.Commit(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/row")
}
