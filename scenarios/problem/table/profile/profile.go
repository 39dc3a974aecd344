package profile

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/table"
)

// Use is the use that a column may have.
type Use string

// The uses of columns.
const (
	Party      Use = "party"
	Label      Use = "label"
	Step       Use = "step"
	Split      Use = "split"
	Feature    Use = "feature"
	Identifier Use = "identifier"
	Left       Use = "left out"
)

// Profile is what is known of a file.
type Profile struct {
	Path string
	// Rows is the number of rows that could be read.
	Rows    int
	Format  dataset.Format
	Columns []*Column
	// Notes are guesses that the file does not decide, and Faults what is wrong with it, at its
	// place; the first of many.
	Notes, Faults []string
	// Parties is the number of parties with two rows at least, and Fewest the rows of the smallest
	// of them; 0 without a column of parties. Lone is the number of parties with fewer. Rows
	// without a label do not count.
	Parties, Fewest, Lone int
	// Named is true if the label has a usual name; otherwise it is the last column.
	Named bool
	// faults counts all faults.
	faults int
}

// mostFaults is the largest number of faults of rows that are listed.
const mostFaults = 20

// seldom is the number of cells of which one at most may be a text that stands for no value.
const seldom = 10

// noRows is the error of a file with a header alone.
const noRows = "there is no row after the names of the columns"

// Read reads a CSV or Parquet file. label and party name columns; empty, they are guessed by
// their names. A file that cannot be read, has no rows, or has no such column is an error.
func Read(path, label, party string) (*Profile, error) {
	if clients, err := dataset.ClientsIn(path); err == nil {
		return nil, fmt.Errorf("%s is a folder with files of %d clients; want one of them, such as %s", path, len(clients), dataset.ClientFile(path, clients[0]))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	format := dataset.Format{Encoding: dataset.EncodingOf(file)}
	if err := file.Close(); err != nil {
		return nil, err
	}
	s := &sniffer{}
	if err := read(path, format, s); err != nil {
		return nil, err
	}
	p := &Profile{Path: path}
	p.Format, p.Notes = s.format(format)
	if format.Encoding == dataset.Latin1 {
		p.Notes = append(p.Notes, "The text is not UTF-8; it is taken as latin-1.")
	}
	if err := read(path, p.Format, (*counter)(p)); err != nil {
		return nil, err
	}
	if p.Rows == 0 {
		return nil, fmt.Errorf("%s: %s", path, noRows)
	}
	for _, c := range p.Columns {
		c.settle()
	}
	if p.gaps() { // with them numbers are numbers
		again := &Profile{Path: path, Format: p.Format, Notes: p.Notes}
		if err := read(path, again.Format, (*counter)(again)); err != nil {
			return nil, err
		}
		p = again
		for _, c := range p.Columns {
			c.settle()
		}
	}
	if p.faults > len(p.Faults) {
		p.Faults = append(p.Faults, fmt.Sprintf("%s: %d more such rows", path, p.faults-len(p.Faults)))
	}
	if err := p.assign(label, party); err != nil {
		return nil, err
	}
	return p, nil
}

// read passes a file to a reader of rows.
func read(path string, format dataset.Format, to dataset.RowReader) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = format.ReadRows(file, path, to)
	return err
}

// counter counts the rows of a file into its profile. It implements dataset.RowReader.
type counter Profile

// Header implements dataset.RowReader.
func (p *counter) Header(_ dataset.Place, columns []dataset.Column) error {
	most := mostValues
	if len(columns) > mostNarrow {
		most = fewValues
	}
	for _, c := range columns {
		p.Columns = append(p.Columns, newColumn(c, most))
	}
	return nil
}

// Row implements dataset.RowReader.
func (p *counter) Row(at dataset.Place, cells []dataset.Cell) error {
	p.Rows++
	for i, c := range p.Columns {
		c.take(at, cells[i])
	}
	return nil
}

// Fault implements dataset.FaultReader.
func (p *counter) Fault(err error) error {
	if p.faults++; len(p.Faults) < mostFaults {
		p.Faults = append(p.Faults, err.Error())
	}
	return nil
}

// gaps adds texts that are seldom among numbers, or among dates, to the texts that stand for no
// value. It returns whether there are any.
func (p *Profile) gaps() bool {
	found := false
	for _, c := range p.Columns {
		if c.Type != Mixed || c.oddMore {
			continue
		}
		var texts []string
		times := 0
		for _, odd := range c.odd {
			if look := (dataset.Cell{Text: odd.text}).Look(); look == dataset.Word {
				texts, times = append(texts, odd.text), times+odd.times
			} else if look != dataset.Time || c.looks[dataset.Number] > 0 {
				texts = nil
				break
			}
		}
		if texts == nil || times*seldom > c.Rows {
			continue
		}
		found = true
		for _, text := range texts {
			if !slices.Contains(p.Format.Gaps, text) {
				p.Format.Gaps = append(p.Format.Gaps, text)
				p.Notes = append(p.Notes, fmt.Sprintf("%q among the numbers of column %q is taken to stand for no value.", text, c.Name))
			}
		}
	}
	return found
}

// The usual names of columns. A name counts alone, or followed by id, in any case: client,
// Client_ID, clientid.
var (
	partyNames = []string{"party", "client", "user", "site", "hospital", "institution", "center", "centre", "silo", "device", "node", "customer", "patient", "subject"}
	labelNames = []string{"label", "y", "target", "class", "outcome", "response"}
	stepNames  = []string{"step", "time", "timestamp", "round", "t"}
)

// usual returns the column with the first of some names, alone or with "id"; nil if there is
// none.
func (p *Profile) usual(known []string) *Column {
	for _, word := range known {
		for _, c := range p.Columns {
			if name := strings.ToLower(c.Name); name == word || name == word+"_id" || name == word+"id" || name == word+"-id" {
				return c
			}
		}
	}
	return nil
}

// named returns the column with a name; nil for an empty name.
func (p *Profile) named(key, name string) (*Column, error) {
	if name == "" {
		return nil, nil
	}
	var names []string
	for _, c := range p.Columns {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return nil, fmt.Errorf("%s: there is no column %q; the columns are %s", key, name, strings.Join(names, ", "))
}

// assign decides the use of each column.
func (p *Profile) assign(labelName, partyName string) error {
	label, err := p.named("label", labelName)
	if err != nil {
		return err
	}
	party, err := p.named("party", partyName)
	if err != nil {
		return err
	}
	p.Named = true
	if label == nil {
		if label = p.usual(labelNames); label == nil {
			label, p.Named = p.Columns[len(p.Columns)-1], false
		}
	}
	if party == nil {
		party = p.usual(partyNames)
	}
	label.Use, label.Why = Label, "by its name"
	switch {
	case labelName != "":
		label.Why = ""
	case !p.Named:
		label.Why = "the last column"
	}
	switch {
	case party == nil || party == label:
	case party.Missing > 0:
		party.Use, party.Why = Left, fmt.Sprintf("its name is of parties, and %s have no value: fill them, or leave those rows out", cells(party.Missing))
	default:
		if party.Use = Party; partyName == "" {
			party.Why = "by its name"
		}
		if err := p.count(party, label); err != nil {
			return err
		}
	}
	p.remark(label)
	if step := p.usual(stepNames); step != nil && step.Use == "" && step.Missing == 0 && step.bad == 0 && (step.Type == Whole || step.Type == Number || step.Type == Time) {
		step.Use, step.Why = Step, "by its name"
	}
	for i, c := range p.Columns {
		if c.Use == "" && c.splits() {
			c.Use, c.Why = Split, "its words are train and test"
		}
		if c.Use == "" {
			c.Use, c.Why = c.feature(p.Columns[:i])
		}
	}
	return nil
}

// remark notes labels that no model learns, and names of columns that are numbers.
func (p *Profile) remark(label *Column) {
	switch {
	case label.Type != Word && label.Type != Boolean && label.Type != Number && label.Type != Whole:
		p.Notes = append(p.Notes, fmt.Sprintf("No model learns the label %q, of type %s; --label names another column.", label.Name, label.Type))
	case label.Distinct < 2:
		p.Notes = append(p.Notes, fmt.Sprintf("The label %q has one value: there is nothing to learn; --label names another column.", label.Name))
	case p.Classes() > table.MostClasses:
		p.Notes = append(p.Notes, fmt.Sprintf("The label %q has more than %d classes, which no model learns; --label names another column.", label.Name, table.MostClasses))
	}
	for _, c := range p.Columns {
		if (dataset.Cell{Text: c.Name}).Look() != dataset.Number || c.column.Type != "" {
			return
		}
	}
	p.Notes = append(p.Notes, "All names of columns are numbers: the first line has to name the columns, and this one seems to be a row.")
}

// splits reports whether the words of a column are train and test.
func (c *Column) splits() bool {
	return c.Distinct == 2 && c.Missing == 0 && c.values["train"] != nil && c.values["test"] != nil
}

// count counts the parties and their rows. It reads the file again where there are more than
// values of other columns are counted, or rows without a label.
func (p *Profile) count(party, label *Column) error {
	rows := map[string]int{}
	for name, v := range party.values {
		rows[name] = v.times
	}
	if party.Many || label.Missing > 0 {
		all := &parties{column: party.Name, label: label.Name, rows: map[string]int{}}
		if err := read(p.Path, p.Format, all); err != nil {
			return err
		}
		rows = all.rows
	}
	p.Fewest = p.Rows
	for _, n := range rows {
		if n < 2 {
			p.Lone++
			continue
		}
		p.Parties++
		p.Fewest = min(p.Fewest, n)
	}
	if p.Parties < 2 {
		party.Use, party.Why = Identifier, "fewer than two of its values have two rows"
		p.Parties, p.Fewest, p.Lone = 0, 0, 0
	}
	return nil
}

// parties counts the rows with a label of parties. It implements dataset.RowReader.
type parties struct {
	column, label string
	at, labelAt   int
	rows          map[string]int
}

// Header implements dataset.RowReader.
func (p *parties) Header(_ dataset.Place, columns []dataset.Column) error {
	for i, c := range columns {
		switch c.Name {
		case p.column:
			p.at = i
		case p.label:
			p.labelAt = i
		}
	}
	return nil
}

// Row implements dataset.RowReader.
func (p *parties) Row(at dataset.Place, cells []dataset.Cell) error {
	name, err := cells[p.at].Name()
	if err != nil {
		return at.Errorf("column %q: %w", p.column, err)
	}
	rows := 1
	if cells[p.labelAt].Look() == dataset.Gap {
		rows = 0 // but the party is one
	}
	p.rows[name] += rows
	return nil
}

// Fault implements dataset.FaultReader.
func (p *parties) Fault(error) error { return nil }

// feature returns whether a column may be a feature, and why not. before are the columns before
// it.
func (c *Column) feature(before []*Column) (Use, string) {
	valued := c.Rows - c.Missing
	const few = 20 // rows below which different values say nothing
	switch {
	case c.column.Index():
		return Identifier, "a row number, by its name"
	case c.column.Identifies():
		return Identifier, "by its name"
	case c.column.MayCount() && c.counts && c.Rows > 2:
		return Identifier, "it counts the rows"
	case c.Type == Empty:
		return Left, "no cell has a value"
	case c.Type == Unread:
		return Left, "a type that is not read: " + c.column.Type
	case c.Type == Mixed:
		return Left, "numbers and other texts"
	case c.Type == Notation:
		return Left, "a notation that is not read: " + dataset.Cell{Text: c.odd[0].text}.Cure()
	case c.bad > 0:
		return Left, "dates or times that are not read"
	case c.constant():
		return Left, "one value in all rows"
	case c.Type == Word && c.Rows > few && (c.Many || c.Distinct*2 > valued):
		return Identifier, "most rows have a word of their own"
	case c.Type == Whole && c.counts && c.Rows > few:
		return Identifier, "it counts the rows"
	}
	for _, other := range before {
		if other.sum == c.sum && other.Distinct == c.Distinct && other.Type == c.Type {
			return Left, fmt.Sprintf("equal to %q in all rows", other.Name)
		}
	}
	return Feature, ""
}

// Classes returns the number of values of the label; 0 where it is a quantity. A label with two
// values has two classes, words are classes, and a few whole numbers are taken as classes, too.
func (p *Profile) Classes() int {
	const most = 20 // whole numbers
	for _, c := range p.Columns {
		if c.Use != Label {
			continue
		}
		if c.Type == Boolean {
			return 2
		}
		if c.Distinct == 2 || c.Type == Word || c.Type == Whole && c.Distinct <= most {
			return c.Distinct
		}
	}
	return 0
}
