package mechanisms

import (
	"fmt"
	"math"
	"strconv"

	"starling/actors/topology"
	"starling/mechanisms/factorization"
	"starling/scenarios/document"
	"starling/scenarios/study"
)

// Strategy is the section of correlated noise of a strategy matrix of the author. Its sensitivity, and so its
// loss, is computed from the matrix, as for every other factorization: nothing is stated.
type Strategy struct {
	Correlated `yaml:",inline"`
	File       string `yaml:"file,required" range:"a path" doc:"path, from the scenario's folder or else from where the program runs, of a CSV file with the columns row, column and value: the entries of C that are not 0, numbered from 1. C is lower triangular, with a row for each input and no 0 on its diagonal"`
}

// OnStreams implements OnStreams.
func (s *Strategy) OnStreams(section *document.Node) (Correlated, error) {
	s.matrix = s.File
	return s.Correlated.OnStreams(section)
}

// OnSums implements OnSums.
func (s *Strategy) OnSums(section *document.Node) (Sums, error) {
	s.matrix = s.File
	return s.Correlated.OnSums(section)
}

// load reads the strategy matrix of a section that names one. Arms share it.
func (s *Correlated) load(b *study.Builder, section *document.Node) error {
	if s.matrix == "" {
		return nil
	}
	text, digest, err := b.Data.File(section, "file", s.matrix)
	if err != nil {
		return err
	}
	type read struct {
		strategy *factorization.Strategy
		err      error
	}
	made := study.RunMemo[string, read](b).Get(digest.Sha256, func() (of read) {
		of.strategy, of.err = parseStrategy(s.matrix, text)
		return of
	})
	if made.err != nil {
		return section.Resolve(document.AtEach("file", made.err))
	}
	s.strategy = made.strategy
	return nil
}

// The largest number of a row or a column, and of entries, so that a file of the wrong kind ends in an error.
const (
	mostSide    = 1 << 16
	mostEntries = 1 << 22
)

// parseStrategy reads a strategy. The error has the faults of all rows, each with its line.
func parseStrategy(name string, text []byte) (*factorization.Strategy, error) {
	var rows []map[int]float64 // by column, from 0
	err := topology.Rows(name, text, mostEntries, []string{"row", "column", "value"}, func(_ int, fields []string) error {
		row, column, value, err := parseEntry(fields)
		if err != nil {
			return err
		}
		for len(rows) < row {
			rows = append(rows, map[int]float64{})
		}
		if _, twice := rows[row-1][column-1]; twice {
			return fmt.Errorf("entry (%d, %d) is given twice", row, column)
		}
		rows[row-1][column-1] = value
		return nil
	})
	if err != nil {
		return nil, err
	}
	return strategyOf(name, rows)
}

// parseEntry reads an entry below the diagonal or on it, numbered from 1.
func parseEntry(record []string) (row, column int, value float64, err error) {
	for k, to := range []*int{&row, &column} {
		if *to, err = strconv.Atoi(record[k]); err != nil || *to < 1 || *to > mostSide {
			return row, column, value, fmt.Errorf("%s %q; want a whole number of 1 to %d", []string{"row", "column"}[k], record[k], mostSide)
		}
	}
	value, err = strconv.ParseFloat(record[2], 64)
	switch {
	case err != nil || math.IsNaN(value) || math.IsInf(value, 0):
		return row, column, value, fmt.Errorf("value %q; want a finite number", record[2])
	case column > row:
		return row, column, value, fmt.Errorf("entry (%d, %d) is above the diagonal, where C has none: the noise of a step would need later noise", row, column)
	}
	return row, column, value, nil
}

// strategyOf is the strategy with rows, by column from 0.
func strategyOf(name string, rows []map[int]float64) (*factorization.Strategy, error) {
	list := make([]factorization.StrategyRow, len(rows))
	for t, row := range rows {
		first := t
		for column, value := range row {
			if value != 0 {
				first = min(first, column)
			}
		}
		list[t] = factorization.StrategyRow{First: first, Entries: make([]float64, t+1-first)}
		for column, value := range row {
			if column >= first {
				list[t].Entries[column-first] = value
			}
		}
	}
	s, err := factorization.NewStrategy(list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}
