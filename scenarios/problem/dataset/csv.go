package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// betweens are the possible separators of fields. If the first line has several, the most
// frequent one counts; if two are as frequent, the earlier one here.
const betweens = ",;\t|"

// betweenFields returns the separator of the fields of the first line. Quoted fields do not
// count.
func betweenFields(line []byte) rune {
	count := map[rune]int{}
	quoted := false
	for _, r := range string(line) {
		if r == '"' {
			quoted = !quoted
		} else if !quoted {
			count[r]++
		}
	}
	most := ','
	for _, between := range betweens {
		if count[between] > count[most] {
			most = between
		}
	}
	return most
}

// begin finds the separator of the fields of a text, after a byte order mark. A file that is
// no text is an error, and so is a first line that does not name columns.
func begin(text *bufio.Reader, at Place) (between rune, err error) {
	if mark, _ := text.Peek(3); string(mark) == "\xef\xbb\xbf" {
		if _, err := text.Discard(3); err != nil {
			return 0, err
		}
	}
	head, _ := text.Peek(text.Size())
	if err := recognised(head); err != nil {
		return 0, fmt.Errorf("%s: %w", at.Path, err)
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return 0, at.Errorf("there are bytes of 0 in it, which no text in UTF-8 has; format: {encoding: utf-16} reads UTF-16")
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if bytes.HasPrefix(line, []byte("sep=")) {
		return 0, at.Errorf("%q is for Excel; leave the line out: the separator of fields is seen from the names of the columns", bytes.TrimSpace(line))
	}
	return betweenFields(line), nil
}

// readCSV reads the records of a CSV file. They are cut into fields ahead of the reader.
func readCSV(text *bufio.Reader, path string, as *cellReader, to RowReader) error {
	at := Place{Path: path, Line: 1}
	between, err := begin(text, at)
	if err != nil {
		return err
	}
	if as.Delimiter != "" {
		between, _ = utf8.DecodeRuneInString(as.Delimiter)
	}
	rows := &rowsOfCSV{at: at, as: as, to: to}
	return newRecords(text, between).each(rows.take)
}

// rowsOfCSV passes records to a reader of rows.
type rowsOfCSV struct {
	at Place
	as *cellReader
	to RowReader
	// cells are of a row, with more of them; both are empty before the names of the columns.
	cells []Cell
	more  []moreOfCell
}

// take passes a record on, or its fault to a reader that takes faults.
func (r *rowsOfCSV) take(fields []string, line int, err error) error {
	columns := len(r.cells)
	switch {
	case err == io.EOF && columns == 0:
		return r.at.Errorf("there is nothing in it")
	case err == io.EOF:
		return nil
	case err == nil && columns > 0 && len(fields) != columns:
		err = &csv.ParseError{StartLine: line, Line: line, Column: 1, Err: csv.ErrFieldCount}
	}
	if err != nil {
		fault := damagedCSV(r.at.Path, err, len(fields), columns)
		if tolerant, ok := r.to.(FaultReader); ok && columns > 0 && isOfRecord(err) {
			return tolerant.Fault(fault)
		}
		return fault
	}
	if r.at.Line = line; columns == 0 {
		r.cells, r.more = make([]Cell, len(fields)), make([]moreOfCell, len(fields))
		return headed(r.to, r.at, named(fields))
	}
	for i, field := range fields {
		r.cells[i] = r.as.cell(field, &r.more[i])
	}
	return r.to.Row(r.at, r.cells)
}

// named returns columns of a text with these names.
func named(names []string) []Column {
	columns := make([]Column, len(names))
	for i, name := range names {
		columns[i].Name = name
	}
	return columns
}

// isOfRecord reports whether an error is of one record: the next one can be read. There is none after
// other errors.
func isOfRecord(err error) bool {
	var damaged *csv.ParseError
	return errors.As(err, &damaged)
}

// damagedCSV returns the error of a damaged text, at its line.
func damagedCSV(path string, err error, fields, columns int) error {
	var damaged *csv.ParseError
	switch {
	case !errors.As(err, &damaged):
		return fmt.Errorf("%s: %w", path, err)
	case errors.Is(err, csv.ErrFieldCount):
		return Place{Path: path, Line: damaged.Line}.Errorf("%d fields, want %d as in the first line", fields, columns)
	}
	return Place{Path: path, Line: damaged.Line}.Errorf("column %d: %w", damaged.Column, damaged.Err)
}
