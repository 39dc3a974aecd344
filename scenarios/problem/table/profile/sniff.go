package profile

import (
	"regexp"
	"strings"

	"starling/scenarios/problem/dataset"
)

// The notations of numbers.
var (
	commaDecimal = regexp.MustCompile(`^[+-]?\d*,(\d{1,2}|\d{4,})([eE][+-]?\d+)?$|^[+-]?0,\d+$`)
	commaGroups  = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$`)
	pointGroups  = regexp.MustCompile(`^[+-]?\d{1,3}(\.\d{3})+,\d+$|^[+-]?\d{1,3}(\.\d{3}){2,}$`)
	otherGroups  = regexp.MustCompile(`^[+-]?\d{1,3}(['’ _\x{a0}\x{2009}\x{202f}])\d{3}`)
)

// sniffer counts the notations of the cells of a file. It implements dataset.RowReader.
type sniffer struct {
	decimals, commas, points, others int
	separator                        string
	dates, days, months              int
}

// Header implements dataset.RowReader.
func (s *sniffer) Header(dataset.Place, []dataset.Column) error { return nil }

// Row implements dataset.RowReader.
func (s *sniffer) Row(_ dataset.Place, cells []dataset.Cell) error {
	for _, cell := range cells {
		// Most cells are words or usual numbers, which a look at the first character tells.
		if text := cell.Text; text == "" || strings.IndexByte("0123456789+-.,", text[0]) < 0 {
			continue
		}
		if _, usual := cell.Number(); usual {
			continue
		}
		switch cell.Look() {
		case dataset.Notation:
			s.number(cell.Text)
		case dataset.Time:
			s.date(cell.Text)
		}
	}
	return nil
}

// Fault implements dataset.FaultReader: faults are told by the next reader.
func (s *sniffer) Fault(error) error { return nil }

// number counts the notation of a number.
func (s *sniffer) number(text string) {
	switch {
	case pointGroups.MatchString(text):
		s.points++
	case commaDecimal.MatchString(text):
		s.decimals++
	case commaGroups.MatchString(text):
		s.commas++
	default:
		if parts := otherGroups.FindStringSubmatch(text); parts != nil {
			s.others++
			s.separator = strings.Clone(parts[1])
			if strings.Contains(text, ",") {
				s.decimals++
			}
		}
	}
}

// date counts the order of the parts of a date.
func (s *sniffer) date(text string) {
	first, second, ok := dataset.ShortDate(text)
	if !ok {
		return
	}
	s.dates++
	above := func(text string) bool { return len(text) == 2 && text > "12" }
	if above(first) {
		s.days++
	}
	if above(second) {
		s.months++
	}
}

// format completes a format by the notations that were seen. notes are the guesses in it.
func (s *sniffer) format(f dataset.Format) (found dataset.Format, notes []string) {
	switch {
	case s.decimals > 0 || s.points > 0:
		f.Decimal = ","
		if s.points > 0 {
			f.Thousands = "."
		}
	case s.commas > 0:
		f.Thousands = ","
		notes = append(notes, "Numbers such as 1,234 are taken as thousands; with a decimal comma give format: {decimal: \",\"}.")
	}
	if s.others > 0 && f.Thousands == "" {
		f.Thousands = s.separator
	}
	switch {
	case s.dates == 0:
	case s.months > 0 && s.days == 0:
		f.Dates = dataset.MonthFirst
	default:
		f.Dates = dataset.DayFirst
		if s.days == 0 {
			notes = append(notes, "No date tells the day from the month; the day is taken to be first.")
		}
	}
	return f, notes
}
