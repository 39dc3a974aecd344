package figure

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// begins reports whether a row is the first of a block.
func (c *Cells) begins(row int) bool {
	return c.Blocks != nil && row < c.Inside && (row == 0 || c.Blocks[row] != c.Blocks[row-1])
}

// headings is the number of headings above the lower edge of a row.
func (c *Cells) headings(row int) (n int) {
	for i := range row + 1 {
		if c.begins(i) {
			n++
		}
	}
	return n
}

// scaleOf returns the scale of the colours of a row inside of the grid: of its block, or of all rows.
func (c *Cells) scaleOf(row int) cellScale {
	if c.Blocks == nil {
		return c.scale()
	}
	var values [][]float64
	for i := range c.Inside {
		if c.Blocks[i] == c.Blocks[row] {
			values = append(values, c.Values[i])
		}
	}
	return cellScale{coloursOf(values), c.Better}
}

// drawHeading writes the heading of a block above its first row, whose upper left corner is at a place.
func (p *cellsPage) drawHeading(page *draw.Canvas, row int, at vg.Point) {
	style := textStyle(tickSize)
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	page.FillText(style, at.Add(vg.Point{Y: lineHeight / 2}), elide(p.Blocks[row], page.Max.X-at.X, style))
}
