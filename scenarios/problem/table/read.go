package table

import (
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/problem/dataset"
)

// Columns says what the columns of a file are.
type Columns struct {
	// Party names whose a row is, and Step orders the rows of a party, a number; either may
	// be empty. Label names what is learned, the only column that must be there.
	Party, Step string
	Label       string
	// Features are those of a datum, in their order; nil is every column of numbers that is
	// nothing else.
	Features []string
	// Split has the words train and test; empty where no column tells the two apart.
	Split string
	// Classes tells that labels are classes, whole numbers or words, and not quantities.
	Classes bool
}

// The sizes of tables. Tables that exceed a limit are refused while they are read, at the
// row that is too much.
const (
	mostNumbers = 1 << 27 // features and labels of all rows, 1 GiB
	mostLevels  = 1 << 12 // of a column
	mostClasses = 256
	mostParties = 1 << 20
	blockRows   = 1 << 12
)

// The words of a column that splits rows.
const (
	wordTrain = "train"
	wordTest  = "test"
)

// File is an open file with the path that errors name.
type File struct {
	fs.File
	Path string
}

// Read reads a table of training rows and, where test is not nil, a second file of test
// rows with the same columns, of which that of parties may be absent. digests are the
// SHA-256 of the files, in hex. Errors name the file, the line and the column. The files
// are read once, from their beginnings, and stay open. The words that the second file has
// in columns of levels join those of the first.
func Read(c Columns, train File, test *File) (t *Table, digests []string, err error) {
	r := &reader{Columns: c, table: &Table{}, path: train.Path}
	digest, err := dataset.ReadRows(train, train.Path, r)
	if err != nil {
		return nil, nil, err
	}
	digests = append(digests, digest)
	if r.table.Len() == 0 {
		return nil, nil, fmt.Errorf("%s: %s", train.Path, noRows)
	}
	// The second file goes through the same reader: its rows follow those of the first,
	// under codes that both share.
	if test != nil {
		r.second, r.before = true, r.table.Len()
		if digest, err = dataset.ReadRows(test, test.Path, r); err != nil {
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
	// table is what is made; path is the first file, for errors at the end.
	table *Table
	path  string // of the first file
	// second tells that the rows are those of the file of tests, which begins at row before.
	second bool
	before int
	// started tells that the first row has said which columns are of numbers.
	started bool
	// Columns of the file by their index, -1 where there is none. features are columns by
	// index, in the order of a datum. names are the columns of the file that is read now,
	// and owners gives parties codes in the order of their first rows.
	party, step, label, split int
	features                  []int
	names                     []string
	owners                    dictionary
	steps                     []float64 // by row, where there is a column of them
}

// Header implements dataset.RowReader. The error names all columns that there are not.
func (r *reader) Header(at dataset.Place, names []string) error {
	r.names = names
	var missing []string
	find := func(key, name string) int {
		if name == "" { // which a column may be called, too
			return -1
		}
		i := slices.Index(names, name)
		if i < 0 {
			missing = append(missing, fmt.Sprintf("%s: there is no column %q%s", key, name, document.Suggest(name, names, "the columns are")))
		}
		return i
	}
	party := r.Party
	if r.second && !slices.Contains(names, party) {
		party = "" // its rows are divided among all
	}
	r.party, r.step, r.label, r.split = find("party", party), find("step", r.Step), find("label", r.Label), find("test.column", r.Split)
	// The second file must have the features of the first, whichever way those were
	// chosen.
	if r.second {
		r.Features = r.table.featureNames()
	}
	if r.Features != nil { // else the first row decides
		r.features = make([]int, len(r.Features))
	}
	for i := range r.features {
		r.features[i] = find("features", r.Features[i])
	}
	if len(missing) > 0 {
		return at.Errorf("%s", strings.Join(missing, "; "))
	}
	for i, column := range r.features {
		if slices.Contains([]int{r.party, r.step, r.label, r.split}, column) || slices.Contains(r.features[:i], column) {
			return at.Errorf("features: the column %q is something else already", r.Features[i])
		}
	}
	return nil
}

// absent are words that stand for a value that is not known.
var absent = []string{"na", "n/a", "nan", "null", "none", "?", "-"}

// start decides by the first row which columns are of numbers and which of levels.
func (r *reader) start(at dataset.Place, cells []dataset.Cell) error {
	r.started = true
	if r.Features == nil {
		for i, name := range r.names {
			if slices.Contains([]int{r.party, r.step, r.label, r.split}, i) {
				continue
			}
			// A column of words would need a feature for each word, which nobody asked
			// for: names and identifiers are left out, and the notes of a run say so.
			if _, err := cells[i].Float(); err == nil {
				r.Features, r.features = append(r.Features, name), append(r.features, i)
			} else if text := strings.ToLower(cells[i].Text); text == "" || slices.Contains(absent, text) {
				return at.Errorf("column %q: the first row has no value, which would say whether the column is of numbers; fill it, or list the features", name)
			} else {
				r.table.Left = append(r.table.Left, name)
			}
		}
	}
	if len(r.features) == 0 {
		return at.Errorf("there is no column of features; list the features, which may be words")
	}
	for i, column := range r.features {
		_, err := cells[column].Float()
		r.table.features = append(r.table.features, feature{name: r.Features[i], words: err != nil})
	}
	_, err := cells[r.label].Float()
	r.table.label = feature{name: r.Label, words: err != nil}
	r.table.width = len(r.features) + 1
	return nil
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
	row := t.add()
	for i, column := range r.features {
		var err error
		if row[i], err = t.features[i].value(cells[column], mostLevels); err != nil {
			return at.Errorf("column %q: %w", r.Features[i], err)
		}
	}
	var err error
	if row[t.width-1], err = r.labelOf(cells[r.label]); err != nil {
		return at.Errorf("column %q: %w", r.Label, err)
	}
	return r.place(at, cells)
}

// labelOf is the label of a row: a number, or the code of a class. Classes that are
// numbers get their text as a name, so that 1 and 1.0 are one class. Whole numbers beyond
// 2^53 are refused, because neighbours could not be told apart.
func (r *reader) labelOf(cell dataset.Cell) (float64, error) {
	label := &r.table.label
	if !r.Classes && label.words {
		return 0, fmt.Errorf("got %q, want a number: the model is of quantities", cell.Text)
	}
	if !r.Classes || label.words {
		return label.value(cell, mostClasses)
	}
	v, err := label.value(cell, 0)
	if err != nil {
		return 0, err
	}
	if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
		return 0, fmt.Errorf("label %v is no whole number, and the model is of classes", v)
	}
	return label.levels.code(strconv.FormatFloat(v, 'f', -1, 64), mostClasses)
}

// place notes whose a row is, when it comes, and whether it is of the tests.
func (r *reader) place(at dataset.Place, cells []dataset.Cell) error {
	t := r.table
	// -1 is nobody: there is no column of parties, or the file of tests has none.
	owner := int32(-1)
	if r.party >= 0 {
		name := textOf(cells[r.party])
		if name == "" {
			return at.Errorf("column %q is empty", r.Party)
		}
		code, err := r.owners.code(name, mostParties)
		if err != nil {
			return at.Errorf("column %q: %w", r.Party, err)
		}
		owner = int32(code)
	}
	t.owners = append(t.owners, owner)
	if r.step >= 0 {
		step, err := number(cells[r.step])
		if err != nil {
			return at.Errorf("column %q: %w; leave step out where the rows are in order", r.Step, err)
		}
		r.steps = append(r.steps, step)
	}
	test := r.second
	if r.split >= 0 && !r.second {
		switch word := textOf(cells[r.split]); word {
		case wordTrain:
		case wordTest:
			test = true
		default:
			return at.Errorf("column %q: got %q, want %s or %s", r.Split, word, wordTrain, wordTest)
		}
	}
	t.tests = append(t.tests, test)
	return nil
}

// textOf is the text of a cell, of a number too.
func textOf(c dataset.Cell) string {
	if c.Typed {
		return strconv.FormatFloat(c.Number, 'f', -1, 64)
	}
	return c.Text
}

// number is a cell's, which has to be finite.
func number(c dataset.Cell) (float64, error) {
	if c.Text == "" && !c.Typed {
		return 0, fmt.Errorf("the cell is empty")
	}
	v, err := c.Float()
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = fmt.Errorf("got %v, want a finite number", v)
	}
	return v, err
}

// finish orders parties, levels and classes by name, numbers by their value, and the rows of
// parties by their steps. Codes depend on the order of the rows; ranks by name do not. So
// equal data in another order give the same classes, parties and one-hot features.
func (r *reader) finish() error {
	t := r.table
	for i := range t.features {
		t.features[i].rank()
	}
	if t.label.rank(); r.Classes && len(t.label.levels.names) < 2 {
		return fmt.Errorf("%s: column %q has one class, %q; a model needs two at least", r.path, r.Label, t.label.levels.names[0])
	}
	owners := r.owners.ranked()
	t.Parties = r.owners.names
	t.order(owners, r.steps)
	for party, rows := range t.train {
		if len(rows) == 0 && t.Parties != nil {
			return fmt.Errorf("%s: party %q has no training rows", r.path, t.Parties[party])
		}
	}
	if len(t.train) == 0 || len(t.train[0]) == 0 {
		return fmt.Errorf("%s: there are no training rows", r.path)
	}
	return nil
}
