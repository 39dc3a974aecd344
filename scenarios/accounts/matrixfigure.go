package accounts

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/results/figure"
)

// shortNames are observers as a figure names them.
var shortNames = map[string]string{"wire": "eavesdropper", "peer": "another participant", "public": "everybody"}

// Figure draws the matrix: a row for each arm with its claim, a column for each observer, and the loss in
// each cell. Darker cells are larger losses, and a loss within the claim is framed. The matrix has columns.
func (m *Matrix) Figure(title string) figure.Figure {
	c := &figure.Cells{Inside: len(m.Columns), Exact: true}
	for _, observer := range m.Observers {
		name := shortNames[observer]
		if name == "" {
			name = observer
		}
		c.Columns = append(c.Columns, name)
	}
	framed := false
	names, _ := m.names()
	for i := range m.Columns {
		column := &m.Columns[i]
		label := names[i]
		if !math.IsNaN(column.Claimed) {
			label += fmt.Sprintf(" (claimed %s)", column.claimText())
		}
		n := len(column.Cells)
		values, half, best := make([]float64, n), slices.Repeat([]float64{math.NaN()}, n), make([]bool, n)
		for k, cell := range column.Cells {
			values[k], best[k] = cell.Epsilon, cell.Verdict == Kept
			if !cell.There {
				values[k] = math.NaN()
			}
			framed = framed || best[k]
		}
		c.Rows, c.Values, c.Half, c.Best, c.Across = append(c.Rows, label), append(c.Values, values), append(c.Half, half), append(c.Best, best), append(c.Across, false)
	}
	var notes []string
	if framed {
		notes = append(notes, "Framed: within the claim.")
	}
	if !c.Flat() {
		notes = append(notes, "Darker: more is learned.")
	}
	if slices.ContainsFunc(c.Values, func(row []float64) bool {
		return slices.ContainsFunc(row, func(v float64) bool { return math.IsInf(v, 1) })
	}) {
		notes = append(notes, "∞: no bound.")
	}
	return figure.Figure{Title: title, XLabel: "who learns", YLabel: "whose loss", Cells: c, Note: strings.Join(notes, " ")}
}
