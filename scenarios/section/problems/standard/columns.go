package standard

import (
	"errors"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/table"
)

// formatSection is the notation of a text file.
type formatSection struct {
	Encoding  string   `yaml:"encoding" oneof:"utf-8 utf-16 latin-1" doc:"encoding of the text, latin-1 with the characters of Windows-1252; absent, UTF-16 after its byte order mark, else UTF-8"`
	Delimiter string   `yaml:"delimiter" range:"one character" doc:"character between fields; absent, the most frequent of comma, semicolon, tab and bar in the first line"`
	Decimal   string   `yaml:"decimal" oneof:". ," doc:"decimal mark, a point or a comma; absent, a point"`
	Thousands string   `yaml:"thousands" range:"one of , . ' _ and spaces" doc:"separator of thousands; absent, there is none"`
	Dates     string   `yaml:"dates" oneof:"year-first day-first month-first" doc:"order of the parts of a date: 2024-01-31, 31/01/2024 or 01/31/2024; absent, year-first"`
	Gaps      []string `yaml:"gaps" min:"1" says:"%v texts" range:"texts" doc:"texts that stand for an unknown value, beside empty cells and the usual ones such as NA and ?; absent, none"`
}

// format returns the notation; the zero value where none is given.
func (s *formatSection) format() dataset.Format {
	if s == nil {
		return dataset.Format{}
	}
	return dataset.Format(*s)
}

// Missing is the key missing: a word for all columns, or a word for each of some and for the
// others.
type Missing struct{ table.Missing }

// MissingRefuse is the word for an error at a cell without a value.
const MissingRefuse = "refuse"

// MissingDefault is the key of the treatment of all other columns.
const MissingDefault = "default"

// MissingWords returns the words for cells without a value.
func MissingWords() []string { return append([]string{MissingRefuse}, table.MissingTreatments()...) }

// DecodeNode implements document.NodeDecoder.
func (m *Missing) DecodeNode(node *document.Node) error {
	*m = Missing{}
	switch node.Kind() {
	case document.Null:
		return nil
	case document.Mapping:
		var errs []error
		for column, value := range node.Entries() {
			word, err := missingWord(value)
			errs = append(errs, err)
			if column == MissingDefault {
				m.Default = word
				continue
			}
			if m.Columns == nil {
				m.Columns = map[string]string{}
			}
			m.Columns[column] = word
		}
		return errors.Join(errs...)
	}
	word, err := missingWord(node)
	m.Default = word
	return err
}

// missingWord reads a treatment.
func missingWord(node *document.Node) (string, error) {
	if node.Kind() != document.String || !slices.Contains(MissingWords(), node.Value()) {
		return "", node.Issuef("got %s, want one of %s", node.Text(), strings.Join(MissingWords(), ", "))
	}
	if node.Value() == MissingRefuse {
		return table.MissingRefuse, nil
	}
	return node.Value(), nil
}

// Times is the key times: for each column of dates or times a word for some parts of the moment,
// or a list of parts.
type Times struct{ columns []table.TimeColumn }

// timePresets are the words for parts of a moment.
var timePresets = map[string][]string{
	"number": {table.Days},
	"parts":  {table.Year, table.Month, table.Day, table.Weekday},
	"cyclic": {table.Year, table.YearCycle, table.WeekdayCycle},
}

// TimeWords returns the words for parts of a moment.
func TimeWords() []string { return []string{"number", "parts", "cyclic"} }

// DecodeNode implements document.NodeDecoder.
func (t *Times) DecodeNode(node *document.Node) error {
	*t = Times{}
	if node.Kind() == document.Null {
		return nil
	}
	if node.Kind() != document.Mapping {
		return node.Issuef("got %s, want a mapping of columns to %s, or to a list of parts", node.Text(), strings.Join(TimeWords(), ", "))
	}
	var errs []error
	for column, value := range node.Entries() {
		parts, err := timeParts(value)
		errs = append(errs, err)
		t.columns = append(t.columns, table.TimeColumn{Name: column, Parts: parts})
	}
	return errors.Join(errs...)
}

// timeParts reads the parts of a moment.
func timeParts(node *document.Node) ([]string, error) {
	if node.Kind() == document.String {
		if parts, ok := timePresets[node.Value()]; ok {
			return parts, nil
		}
	}
	if node.Kind() != document.Sequence {
		return nil, node.Issuef("got %s, want one of %s, or a list of parts", node.Text(), strings.Join(TimeWords(), ", "))
	}
	var parts []string
	var errs []error
	for _, item := range node.Items() {
		switch {
		case item.Kind() != document.String || !slices.Contains(table.TimeParts(), item.Value()):
			errs = append(errs, item.Issuef("got %s, want one of %s", item.Text(), strings.Join(table.TimeParts(), ", ")))
		case slices.Contains(parts, item.Value()):
			errs = append(errs, item.Issuef("%q is in the list already", item.Value()))
		default:
			parts = append(parts, item.Value())
		}
	}
	if node.Len() == 0 {
		errs = append(errs, node.Issuef("0 parts; want at least 1"))
	}
	return parts, errors.Join(errs...)
}

// Party is the key party: a column, a list of columns, or the quantiles of a column.
type Party struct {
	columns   []string
	quantiles int
	of        string
}

// PartyQuantiles are the keys of parties by the quantiles of a column.
type PartyQuantiles struct {
	Column    string `yaml:"column,required" range:"a column of numbers" doc:"column of numbers that divides the rows"`
	Quantiles int    `yaml:"quantiles,required" min:"2" max:"1000000" says:"%v quantiles" unit:"parties" doc:"parties with about the same number of training rows each, from the smallest numbers to the greatest"`
}

// PartyOf are the keys of parties with files or row groups of their own.
type PartyOf struct {
	Of     string `yaml:"of,required" oneof:"files row-groups" doc:"division of the rows by the file: files, where file names a folder with a Parquet file for each client; row-groups, where each row group of one Parquet file has the rows of one client"`
	Column string `yaml:"column" range:"a column" doc:"column with the client of a row group, which may then have several row groups; absent, row groups are the clients 1, 2, .. in their order"`
}

// DecodeNode implements document.NodeDecoder.
func (p *Party) DecodeNode(node *document.Node) error {
	*p = Party{}
	switch node.Kind() {
	case document.Null:
		return nil
	case document.Mapping:
		if _, ok := node.Get("of"); ok {
			return p.decodeOf(node)
		}
		var q PartyQuantiles
		err := document.Decode(node, &q)
		p.columns, p.quantiles = []string{q.Column}, q.Quantiles
		return err
	case document.Sequence:
		err := document.Decode(node, &p.columns)
		if err == nil && len(p.columns) == 0 {
			err = node.Issuef("0 columns; want at least 1")
		}
		return err
	case document.String:
		if node.Value() != "" {
			p.columns = []string{node.Value()}
		}
		return nil
	}
	return node.Issuef("got %s, want a column, a list of columns, {column, quantiles}, or {of}", node.Text())
}

// decodeOf reads parties with files or row groups of their own.
func (p *Party) decodeOf(node *document.Node) error {
	var of PartyOf
	err := document.Decode(node, &of)
	if p.of = of.Of; of.Column != "" {
		p.columns = []string{of.Column}
		if of.Of == table.OfFiles {
			err = errors.Join(err, document.At("column", "the files are the clients; leave column out"))
		}
	}
	return err
}

// given reports whether columns, or the file itself, name the party of a row.
func (p Party) given() bool { return p.columns != nil || p.of != "" }

// parties returns the owners of rows.
func (s *tableSection) parties() table.Parties {
	return table.Parties{Columns: s.Party.columns, Quantiles: s.Party.quantiles, Of: s.Party.of, Least: s.Least, Small: s.Small}
}

// checkColumns refuses keys of columns that contradict each other.
func (s *tableSection) checkColumns() (errs []error) {
	if s.Exclude != nil && s.Features != nil {
		errs = append(errs, document.At("exclude", "features lists the columns already; give one of the two"))
	}
	return errs
}
