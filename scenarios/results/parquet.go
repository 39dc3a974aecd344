package results

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"starling/scenarios/results/internal/atomicfile"
)

const (
	// rowsPerGroup bounds the memory of a writer: a row group is held in
	// memory, encoded and compressed, until it is full.
	rowsPerGroup = 1 << 18
	// rowsPerBatch is the number of rows handed over at once. It divides
	// rowsPerGroup, so that page boundaries depend on the rows alone and not
	// on how they were cut into jobs.
	rowsPerBatch = 1 << 10
)

// metricRecord is the layout of metrics.parquet.
type metricRecord struct {
	Arm    string  `parquet:"arm,dict"`
	Seed   uint64  `parquet:"seed,dict"`
	Step   int64   `parquet:"step,delta"`
	Node   *int32  `parquet:"node,optional,dict"`
	Metric string  `parquet:"metric,dict"`
	Value  float64 `parquet:"value"`
}

// summaryRecord is the layout of summary.parquet.
type summaryRecord struct {
	Arm    string   `parquet:"arm,dict"`
	Step   int64    `parquet:"step,delta"`
	Metric string   `parquet:"metric,dict"`
	Mean   float64  `parquet:"mean"`
	SE     *float64 `parquet:"se,optional"` // null where it is undefined
	N      int64    `parquet:"n,delta"`
}

// tableWriter writes records of type T into a parquet file that is whole or
// absent.
type tableWriter[T any] struct {
	file    *atomicfile.File
	parquet *parquet.GenericWriter[T]
}

// createTable starts the file. Columns named in unbounded get no minimum and
// maximum: those of a float column say nothing about its NaNs, and a reader
// that skips pages by them can lose rows.
func createTable[T any](path string, unbounded ...string) (*tableWriter[T], error) {
	file, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	return &tableWriter[T]{file: file, parquet: newParquet[T](file, unbounded...)}, nil
}

// newParquet is what writes the bytes of a table; createTable says what unbounded is.
func newParquet[T any](w io.Writer, unbounded ...string) *parquet.GenericWriter[T] {
	options := []parquet.WriterOption{
		parquet.Compression(&parquet.Zstd),
		// The default names the library's version if the build knows it: the
		// bytes would depend on how the program was built.
		parquet.CreatedBy("starling", strconv.Itoa(FormatVersion), ""),
		parquet.MaxRowsPerRowGroup(rowsPerGroup),
	}
	for _, column := range unbounded {
		options = append(options, parquet.SkipPageBounds(column), parquet.SkipPageStatistics(column))
	}
	return parquet.NewGenericWriter[T](w, options...)
}

// write appends records, which it does not keep.
func (t *tableWriter[T]) write(records []T) error {
	_, err := t.parquet.Write(records)
	return err
}

// commit writes the footer and gives the file its final name.
func (t *tableWriter[T]) commit() error {
	if err := t.parquet.Close(); err != nil {
		t.file.Abort()
		return err
	}
	return t.file.Commit()
}

// errColumns is wrapped by the error of a file with other columns than those of
// its table.
var errColumns = errors.New("wrong columns")

// readTable calls visit for every row of a parquet file whose schema is that
// of T, column values in schema order. The values are valid during the call
// only. An error of visit ends the reading and is returned as it is.
func readTable[T any](path string, visit func(parquet.Row) error) error {
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
	var zero T
	if want := parquet.SchemaOf(zero); !parquet.EqualNodes(table.Schema(), want) {
		return fmt.Errorf("%s has the %w:\n%s\nwant:\n%s", path, errColumns, table.Schema(), want)
	}
	for _, group := range table.RowGroups() {
		if err := readGroup(path, group, visit); err != nil {
			return err
		}
	}
	return nil
}

// readGroup reads the rows of a group, and demands as many as the file says it has.
func readGroup(path string, group parquet.RowGroup, visit func(parquet.Row) error) error {
	rows := group.Rows()
	defer rows.Close()
	batch := make([]parquet.Row, rowsPerBatch)
	var read int64
	for {
		n, err := rows.ReadRows(batch)
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

// interner shares one string per distinct value of a column.
type interner map[string]string

func (in interner) get(value parquet.Value) string {
	raw := value.ByteArray()
	if s, ok := in[string(raw)]; ok {
		return s
	}
	s := string(raw)
	in[s] = s
	return s
}
