package profile

import (
	"cmp"
	"fmt"
	"hash/fnv"
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
	// values counts the values; for numbers only until there are more than classes may have.
	values map[string]int
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
		Name: c.Name, column: c, most: most, values: map[string]int{}, whole: true, counts: true,
		Least: math.Inf(1), Greatest: math.Inf(-1),
	}
}

// take counts a cell.
func (c *Column) take(at dataset.Place, cell dataset.Cell) {
	c.Rows++
	look := cell.Look()
	v, err := cell.Float()
	if look == dataset.Number && math.IsNaN(v) {
		look = dataset.Gap
	}
	c.looks[look]++
	name, _ := cell.Name()
	c.sum = mixed(c.sum, name)
	if look == dataset.Gap {
		c.Missing++
		c.counts = false
		return
	}
	c.value(name)
	if _, ok := table.Truth(name); ok {
		c.truths++
	}
	switch {
	case look == dataset.Number && err == nil && math.IsInf(v, 0):
		c.looks[dataset.Number]--
		c.looks[dataset.Notation]++ // no reader takes it
		look = dataset.Notation
	case look == dataset.Number && err == nil:
		c.Least, c.Greatest = min(c.Least, v), max(c.Greatest, v)
		c.whole = c.whole && v == math.Trunc(v)
		c.counts = c.counts && (c.Rows == 1 || v == c.last+1)
		c.last = v
		return
	case look == dataset.Time:
		c.moment(at, cell, name)
	}
	c.counts = false
	if look != dataset.Number {
		c.strange(at, name)
	}
}

// value counts a value.
func (c *Column) value(name string) {
	if n, ok := c.values[name]; ok {
		c.values[name] = n + 1
	} else if len(c.values) < c.most {
		c.values[strings.Clone(name)] = 1
	} else {
		c.Many = true
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

// mixed adds a cell to a sum of all cells of a column.
func mixed(sum uint64, text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never an error
	const odd = 0x9e3779b97f4a7c15
	return (sum^h.Sum64())*odd + 1
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
		return cmp.Or(cmp.Compare(c.values[b], c.values[a]), cmp.Compare(a, b))
	})
	var shown []string
	for _, name := range names[:min(len(names), mostShown)] {
		shown = append(shown, fmt.Sprintf("%s (%d)", clipped(name), c.values[name]))
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
