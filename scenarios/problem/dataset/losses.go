package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// Losses is a table of the losses of experts, each in [0, 1]. It must not be
// changed.
type Losses struct {
	// Each of the three is the largest number in its column, or the number of columns of
	// losses.
	Clients, Steps, Experts int
	// Rows are the losses of all experts, len Experts: those of client 1 at steps
	// 1 .. Steps, then those of client 2, and so on.
	Rows [][]float64
	// SHA256 is that of the file, in hex.
	SHA256 string
}

// maxLosses is the largest number of losses that a table may have.
const maxLosses = 1 << 25

// LoadLosses reads a table of losses from a CSV file, whose first line names the
// columns, or from a Parquet file, which is told by its first bytes. It has the
// columns client and step, from 1, and either expert, from 1, and loss, or else
// a column for each expert, in the order of the experts. Every client has every
// step, and every step every expert, once, in any order. Errors are *FormatError
// with the line, from 1, or where there is no line to name, those of the table as
// a whole or of the file system.
func LoadLosses(path string) (*Losses, error) {
	text, err := readRegular(path)
	if err != nil {
		return nil, err
	}
	t := &lossTable{path: path, unit: "line"}
	if bytes.HasPrefix(text, []byte("PAR1")) {
		t.unit = "row"
		err = t.readParquet(text)
	} else {
		err = t.readCSV(text)
	}
	if err != nil {
		return nil, err
	}
	l, err := t.table()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	l.SHA256 = hex.EncodeToString(sum[:])
	return l, nil
}

// readRegular reads a file that is neither a device nor too large.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxContent {
		return nil, fmt.Errorf("%s: want a file of at most %d bytes", path, maxContent)
	}
	return os.ReadFile(path)
}

// lossTable is a table while it is read. CSV and Parquet differ in how a row is read, and
// in nothing after that: both call header once and row for each row.
type lossTable struct {
	// path is the file's, for errors.
	path string
	// unit is line in CSV and row in Parquet.
	unit string // what a place in the file is called
	// columns are the names of the first line, in their order.
	columns []string
	// long tells that a row has one expert and one loss; else a row has a column for each
	// expert.
	long bool
	// cells are the losses in the order of the file, which may be any.
	cells []lossCell
	// extent is the largest client, step and expert so far. It decides the size of the
	// table, once all is read.
	extent [3]int // the largest client, step and expert
}

// lossCell is a loss with its place in the file.
type lossCell struct {
	// at is client, step and expert, from 1.
	at   [3]int32
	line int32
	loss float64
}

// The columns that number a loss, and that of the loss.
const (
	columnClient = "client"
	columnStep   = "step"
	columnExpert = "expert"
	columnLoss   = "loss"
)

// fail is an error at a place in the file.
func (t *lossTable) fail(line int, format string, args ...any) error {
	if t.unit == "row" {
		return fmt.Errorf("%s: row %d: %s", t.path, line, fmt.Sprintf(format, args...))
	}
	return &FormatError{Path: t.path, Line: line, Err: fmt.Errorf(format, args...)}
}

// header takes the names of the columns, in their order, and decides between the two
// forms of a table:
//
//	long   client, step, expert, loss     a loss a row, the columns in any order
//	wide   client, step, and any others   a column for each expert, in their order
func (t *lossTable) header(names []string) error {
	t.columns = names
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return t.fail(1, "two columns are called %q", name)
		}
	}
	for _, name := range []string{columnClient, columnStep} {
		if !slices.Contains(names, name) {
			return t.fail(1, "there is no column %q among %q", name, names)
		}
	}
	expert, loss := slices.Contains(names, columnExpert), slices.Contains(names, columnLoss)
	t.long = expert && loss && len(names) == 4
	if (expert || loss) && !t.long {
		return t.fail(1, "the columns are %q, want client, step, expert and loss, or client, step and a column for each expert", names)
	}
	if len(names) < 3 {
		return t.fail(1, "there is no column of losses")
	}
	return nil
}

// row takes the values of a row: the number that places it, and its losses, each in [0,
// 1]. number returns the value of a column. line is the place of the row, for errors.
func (t *lossTable) row(line int, number func(column int) (float64, error)) error {
	var at [3]int32
	losses := make([]lossCell, 0, len(t.columns)-2)
	for i, name := range t.columns {
		v, err := number(i)
		if err != nil {
			return t.fail(line, "%s: %v", name, err)
		}
		k := slices.Index([]string{columnClient, columnStep, columnExpert}, name)
		switch {
		case k < 0 || k == 2 && !t.long:
			losses = append(losses, lossCell{loss: v})
		case !(v >= 1 && v <= maxID) || v != float64(int32(v)):
			return t.fail(line, "%s %v, want a whole number of 1 to %d", name, v, maxID)
		// client, step or, in a long table, expert: a number that places the losses of
		// the row.
		default:
			at[k] = int32(v)
		}
	}
	for n, cell := range losses {
		cell.at, cell.line = at, int32(line)
		if !t.long {
			cell.at[2] = int32(n + 1)
		}
		if !(cell.loss >= 0 && cell.loss <= 1) {
			return t.fail(line, "client %d, step %d: the loss of expert %d is %v, outside [0, 1]", cell.at[0], cell.at[1], cell.at[2], cell.loss)
		}
		for k, v := range cell.at {
			t.extent[k] = max(t.extent[k], int(v))
		}
		t.cells = append(t.cells, cell)
	}
	if len(t.cells) > maxLosses {
		return t.fail(line, "more than %d losses", maxLosses)
	}
	return nil
}

// readCSV reads the lines of a CSV file. Fields are parsed one line at a time, so that a
// large table takes its cells in memory and not its text.
func (t *lossTable) readCSV(text []byte) error {
	r := csv.NewReader(bytes.NewReader(text))
	r.ReuseRecord, r.TrimLeadingSpace = true, true
	names, err := r.Read()
	if err == io.EOF {
		return t.fail(1, "there is nothing in it")
	}
	if err == nil {
		err = t.header(slices.Clone(names))
	}
	for err == nil {
		var fields []string
		if fields, err = r.Read(); err != nil {
			break
		}
		line, _ := r.FieldPos(0)
		err = t.row(line, func(column int) (float64, error) {
			v, err := strconv.ParseFloat(fields[column], 64)
			if err != nil {
				return 0, fmt.Errorf("got %q, want a number", fields[column])
			}
			return v, nil
		})
	}
	var damaged *csv.ParseError
	switch {
	case err == io.EOF:
		return nil
	case errors.As(err, &damaged):
		return t.fail(damaged.Line, "%v", damaged.Err)
	}
	return err
}

// readParquet reads the rows of a Parquet file, whose columns may be integers or floats.
func (t *lossTable) readParquet(text []byte) error {
	file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	var names []string
	for _, path := range file.Schema().Columns() {
		if len(path) != 1 {
			return fmt.Errorf("%s: the column %q is nested", t.path, path)
		}
		names = append(names, path[0])
	}
	if err := t.header(names); err != nil {
		return err
	}
	line := 0
	for _, group := range file.RowGroups() {
		if line, err = t.readGroup(group, line); err != nil {
			return err
		}
	}
	return nil
}

// readGroup reads a group of rows; line is the number of rows before it.
func (t *lossTable) readGroup(group parquet.RowGroup, line int) (int, error) {
	rows := group.Rows()
	defer rows.Close()
	batch := make([]parquet.Row, 256)
	for {
		n, err := rows.ReadRows(batch)
		for _, row := range batch[:n] {
			line++
			if len(row) != len(t.columns) {
				return line, t.fail(line, "%d values, want %d", len(row), len(t.columns))
			}
			if err := t.row(line, func(column int) (float64, error) { return parquetNumber(row[column]) }); err != nil {
				return line, err
			}
		}
		if err == io.EOF {
			return line, nil
		}
		if err != nil {
			return line, fmt.Errorf("%s: %w", t.path, err)
		}
	}
}

// parquetNumber is a value as a number. Null is refused: a loss that is not known is no
// loss of 0.
func parquetNumber(v parquet.Value) (float64, error) {
	if v.IsNull() {
		return 0, errors.New("got null, want a number")
	}
	switch v.Kind() {
	case parquet.Int32:
		return float64(v.Int32()), nil
	case parquet.Int64:
		return float64(v.Int64()), nil
	case parquet.Float:
		return float64(v.Float()), nil
	case parquet.Double:
		return v.Double(), nil
	}
	return 0, fmt.Errorf("got %v, want a number", v)
}

// table puts the losses in order, and demands that each is there exactly once. The size
// is that of the largest numbers: a table with client 1000 and no other has 999 holes and
// is refused, as is one that is too large for memory.
func (t *lossTable) table() (*Losses, error) {
	l := &Losses{Clients: t.extent[0], Steps: t.extent[1], Experts: t.extent[2]}
	if len(t.cells) == 0 {
		return nil, fmt.Errorf("%s: there are no losses in it", t.path)
	}
	if all := float64(l.Clients) * float64(l.Steps) * float64(l.Experts); all > maxLosses {
		return nil, fmt.Errorf("%s: %d clients, %d steps and %d experts have %.3g losses, want at most %d", t.path, l.Clients, l.Steps, l.Experts, all, maxLosses)
	}
	losses := make([]float64, l.Clients*l.Steps*l.Experts)
	// lines says for each place of the table which line filled it: 0 is a hole, and a
	// second line is an error that can name the first.
	lines := make([]int32, len(losses))
	for _, c := range t.cells {
		i := (int(c.at[0]-1)*l.Steps+int(c.at[1]-1))*l.Experts + int(c.at[2]-1)
		if lines[i] > 0 {
			return nil, t.fail(int(c.line), "client %d, step %d, expert %d is on %s %d already", c.at[0], c.at[1], c.at[2], t.unit, lines[i])
		}
		losses[i], lines[i] = c.loss, c.line
	}
	if i := slices.Index(lines, 0); i >= 0 {
		row := i / l.Experts
		return nil, fmt.Errorf("%s: there is no loss of client %d, step %d, expert %d; there are %d clients, %d steps and %d experts",
			t.path, row/l.Steps+1, row%l.Steps+1, i%l.Experts+1, l.Clients, l.Steps, l.Experts)
	}
	l.Rows = slices.Collect(slices.Chunk(losses, l.Experts))
	return l, nil
}
