package figure

import (
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starling/mechanisms/portable"
	"starling/scenarios/results/tabular"
)

// Cells are values by two keys as a heat map with numbers, under one scale of colours.
type Cells struct {
	// Rows and Columns are the labels of the cells.
	Rows, Columns []string
	// Values are by row and column; NaN is a cell without a value. Half are the halves of their
	// intervals; NaN is none.
	Values, Half [][]float64
	// Best marks the best value of each column, with a frame.
	Best [][]bool
	// Marks stand after the numbers, such as * and ~; nil is none.
	Marks [][]string
	// Better is the side of better values. Their cells are the darker ones; without one larger
	// values are darker.
	Better Side
	// Inside is the number of rows of the grid; rows after them stand below it, without a colour.
	Inside int
	// Blocks are the headings of blocks of rows inside of the grid, by row: values of several blocks do not compare, and each
	// block has a scale of colours of its own. nil is one block without a heading.
	Blocks []string
	// Across marks rows with one value, in the first column, that holds for all columns: such a row
	// is drawn as a line of text, below the grid.
	Across []bool
	// Dots draws dots with intervals in place of coloured cells: a chart for each column, with a line for
	// each row. A column without a label is a chart without a title.
	Dots bool
	// Share means that values are parts of a whole: intervals are cut at 0 and at 1.
	Share bool
	// Exact leaves out the zeros at the ends of numbers, which are no measurements.
	Exact bool
}

// Side is a side of values.
type Side string

// The sides.
const (
	Lower  Side = "lower"
	Higher Side = "higher"
)

// The measures of cells in points.
const (
	cellHeight  = vg.Length(31)
	cellSmaller = vg.Length(22) // without intervals
	cellGap     = vg.Length(8)  // between the grid and rows below it, and beside labels
	lineHeight  = vg.Length(20) // of a row across
	mostCell    = vg.Length(120)
	cellFrame   = vg.Length(2)
	leastHead   = vg.Length(7.5) // the least size of a label of a column
	markGap     = vg.Length(3)   // between a number and its mark
	// leastInterval is the least size of an interval.
	leastInterval = vg.Length(5)
)

// Texts returns each row as words for readers without the picture: its label, and the numbers with their
// intervals and marks. A cell without a value is none.
func (c *Cells) Texts() []string {
	rows := make([]string, len(c.Rows))
	for i, label := range c.Rows {
		var cells []string
		for k, v := range c.Values[i] {
			if c.Across[i] && k > 0 {
				break
			}
			text := "none"
			if !math.IsNaN(v) {
				text = c.Text(i, k)
			}
			cells = append(cells, text)
		}
		rows[i] = label + ": " + strings.Join(cells, ", ")
	}
	return rows
}

// Text returns the number of a cell with its interval and its mark; empty for a cell without a value.
func (c *Cells) Text(row, column int) string {
	v := c.Values[row][column]
	if math.IsNaN(v) {
		return ""
	}
	text := cellNumber(v, 4) + c.interval(v, c.Half[row][column])
	if c.Marks != nil && c.Marks[row][column] != "" {
		text += " " + c.Marks[row][column]
	}
	return text
}

// Banded reports whether some cell has an interval.
func (c *Cells) Banded() bool {
	for _, row := range c.Half {
		for _, half := range row {
			if half > 0 {
				return true
			}
		}
	}
	return false
}

// Ended reports whether some interval is so wide that its ends stand in place of ±.
func (c *Cells) Ended() bool {
	for i, row := range c.Half {
		for k, half := range row {
			if c.ended(c.Values[i][k], half) {
				return true
			}
		}
	}
	return false
}

// height returns the height of the rows.
func (c *Cells) height() vg.Length {
	if c.Banded() {
		return cellHeight
	}
	return cellSmaller
}

// headLines returns the labels of the columns in lines of a width, with breaks after spaces and
// hyphens.
func (c *Cells) headLines(width vg.Length) (lines [][]string, most int) {
	style := textStyle(tickSize)
	for _, label := range c.Columns {
		var parts []string
		for _, word := range strings.SplitAfter(strings.NewReplacer("-", "-\n", " = ", " = ", " ", " \n").Replace(label), "\n") {
			word = strings.TrimSuffix(word, "\n")
			if begin, end := halved(word, width); begin != "" {
				parts = append(parts, begin, end)
			} else if n := len(parts); n > 0 && style.Width(parts[n-1]+word) <= width {
				parts[n-1] += word
			} else {
				parts = append(parts, word)
			}
		}
		lines, most = append(lines, parts), max(most, len(parts))
	}
	return lines, most
}

// halved returns the halves of a word that is too wide for a line in the least size of labels; none of another.
func halved(word string, width vg.Length) (begin, end string) {
	letters := []rune(word)
	if textStyle(leastHead).Width(word) <= width || len(letters) < 2 {
		return "", word
	}
	middle := (len(letters) + 1) / 2
	return string(letters[:middle]) + "-", string(letters[middle:])
}

// cellsPage is the layout of cells on a page.
type cellsPage struct {
	*Cells
	left, top, wide, high vg.Length
	above                 vg.Length // of the label of the rows, where it has a line of its own
	heads                 [][]string
	// corner reports whether the label of the rows fits above them, beside the heads of the columns.
	corner bool
}

// layCells lays cells out, and makes the page as high as they need.
func (c *chart) layCells(cells *Cells) {
	p := &cellsPage{Cells: cells, high: cells.height()}
	label := textStyle(tickSize)
	var widest vg.Length
	for i, row := range cells.Rows {
		if !cells.Across[i] {
			for _, line := range rowLines(row, namesBeside*c.width, label) {
				widest = max(widest, label.Width(line))
			}
		}
	}
	widest = min(widest, 0.4*c.width)
	room, size := c.labels()
	p.left = c.edge() + widest + cellGap
	if strings.Contains(c.title, c.yLabel) { // it is said once
		c.yLabel = ""
	}
	p.corner = c.yLabel != "" && c.edge()+textStyle(size).Width(c.yLabel)+cellGap <= p.left
	p.wide = min((c.width-p.left-c.edge())/vg.Length(len(cells.Columns)), mostCell)
	heads, most := cells.headLines(p.wide - 4)
	p.heads = heads
	p.above = space(c.yLabel, room)
	if p.corner {
		p.above = 0
	}
	p.top = c.edge() + space(c.title, titleSpace) + p.above + space(c.xLabel, room) + vg.Length(most)*(tickSize+2) + cellGap
	c.height = p.top + p.foot(len(cells.Rows)-1) + c.edge() + c.below() + cellGap + barRoom
	c.cells = p
}

// foot returns the distance from the top of the grid to the lower edge of row i.
func (p *cellsPage) foot(i int) (y vg.Length) {
	y = vg.Length(vg.Length(min(i+1, p.Inside))*p.high) + vg.Length(vg.Length(p.headings(i))*lineHeight)
	if i >= p.Inside {
		y += cellGap
	}
	for k := p.Inside; k <= i; k++ {
		y += p.rowHeight(k)
	}
	return y
}

// rowHeight returns the height of row i.
func (p *cellsPage) rowHeight(i int) vg.Length {
	if p.Across[i] {
		return lineHeight
	}
	return p.high
}

// drawCells draws title, labels and cells.
func (c *chart) drawCells(page draw.Canvas) {
	p, top := c.cells, page.Max.Y
	title := fitTitle(c.title, page.Size().X-2*c.edge())
	page.FillText(title, vg.Point{X: page.Center().X, Y: top - c.edge()}, elide(c.title, page.Size().X-2*c.edge(), title))
	_, size := c.labels()
	label := textStyle(size)
	label.YAlign = draw.YTop
	y := top - c.edge() - space(c.title, titleSpace)
	if p.corner {
		corner := textStyle(size)
		corner.XAlign, corner.YAlign = draw.XRight, draw.YBottom
		page.FillText(corner, vg.Point{X: p.left - cellGap, Y: top - p.top + 4}, c.yLabel)
	} else {
		page.FillText(label, vg.Point{X: c.edge(), Y: y}, elide(c.yLabel, page.Size().X-2*c.edge(), label))
	}
	label.XAlign = draw.XCenter
	across := p.wide * vg.Length(len(p.Columns))
	page.FillText(label, vg.Point{X: p.left + across/2, Y: y - p.above}, elide(c.xLabel, across, label))
	small := textStyle(tickSize)
	small.XAlign, small.YAlign = draw.XCenter, draw.YBottom
	for k, lines := range p.heads {
		for i, line := range lines {
			at := vg.Point{X: p.left + vg.Length((vg.Length(k)+0.5)*p.wide), Y: top - p.top + 4 + vg.Length(vg.Length(len(lines)-1-i)*(tickSize+2))}
			fitted := small
			for fitted.Width(line) > p.wide-2 && fitted.Font.Size > leastHead {
				fitted.Font.Size -= 0.5
			}
			page.FillText(fitted, at, elide(line, p.wide-2, fitted))
		}
	}
	p.drawRows(page, vg.Point{X: p.left, Y: top - p.top}, c.edge())
	for i := range p.Rows { // frames lie above all cells
		for k, best := range p.Best[i] {
			if best {
				at := vg.Point{X: p.left + vg.Length(vg.Length(k)*p.wide), Y: top - p.top - p.foot(i)}
				outline(&page, vg.Rectangle{Min: at.Add(vg.Point{X: 1, Y: 1}), Max: at.Add(vg.Point{X: p.wide - 1, Y: p.high - 1})}, cellFrame, color.Black)
			}
		}
	}
	p.drawBar(&page, vg.Point{X: p.left, Y: page.Min.Y + c.edge() + c.below()}, across)
	c.drawNote(page)
}

// drawRows draws the rows with their labels, the grid's upper left corner at a place. edge is the edge
// of the page. An arm below the grid has a cell in its own column, or is a line of text.
func (p *cellsPage) drawRows(page draw.Canvas, corner vg.Point, edge vg.Length) {
	for i, name := range p.Rows {
		y, high := corner.Y-p.foot(i), p.rowHeight(i)
		if p.begins(i) {
			p.drawHeading(&page, i, vg.Point{X: corner.X, Y: y + high})
		}
		small := textStyle(tickSize)
		small.YAlign = draw.YCenter
		if p.Across[i] {
			value := ": " + p.lineText(i)
			name = elide(name, page.Max.X-edge-corner.X-small.Width(value), small)
			page.FillText(small, vg.Point{X: corner.X, Y: y + high/2}, name+value)
			continue
		}
		small.XAlign = draw.XRight
		lines := rowLines(name, corner.X-cellGap-edge, small)
		for n, line := range lines {
			at := vg.Point{X: corner.X - cellGap, Y: y + high/2 + vg.Length((float64(len(lines)-1)/2-float64(n))*float64(small.Font.Size))}
			page.FillText(small, at, elide(line, corner.X-cellGap-edge, small))
		}
		scale := p.scaleOf(min(i, p.Inside-1))
		for k := range p.Columns {
			if i >= p.Inside && math.IsNaN(p.Values[i][k]) {
				continue
			}
			cell := vg.Rectangle{Min: vg.Point{X: corner.X + vg.Length(vg.Length(k)*p.wide), Y: y}}
			cell.Max = cell.Min.Add(vg.Point{X: p.wide, Y: high})
			p.draw(&page, cell, i, k, scale.share(p.Values[i][k]))
		}
	}
}

// rowLines returns the label of a row in one line of a width, or else in two, with a break after a semicolon
// or a comma, or before a bracket.
func rowLines(name string, width vg.Length, style text.Style) []string {
	if style.Width(name) <= width {
		return []string{name}
	}
	best := []string{name}
	for i := range name {
		rest := name[i:]
		if !strings.HasPrefix(rest, " (") && !(i > 0 && strings.HasPrefix(rest, " ") && strings.ContainsAny(name[i-1:i], ";,")) {
			continue
		}
		if lines := []string{name[:i], rest[1:]}; len(best) == 1 || max(style.Width(lines[0]), style.Width(lines[1])) < max(style.Width(best[0]), style.Width(best[1])) {
			best = lines
		}
	}
	return best
}

// lineText is the value of a row across, with its interval and mark.
func (p *cellsPage) lineText(i int) string {
	if math.IsNaN(p.Values[i][0]) {
		return "–"
	}
	text := cellNumber(p.Values[i][0], 3) + p.interval(p.Values[i][0], p.Half[i][0])
	if p.Marks != nil && p.Marks[i][0] != "" {
		text += " " + p.Marks[i][0]
	}
	return text
}

// draw draws a cell with its numbers.
func (p *cellsPage) draw(page *draw.Canvas, cell vg.Rectangle, i, k int, shade float64) {
	v := p.Values[i][k]
	fill := color.NRGBA{R: 0xF4, G: 0xF4, B: 0xF4, A: 0xFF}
	switch {
	case i >= p.Inside || math.IsNaN(v):
	case math.IsInf(v, 0):
		fill = heatInfinite
	default:
		fill = cellColor(shade)
	}
	page.SetColor(fill)
	page.Fill(cell.Path())
	outline(page, cell, 1, color.White)
	number := textStyle(labelSize - 0.5)
	number.XAlign, number.YAlign = draw.XCenter, draw.YCenter
	number.Color = inkOn(fill)
	if p.Best[i][k] {
		number = bold(number)
	}
	middle := vg.Point{X: (cell.Min.X + cell.Max.X) / 2, Y: (cell.Min.Y + cell.Max.Y) / 2}
	if math.IsNaN(v) {
		page.FillText(number, middle, "–")
		return
	}
	text, mark := p.number(v), ""
	if p.Marks != nil {
		mark = p.Marks[i][k]
	}
	below := number.Width(text)/2+markGap+number.Width(mark) > p.wide/2 // a narrow cell has the mark beside the interval
	if half := p.Half[i][k]; half > 0 {
		error, interval := number, "±"+cellNumber(half, 2)
		if p.ended(v, half) {
			interval = p.ends(v, half)
		}
		error.Font = textStyle(leastLabel - 0.5).Font
		if below && mark != "" {
			interval, mark = interval+" "+mark, ""
		}
		for error.Width(interval) > p.wide-2 && error.Font.Size > leastInterval {
			error.Font.Size -= 0.5
		}
		page.FillText(error, middle.Sub(vg.Point{Y: 7.5}), interval)
		middle.Y += 5
	}
	page.FillText(number, middle, text)
	if mark != "" { // beside the number, which stays in the middle
		at := middle.Add(vg.Point{X: number.Width(text)/2 + markGap})
		number.XAlign = draw.XLeft
		page.FillText(number, at, mark)
	}
}

// inkOn returns black or white, by which of the two has more contrast with a colour as WCAG 2 defines it.
func inkOn(fill color.NRGBA) color.Color {
	linear := func(v uint8) float64 {
		if share := float64(v) / 255; share > 0.04045 {
			return portable.Pow((share+0.055)/1.055, 2.4)
		}
		return float64(v) / 255 / 12.92
	}
	luminance := float64(0.2126*linear(fill.R)) + float64(0.7152*linear(fill.G)) + float64(0.0722*linear(fill.B))
	if float64((luminance+0.05)*(luminance+0.05)) < 1.05*0.05 { // white has the contrast 1.05/(luminance+0.05), black (luminance+0.05)/0.05
		return color.White
	}
	return color.Black
}

// within reports whether all finite values are between two numbers.
func (c *Cells) within(low, high float64) bool {
	return !slices.ContainsFunc(c.Values, func(row []float64) bool {
		return slices.ContainsFunc(row, func(v float64) bool { return Drawable(v, false) && (v < low || v > high) })
	})
}

// outline draws the edge of a rectangle.
func outline(page *draw.Canvas, r vg.Rectangle, width vg.Length, c color.Color) {
	page.StrokeLines(draw.LineStyle{Color: c, Width: width}, []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min, {X: r.Max.X, Y: r.Min.Y}})
}

// interval writes the interval of a value after it, with the ends of a wide one; empty for none.
func (c *Cells) interval(v, half float64) string {
	switch {
	case !(half > 0) || math.IsInf(half, 0):
		return ""
	case c.ended(v, half):
		return " (" + c.ends(v, half) + ")"
	}
	return " ± " + cellNumber(half, 2)
}

// ended reports whether an interval stands with its ends: one that is wide, or that the ends of a share cut.
func (c *Cells) ended(v, half float64) bool { return tabular.Wide(v, half) || c.cutsShare(v, half) }

// cutsShare reports whether an interval goes beyond the ends of a share.
func (c *Cells) cutsShare(v, half float64) bool {
	return c.Share && half > 0 && v >= 0 && v <= 1 && (v-half < 0 || v+half > 1)
}

// ends writes the ends of an interval, to the place of the second digit of its half.
func (c *Cells) ends(v, half float64) string {
	low, high := v-half, v+half
	if c.cutsShare(v, half) {
		low, high = max(0, low), min(1, high)
	}
	write := func(end float64) string {
		if largest := math.Abs(v) + half; largest < 1e-3 || largest >= 1e5 {
			return cellNumber(end, 2)
		}
		return number(end, max(0, 2-wholeDigits(half)))
	}
	return write(low) + " to " + write(high)
}

// wholeDigits is the number of digits of a number above 0 before its point; negative for zeros after it.
func wholeDigits(v float64) int { return int(math.Floor(portable.Log10(v)+1e-9)) + 1 }

// number writes a number in a cell.
func (c *Cells) number(v float64) string {
	digits := 3
	if c.Exact { // as tables and claims have them
		digits = 4
	}
	text := cellNumber(v, digits)
	if c.Exact && strings.Contains(text, ".") && !strings.Contains(text, "×") {
		return strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// cellNumber writes a number with some significant digits, in full between 0.001 and 100000.
func cellNumber(v float64, digits int) string {
	size := math.Abs(v)
	switch {
	case math.IsInf(v, 0):
		return strings.TrimPrefix(strings.ReplaceAll(strconv.FormatFloat(v, 'g', -1, 64), "Inf", "∞"), "+")
	case v == 0:
		return "0"
	case size < 1e-3 || size >= 1e5:
		text := strconv.FormatFloat(v, 'e', digits-1, 64)
		mantissa, exponent, _ := strings.Cut(text, "e")
		power, _ := strconv.Atoi(exponent) // of a number
		return strings.Replace(mantissa, "-", minus, 1) + "×" + powerOfTen(power)
	}
	return number(v, max(0, digits-wholeDigits(size)))
}
