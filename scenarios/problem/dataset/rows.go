package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"regexp"
)

// Place is the place of a row in a file.
type Place struct {
	Path string
	// Line is from 1: the line of a text, or the row of Parquet. For the columns of Parquet it
	// is 0.
	Line    int
	Parquet bool
}

// Unit returns the name of the unit of a place.
func (p Place) Unit() string {
	if p.Parquet {
		return "row"
	}
	return "line"
}

// Errorf returns an error at the place. For a text it is a *FormatError.
func (p Place) Errorf(format string, args ...any) error {
	if p.Parquet && p.Line == 0 {
		return fmt.Errorf("%s: %w", p.Path, fmt.Errorf(format, args...))
	}
	if p.Parquet {
		return fmt.Errorf("%s: row %d: %w", p.Path, p.Line, fmt.Errorf(format, args...))
	}
	return &FormatError{Path: p.Path, Line: p.Line, Err: fmt.Errorf(format, args...)}
}

// Sort is the sort of the values of a column.
type Sort uint8

// The sorts of columns.
const (
	Texts      Sort = iota // texts, of which each may be a number or a word; all of CSV
	Numbers                // numbers of Parquet
	Times                  // times of Parquet, which have an order and are no numbers
	Unreadable             // values of Parquet that are not read
)

// Column is a column of a table.
type Column struct {
	Name string
	// Type is the type's name in Parquet, such as decimal(9, 2); empty for CSV.
	Type string
	Sort Sort
}

// indexName matches the names that pandas gives a column of row numbers, in CSV that was read
// back, and in Parquet.
var indexName = regexp.MustCompile(`^(|Unnamed: \d+|__index_level_\d+__)$`)

// Index reports whether the column has a name that pandas gives the column of row numbers: an
// empty name, as R does too, Unnamed: 0 or __index_level_0__.
func (c Column) Index() bool { return indexName.MatchString(c.Name) }

// identifierName matches names of columns of identifiers, and counterName names of columns
// that may count rows.
var (
	identifierName = regexp.MustCompile(`(?i)^(_?id|[ug]uid|(row|record)[ _-]?(id|number|num|nr|no|names?))$`)
	counterName    = regexp.MustCompile(`(?i)^(idx|index|row|n|no|nr|num|number|#|count(er)?|obs(ervation)?|case|seq(uence)?|record|sample|s(r|l)?[ ._]*no\.?)$`)
)

// Identifies reports whether the column has a name of identifiers, which say nothing of a row.
func (c Column) Identifies() bool { return identifierName.MatchString(c.Name) }

// MayCount reports whether the column has a name that columns of row numbers have, and maybe
// others.
func (c Column) MayCount() bool { return counterName.MatchString(c.Name) }

// RowReader takes a table as it is read: Header once, with the columns, and Row for each
// row, with as many cells, which are valid during the call.
type RowReader interface {
	Header(at Place, columns []Column) error
	Row(at Place, cells []Cell) error
}

// FaultReader is a RowReader that goes on after a row that cannot be read, such as one with
// another number of fields. Reading ends with the error that Fault returns; nil goes on.
type FaultReader interface {
	RowReader
	Fault(err error) error
}

// mostRow is the longest row of a text, in bytes.
const mostRow = 1 << 24

// ReadRows reads a CSV file, with the names of the columns in its first line, or a Parquet
// file, which is recognised by its first bytes, and returns the SHA-256 of the file in hex. A
// row is in memory at a time, whatever the size of the file. Either may be compressed by gzip.
// Compressed Parquet is unpacked in memory, 1 GiB at most.
//
// CSV is UTF-8, may begin with a byte order mark, end its lines by CR LF, and quote fields.
// Commas, semicolons, tabs or bars stand between fields: the most frequent in the first line
// counts. Columns of Parquet are read by their logical types. Errors are from the reader to, a
// *FormatError with the line, or from the file system.
func ReadRows(file fs.File, path string, to RowReader) (digest string, err error) {
	return Format{}.ReadRows(file, path, to)
}

// readRows reads a file whose texts the reader of cells knows.
func readRows(file fs.File, path string, as *cellReader, to RowReader) (digest string, err error) {
	hash := sha256.New()
	random, ok := file.(io.ReaderAt)
	r := bufio.NewReader(io.TeeReader(file, hash))
	if head, _ := r.Peek(4); string(head) == parquetMagic && ok {
		// Parquet is read from its end: the hash takes a pass of its own.
		if _, err := io.Copy(io.Discard, r); err != nil {
			return "", err
		}
		if err := readParquet(random, path, as, to); err != nil {
			return "", err
		}
		return hex.EncodeToString(hash.Sum(nil)), nil
	} else if isGzip(head) {
		err = readCompressed(r, path, as, to)
	} else {
		err = readPlain(r, path, as, to)
	}
	if err != nil {
		return "", err
	}
	// The bytes that a reader left, such as bytes after the end of a gzip stream, are part of
	// the file and of the digest.
	_, err = io.Copy(io.Discard, r)
	return hex.EncodeToString(hash.Sum(nil)), err
}

// isGzip reports whether a file with these first bytes is compressed by gzip.
func isGzip(head []byte) bool { return len(head) > 2 && head[0] == 0x1f && head[1] == 0x8b }

// readCompressed reads a file that is compressed by gzip.
func readCompressed(r io.Reader, path string, as *cellReader, to RowReader) error {
	plain, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("%s: not a gzip file: %w", path, err)
	}
	return readPlain(bufio.NewReader(plain), path, as, to)
}

// readPlain reads a file that is not compressed, in order.
func readPlain(r *bufio.Reader, path string, as *cellReader, to RowReader) error {
	if head, _ := r.Peek(4); string(head) != parquetMagic {
		return readCSV(as.decoded(r), path, as, to)
	}
	text, err := io.ReadAll(io.LimitReader(r, maxContent+1))
	if err == nil && len(text) > maxContent {
		err = fmt.Errorf("%s: more than %d bytes; leave Parquet uncompressed by gzip", path, maxContent)
	}
	if err != nil {
		return err
	}
	return readParquet(bytes.NewReader(text), path, as, to)
}

// headed passes the columns to a reader. It refuses two columns with the same name.
func headed(to RowReader, at Place, columns []Column) error {
	known := make(map[string]bool, len(columns))
	for _, c := range columns {
		if known[c.Name] {
			return at.Errorf("two columns are called %q", c.Name)
		}
		known[c.Name] = true
	}
	return to.Header(at, columns)
}
