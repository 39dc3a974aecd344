package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/problem/dataset"
)

// Table is a table that was read. It is immutable and safe for concurrent use.
type Table struct {
	// Parties are the names of the owners of rows, in the order of learners: by their value
	// where all are numbers, else by text. It is nil where no column names parties.
	Parties []string
	// parameters are values of parties in their order, by column.
	parameters map[string][]Value
	// left are the columns that are no features, by the reason.
	left map[string][]string
	// Dropped is the number of rows that are left out because they lack a value.
	Dropped int
	// Small are the parties with too few rows, which are left out or are one party.
	Small []string

	// features and label are the columns, and a row has their cells in this order. rows
	// counts rows in all blocks, of which the last is not full.
	features []feature
	label    feature
	width    int         // numbers of a row: a number or a code for each feature, and the label
	blocks   [][]float64 // of inBlock rows each, so that no row is copied while a table grows
	rows     int
	owners   []int32 // by row: the party as it was read, -1 for no party
	tests    []bool  // by row
	// train and test are the rows of each party in order; without parties there is one list.
	// common are test rows without an owner.
	train, test [][]int
	common      []int
	// validation are validation rows of each party; nil where there are none.
	validation [][]int
	// shared is true if every learner is tested on the test rows of all.
	shared bool
	// passing are the training rows where they are not held. Then train and test are nil.
	passing *passing
}

// sizes are the numbers of training rows of parties.
func (t *Table) sizes() []int {
	if t.passing != nil {
		return t.passing.sizes
	}
	list := make([]int, len(t.train))
	for party, rows := range t.train {
		list[party] = len(rows)
	}
	return list
}

// Len returns the number of rows.
func (t *Table) Len() int { return t.rows }

// Classes returns the names of classes in their order; nil where labels are quantities.
func (t *Table) Classes() []string { return t.label.levels.names }

// Levels returns the columns of words with their levels, in order.
func (t *Table) Levels() (columns []string, levels [][]string) {
	for _, f := range t.features {
		if f.words {
			columns, levels = append(columns, f.name), append(levels, f.levels.names)
		}
	}
	return columns, levels
}

// leave notes a column that is no feature.
func (t *Table) leave(why, name string) {
	if t.left == nil {
		t.left = map[string][]string{}
	}
	t.left[why] = append(t.left[why], name)
}

// Left lists the columns without any use, with the reasons; it is empty if there are none.
func (t *Table) Left() string {
	var list []string
	for _, why := range reasons {
		if names := t.left[why]; names != nil {
			list = append(list, why+": "+Listed(names))
		}
	}
	return strings.Join(list, "; ")
}

// leftOut returns the text of an error on the columns that are no features.
func (t *Table) leftOut() string {
	if left := t.Left(); left != "" {
		return "; left out are " + left
	}
	return ""
}

// Types lists the features of numbers and the features of words.
func (t *Table) Types() string {
	var numbers, words []string
	for _, f := range t.features {
		if f.words {
			words = append(words, f.name)
		} else {
			numbers = append(numbers, f.name)
		}
	}
	var list []string
	if numbers != nil {
		list = append(list, "numbers: "+Listed(numbers))
	}
	if words != nil {
		list = append(list, "words: "+Listed(words))
	}
	return strings.Join(list, "; ")
}

// Held returns about the number of bytes of the table. It counts the cells, and 8 bytes for
// each row in the lists of parties.
func (t *Table) Held() float64 {
	held := float64(8*float64(len(t.blocks))*float64(t.inBlock())*float64(t.width)) + float64(8*float64(t.rows))
	if t.passing != nil {
		held += float64(clientBytes * float64(len(t.Parties)))
	}
	return held
}

// featureNames returns the columns of the features in the order of a row.
func (t *Table) featureNames() (names []string) {
	for _, f := range t.features {
		names = append(names, f.name)
	}
	return names
}

// inBlock returns the number of rows of a block: fewer where rows are long, so that a block of
// a wide table is not larger than the table.
func (t *Table) inBlock() int { return max(1, min(blockRows, blockNumbers/t.width)) }

// add appends a row of zeros and returns it for the caller to fill. Rows before it stay where
// they are.
func (t *Table) add() []float64 {
	if t.rows%t.inBlock() == 0 {
		t.blocks = append(t.blocks, make([]float64, t.inBlock()*t.width))
	}
	t.rows++
	return t.row(t.rows - 1)
}

// clientBytes is about the number of bytes of a client without its rows: its name, its size and its digest.
const clientBytes = 160

// drop removes features, given in their order, and their cells.
func (t *Table) drop(features []int) {
	if len(features) == 0 {
		return
	}
	old := *t
	t.features, t.blocks, t.rows, t.width = nil, nil, 0, t.width-len(features)
	for k, f := range old.features {
		if !slices.Contains(features, k) {
			t.features = append(t.features, f)
		}
	}
	for i := range old.rows {
		row := t.add()[:0]
		for k, v := range old.row(i) {
			if !slices.Contains(features, k) {
				row = append(row, v)
			}
		}
	}
}

// row returns a row as it was read. It is a part of the table and must not be changed. The
// cells of words are codes, which rank puts in order.
func (t *Table) row(i int) []float64 {
	at := i % t.inBlock() * t.width
	return t.blocks[i/t.inBlock()][at : at+t.width : at+t.width]
}

// class returns the rank of a row's label among the classes.
func (t *Table) class(i int) int { return t.classOf(t.row(i)[t.width-1]) }

// classOf is class for the label as it was read.
func (t *Table) classOf(label float64) int { return t.label.rankOf[int(label)] }

// order lists the rows of each party by their steps, rows of one step as they were read.
// rank has the place of each party by its code, and steps the step of each row; nil keeps
// the order of the file. kept tells which rows take part; nil means all. owners and tests are
// not needed afterwards and are freed.
func (t *Table) order(rank []int, steps []dataset.Order, kept []bool) {
	parties := max(1, len(t.Parties))
	t.train, t.test = make([][]int, parties), make([][]int, parties)
	var none []int
	listOf := func(i int) *[]int {
		switch owner := t.owners[i]; {
		case kept != nil && !kept[i]:
			return &none
		case owner < 0 && t.tests[i]:
			return &t.common
		case owner < 0:
			return &t.train[0]
		case rank[owner] < 0: // of a party that is left out
			return &none
		case t.tests[i]:
			return &t.test[rank[owner]]
		default:
			return &t.train[rank[owner]]
		}
	}
	// Counted first: lists that grow would take several times their size.
	sizes := map[*[]int]int{}
	for i := range t.owners {
		sizes[listOf(i)]++
	}
	for list, size := range sizes {
		*list = make([]int, 0, size)
	}
	for i := range t.owners {
		list := listOf(i)
		*list = append(*list, i)
	}
	t.owners, t.tests = nil, nil
	if steps == nil {
		return
	}
	for _, rows := range slices.Concat(t.train, t.test) {
		slices.SortStableFunc(rows, func(a, b int) int { return steps[a].Compare(steps[b]) })
	}
}

// dictionary gives words codes, in the order in which they come.
type dictionary struct {
	// codes is nil before the first word and after ranked. names are by code until ranked
	// sorts them.
	codes map[string]int
	names []string
}

// code returns the code of a word; more than most words are an error. The result is a float64,
// because codes stand among the numbers of a row.
func (d *dictionary) code(word string, most int) (float64, error) {
	if code, ok := d.codes[word]; ok {
		return float64(code), nil
	}
	if len(d.names) == most {
		return 0, fmt.Errorf("more than %d different values, such as %q", most, word)
	}
	if d.codes == nil {
		d.codes = map[string]int{}
	}
	word = strings.Clone(word) // so that its line is not kept
	d.codes[word] = len(d.names)
	d.names = append(d.names, word)
	return float64(len(d.names) - 1), nil
}

// ranked sorts the names, by value where all are numbers and else as text, and returns the
// new place of each code. Names that are not used, by code, are left out and have place -1; nil
// means that all are used. The dictionary takes no more words after it.
func (d *dictionary) ranked(used []bool) (rank []int) {
	values := make([]dataset.Order, len(d.names))
	// Parties and classes are often numbers: 2 comes before 10, as people expect. Equal
	// values with other spellings fall back to their text, so that the order is total.
	numeric := true
	order := make([]int, 0, len(d.names))
	rank = make([]int, len(d.names))
	for i, name := range d.names {
		if rank[i] = -1; used != nil && !used[i] {
			continue
		}
		if numeric {
			var err error
			values[i], err = dataset.Cell{Text: name}.Order()
			numeric = err == nil
		}
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int {
		if numeric {
			if c := values[a].Compare(values[b]); c != 0 {
				return c
			}
		}
		return cmp.Compare(d.names[a], d.names[b])
	})
	names := make([]string, len(order))
	for place, code := range order {
		names[place], rank[code] = d.names[code], place
	}
	d.names, d.codes = names, nil
	if len(names) == 0 {
		d.names = nil
	}
	return rank
}
