package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Cell is what a row of a table has in a column.
type Cell struct {
	// Text is what CSV has, without spaces around it, or a text of Parquet.
	Text string
	// Number is what Parquet has where Typed says so: integers and floats.
	Number float64
	Typed  bool
	// Null is a cell of Parquet without a value.
	Null bool
}

// Float is the number that a cell is or that its text says. Null is refused: what is not
// known is not 0.
func (c Cell) Float() (float64, error) {
	switch {
	case c.Typed:
		return c.Number, nil
	case c.Null:
		return 0, errors.New("got null, want a number")
	}
	v, err := strconv.ParseFloat(c.Text, 64)
	if err != nil {
		return 0, fmt.Errorf("got %q, want a number", c.Text)
	}
	return v, nil
}

// Place is where in a file a row is.
type Place struct {
	Path string
	// Line is from 1: the line of a text, or the row of Parquet.
	Line    int
	Parquet bool
}

// Unit is what a place is called.
func (p Place) Unit() string {
	if p.Parquet {
		return "row"
	}
	return "line"
}

// Errorf is an error at the place: a *FormatError of a text.
func (p Place) Errorf(format string, args ...any) error {
	if p.Parquet {
		return fmt.Errorf("%s: row %d: %w", p.Path, p.Line, fmt.Errorf(format, args...))
	}
	return &FormatError{Path: p.Path, Line: p.Line, Err: fmt.Errorf(format, args...)}
}

// RowReader takes a table as it is read: Header once, with the names of the columns, and
// Row for each row, with as many cells, which are valid during the call.
type RowReader interface {
	Header(at Place, names []string) error
	Row(at Place, cells []Cell) error
}

// mostRow is the longest row of a text, in bytes.
const mostRow = 1 << 24

// ReadRows reads a CSV file, whose first line names the columns, or a Parquet file, which
// is told by its first bytes, and returns the SHA-256 of the file in hex. A row is in
// memory at a time, whatever the size of the file. Either may be compressed by gzip, of
// which Parquet is unpacked in memory, 1 GiB at most.
//
// CSV may begin with a byte order mark, end its lines by CR LF, and quote fields; where
// the first line has no comma, semicolons or tabs stand between fields. Errors are those
// of the reader and *FormatError with the line, or those of the file system.
func ReadRows(file fs.File, path string, to RowReader) (digest string, err error) {
	hash := sha256.New()
	random, ok := file.(io.ReaderAt)
	r := bufio.NewReader(io.TeeReader(file, hash))
	if head, _ := r.Peek(4); string(head) == parquetMagic && ok {
		// Parquet is read from its end: the hash takes a pass of its own.
		if _, err := io.Copy(io.Discard, r); err != nil {
			return "", err
		}
		if err := readParquet(random, path, to); err != nil {
			return "", err
		}
		return hex.EncodeToString(hash.Sum(nil)), nil
	} else if len(head) > 2 && head[0] == 0x1f && head[1] == 0x8b {
		err = readCompressed(r, path, to)
	} else {
		err = readPlain(r, path, to)
	}
	if err != nil {
		return "", err
	}
	// What a reader left, such as what follows the end of a gzip stream, is part of the
	// file.
	_, err = io.Copy(io.Discard, r)
	return hex.EncodeToString(hash.Sum(nil)), err
}

const parquetMagic = "PAR1"

// readCompressed reads what gzip has compressed.
func readCompressed(r io.Reader, path string, to RowReader) error {
	plain, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("%s: not a gzip file: %w", path, err)
	}
	return readPlain(bufio.NewReader(plain), path, to)
}

// readPlain reads what is not compressed, in order.
func readPlain(r *bufio.Reader, path string, to RowReader) error {
	if head, _ := r.Peek(4); string(head) != parquetMagic {
		return readCSV(r, path, to)
	}
	text, err := io.ReadAll(io.LimitReader(r, maxContent+1))
	if err == nil && len(text) > maxContent {
		err = fmt.Errorf("%s: more than %d bytes; leave Parquet uncompressed by gzip", path, maxContent)
	}
	if err != nil {
		return err
	}
	return readParquet(bytes.NewReader(text), path, to)
}

// rowLimit fails where so many bytes were read since it was last reset.
type rowLimit struct {
	io.Reader
	left int
}

var errLongRow = fmt.Errorf("a row of more than %d bytes", mostRow)

// Read implements io.Reader.
func (l *rowLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errLongRow
	}
	n, err := l.Reader.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// betweenFields is what stands between the fields of the first line.
func betweenFields(r *bufio.Reader) rune {
	head, _ := r.Peek(r.Size())
	line, _, _ := bytes.Cut(head, []byte("\n"))
	for _, between := range ",;\t" {
		if bytes.ContainsRune(line, between) {
			return between
		}
	}
	return ','
}

// readCSV reads the lines of a CSV file. Fields are parsed one line at a time.
func readCSV(text *bufio.Reader, path string, to RowReader) error {
	if mark, _ := text.Peek(3); string(mark) == "\xef\xbb\xbf" {
		if _, err := text.Discard(3); err != nil {
			return err
		}
	}
	limit := &rowLimit{text, mostRow}
	r := csv.NewReader(limit)
	r.Comma = betweenFields(text)
	r.ReuseRecord, r.TrimLeadingSpace = true, true
	at := Place{Path: path, Line: 1}
	var cells []Cell
	for columns := 0; ; {
		limit.left = mostRow
		fields, err := r.Read()
		if err == io.EOF && columns == 0 {
			return at.Errorf("there is nothing in it")
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return damagedCSV(path, err, len(fields), columns)
		}
		at.Line, _ = r.FieldPos(0)
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		if columns == 0 {
			columns = len(fields)
			cells = make([]Cell, columns)
			err = headed(to, at, slices.Clone(fields))
		} else {
			for i, field := range fields {
				cells[i].Text = field
			}
			err = to.Row(at, cells)
		}
		if err != nil {
			return err
		}
	}
}

// headed hands over the names of the columns, of which no two are alike.
func headed(to RowReader, at Place, names []string) error {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return at.Errorf("two columns are called %q", name)
		}
	}
	return to.Header(at, names)
}

// damagedCSV is what is wrong with a text, at its line.
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

// readParquet reads the rows of a Parquet file, whose columns may be integers, floats or
// texts.
func readParquet(r io.ReaderAt, path string, to RowReader) (err error) {
	// The library panics at some damaged files; a panic of the reader is its own.
	guarded := &guard{RowReader: to}
	to = guarded
	defer func() {
		if guarded.inside {
			return
		}
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%s: damaged Parquet: %v", path, fault)
		}
	}()
	size, err := sizeOf(r)
	if err != nil {
		return err
	}
	file, err := parquet.OpenFile(r, size)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var names []string
	for _, path := range file.Schema().Columns() {
		if len(path) != 1 {
			return fmt.Errorf("%s: the column %q is nested", path, path)
		}
		names = append(names, path[0])
	}
	at := Place{Path: path, Line: 1, Parquet: true}
	if err := headed(to, at, names); err != nil {
		return err
	}
	at.Line = 0
	for _, group := range file.RowGroups() {
		if err = readGroup(group, &at, len(names), to); err != nil {
			return err
		}
	}
	return nil
}

// guard tells whether a reader is at work.
type guard struct {
	RowReader
	inside bool
}

// Row implements RowReader.
func (g *guard) Row(at Place, cells []Cell) error {
	g.inside = true
	err := g.RowReader.Row(at, cells)
	g.inside = false
	return err
}

// sizeOf is how many bytes there are.
func sizeOf(r io.ReaderAt) (int64, error) {
	switch r := r.(type) {
	case fs.File:
		info, err := r.Stat()
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	case *bytes.Reader:
		return r.Size(), nil
	}
	return 0, fmt.Errorf("a %T has no size", r)
}

// readGroup reads a group of rows; at is the place of the row before it, and then that of
// its last.
func readGroup(group parquet.RowGroup, at *Place, columns int, to RowReader) error {
	rows := group.Rows()
	defer rows.Close()
	batch := make([]parquet.Row, 256)
	cells := make([]Cell, columns)
	for {
		n, err := rows.ReadRows(batch)
		for _, row := range batch[:n] {
			at.Line++
			if len(row) != columns {
				return at.Errorf("%d values, want %d", len(row), columns)
			}
			for i, v := range row {
				cells[i] = cellOf(v)
			}
			if err := to.Row(*at, cells); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", at.Path, err)
		}
	}
}

// cellOf is a value of Parquet as a cell.
func cellOf(v parquet.Value) Cell {
	if v.IsNull() {
		return Cell{Null: true}
	}
	switch v.Kind() {
	case parquet.Int32:
		return Cell{Typed: true, Number: float64(v.Int32())}
	case parquet.Int64:
		return Cell{Typed: true, Number: float64(v.Int64())}
	case parquet.Float:
		return Cell{Typed: true, Number: float64(v.Float())}
	case parquet.Double:
		return Cell{Typed: true, Number: v.Double()}
	}
	return Cell{Text: strings.TrimSpace(v.String())}
}
