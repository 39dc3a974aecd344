package results

import (
	"encoding/binary"
	"math"

	"starling/messages"
)

// State goes through the rows of the job: rows that are encoded as Encode has made them,
// others by columns. The reading job is a new job of the same seed; its arm may have another
// name. Encoded rows are not decoded before Load. The rows of no node are beside them where
// they are few, so that a summary decodes none.
func (j *Job) State(c *messages.Codec) {
	arm, table := j.arm, ""
	if j.table != nil {
		table = j.table.text
	}
	c.Text("arm", &arm)
	c.Text("table", &table)
	if table == "" {
		j.columns(c, &j.samples)
		return
	}
	if c.Reading() {
		if err := j.open(table, arm); err != nil {
			c.Check(false, "%v", err)
		}
	}
	few := j.runLevel
	if few == nil && !c.Reading() {
		few = j.few()
	}
	beside := few != nil
	if c.Bool("beside", &beside); !beside {
		return
	}
	if j.columns(c, &few); c.Reading() {
		j.runLevel = few
	}
}

// fewRows bounds the rows of no node that are written beside the encoded rows: at most one in
// fewRows. Where there are more, decoding all rows takes not much longer.
const fewRows = 4

// few are the rows of no node where they are few; else nil.
func (j *Job) few() []sample {
	few := []sample{}
	for _, s := range j.samples {
		if s.node == noNode {
			few = append(few, s)
		}
	}
	if fewRows*len(few) > len(j.samples) {
		return nil
	}
	return few
}

// columns goes through rows of the job: the names of metrics, where each row is, and the
// values, which lie side by side.
func (j *Job) columns(c *messages.Codec, rows *[]sample) {
	metrics, places, values := j.metrics, "", []float64(nil)
	if c.Reading() {
		metrics = nil
	} else {
		places, values = split(*rows)
	}
	messages.Slice(c, "metric", &metrics, math.MaxInt32, func(name *string) { c.Text("", name) })
	c.Text("places", &places)
	c.List("value", &values, math.MaxInt)
	if !c.Reading() || c.Failed() {
		return
	}
	ids := make([]int32, len(metrics))
	for i, name := range metrics {
		ids[i] = j.intern(name)
	}
	list, ok := join(places, values, ids)
	c.Check(ok, "places of other rows than %d", len(values))
	*rows = list
}

// split returns the places of rows, and their values. A place is three varints: the
// differences of step, node and metric from the row before, 0 at first. So a row mostly takes
// three bytes, and only the values, which do not compress, remain.
func split(rows []sample) (places string, values []float64) {
	text, values := make([]byte, 0, 4*len(rows)), make([]float64, len(rows))
	var last sample
	for i, s := range rows {
		text = binary.AppendVarint(text, s.step-last.step)
		text = binary.AppendVarint(text, int64(s.node)-int64(last.node))
		text = binary.AppendVarint(text, int64(s.metric)-int64(last.metric))
		values[i], last = s.value, s
	}
	return string(text), values
}

// join returns the rows of places and values. ids maps the metrics of the job that was written
// to the metrics of this job. ok is false where places and values have different numbers of
// rows.
func join(places string, values []float64, ids []int32) (rows []sample, ok bool) {
	text := []byte(places)
	next := func() int64 {
		v, n := binary.Varint(text)
		ok = ok && n > 0
		text = text[max(n, 0):]
		return v
	}
	rows, ok = make([]sample, len(values)), true
	var step, node, metric int64
	for i, value := range values {
		step, node, metric = step+next(), node+next(), metric+next()
		if !ok || node < int64(noNode) || node > math.MaxInt32 || metric < 0 || metric >= int64(len(ids)) {
			return nil, false
		}
		rows[i] = sample{step: step, value: value, node: int32(node), metric: ids[metric]}
	}
	return rows, len(text) == 0
}
