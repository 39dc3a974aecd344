package results

import (
	"errors"
	"fmt"
)

// Writer streams jobs into a metrics.parquet. Its memory is bounded by the row
// group, whatever the length of the run; equal rows give equal bytes. The
// first error sticks.
type Writer struct {
	path  string
	plan  Plan
	table *tableWriter[metricRecord]
	// batch has at most rowsPerBatch records, and nodes what their Node points to: no
	// allocation for each row.
	batch []metricRecord
	nodes []int32 // what Node of batch points to, len rowsPerBatch
	// jobs counts those that are written.
	jobs int
	err  error
}

// NewWriter starts the file that Commit will put at path. Every Writer ends
// with Commit or Abort.
func NewWriter(path string, plan Plan) (*Writer, error) {
	if err := plan.Validate(); err != nil {
		return nil, err
	}
	table, err := createTable[metricRecord](path, "value")
	if err != nil {
		return nil, err
	}
	return &Writer{
		path:  path,
		plan:  plan,
		table: table,
		batch: make([]metricRecord, 0, rowsPerBatch),
		nodes: make([]int32, rowsPerBatch),
	}, nil
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
	for i := range job.samples {
		s := &job.samples[i]
		at := len(w.batch)
		record := metricRecord{Arm: job.arm, Seed: job.seed, Step: s.step, Metric: job.metrics[s.metric], Value: s.value}
		if s.node != noNode {
			w.nodes[at] = s.node
			record.Node = &w.nodes[at]
		}
		w.batch = append(w.batch, record)
		if len(w.batch) == rowsPerBatch {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	w.jobs++
	return nil
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

// flush hands the batch over. Batches have the same size whatever the jobs, so that pages
// are cut alike.
func (w *Writer) flush() error {
	err := w.table.write(w.batch)
	w.batch = w.batch[:0]
	return err
}

// fail makes err the error that later calls return.
func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// Commit ends the file and gives it its final name. After an error nothing is
// left under that name that was not there before.
func (w *Writer) Commit() error {
	if w.err == nil {
		w.err = w.flush()
	}
	if w.err != nil {
		w.Abort()
		return w.err
	}
	if err := w.table.commit(); err != nil {
		w.err = err
		return err
	}
	w.err = errors.New("write " + w.path + ": already committed")
	return nil
}

// Abort drops the file. After Commit it does nothing, so that it can be
// deferred.
func (w *Writer) Abort() { w.table.file.Abort() }
