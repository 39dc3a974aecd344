package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// The treatments of cells without a value. What is filled in is computed from training rows
// alone. A column of words takes its most frequent level under mean, median and mode.
const (
	MissingRefuse    = "" // an error at the cell
	MissingDrop      = "drop"
	MissingMean      = "mean"
	MissingMedian    = "median"
	MissingMode      = "mode"      // the most frequent value, the smallest of several
	MissingIndicator = "indicator" // the mean, and a feature that is 1 for cells without a value
)

// MissingTreatments returns the treatments that have a name.
func MissingTreatments() []string {
	return []string{MissingDrop, MissingMean, MissingMedian, MissingMode, MissingIndicator}
}

// Missing has the treatment of cells without a value: of columns by name, and of all others. The
// zero value refuses them.
type Missing struct {
	Default string
	Columns map[string]string
}

// Of returns the treatment of a column.
func (m Missing) Of(column string) string {
	if treatment, ok := m.Columns[column]; ok {
		return treatment
	}
	return m.Default
}

// leaveRows leaves rows out that lack a value in a column that drops such rows, and returns which
// rows are left; nil where all are.
func (t *Table) leaveRows() (kept []bool) {
	var columns []int
	for i, f := range append(slices.Clone(t.features), t.label) {
		if f.missing == MissingDrop && f.gaps > 0 {
			columns = append(columns, i)
		}
	}
	if columns == nil {
		return nil
	}
	kept = make([]bool, t.rows)
	for i := range kept {
		row := t.row(i)
		kept[i] = !slices.ContainsFunc(columns, func(k int) bool { return math.IsNaN(row[k]) })
		if !kept[i] {
			t.Dropped++
		}
	}
	return kept
}

// without returns the part of an error on the rows that are left out.
func (t *Table) without() string {
	if t.Dropped == 0 {
		return ""
	}
	return fmt.Sprintf("; missing: drop leaves out %s", rowCount(t.Dropped))
}

// used reports which levels of a column have a row that is kept, by code; nil means all.
func (t *Table) used(column, levels int, kept []bool) []bool {
	if kept == nil || levels == 0 {
		return nil
	}
	used := make([]bool, levels)
	for i, keep := range kept {
		if v := t.row(i)[column]; keep && !math.IsNaN(v) {
			used[int(v)] = true
		}
	}
	return used
}

// fill is the number that stands for cells without a value: a number, or the rank of a level.
type fill struct {
	treatment string
	value     float64
	// gaps is the number of training rows that lack the value.
	gaps int
}

// fills returns the number of each feature that stands for cells without a value, of all training
// rows. The number of a column without such cells is not used. A column without any value in training
// rows is an error.
func (t *Table) fills() ([]fill, error) {
	list := make([]fill, len(t.features))
	var gapped, means []int
	for k, f := range t.features {
		if list[k].treatment = f.missing; f.gaps > 0 && f.missing != MissingDrop {
			gapped = append(gapped, k)
		}
	}
	levels, valued := t.counted(gapped), make([]int, len(list))
	for at, k := range gapped {
		f := &t.features[k]
		for _, count := range levels[at] {
			valued[k] += count
		}
		list[k].gaps = t.trained() - valued[k]
		if valued[k] == 0 {
			return nil, fmt.Errorf("column %q has no value in training rows; leave the column out", f.name)
		}
		switch {
		case f.words && f.missing == MissingIndicator:
			list[k].value = float64(len(f.levels.names)) // a level of its own, behind the others
		case f.words:
			list[k].value = float64(slices.Index(levels[at], slices.Max(levels[at])))
		case fillers[f.missing] != nil:
			list[k].value = fillers[f.missing](t.valuesOf(k, valued[k]))
		default:
			means = append(means, k)
		}
	}
	t.eachTrained(means, func(at int, cells []float64) {
		mean, n := list[means[at]].value, float64(valued[means[at]])
		for _, v := range cells {
			if v == v {
				mean += v / n
			}
		}
		list[means[at]].value = mean
	})
	return list, nil
}

// fillers compute the number for cells without a value from all values, which they put in order, by
// the treatment. The others take the mean.
var fillers = map[string]func(values []float64) float64{MissingMedian: medianOf, MissingMode: modeOf}

// counted returns the number of training rows with each level of some columns, by its rank; for a
// column of numbers there is one count, of the rows with a value.
func (t *Table) counted(columns []int) [][]int {
	counts := make([][]int, len(columns))
	for at, k := range columns {
		counts[at] = make([]int, max(1, len(t.features[k].levels.names)))
	}
	if len(columns) == 0 {
		return counts
	}
	// Counts have no order: rows are met as they lie in memory, which is faster than party by party.
	trained := make([]bool, t.rows)
	for _, rows := range t.train {
		for _, i := range rows {
			trained[i] = true
		}
	}
	for i := range t.rows {
		if !trained[i] {
			continue
		}
		row := t.row(i)
		for at, k := range columns {
			switch v := row[k]; {
			case v != v:
			case t.features[k].words:
				counts[at][t.features[k].rankOf[int(v)]]++
			default:
				counts[at][0]++
			}
		}
	}
	return counts
}

// valuesOf returns the values of a column of numbers in training rows, of which there are so many.
func (t *Table) valuesOf(column, count int) []float64 {
	values := make([]float64, 0, count)
	t.eachTrained([]int{column}, func(_ int, cells []float64) {
		for _, v := range cells {
			if v == v {
				values = append(values, v)
			}
		}
	})
	return values
}

// medianOf returns the median of values, which it puts in order: the mean of the two in the middle
// of an even number.
func medianOf(values []float64) float64 {
	slices.Sort(values)
	half := len(values) / 2
	if len(values)%2 == 1 {
		return values[half]
	}
	return values[half-1]/2 + values[half]/2
}

// modeOf returns the most frequent of values, which it puts in order: the smallest of several.
func modeOf(values []float64) float64 {
	slices.Sort(values)
	best, most := values[0], 0
	for at := 0; at < len(values); {
		end := at
		for end < len(values) && values[end] == values[at] {
			end++
		}
		if end-at > most {
			best, most = values[at], end-at
		}
		at = end
	}
	return best
}

// Filled lists the columns with cells that were filled in, and the values; it is empty where
// there are none.
func (d *Data) Filled() string {
	var list []string
	for k, f := range d.Table.features {
		if f.gaps == 0 || f.missing == MissingDrop {
			continue
		}
		fill := d.fills[k]
		value, treatment := fmt.Sprintf("%.6g", fill.value), fill.treatment
		if f.words && treatment != MissingIndicator {
			treatment = MissingMode
		}
		if f.words {
			value = fmt.Sprintf("%q", append(slices.Clone(f.levels.names), levelMissing)[int(fill.value)])
		}
		list = append(list, fmt.Sprintf("%s: %s, %s in %s", f.name, treatment, value, rowCount(f.gaps)))
	}
	return strings.Join(list, "; ")
}

// The names of levels that are no words of a column, and the end of the name of a feature that
// is 1 for cells without a value.
const (
	endMissing   = "missing"
	levelMissing = "(missing)"
	levelRare    = "(rare)"
)
