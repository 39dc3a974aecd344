package workload

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strconv"

	"starling/scenarios/results"
)

// tableRows are the rows of a table of metrics, of tableNodes nodes and one metric.
const (
	tableRows  = 500_000
	tableNodes = 100
)

// tables are metrics on their way to a file.
func tables() []Workload {
	return []Workload{{
		Name: "results/parquet", Unit: rowUnit, Summary: "results: values of 100 nodes to metrics.parquet; beside a loop that writes CSV",
		prepare: func(_ context.Context, e *Environment) (*Prepared, error) {
			rows := e.sized(tableRows)
			return &Prepared{
				Units: rows,
				Run:   func() error { return writeParquet(filepath.Join(e.Folder, "metrics.parquet"), rows) },
				Loop:  func() error { return writeCSV(filepath.Join(e.Folder, "metrics.csv"), rows) },
			}, nil
		},
	}}
}

// value is the value of a row: numbers as different as measured ones.
func value(row int) float64 { return 1 / float64(row+1) }

// writeParquet writes the rows as a run does: a job collects them and a writer takes it.
func writeParquet(path string, rows int) error {
	job := results.NewJob("bench", 1)
	for i := range rows {
		job.AddNode(int64(i/tableNodes), int32(i%tableNodes), "regret.node", value(i))
	}
	w, err := results.NewWriter(path, results.Plan{Arms: []string{"bench"}, Seeds: results.Seeds{Base: 1, Count: 1}})
	if err != nil {
		return err
	}
	if err := w.WriteJob(job); err != nil {
		w.Abort()
		return err
	}
	return w.Commit()
}

// writeCSV writes the same rows as text.
func writeCSV(path string, rows int) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	var line []byte
	for i := range rows {
		line = append(line[:0], "bench,1,"...)
		line = append(strconv.AppendInt(line, int64(i/tableNodes), 10), ',')
		line = append(strconv.AppendInt(line, int64(i%tableNodes), 10), ",regret.node,"...)
		line = append(strconv.AppendFloat(line, value(i), 'g', -1, 64), '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return w.Flush()
}
