package views

import (
	"strings"

	"starling/scenarios/results/figure"
	"starling/scenarios/results/live"
)

// Cells are a heat map as a table.
type Cells struct {
	// Of names the keys of the columns.
	Of      string    `json:"of"`
	Columns []string  `json:"columns"`
	Rows    []CellRow `json:"rows"`
}

// CellRow is a row of a heat map.
type CellRow struct {
	Name string `json:"name"`
	// Texts are the numbers with their intervals; empty for a cell without a value. Shares are the strengths of their
	// colours, from 0 to 1, and null for none; a row below the grid has no shares.
	Texts  []string     `json:"texts"`
	Shares []live.Float `json:"shares,omitempty"`
	// Best marks the best values of their columns.
	Best []bool `json:"best"`
	// Across is true if the first text holds for all columns.
	Across bool `json:"across,omitempty"`
}

// newCells returns the table of a heat map; nil for a figure without one.
func newCells(f *figure.Figure) *Cells {
	c := f.Cells
	if c == nil || c.Dots {
		return nil
	}
	out, shares := &Cells{Of: f.XLabel, Columns: c.Columns}, c.Shares()
	for i, name := range c.Rows {
		row := CellRow{Name: name, Best: c.Best[i], Across: c.Across[i]}
		for k := range c.Columns {
			row.Texts = append(row.Texts, c.Text(i, k))
		}
		if i < c.Inside {
			for _, share := range shares[i] {
				row.Shares = append(row.Shares, live.Float(share))
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// cellsNote is the note of a heat map for a page: its colours are stronger, not darker, on a dark page.
func cellsNote(note string) string {
	return strings.ReplaceAll(note, "Darker is", "A stronger colour is")
}
