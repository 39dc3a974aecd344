package results

import (
	"errors"
	"fmt"
)

// Writer streams jobs into a metrics.parquet. Its memory is bounded by the row group for a run
// of any length, but for the footer's entry for each row group. Equal rows give equal bytes.
// Jobs with many rows have row groups of their own, which are copied as Encode has made them;
// the others share row groups. Rows are encoded, hashed and written beside the caller. The
// first error sticks.
type Writer struct {
	path  string
	plan  Plan
	table *tableWriter[metricRecord]
	// behind writes to the table: nothing else does before Commit. empty has batches of rows
	// that are written, for reuse.
	behind *behind
	empty  chan *batch
	// rows takes the jobs that share row groups.
	rows rowWriter
	// jobs counts the jobs that are written.
	jobs  int
	ended bool // whether all rows are handed over
	err   error
}

// NewWriter starts the file that Commit will put at path. Every Writer ends
// with Commit or Abort.
func NewWriter(path string, plan Plan) (*Writer, error) {
	if err := plan.Validate(); err != nil {
		return nil, err
	}
	file, err := createTable[metricRecord](path, unboundedColumn)
	if err != nil {
		return nil, err
	}
	w := &Writer{path: path, plan: plan, table: file, behind: newBehind(), empty: make(chan *batch, 1)}
	w.rows = rowWriter{newBatch(), w.handOver}
	return w, nil
}

// handOver hands a batch over to be written, and returns another.
func (w *Writer) handOver(full *batch) (*batch, error) {
	err := w.behind.Do(func() error {
		err := w.table.Write(full.records)
		select {
		case w.empty <- full:
		default:
		}
		return err
	})
	if err != nil {
		return full, err
	}
	select {
	case next := <-w.empty:
		return next, nil
	default:
		return newBatch(), nil
	}
}

// Jobs is the number of jobs written so far.
func (w *Writer) Jobs() int { return w.jobs }

// WriteJob appends the rows of the plan's next job, in the order they were
// added. The job may be reused or dropped afterwards.
func (w *Writer) WriteJob(job *Job) error {
	if w.err == nil {
		w.err = w.writeJob(job)
	}
	return w.err
}

// writeJob is WriteJob of a writer without an error.
func (w *Writer) writeJob(job *Job) error {
	if err := w.accept(job); err != nil {
		return err
	}
	w.jobs++
	// Which jobs have row groups of their own depends on the plan and on their rows alone, and
	// not on earlier calls of Encode.
	if job.Len() >= ownRows && w.plan.jobs() <= mostOwn {
		return w.copyJob(job)
	}
	if err := job.Load(); err != nil {
		return err
	}
	return w.rows.add(job)
}

// copyJob appends the row groups of a job as Encode has made them. The row group that jobs
// share ends before them.
func (w *Writer) copyJob(job *Job) error {
	if err := job.Encode(); err != nil {
		return err
	}
	if err := w.rows.flush(); err != nil {
		return err
	}
	name, file := job.String(), job.table.file
	return w.behind.Do(func() error {
		if err := w.table.Copy(file); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

// accept reports why a job cannot be the next one.
func (w *Writer) accept(job *Job) error {
	if w.jobs == w.plan.jobs() {
		return fmt.Errorf("%v: all %d jobs of the run are already written", job, w.jobs)
	}
	if arm, seed := w.plan.job(w.jobs); job.arm != arm || job.seed != seed {
		return fmt.Errorf("%v is out of order: the next is (arm %q, seed %d)", job, arm, seed)
	}
	if err := job.Err(); err != nil {
		return fmt.Errorf("%v: %w", job, err)
	}
	return nil
}

// fail makes err the error that later calls return.
func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// end has all rows written: after it the table is the caller's. It returns the first error.
func (w *Writer) end() error {
	if w.err == nil && !w.ended {
		w.err = w.rows.flush()
	}
	w.ended = true
	if err := w.behind.Wait(); w.err == nil {
		w.err = err
	}
	return w.err
}

// Commit ends the file and gives it its final name. After an error nothing is
// left under that name that was not there before.
func (w *Writer) Commit() error {
	if w.end() != nil {
		w.Abort()
		return w.err
	}
	if err := w.table.Commit(); err != nil {
		w.err = err
		return err
	}
	w.err = errors.New("write " + w.path + ": already committed")
	return nil
}

// Abort drops the file. After Commit it does nothing, so that it can be
// deferred.
func (w *Writer) Abort() {
	w.behind.Wait()
	w.table.Abort()
}
