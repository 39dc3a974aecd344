package figure

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starling/mechanisms/portable"
)

// The measures of points beside each other, in points.
const (
	shiftWidth = vg.Length(9)
	// numberShift is the shift on an axis of numbers, of all of them at most a part of the width.
	numberShift = vg.Length(5)
	numberPart  = vg.Length(0.04)
	// slant is the angle of names of categories that do not fit beside each other.
	slant = math.Pi / 6
)

// setCategories gives an axis the names of categories. slot is about the room of each.
func setCategories(a *plot.Axis, names []string, slot vg.Length) {
	var ticks []plot.Tick
	fits := true
	for i, name := range names {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
		fits = fits && a.Tick.Label.Width(name) <= slot-4
	}
	a.Tick.Marker = plot.ConstantTicks(ticks)
	if !fits {
		a.Tick.Label.Rotation = slant
		a.Tick.Label.XAlign = draw.XRight
	}
}

// leastApart is the least distance at which readers see points at one x beside each other.
const leastApart = vg.Length(2)

// besides reports whether readers see that shifts move series beside each other. Lines across stay.
func besides(list []Series, shifts []vg.Length) bool {
	var places []vg.Length
	for i, shift := range shifts {
		if !list[i].Reference {
			places = append(places, shift)
		}
	}
	slices.Sort(places)
	places = slices.Compact(places)
	for i := 1; i < len(places); i++ {
		if places[i]-places[i-1] < leastApart {
			return false
		}
	}
	return len(places) > 1
}

// shifts returns how far the points of each series are moved to the right, so that intervals at
// one x lie beside each other: none where no two series with intervals have a point in common.
func (f *Figure) shifts(list []Series, width vg.Length) []vg.Length {
	shifts := make([]vg.Length, len(list))
	var styles []string // a place each
	place := make([]int, len(list))
	var spots []spot
	for i := range list {
		s := &list[i]
		place[i] = -1
		if s.Reference || !s.Bars && f.Categories == nil {
			continue
		}
		style := s.Name
		if s.Hue+s.Dash != "" {
			style = s.Hue + "\n" + s.Dash
		}
		if place[i] = slices.Index(styles, style); place[i] < 0 {
			place[i] = len(styles)
			styles = append(styles, style)
		}
		for _, x := range s.X {
			if Drawable(x, f.LogX) {
				spots = append(spots, f.spot(x, style))
			}
		}
	}
	gap, meet := apartOn(spots)
	if !meet {
		return shifts
	}
	step := min(numberShift, numberPart*width/vg.Length(len(styles)), vg.Length(gap/2)*width/vg.Length(len(styles)))
	if f.Categories != nil {
		step = min(shiftWidth, 0.6*width/vg.Length(len(f.Categories)*len(styles)))
	}
	for i, k := range place {
		if k >= 0 {
			shifts[i] = vg.Length((float64(k) - float64(len(styles)-1)/2) * float64(step))
		}
	}
	return shifts
}

// dodge is the part of the range of the x axis that bars need at its ends, with their strokes, where they stand beside
// each other. It is 0 for categories, which have room.
func (c *chart) dodge(f *Figure) float64 {
	if f.Categories != nil {
		return 0
	}
	across, most := c.width/vg.Length(c.columns), vg.Length(0)
	for _, p := range f.Charts() {
		for i, shift := range f.shifts(p.Series, across) {
			if p.Series[i].Bars {
				most = max(most, shift+2.5*glyphRadius, 2.5*glyphRadius-shift)
			}
		}
	}
	length := across - numbersRoom - c.legend.beside()/vg.Length(c.columns)
	part := min(0.2, float64(most/length))
	return part / (1 - 2*part)
}

// spot is a place on the x axis where a curve of a style has a point.
type spot struct {
	at    float64
	style string
}

// spot returns the spot of a point, on a logarithmic axis at its logarithm.
func (f *Figure) spot(x float64, style string) spot {
	if f.LogX {
		x = portable.Log(x)
	}
	return spot{x, style}
}

// onePlace is the share of the distance of the outermost places within which readers see one place, such as
// privacy losses of 7.99 and 8.
const onePlace = 0.004

// apartOn returns the least distance of two places on the x axis, as a share of the distance of the
// outermost two: points that are shifted stay nearer to their own place than to the next one. The boolean reports
// whether curves of two styles have a place in common.
func apartOn(spots []spot) (least float64, meet bool) {
	slices.SortStableFunc(spots, func(a, b spot) int { return cmp.Compare(a.at, b.at) })
	least = 1
	for i := 1; i < len(spots); i++ {
		a, b := spots[i-1], spots[i]
		switch share := (b.at - a.at) / (spots[len(spots)-1].at - spots[0].at); {
		case a.at == b.at || share < onePlace:
			meet = meet || a.style != b.style
		case share < least:
			least = share
		}
	}
	return least, meet
}
