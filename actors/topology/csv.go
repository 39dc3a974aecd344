package topology

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// CSVReader returns a reader of a list that a scenario names, such as edges, times or groups: a
// byte order mark at the beginning is skipped, and so are lines that begin with # and spaces
// before fields. A record is valid up to the next.
func CSVReader(text []byte) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte(ByteOrderMark))))
	r.Comment, r.TrimLeadingSpace, r.ReuseRecord = '#', true, true
	return r
}

// FindColumn returns the place of a column in a header, and its second place if the name is
// doubled; -1 is none.
func FindColumn(header []string, name string) (at, again int) {
	if at = slices.Index(header, name); at < 0 {
		return at, -1
	}
	if again = slices.Index(header[at+1:], name); again >= 0 {
		again += at + 1
	}
	return at, again
}

// Rows calls each for the rows of a list with a header, with the number of the line and the fields of some columns, in
// the order of columns; fields are valid up to the next call. Other columns may be there. The error has the faults of all
// rows, each with the line; a list without one of the columns, with one twice, or of more than most rows is an error by
// itself. name is the file's.
func Rows(name string, text []byte, most int, columns []string, each func(line int, fields []string) error) error {
	lines, faults := CSVReader(text), FileFaults{Name: name}
	header, err := lines.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", name, err)
	}
	places, fields := make([]int, len(columns)), make([]string, len(columns))
	for k, column := range columns {
		at, again := FindColumn(header, column)
		if places[k] = at; at < 0 || again >= 0 {
			return fmt.Errorf("%s:1: want the columns %s, each once, in the first line, which has %q", name, strings.Join(columns, ", "), header)
		}
	}
	for rows := 1; ; rows++ {
		record, err := lines.Read()
		var broken *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return faults.Err()
		case errors.As(err, &broken):
			faults.Add(fmt.Errorf("%s:%d: %w", name, broken.Line, broken.Err))
			if errors.Is(err, csv.ErrFieldCount) {
				continue
			}
			return faults.Err() // nothing can be read after it
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		}
		line, _ := lines.FieldPos(0)
		if rows > most {
			return fmt.Errorf("%s:%d: more than %d rows", name, line, most)
		}
		for k, at := range places {
			fields[k] = record[at]
		}
		if err := each(line, fields); err != nil {
			faults.Add(fmt.Errorf("%s:%d: %w", name, line, err))
		}
	}
}
