package dataset

import (
	"fmt"
	"slices"

	"starling/actors/topology"
	"starling/scenarios/inputs"
)

// Losses is a table of the losses of experts, each in [0, 1]. It must not be
// changed.
type Losses struct {
	// Each of the three is the largest number in its column, or the number of columns of
	// losses.
	Clients, Steps, Experts int
	// Rows are the losses of all experts, len Experts each: first of client 1 at steps 1 ..
	// Steps, then of client 2, and so on.
	Rows [][]float64
	// Left are the columns that are no losses: row numbers, as Column.Index finds them.
	Left []string
	// SHA256 is the SHA-256 of the file, in hex.
	SHA256 string
}

// maxLosses is the largest number of losses that a table may have.
const maxLosses = 1 << 25

// LoadLosses reads a table of losses from a CSV or Parquet file, as ReadRows does. It has
// the columns client and step, from 1, and either expert, from 1, and loss, or else a
// column for each expert, in the order of the experts. Every client has every step, and
// every step every expert, once, in any order. Errors are from ReadRows, of all rows with a
// fault, or about the table as a whole.
func LoadLosses(path string) (*Losses, error) {
	file, err := inputs.OpenRegular(path, maxContent)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t := &lossTable{faults: topology.FileFaults{Name: path}}
	digest, err := ReadRows(file, path, t)
	if t.faults.Add(err); t.faults.Err() != nil {
		return nil, t.faults.Err()
	}
	l, err := t.table(path)
	if err != nil {
		return nil, err
	}
	l.SHA256 = digest
	return l, nil
}

// lossTable is a table while it is read. It implements RowReader.
type lossTable struct {
	// faults are those of the rows.
	faults topology.FileFaults
	// at is the place of the last row, for errors.
	at Place
	// columns are the names of the first line, in their order. left are columns by index
	// that are no losses, such as row numbers of pandas.
	columns []string
	left    map[int]bool
	// long is true if a row has one expert and one loss; else a row has a column for each
	// expert.
	long bool
	// cells are the losses in the order of the file, which may be any.
	cells []lossCell
	// Left are the names of columns that are left out.
	Left []string
	// extent is the largest client, step and expert so far. It decides the size of the
	// table, once all is read.
	extent [3]int
}

// lossCell is a loss with its place in the file.
type lossCell struct {
	// at is client, step and expert, from 1.
	at   [3]int32
	line int32
	loss float64
}

// The columns that number a loss, and the column of the loss.
const (
	columnClient = "client"
	columnStep   = "step"
	columnExpert = "expert"
	columnLoss   = "loss"
)

// Header implements RowReader: it takes the names of the columns, in their order, and
// decides between the two forms of a table:
//
//	long   client, step, expert, loss     a loss a row, the columns in any order
//	wide   client, step, and any others   a column for each expert, in their order
//
// A column of row numbers is in neither.
func (t *lossTable) Header(at Place, columns []Column) error {
	var names []string
	t.left = map[int]bool{}
	for i, c := range columns {
		t.columns = append(t.columns, c.Name)
		switch {
		case c.Index():
			t.left[i] = true
			t.Left = append(t.Left, c.Name)
			continue
		case c.Sort == Times || c.Sort == Unreadable:
			return at.Errorf("the column %q is of type %s, which is no loss and no number; leave it out", c.Name, c.Type)
		}
		names = append(names, c.Name)
	}
	for _, name := range []string{columnClient, columnStep} {
		if !slices.Contains(names, name) {
			return at.Errorf("there is no column %q among %q", name, names)
		}
	}
	expert, loss := slices.Contains(names, columnExpert), slices.Contains(names, columnLoss)
	t.long = expert && loss && len(names) == 4
	if (expert || loss) && !t.long {
		return at.Errorf("the columns are %q, want client, step, expert and loss, or client, step and a column for each expert", names)
	}
	if len(names) < 3 {
		return at.Errorf("there is no column of losses")
	}
	return nil
}

// Row implements RowReader. A row with a fault is noted and left out, and the next one is
// read; too many losses end the reading.
func (t *lossTable) Row(place Place, row []Cell) error {
	t.faults.Add(t.take(place, row))
	if len(t.cells) > maxLosses {
		return place.Errorf("more than %d losses", maxLosses)
	}
	return nil
}

// take takes the number that places a row, and its losses, each in [0, 1].
func (t *lossTable) take(place Place, row []Cell) error {
	t.at = place
	var at [3]int32
	losses := make([]lossCell, 0, len(t.columns))
	for i, name := range t.columns {
		if t.left[i] {
			continue
		}
		v, err := row[i].Float()
		if err != nil {
			return place.Errorf("%s: %v", name, err)
		}
		k := slices.Index([]string{columnClient, columnStep, columnExpert}, name)
		switch {
		case k < 0 || k == 2 && !t.long:
			losses = append(losses, lossCell{loss: v})
		case !(v >= 1 && v <= maxID) || v != float64(int32(v)):
			return place.Errorf("%s %v, want a whole number of 1 to %d", name, v, maxID)
		// client, step or, in a long table, expert: a number that places the losses of
		// the row.
		default:
			at[k] = int32(v)
		}
	}
	for n, cell := range losses {
		cell.at, cell.line = at, int32(place.Line)
		if !t.long {
			cell.at[2] = int32(n + 1)
		}
		if !(cell.loss >= 0 && cell.loss <= 1) {
			return place.Errorf("client %d, step %d: the loss of expert %d is %v, outside [0, 1]", cell.at[0], cell.at[1], cell.at[2], cell.loss)
		}
		for k, v := range cell.at {
			t.extent[k] = max(t.extent[k], int(v))
		}
		t.cells = append(t.cells, cell)
	}
	return nil
}

// table puts the losses in order, and demands that each is there exactly once. The size
// follows from the largest numbers: a table with client 1000 and no other has 999 holes and is
// refused, as is one that is too large for memory.
func (t *lossTable) table(path string) (*Losses, error) {
	l := &Losses{Clients: t.extent[0], Steps: t.extent[1], Experts: t.extent[2], Left: t.Left}
	if len(t.cells) == 0 {
		return nil, fmt.Errorf("%s: there are no losses in it", path)
	}
	if all := float64(l.Clients) * float64(l.Steps) * float64(l.Experts); all > maxLosses {
		return nil, fmt.Errorf("%s: %d clients, %d steps and %d experts have %.3g losses, want at most %d", path, l.Clients, l.Steps, l.Experts, all, maxLosses)
	}
	losses := make([]float64, l.Clients*l.Steps*l.Experts)
	// lines says for each place of the table which line filled it: 0 is a hole, and a
	// second line is an error that can name the first.
	lines := make([]int32, len(losses))
	for _, c := range t.cells {
		i := (int(c.at[0]-1)*l.Steps+int(c.at[1]-1))*l.Experts + int(c.at[2]-1)
		if lines[i] > 0 {
			at := t.at
			at.Line = int(c.line)
			return nil, at.Errorf("client %d, step %d, expert %d is on %s %d already", c.at[0], c.at[1], c.at[2], at.Unit(), lines[i])
		}
		losses[i], lines[i] = c.loss, c.line
	}
	if i := slices.Index(lines, 0); i >= 0 {
		row := i / l.Experts
		return nil, fmt.Errorf("%s: there is no loss of client %d, step %d, expert %d; there are %d clients, %d steps and %d experts",
			path, row/l.Steps+1, row%l.Steps+1, i%l.Experts+1, l.Clients, l.Steps, l.Experts)
	}
	l.Rows = slices.Collect(slices.Chunk(losses, l.Experts))
	return l, nil
}
