package accounts

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/results/tabular"
)

// Condensed returns the matrix with one entry for observers to whom all arms lose the same. Cells above a claim
// say by how much.
func (m *Matrix) Condensed() *Matrix {
	out := &Matrix{Columns: slices.Clone(m.Columns), degrees: true}
	var kept []int // the first observer of each entry
	names := [][]string{}
	for k, name := range m.Observers {
		alike := slices.IndexFunc(kept, func(first int) bool {
			return !slices.ContainsFunc(m.Columns, func(c MatrixColumn) bool { return c.Cells[first] != c.Cells[k] })
		})
		if alike < 0 {
			kept, names = append(kept, k), append(names, nil)
			alike = len(kept) - 1
		}
		names[alike] = append(names[alike], name)
	}
	for _, list := range names {
		out.Observers = append(out.Observers, strings.Join(list, ", "))
	}
	for i := range out.Columns {
		cells := make([]MatrixCell, len(kept))
		for k, first := range kept {
			cells[k] = m.Columns[i].Cells[first]
		}
		out.Columns[i].Cells = cells
	}
	return out
}

// text is the cell of a column for an observer.
func (m *Matrix) text(c *MatrixColumn, observer int) string {
	cell := c.Cells[observer]
	text := cell.text()
	if m.degrees && cell.Verdict == Exceeded {
		text += degreeText(cell.Epsilon / c.Claimed)
	}
	return text
}

// doubled is the excess from which a factor is easier to read than a percentage.
const doubled = 2

// degreeText says by how much a loss is above its claim; empty where no number does.
func degreeText(ratio float64) string {
	switch {
	case math.IsInf(ratio, 0) || math.IsNaN(ratio):
		return ""
	case ratio < doubled:
		return fmt.Sprintf(" +%.2g %%", 100*(ratio-1))
	}
	return " × " + tabular.FormatValue(ratio)
}
