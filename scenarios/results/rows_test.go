package results

import (
	"math"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
)

// wide is a run of two arms with so many seeds each, and in each job so many steps of two
// metrics of the run and one of three nodes.
func wide(t *testing.T, seeds, steps int) *Run {
	t.Helper()
	o, m := testOptions(), testManifest(StatusComplete)
	o.Plan.Seeds = Seeds{Base: 1, Count: seeds}
	m.Seeds, m.Horizon = o.Plan.Seeds, int64(steps)
	dir := filepath.Join(t.TempDir(), "run")
	folder := create(t, dir, o)
	for i := range o.Plan.jobs() {
		job := NewJob(o.Plan.job(i))
		for step := range int64(steps) {
			job.Add(step+1, "a", float64(step)*float64(i))
			job.Add(step+1, "b", math.NaN())
			for node := range int32(3) {
				job.AddNode(step+1, node, "n", float64(node))
			}
		}
		must(t, job.Encode())
		must(t, folder.WriteJob(job))
	}
	must(t, folder.Commit(m))
	must(t, folder.Close())
	run, err := Open(dir)
	must(t, err)
	return run
}

// TestRowsByColumns holds what is read by columns to what is read row by row.
func TestRowsByColumns(t *testing.T) {
	run := wide(t, 3, 40)
	var want []Row
	must(t, readTable[metricRecord](run.path(metricsName), func(v parquet.Row) error {
		row := Row{Arm: string(v[0].ByteArray()), Seed: v[1].Uint64(), Step: v[2].Int64(), Metric: string(v[4].ByteArray()), Value: v[5].Double()}
		if !v[3].IsNull() {
			node := v[3].Int32()
			row.Node = &node
		}
		want = append(want, row)
		return nil
	}))
	if len(want) != 6*40*5 {
		t.Fatalf("%d rows", len(want))
	}
	var all, level, job, wantLevel, wantJob []Row
	keep := func(list *[]Row) func(Row) error {
		return func(row Row) error { *list = append(*list, row); return nil }
	}
	must(t, run.Rows(keep(&all)))
	must(t, run.RunLevel(keep(&level)))
	must(t, run.OfJob("base", 3, keep(&job)))
	for _, row := range want {
		if row.Node == nil {
			wantLevel = append(wantLevel, row)
		}
		if row.Seed == 3 && row.Arm == "base" {
			wantJob = append(wantJob, row)
		}
	}
	for what, pair := range map[string][2][]Row{"Rows": {want, all}, "RunLevel": {wantLevel, level}, "OfJob": {wantJob, job}} {
		if diff := cmp.Diff(pair[0], pair[1], cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", what, diff)
		}
	}
	if err := run.OfJob("other", 3, func(Row) error { t.Error("a row of another arm"); return nil }); err != nil {
		t.Error(err)
	}

	var summary, wantSummary []SummaryRow
	must(t, run.Summary(func(row SummaryRow) error { summary = append(summary, row); return nil }))
	must(t, readTable[summaryRecord](run.path(summaryName), func(v parquet.Row) error {
		row := SummaryRow{Arm: string(v[0].ByteArray()), Step: v[1].Int64(), Metric: string(v[2].ByteArray()), Mean: v[3].Double(), SE: math.NaN(), N: v[5].Int64()}
		if !v[4].IsNull() {
			row.SE = v[4].Double()
		}
		wantSummary = append(wantSummary, row)
		return nil
	}))
	if diff := cmp.Diff(wantSummary, summary, cmpopts.EquateNaNs()); diff != "" || len(summary) == 0 {
		t.Errorf("Summary: -want +got:\n%s", diff)
	}
}

// TestLargeRunsTakeLittleMemory reads a run of 400,000 rows, and demands that memory is taken
// by the row group and not by the row or the run: a view of ten million rows must fit.
func TestLargeRunsTakeLittleMemory(t *testing.T) {
	run := wide(t, 40, 1000)
	rows := 0
	taken := func(read func() error) float64 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		must(t, read())
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(rows)
	}
	must(t, run.Rows(func(Row) error { rows++; return nil }))
	all := taken(func() error { return run.Rows(func(Row) error { return nil }) })
	one := taken(func() error { return run.OfJob("base", 3, func(Row) error { return nil }) })
	if rows != 400_000 || all > 120 || one > all/3 {
		t.Errorf("%d rows: %.0f bytes a row to read all, %.0f to read one job of 80", rows, all, one)
	}
	t.Logf("%.1f bytes a row to read all, %.1f to read one job", all, one)
}
