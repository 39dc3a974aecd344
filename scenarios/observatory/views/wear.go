package views

import (
	"math"
	"slices"

	"starling/scenarios/results/report"
)

// wear gives curves the colours and dashes that they have in a figure of more arms, so that an arm keeps
// its colour when others are hidden. It changes nothing where that would be ambiguous: a curve is not in
// the other figure, or curves that are told apart here have one style there.
func (f *Figure) wear(all *Figure) {
	found := make([][]report.Line, len(f.Charts))
	for k := range f.Charts {
		c := &f.Charts[k]
		for i := range c.Series {
			line, ok := all.like(c, &c.Series[i])
			if !ok {
				return
			}
			found[k] = append(found[k], line)
		}
		if !toldApart(c, found[k]) {
			return
		}
	}
	for k := range f.Charts {
		c := &f.Charts[k]
		for i, line := range found[k] {
			c.Series[i].Color, c.Series[i].Dark, c.Series[i].Dash = line.Color, line.Dark, line.Dash
		}
		for i := range c.Keys {
			line := found[k][c.Keys[i].Series[0]]
			c.Keys[i].Color, c.Keys[i].Dark, c.Keys[i].Dash = line.Color, line.Dark, line.Dash
		}
	}
}

// like returns the curve with the points of another, by preference the one with its name.
func (f *Figure) like(of *report.Chart, curve *report.Line) (found report.Line, ok bool) {
	for k := range f.Charts {
		c := &f.Charts[k]
		for i := range c.Series {
			one := &c.Series[i]
			if samePoints(one.Y, curve.Y) && samePoints(c.X[one.X], of.X[curve.X]) && (!ok || one.Name == curve.Name) {
				found, ok = *one, true
			}
		}
	}
	return found, ok
}

// samePoints reports whether numbers are equal; a gap equals a gap.
func samePoints(a, b report.Values) bool {
	return slices.EqualFunc(a, b, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
}

// toldApart reports whether curves of a chart have one style if and only if they share an entry of the
// legend.
func toldApart(c *report.Chart, lines []report.Line) bool {
	entry := make([]int, len(lines)) // by curve
	for i := range entry {
		entry[i] = -1 - i // of its own
	}
	for i, key := range c.Keys {
		for _, k := range key.Series {
			if entry[k] >= 0 {
				return false // colour and dash have entries each
			}
			entry[k] = i
		}
	}
	for i := range lines {
		for k := range i {
			same := lines[i].Color == lines[k].Color && slices.Equal(lines[i].Dash, lines[k].Dash)
			if same != (entry[i] == entry[k]) {
				return false
			}
		}
	}
	return true
}
