package results

import (
	"fmt"
	"iter"

	"github.com/parquet-go/parquet-go"
)

const (
	// ownRows is the least number of rows of a job with row groups of its own. A row group
	// takes 3.4 KiB in the footer and for its dictionaries, a tenth of the size of ownRows
	// rows.
	ownRows = 1 << 12
	// mostOwn is the largest number of jobs of a run at which jobs have row groups of their
	// own: a file has at most parquet.MaxRowGroups, 32,767, and long jobs have several.
	mostOwn = 1 << 14
)

// jobTable has the rows of a job as a Parquet file of its own, in memory.
type jobTable struct {
	text string
	file *parquet.File
}

// Encode makes the row groups that metrics.parquet will have of a job with many rows, so
// that it can be done where the job runs, and once. It does nothing where it was done, or
// where the job has few rows. Equal rows give equal bytes.
func (j *Job) Encode() error {
	if j.table != nil || len(j.samples) < ownRows {
		return nil
	}
	text, err := encodeTable(func(write func([]metricRecord) error) error {
		rows := rowWriter{newBatch(), func(full *batch) (*batch, error) { return full, write(full.records) }}
		if err := rows.add(j); err != nil {
			return err
		}
		return rows.flush()
	}, unboundedColumn)
	if err == nil {
		j.table, err = openTable(text)
	}
	if err != nil {
		return fmt.Errorf("%v: %w", j, err)
	}
	return nil
}

// openTable reads the footer of rows that were encoded.
func openTable(text string) (*jobTable, error) {
	file, err := openRows[metricRecord](text)
	if err != nil {
		return nil, err
	}
	return &jobTable{text, file}, nil
}

// open gives a new job the rows that were encoded of a job of the same seed, in an arm of
// that name. The same jobs may have arms of other names in other runs: then the rows are
// encoded anew.
func (j *Job) open(text, arm string) (err error) {
	if j.table, err = openTable(text); err != nil {
		return err
	}
	j.unread = true
	if arm == j.arm {
		return nil
	}
	if err := j.Load(); err != nil {
		return err
	}
	j.table = nil
	return j.Encode()
}

// Load decodes the rows of a job that was read by State. It does nothing if the rows are
// there.
func (j *Job) Load() error {
	if !j.unread {
		return nil
	}
	samples, err := j.decode(true)
	if err != nil {
		return err
	}
	j.samples, j.unread = samples, false
	return nil
}

// LoadRunLevel decodes the rows that are of no node, of a job that was read by State: a
// summary needs no others. Without it, adding the job to a summary decodes them.
func (j *Job) LoadRunLevel() (err error) {
	if j.unread && j.runLevel == nil {
		j.runLevel, err = j.decode(false)
	}
	return err
}

// RunLevel yields the rows that are of no node, as LoadRunLevel decodes them.
func (j *Job) RunLevel() (iter.Seq[Row], error) {
	samples, err := j.samples, j.LoadRunLevel()
	if j.unread {
		samples = j.runLevel
	}
	return func(yield func(Row) bool) {
		for i := range samples {
			s := &samples[i]
			if s.node == noNode && !yield(Row{Arm: j.arm, Seed: j.seed, Step: s.step, Metric: j.metrics[s.metric], Value: s.value}) {
				return
			}
		}
	}, err
}

// decode returns the rows of the table: all of them, or the rows of no node.
func (j *Job) decode(all bool) (samples []sample, err error) {
	if all {
		samples = make([]sample, 0, j.Len())
	}
	for _, group := range j.table.file.RowGroups() {
		if samples, err = j.decodeGroup(samples, group, all); err != nil {
			return nil, fmt.Errorf("%v: the rows that were encoded are damaged: %w", j, err)
		}
	}
	return samples, nil
}

// decodeGroup appends the rows of a row group. Arm and seed the job knows.
func (j *Job) decodeGroup(samples []sample, group parquet.RowGroup, all bool) ([]sample, error) {
	c, err := readMetricColumns(group, j.intern)
	if err != nil {
		return nil, err
	}
	for i, node := range c.Nodes {
		if all || node == noNode {
			samples = append(samples, sample{step: c.Steps[i], value: c.Values[i], node: node, metric: c.Metrics[i]})
		}
	}
	return samples, nil
}

// batch has at most table.rowsPerBatch records, and the numbers that their Node points to: no
// allocation for each row.
type batch struct {
	records []metricRecord
	nodes   []int32 // len table.rowsPerBatch
}

func newBatch() *batch {
	return &batch{make([]metricRecord, 0, rowsPerBatch), make([]int32, rowsPerBatch)}
}

// rowWriter makes batches of rows. Batches have the same size for all jobs, so that pages are
// cut alike.
type rowWriter struct {
	*batch
	// hand takes a batch and returns an empty one, or the same for more rows.
	hand func(*batch) (*batch, error)
}

// add appends the rows of a job.
func (w *rowWriter) add(job *Job) error {
	for i := range job.samples {
		s := &job.samples[i]
		at := len(w.records)
		record := metricRecord{Arm: job.arm, Seed: job.seed, Step: s.step, Metric: job.metrics[s.metric], Value: s.value}
		if s.node != noNode {
			w.nodes[at] = s.node
			record.Node = &w.nodes[at]
		}
		w.records = append(w.records, record)
		if len(w.records) == rowsPerBatch {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush hands the batch over.
func (w *rowWriter) flush() (err error) {
	if w.batch, err = w.hand(w.batch); err == nil {
		w.records = w.records[:0]
	}
	return err
}
