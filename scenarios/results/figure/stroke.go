package figure

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
)

// stroke is the colour, the dash and the sign of the points of a curve, by their places in palette, dashes and
// glyphs. A hue of -1 is grey, for a curve that no value gives a colour, and one of -2 black.
type stroke struct {
	hue, dash, mark int
	// degrees is the length of the ramp that hue is a place on; 0 means the palette.
	degrees int
}

// uncoloured is the hue of a curve without a value.
const uncoloured = -1

// blackHue is the hue of a baseline.
const blackHue = -2

func (p stroke) color() color.NRGBA {
	if p.hue == uncoloured {
		return color.NRGBA{R: 0x60, G: 0x60, B: 0x60, A: 0xFF}
	}
	if p.hue == blackHue {
		return color.NRGBA{A: 0xFF}
	}
	if p.degrees > 0 {
		return rampColor(ramp, p.hue, p.degrees)
	}
	return palette[p.hue%len(palette)]
}

// line is the style of the curve.
func (p stroke) line() Line {
	l := Line{Color: p.color(), Dash: p.pattern()}
	if p.hue >= 0 && p.degrees > 0 {
		l.Dark = rampColor(rampOnDark, p.hue, p.degrees)
	}
	return l
}

// Stroke is the colour of a series by its number from 0, and its dash pattern:
// lengths in points, drawn and left out in turn, none for a solid line. Others
// that draw the same series take them from here.
func Stroke(series int) (color.NRGBA, []float64) {
	p := stroke{hue: series, dash: series}
	return p.color(), p.pattern()
}

// pattern is the dash in points.
func (p stroke) pattern() (lengths []float64) {
	for _, length := range dashes[p.dash%len(dashes)] {
		lengths = append(lengths, float64(length))
	}
	return lengths
}

// MostHues and MostDashes are the numbers of values that have a colour or a dash of their own.
var (
	MostHues   = len(palette)
	MostDashes = len(dashes)
)

// Line is the style of a curve: its colour, and its dash as Stroke returns it.
type Line struct {
	Color color.NRGBA
	Dash  []float64
	// Dark is the colour on a dark page where it is a degree of a ramp; else it is transparent.
	Dark color.NRGBA
}

// Hex is the colour as #0072B2.
func (l Line) Hex() string { return hexOf(l.Color) }

// DarkHex is the colour on a dark page as #0072B2, or empty where Dark is none.
func (l Line) DarkHex() string {
	if l.Dark.A == 0 {
		return ""
	}
	return hexOf(l.Dark)
}

func hexOf(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// Lines returns the style of each series of each panel, or of the only chart where the figure
// has no panels. Others that draw the same figure take it from here.
func (f *Figure) Lines() [][]Line {
	var lines [][]Line
	for _, strokes := range f.strokes() {
		list := make([]Line, len(strokes))
		for i, p := range strokes {
			list[i] = p.line()
		}
		lines = append(lines, list)
	}
	return lines
}

// factored reports whether values, rather than the curves' names, give curves their styles.
func (f *Figure) factored() bool {
	for _, p := range f.Charts() {
		if slices.ContainsFunc(p.Series, func(s Series) bool { return s.Hue != "" || s.Dash != "" }) {
			return true
		}
	}
	return false
}

// strokes returns the strokes of the series, by panel.
func (f *Figure) strokes() [][]stroke {
	var names, hues, dashes []string // in the order in which they come
	factored, several, doubled, many := f.factored(), len(f.Panels) > 0, f.doubled(), f.distinct() > sureHues
	if f.anySolid() {
		dashes = []string{"solid"} // which is the first of them
	}
	for _, value := range f.Ramp { // their places are their degrees
		place(&hues, value)
	}
	if len(f.Ramp) == 0 {
		hues = append(hues, f.Hues...)
	}
	plain, baselines := f.plainReferences(), f.baselines()
	numbered := func(k int) stroke { // a style by its number
		if !many {
			return stroke{hue: k, mark: k}
		}
		return stroke{hue: k, dash: k, mark: k}
	}
	var list [][]stroke
	for _, p := range f.Charts() {
		strokes := make([]stroke, len(p.Series))
		for i, s := range p.Series {
			switch {
			case plain && s.Reference:
				strokes[i] = stroke{hue: uncoloured, dash: 1}
			case s.Place > 0 && !factored:
				strokes[i] = numbered(s.Place - 1)
			case factored:
				strokes[i] = f.byValues(&s, &hues, &dashes, doubled)
			case f.Stacked && s.Name == "": // the quantity of the panel, without an entry in the legend
				strokes[i] = stroke{}
			case several: // one name has one style in all panels
				strokes[i] = numbered(max(0, place(&names, cmp.Or(s.Name, " "))))
			default:
				strokes[i] = numbered(i)
			}
			if s.Baseline && baselines[s.Hue] {
				strokes[i].hue, strokes[i].degrees = blackHue, 0
				if strokes[i].mark = 0; !s.Reference && s.Dash == "" {
					strokes[i].dash = 0
				}
			}
		}
		list = append(list, strokes)
	}
	if factored {
		f.greys(list)
	}
	f.dashCovered(list)
	if factored && len(hues) == 0 { // dashes alone need one colour
		for _, strokes := range list {
			for i := range strokes {
				strokes[i].hue = max(0, strokes[i].hue)
			}
		}
	}
	return list
}

// coveredPart is the part of the y axis up to which curves are apart that cover each other: about the width of a line.
const coveredPart = 0.008

// dashCovered dashes solid curves that cover others in some chart, so that both colours are seen. Where dashes have a
// meaning they stay.
func (f *Figure) dashCovered(list [][]stroke) {
	if slices.ContainsFunc(list, func(strokes []stroke) bool {
		return slices.ContainsFunc(strokes, func(p stroke) bool { return p.dash != 0 })
	}) {
		return
	}
	_, y := spans(f)
	covering := map[string]bool{}
	charts := f.Charts()
	for _, p := range charts {
		for i := range p.Series {
			for k := range i {
				if s, under := &p.Series[i], &p.Series[k]; !s.Faint && !under.Faint && s.key() != under.key() && covers(s, under, f, y) {
					covering[s.key()] = true
				}
			}
		}
	}
	for c, strokes := range list {
		for i := range strokes {
			if covering[charts[c].Series[i].key()] {
				strokes[i].dash = 1
			}
		}
	}
}

// covers reports whether one curve lies on another: at the same places, with heights that no line is wide enough to tell
// apart.
func covers(s, under *Series, f *Figure, y span) bool {
	if len(s.X) < 2 || len(s.X) != len(under.X) || s.Bars || under.Bars {
		return false
	}
	for k := range s.X { // most curves differ at the first points
		if s.X[k] != under.X[k] || !s.drawable(k, f.LogX, f.LogY) || !under.drawable(k, f.LogX, f.LogY) || math.Abs(float64(y.share(s.Y[k])-y.share(under.Y[k]))) > coveredPart {
			return false
		}
	}
	return true
}

// byValues returns the stroke of a series whose values give it its colour and its dash.
func (f *Figure) byValues(s *Series, hues, dashes *[]string, doubled bool) stroke {
	p := stroke{hue: place(hues, s.Hue), dash: max(0, place(dashes, s.Dash))}
	if doubled && s.Hue != "" {
		p.dash = p.hue
	}
	p.mark = p.dash
	switch on := slices.Contains(f.Ramp, s.Hue); {
	case on:
		p.degrees = len(f.Ramp)
	case len(f.Ramp) > 0:
		p.hue = uncoloured
	}
	return p
}

// baselines are the values of Hue that baselines have and no other curves.
func (f *Figure) baselines() map[string]bool {
	found := map[string]bool{}
	for _, p := range f.Charts() {
		for i := range p.Series {
			s := &p.Series[i]
			if s.Hue == "" {
				found[""] = true
			} else if alone, seen := found[s.Hue]; !seen || alone {
				found[s.Hue] = s.Baseline
			}
		}
	}
	return found
}

// distinct is the number of styles that all figures of the study have, or the figure by itself. It decides whether
// colours need dashes besides, so that a curve does not have a dash in one figure alone.
func (f *Figure) distinct() int {
	var names []string
	own := 0
	for _, p := range f.Charts() {
		for i := range p.Series {
			s := &p.Series[i]
			own = max(own, s.Place)
			place(&names, cmp.Or(s.Name, " "))
		}
	}
	if len(f.Panels) == 0 {
		return max(f.Places, own, len(f.Series))
	}
	return max(f.Places, own, len(names))
}

// greys gives curves without a colour a dash for each name, where no dash has a meaning of its own.
func (f *Figure) greys(list [][]stroke) {
	charts := f.Charts()
	if slices.ContainsFunc(charts, func(p Panel) bool {
		return slices.ContainsFunc(p.Series, func(s Series) bool { return s.Dash != "" || s.Reference })
	}) {
		return
	}
	var names []string
	grey := func(each func(k, i int)) {
		for k, p := range charts {
			for i := range p.Series {
				if list[k][i].hue == uncoloured && !p.Series[i].Baseline {
					each(k, i)
				}
			}
		}
	}
	grey(func(k, i int) { place(&names, charts[k].Series[i].key()) })
	slices.Sort(names) // whatever the order of the charts
	grey(func(k, i int) {
		list[k][i].dash = max(0, place(&names, charts[k].Series[i].key()))
		list[k][i].mark = list[k][i].dash
	})
}

// plainReferences reports whether the lines across a figure are grey: no value gives them a style, and all
// have one name.
func (f *Figure) plainReferences() bool {
	name, found := "", false
	for _, p := range f.Charts() {
		for i := range p.Series {
			s := &p.Series[i]
			if !s.Reference {
				continue
			}
			if s.Hue != "" || s.Dash != "" || found && s.Name != name {
				return false
			}
			name, found = s.Name, true
		}
	}
	return found
}

// sureHues is the number of colours that need no dash besides.
const sureHues = 5

// doubled reports whether each value of Hue has a dash besides its colour: colours are many, no ramp, and
// no dash has a meaning of its own.
func (f *Figure) doubled() bool {
	var hues []string
	for _, p := range f.Charts() {
		for _, s := range p.Series {
			if s.Dash != "" {
				return false
			}
			place(&hues, s.Hue)
		}
	}
	return len(f.Ramp) == 0 && max(len(hues), len(f.Hues)) > sureHues
}

// anySolid reports whether some series has no value for its dash, and so is solid.
func (f *Figure) anySolid() bool {
	return slices.ContainsFunc(f.Charts(), func(p Panel) bool {
		return slices.ContainsFunc(p.Series, func(s Series) bool { return s.Dash == "" })
	})
}

// place returns the place of a value among the known values, to which it adds a new one;
// uncoloured for an empty value.
func place(known *[]string, value string) int {
	if value == "" {
		return uncoloured
	}
	i := slices.Index(*known, value)
	if i < 0 {
		i = len(*known)
		*known = append(*known, value)
	}
	return i
}

// Repeated states the number of curves that share colour and dash with another of their chart;
// it is empty where all can be told apart.
func (f *Figure) Repeated() string {
	several, curves, example := 0, 0, ""
	lines := f.Lines()
	for k, p := range f.Charts() {
		names := map[string][]string{}
		for i, s := range p.Series {
			style := fmt.Sprint(lines[k][i])
			names[style] = append(names[style], s.Shown())
		}
		for i := range p.Series { // in the order of the curves
			curves++
			same := names[fmt.Sprint(lines[k][i])]
			if len(same) < 2 {
				continue
			}
			if several++; example == "" {
				example = fmt.Sprintf("%s and %s", same[0], same[1])
			}
		}
	}
	if several == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d curves share colour and dash with another, such as %s.", several, curves, example)
}
