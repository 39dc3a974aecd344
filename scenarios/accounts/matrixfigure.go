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
// each cell. Darker cells are larger losses, and a loss within the claim is framed. Losses of different units, or for
// different neighbouring data, do not compare, and stand in blocks. The matrix has columns.
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
	blocks, order := m.blocks()
	for _, i := range order {
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
	if len(blocks) > 1 {
		for _, i := range order {
			c.Blocks = append(c.Blocks, m.Columns[i].protects())
		}
		notes = append(notes, "Losses of blocks do not compare: each has its own scale.")
	} else {
		notes = append(notes, blocks[0]+".")
	}
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

// protects states the protected unit of a column and its neighbouring relation.
func (c *MatrixColumn) protects() string {
	return fmt.Sprintf("Protected: %s (%s)", c.Unit, RelationLabel(c.Relation))
}

// blocks returns the protected units with their neighbouring relations, each once, and the columns in their order.
func (m *Matrix) blocks() (blocks []string, order []int) {
	for i := range m.Columns {
		if text := m.Columns[i].protects(); !slices.Contains(blocks, text) {
			blocks = append(blocks, text)
		}
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return slices.Index(blocks, m.Columns[a].protects()) - slices.Index(blocks, m.Columns[b].protects())
	})
	return blocks, order
}
