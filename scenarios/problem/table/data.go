package table

import (
	"fmt"
	"math"
	"runtime"
	"sync"

	"starling/actors/option"
	"starling/mechanisms/portable"
	"starling/scenarios/problem/vector"
)

// DataOptions are the options by which rows become data.
type DataOptions struct {
	// Labels is the form of the label behind the features of a datum: a number, -1 for the
	// first of two classes and 1 for the second, or 0, 1, ... for classes in their order.
	Labels vector.Label
	// Intercept puts a 1 behind the features.
	Intercept bool
	// Mean and Scale, one number for each column of numbers, standardise features: (v -
	// mean)/scale. They are public constants. nil leaves features as they are.
	Mean, Scale []float64
	// Rows: both are computed from all training rows, which is not private.
	Rows bool
	// Rare merges the levels of a column with fewer training rows, and Levels all but its most
	// frequent ones, so that there are at most so many with the merged level. 0 merges none.
	Rare, Levels int
	// Steady makes the features depend on no split of the rows, so that models of several splits have
	// the same parameters: each word of a column has its feature, and with Rare or Levels there is one
	// more for words that are rare in training rows; their own feature is then 0. A column with
	// MissingIndicator has the feature for cells without a value wherever some row lacks one.
	Steady bool
	// Bound is the largest 2-norm of features, without the intercept: longer features are
	// scaled down to it. 0 means no bound.
	Bound float64
	// LabelBound is the largest absolute value of a label that is a number: larger labels are
	// clipped to it. 0 means no bound.
	LabelBound float64
}

// Data are rows as data: features, levels as one-hot, maybe a 1, and the label. They are
// immutable and safe for concurrent use.
type Data struct {
	DataOptions
	// Table has the rows. names are the names of the features, one for each level of a column
	// of words. fills and merged are by column: the number for cells without a value, and the
	// place of each level. measured has facts of the training rows; see Longest and Scaled.
	Table    *Table
	names    []string
	fills    []fill
	merged   []merged
	measured func() lengths
}

// lengths are facts of the training rows: their longest features, and the number of those that are
// longer than the bound.
type lengths struct {
	longest float64
	scaled  int
}

// NewData checks the options. Errors are *option.Error. Only the first fault is returned; it
// names the key of the section that should change. All training rows are read twice where Rows is
// set.
func NewData(t *Table, o DataOptions) (*Data, error) {
	d := &Data{DataOptions: o, Table: t}
	var err error
	if d.fills, err = t.fills(); err != nil {
		return nil, option.Errorf("missing", "%v", err)
	}
	if d.merged, err = t.merge(o, d.fills); err != nil {
		return nil, err
	}
	numeric := 0
	for k, f := range t.features {
		if !f.words {
			numeric++
			d.names = append(d.names, f.name)
			if d.indicates(k) {
				d.names = append(d.names, f.column.Name+"."+endMissing)
			}
			continue
		}
		for _, level := range d.merged[k].names {
			d.names = append(d.names, f.name+"="+level)
		}
	}
	if classes := len(t.Classes()); o.Labels == vector.Sign && classes != 2 {
		return nil, option.Errorf("label", "column %q has %d classes, %s; this model has two: softmax has more", t.label.name, classes, Listed(t.Classes()))
	}
	if d.Rows {
		d.Mean, d.Scale = d.moments(numeric)
	}
	for _, list := range [][]float64{d.Mean, d.Scale} {
		if list != nil && len(list) != numeric {
			return nil, option.Errorf("standardise", "%d numbers; want %d, one for each column of numbers among the features %s", len(list), numeric, Listed(t.featureNames()))
		}
	}
	if err := t.passing.failure(); err != nil {
		return nil, option.Errorf("file", "%v", err)
	}
	// Scales that the user gives may be 0, negative or NaN; scales of moments never are.
	for i, v := range d.Scale {
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, option.Errorf("standardise.scale", "scale %v of number %d; want above 0", v, i+1)
		}
	}
	d.measured = sync.OnceValue(d.measure)
	return d, nil
}

// measure finds the longest features of training rows, and counts the rows with features
// longer than the bound. Both are the same whatever the order of the rows.
func (d *Data) measure() (all lengths) {
	found := make([]lengths, min(runtime.GOMAXPROCS(0), 1+d.Table.trained()/chunkRows))
	var group sync.WaitGroup
	for g := range found {
		group.Go(func() { found[g] = d.lengthsOf(g, len(found)) })
	}
	group.Wait()
	for _, f := range found {
		all.longest, all.scaled = max(all.longest, f.longest), all.scaled+f.scaled
	}
	return all
}

// lengthsOf is measure for one of some parts of the rows of each party.
func (d *Data) lengthsOf(part, parts int) (found lengths) {
	// A scratch datum is enough: two numbers are kept, and no features.
	x := make([]float64, d.Width())
	for _, rows := range d.Table.train {
		for _, row := range rows[part*len(rows)/parts : (part+1)*len(rows)/parts] {
			norm := d.encode(x, d.Table.row(row))
			found.longest = max(found.longest, norm)
			if d.Bound > 0 && norm > d.Bound {
				found.scaled++
			}
		}
	}
	return found
}

// Longest returns the largest 2-norm of features of training rows before Bound. It depends on
// the data, and noise must not rest on it. The first call reads all training rows.
func (d *Data) Longest() float64 { return d.measured().longest }

// Scaled returns the number of training rows that are scaled down to Bound.
func (d *Data) Scaled() int { return d.measured().scaled }

// Names returns the names of the features of a datum, without the 1.
func (d *Data) Names() []string { return d.names }

// Norm returns a bound on the 2-norm of the features of any row that there could be, with the
// 1; +Inf where no bound is given.
func (d *Data) Norm() float64 {
	switch {
	case d.Bound == 0:
		return math.Inf(1)
	case d.Intercept:
		return portable.Hypot(d.Bound, 1)
	}
	return d.Bound
}

// LabelSize returns a bound on the absolute value of any label that is a number; +Inf where no
// bound is given.
func (d *Data) LabelSize() float64 {
	if d.LabelBound == 0 {
		return math.Inf(1)
	}
	return d.LabelBound
}

// Inputs returns the number of features of a datum, with the 1.
func (d *Data) Inputs() int {
	if d.Intercept {
		return len(d.names) + 1
	}
	return len(d.names)
}

// Width returns the length of a datum: Inputs and the label.
func (d *Data) Width() int { return d.Inputs() + 1 }

// encode overwrites x with the features of a row, by its cells, and returns their 2-norm. x has at least
// len(names) numbers, in the order of the columns of the features. The norm is taken after
// standardising and before Bound. One-hot levels add 1 to its square.
func (d *Data) encode(x, cells []float64) (norm float64) {
	at, numeric := 0, 0
	for i := range d.Table.features {
		f := &d.Table.features[i]
		if f.words {
			// The place of a level is by its rank and not by its code: ranks do not depend on
			// the order of rows.
			merged := &d.merged[i]
			levels := x[at : at+len(merged.names)]
			clear(levels)
			levels[merged.places[d.level(i, cells[i])]] = 1
			at, norm = at+len(levels), norm+1
			continue
		}
		v := cells[i]
		gap := math.IsNaN(v)
		if gap {
			v = d.fills[i].value
		}
		if d.Mean != nil {
			v -= d.Mean[numeric]
		}
		if d.Scale != nil {
			v /= d.Scale[numeric]
		}
		x[at] = v
		at, numeric, norm = at+1, numeric+1, norm+float64(v*v)
		if d.indicates(i) {
			if x[at] = 0; gap {
				x[at] = 1
				norm++
			}
			at++
		}
	}
	return math.Sqrt(norm)
}

// level returns the rank of the level of a cell of words, by the code of the cell.
func (d *Data) level(column int, code float64) int {
	if math.IsNaN(code) {
		return int(d.fills[column].value)
	}
	return d.Table.features[column].rankOf[int(code)]
}

// indicates reports whether a feature for cells without a value is behind a feature of numbers:
// behind the first of a column.
func (d *Data) indicates(column int) bool {
	f := &d.Table.features[column]
	return !f.again && d.fills[column].treatment == MissingIndicator && (d.fills[column].gaps > 0 || d.Steady && f.gaps > 0)
}

// Datum overwrites dst, len Width, with a row as a datum. dst has features, maybe the 1,
// and the label last. The 1 is not scaled by Bound, so that the intercept is as free as
// without a bound. row counts from 0 in the order of the file.
func (d *Data) Datum(dst []float64, row int) { d.datum(dst, d.Table.row(row)) }

// datum is Datum for the cells of a row.
func (d *Data) datum(dst, cells []float64) {
	if norm := d.encode(dst, cells); d.Bound > 0 && norm > d.Bound {
		by := d.Bound / norm
		for k := range d.names {
			dst[k] *= by
		}
	}
	if d.Intercept {
		dst[len(d.names)] = 1
	}
	last, label := len(dst)-1, cells[len(cells)-1]
	switch d.Labels {
	case vector.Sign:
		dst[last] = float64(2*d.Table.classOf(label) - 1)
	case vector.Class:
		dst[last] = float64(d.Table.classOf(label))
	default:
		dst[last] = label
		if b := d.LabelBound; b > 0 {
			dst[last] = max(-b, min(b, dst[last]))
		}
	}
}

// moments returns the mean and the standard deviation of each column of numbers over the
// training rows of parties; a column that never changes has its value as the mean, and scale 1. The
// deviation divides by the number of rows and not by one less. Rows are added in a fixed order,
// party by party, so that equal files give equal bits. There are two passes, and the second
// subtracts the mean first, so that no digits are lost to large means.
func (d *Data) moments(numeric int) (mean, scale []float64) {
	t := d.Table
	mean, scale = make([]float64, numeric), make([]float64, numeric)
	least, greatest := make([]float64, numeric), make([]float64, numeric)
	columns := make([]int, 0, numeric)
	for i := range t.features {
		if !t.features[i].words {
			columns = append(columns, i)
		}
	}
	for k := range numeric {
		least[k], greatest[k] = math.Inf(1), math.Inf(-1)
	}
	rows := float64(t.trained())
	fill := func(k int, v float64) float64 {
		if v != v {
			return d.fills[columns[k]].value
		}
		return v
	}
	t.eachTrained(columns, func(k int, cells []float64) {
		sum, low, high := mean[k], least[k], greatest[k]
		for _, v := range cells {
			v = fill(k, v)
			sum += v / rows
			low, high = min(low, v), max(high, v)
		}
		mean[k], least[k], greatest[k] = sum, low, high
	})
	for k := range numeric {
		if least[k] == greatest[k] {
			mean[k] = least[k] // the sum is off by its last bits, which are no deviation
		}
	}
	t.eachTrained(columns, func(k int, cells []float64) {
		sum, mean := scale[k], mean[k]
		for _, v := range cells {
			v = fill(k, v)
			sum += float64((v - mean) / rows * (v - mean))
		}
		scale[k] = sum
	})
	for k, v := range scale {
		if scale[k] = math.Sqrt(v); !(scale[k] > 0) {
			scale[k] = 1
		}
	}
	return mean, scale
}

// Listed returns a list as text, cut where it is long: the first twelve words in quotes, and
// the number of the others.
func Listed(words []string) string {
	const most = 12
	text := fmt.Sprintf("%q", words[:min(len(words), most)])
	text = text[1 : len(text)-1]
	if more := len(words) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
