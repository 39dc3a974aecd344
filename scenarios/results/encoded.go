package results

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
)

const (
	// ownRows is how many rows a job has to have for row groups of its own. What the footer
	// says of a row group, and its dictionaries, take 3.4 KiB, a tenth of what so many rows
	// take.
	ownRows = 1 << 12
	// mostOwn is up to how many jobs of a run have row groups of their own: a file has at most
	// parquet.MaxRowGroups, 32,767, and long jobs have several.
	mostOwn = 1 << 14
	// unboundedMetrics is the column of metrics.parquet without bounds: see createTable.
	unboundedMetrics = "value"
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
	var text strings.Builder
	file := newParquet[metricRecord](&text, unboundedMetrics)
	rows := newRowWriter(file)
	err := rows.add(j)
	if err == nil {
		err = rows.flush()
	}
	if err == nil {
		err = file.Close()
	}
	if err == nil {
		j.table, err = openTable(text.String())
	}
	if err != nil {
		return fmt.Errorf("%v: %w", j, err)
	}
	return nil
}

// openTable reads the footer of rows that were encoded.
func openTable(text string) (*jobTable, error) {
	file, err := parquet.OpenFile(strings.NewReader(text), int64(len(text)), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	if want := parquet.SchemaOf(metricRecord{}); !parquet.EqualNodes(file.Schema(), want) {
		return nil, fmt.Errorf("%w:\n%s\nwant:\n%s", errColumns, file.Schema(), want)
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

// Load decodes the rows of a job whose State was read. It does nothing where they are there.
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

// runLevel are the rows of the job that are of no node, and perhaps others.
func (j *Job) runLevel() ([]sample, error) {
	if !j.unread {
		return j.samples, nil
	}
	return j.decode(false)
}

// decode are the rows of the table, all of them or those of no node.
func (j *Job) decode(all bool) (samples []sample, err error) {
	if all {
		samples = make([]sample, 0, j.Len())
	}
	for _, group := range j.table.file.RowGroups() {
		d := groupDecoder{job: j, all: all}
		if err := d.read(group); err != nil {
			return nil, fmt.Errorf("%v: the rows that were encoded are damaged: %w", j, err)
		}
		samples = d.append(samples)
	}
	return samples, nil
}

// groupDecoder decodes the columns of a row group one after the other.
type groupDecoder struct {
	job *Job
	all bool
	// nodes have noNode where a row is of none. What all columns have is by row.
	nodes   []int32
	metrics []int32
	steps   []int64
	values  []float64
}

// The places of the columns in metricRecord.
const (
	stepColumn   = 2
	nodeColumn   = 3
	metricColumn = 4
	valueColumn  = 5
)

// read decodes the columns but for arm and seed, which the job knows.
func (d *groupDecoder) read(group parquet.RowGroup) error {
	chunks := group.ColumnChunks()
	for _, column := range []struct {
		at  int
		add func(parquet.Page) error
	}{{stepColumn, d.addSteps}, {nodeColumn, d.addNodes}, {metricColumn, d.addMetrics}, {valueColumn, d.addValues}} {
		if err := eachPage(chunks[column.at], column.add); err != nil {
			return err
		}
	}
	n := int(group.NumRows())
	if len(d.steps) != n || len(d.values) != n || len(d.nodes) != n || len(d.metrics) != n {
		return fmt.Errorf("columns of %d, %d, %d and %d rows, want %d", len(d.steps), len(d.nodes), len(d.metrics), len(d.values), n)
	}
	return nil
}

// errNoDictionary is the error of a column that Encode would have given a dictionary.
var errNoDictionary = errors.New("a column has no dictionary")

// eachPage calls visit for the pages of a column, which are valid during the call.
func eachPage(chunk parquet.ColumnChunk, visit func(parquet.Page) error) error {
	pages := chunk.Pages()
	defer pages.Close()
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		err = visit(page)
		parquet.Release(page)
		if err != nil {
			return err
		}
	}
}

// addSteps decodes a page of the column of steps.
func (d *groupDecoder) addSteps(page parquet.Page) error {
	data := page.Data()
	d.steps = append(d.steps, data.Int64()...)
	return nil
}

// addValues decodes a page of the column of values.
func (d *groupDecoder) addValues(page parquet.Page) error {
	data := page.Data()
	d.values = append(d.values, data.Double()...)
	return nil
}

// addNodes decodes a page of the column of nodes. It has a level for each row, and an index
// into the dictionary for each row that is of a node.
func (d *groupDecoder) addNodes(page parquet.Page) error {
	dictionary := page.Dictionary()
	if dictionary == nil {
		return errNoDictionary
	}
	known, data := dictionary.Page().Data(), page.Data()
	nodes, indexes := known.Int32(), data.Int32()
	next := 0
	for _, level := range page.DefinitionLevels() {
		if level == 0 {
			d.nodes = append(d.nodes, noNode)
			continue
		}
		if next == len(indexes) || uint32(indexes[next]) >= uint32(len(nodes)) {
			return fmt.Errorf("node %d of %d, in a dictionary of %d", next, len(indexes), len(nodes))
		}
		d.nodes = append(d.nodes, nodes[indexes[next]])
		next++
	}
	return nil
}

// addMetrics decodes a page of the column of metrics, an index into the dictionary for each
// row.
func (d *groupDecoder) addMetrics(page parquet.Page) error {
	dictionary := page.Dictionary()
	if dictionary == nil {
		return errNoDictionary
	}
	names := make([]int32, dictionary.Len())
	for i := range names {
		names[i] = d.job.intern(string(dictionary.Index(int32(i)).ByteArray()))
	}
	data := page.Data()
	for _, index := range data.Int32() {
		if uint32(index) >= uint32(len(names)) {
			return fmt.Errorf("metric %d in a dictionary of %d", index, len(names))
		}
		d.metrics = append(d.metrics, names[index])
	}
	return nil
}

// append appends the rows that were decoded.
func (d *groupDecoder) append(samples []sample) []sample {
	for i, node := range d.nodes {
		if d.all || node == noNode {
			samples = append(samples, sample{step: d.steps[i], value: d.values[i], node: node, metric: d.metrics[i]})
		}
	}
	return samples
}

// rowWriter hands rows to a Parquet writer. Batches have the same size whatever the jobs, so
// that pages are cut alike.
type rowWriter struct {
	parquet *parquet.GenericWriter[metricRecord]
	// batch has at most rowsPerBatch records, and nodes what their Node points to: no
	// allocation for each row.
	batch []metricRecord
	nodes []int32 // len rowsPerBatch
}

func newRowWriter(to *parquet.GenericWriter[metricRecord]) rowWriter {
	return rowWriter{to, make([]metricRecord, 0, rowsPerBatch), make([]int32, rowsPerBatch)}
}

// add appends the rows of a job.
func (w *rowWriter) add(job *Job) error {
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
	return nil
}

// flush hands the batch over.
func (w *rowWriter) flush() error {
	_, err := w.parquet.Write(w.batch)
	w.batch = w.batch[:0]
	return err
}
