package diagram

import (
	"slices"
	"strings"

	"starling/scenarios/results/tabular"
)

// The measures of a sheet of several graphs, in units of the sheet.
const (
	cellWidth  = 180 // of the place of a graph, and its height below its title
	cellTitle  = 24
	cellMargin = 6   // around a picture
	mostBeside = 3   // graphs in a row
	fewPanels  = 4   // graphs that are large where their nodes are many
	noteSize   = 0.7 // of the letters below a title, beside its own
	noteHeight = 14
	// LargePanel is the number of nodes from which on two graphs stand in a row, so that nodes have room for numbers.
	LargePanel = 13
	cellZoom   = 1.5
)

// Panels are graphs of one network as small pictures on one sheet.
type Panels struct {
	Title string
	// Graphs have the same nodes. Their titles stand above them.
	Graphs []*Graph
	// Presence are charts of when nodes are there, below the graphs; nil is none.
	Presence []Presence
	// Text are sentences below all.
	Text []string
}

// NewPanels lays out graphs in rows. Nodes have the same places in all of them, unless they move. A graph
// with too many edges is its matrix. It is false where a graph has no picture, and where none has nodes.
func NewPanels(p *Panels) (*Sheet, bool) {
	if !slices.ContainsFunc(p.Graphs, func(g *Graph) bool { return !Many(g.Graph) }) {
		return nil, false
	}
	beside := mostBeside
	if p.Graphs[0].Graph.Nodes() >= LargePanel && len(p.Graphs) <= fewPanels {
		beside--
	}
	rows := (len(p.Graphs) + beside - 1) / beside
	columns := (len(p.Graphs) + rows - 1) / rows
	width := float64(columns * cellWidth)
	letters := width / sheetWidth
	first := &Sheet{Width: width, Side: 1, letters: letters}
	last := first
	size := 0.9 * titleSize * letters // of all titles
	note := noteSize * size
	for _, g := range p.Graphs {
		size = min(size, cellWidth/(letter*float64(len([]rune(g.Title)))))
	}
	above := 0.0 // the room of a line below titles
	if slices.ContainsFunc(p.Graphs, func(g *Graph) bool { return g.Note != "" }) {
		above = noteHeight
	}
	high := cellWidth + cellTitle + above // of a cell
	for i, g := range p.Graphs {
		n := g.Graph.Nodes()
		if n == 0 || n > mostDrawn {
			return nil, false
		}
		small := g.panel(p.Graphs[0])
		picture, _ := New(small)
		left, top := float64(i%columns*cellWidth), sheetTop*letters+float64(float64(i/columns)*high)
		s := &Sheet{Width: width, Picture: picture, Left: left + cellMargin, Top: top + cellTitle + above, Side: cellWidth - 2*cellMargin, letters: letters}
		if picture.Matrix {
			s.Left, s.Side = s.Left+cellMargin*3, s.Side-cellMargin*3
			s.number(small)
		}
		s.add(Text{At: Point{left + cellWidth/2, top + cellTitle - 7}, Align: "middle", Size: size, Text: g.Title})
		if g.Note != "" {
			s.add(Text{At: Point{left + cellWidth/2, top + cellTitle - 7 + noteHeight}, Align: "middle", Size: min(size, note, cellWidth/(letter*float64(len([]rune(g.Note))))), Text: g.Note})
		}
		last.Beside, last = s, s
	}
	first.add(Text{At: Point{width / 2, 20 * letters}, Align: "middle", Size: min(titleSize*letters, (width-20)/(letter*float64(len([]rune(p.Title))))), Text: p.Title})
	y := sheetTop*letters + float64(float64(rows)*high) + 10
	for i := range p.Presence {
		last.Beside = p.Presence[i].sheet(width, y, letters)
		y += last.Beside.Height + 10
		last = last.Beside
	}
	for _, sentence := range append(slices.Clone(p.Text), p.legend(), numbersText) {
		for _, words := range tabular.Wrap(sentence, lineLetters) {
			first.add(Text{At: Point{width / 2, y}, Align: "middle", Size: captionSize * letters, Text: words})
			y += captionLine * letters
		}
	}
	first.Height = y
	return first, true
}

// panel returns a graph as a small picture: larger nodes and lines, at the places of another picture's nodes.
func (g *Graph) panel(first *Graph) *Graph {
	small := *g
	if g.Places == nil {
		small.Places = first.Places
	}
	small.Zoom = cellZoom
	if !Many(g.Graph) {
		return small.filling()
	}
	return &small
}

// legend explains the marks of small pictures in sentences.
func (p *Panels) legend() string {
	arrows, lines, share, fresh, matrix := false, false, false, false, false
	for _, g := range p.Graphs {
		some, others := g.directions()
		arrows, lines = arrows || some, lines || others
		share, fresh, matrix = share || g.Share, fresh || g.Fresh != nil, matrix || Many(g.Graph)
	}
	var text []string
	switch {
	case arrows && lines:
		text = append(text, "An arrow leads from a sender to a receiver, a line both ways.")
	case arrows:
		text = append(text, "An arrow leads from a sender to a receiver.")
	case lines:
		text = append(text, "A line leads both ways.")
	default:
		return "No edge is drawn."
	}
	if fresh {
		text = append(text, "Dark edges are new since the picture before.")
	}
	switch {
	case share && matrix:
		text = append(text, "The darker a cell, the more steps have the edge from the node of its column to the node of its row.")
	case share:
		text = append(text, "Of several steps together, an edge is the wider and darker, the more of them have it.")
	}
	last := p.Graphs[len(p.Graphs)-1]
	if len(last.Byzantine) > 0 {
		text = append(text, "Red diamonds are Byzantine nodes.")
	}
	return strings.TrimSpace(strings.Join(text, " ") + " " + last.squares())
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
	switch {
	case g.Share:
		return "share of steps"
	case g.Total:
		return "total weight"
	}
	return "weight"
}
