package profile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/table"
)

// Type is the sort of the values of a column.
type Type string

// The types of columns.
const (
	Number   Type = "number"
	Whole    Type = "whole number"
	Boolean  Type = "yes or no"
	Word     Type = "words"
	Time     Type = "date or time"
	Empty    Type = "no value"
	Mixed    Type = "mixed"    // numbers and words
	Notation Type = "notation" // numbers in a notation that is not read
	Unread   Type = "not read" // a type of Parquet that is not read
)

// The sizes of what is counted of a column.
const (
	mostValues = 4096 // different values of a column
	fewValues  = 257  // of a column among very many
	mostNarrow = 200  // columns of a table that is not wide
	mostOdd    = 8    // texts among numbers
	mostShown  = 3    // frequent words
)

// Column is what is known of a column.
type Column struct {
	Name string
	Type Type
	// Rows counts all rows, and Missing the cells without a value.
	Rows, Missing int
	// Distinct is the number of different values; Many is true if there are more.
	Distinct int
	Many     bool
	// Least and Greatest are of numbers and of times, in days since 1970; First and Last are
	// times as text.
	Least, Greatest float64
	First, Last     string
	// Use is the use of the column, and Why explains it.
	Use Use
	Why string
	// Faults are about cells that do not go with the others, at their places.
	Faults []string

	column dataset.Column
	looks  [dataset.Unread + 1]int
	// values are the different values, of which there are no more than most.
	values map[string]*value
	// odd are the texts that are neither numbers nor gaps, with their number and first place.
	odd     []oddText
	oddMore bool
	whole   bool
	truths  int // cells that may say yes or no
	bad     int // times that are on no calendar
	// most is the number of values that are counted, and counts is true for a column that has
	// counted the rows up to last.
	most   int
	counts bool
	last   float64
	sum    uint64 // of all cells, to find equal columns
}

// oddText is a text among numbers.
type oddText struct {
	text  string
	times int
	at    dataset.Place
}

// newColumn begins the counts of a column, of so many values at most.
func newColumn(c dataset.Column, most int) *Column {
	return &Column{
		Name: c.Name, column: c, most: most, values: map[string]*value{}, whole: true, counts: true,
		Least: math.Inf(1), Greatest: math.Inf(-1),
	}
}

// value is one of the different values of a column.
type value struct {
	times  int
	look   dataset.Look
	number float64
	truth  bool
}

// valueOf looks at a cell. A number that is not finite is in no notation that is read.
func valueOf(cell dataset.Cell, name string) (v value) {
	number, ok := cell.Number()
	switch {
	case ok && math.IsInf(number, 0):
		v.look = dataset.Notation
	case ok && !math.IsNaN(number):
		v.look, v.number = dataset.Number, number
	default: // which also tells a gap such as nan from a number
		if v.look = cell.Look(); v.look == dataset.Number {
			v.look = dataset.Gap
		}
	}
	_, v.truth = table.Truth(name)
	return v
}

// of returns the value of a cell, and counts it among the different ones. Values that are known are
// not looked at again: a look takes a hundred times as long.
func (c *Column) of(cell dataset.Cell, name string) value {
	if v, ok := c.values[name]; ok {
		v.times++
		return *v
	}
	v := valueOf(cell, name)
	switch {
	case v.look == dataset.Gap: // none of the values
	case len(c.values) < c.most:
		v.times = 1
		c.values[strings.Clone(name)] = &v
	default:
		c.Many = true
	}
	return v
}

// take counts a cell.
func (c *Column) take(at dataset.Place, cell dataset.Cell) {
	c.Rows++
	name, _ := cell.Name()
	c.sum = mixed(c.sum, name)
	v := c.of(cell, name)
	c.looks[v.look]++
	if v.look == dataset.Gap {
		c.Missing++
		c.counts = false
		return
	}
	if v.truth {
		c.truths++
	}
	if v.look == dataset.Number {
		c.Least, c.Greatest = min(c.Least, v.number), max(c.Greatest, v.number)
		c.whole = c.whole && v.number == math.Trunc(v.number)
		c.counts = c.counts && (c.Rows == 1 || v.number == c.last+1)
		c.last = v.number
		return
	}
	if v.look == dataset.Time {
		c.moment(at, cell, name)
	}
	c.counts = false
	const times = 2 // of many dates, so that there is room for texts among them
	if v.look != dataset.Time || len(c.odd) < times {
		c.strange(at, name)
	}
}

// strange notes a text that is no number.
func (c *Column) strange(at dataset.Place, name string) {
	for i := range c.odd {
		if c.odd[i].text == name {
			c.odd[i].times++
			return
		}
	}
	if len(c.odd) == mostOdd {
		c.oddMore = true
		return
	}
	c.odd = append(c.odd, oddText{strings.Clone(name), 1, at})
}

// moment notes a date or a time.
func (c *Column) moment(at dataset.Place, cell dataset.Cell, name string) {
	moment, err := cell.Moment()
	if err != nil {
		if c.bad++; c.bad == 1 {
			c.Faults = append(c.Faults, at.Errorf("column %q: %w", c.Name, err).Error())
		}
		return
	}
	days := float64(moment.Unix()) / 86400
	if days < c.Least {
		c.Least, c.First = days, strings.Clone(name)
	}
	if days > c.Greatest {
		c.Greatest, c.Last = days, strings.Clone(name)
	}
}

// mixed adds a cell to a sum of all cells of a column: its FNV-1a hash.
func mixed(sum uint64, text string) uint64 {
	const offset, prime, odd = 14695981039346656037, 1099511628211, 0x9e3779b97f4a7c15
	hash := uint64(offset)
	for i := range len(text) {
		hash = (hash ^ uint64(text[i])) * prime
	}
	return (sum^hash)*odd + 1
}

// settle decides the type of a column after its last row, and finds the cells that do not go with
// the others.
func (c *Column) settle() {
	c.Distinct = len(c.values)
	valued := c.Rows - c.Missing
	others := valued - c.looks[dataset.Number]
	switch {
	case c.column.Sort == dataset.Unreadable, c.looks[dataset.Unread] > 0:
		c.Type = Unread
	case valued == 0:
		c.Type = Empty
	case c.looks[dataset.Number] == valued && c.whole:
		c.Type = Whole
	case c.looks[dataset.Number] == valued:
		c.Type = Number
	case c.truths == valued:
		c.Type = Boolean
	case c.looks[dataset.Number] > 0 && (c.looks[dataset.Word] == 0 || others*2 < valued):
		c.Type = Mixed
		c.complain("among numbers")
	case c.looks[dataset.Number] > 0:
		c.Type = Word // codes such as 12 and 12b
	case c.looks[dataset.Time] == valued:
		c.Type = Time
	case c.looks[dataset.Notation] == valued:
		c.Type = Notation
		c.complain("in a notation that is not read")
	case c.looks[dataset.Time] > 0 && c.looks[dataset.Time]*4 >= valued*3:
		c.Type = Mixed
		c.complain(amongTimes)
	default:
		c.Type = Word
	}
}

// amongTimes says where a text does not go with the others: in a column of dates.
const amongTimes = "among dates or times"

// complain notes the texts that do not go with the others.
func (c *Column) complain(among string) {
	for _, odd := range c.odd {
		if among == amongTimes && (dataset.Cell{Text: odd.text}).Look() == dataset.Time {
			continue
		}
		c.Faults = append(c.Faults, odd.at.Errorf("column %q: %q %s, in %s", c.Name, odd.text, among, cells(odd.times)).Error())
	}
	if c.oddMore {
		c.Faults = append(c.Faults, fmt.Sprintf("column %q: more such texts", c.Name))
	}
}

// cells returns a number of cells in words.
func cells(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}

// constant reports whether all cells have one value.
func (c *Column) constant() bool { return c.Distinct == 1 && c.Missing == 0 }

// Range describes the values of a column: the least and the greatest, or the most frequent words.
func (c *Column) Range() string {
	switch c.Type {
	case Number, Whole:
		return fmt.Sprintf("%.6g to %.6g", c.Least, c.Greatest)
	case Time:
		return c.First + " to " + c.Last
	case Empty, Unread:
		return ""
	}
	names := make([]string, 0, len(c.values))
	for name := range c.values {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(c.values[b].times, c.values[a].times), cmp.Compare(a, b))
	})
	var shown []string
	for _, name := range names[:min(len(names), mostShown)] {
		shown = append(shown, fmt.Sprintf("%s (%d)", clipped(name), c.values[name].times))
	}
	if len(names) > mostShown {
		shown = append(shown, "..")
	}
	return strings.Join(shown, ", ")
}

// clipped returns the beginning of a long text.
func clipped(text string) string {
	const most = 24
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-2]) + ".."
	}
	return text
}
