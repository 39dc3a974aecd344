package results

import (
	"errors"
	"fmt"
	"iter"
	"unicode/utf8"
)

// Row is one measured value, as metrics.parquet holds it.
type Row struct {
	// Arm, Seed, Step, Node and Metric together are the key: no two rows of a run share
	// it.
	Arm  string
	Seed uint64
	// Step is the paper's time.
	Step int64
	// Node is in the paper's numbering; nil for a metric of the whole run.
	Node *int32
	// Metric is a dotted name, such as "regret.network".
	Metric string
	// Value is any float64, NaN and infinities included.
	Value float64
}

// sample is a Row without the job's arm and seed: 24 bytes.
type sample struct {
	step   int64
	value  float64
	node   int32
	metric int32 // index into Job.metrics
}

// Job collects the metrics of one (arm, seed) in the order they are added, in
// 24 bytes a row. It is not safe for concurrent use.
type Job struct {
	// Names of metrics are stored once, and samples have an index.
	arm     string
	seed    uint64
	metrics []string
	index   map[string]int32 // position in metrics; looked up, never iterated
	samples []sample
	err     error // the first sample that was refused
	// table has the rows as Encode has made them; nil until then.
	table *jobTable
	// unread means that the rows are in table alone, and not in samples.
	unread bool
	// runLevel are the rows that LoadRunLevel has decoded.
	runLevel []sample
}

// NewJob returns an empty job.
func NewJob(arm string, seed uint64) *Job {
	return &Job{arm: arm, seed: seed, index: make(map[string]int32)}
}

// Arm is the arm the job belongs to.
func (j *Job) Arm() string { return j.arm }

// Seed is the seed the job ran under.
func (j *Job) Seed() uint64 { return j.seed }

// Len is the number of rows.
func (j *Job) Len() int {
	if j.unread {
		return int(j.table.file.NumRows())
	}
	return len(j.samples)
}

// Err returns the first bad value that was added: an empty metric name, one
// that is not UTF-8, or a negative node. WriteJob refuses such a job.
func (j *Job) Err() error { return j.err }

// Add appends the value of a run-level metric.
func (j *Job) Add(step int64, metric string, value float64) {
	j.add(sample{step: step, value: value, node: noNode, metric: j.intern(metric)})
}

// AddNode appends the value of a metric at a node, node ≥ 0 in the paper's
// numbering (parties 1..N; 0 is for a server, where the paper has one).
func (j *Job) AddNode(step int64, node int32, metric string, value float64) {
	if node < 0 {
		j.refuse(fmt.Errorf("metric %q: node %d is negative", metric, node))
	}
	j.add(sample{step: step, value: value, node: node, metric: j.intern(metric)})
}

// add appends a row. A table that was encoded before lacks the row and is dropped.
func (j *Job) add(s sample) {
	j.samples = append(j.samples, s)
	j.table = nil
}

// Rows yields the rows in the order they were added. The Node pointers lead into the job and
// must not be written through. A job that was read by State needs Load first.
func (j *Job) Rows() iter.Seq[Row] {
	if j.unread {
		panic("results: rows of a job that are not loaded")
	}
	return func(yield func(Row) bool) {
		for i := range j.samples {
			s := &j.samples[i]
			row := Row{Arm: j.arm, Seed: j.seed, Step: s.step, Metric: j.metrics[s.metric], Value: s.value}
			if s.node != noNode {
				row.Node = &s.node
			}
			if !yield(row) {
				return
			}
		}
	}
}

// Values yields the metric and the value of each row, in the order of Rows.
func (j *Job) Values() iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for row := range j.Rows() {
			if !yield(row.Metric, row.Value) {
				return
			}
		}
	}
}

// intern is the index of a metric's name; a new name is checked.
func (j *Job) intern(metric string) int32 {
	if id, ok := j.index[metric]; ok {
		return id
	}
	if err := validName(metric); err != nil {
		j.refuse(fmt.Errorf("metric %q: %w", metric, err))
	}
	id := int32(len(j.metrics))
	j.metrics = append(j.metrics, metric)
	j.index[metric] = id
	return id
}

// refuse keeps the first bad value. Recording goes on: a meter has no way to return an
// error, and WriteJob refuses the job.
func (j *Job) refuse(err error) {
	if j.err == nil {
		j.err = fmt.Errorf("row %d: %w", len(j.samples)+1, err)
	}
}

// validName reports why a name cannot be an arm or a metric.
func validName(name string) error {
	if name == "" {
		return errors.New("the name is empty")
	}
	if !utf8.ValidString(name) {
		return errors.New("the name is not UTF-8")
	}
	return nil
}

// String names the job in errors.
func (j *Job) String() string { return fmt.Sprintf("job (arm %q, seed %d)", j.arm, j.seed) }
