package results

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"starling/actors/atomicfile"
)

const (
	// rowsPerGroup bounds the memory of a writer: a row group is held in
	// memory, encoded and compressed, until it is full.
	rowsPerGroup = 1 << 18
	// rowsPerBatch is the number of rows handed over at once. It divides rowsPerGroup, so that
	// page boundaries depend on the rows alone and not on their division into jobs.
	rowsPerBatch = 1 << 10
	// tableVersion is the version of the layout of results folders, which files name.
	tableVersion = 1
)

// tableWriter writes records of type T into a parquet file that is whole or absent. Every Writer
// ends with Commit or Abort.
type tableWriter[T any] struct {
	file    *atomicfile.File
	parquet *parquet.GenericWriter[T]
}

// createTable starts the file. Columns named in unbounded get no minimum and maximum: the bounds of
// a float column say nothing about its NaNs, and a reader that skips pages by them can lose
// rows.
func createTable[T any](path string, unbounded ...string) (*tableWriter[T], error) {
	file, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	return &tableWriter[T]{file: file, parquet: newParquet[T](file, unbounded...)}, nil
}

// newParquet returns the writer of the bytes of a table; Create describes unbounded.
func newParquet[T any](w io.Writer, unbounded ...string) *parquet.GenericWriter[T] {
	options := []parquet.WriterOption{
		parquet.Compression(&parquet.Zstd),
		// The default names the library's version if the build knows it: the
		// bytes would depend on how the program was built.
		parquet.CreatedBy("starling", strconv.Itoa(tableVersion), ""),
		parquet.MaxRowsPerRowGroup(rowsPerGroup),
	}
	for _, column := range unbounded {
		options = append(options, parquet.SkipPageBounds(column), parquet.SkipPageStatistics(column))
	}
	return parquet.NewGenericWriter[T](w, options...)
}

// Write appends records, which it does not keep.
func (t *tableWriter[T]) Write(records []T) error {
	_, err := t.parquet.Write(records)
	return err
}

// Copy appends the row groups of a table that Encode has made, as they are. The row group
// that is being filled ends before them.
func (t *tableWriter[T]) Copy(table *parquet.File) error {
	for _, group := range table.RowGroups() {
		if _, err := t.parquet.WriteRowGroup(group); err != nil {
			return err
		}
	}
	return nil
}

// tableNote is a text in the metadata of a file, under a key.
type tableNote struct{ Key, Value string }

// metricsNote is the key of the note that describes the metrics of a run, as JSON by name.
const metricsNote = "starling.metrics"

// Annotate adds notes to the metadata of the file. Keys differ.
func (t *tableWriter[T]) Annotate(notes []tableNote) {
	for _, n := range notes {
		t.parquet.SetKeyValueMetadata(n.Key, n.Value)
	}
}

// Commit writes the footer and gives the file its final name.
func (t *tableWriter[T]) Commit() error {
	if err := t.parquet.Close(); err != nil {
		t.file.Abort()
		return err
	}
	return t.file.Commit()
}

// Abort drops the file. After Commit it does nothing.
func (t *tableWriter[T]) Abort() { t.file.Abort() }

// Size is the number of bytes of the file, and SHA256 their hash in hex, after Commit.
func (t *tableWriter[T]) Size() int64    { return t.file.Size() }
func (t *tableWriter[T]) SHA256() string { return t.file.SHA256() }

// encodeTable returns a file of the records that fill writes, in memory.
func encodeTable[T any](fill func(write func([]T) error) error, unbounded ...string) (string, error) {
	var text strings.Builder
	file := newParquet[T](&text, unbounded...)
	err := fill(func(records []T) error {
		_, err := file.Write(records)
		return err
	})
	if err == nil {
		err = file.Close()
	}
	return text.String(), err
}

// openRows reads the footer of a table that Encode returned. A table of other columns than T has
// is an error that wraps errColumns.
func openRows[T any](text string) (*parquet.File, error) {
	file, err := parquet.OpenFile(strings.NewReader(text), int64(len(text)), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	return file, checkColumns[T](file)
}

// checkColumns refuses a table of other columns than T has.
func checkColumns[T any](file *parquet.File) error {
	var zero T
	if want := parquet.SchemaOf(zero); !parquet.EqualNodes(file.Schema(), want) {
		return fmt.Errorf("%w:\n%s\nwant:\n%s", errColumns, file.Schema(), want)
	}
	return nil
}

// errColumns is wrapped by the error of a file with other columns than its table has.
var errColumns = errors.New("wrong columns")

// readTable calls visit for every row of a parquet file with the schema of T, column values in
// schema order. The values are valid during the call only. An error of visit ends the reading
// and is returned as it is.
func readTable[T any](path string, visit func(parquet.Row) error) error {
	return eachGroup[T](path, func(group parquet.RowGroup) error { return readGroup(path, group, visit) })
}

// eachGroup calls visit for the row groups of a parquet file with the schema of T. An error of
// visit ends the reading and is returned as it is.
func eachGroup[T any](path string, visit func(parquet.RowGroup) error) error {
	return withFile(path, func(table *parquet.File) error {
		if err := checkColumns[T](table); err != nil {
			return fmt.Errorf("%s has the %w", path, err)
		}
		for _, group := range table.RowGroups() {
			if err := visit(group); err != nil {
				return err
			}
		}
		return nil
	})
}

// withFile calls use with a parquet file, which is open during the call. An error of use is
// returned as it is.
func withFile(path string, use func(*parquet.File) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	table, err := parquet.OpenFile(file, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return fmt.Errorf("%s is damaged or no parquet file: %w", path, err)
	}
	return use(table)
}

// lookupNote returns the note of a parquet file under a key; empty where there is no such note.
func lookupNote(path, key string) (value string, err error) {
	err = withFile(path, func(table *parquet.File) error {
		value, _ = table.Lookup(key)
		return nil
	})
	return value, err
}

// readGroup reads the rows of a group, and demands as many as the file says it has.
func readGroup(path string, group parquet.RowGroup, visit func(parquet.Row) error) error {
	rows := group.Rows()
	defer rows.Close()
	batch := make([]parquet.Row, rowsPerBatch)
	var read int64
	for {
		// ReadRows asks each column at its end once more for every row of the batch that is left
		// empty, and allocates each time. One row past the end is enough to find the end.
		left := max(1, group.NumRows()-read)
		n, err := rows.ReadRows(batch[:min(left, rowsPerBatch)])
		for _, row := range batch[:n] {
			if err := visit(row); err != nil {
				return err
			}
		}
		read += int64(n)
		switch {
		case errors.Is(err, io.EOF) && read == group.NumRows():
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%s is damaged: a row group has %d of %d rows", path, read, group.NumRows())
		case err != nil:
			return fmt.Errorf("%s is damaged: %w", path, err)
		}
	}
}
