package diagram

import (
	"fmt"
	"html"
	"math"
	"slices"
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
	// letters is the size of letters beside their usual one: the page of two pictures is printed smaller.
	letters float64
	// Beside is the next picture on the same page, with its texts: the weight matrix of a tangled graph, the scale of a
	// matrix, or the graph of another step; nil is none.
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
	wideLetters = 1.6  // the size of letters of a page of two pictures
)

// NewSheet lays out a graph as a sheet. The boolean is false for a graph that has no picture.
func NewSheet(g *Graph) (s *Sheet, ok bool) {
	if n := g.Graph.Nodes(); n > 0 && !Many(g.Graph) {
		g = g.filling()
	}
	p, ok := New(g)
	if !ok {
		return nil, false
	}
	s = &Sheet{Width: sheetWidth, Picture: p, Left: (sheetWidth - sheetSide) / 2, Top: sheetTop, Side: sheetSide, letters: 1}
	high := s.Side
	switch {
	case p.Matrix:
		s.Left = numbersWide
	case tangled(g.Graph):
		s.Width, s.letters = 2*sheetWidth, wideLetters
		s.Beside = &Sheet{Width: s.Width, Picture: matrix(g), Left: sheetWidth + numbersWide, Top: sheetTop, Side: sheetSide, letters: wideLetters}
		s.Beside.number(g)
	default: // a wide picture has no blank above and below
		above, below := p.blank()
		s.Top, high = s.Top-float64(above*s.Side), float64((1-above-below)*s.Side)
	}
	size := min(titleSize*s.letters, (s.Width-20)/(letter*float64(len([]rune(g.Title)))))
	s.add(Text{At: Point{s.Width / 2, 20}, Align: "middle", Size: size, Text: g.Title})
	y := sheetTop + high + 8 + float64(7*s.letters)
	line := captionLine * s.letters
	captions := []string{Caption(g), g.legend(p.Matrix)}
	matrix := s.Beside // the sheet of a matrix
	if p.Matrix {
		s.number(g)
		matrix = s
	} else if s.Beside != nil {
		captions = append(captions, "Right: the weight matrix, a row for each receiver and a column for each sender.")
	}
	captions = append(captions, numbersText)
	if matrix != nil {
		y += 1.6 * line
		if g.largestWeight() > g.leastWeight() {
			y += 0.4 * line
			matrix.Beside = matrix.scale(g, y-float64(0.8*line))
			y += 1.6 * line
		}
	}
	for _, caption := range captions {
		for _, words := range tabular.Wrap(caption, int(lineLetters*s.Width/sheetWidth/s.letters)) {
			s.add(Text{At: Point{s.Width / 2, y}, Align: "middle", Size: captionSize * s.letters, Text: words})
			y += line
		}
		y += line / 4
	}
	s.Height = y
	return s, true
}

// filling returns a graph whose places fill the square of a picture, and are apart: nodes do not cover each other.
func (g *Graph) filling() *Graph {
	places := slices.Clone(g.Places)
	if places == nil {
		places = Arrange(g.Graph)
	}
	if !g.Located {
		fill(places)
	}
	n := len(places) / 2
	apart := leastApart * max(1, g.Zoom) / side
	if !g.Located && !circular(places) && len(g.Blocks) == 0 {
		apart = max(apart, roomy/math.Sqrt(float64(n)))
	}
	spread(places, apart)
	if !g.Located || g.Zoom == 0 { // nodes that move stay in their box from picture to picture
		fill(places)
	}
	filled := *g
	filled.Places = places
	return &filled
}

// leastApart is about the distance of the middles of two nodes of the least size with numbers, in units of a picture.
const leastApart = 3.4 * namedNode

// roomy is the distance of nodes that have no places of their own, beside the root of their number.
const roomy = 0.55

// fill moves places so that they fill the unit square in one direction, and lie in its middle in the other.
func fill(places []float64) {
	low, high := [2]float64{places[0], places[1]}, [2]float64{places[0], places[1]}
	for i, v := range places {
		low[i%2], high[i%2] = min(low[i%2], v), max(high[i%2], v)
	}
	wide := max(high[0]-low[0], high[1]-low[1])
	if wide == 0 {
		return
	}
	for i := range places {
		places[i] = 0.5 + (places[i]-float64((low[i%2]+high[i%2])/2))/wide
	}
}

// spread moves places that are nearer to each other than a distance apart, a little at a time.
func spread(places []float64, distance float64) {
	const rounds = 120
	for range rounds {
		moved := false
		for v := 0; v < len(places); v += 2 {
			for w := 0; w < v; w += 2 {
				dx, dy := places[v]-places[w], places[v+1]-places[w+1]
				length := math.Sqrt(float64(dx*dx) + float64(dy*dy))
				if length >= distance {
					continue
				}
				if length == 0 { // of one place: to the right and to the left
					dx, length = 1, 1
				}
				push := float64(0.5*(distance-min(length, distance))) / length
				places[v], places[v+1] = places[v]+float64(dx*push), places[v+1]+float64(dy*push)
				places[w], places[w+1] = places[w]-float64(dx*push), places[w+1]-float64(dy*push)
				moved = true
			}
		}
		if !moved {
			return
		}
	}
}

// blank returns the shares of the square above and below all shapes.
func (p *Picture) blank() (above, below float64) {
	above, below = 1, 1
	for i := range p.Items {
		for _, s := range p.Items[i].Shapes {
			size := 0.0
			if s.Kind != Curve && s.Kind != Head {
				size = s.Size
			}
			for k, at := range s.Points {
				y := (at.Y - p.From) / (p.To - p.From)
				if s.Kind == Curve && k == 1 { // the curve reaches half of the way to its control point
					y = (float64(s.Points[0].Y/4) + float64(at.Y/2) + float64(s.Points[2].Y/4) - p.From) / (p.To - p.From)
				}
				above, below = min(above, y-size/(p.To-p.From)), min(below, 1-y-size/(p.To-p.From))
			}
		}
	}
	return max(0, above), max(0, below)
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
	switch {
	case matrix || len(g.Servers) == 0:
	case len(g.Names) > 0:
		return text + ". " + g.squares()
	default:
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
		s.add(Text{At: Point{s.Left + cell - 2, s.Top + middle + float64(0.35*tickSize*s.letters)}, Align: "end", Size: tickSize * s.letters, Text: strconv.Itoa(label)})
		s.add(Text{At: Point{s.Left + middle, bottom + float64(1.2*tickSize*s.letters)}, Align: "middle", Size: tickSize * s.letters, Text: strconv.Itoa(label)})
	}
	s.add(Text{At: Point{s.Left + s.Side/2, bottom + float64(2.6*tickSize*s.letters)}, Align: "middle", Size: captionSize * s.letters, Text: "sender"})
	s.add(Text{At: Point{s.Left - numbersWide + 10, s.Top + s.Side/2}, Align: "middle", Size: captionSize * s.letters, Upright: true, Text: "receiver"})
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
	`.node circle,.node path{fill:#fff;stroke:#0b5fa5;stroke-width:1.6}.byzantine path{fill:#fbe3e0;stroke:#b3261e}.server path{fill:#0b5fa5}.server text{fill:#fff}.absent circle{stroke:#8a94a0;stroke-dasharray:3 2.5;stroke-width:1.2}.absent path{fill:#fff;stroke:#8a94a0;stroke-dasharray:3 2.5;stroke-width:1.2}.node.absent text{fill:#69737e}.ground circle{fill-opacity:.16}.ground text{fill:#3d454e;text-anchor:middle;dominant-baseline:central;font-family:` + sheetFonts + `}.bar path{fill:#0b5fa5}.edge text{fill:#1d2126;stroke:none;text-anchor:middle;dominant-baseline:central;font-family:` + sheetFonts + `}.node text{fill:#1d2126;text-anchor:middle;dominant-baseline:central;font-family:` + sheetFonts + `}` +
	`.matrix rect{fill:none;stroke:#d9dde2}.matrix path{fill:#1d2126}.matrix{shape-rendering:crispEdges}` +
	`.caption{fill:#1d2126;font-family:` + sheetFonts + `}</style><rect width="100%" height="100%" fill="#fff"/>`

// SVG is the sheet as the text of an SVG file.
func (s *Sheet) SVG() string {
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s">%s`,
		coordinate(2*s.Width), coordinate(2*s.Height), coordinate(s.Width), coordinate(s.Height), sheetStyle)
	for page := s; page != nil; page = page.Beside {
		page.write(&out)
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
	if len(s.Picture.Items) == 0 {
		return
	}
	place := fmt.Sprintf(`<svg x="%s" y="%s" width="%s" height="%s" `, coordinate(s.Left), coordinate(s.Top), coordinate(s.Side), coordinate(s.Side))
	out.WriteString(strings.Replace(s.Picture.text(), "<svg ", place, 1))
}
