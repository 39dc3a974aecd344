package diagram

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"starling/actors/topology"
	"starling/scenarios/results/tabular"
)

// Sheet is a picture by itself: with its title above, captions below, and numbers beside a
// matrix. Lengths are in units of a 360th of its width; coordinates go right and down.
type Sheet struct {
	Width, Height float64
	Picture       Picture
	// Left and Top are the place of the picture, and Side its width and height.
	Left, Top, Side float64
	Texts           []Text
	// Beside is a second picture on the same page, with its texts: the weight matrix of a tangled graph; nil
	// is none.
	Beside *Sheet
}

// Text is a line of a sheet.
type Text struct {
	// At is the left end, the middle or the right end of the line, by Align: "start", "middle"
	// or "end". Y is the baseline.
	At    Point
	Align string
	// Size is the size of its letters.
	Size float64
	// Upright texts are read from below.
	Upright bool
	Text    string
}

// The measures of a sheet.
const (
	sheetWidth  = 360
	sheetSide   = 320 // of the picture
	sheetTop    = 34
	numbersWide = 30 // the room left of a matrix
	titleSize   = 11
	captionSize = 7.5
	captionLine = 12
	tickSize    = 7
	letter      = 0.55 // the width of a letter beside its size
	mostTicks   = 20   // numbers of nodes beside a matrix
	lineLetters = 90   // letters of a caption in a line
)

// NewSheet lays out a graph as a sheet. The boolean is false for a graph that has no picture.
func NewSheet(g *Graph) (s *Sheet, ok bool) {
	p, ok := New(g)
	if !ok {
		return nil, false
	}
	s = &Sheet{Width: sheetWidth, Picture: p, Left: (sheetWidth - sheetSide) / 2, Top: sheetTop, Side: sheetSide}
	if p.Matrix {
		s.Left = numbersWide
	} else if tangled(g.Graph) {
		s.Width = 2 * sheetWidth
		s.Beside = &Sheet{Width: s.Width, Picture: matrix(g), Left: sheetWidth + numbersWide, Top: sheetTop, Side: sheetSide}
		s.Beside.number(g)
	}
	size := min(titleSize, (sheetWidth-20)/(letter*float64(len([]rune(g.Title)))))
	s.add(Text{At: Point{s.Width / 2, 20}, Align: "middle", Size: size, Text: g.Title})
	y := s.Top + s.Side + 15
	captions := []string{Caption(g), g.legend(p.Matrix)}
	if p.Matrix {
		s.number(g)
	}
	if s.Beside != nil {
		captions = append(captions, "Right: the weight matrix, a row for each receiver and a column for each sender.")
	}
	if p.Matrix || s.Beside != nil {
		y += 2 * captionLine
	}
	for _, caption := range captions {
		for _, line := range tabular.Wrap(caption, int(lineLetters*s.Width/sheetWidth)) {
			s.add(Text{At: Point{s.Width / 2, y}, Align: "middle", Size: captionSize, Text: line})
			y += captionLine
		}
		y += captionLine / 4
	}
	s.Height = y
	return s, true
}

// leastTangled is the least number of nodes of a graph that its edges can tangle.
const leastTangled = 12

// tangled reports whether a graph has so many edges that a picture of nodes shows few of them.
func tangled(g *topology.Graph) bool {
	edges := 0
	links := Links(g)
	for _, list := range links {
		edges += len(list)
	}
	n := len(links)
	return n >= leastTangled && float64(edges) > dense*float64(n)*float64(n-1)
}

func (s *Sheet) add(t Text) { s.Texts = append(s.Texts, t) }

// legend explains a picture in a sentence.
func (g *Graph) legend(matrix bool) string {
	largest := g.largestWeight()
	if largest == 0 {
		return "No edge is drawn."
	}
	how, weight := "the darker", "weight"
	where := "An arrow leads from a sender to a receiver, a line both ways"
	arrows, lines := g.directions()
	switch {
	case matrix:
		where = "Row: the receiver; column: the sender"
	case !arrows:
		where = "A line leads both ways"
	case !lines:
		where = "An arrow leads from a sender to a receiver"
	}
	if g.Total {
		weight = "total weight"
		if !matrix {
			how = "the wider and darker"
		}
	}
	text := fmt.Sprintf("%s; %s, the larger the %s, up to %s", where, how, weight, short(largest))
	switch {
	case len(g.Servers) > 0 && !g.Total: // nobody averages by the weights
		text = where
	case !g.Total && g.leastWeight() == largest:
		text = fmt.Sprintf("%s; all have the %s %s", where, weight, short(largest))
	}
	if g.Total && g.Graph.SelfLoops() > 0 && (matrix || g.Graph.SelfLoops() < g.Graph.Nodes()) {
		text += "; self-loops are not drawn"
	}
	if len(g.Byzantine) > 0 && !matrix {
		text += "; a red diamond is a Byzantine node"
	}
	if len(g.Servers) > 0 && !matrix {
		text += "; a square is a server"
	}
	return text + "."
}

// number writes numbers of nodes beside and below a matrix.
func (s *Sheet) number(g *Graph) {
	n := g.Graph.Nodes()
	cell := s.Side / (s.Picture.To - s.Picture.From)
	bottom := s.Top + s.Side - cell
	every := tickDistance(n)
	for i := range n {
		label := i + g.FirstLabel
		if label%every != 0 {
			continue
		}
		middle := (float64(i) + 0.5 - s.Picture.From) * cell
		s.add(Text{At: Point{s.Left + cell - 2, s.Top + middle + float64(0.35*tickSize)}, Align: "end", Size: tickSize, Text: strconv.Itoa(label)})
		s.add(Text{At: Point{s.Left + middle, bottom + 1.2*tickSize}, Align: "middle", Size: tickSize, Text: strconv.Itoa(label)})
	}
	s.add(Text{At: Point{s.Left + s.Side/2, bottom + 2.6*tickSize}, Align: "middle", Size: captionSize, Text: "sender"})
	s.add(Text{At: Point{s.Left - numbersWide + 10, s.Top + s.Side/2}, Align: "middle", Size: captionSize, Upright: true, Text: "receiver"})
}

// tickDistance is 5, 10, 20, 50 and so on: the least for which there are few numbers.
func tickDistance(nodes int) int {
	for distance := 5; ; distance *= 10 {
		for _, d := range []int{distance, 2 * distance, 4 * distance} {
			if nodes/d <= mostTicks {
				return d
			}
		}
	}
}

// sheetFonts are fonts of the same widths, which figures have, too.
const sheetFonts = `'Liberation Sans',Arial,Helvetica,sans-serif`

// sheetStyle gives the classes their colours, and the sheet its paper.
const sheetStyle = `<style>.edge{fill:none;stroke:#1d2126}.edge:not([stroke-width]){stroke-width:1.2}.edge .head{fill:#1d2126;stroke:none}` +
	`.node circle,.node path{fill:#fff;stroke:#0b5fa5;stroke-width:1.6}.byzantine path{fill:#fbe3e0;stroke:#b3261e}.server path{fill:#0b5fa5}.server text{fill:#fff}.edge text{fill:#1d2126;stroke:none;text-anchor:middle;dominant-baseline:central;font-family:` + sheetFonts + `}.node text{fill:#1d2126;text-anchor:middle;dominant-baseline:central;font-family:` + sheetFonts + `}` +
	`.matrix rect{fill:none;stroke:#d9dde2}.matrix path{fill:#1d2126}.matrix{shape-rendering:crispEdges}` +
	`.caption{fill:#1d2126;font-family:` + sheetFonts + `}</style><rect width="100%" height="100%" fill="#fff"/>`

// SVG is the sheet as the text of an SVG file.
func (s *Sheet) SVG() string {
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s">%s`,
		coordinate(2*s.Width), coordinate(2*s.Height), coordinate(s.Width), coordinate(s.Height), sheetStyle)
	s.write(&out)
	if s.Beside != nil {
		s.Beside.write(&out)
	}
	out.WriteString("</svg>\n")
	return out.String()
}

// write writes the texts and the picture of a sheet into its SVG.
func (s *Sheet) write(out *strings.Builder) {
	for _, t := range s.Texts {
		turn := ""
		if t.Upright {
			turn = fmt.Sprintf(` transform="rotate(-90 %s %s)"`, coordinate(t.At.X), coordinate(t.At.Y))
		}
		fmt.Fprintf(out, `<text class="caption" x="%s" y="%s" font-size="%s" text-anchor="%s"%s>%s</text>`,
			coordinate(t.At.X), coordinate(t.At.Y), coordinate(t.Size), t.Align, turn, html.EscapeString(t.Text))
	}
	place := fmt.Sprintf(`<svg x="%s" y="%s" width="%s" height="%s" `, coordinate(s.Left), coordinate(s.Top), coordinate(s.Side), coordinate(s.Side))
	out.WriteString(strings.Replace(s.Picture.text(), "<svg ", place, 1))
}
