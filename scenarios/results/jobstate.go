package results

import (
	"math"

	"starling/messages"
)

// State goes through the rows of the job: those that are encoded as Encode has made them,
// others by columns. What reads is a new job of the same seed; its arm may have another
// name. Rows that were encoded are not decoded before Load.
func (j *Job) State(c *messages.Codec) {
	arm, table := j.arm, ""
	if j.table != nil {
		table = j.table.text
	}
	c.Text("arm", &arm)
	c.Text("table", &table)
	switch {
	case table == "":
		j.columns(c)
	case c.Reading():
		if err := j.open(table, arm); err != nil {
			c.Check(false, "%v", err)
		}
	}
}

// columns goes through the rows of the job field by field.
func (j *Job) columns(c *messages.Codec) {
	metrics := j.metrics
	if c.Reading() {
		metrics = nil
	}
	messages.Slice(c, "metric", &metrics, math.MaxInt32, func(name *string) { c.Text("", name) })
	if c.Reading() {
		for _, name := range metrics {
			j.intern(name)
		}
	}
	rows := columnsOf(j.samples, c.Reading())
	messages.Integers(c, "step", &rows.steps, math.MaxInt)
	messages.Integers(c, "node", &rows.nodes, math.MaxInt)
	messages.Integers(c, "metric", &rows.metrics, math.MaxInt)
	c.List("value", &rows.values, math.MaxInt)
	if c.Reading() {
		j.take(c, &rows)
	}
}

// columns are the rows of a job, field by field: what is alike in them lies side by side,
// and takes little room once it is compressed.
type columns struct {
	steps          []int
	nodes, metrics []int32
	values         []float64
}

// columnsOf are the columns of samples, for a codec that writes.
func columnsOf(samples []sample, reading bool) (rows columns) {
	if reading {
		return rows
	}
	n := len(samples)
	rows = columns{make([]int, n), make([]int32, n), make([]int32, n), make([]float64, n)}
	for i := range samples {
		s := &samples[i]
		rows.steps[i], rows.nodes[i], rows.metrics[i], rows.values[i] = int(s.step), s.node, s.metric, s.value
	}
	return rows
}

// take makes columns that were read the samples of the job.
func (j *Job) take(c *messages.Codec, rows *columns) {
	n := len(rows.steps)
	c.Check(len(rows.nodes) == n && len(rows.metrics) == n && len(rows.values) == n, "columns of %d, %d, %d and %d rows", n, len(rows.nodes), len(rows.metrics), len(rows.values))
	if c.Failed() {
		return
	}
	j.samples = make([]sample, n)
	for i := range j.samples {
		metric := rows.metrics[i]
		if metric < 0 || int(metric) >= len(j.metrics) {
			c.Check(false, "metric %d of %d", metric, len(j.metrics))
			return
		}
		j.samples[i] = sample{step: int64(rows.steps[i]), value: rows.values[i], node: rows.nodes[i], metric: metric}
	}
}
