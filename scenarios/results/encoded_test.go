package results

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"starling/messages"
)

// longJob is a job of so many rows; every nth of them is of no node, none at 0 and all at 1.
func longJob(arm string, seed uint64, rows, nth int) *Job {
	job := NewJob(arm, seed)
	for i := range rows {
		value := math.Sin(float64(i) + float64(seed))
		if nth > 0 && i%nth == 0 {
			job.Add(int64(i), fmt.Sprintf("run.%d", i%3), value)
		} else {
			job.AddNode(int64(i/7), int32(i*i%11), "node.b", value)
		}
	}
	return job
}

// again is a job that was written and read, in an arm of that name.
func again(t *testing.T, job *Job, arm string) *Job {
	t.Helper()
	read := NewJob(arm, job.Seed())
	must(t, messages.Read(messages.Write(nil, job), read))
	return read
}

// flatRows are the rows of a job, loaded if need be.
func flatRows(t *testing.T, job *Job) (list []flat) {
	t.Helper()
	must(t, job.Load())
	for row := range job.Rows() {
		list = append(list, flatten(row))
	}
	return list
}

// TestEncodedJobs writes and reads jobs with row groups of their own, and decodes them: all
// rows come back, and those of no node alone for the summary.
func TestEncodedJobs(t *testing.T) {
	for _, test := range []struct{ rows, nth int }{
		{0, 0}, {ownRows - 1, 5}, {ownRows, 5}, {ownRows, 1}, {ownRows + 1, 0}, {3 * ownRows, 2}, {rowsPerGroup + 3, 4},
	} {
		t.Run(fmt.Sprintf("%d rows, 1 in %d", test.rows, test.nth), func(t *testing.T) {
			job := longJob("a", 3, test.rows, test.nth)
			must(t, job.Encode())
			read := again(t, job, "a")
			if own := test.rows >= ownRows; (read.table != nil) != own || read.unread != own || read.Len() != test.rows {
				t.Fatalf("%d rows, encoded: %v", read.Len(), read.table != nil)
			}
			var want, got []SummaryRow
			for _, s := range []struct {
				job  *Job
				rows *[]SummaryRow
			}{{job, &want}, {read, &got}} {
				summary := NewSummarizer([]string{"a"})
				must(t, summary.AddJob(s.job))
				*s.rows = summary.Rows()
			}
			if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(got)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(flatRows(t, job), flatRows(t, read)); diff != "" {
				t.Error(diff)
			}
			// The same rows in an arm of another name.
			other := longJob("b", 3, test.rows, test.nth)
			must(t, other.Encode())
			renamed := again(t, job, "b")
			if test.rows >= ownRows && renamed.table.text != other.table.text {
				t.Error("a job that was read into an arm of another name is encoded otherwise")
			}
		})
	}
}

// TestJobsAreCopied writes long and short jobs in every order: the file is the same whether
// jobs were read or ran, and has the row groups of long jobs byte for byte.
func TestJobsAreCopied(t *testing.T) {
	write := func(t *testing.T, plan Plan, jobs []*Job) string {
		path := filepath.Join(t.TempDir(), metricsName)
		writer, err := NewWriter(path, plan)
		must(t, err)
		for _, job := range jobs {
			must(t, writer.WriteJob(job))
		}
		must(t, writer.Commit())
		text, err := os.ReadFile(path)
		must(t, err)
		return string(text)
	}
	rapid.Check(t, func(r *rapid.T) {
		rows := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 1000, ownRows - 1, ownRows, ownRows + 77}), 1, 6).Draw(r, "rows")
		plan := Plan{Arms: []string{"a"}, Seeds: Seeds{Base: 1, Count: len(rows)}}
		var ran, read []*Job
		for i, n := range rows {
			job := longJob("a", 1+uint64(i), n, 3)
			ran = append(ran, longJob("a", 1+uint64(i), n, 3))
			if rapid.Bool().Draw(r, "encoded") {
				must(t, job.Encode())
			}
			read = append(read, again(t, job, "a"))
		}
		text := write(t, plan, ran)
		if text != write(t, plan, read) {
			r.Fatal("jobs that were read make another file than those that ran")
		}
		for i, job := range read {
			if rows[i] < ownRows {
				continue
			}
			for _, chunk := range job.table.file.Metadata().RowGroups[0].Columns {
				at := chunk.MetaData.DataPageOffset
				if d := chunk.MetaData.DictionaryPageOffset; d != 0 {
					at = d
				}
				if !strings.Contains(text, job.table.text[at:at+chunk.MetaData.TotalCompressedSize]) {
					r.Fatalf("column %v of job %d was not copied", chunk.MetaData.PathInSchema, i)
				}
			}
		}
	})
}

// TestManyJobsShareRowGroups checks that a run of more jobs than mostOwn has no row groups by
// job, and still has all rows.
func TestManyJobsShareRowGroups(t *testing.T) {
	path := filepath.Join(t.TempDir(), metricsName)
	writer, err := NewWriter(path, Plan{Arms: []string{"a"}, Seeds: Seeds{Count: mostOwn + 1}})
	must(t, err)
	for seed := range 3 {
		job := longJob("a", uint64(seed), ownRows, 3)
		must(t, job.Encode())
		must(t, writer.WriteJob(again(t, job, "a")))
	}
	must(t, writer.Commit())
	text, err := os.ReadFile(path)
	must(t, err)
	file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	must(t, err)
	if groups := file.RowGroups(); len(groups) != 1 || groups[0].NumRows() != 3*ownRows {
		t.Errorf("%d row groups, %d rows", len(groups), file.NumRows())
	}
}

// TestDamagedTable checks that rows that cannot be decoded are an error.
func TestDamagedTable(t *testing.T) {
	job := longJob("a", 1, ownRows, 3)
	must(t, job.Encode())
	text := []byte(job.table.text)
	for i := 100; i < len(text)/2; i++ {
		text[i] ^= 0x5a
	}
	job.table.text = string(text)
	read := again(t, job, "a") // the footer is whole
	if err := read.Load(); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("Load: %v", err)
	}
	if err := NewSummarizer([]string{"a"}).AddJob(read); err == nil {
		t.Error("AddJob of damaged rows succeeds")
	}
	job.table.text = "PAR1 and more"
	if err := messages.Read(messages.Write(nil, job), NewJob("a", 1)); err == nil {
		t.Error("a table without a footer is read")
	}
}
