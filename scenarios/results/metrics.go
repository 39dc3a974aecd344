package results

import (
	"errors"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// metricRecord is a row of metrics.parquet.
type metricRecord struct {
	Arm    string  `parquet:"arm,dict"`
	Seed   uint64  `parquet:"seed,dict"`
	Step   int64   `parquet:"step,delta"`
	Node   *int32  `parquet:"node,optional,dict"`
	Metric string  `parquet:"metric,dict"`
	Value  float64 `parquet:"value"`
}

// unboundedColumn is the column without bounds: see table.createTable.
const unboundedColumn = "value"

// noNode marks a row of the whole run; node numbers are not negative.
const noNode int32 = -1

// The places of the columns in metricRecord.
const (
	armColumn = iota
	seedColumn
	stepColumn
	nodeColumn
	metricColumn
	valueColumn
)

// metricColumns are the columns of a row group that differ within a job.
type metricColumns struct {
	Steps   []int64
	Nodes   []int32 // noNode where there is none
	Metrics []int32 // numbers of texts
	Values  []float64
}

// readMetricColumns decodes these columns. number returns the numbers of the names of metrics.
func readMetricColumns(group parquet.RowGroup, number func(string) int32) (c metricColumns, err error) {
	var errs [4]error
	c.Metrics, errs[0] = readNames(group, metricColumn, number)
	c.Steps, errs[1] = readValues(group, stepColumn, (*encoding.Values).Int64)
	c.Nodes, errs[2] = readPlaces(group, nodeColumn, noNode)
	c.Values, errs[3] = readValues(group, valueColumn, (*encoding.Values).Double)
	return c, errors.Join(errs[:]...)
}

// metricGroup is all columns of a row group.
type metricGroup struct {
	metricColumns
	Arms  []int32 // numbers of texts
	Seeds []uint64
}

// readMetrics decodes a row group; names numbers its texts.
func readMetrics(group parquet.RowGroup, names *numbering) (g metricGroup, err error) {
	var errs [3]error
	g.Arms, errs[0] = readNames(group, armColumn, names.Number)
	g.Seeds, errs[1] = seedsOfMetrics(group)
	g.metricColumns, errs[2] = readMetricColumns(group, names.Number)
	return g, errors.Join(errs[:]...)
}

// seedsOfMetrics decodes the column of seeds alone.
func seedsOfMetrics(group parquet.RowGroup) ([]uint64, error) {
	return readCounts(group, seedColumn)
}

// eachMetric calls visit for the row groups of the file at path, with one numbering of their texts.
func eachMetric(path string, visit func(parquet.RowGroup, *numbering) error) error {
	var names numbering
	return eachGroup[metricRecord](path, func(group parquet.RowGroup) error { return visit(group, &names) })
}
