package table

import (
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"

	"starling/scenarios/problem/dataset"
)

// The sizes of tables. Tables that exceed a limit are refused while they are read, at the
// row that is too much.
const (
	mostNumbers = 1 << 28 // features and labels of all rows, 2 GiB
	mostLevels  = 1 << 12 // of a column
	mostParties = 1 << 20

	// Of a block, whichever is less.
	blockRows    = 1 << 12
	blockNumbers = 1 << 20
)

// MostClasses is the largest number of classes of a label.
const MostClasses = 256

// The words of a column that splits rows.
const (
	wordTrain = "train"
	wordTest  = "test"
)

// noRows is the error of a file with a header alone.
const noRows = "there is no row after the names of the columns"

// File is an open file with the path that errors name, or a folder with a Parquet file for each of Clients.
type File struct {
	fs.File
	Path    string
	Clients []string
}

// Read reads a table of training rows and, where test is not nil, a second file of test
// rows with the same columns, of which the column of parties may be absent. digests are the
// SHA-256 of the files, in hex. Errors name the file, the line and the column. The files are
// read once, from their beginnings, and stay open. Words in columns of levels of the second
// file join the words of the first.
func Read(c Columns, train File, test *File) (t *Table, digests []string, err error) {
	return (&reader{Columns: c, table: &Table{}, path: train.Path}).read(train, test)
}

// read reads both files.
func (r *reader) read(train File, test *File) (t *Table, digests []string, err error) {
	c := r.Columns
	if c.From != "" {
		if r.from, err = dataset.ParseBound(c.From); err != nil {
			return nil, nil, err
		}
	}
	digest, err := r.readTrain(train)
	if err != nil {
		return nil, nil, err
	}
	digests = append(digests, digest)
	r.table.passing.locate(r)
	// The second file goes through the same reader: its rows follow the rows of the first,
	// under codes that both share.
	if test != nil {
		r.second, r.before = true, r.table.Len()
		if digest, err = c.Format.ReadRows(test, test.Path, r); err != nil {
			return nil, nil, err
		}
		digests = append(digests, digest)
		if r.table.Len() == r.before {
			return nil, nil, fmt.Errorf("%s: %s", test.Path, noRows)
		}
	}
	if err := r.finish(); err != nil {
		return nil, nil, err
	}
	return r.table, digests, nil
}

// reader makes a table of rows. It implements dataset.RowReader.
type reader struct {
	Columns
	// table is the result; path is the first file, for errors at the end.
	table *Table
	path  string // of the first file
	// second is true if the rows are of the file of tests, which begins at row before.
	second bool
	before int
	// started is true if the first row, at bare, has decided the features.
	started bool
	bare    dataset.Place
	// columns are the columns of the file that is read now. The next are indices of them, -1 where
	// there is none: listed are the columns of Features, and features has the column of each
	// feature of a datum, which several may share. others are the columns that are left out, with
	// the looks of their cells.
	columns                             []dataset.Column
	step, label, split                  int
	party, listed, features, parameters []int
	others                              []other
	// owners gives parties codes in the order of their first rows; quantity has the number of each
	// row where quantiles of it are parties.
	owners   dictionary
	quantity []float64
	// values are by parameter and code of a party.
	values [][]Value
	// began is the path of the first file of a folder, empty for one file. client is the name of the client of the
	// file or row group, from 1, that is read. It is empty before the first row of a group that names it. See
	// Parties.Of.
	began, client string
	group         int
	// came counts the training rows that were read.
	came int
	// steps are by row, where there is a column of them, and along is their scale, the same
	// for all.
	steps []dataset.Order
	along string
	// from is Columns.From where it is given, and reached is true once a row is a test row for it.
	from    dataset.Bound
	reached bool
	// classes are the codes of labels that are numbers, by their bits.
	classes map[uint64]float64
	// counters are features, by index, that are not listed and may count the rows.
	counters []int
}

// other is a column that is no feature.
type other struct {
	index int
	*sight
}

// Row implements dataset.RowReader. The error is at the row and names the column. Nothing
// of cells is kept: add copies numbers, and the dictionary copies words.
func (r *reader) Row(at dataset.Place, cells []dataset.Cell) error {
	if !r.started {
		if err := r.start(at, cells); err != nil {
			return err
		}
	}
	t := r.table
	if (t.Len()+1)*t.width > mostNumbers {
		return at.Errorf("%d columns of features and labels, and over %d rows; a table in memory has at most %d numbers: leave out features or rows", t.width, t.Len(), mostNumbers)
	}
	row := r.add()
	for i, column := range r.features {
		var err error
		if row[i], err = t.features[i].value(at, cells[column], mostLevels); err != nil {
			return err
		}
	}
	for _, o := range r.others {
		if err := o.take(at, cells[o.index]); err != nil {
			return err
		}
	}
	var err error
	if row[t.width-1], err = r.labelOf(at, cells[r.label]); err != nil {
		return err
	}
	if !r.second {
		if r.came++; t.passing != nil {
			return r.pass(at, cells, row)
		}
	}
	return r.place(at, cells)
}

// add returns memory for the next row, which is a row of the table unless it passes.
func (r *reader) add() []float64 {
	if r.table.passing != nil && !r.second {
		return r.table.passing.scratch(r.table.width)
	}
	return r.table.add()
}

// labelOf returns the label of a row: a number, or the code of a class. Classes that are
// numbers get their text as a name, so that 1 and 1.0 are one class. Whole numbers beyond 2^53
// are refused, because neighbours could not be told apart.
func (r *reader) labelOf(at dataset.Place, cell dataset.Cell) (float64, error) {
	label := &r.table.label
	if label.missing == MissingDrop {
		label.decide(cell)
		if label.isGap(cell) {
			label.gaps++
			return math.NaN(), nil
		}
	}
	if !r.Classes && label.words {
		return 0, at.Errorf("column %q: got %s, want a number: the model is of quantities%s", label.name, cell, because(cell))
	}
	if !r.Classes || label.words {
		return label.value(at, cell, MostClasses)
	}
	v, err := label.value(at, cell, 0)
	if err != nil {
		return 0, err
	}
	if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
		return 0, at.Errorf("column %q: label %v is no whole number of at most 2^53, and the model is of classes", label.name, v)
	}
	if code, ok := r.classes[math.Float64bits(v)]; ok {
		return code, nil
	}
	code, err := label.levels.code(strconv.FormatFloat(v, 'f', -1, 64), MostClasses)
	if err != nil {
		return 0, at.Errorf("column %q: %w", label.name, err)
	}
	if r.classes == nil {
		r.classes = map[uint64]float64{}
	}
	r.classes[math.Float64bits(v)] = code
	return code, nil
}

// because returns the cure of a cell, where it has one.
func because(cell dataset.Cell) string {
	if cure := cell.Cure(); cure != "" {
		return "; " + cure
	}
	return ""
}

// place notes the owner of a row, its step, and whether it is a test row.
func (r *reader) place(at dataset.Place, cells []dataset.Cell) error {
	t := r.table
	// -1 means no owner: there is no column of parties, or the file of tests has none.
	owner := int32(-1)
	switch {
	case r.Party.Of != "" && !r.second:
		code, err := r.clientOf(at, cells)
		if err != nil {
			return err
		}
		owner = int32(code)
	case len(r.party) > 0 && r.Party.Quantiles > 0:
		if err := r.quantileOf(at, cells[r.party[0]]); err != nil {
			return err
		}
	case r.Party.Quantiles > 0:
		r.quantity = append(r.quantity, 0) // a row of tests without an owner
	case len(r.party) > 0:
		name, err := r.owner(at, cells)
		if err != nil {
			return err
		}
		code, err := r.known(at, cells, name)
		if err != nil {
			return err
		}
		owner = int32(code)
	}
	t.owners = append(t.owners, owner)
	if r.step >= 0 {
		step, err := r.stepOf(at, cells)
		if err != nil {
			return err
		}
		r.steps = append(r.steps, step)
	}
	test, err := r.isTest(at, cells)
	t.tests = append(t.tests, test)
	return err
}

// known returns the code of a party, with its parameters in a row.
func (r *reader) known(at dataset.Place, cells []dataset.Cell, name string) (code int, err error) {
	of, err := r.owners.code(name, mostParties)
	if err != nil {
		return 0, at.Errorf("party: %w", err)
	}
	return int(of), r.parametersOf(at, cells, int(of), name)
}

// stepOf returns the step of a row.
func (r *reader) stepOf(at dataset.Place, cells []dataset.Cell) (dataset.Order, error) {
	step, along, err := cells[r.step].Step()
	if r.along == "" {
		r.along = along
	}
	if err == nil && along != r.along {
		err = fmt.Errorf("got %s, %s, and the rows before are ordered by %s", cells[r.step], along, r.along)
	}
	if err != nil {
		return step, at.Errorf("column %q: %w; leave step out where the rows are in order", r.Step, err)
	}
	return step, nil
}

// isTest reports whether a row is a test row, by its file, its step or the column that says so.
func (r *reader) isTest(at dataset.Place, cells []dataset.Cell) (test bool, err error) {
	test = r.second
	if r.From != "" {
		if test, err = r.from.Reached(cells[r.step]); err != nil {
			return false, at.Errorf("column %q: %w", r.Step, err)
		}
		r.reached = r.reached || test
	}
	if r.split >= 0 && !r.second {
		word, err := cells[r.split].Name()
		if err != nil {
			return false, at.Errorf("column %q: %w", r.Split, err)
		}
		switch word {
		case wordTrain:
		case wordTest:
			test = true
		default:
			return false, at.Errorf("column %q: got %q, want %s or %s", r.Split, word, wordTrain, wordTest)
		}
	}
	return test, nil
}

// number returns the number of a cell, which has to be finite.
func number(c dataset.Cell) (float64, error) {
	v, err := c.Float()
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = fmt.Errorf("got %v, want a finite number", v)
	}
	return v, err
}

// finish refuses columns that are neither of numbers nor of words by all rows, and orders
// parties, levels and classes by name, numbers by their value, and the rows of parties by
// their steps. Codes depend on the order of the rows; ranks by name do not. So equal data in
// another order give the same classes, parties and one-hot features.
func (r *reader) finish() error {
	t := r.table
	r.dropFeatures()
	kept := t.leaveRows()
	t.passing.keep(r)
	for i := range t.features {
		f := &t.features[i]
		if err := f.settle(); err != nil {
			return err
		}
		f.rank(t.used(i, len(f.levels.names), kept))
	}
	for _, o := range r.others {
		if err := o.notation(); err != nil {
			return err
		}
		t.leave(o.why(), o.column.Name)
	}
	if len(t.features) == 0 {
		return r.bare.Errorf("there is no column of features; list the features, which may be words%s", t.leftOut())
	}
	if err := t.label.settle(); err != nil {
		return err
	}
	if t.label.rank(t.used(t.width-1, len(t.label.levels.names), kept)); r.Classes && len(t.label.levels.names) < 2 {
		return fmt.Errorf("%s: column %q has one class, %s; a model needs two at least%s", r.path, r.Label, Listed(t.label.levels.names), t.without())
	}
	owners, err := r.orderParties(kept)
	if err != nil {
		return err
	}
	r.orderParameters(owners)
	if t.passing != nil {
		t.passing.order(owners, r)
		return nil
	}
	t.order(owners, r.steps, kept)
	for party, rows := range t.train {
		if len(rows) == 0 && t.Parties != nil {
			return fmt.Errorf("%s: party %q has no training rows%s", r.path, t.Parties[party], t.without())
		}
	}
	if r.From != "" && !r.reached {
		return fmt.Errorf("%s: no row has %q at or behind %s, and there are no test rows", r.path, r.Step, r.from)
	}
	if len(t.train) == 0 || len(t.train[0]) == 0 {
		return fmt.Errorf("%s: there are no training rows%s", r.path, t.without())
	}
	return nil
}

// dropFeatures leaves out features that are not listed and count the rows of the first file,
// each number one more than the last, are of words, or have no value.
func (r *reader) dropFeatures() {
	t, first := r.table, r.table.Len()
	if r.second {
		first = r.before
	}
	counts := func(feature int) bool {
		if t.passing != nil {
			return t.passing.counts(feature) && !t.features[feature].words
		}
		for i := 1; i < first; i++ {
			if t.row(i)[feature] != t.row(i - 1)[feature]+1 {
				return false
			}
		}
		return first > 2 && !t.features[feature].words
	}
	var drop []int
	for feature := range t.features {
		f := &t.features[feature]
		why := ""
		switch {
		case f.left, f.open && f.optional:
			why = f.why()
		case slices.Contains(r.counters, feature) && counts(feature):
			why = whyIndex
		default:
			continue
		}
		t.leave(why, f.name)
		drop = append(drop, feature)
	}
	t.drop(drop)
	t.passing.drop(drop)
}
