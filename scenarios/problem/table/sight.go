package table

import (
	"fmt"

	"starling/scenarios/problem/dataset"
)

// sight has the looks of a column: the first cell of each look. All rows decide whether a
// column is of numbers or of words. A column in which some cells are numbers and some are not
// is refused, whichever come first.
type sight struct {
	column dataset.Column
	seen   []seen
}

// seen is the first cell of a look, in the form that errors show, with its cure where it has
// one.
type seen struct {
	look       dataset.Look
	at         dataset.Place
	text, cure string
}

// first returns the first cell of a look; nil where there is none.
func (s *sight) first(look dataset.Look) *seen {
	for i := range s.seen {
		if s.seen[i].look == look {
			return &s.seen[i]
		}
	}
	return nil
}

// cure is the remedy for a cell that is neither like the others nor a number.
const cure = "correct it, list the column in words, or list the features without it"

// cureOf returns the remedy for a cell that is no number in a column of numbers.
func cureOf(cell dataset.Cell) string {
	switch cell.Look() {
	case dataset.Gap:
		return "fill it, leave out the row, or list the features without the column"
	case dataset.Notation:
		return cell.Cure()
	}
	return cure
}

// take notes the look of a cell. A column of numbers and others is an error, at the cell that
// is to blame: a number that follows words, else the cell that is no number.
func (s *sight) take(at dataset.Place, cell dataset.Cell) error {
	look := cell.Look()
	if s.first(look) != nil {
		return nil
	}
	s.seen = append(s.seen, seen{look, at, cell.String(), cureOf(cell)})
	number, word := s.first(dataset.Number), s.first(dataset.Word)
	if number == nil || len(s.seen) == 1 {
		return nil
	}
	if look == dataset.Number && word != nil {
		return s.errorf(number, "got %s, a number, among words such as %s on %s; %s", number.text, word.text, word.on(at), cure)
	}
	other := &s.seen[0]
	if other == number {
		other = &s.seen[1]
	}
	return s.errorf(other, "got %s, want a number, as is %s on %s; %s", other.text, number.text, number.on(other.at), other.cure)
}

// errorf returns an error at a cell of the column.
func (s *sight) errorf(at *seen, format string, args ...any) error {
	return at.at.Errorf("column %q: %s", s.column.Name, fmt.Sprintf(format, args...))
}

// on returns the place of a cell, for an error at another place.
func (s *seen) on(at dataset.Place) string {
	if s.at.Path != at.Path {
		return fmt.Sprintf("%s %d of %s", s.at.Unit(), s.at.Line, s.at.Path)
	}
	return fmt.Sprintf("%s %d", s.at.Unit(), s.at.Line)
}

// wordless refuses a column that would be of words although it has none: its texts are times,
// notations of numbers, or nothing. It returns nil for other columns.
func (s *sight) wordless() error {
	if s.first(dataset.Word) != nil || s.first(dataset.Number) != nil {
		return nil
	}
	if err := s.notation(); err != nil {
		return err
	}
	if t := s.first(dataset.Time); t != nil {
		return s.errorf(t, "got %s, and no cell is a number or a word: a time is neither; leave the column out, or list it in words, to have a feature for each time", t.text)
	}
	if g := s.first(dataset.Gap); g != nil {
		return s.errorf(g, "got %s, and no cell has a value; leave the column out", g.text)
	}
	return nil
}

// notation refuses a column of numbers in notations that are not read.
func (s *sight) notation() error {
	n := s.first(dataset.Notation)
	if n == nil || s.first(dataset.Word) != nil || s.first(dataset.Number) != nil {
		return nil
	}
	return s.errorf(n, "got %s, and all cells look like numbers that are not read; %s, or list the column in words", n.text, n.cure)
}

// The reasons for which columns are left out of the features, in the order of their listing.
var reasons = []string{whyExcluded, whyWords, whyTimes, whyIndex, whyIdentifier, whyEmpty, whyType}

const (
	whyExcluded   = "columns that exclude names"
	whyWords      = "columns of words, which features does not list"
	whyTimes      = "columns of times, which are no numbers"
	whyIndex      = "row numbers"
	whyIdentifier = "identifiers, by their names"
	whyEmpty      = "columns without a value"
	whyType       = "columns of types that are not read"
)

// why returns the reason for which a column without numbers is left out.
func (s *sight) why() string {
	switch {
	case s.column.Sort == dataset.Unreadable:
		return whyType
	case s.column.Sort == dataset.Times:
		return whyTimes
	case s.first(dataset.Word) != nil:
		return whyWords
	case s.first(dataset.Time) != nil:
		return whyTimes
	case s.first(dataset.Unread) != nil:
		return whyType
	}
	return whyEmpty
}

// usable refuses a column of Parquet with values that are not read, or with times where times
// have no use.
func usable(c dataset.Column, times bool) error {
	switch {
	case c.Sort == dataset.Unreadable:
		return fmt.Errorf("the column %q is of type %s, which is not read", c.Name, c.Type)
	case c.Sort == dataset.Times && !times:
		return fmt.Errorf("the column %q is of type %s: a time is neither a number nor a word; leave it out, name it in step, or list it in words", c.Name, c.Type)
	}
	return nil
}
