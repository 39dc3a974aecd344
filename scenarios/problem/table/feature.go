package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"starling/scenarios/problem/dataset"
)

// feature is a column of numbers or of words, or one number that is made of the cells of a
// column, such as a part of a date. Cells of words are codes of levels. A cell without a value is
// NaN.
type feature struct {
	// name is the column's, maybe with the part of it, and words is true for a column of words.
	// levels and rankOf are empty for a column of numbers, unless it is a label of classes.
	name   string
	words  bool
	levels dictionary
	rankOf []int // by code, -1 for levels of rows that are left out
	// forced is true if the column is of words whatever its cells look like. sight has the
	// looks of its cells.
	forced bool
	// of makes the number of a cell, and is nil for columns of numbers and of words. part is the number of a moment
	// that it makes, nil for others.
	of   func(dataset.Cell) (float64, error)
	part func(time.Time) float64
	// again is true if the feature before it is of the same column.
	again bool
	// missing is the treatment of cells without a value, and gaps counts them.
	missing string
	gaps    int
	// open is true until a cell has a value, which decides between numbers and words. optional is
	// true if the column is not listed: then it is left once it is of words.
	open, optional, left bool
	*sight
}

// value returns a cell's number, or the code of its level. most is the largest number of
// levels of a column. The error names the column, at the row that is to blame.
func (f *feature) value(at dataset.Place, c dataset.Cell, most int) (float64, error) {
	if f.of != nil {
		return f.made(at, c)
	}
	f.decide(c)
	switch {
	case f.open:
		f.gaps++
		return math.NaN(), nil
	case f.left:
		return 0, f.take(at, c)
	case f.words:
		return f.word(at, c, most)
	}
	v, ok := c.Number()
	ok = ok && v-v == 0 // it is NaN for numbers that are not finite
	switch {
	case ok && len(f.seen) > 0:
		return v, nil
	case !ok && f.isGap(c):
		f.gaps++
		return math.NaN(), nil
	}
	v, err := number(c)
	if mixed := f.take(at, c); mixed != nil {
		return 0, mixed
	}
	if err != nil && c.Look() == dataset.Gap {
		err = fmt.Errorf("%w; %s", err, cureOf(c))
	}
	if err != nil {
		return 0, at.Errorf("column %q: %w", f.name, err)
	}
	return v, nil
}

// decide takes an open column for one of numbers or of words by its first cell with a value.
func (f *feature) decide(c dataset.Cell) {
	if f.open && c.Look() != dataset.Gap {
		f.open = false
		f.words = f.forced || c.Look() != dataset.Number
		f.left = f.words && f.optional && !f.forced
	}
}

// isGap reports whether a cell has no value in a column that may have such cells.
func (f *feature) isGap(c dataset.Cell) bool {
	if f.missing == MissingRefuse {
		return false
	}
	if c.Look() == dataset.Gap {
		return true
	}
	v, err := c.Float() // Parquet has NaN among its numbers
	return err == nil && math.IsNaN(v)
}

// made returns the number that is made of a cell.
func (f *feature) made(at dataset.Place, c dataset.Cell) (float64, error) {
	v, err := f.of(c)
	switch {
	case err == nil:
		return v, nil
	case f.isGap(c): // seldom, and looking costs more than the number
		f.gaps++
		return math.NaN(), nil
	}
	return 0, at.Errorf("column %q: %w", f.column.Name, err)
}

// word returns the code of the level of a cell.
func (f *feature) word(at dataset.Place, c dataset.Cell, most int) (float64, error) {
	text, err := c.Name()
	if code, ok := f.levels.codes[text]; ok && err == nil {
		return float64(code), nil
	}
	if f.isGap(c) { // no level is one
		f.gaps++
		return math.NaN(), nil
	}
	if err != nil {
		return 0, at.Errorf("column %q: %w", f.name, err)
	}
	if !f.forced {
		if err := f.take(at, c); err != nil {
			return 0, err
		}
	}
	code, err := f.levels.code(text, most)
	if err != nil {
		// The error about numbers in another notation is more helpful than the error about too
		// many levels.
		if err := f.settle(); err != nil {
			return 0, err
		}
		return 0, at.Errorf("column %q: %w", f.name, err)
	}
	return code, nil
}

// settle refuses a column that was taken for a column of words and has no words, and a column
// without any value.
func (f *feature) settle() error {
	switch {
	case f.open:
		return fmt.Errorf("column %q: no cell has a value; leave the column out", f.name)
	case !f.words || f.forced:
		return nil
	}
	return f.wordless()
}

// rank orders the levels. used reports whether a level has a row, by code; nil means that all
// have.
func (f *feature) rank(used []bool) { f.rankOf = f.levels.ranked(used) }

// The truths of a column of booleans, in small letters.
var truths = map[string]float64{
	"true": 1, "yes": 1, "y": 1, "t": 1, "on": 1, "1": 1,
	"false": 0, "no": 0, "n": 0, "f": 0, "off": 0, "0": 0,
}

// Truth returns 1 for a text that says yes and 0 for one that says no, in any case; ok is false for
// others.
func Truth(text string) (v float64, ok bool) {
	if v, ok = truths[text]; !ok {
		v, ok = truths[strings.ToLower(text)]
	}
	return v, ok
}

// truth returns 1 for a cell that says yes and 0 for one that says no.
func truth(c dataset.Cell) (float64, error) {
	text, err := c.Name()
	if err != nil {
		return 0, err
	}
	v, ok := Truth(text)
	if !ok {
		return 0, fmt.Errorf("got %s, want yes or no, true or false, on or off, y, n, t, f, 1 or 0", c)
	}
	return v, nil
}

// featuresOf returns the features of a column. cell is its first, which decides whether a column
// is taken for a column of words; optional is true if the column is not listed.
func (r *reader) featuresOf(column int, cell dataset.Cell, optional bool) []feature {
	c, forced := r.columns[column], r.forced(column)
	f := feature{name: c.Name, forced: forced, sight: &sight{column: c}, missing: r.Missing.Of(c.Name), optional: optional}
	if slices.Contains(r.Booleans, c.Name) {
		f.of = truth
		return []feature{f}
	}
	if at := slices.IndexFunc(r.Times, func(t TimeColumn) bool { return t.Name == c.Name }); at >= 0 {
		var list []feature
		moments := &momentOf{}
		for _, part := range r.Times[at].Parts {
			for _, number := range timeParts[part] {
				made := f
				made.again = list != nil
				made.name, made.of, made.part = c.Name+"."+number.name, moments.number(number.of), number.of
				list = append(list, made)
			}
		}
		return list
	}
	f.words = forced || c.Sort != dataset.Numbers && cell.Look() != dataset.Number
	f.open = f.missing != MissingRefuse && c.Sort != dataset.Numbers && cell.Look() == dataset.Gap
	return []feature{f}
}
