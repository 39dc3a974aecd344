package diagram

import (
	"strings"

	"starling/scenarios/results/tabular"
)

// The measures of a sheet of several graphs, in units of the sheet.
const (
	cellWidth  = 180 // of the place of a graph, and its height below its title
	cellTitle  = 24
	cellMargin = 6 // around a picture
	mostBeside = 3 // graphs in a row
)

// NewPeriod lays out graphs of one network as small pictures on one sheet, in rows, such as the steps of a period and
// their union. Their titles stand above them, and text below all. It is false where a graph has no picture of nodes.
func NewPeriod(title, text string, graphs []*Graph) (*Sheet, bool) {
	for _, g := range graphs {
		if n := g.Graph.Nodes(); n == 0 || n > mostDrawn || Many(g.Graph) {
			return nil, false
		}
	}
	rows := (len(graphs) + mostBeside - 1) / mostBeside
	columns := (len(graphs) + rows - 1) / rows
	var first, last *Sheet
	width := float64(columns * cellWidth)
	letters := width / sheetWidth
	for i, g := range graphs {
		p, _ := New(g.filling())
		left, top := float64(i%columns*cellWidth), sheetTop*letters+float64(i/columns*(cellWidth+cellTitle))
		s := &Sheet{Width: width, Picture: p, Left: left + cellMargin, Top: top + cellTitle, Side: cellWidth - 2*cellMargin, letters: letters}
		s.add(Text{At: Point{left + cellWidth/2, top + cellTitle - 7}, Align: "middle", Size: min(0.9*titleSize*letters, cellWidth/(letter*float64(len([]rune(g.Title))))), Text: g.Title})
		if first == nil {
			first, last = s, s
		} else {
			last.Beside, last = s, s
		}
	}
	first.add(Text{At: Point{width / 2, 20 * letters}, Align: "middle", Size: min(titleSize*letters, (width-20)/(letter*float64(len([]rune(title))))), Text: title})
	y := sheetTop*letters + float64(rows*(cellWidth+cellTitle)) + 10
	union := graphs[len(graphs)-1]
	for _, sentence := range []string{text, strings.TrimSpace(union.says()), union.legend(false), numbersText} {
		if sentence == "" {
			continue
		}
		for _, words := range tabular.Wrap(sentence, lineLetters) {
			first.add(Text{At: Point{width / 2, y}, Align: "middle", Size: captionSize * letters, Text: words})
			y += captionLine * letters
		}
	}
	first.Height = y
	return first, true
}

// numbersText explains the numbers of nodes.
const numbersText = "The number in a node is its number in tables and files."

// scale returns the scale of the darkness of a matrix, with its least and its largest weight, below the picture of a sheet.
func (s *Sheet) scale(g *Graph, y float64) *Sheet {
	const box = 12
	unit := box * s.letters
	bar := &Sheet{Width: s.Width, Left: s.Left + s.Side/2 - unit*shades/2, Top: y, Side: unit * shades, letters: s.letters}
	bar.Picture = Picture{Matrix: true, Title: "the scale of the darkness", To: shades}
	for shade := range shades {
		bar.Picture.Items = append(bar.Picture.Items, Item{Class: Cells, Opacity: float64(shade+2) / (shades + 1), Shapes: []Shape{{Kind: Row, Points: []Point{{float64(shade), 0}}, Size: 1}}})
	}
	size := tickSize * s.letters
	baseline := y + float64(0.7*unit)
	bar.add(Text{At: Point{bar.Left - 4, baseline}, Align: "end", Size: size, Text: g.weightName() + " 0"})
	bar.add(Text{At: Point{bar.Left + bar.Side + 4, baseline}, Align: "start", Size: size, Text: short(g.largestWeight())})
	return bar
}

// weightName is the name of the weights of a picture.
func (g *Graph) weightName() string {
	if g.Total {
		return "total weight"
	}
	return "weight"
}
